"""Downloads of a release from a stand-in Hub on loopback: what is fetched, kept, taken up again, and its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from healthdial.download import DEFAULT_REPO_ID, looks_like_repo_id, release_patterns
from healthdial.languages import LANGUAGES
from hub.errors import UnreachableError
from tests.fake_hub import FakeHub
from tests.healthdial_downloads import (
    CHUNK,
    RELEASE,
    REPO_ID,
    TEXT,
    TOKEN,
    assert_one_plain_line,
    audio_files,
    content,
    downloaded,
    downloads,
    fetch,
    files_in,
    text_files,
)

pytest_plugins = ("tests.healthdial_download_fixtures",)

BIG = "english/audio.part1.tar.gz"


def test_a_whole_release_into_a_folder(hub_release: FakeHub, tmp_path: Path) -> None:
    folder = fetch(tmp_path / "release", *LANGUAGES, audio=True)
    assert folder == tmp_path / "release"
    assert files_in(folder) == RELEASE | {"README.md", "LICENSE"}
    assert len(RELEASE) == 29
    assert all((folder / name).read_bytes() == content(name) for name in RELEASE)


def test_some_languages_without_audio(hub_release: FakeHub, tmp_path: Path) -> None:
    folder = fetch(tmp_path / "release", "zho", "ara")
    assert files_in(folder) == text_files("chinese", "arabic") | {"README.md", "LICENSE"}
    assert downloaded(hub_release) == files_in(folder)


def test_one_language_with_audio_into_the_cache(hub_release: FakeHub, tmp_path: Path) -> None:
    folder = fetch(None, "spa", audio=True)
    assert folder.is_relative_to(hub_release.folder / "cache")
    assert folder.name == hub_release.head(REPO_ID)
    assert files_in(folder) == text_files("spanish") | audio_files("spanish") | {"README.md", "LICENSE"}


def test_the_list_under_its_plain_name_is_fetched_too(hub_release: FakeHub, tmp_path: Path) -> None:
    hub_release.commit(REPO_ID, {"english/dialogue_list_final.json": b"[]"})
    assert (fetch(tmp_path / "release") / "english/dialogue_list_final.json").read_bytes() == b"[]"


def test_what_is_there_is_not_fetched_again(hub_release: FakeHub, tmp_path: Path) -> None:
    fetch(tmp_path / "release")
    hub_release.seen.clear()
    folder = fetch(tmp_path / "release", "eng", "spa")
    assert downloaded(hub_release) == {f"spanish/{name}" for name in TEXT}
    assert text_files("english", "spanish") <= files_in(folder)


@pytest.mark.parametrize("by_tag", [True, False])
def test_a_revision(by_tag: bool, hub_release: FakeHub, tmp_path: Path) -> None:
    revision = "v1" if by_tag else hub_release.head(REPO_ID)
    hub_release.commit(REPO_ID, {}, delete=RELEASE)
    folder = fetch(tmp_path / "release", revision=revision)
    assert text_files("english") <= files_in(folder)
    assert hub_release.requests(f"/revision/{revision}$")


def test_the_token_is_sent(hub_release: FakeHub, tmp_path: Path) -> None:
    fetch(tmp_path / "release", token=TOKEN)
    assert {seen.authorization for seen in hub_release.seen} == {f"Bearer {TOKEN}"}


def test_a_broken_connection_is_taken_up_where_it_broke(hub_release: FakeHub, tmp_path: Path) -> None:
    hub_release.break_download_after(3 * CHUNK + 10, BIG)
    hub_release.break_download_after(2 * CHUNK, BIG)
    folder = fetch(tmp_path / "release", audio=True)
    # Whole chunks are written before the break, and the rest is asked for.
    assert [seen.range for seen in downloads(hub_release, BIG)] == ["", f"bytes={3 * CHUNK}-", f"bytes={5 * CHUNK}-"]
    assert (folder / BIG).read_bytes() == content(BIG)


@pytest.mark.parametrize("in_cache", [False, True])
def test_a_download_that_ended_halfway_goes_on(in_cache: bool, hub_release: FakeHub, tmp_path: Path) -> None:
    folder = None if in_cache else tmp_path / "release"
    # The client gives up after a few connections that bring nothing.
    hub_release.break_download_after(2 * CHUNK, BIG)
    hub_release.break_download_after(0, BIG, times=None)
    with pytest.raises(UnreachableError, match=r"broke off .*run the same command again") as caught:
        fetch(folder, audio=True)
    assert_one_plain_line(caught.value)
    hub_release.recover()
    kept = downloaded(hub_release) - {BIG}
    hub_release.seen.clear()
    finished = fetch(folder, audio=True)
    assert BIG in downloaded(hub_release)
    assert not kept & downloaded(hub_release)
    wanted = text_files("english") | audio_files("english")
    assert all((finished / name).read_bytes() == content(name) for name in wanted)


@pytest.mark.parametrize("languages", [[], ["tha"], ["eng", "english"]])
def test_unknown_languages(languages: list[str]) -> None:
    with pytest.raises(ValueError, match="ara, zho, eng, spa"):
        release_patterns(languages, audio=True)


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
