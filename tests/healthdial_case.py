"""A small generated release, what an undisturbed build makes of it, and what is compared with it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.healthdial_files import Packing, write_release
from benchmarks.healthdial_generator import GeneratedRelease, generate_release
from healthdial.build import BuildOptions, BuiltDataset, build
from healthdial.release import read_release
from tests.conftest import REPOSITORY

COMMAND = (sys.executable, "-c", "from healthdial.cli import main; main()")
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class Case:
    """A generated release on disk, and what an undisturbed build makes of it.

    Attributes:
        release: What was written.
        folder: Where it lies.
        options: How it is built, in this process.
        expected: The data set's files and their bytes.
    """

    release: GeneratedRelease
    folder: Path
    options: BuildOptions
    expected: dict[str, bytes]

    def build(self, out: Path, **changes: Any) -> BuiltDataset:
        return build(read_release(self.folder), out, replace(self.options, **changes))

    def start(self, out: Path) -> subprocess.Popen[bytes]:
        """Start the command with two workers, in a process group of its own; stderr goes to a file beside ``out``."""
        arguments = [*COMMAND, "build", "--release", self.folder, "--out", out, "--workers", "2"]
        with out.with_suffix(".stderr").open("wb") as stderr:
            return subprocess.Popen(
                [*map(str, arguments), "--speaker-key", str(self.options.speaker_key)],
                cwd=REPOSITORY,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )


def make_case(folder: Path, packing: Packing, folders: tuple[str, ...]) -> Case:
    release = generate_release(dialogues=4, folders=folders, seconds=(1.0, 1.1), user_turns=(2, 2), speakers=2)
    write_release(release, folder / "release", packing=packing)
    options = BuildOptions(workers=1, speaker_key=folder / "key")
    build(read_release(folder / "release"), folder / "undisturbed", options)
    return Case(release, folder / "release", options, snapshot(folder / "undisturbed"))


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, hidden ones too: path -> bytes."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def without(files: dict[str, bytes], folder: str) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if not name.startswith(f"{folder}/")}


def work_of(out: Path) -> Path:
    return out.parent / f".{out.name}-work"


def times(out: Path) -> dict[str, int]:
    return {str(file.relative_to(out)): file.stat().st_mtime_ns for file in out.rglob("*_turns_*/*.parquet")}


def without_readme(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out the card, which shows the plots."""
    return {name: content for name, content in files.items() if name not in ("README.md", "README.text.md")}


def audio_rows(out: Path, config: str) -> list[dict[str, Any]]:
    return [row for file in sorted(out.glob(f"data/{config}/*.parquet")) for row in pq.read_table(file).to_pylist()]


def status_names(out: Path, config: str) -> list[str]:
    from healthdial.audio import AUDIO_STATUSES

    return [AUDIO_STATUSES[row["audio_status"]] for row in audio_rows(out, config)]


def recording_of(case: Case, position: int, turn: int) -> tuple[str, Path]:
    """Return the utterance id of an English user turn and its file in an unpacked release."""
    dialogue = case.release.dialogues["english"][position]
    number = int(dialogue["task_id"].split("_")[1])
    utterance = dialogue["utterance"][2 * turn + 1]
    return f"eng-{number:04d}-u{2 * turn + 1:02d}", case.folder / "english" / "audio" / utterance["audio_name"]
