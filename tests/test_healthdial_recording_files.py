"""Files of recordings as they lie on disk: links, names that are not UTF-8, one for several turns."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from healthdial.audio_pass import AudioPass
from healthdial.audit import audit
from healthdial.dialogues import Turn
from healthdial.findings import Findings
from healthdial.layout import AudioSources
from healthdial.recording_names import parse_recording_name
from healthdial.recordings import RecordingIndex, index_folder
from healthdial.release import read_release
from tests.healthdial_builders import ACCOUNT, OTHER_ACCOUNT
from tests.healthdial_case import Case, audio_rows, recording_of, snapshot, status_names, without, without_readme

pytest_plugins = ("tests.healthdial_case_fixtures",)

NOT_UTF8 = b"\xff\xfe caf\xe9.wav"
NOT_UTF8_VOICE = b"caf\xe9"


def user_turn(index: int, name: str) -> Turn:
    return Turn(index, "user", "text", recording=parse_recording_name(name))


def index_of(*names: str) -> RecordingIndex:
    index = RecordingIndex(AudioSources("eng", "user", Path("audio"), ()))
    for name in names:
        index.add(name, Path("audio") / name, None, 44)
    return index


def test_a_recording_of_two_turns_is_suspect_from_the_second_on() -> None:
    index = index_of(f"{ACCOUNT}_ENG_50_0.wav", f"{ACCOUNT}_ENG_50_1.wav", f"{OTHER_ACCOUNT}_ENG_50_0.wav")
    names = [f"{ACCOUNT}_ENG_50_0.wav", f"{ACCOUNT}_ENG_50_0.wav", f"{ACCOUNT}_ENG_50_1.wav"]
    names += [f"{ACCOUNT}_ENG_50_0.wav", f"{OTHER_ACCOUNT}_ENG_50_0.wav"]
    found = [index.resolve(50, user_turn(2 * turn + 1, name)) for turn, name in enumerate(names)]
    assert [one.recording.base_name if one.recording else None for one in found] == names
    assert [one.is_suspect for one in found] == [False, True, False, True, False]
    assert [one.faults for one in found] == [(), (("shared_recording", ""),), (), (("shared_recording", ""),), ()]


def test_system_turns_share_nothing() -> None:
    index = index_of(*(f"voice_ENG_50_{turn}.wav" for turn in range(3)))
    index = replace(index, sources=replace(index.sources, kind="system"))
    found = [index.resolve(50, Turn(2 * turn, "assistant", "text")) for turn in range(3)]
    assert [one.faults for one in found] == [(), (), ()]
    assert index.orphans() == 0


@pytest.mark.parametrize("relative", [True, False])
def test_links_to_recordings_are_read_as_in_the_hubs_cache(
    copied: Case, tmp_path: Path, without_plots: None, relative: bool
) -> None:
    """The cache holds ``snapshots/<commit>/<file>`` as links to ``blobs/<hash>``."""
    blobs = tmp_path / "blobs"
    blobs.mkdir()
    files = sorted(file for file in copied.folder.rglob("*") if file.is_file())
    for number, file in enumerate(files):
        blob = file.rename(blobs / f"{number:064x}")
        file.symlink_to(os.path.relpath(blob, file.parent) if relative else blob)
    built = copied.build(tmp_path / "hd")
    assert not built.findings.count("unsafe_member")
    assert without_readme(snapshot(tmp_path / "hd")) == without_readme(without(copied.expected, "plots"))


def test_a_blob_that_changes_is_read_again(copied: Case, tmp_path: Path) -> None:
    """The time of the recording counts, not that of its link."""
    _, file = recording_of(copied, 0, 0)
    blob = file.rename(tmp_path / "blob")
    file.symlink_to(blob)
    os.utime(blob, ns=(1, 1))
    sources = AudioSources("eng", "user", file.parent, ())
    stored = next(one for one in index_folder(sources, Findings()).files if one.base_name == file.name)
    assert (stored.length, stored.modified_ns) == (blob.stat().st_size, 1)


def test_a_link_to_a_folder_is_not_followed(copied: Case, tmp_path: Path) -> None:
    folder = copied.folder / "english" / "audio"
    (folder / "again").symlink_to(folder)
    sources = AudioSources("eng", "user", folder, ())
    findings = Findings()
    assert len(index_folder(sources, findings).files) == 8
    assert findings.counts == {("junk_member", "eng"): 1}


def not_utf8(folder: Path, name: bytes, content: bytes) -> None:
    try:
        (folder / os.fsdecode(name)).write_bytes(content)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")


def test_a_name_that_is_not_utf8_is_counted_and_harmless(copied: Case, tmp_path: Path, without_plots: None) -> None:
    not_utf8(copied.folder / "english" / "audio", NOT_UTF8, b"RIFF")
    outcome = audit(read_release(copied.folder), AudioPass("wav", True, 1), 1)
    checks = {(check.what, check.language): check for check in outcome.checks}
    found = checks["user files with a documented name", "eng"]
    assert (found.expected, found.found, found.verdict) == ("9", "8", "differs")
    assert checks["user files with a documented name", "spa"].verdict == "as expected"
    built = copied.build(tmp_path / "hd")
    orphans = [(str(one.place), one.detail) for one in built.findings if one.kind.name == "orphan_audio"]
    assert orphans == [("eng user audio", "names not of the documented form")]
    rows = {name: content for name, content in copied.expected.items() if name.endswith(".parquet")}
    assert {name: content for name, content in snapshot(tmp_path / "hd").items() if name in rows} == rows


def test_a_recording_whose_name_is_not_utf8_is_read(copied: Case, tmp_path: Path, without_plots: None) -> None:
    """The voice in the name of a system recording is free text."""
    folder = copied.folder / "english" / "system_audio"
    file = sorted(folder.iterdir())[0]
    ending = file.name[file.name.index("_ENG_") :]
    not_utf8(folder, NOT_UTF8_VOICE + os.fsencode(ending), file.read_bytes())
    file.unlink()
    copied.build(tmp_path / "hd")
    assert set(status_names(tmp_path / "hd", "system_turns_eng")) == {"ok"}
    usual = without_readme(without(copied.expected, "plots"))
    assert without_readme(snapshot(tmp_path / "hd")) == usual
    assert len(audio_rows(tmp_path / "hd", "system_turns_eng")) == 12
