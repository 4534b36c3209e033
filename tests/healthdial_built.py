"""Built HealthDial data sets for tests: how to make one of a generated release, and how to read it back."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from benchmarks.healthdial_files import write_json
from benchmarks.healthdial_generator import GeneratedRelease, generate_release
from benchmarks.healthdial_records import system_file_name
from benchmarks.healthdial_signal import HEADER_BYTES, SAMPLE_RATE, Clip
from benchmarks.healthdial_text import LANGUAGES as GENERATED
from healthdial.audit import Audit
from healthdial.build import BuildOptions, BuiltDataset, build
from healthdial.languages import LANGUAGES
from healthdial.release import ReadOptions, read_release
from healthdial.schema import SPLITS, columns_of
from tests.healthdial_traps import TrappedRelease

Row = dict[str, Any]

DIALOGUES = 10
ONE_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000"
    "000a49444154789c636000000002000148afa4710000000049454e44ae426082"
)
"""A PNG."""
SPLIT_ENDS = (0, 4, 6, DIALOGUES)
"""Where the splits of the clean release start and end."""


def options(folder: Path, **changes: Any) -> BuildOptions:
    """Return build options for tests: one process, everything published, the key in ``folder``."""
    return BuildOptions(**{"workers": 1, "k": 1, "speaker_key": folder / "speaker.key", **changes})


@dataclass(frozen=True)
class Built:
    """A built data set, with its rows read back from the Parquet files."""

    dataset: BuiltDataset
    _rows: dict[str, list[Row]] = field(default_factory=dict, repr=False)

    @property
    def folder(self) -> Path:
        return self.dataset.folder

    @property
    def configs(self) -> list[str]:
        return [config.name for config in self.dataset.configs]

    def files_of(self, config: str) -> list[Path]:
        """Return a config's Parquet files in the card's order."""
        found = next(one for one in self.dataset.configs if one.name == config)
        return [self.folder / file for split in found.splits for file in split.files]

    def rows(self, config: str) -> list[Row]:
        """Return all rows in file order, classes by name."""
        if config not in self._rows:
            import pyarrow.parquet as pq

            classes = {name: kind for name, kind in columns_of(config).items() if isinstance(kind, tuple)}
            rows = [row for file in self.files_of(config) for row in pq.read_table(file).to_pylist()]
            for row in rows:
                row |= {name: kind[row[name]] for name, kind in classes.items() if row[name] is not None}
            self._rows[config] = rows
        return self._rows[config]

    def of_dialogue(self, config: str, number: int) -> list[Row]:
        """Return the rows of one dialogue by turn."""
        rows = [row for row in self.rows(config) if row["dialogue_number"] == number]
        return sorted(rows, key=lambda row: row.get("turn_index", 0))


@dataclass(frozen=True)
class CleanRelease:
    """A release without faults, written both ways, and the data set built from its folders.

    Attributes:
        release: What was written.
        folder: The release with unpacked recordings.
        archives: The same release in archives.
        built: The data set, in a folder named ``healthdial``.
        key_folder: Where its speaker key lies.
    """

    release: GeneratedRelease
    folder: Path
    archives: Path
    built: Built
    key_folder: Path


@dataclass(frozen=True)
class TrappedBuild:
    """A release with every trap that combines, what was built from it, and its audit."""

    trapped: TrappedRelease
    built: Built
    audit: Audit


def clean_release() -> GeneratedRelease:
    """Return a release of 10 dialogues a language; the first clip of each split and kind lasts exactly 1 s."""
    release = generate_release(dialogues=DIALOGUES, speakers=8, seconds=(1.05, 1.25), user_turns=(2, 3))
    for folder, dialogues in release.dialogues.items():
        for start in SPLIT_ENDS[:-1]:
            first = dialogues[start]
            user_name = first["utterance"][1]["audio_name"]
            release.audio[folder][user_name] = Clip(1, 1000, SAMPLE_RATE)
            release.system_audio[folder][system_file_name(first["task_id"], 0)] = Clip(0, 1000, SAMPLE_RATE)
    return release


def write_splits(release: GeneratedRelease, folder: Path, ends: tuple[int, ...] = SPLIT_ENDS) -> None:
    """Write ``splits.json``: train, validation and test by position."""
    splits = {}
    for name, dialogues in release.dialogues.items():
        code = GENERATED[name].iso
        ids = [f"{code}-{int(one['task_id'].split('_')[1]):04d}" for one in dialogues]
        parts = zip(SPLITS, ends[:-1], ends[1:], strict=True)
        splits[code] = {split: ids[start:end] for split, start, end in parts}
    write_json(folder / "splits.json", splits)


def build_folder(release: Path, out: Path, build_options: BuildOptions, read: ReadOptions | None = None) -> Built:
    """Build the release of a folder."""
    return Built(build(read_release(release, read), out, build_options))


def no_drawing(statistics: Any, rows: Mapping[str, Mapping[str, list[Row]]], given_up: Any) -> dict[str, bytes]:
    """Stand in for ``healthdial.plots.draw_plots``: files of its names, each of one pixel."""
    own = [row for config, splits in rows.items() if "turns_" in config for part in splits.values() for row in part]
    names = ["words.png", *(["durations.png"] if any(row.get("duration_s") for row in own) else [])]
    return dict.fromkeys(names, ONE_PIXEL)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder: relative path -> bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def decoded(row: Row) -> npt.NDArray[np.int16]:
    """Return the samples of a row's audio, shape (n,); it must be 16 kHz, mono, 16 bit."""
    info = soundfile.info(io.BytesIO(row["audio"]["bytes"]))
    assert (info.samplerate, info.channels, info.subtype) == (SAMPLE_RATE, 1, "PCM_16")
    samples, _ = soundfile.read(io.BytesIO(row["audio"]["bytes"]), dtype="int16")
    return np.asarray(samples)


def released(release: GeneratedRelease, row: Row) -> npt.NDArray[np.int16]:
    """Return the samples that a clean release has for a row, shape (n,)."""
    language = LANGUAGES[row["language"]]
    task_id = f"{language.release_code}_{row['dialogue_number']}"
    if "user_turn" in row:
        files, ending = release.audio[language.folder], f"_{task_id}_{row['user_turn']}.wav"
    else:
        files, ending = release.system_audio[language.folder], f"_{task_id}_{row['system_turn']}.wav"
    name = next(name for name in files if name.endswith(ending))
    return np.frombuffer(files[name]()[HEADER_BYTES:], dtype="<i2")


def smallest_groups(rows: list[Row], columns: tuple[str, ...]) -> dict[str, int]:
    """Return language -> fewest speakers that share a combination of values, of combinations that say anything."""
    speakers = {
        (row["language"], row["speaker_id"], tuple(row[column] for column in columns))
        for row in rows
        if row["speaker_id"] is not None
    }
    counts = Counter((language, values) for language, _, values in speakers if any(values))
    return {
        language: min(count for (of, _), count in counts.items() if of == language)
        for language in {language for language, _ in counts}
    }
