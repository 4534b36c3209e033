"""Recordings that are lost in numbers stop a build; with leave it goes on, and only their rows are without audio."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.healthdial_files import Packing, write_release
from benchmarks.healthdial_generator import generate_release
from healthdial.audio_pass import AudioPass, index_recordings
from healthdial.release import read_release
from hub.errors import ReleaseError
from tests.healthdial_built import build_folder, options
from tests.healthdial_traps import release_with_traps

pytest_plugins = ("tests.healthdial_fixtures",)
pytestmark = pytest.mark.usefixtures("quick_plots")

EXPECTED = {
    "missing_part": r"eng user audio: part 1; eng system audio: part 2\.",
    "much_missing_audio": r"eng user audio: 20 of 40 turns\.",
}


@pytest.mark.parametrize(
    ("kind", "packing"), [("missing_part", "tar"), ("much_missing_audio", "folder"), ("much_missing_audio", "tar")]
)
def test_lost_recordings_stop_the_build_unless_allowed(kind: str, packing: Packing, tmp_path: Path) -> None:
    trapped = release_with_traps(tmp_path / "release", [kind], packing=packing)
    out = tmp_path / "out"
    with pytest.raises(ReleaseError, match=f"^recordings are lost: {EXPECTED[kind]} Fetch .*--allow-damaged"):
        build_folder(trapped.folder, out, options(tmp_path))
    assert [*out.iterdir()] == []
    built = build_folder(trapped.folder, out, options(tmp_path, allow_damaged=True))
    statuses = [row["audio_status"] for config in ("user_turns_eng", "system_turns_eng") for row in built.rows(config)]
    assert 0 < statuses.count("missing") == built.dataset.findings.count("missing_audio") < len(statuses)
    assert set(statuses) == {"missing", "ok"}
    others = [row["audio_status"] for config in ("user_turns_spa", "system_turns_ara") for row in built.rows(config)]
    assert set(others) == {"ok"}


@pytest.mark.parametrize(
    ("dialogues", "lost", "reported"),
    [
        (10, 19, []),
        (10, 20, ["20 of 20 turns"]),
        (12, 20, ["20 of 24 turns"]),
        (500, 20, []),
        (500, 21, ["21 of 1,000 turns"]),
    ],
)
def test_how_many_lost_recordings_are_many(tmp_path: Path, dialogues: int, lost: int, reported: list[str]) -> None:
    """At least 20, and more than 2%."""
    release = generate_release(dialogues=dialogues, folders=("english",), seconds=(1, 1.01), user_turns=(2, 2))
    names = [*release.audio["english"]]
    release.audio["english"] = {name: lambda: b"RIFF" for name in names[lost:]}
    release.audio["english"] |= {"other_ENG_99999_0.wav": lambda: b"RIFF"}
    release.system_audio["english"] = {}
    write_release(release, tmp_path / "release")
    read = read_release(tmp_path / "release")
    index_recordings(read, AudioPass("flac", False, 1), read.findings)
    assert [one.detail for one in read.findings if one.kind.name == "much_missing_audio"] == reported
