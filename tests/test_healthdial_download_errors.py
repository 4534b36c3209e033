"""Downloads of a release that are refused, broken by an outage or without space on the disk, and what is said."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from healthdial.download import DEFAULT_REPO_ID, fetch_release
from hub.errors import BenchError, ReleaseError, UnreachableError
from tests.fake_hub import FakeHub
from tests.healthdial_downloads import (
    REPO_ID,
    TOKEN,
    assert_one_plain_line,
    content,
    downloaded,
    fetch,
    files_in,
    text_files,
)

pytest_plugins = ("tests.healthdial_download_fixtures",)

INFO, FILES = "/api/datasets/", "/resolve/"
"""Requests about the repository, and those for a file."""

BAD_TOKEN = (401, "", "Invalid credentials in Authorization header")
Refusal = tuple[int, str, str]


def refuse(hub: FakeHub, pattern: str, refusal: Refusal) -> None:
    """Answer all matching requests with a status, an error code and a message."""
    status, code, message = refusal
    hub.refuse(pattern, status, code, times=None, message=message)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("asked", [INFO, FILES])
def test_gated(status: int, asked: str, hub_release: FakeHub, tmp_path: Path) -> None:
    refuse(hub_release, asked, (status, "GatedRepo", "Access to this made-up dataset is restricted"))
    with pytest.raises(ReleaseError, match=r"accept the terms on that page, log in with `hf auth login`") as caught:
        fetch(tmp_path / "release", token=TOKEN)
    assert not isinstance(caught.value, UnreachableError)
    assert f"{hub_release.address}/datasets/{REPO_ID}: " in str(caught.value)
    assert_one_plain_line(caught.value)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (BAD_TOKEN, "token is not accepted; log in again with `hf auth login`"),
        ((401, "RepoNotFound", "made up"), "no such data set, or a private one"),
        ((403, "", "made up"), "token may not read this; accept the terms on that page"),
        ((404, "RepoNotFound", "made up"), "no such data set, or a private one"),
        ((500, "", "made up"), r"cannot be reached, .*\(status 500\)"),
        ((429, "", "made up"), r"cannot be reached, .*\(status 429\)"),
    ],
)
def test_refusals(refusal: Refusal, expected: str, hub_release: FakeHub, tmp_path: Path) -> None:
    refuse(hub_release, INFO, refusal)
    with pytest.raises(ReleaseError, match=expected) as caught:
        fetch(tmp_path / "release", token=TOKEN)
    assert_one_plain_line(caught.value)
    assert isinstance(caught.value, UnreachableError) == ("cannot be reached" in expected or "no such" in expected)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [(BAD_TOKEN, "token is not accepted"), ((403, "", "made up"), "token may not read this")],
)
def test_files_that_are_refused(refusal: Refusal, expected: str, hub_release: FakeHub, tmp_path: Path) -> None:
    refuse(hub_release, FILES, refusal)
    with pytest.raises(ReleaseError, match=expected) as caught:
        fetch(tmp_path / "release", token=TOKEN)
    assert_one_plain_line(caught.value)


def test_another_repository(hub_release: FakeHub, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="made-up/Other: no such data set"):
        fetch_release("made-up/Other", tmp_path / "release", languages=["eng"], audio=False)


def test_a_missing_revision(hub_release: FakeHub, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="there is no revision 'v9'"):
        fetch(tmp_path / "release", revision="v9")


def test_nothing_of_the_release(hub_release: FakeHub, tmp_path: Path) -> None:
    new = {"README.md": b"another data set", "english/train.parquet": b"PAR1"}
    hub_release.commit(REPO_ID, new, delete=hub_release.files(REPO_ID))
    with pytest.raises(ReleaseError, match=f"none of the release's files is there .*{DEFAULT_REPO_ID}") as caught:
        fetch(tmp_path / "release")
    assert_one_plain_line(caught.value)
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("repo_id", ["HealthDial", "made up/HealthDial", "a/b/c", "../HealthDial", ""])
def test_no_repo_id(repo_id: str, hub_release: FakeHub, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="whose form is owner/name"):
        fetch_release(repo_id, tmp_path / "release", languages=["eng"], audio=False)
    assert hub_release.seen == []


def unreachable(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client look at a port where nobody listens."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")


def broken(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(hub, INFO, (503, "", "made up"))


def switched_off(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)


OUTAGES = [unreachable, broken, switched_off]
Outage = Callable[[FakeHub, pytest.MonkeyPatch], None]


@pytest.mark.parametrize("outage", OUTAGES)
def test_offline_without_an_earlier_download(
    outage: Outage, hub_release: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage(hub_release, monkeypatch)
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "notes.txt").write_text("the client returns any folder that is not empty")
    for folder in (None, tmp_path / "release"):
        with pytest.raises(UnreachableError, match=r"cannot be reached|HF_HUB_OFFLINE is set") as caught:
            fetch(folder, token=TOKEN)
        assert_one_plain_line(caught.value)


@pytest.mark.parametrize("in_cache", [False, True])
@pytest.mark.parametrize("outage", OUTAGES)
def test_offline_an_earlier_download_is_used_if_complete(
    outage: Outage,
    in_cache: bool,
    hub_release: FakeHub,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = None if in_cache else tmp_path / "release"
    complete = fetch(folder, "eng", "zho")
    outage(hub_release, monkeypatch)
    assert fetch(folder, "zho") == complete
    assert "the copy of an earlier download is used" in caplog.text
    for languages, audio in (("spa",), False), (("zho",), True):
        with pytest.raises(UnreachableError):
            fetch(folder, *languages, audio=audio)


def test_the_hub_goes_away_after_its_first_answer(hub_release: FakeHub, tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "notes.txt").write_text("the client returns any folder that is not empty")
    hub_release.refuse(INFO, 503, times=None, after=1)
    with pytest.raises(UnreachableError, match="cannot be reached"):
        fetch(tmp_path / "release")


@pytest.mark.parametrize("in_cache", [False, True])
def test_too_little_space_is_told_before_the_download(
    in_cache: bool, hub_release: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = None if in_cache else tmp_path / "release"
    needed = sum(len(content(name)) for name in text_files("english"))

    def free(space: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=space))

    free(needed - 1)
    with pytest.raises(ReleaseError, match="GB are free; free space"):
        fetch(folder)
    assert downloaded(hub_release) == set()
    free(needed)
    fetch(folder)
    free(0)
    assert text_files("english") <= files_in(fetch(folder))


@pytest.mark.parametrize(
    ("number", "expected"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, r"cannot be written \(.+\); give another folder")],
)
def test_a_failing_disk(
    number: int, expected: str, hub_release: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, "made up")

    monkeypatch.setattr("huggingface_hub.file_download.http_get", fail)
    with pytest.raises(ReleaseError, match=f"{tmp_path / 'release'}: {expected}") as caught:
        fetch(tmp_path / "release")
    assert not isinstance(caught.value, UnreachableError)


def test_a_folder_that_is_a_file(hub_release: FakeHub, tmp_path: Path) -> None:
    (tmp_path / "release").write_text("")
    with pytest.raises(BenchError, match="cannot be written"):
        fetch(tmp_path / "release")
