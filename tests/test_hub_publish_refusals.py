"""What a push says of refusals that leave something done, of tokens that are none, and of a network that is none."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from hub.errors import BenchError, UnreachableError
from hub.publish import publish
from hub.publish_plan import plan
from tests.fake_hub import FakeHub
from tests.hub_publications import FILES, REPO_ID, made_publication, make_plan, push

pytest_plugins = ("tests.fake_hub_fixtures",)


@pytest.mark.parametrize("token", ["hf_madé", "hf_made\x01up", "hf_made\nup"])
def test_a_token_that_can_be_none(
    token: str, local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(BenchError, match="the access token is not accepted") as caught:
        push(made_publication(tmp_path))
    assert "hf_made" not in str(caught.value)
    assert not local_hub.requests("^PUT|/commit/|/repos/create|/tag/")


@pytest.mark.parametrize(
    ("status", "said"), [(429, "too many requests (status 429)"), (503, "the Hub is out of order (status 503)")]
)
def test_a_wait_that_is_too_long_is_named_and_not_waited_for(
    status: int, said: str, local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    local_hub.refuse("/commit/", status, times=None, headers={"Retry-After": "3000"})
    with pytest.raises(
        UnreachableError, match="the Hub asks to wait 3000 s: run the command again after that"
    ) as caught:
        push(made_publication(tmp_path))
    assert said in str(caught.value)
    assert "also after" not in str(caught.value)
    assert not waits
    assert len(local_hub.requests("/commit/")) == 1


def test_a_name_that_somebody_takes_meanwhile(local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.refuse("/repos/create", 409, times=None)
    with pytest.raises(BenchError, match=r"made a repository of this name meanwhile.*nothing was sent") as caught:
        push(made_publication(tmp_path))
    assert "pushed" not in str(caught.value)
    assert len(local_hub.requests("/repos/create")) == 1


@pytest.mark.parametrize(
    ("status", "said"), [(403, r"not allowed \(status 403\)"), (422, r"the Hub refuses \(status 422\)")]
)
def test_a_tag_that_is_refused_leaves_the_commit(status: int, said: str, local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.refuse("/tag/", status, times=None)
    with pytest.raises(BenchError, match=said) as caught:
        push(made_publication(tmp_path))
    revision = local_hub.head(REPO_ID)
    assert f"the files are there (commit {revision[:12]}), only the tag v1.0.0 is missing" in str(caught.value)
    assert "nothing was committed" not in str(caught.value)
    assert {path: local_hub.files(REPO_ID)[path] for path in FILES} == FILES
    local_hub.recover()
    assert push(made_publication(tmp_path)).revision == revision
    assert local_hub.repository(REPO_ID).tags == {"v1.0.0": revision}


def test_no_network_is_told_soon(tmp_path: Path, local_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import HfApi

    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        api = HfApi(f"http://127.0.0.1:{free.getsockname()[1]}", token=local_hub.token)
        with pytest.raises(UnreachableError, match="cannot be reached"):
            plan(made_publication(tmp_path), api)
    assert waits == [1]


def test_a_network_that_goes_later_is_waited_for(
    tmp_path: Path, local_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpx
    from huggingface_hub import HfApi

    class Cut(HfApi):
        tries = 0

        def create_commit(self, *_: object, **__: object) -> None:  # type: ignore[override]
            self.tries += 1
            raise httpx.ConnectError("made up")

    monkeypatch.setattr("time.sleep", lambda _: None)
    api = Cut()
    with pytest.raises(UnreachableError, match="cannot be reached"):
        publish(make_plan(made_publication(tmp_path)), api)
    assert api.tries == 6


def test_no_bar_for_files_that_need_not_be_sent(
    tmp_path: Path, local_hub: FakeHub, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub.utils import are_progress_bars_disabled

    monkeypatch.setenv("TQDM_POSITION", "-1")  # the client's bars are shown without a terminal
    was_disabled = are_progress_bars_disabled()
    push(made_publication(tmp_path))
    printed = capfd.readouterr().err
    assert "upload:" in printed
    assert "LFS files" not in printed
    assert are_progress_bars_disabled() is was_disabled
