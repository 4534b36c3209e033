"""What a push says when the Hub refuses, is busy or cannot be reached: one line, and never a token."""

from __future__ import annotations

import logging
import socket
import traceback
from pathlib import Path

import pytest

from hub.errors import BenchError, UnreachableError
from hub.publish import publish
from hub.publish_plan import plan
from tests.fake_hub import USER, FakeHub
from tests.hub_publications import FILES, REPO_ID, made_publication, make_plan, push

pytest_plugins = ("tests.fake_hub_fixtures",)

HF_LOGGER = "huggingface_hub.utils._http"


def refused(publication_folder: Path, **changes: object) -> BenchError:
    """Return the error of a push."""
    with pytest.raises(BenchError) as caught:
        push(made_publication(publication_folder, **changes))
    assert "\n" not in str(caught.value)
    return caught.value


def was_written(hub: FakeHub) -> bool:
    return bool(hub.requests("^PUT|/commit/|/repos/create|/tag/"))


def test_no_token(local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN")
    assert "there is no access token" in str(refused(tmp_path))
    assert not was_written(local_hub)


def test_a_token_that_may_only_read(local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.account.role = "read"
    assert "the access token may only read; make one that may write" in str(refused(tmp_path))
    assert not was_written(local_hub)


@pytest.mark.parametrize(
    ("permissions", "may_write"), [(["repo.content.read"], False), (["repo.content.read", "repo.write"], True)]
)
def test_a_fine_grained_token(permissions: list[str], may_write: bool) -> None:
    from hub.publish_plan import _may_write

    scoped = [{"entity": {"type": "org", "name": "made-up"}, "permissions": permissions}]
    assert _may_write({"role": "fineGrained", "fineGrained": {"global": [], "scoped": scoped}}) is may_write


def test_a_token_that_is_not_known(local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.account.role = "none"
    assert "the access token is not accepted; log in again" in str(refused(tmp_path))


def test_an_organisation_of_others(local_hub: FakeHub, tmp_path: Path) -> None:
    error = refused(tmp_path, repo_id="others/data")
    assert "the token's account may not write in others" in str(error)
    assert not was_written(local_hub)
    assert not push(made_publication(tmp_path, repo_id=f"{USER}/data")).nothing_to_do


@pytest.mark.parametrize(("kind", "called"), [("model", "a model"), ("space", "a Space")])
def test_a_name_of_another_kind(kind: str, called: str, local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.add_repository(REPO_ID, kind=kind)  # type: ignore[arg-type]
    assert f"{REPO_ID} is {called}, not a data set; give another name" in str(refused(tmp_path))
    assert not was_written(local_hub)


@pytest.mark.parametrize("repo_id", ["name", "a/b/c", "a/b--c", "a/ b"])
def test_a_name_that_cannot_be_one(repo_id: str, local_hub: FakeHub, tmp_path: Path) -> None:
    assert "whose form is owner/name" in str(refused(tmp_path, repo_id=repo_id))
    assert not local_hub.seen


@pytest.mark.parametrize(
    ("pattern", "status", "said"),
    [
        ("PUT /lfs", 413, "the Hub takes no more (status 413)"),
        ("objects/batch", 403, "the storage is used up"),
        ("/commit/", 403, "not allowed (status 403)"),
        ("/commit/", 412, "somebody pushed meanwhile (status 412)"),
        ("/commit/", 404, "is gone"),
        ("/commit/", 422, "the Hub refuses (status 422)"),
        ("/repos/create", 403, "not allowed (status 403)"),
    ],
)
def test_a_refusal_is_one_line_and_final(
    pattern: str, status: int, said: str, local_hub: FakeHub, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    message = f"storage limit, see https://made.up/?signature=1 {local_hub.token}"
    local_hub.refuse(pattern, status, times=None, message=message)
    with pytest.raises(BenchError) as caught:
        push(made_publication(tmp_path, {"README.md": FILES["README.md"], "data/one/test-aaaa.parquet": b"PAR1"}))
    error = str(caught.value)
    assert said in error
    assert "made.up" not in error
    assert local_hub.token not in error + caplog.text
    # Such a refusal is not tried again, and nothing half comes of it.
    assert len(local_hub.requests(pattern)) == 1
    assert not any(repository.tags for repository in local_hub.store.repositories.values())


def test_a_gated_repository_of_others(local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.add_repository(REPO_ID)
    local_hub.refuse("GET .*/tree/", 403, code="GatedRepo", times=None)
    assert "access is restricted; accept the terms" in str(refused(tmp_path))


def test_a_card_that_the_hub_refuses(local_hub: FakeHub, tmp_path: Path) -> None:
    broken = {**FILES, "README.md": b"---\nlicense: [\n---\n"}
    with pytest.raises(BenchError, match=r"the card's metadata is refused; correct README\.md; the Hub says:"):
        push(made_publication(tmp_path, broken))


def test_a_file_that_is_missing(local_hub: FakeHub, tmp_path: Path) -> None:
    publication = made_publication(tmp_path)
    (tmp_path / "splits.json").unlink()
    with pytest.raises(BenchError, match=r"splits\.json: cannot be read \(No such file"):
        make_plan(publication)


@pytest.mark.parametrize(
    "pattern",
    [
        *("GET /api/whoami", "GET .*some.data_set$", "GET .*/tree/", "GET .*/refs", "POST .*/repos/create"),
        *(
            "POST .*/preupload/",
            "POST .*objects/batch",
            "PUT /lfs",
            "PUT .*/settings",
            "POST .*/commit/",
            "POST .*/tag/",
        ),
    ],
)
def test_a_passing_fault_of_any_step_is_tried_again(
    pattern: str, local_hub: FakeHub, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    if "/refs" in pattern or "/tree/" in pattern:
        local_hub.add_repository(REPO_ID)
    local_hub.refuse(pattern, 503, times=2)
    push(made_publication(tmp_path, gate="auto"))
    assert {path: local_hub.files(REPO_ID)[path] for path in FILES} == FILES
    assert len([record for record in caplog.records if "503" in record.getMessage()]) == 2


@pytest.mark.parametrize("pattern", ["POST .*/commit/", "PUT /lfs"])
def test_the_hub_is_asked_again_when_it_said(
    pattern: str, local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    local_hub.refuse(pattern, 429, times=1, headers={"Retry-After": "7"})
    push(made_publication(tmp_path))
    assert waits == [8]


def test_the_limits_of_the_hub_say_when(
    local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    local_hub.refuse("/commit/", 429, times=2, headers={"ratelimit": '"api";r=0;t=55'})
    push(made_publication(tmp_path))
    assert waits == [56, 56]
    lines = [record.getMessage() for record in caplog.records if record.name == "hub.publish_errors"]
    assert lines == [f"committing: status 429; again in 56 s (try {number} of 6)" for number in (1, 2)]


def test_a_wait_that_is_too_long_ends_the_push(local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.refuse("/commit/", 429, times=None, headers={"Retry-After": "3600"})
    assert "too many requests (status 429)" in str(refused(tmp_path))
    assert len(local_hub.requests("/commit/")) == 1


@pytest.mark.parametrize("pattern", ["GET /api/whoami", "PUT /lfs", "/commit/"])
def test_a_fault_for_ever_is_told_after_a_bounded_number_of_tries(
    pattern: str, local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    local_hub.refuse(pattern, 503, times=None)
    files = {"README.md": FILES["README.md"], "data/one/test-aaaa.parquet": b"PAR1"}
    with pytest.raises(UnreachableError, match=r"out of order \(status 503\).* run the command again later"):
        push(made_publication(tmp_path, files))
    assert len(local_hub.requests(pattern)) == 6
    assert waits == sorted(waits)
    assert sum(waits) <= 60


def test_no_network(tmp_path: Path, local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        api = HfApi(f"http://127.0.0.1:{free.getsockname()[1]}", token=local_hub.token)
        with pytest.raises(
            UnreachableError, match=r"cannot be reached.*\(ConnectE.*\); check the connection"
        ) as caught:
            plan(made_publication(tmp_path), api)
    assert "\n" not in str(caught.value)


def test_another_server_answers(tmp_path: Path, local_hub: FakeHub) -> None:
    import json

    from huggingface_hub import HfApi

    class Portal(HfApi):
        def whoami(self, *_: object, **__: object) -> dict[str, object]:
            answer: dict[str, object] = json.loads("<html>")
            return answer

    with pytest.raises(UnreachableError, match="what answers there is not the Hub"):
        plan(made_publication(tmp_path), Portal())


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError("made up"), "the access token is not accepted"),  # hf_xet's XetAuthenticationError is one
        (RuntimeError("made up"), r"the transfer broke off \(RuntimeError\)"),  # its failed transfers
        (ConnectionResetError(104, "reset"), r"the transfer broke off \(ConnectionResetError\)"),
        (PermissionError(13, "Permission denied"), r"a file cannot be read \(Permission denied\)"),
    ],
)
def test_faults_of_the_upload_without_a_status(
    error: Exception, said: str, tmp_path: Path, local_hub: FakeHub
) -> None:
    from huggingface_hub import HfApi

    class Failing(HfApi):
        def preupload_lfs_files(self, *_: object, **__: object) -> None:
            raise error

    with pytest.raises(BenchError, match=said):
        publish(make_plan(made_publication(tmp_path)), Failing())


def test_offline_mode(tmp_path: Path, local_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE is set" in str(refused(tmp_path))


@pytest.mark.parametrize(
    ("pattern", "status"),
    [
        *(("GET /api/whoami", status) for status in (401, 403, 503)),
        *(("/commit/", status) for status in (400, 403, 412, 503)),
        *(("PUT /lfs", status) for status in (403, 413, 503)),
        ("/tag/", 409),
    ],
)
def test_no_token_in_any_output(
    pattern: str,
    status: int,
    local_hub: FakeHub,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from huggingface_hub import HfApi

    for name in ("", "httpx"):
        # lighteval's command line, which other tests run, makes it quiet.
        caplog.set_level(logging.DEBUG, logger=name)
        logging.getLogger(name).disabled = False
    local_hub.refuse(pattern, status, times=None)
    api = HfApi(token=local_hub.token)
    with pytest.raises(BenchError) as caught:
        publish(plan(made_publication(tmp_path), api), api)
    # The first frame is this test's, which holds the token.
    frames = caught.value.__traceback__.tb_next if caught.value.__traceback__ else None
    shown = traceback.TracebackException(type(caught.value), caught.value, frames, capture_locals=True)
    told, printed = "".join(shown.format()), capfd.readouterr()
    assert "publication = " in told
    assert f"{status} " in caplog.text
    output = [told, repr(caught.value), printed.out, printed.err, caplog.text]
    assert not [text for text in output if local_hub.token in text]


def test_no_signature_of_an_upload_address_in_a_log_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from hub.publish_errors import addresses_without_queries

    line = "HTTP Error 503 thrown while requesting PUT http://made.up/a?X-Amz-Signature=secret"
    with addresses_without_queries():
        logging.getLogger(HF_LOGGER).warning(line)
    logging.getLogger(HF_LOGGER).warning("%s?kept=1", "http://made.up")
    assert caplog.messages == [line.split("?")[0], "http://made.up?kept=1"]
