"""Downloads of a release from a Hub stand-in on loopback: what is fetched, kept, taken up again and refused."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from healthdial.download import DEFAULT_REPO_ID, fetch_release, looks_like_repo_id, release_patterns
from healthdial.languages import LANGUAGES
from hub.errors import BenchError, ReleaseError, UnreachableError
from tests.hub_stand_in import BAD_TOKEN, COMMIT, GATED, GATED_WITHOUT_LOGIN, HubStandIn, Refusal, hub_stand_in

REPO_ID = "made-up/HealthDial"
TOKEN = "hf_madeUpSecretToken"
FOLDERS = [language.folder for language in LANGUAGES.values()]
TEXT = ["dialogue_list_final_with_sys_speech.json", "user_list_final.json"]
AUDIO = ["audio.part1.tar.gz", "audio.part2.tar.gz", *(f"system_audio.part{part}.tar.gz" for part in (1, 2, 3))]
CHUNK = 64
"""Bytes that the client writes at a time in these tests; it writes 10 MB otherwise."""


def content(name: str) -> bytes:
    return name.encode() * 20


def text_files(*folders: str) -> set[str]:
    return {"who_database.json", *(f"{folder}/{name}" for folder in folders for name in TEXT)}


def audio_files(*folders: str) -> set[str]:
    return {f"{folder}/{name}" for folder in folders for name in AUDIO}


RELEASE = text_files(*FOLDERS) | audio_files(*FOLDERS)
EXTRA = {"README.md", "LICENSE", ".gitattributes", "english_sample/processed_result.json", "english/notes.txt"}
BIG = "english/audio.part1.tar.gz"


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubStandIn]:
    """A whole release of 29 tiny files and some that are none of it, with a cache of its own."""
    from huggingface_hub import constants

    with hub_stand_in(REPO_ID, {name: content(name) for name in RELEASE | EXTRA}) as stand_in:
        template = "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "ENDPOINT", stand_in.address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", stand_in.address + template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no_token"))
        monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", CHUNK)
        monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield stand_in


def fetch(folder: Path | None, *languages: str, audio: bool = False, **options: Any) -> Path:
    return fetch_release(REPO_ID, folder, languages=languages or ("eng",), audio=audio, **options)


def files_in(folder: Path) -> set[str]:
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return {file.as_posix() for file in files if file.parts[0] != ".cache"}


def assert_one_plain_line(error: BaseException) -> None:
    assert "\n" not in str(error)
    assert TOKEN not in str(error)
    assert "https://" not in str(error).replace("https://huggingface.co", "")


def test_a_whole_release_into_a_folder(release: HubStandIn, tmp_path: Path) -> None:
    folder = fetch(tmp_path / "release", *LANGUAGES, audio=True)
    assert folder == tmp_path / "release"
    assert files_in(folder) == RELEASE | {"README.md", "LICENSE"}
    assert len(RELEASE) == 29
    assert all((folder / name).read_bytes() == content(name) for name in RELEASE)


def test_some_languages_without_audio(release: HubStandIn, tmp_path: Path) -> None:
    folder = fetch(tmp_path / "release", "zho", "ara")
    assert files_in(folder) == text_files("chinese", "arabic") | {"README.md", "LICENSE"}
    assert release.downloaded() == files_in(folder)


def test_one_language_with_audio_into_the_cache(release: HubStandIn, tmp_path: Path) -> None:
    folder = fetch(None, "spa", audio=True)
    assert folder.is_relative_to(tmp_path / "cache")
    assert folder.name == COMMIT
    assert files_in(folder) == text_files("spanish") | audio_files("spanish") | {"README.md", "LICENSE"}


def test_the_list_under_its_plain_name_is_fetched_too(release: HubStandIn, tmp_path: Path) -> None:
    release.files["english/dialogue_list_final.json"] = b"[]"
    assert (fetch(tmp_path / "release") / "english/dialogue_list_final.json").read_bytes() == b"[]"


def test_what_is_there_is_not_fetched_again(release: HubStandIn, tmp_path: Path) -> None:
    fetch(tmp_path / "release")
    release.seen.clear()
    folder = fetch(tmp_path / "release", "eng", "spa")
    assert release.downloaded() == {f"spanish/{name}" for name in TEXT}
    assert text_files("english", "spanish") <= files_in(folder)


@pytest.mark.parametrize("revision", ["v1", COMMIT])
def test_a_revision(revision: str, release: HubStandIn, tmp_path: Path) -> None:
    folder = fetch(tmp_path / "release", revision=revision)
    assert text_files("english") <= files_in(folder)
    assert any(seen.path.endswith(f"/revision/{revision}") for seen in release.seen)


def test_the_token_is_sent(release: HubStandIn, tmp_path: Path) -> None:
    fetch(tmp_path / "release", token=TOKEN)
    assert {seen.authorization for seen in release.seen} == {f"Bearer {TOKEN}"}


def test_a_broken_connection_is_taken_up_where_it_broke(release: HubStandIn, tmp_path: Path) -> None:
    release.cuts[BIG] = [3 * CHUNK + 10, 2 * CHUNK]
    folder = fetch(tmp_path / "release", audio=True)
    # Whole chunks are written before the break, and the rest is asked for.
    assert [seen.range for seen in release.downloads(BIG)] == ["", f"bytes={3 * CHUNK}-", f"bytes={5 * CHUNK}-"]
    assert (folder / BIG).read_bytes() == content(BIG)


@pytest.mark.parametrize("in_cache", [False, True])
def test_a_download_that_ended_halfway_goes_on(in_cache: bool, release: HubStandIn, tmp_path: Path) -> None:
    folder = None if in_cache else tmp_path / "release"
    # The client gives up after a few connections that bring nothing.
    release.cuts[BIG] = [2 * CHUNK, *[0] * 20]
    with pytest.raises(UnreachableError, match=r"broke off .*run the same command again") as caught:
        fetch(folder, audio=True)
    assert_one_plain_line(caught.value)
    release.cuts.clear()
    kept = release.downloaded() - {BIG}
    release.seen.clear()
    finished = fetch(folder, audio=True)
    assert BIG in release.downloaded()
    assert not kept & release.downloaded()
    wanted = text_files("english") | audio_files("english")
    assert all((finished / name).read_bytes() == content(name) for name in wanted)


@pytest.mark.parametrize("refusal", [GATED, GATED_WITHOUT_LOGIN])
@pytest.mark.parametrize("asked", ["info_refusal", "file_refusal"])
def test_gated(refusal: Refusal, asked: str, release: HubStandIn, tmp_path: Path) -> None:
    setattr(release, asked, refusal)
    with pytest.raises(ReleaseError, match=r"accept the terms on that page, log in with `hf auth login`") as caught:
        fetch(tmp_path / "release", token=TOKEN)
    assert not isinstance(caught.value, UnreachableError)
    assert f"{release.address}/datasets/{REPO_ID}: " in str(caught.value)
    assert_one_plain_line(caught.value)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (BAD_TOKEN, "token is not accepted; log in again with `hf auth login`"),
        (Refusal(401, "RepoNotFound"), "no such data set, or a private one"),
        (Refusal(403), "token may not read this; accept the terms on that page"),
        (Refusal(404, "RepoNotFound"), "no such data set, or a private one"),
        (Refusal(500), r"cannot be reached, .*\(status 500\)"),
        (Refusal(429), r"cannot be reached, .*\(status 429\)"),
    ],
)
def test_refusals(refusal: Refusal, expected: str, release: HubStandIn, tmp_path: Path) -> None:
    release.info_refusal = refusal
    with pytest.raises(ReleaseError, match=expected) as caught:
        fetch(tmp_path / "release", token=TOKEN)
    assert_one_plain_line(caught.value)
    assert isinstance(caught.value, UnreachableError) == ("cannot be reached" in expected or "no such" in expected)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [(BAD_TOKEN, "token is not accepted"), (Refusal(403), "token may not read this")],
)
def test_files_that_are_refused(refusal: Refusal, expected: str, release: HubStandIn, tmp_path: Path) -> None:
    release.file_refusal = refusal
    with pytest.raises(ReleaseError, match=expected) as caught:
        fetch(tmp_path / "release", token=TOKEN)
    assert_one_plain_line(caught.value)


def test_another_repository(release: HubStandIn, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="made-up/Other: no such data set"):
        fetch_release("made-up/Other", tmp_path / "release", languages=["eng"], audio=False)


def test_a_missing_revision(release: HubStandIn, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="there is no revision 'v9'"):
        fetch(tmp_path / "release", revision="v9")


def test_nothing_of_the_release(release: HubStandIn, tmp_path: Path) -> None:
    release.files = {"README.md": b"another data set", "english/train.parquet": b"PAR1"}
    with pytest.raises(ReleaseError, match=f"none of the release's files is there .*{DEFAULT_REPO_ID}") as caught:
        fetch(tmp_path / "release")
    assert_one_plain_line(caught.value)
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("repo_id", ["HealthDial", "made up/HealthDial", "a/b/c", "../HealthDial", ""])
def test_no_repo_id(repo_id: str, release: HubStandIn, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="whose form is owner/name"):
        fetch_release(repo_id, tmp_path / "release", languages=["eng"], audio=False)
    assert release.seen == []


@pytest.mark.parametrize("languages", [[], ["tha"], ["eng", "english"]])
def test_unknown_languages(languages: list[str]) -> None:
    with pytest.raises(ValueError, match="ara, zho, eng, spa"):
        release_patterns(languages, audio=True)


def unreachable(stand_in: HubStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client look at a port where nobody listens."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")


def broken(stand_in: HubStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in.info_refusal = Refusal(503)


def switched_off(stand_in: HubStandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)


OUTAGES = [unreachable, broken, switched_off]
Outage = Callable[[HubStandIn, pytest.MonkeyPatch], None]


@pytest.mark.parametrize("outage", OUTAGES)
def test_offline_without_an_earlier_download(
    outage: Outage, release: HubStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage(release, monkeypatch)
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
    release: HubStandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = None if in_cache else tmp_path / "release"
    complete = fetch(folder, "eng", "zho")
    outage(release, monkeypatch)
    assert fetch(folder, "zho") == complete
    assert "the copy of an earlier download is used" in caplog.text
    for languages, audio in (("spa",), False), (("zho",), True):
        with pytest.raises(UnreachableError):
            fetch(folder, *languages, audio=audio)


def test_the_hub_goes_away_after_its_first_answer(
    release: HubStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "notes.txt").write_text("the client returns any folder that is not empty")
    info = HubStandIn.info

    def once(stand_in: HubStandIn) -> dict[str, Any]:
        stand_in.info_refusal = Refusal(503)
        return info(stand_in)

    monkeypatch.setattr(HubStandIn, "info", once)
    with pytest.raises(UnreachableError, match="cannot be reached"):
        fetch(tmp_path / "release")


@pytest.mark.parametrize("in_cache", [False, True])
def test_too_little_space_is_told_before_the_download(
    in_cache: bool, release: HubStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = None if in_cache else tmp_path / "release"
    needed = sum(len(content(name)) for name in text_files("english"))

    def free(space: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=space))

    free(needed - 1)
    with pytest.raises(ReleaseError, match="GB are free; free space"):
        fetch(folder)
    assert release.downloaded() == set()
    free(needed)
    fetch(folder)
    free(0)
    assert text_files("english") <= files_in(fetch(folder))


@pytest.mark.parametrize(
    ("number", "expected"),
    [(errno.ENOSPC, "the disk is full"), (errno.EROFS, r"cannot be written \(.+\); give another folder")],
)
def test_a_failing_disk(
    number: int, expected: str, release: HubStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, "made up")

    monkeypatch.setattr("huggingface_hub.file_download.http_get", fail)
    with pytest.raises(ReleaseError, match=f"{tmp_path / 'release'}: {expected}") as caught:
        fetch(tmp_path / "release")
    assert not isinstance(caught.value, UnreachableError)


def test_a_folder_that_is_a_file(release: HubStandIn, tmp_path: Path) -> None:
    (tmp_path / "release").write_text("")
    with pytest.raises(BenchError, match="cannot be written"):
        fetch(tmp_path / "release")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (DEFAULT_REPO_ID, True),
        ("some-one/health.dial_2", True),
        ("HealthDial", False),
        ("./data/release", False),
        ("../release", False),
        ("data/healthdial/release", False),
        ("/data/release", False),
        ("~/release", False),
        ("C:\\release", False),
        ("a b/c", False),
        ("", False),
    ],
)
def test_looks_like_repo_id(value: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert looks_like_repo_id(value) is expected


def test_an_existing_path_is_no_repo_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(DEFAULT_REPO_ID).mkdir(parents=True)
    assert not looks_like_repo_id(DEFAULT_REPO_ID)
