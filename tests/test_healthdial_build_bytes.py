"""The same HealthDial release gives the same bytes, however built; a rebuild is never stale, a failure harmless."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset
from filelock import FileLock

from benchmarks.healthdial_generator import personal_strings
from healthdial import recordings
from healthdial.parquet_files import HashedFile
from healthdial.release import ReadOptions
from hub.errors import BenchError, ReleaseError
from tests.healthdial_built import CleanRelease, TrappedBuild, build_folder, files_of, options
from tests.healthdial_traps import release_with_traps

pytest_plugins = ("tests.healthdial_fixtures",)

ENGLISH = ReadOptions(languages=("eng",))
DIALOGUE_LIST = "english/dialogue_list_final_with_sys_speech.json"
PACKING_ONLY = ("nested_audio", "junk_member", "unsafe_member", "archives_beside_folder")
"""Faults that belong to a packing, or whose places name archives in one of them."""


scandir = os.scandir


class ReversedEntries:
    """``os.scandir`` of a file system that lists the last name first."""

    def __init__(self, path: str | Path) -> None:
        with scandir(path) as entries:
            self._entries = sorted(entries, key=lambda entry: entry.name, reverse=True)

    def __enter__(self) -> Iterator[os.DirEntry[str]]:
        return iter(self._entries)

    def __exit__(self, *error: object) -> None:
        pass


@pytest.fixture
def english(clean: CleanRelease, tmp_path: Path) -> Path:
    """The English part of the clean release, to be changed."""
    for name in ("who_database.json", "splits.json"):
        (tmp_path / "release").mkdir(exist_ok=True)
        shutil.copy(clean.folder / name, tmp_path / "release" / name)
    shutil.copytree(clean.folder / "english", tmp_path / "release" / "english")
    return tmp_path / "release"


def recording_of(release: Path, utterance: int, dialogue: int = -1) -> Path:
    """Return the file of an utterance of one dialogue."""
    listed = json.loads((release / DIALOGUE_LIST).read_text(encoding="utf-8"))
    return release / "english" / "audio" / listed[dialogue]["utterance"][utterance]["audio_name"]


def rewrite(release: Path, change: Callable[[list[Any]], object]) -> None:
    """Change the English dialogue list."""
    file = release / DIALOGUE_LIST
    listed = json.loads(file.read_text(encoding="utf-8"))
    change(listed)
    file.write_text(json.dumps(listed), encoding="utf-8")


def say_something_else(listed: list[Any]) -> None:
    listed[0]["utterance"][1]["annotated_transcription"] = "Something else was said here."


def make_unreadable(file: Path) -> None:
    """Put a socket in the place of a file: not even root can open it."""
    file.unlink()
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(file.parent)
        server.bind(file.name)
        os.chdir(here)


@pytest.mark.parametrize(("packing", "workers"), [("folder", 2), ("tar", 1)])
def test_the_same_release_gives_the_same_bytes(
    clean: CleanRelease, tmp_path: Path, packing: str, workers: int
) -> None:
    release = clean.folder if packing == "folder" else clean.archives
    again = build_folder(release, tmp_path / "again", options(clean.key_folder, workers=workers))
    assert files_of(again.folder) == files_of(clean.built.folder)
    assert [path.name for path in tmp_path.iterdir()] == ["again"]


@pytest.mark.usefixtures("quick_plots")
def test_the_order_of_directory_entries_does_not_matter(
    clean: CleanRelease, english: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nested = english / "english" / "audio" / "part2"
    nested.mkdir()
    take = recording_of(english, 1)
    shutil.copy(recording_of(english, 3), nested / take.name)
    usual = build_folder(english, tmp_path / "a", options(tmp_path))
    assert usual.dataset.findings.count("different_takes") == 1
    with monkeypatch.context() as patch:
        patch.setattr(recordings.os, "scandir", ReversedEntries)
        other = build_folder(english, tmp_path / "b", options(tmp_path))
    assert files_of(usual.folder) == files_of(other.folder)


def test_traps_give_the_same_rows_in_folders_and_archives(
    traps_in_folders: TrappedBuild, traps_in_archives: TrappedBuild
) -> None:
    """Only the cards and the report tell the packings apart, and only by what belongs to a packing."""
    found, expected = (files_of(one.built.folder) for one in (traps_in_folders, traps_in_archives))
    reports = [json.loads(files.pop("import_report.json")) for files in (found, expected)]
    names = ("README.md", "README.text.md")
    cards = [[files.pop(name).decode().splitlines() for name in names] for files in (found, expected)]
    assert found == expected
    for report in reports:
        report["faults"] = [fault for fault in report["faults"] if fault["kind"] not in PACKING_ONLY]
    assert reports[0] == reports[1]
    differing = {line for one, other in zip(*cards, strict=True) for line in set(one) ^ set(other)}
    assert all(line.startswith(tuple(f"| `{kind}` |" for kind in PACKING_ONLY)) for line in differing)


@pytest.mark.usefixtures("quick_plots")
def test_rows_are_never_stale_and_foreign_files_stay(english: Path, tmp_path: Path, cache: str) -> None:
    out = tmp_path / "healthdial"
    foreign = (out / "__init__.py", out / "data" / "mine.parquet", out / "data" / "user_turns_eng" / "mine.txt")
    for file in foreign:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    transcripts = []
    for change in (lambda listed: None, say_something_else):
        rewrite(english, change)
        built = build_folder(english, out, options(tmp_path))
        loaded = load_dataset(str(out), "user_turns_eng", split="train", cache_dir=cache)
        transcripts.append(loaded["transcription"][:])
    assert len(set(transcripts[0]) ^ set(transcripts[1])) == 2
    assert "Something else was said here." in transcripts[1]
    ours = {file for config in built.configs for file in built.files_of(config)}
    assert set(out.rglob("*.parquet")) == ours | {foreign[1]}
    assert {file.read_text() for file in foreign} == {"mine"}


@pytest.mark.usefixtures("quick_plots")
def test_a_rebuild_with_less_removes_what_is_no_longer_there(english: Path, tmp_path: Path) -> None:
    """No recordings, no parallel languages: neither their plot nor their Parquet files stay."""
    out = tmp_path / "out"
    build_folder(english, out, options(tmp_path))
    shutil.copytree(out / "data" / "user_turns_eng", out / "data" / "user_turns_ara")
    build_folder(english, out, options(tmp_path), ReadOptions(audio=False))
    build_folder(english, tmp_path / "fresh", options(tmp_path), ReadOptions(audio=False))
    assert files_of(out) == files_of(tmp_path / "fresh")


@pytest.mark.usefixtures("quick_plots")
def test_an_unreadable_recording_leaves_the_earlier_build_whole(
    clean: CleanRelease, english: Path, tmp_path: Path, cache: str
) -> None:
    out = tmp_path / "out"
    build_folder(english, out, options(tmp_path))
    before = files_of(out)
    rewrite(english, say_something_else)
    unreadable = recording_of(english, 1)
    content = unreadable.read_bytes()
    make_unreadable(unreadable)
    with pytest.raises(ReleaseError, match=r"cannot be read from disk: eng-\d{4}-u01\. Repair") as raised:
        build_folder(english, out, options(tmp_path))
    assert not [string for string in personal_strings(clean.release) if string in str(raised.value)]
    assert before.items() <= files_of(out).items()
    assert len(load_dataset(str(out), "user_turns_eng", split="train", cache_dir=cache)) > 0
    unreadable.unlink()
    unreadable.write_bytes(content)
    repaired = build_folder(english, out, options(tmp_path))
    fresh = build_folder(english, tmp_path / "fresh", options(tmp_path))
    assert repaired.dataset.shards_kept == 5
    assert fresh.dataset.shards_kept == 0
    assert files_of(out) == files_of(fresh.folder)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.usefixtures("quick_plots")
def test_an_unreadable_second_take_is_reported_not_raised(english: Path, tmp_path: Path) -> None:
    nested = english / "english" / "audio" / "part2"
    nested.mkdir()
    take = nested / recording_of(english, 1).name
    take.touch()
    make_unreadable(take)
    built = build_folder(english, tmp_path / "out", options(tmp_path))
    found = built.dataset.findings.first("different_takes")
    assert found is not None
    assert found.detail.endswith("cannot be read")


@pytest.mark.usefixtures("quick_plots")
def test_disk_full_is_named_and_leaves_the_earlier_build_whole(
    english: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    build_folder(english, out, options(tmp_path))
    before = files_of(out)
    rewrite(english, say_something_else)
    write = HashedFile.write

    def full(file: HashedFile, content: Any) -> int:
        if file.size > 100_000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, content)

    with monkeypatch.context() as patch:
        patch.setattr(HashedFile, "write", full)
        with pytest.raises(BenchError, match="the disk is full"):
            build_folder(english, out, options(tmp_path))
    after = files_of(out)
    assert before.items() <= after.items()
    assert not [name for name in after if name.endswith(".tmp")]


@pytest.mark.usefixtures("quick_plots")
def test_a_damaged_archive_stops_the_build_unless_allowed(tmp_path: Path) -> None:
    trapped = release_with_traps(tmp_path / "release", ["damaged_archive"], packing="tar")
    out = tmp_path / "out"
    with pytest.raises(ReleaseError, match=r"^recordings are lost: eng audio\.part2\.tar\.gz: after .*\. Fetch or"):
        build_folder(trapped.folder, out, options(tmp_path), ENGLISH)
    assert not (out / "README.md").exists()
    built = build_folder(trapped.folder, out, options(tmp_path, allow_damaged=True), ENGLISH)
    statuses = [row["audio_status"] for row in built.rows("user_turns_eng")]
    assert 0 < statuses.count("missing") == built.dataset.findings.count("missing_audio") < len(statuses) / 2


@pytest.mark.usefixtures("quick_plots")
def test_one_build_at_a_time(english: Path, tmp_path: Path) -> None:
    (tmp_path / ".out-work").mkdir()
    with (
        FileLock(tmp_path / ".out-work" / "lock"),
        pytest.raises(BenchError, match="another build writes there"),
    ):
        build_folder(english, tmp_path / "out", options(tmp_path))
    assert [*(tmp_path / "out").iterdir()] == []


@pytest.mark.usefixtures("quick_plots")
def test_a_working_folder_is_for_its_owner_only(english: Path, tmp_path: Path) -> None:
    make_unreadable(recording_of(english, 1))
    with pytest.raises(ReleaseError):
        build_folder(english, tmp_path / "out", options(tmp_path))
    assert (tmp_path / ".out-work").stat().st_mode & 0o077 == 0
