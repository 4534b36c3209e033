"""Check every recording of a built data set: it decodes, has the rate of its column, and carries nothing else."""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.audio_containers import foreign_parts, md5_of_samples
from hub.card import Card
from hub.content_check import Positions
from hub.faults import Fault, config_place, path_place, split_place
from hub.footers import Footers
from hub.parquet_check import audio_columns

if TYPE_CHECKING:
    from datasets import Audio, Features
    from tqdm import tqdm

BATCH_ROWS = 32
"""Recordings in memory at once: under 125 MB of clips of 120 s."""
BLOCK_FRAMES = 2**16
_BARE_NAME = re.compile(r"(?!\.{1,2}$)[^/\\:\0]+")

_MESSAGES = {
    "audio_undecodable": "soundfile cannot decode it to its end",
    "audio_sample_rate": "another sampling rate or number of channels than the column's",
    "audio_metadata": "the file holds more than its samples (tags or other chunks), which may be personal",
    "audio_path": "`path` is no bare file name, so it may show where it lay on a machine",
    "audio_without_bytes": "`path` without bytes: a file that is on your machine only",
}


@dataclass(frozen=True)
class _Clip:
    """What was found in a recording.

    Attributes:
        kinds: Keys of ``_MESSAGES``.
        seconds: Length; None if there is no recording or it does not decode.
    """

    kinds: tuple[str, ...] = ()
    seconds: float | None = None


def check_audio(card: Card, footers: Footers, workers: int | None = None) -> Iterator[Fault]:
    """Yield a fault for each column of a split and each kind of fault of its recordings, by decoding all of them.

    Kinds: ``audio_nested`` (the viewer plays top-level columns only), ``audio_undecodable``, ``audio_sample_rate``,
    ``audio_metadata``, ``audio_path``, ``audio_without_bytes``, and, as a warning, ``audio_first_clip``: the viewer
    (August 2026) has no statistics of a split whose first clip lasts a whole number of seconds and a later one does
    not. Rows count from 0 within the split.

    Args:
        card: The card.
        footers: Footers of its files; unreadable files are passed over.
        workers: Threads that decode; default: one for each core.
    """
    from tqdm import tqdm

    audio = {file: footer for file, footer in footers.read.items() if audio_columns(footer.features)}
    size = sum(group.compressed_bytes for footer in audio.values() for group in footer.row_groups)
    with (
        ThreadPoolExecutor(workers or _cores()) as pool,
        tqdm(total=size, desc="recordings", unit="B", unit_scale=True, disable=not size) as bar,
    ):
        for config in card.configs:
            files = {split: card.files_of(config, split) for split in config.splits}
            yield from _check_nesting(config.name, files, footers)
            for split, found in files.items():
                check = _SplitCheck(pool, bar)
                for file in (file for file in found if file in audio):
                    yield from check.read(card.folder, file, audio[file].features)
                yield from check.faults(split_place(config.name, split))


def check_clip(content: bytes, feature: Audio) -> _Clip:
    """Decode a recording in blocks and look for all that is more than samples.

    Args:
        content: A file.
        feature: The column's type.
    """
    import numpy as np
    import soundfile

    if not content:
        return _Clip(("audio_undecodable",))
    kinds = ["audio_metadata"] if foreign_parts(content) else []
    digest, frames = hashlib.md5(usedforsecurity=False), 0
    try:
        with soundfile.SoundFile(io.BytesIO(content)) as file:
            rate, channels, expected = file.samplerate, file.channels, file.frames
            for block in file.blocks(BLOCK_FRAMES, dtype="int16"):
                frames += len(block)
                digest.update(np.ascontiguousarray(block, "<i2").data)
    except (soundfile.SoundFileError, ValueError):
        return _Clip(("audio_undecodable", *kinds))
    md5 = md5_of_samples(content)
    if not frames or frames != expected or (md5 is not None and md5 != digest.digest()):
        kinds.insert(0, "audio_undecodable")
    if feature.sampling_rate not in (None, rate) or feature.num_channels not in (None, channels):
        kinds.append("audio_sample_rate")
    return _Clip(tuple(kinds), frames / rate)


def _check_nesting(config: str, files: Mapping[str, list[Path]], footers: Footers) -> Iterator[Fault]:
    """Yield columns of a config with recordings inside lists or records."""
    features = [footers.read[file].features for found in files.values() for file in found if file in footers.read]
    for name in sorted({name for one in features for name in _nested_audio(one)}):
        message = f"column {name} holds Audio inside a list or record; the viewer plays top-level columns only."
        yield Fault("audio_nested", config_place(config), f"{message} Give the recordings a column of their own.")


def _nested_audio(features: Features | None) -> list[str]:
    from datasets import Audio

    return [name for name, kind in (features or {}).items() if not isinstance(kind, Audio) and "Audio(" in repr(kind)]


@dataclass
class _SplitCheck:
    """Collects what was found in the recordings of one split.

    Attributes:
        pool: Threads that decode.
        bar: Counts compressed bytes.
        rows: Rows read before the present row group.
        found: (column, kind) -> rows.
        first: Column -> length of its first clip in seconds.
        fractional: Columns of which a clip does not last a whole number of seconds.
    """

    pool: ThreadPoolExecutor
    bar: tqdm[Any]
    rows: int = 0
    found: dict[tuple[str, str], Positions] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    fractional: set[str] = field(default_factory=set)

    def read(self, folder: Path, file: Path, features: Any) -> Iterator[Fault]:
        """Decode the recordings of a file; yields only whether it cannot be read."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = audio_columns(features)
        try:
            # A buffer makes pyarrow read a column in pieces instead of a whole row group's part of it.
            with pq.ParquetFile(file, buffer_size=2**20) as opened:
                for number in range(opened.num_row_groups):
                    before = self.rows
                    for batch in opened.iter_batches(BATCH_ROWS, row_groups=[number], columns=columns):
                        for name in columns:
                            self._add(name, batch.column(name).to_pylist(), features[name])
                        self.rows += len(batch)
                    group = opened.metadata.row_group(number)
                    self.rows = before + group.num_rows
                    self.bar.update(sum(group.column(n).total_compressed_size for n in range(group.num_columns)))
        except (pa.ArrowException, OSError):
            yield Fault("unreadable_rows", path_place(folder, file), "its recordings cannot be read. Build again.")

    def faults(self, place: str) -> Iterator[Fault]:
        """Yield what was found."""
        for (column, kind), positions in sorted(self.found.items()):
            where = f"{positions.told('row')}, column {column}"
            yield Fault(kind, place, f"{where}: {_MESSAGES[kind]}. Build again.")
        for column in sorted(self.fractional):
            if self.first[column].is_integer():
                message = (
                    f"column {column}: the first clip lasts a whole number of seconds and later ones do not, which "
                    "removes the viewer's statistics. Put another row first."
                )
                yield Fault("audio_first_clip", place, message, is_warning=True)

    def _add(self, column: str, values: list[dict[str, Any] | None], feature: Audio) -> None:
        for offset, clip in enumerate(self.pool.map(partial(_check_value, feature=feature), values)):
            for kind in clip.kinds:
                self.found.setdefault((column, kind), Positions()).add(self.rows + offset)
            if clip.seconds is not None:
                self.first.setdefault(column, clip.seconds)
                if not clip.seconds.is_integer():
                    self.fractional.add(column)


def _check_value(value: dict[str, Any] | None, feature: Audio) -> _Clip:
    """Check a cell; one without a recording has no fault."""
    content, path = (value or {}).get("bytes"), (value or {}).get("path")
    kinds = () if path is None or _BARE_NAME.fullmatch(path) else ("audio_path",)
    if content is None:
        return _Clip(kinds + (() if path is None else ("audio_without_bytes",)))
    clip = check_clip(content, feature)
    return _Clip(kinds + clip.kinds, clip.seconds)


def _cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
