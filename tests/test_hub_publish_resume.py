"""A push that breaks off, or is killed, is taken up by the same command; what the Hub has is not sent again."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hub.errors import BenchError, UnreachableError
from hub.publish import publish
from tests.conftest import REPOSITORY
from tests.fake_hub import FakeHub
from tests.hub_publications import FILES, REPO_ID, made_publication, make_plan, push

pytest_plugins = ("tests.fake_hub_fixtures",)

LARGE = {f"data/one/test-{name}.parquet": b"PAR1" + bytes([number]) * 300_000 for number, name in enumerate("abcd")}
ALL = {"README.md": FILES["README.md"], **LARGE}


def storage_of(path: str) -> str:
    return f"PUT /lfs-storage/{hashlib.sha256(LARGE[path]).hexdigest()}"


def received(hub: FakeHub) -> dict[str, list[int]]:
    """Bytes of the PUTs of each large file."""
    return {path: [seen.received for seen in hub.requests(storage_of(path))] for path in LARGE}


def files_there(hub: FakeHub) -> dict[str, bytes]:
    return {path: content for path, content in hub.files(REPO_ID).items() if path != ".gitattributes"}


@pytest.fixture
def one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub.publish.GROUP_BYTES", 1)


@pytest.mark.usefixtures("one_at_a_time")
def test_files_that_arrived_are_not_sent_again(local_hub: FakeHub, tmp_path: Path) -> None:
    third = "data/one/test-c.parquet"
    local_hub.break_upload_after(100_000, times=None, pattern=storage_of(third))
    with pytest.raises(
        UnreachableError, match=r"the transfer broke off .* run the command again: what is uploaded is"
    ):
        push(made_publication(tmp_path, ALL))
    assert not local_hub.requests("/commit/")
    assert local_hub.repository(REPO_ID).tags == {}
    # The client's own six tries of the third; the fourth was not begun.
    size = len(LARGE[third])
    assert list(received(local_hub).values()) == [[size], [size], [100_000] * 6, []]
    local_hub.recover()
    local_hub.seen.clear()
    push(made_publication(tmp_path, ALL))
    assert list(received(local_hub).values()) == [[], [], [size], [size]]
    assert files_there(local_hub) == ALL


def test_small_files_go_up_together(local_hub: FakeHub, tmp_path: Path) -> None:
    push(made_publication(tmp_path, ALL))
    assert len(local_hub.requests("objects/batch")) == 1
    assert len(local_hub.requests("/preupload/")) == 1


def test_a_push_that_is_killed_is_taken_up(local_hub: FakeHub, tmp_path: Path) -> None:
    last = "data/one/test-d.parquet"
    # The client waits as it is told, which gives time to kill it.
    local_hub.refuse(storage_of(last), 503, times=None, headers={"Retry-After": "600"})
    script = (
        "import sys; from pathlib import Path; import hub.publish; hub.publish.GROUP_BYTES = 1; "
        "from tests.hub_publications import made_publication, push; from tests.test_hub_publish_resume import ALL; "
        "push(made_publication(Path(sys.argv[1]), ALL))"
    )
    environment = {**os.environ, **local_hub.environment()}
    command = [sys.executable, "-c", script, str(tmp_path / "data set")]
    with subprocess.Popen(command, cwd=REPOSITORY, env=environment, stderr=subprocess.PIPE) as process:
        try:
            while not local_hub.requests(storage_of(last)):
                assert process.poll() is None
                time.sleep(0.02)
        finally:
            process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    sizes = received(local_hub)
    assert [len(sizes[path]) for path in LARGE] == [1, 1, 1, 1]
    assert local_hub.repository(REPO_ID).private
    local_hub.recover()
    local_hub.seen.clear()
    published = push(made_publication(tmp_path / "data set", ALL))
    assert {path: counts for path, counts in received(local_hub).items() if counts} == {last: [len(LARGE[last])]}
    assert files_there(local_hub) == ALL
    assert local_hub.repository(REPO_ID).tags == {"v1.0.0": published.revision}


def test_a_push_between_plan_and_commit_is_not_overwritten(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import HfApi

    local_hub.add_repository(REPO_ID)
    planned = make_plan(made_publication(tmp_path, ALL))
    theirs = local_hub.commit(REPO_ID, {"README.md": b"theirs"})
    with pytest.raises(
        BenchError, match=r"somebody pushed meanwhile .* run the command again: what is uploaded is not"
    ):
        publish(planned, HfApi())
    assert local_hub.head(REPO_ID) == theirs
    assert local_hub.repository(REPO_ID).tags == {}
    local_hub.seen.clear()
    push(made_publication(tmp_path, ALL))
    assert not local_hub.requests("^PUT /lfs")
    assert files_there(local_hub) == ALL


def test_a_repository_that_somebody_makes_meanwhile(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import HfApi

    planned = make_plan(made_publication(tmp_path))
    local_hub.add_repository(REPO_ID, {"README.md": b"theirs"})
    with pytest.raises(BenchError, match="run the command again"):
        publish(planned, HfApi())
    assert local_hub.files(REPO_ID)["README.md"] == b"theirs"


def test_a_commit_whose_answer_is_lost_is_found_by_the_next_push(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import HfApi

    class Deaf(HfApi):
        def create_commit(self, repo_id: str, operations: list[Any], **named: Any) -> Any:  # type: ignore[override]
            import httpx

            super().create_commit(repo_id, operations, **named)
            for operation in operations:
                operation._is_committed = False
            raise httpx.ReadError("made up")

    planned = make_plan(made_publication(tmp_path))
    with pytest.raises(BenchError, match="run the command again"):
        publish(planned, Deaf())
    published = push(made_publication(tmp_path))
    # The second try of the first push came too late for its parent; the next push made no commit.
    assert len(local_hub.requests("POST .*/commit/")) == 2
    assert local_hub.repository(REPO_ID).tags == {"v1.0.0": published.revision}
    assert files_there(local_hub) == FILES


def test_a_tag_whose_answer_is_lost_is_taken_for_set(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import HfApi

    class Deaf(HfApi):
        answers = 0

        def create_tag(self, *arguments: object, **named: object) -> None:
            import httpx

            super().create_tag(*arguments, **named)  # type: ignore[arg-type]
            self.answers += 1
            if self.answers == 1:
                raise httpx.ReadError("made up")

    published = publish(make_plan(made_publication(tmp_path)), Deaf())
    assert local_hub.repository(REPO_ID).tags == {"v1.0.0": published.revision}
