"""The first rows of a split as the Hub's dataset viewer shows them: how many, and how its cells are cut."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.card import Card
from hub.faults import Fault, split_place
from hub.footers import Footers, read_footer
from hub.parquet_check import audio_columns

if TYPE_CHECKING:
    from datasets import Features

MAX_ROWS = 100
MIN_ROWS = 10
"""Rows that are kept however large they are."""
MAX_BYTES = 200_000
"""Size of the viewer's answer above which it leaves out rows, then cuts cells (production, August 2026)."""
CELL_BYTES = 100
"""JSON bytes to which a cell is cut."""
MAX_BYTES_AFTER_CUTTING = 1_000_000
"""Size of the answer that must not be reached even so."""
ASSET_URL = "https://datasets-server.huggingface.co/cached-assets/".ljust(600, "x")
"""Stands for the signed URL of a recording, whose length counts; 600 characters are an estimate."""

_AUDIO_STARTS = (
    *((b"RIFF", "audio/wav"), (b"fLaC", "audio/flac"), (b"OggS", "audio/ogg"), (b"ID3", "audio/mpeg")),
    (b"\xff", "audio/mpeg"),
)


@dataclass(frozen=True)
class AudioCell:
    """A recording in a cell, which the viewer shows as a player and never cuts.

    Attributes:
        content: The file's bytes.
        media_type: Such as ``audio/flac``; ``application/octet-stream`` if the content is none that is played as is.
    """

    content: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True)
class FirstRow:
    """A row as the viewer shows it.

    Attributes:
        index: Position in the split.
        cells: Column -> value; the start of its JSON text if it was cut.
        cut: Columns that were cut.
    """

    index: int
    cells: dict[str, Any]
    cut: tuple[str, ...] = ()


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a split.

    Attributes:
        config: Name of the config.
        split: Name of the split.
        features: Columns in the viewer's order; a ClassLabel's cells are numbers, as in the files.
        rows: 100 at most.
        truncated: Whether rows of the split are left out.
        bytes: Size of the viewer's answer in JSON, without line breaks and spaces.
        features_bytes: How much of it the columns take; the viewer refuses more than 200,000.
    """

    config: str
    split: str
    features: Features
    rows: tuple[FirstRow, ...]
    truncated: bool
    bytes: int
    features_bytes: int


def first_rows(files: Sequence[Path], config: str, split: str = "train") -> FirstRows:
    """Return the first rows of a split as the viewer shows them.

    The rules are those of dataset-viewer (libcommon, viewer_utils/truncate_rows.py at 1c7d73d): of the first 100
    rows, the last are left out until the answer has less than 200,000 bytes or 10 rows are left; then the cells of
    the last row, of the one before it and so on are cut to 100 bytes of JSON until it has. Recordings are not cut.

    Args:
        files: Parquet files of the split in order; at least one.
        config: Name of the config; its length counts, that is all.
        split: Name of the split; the same.

    Raises:
        pyarrow.ArrowException: A file is no whole Parquet.
        OSError: A file cannot be read.
    """
    from datasets import Features

    footer = read_footer(files[0])
    features = footer.features or Features.from_arrow_schema(footer.schema)
    names = audio_columns(features)
    raw = list(_read_rows(files, MAX_ROWS + 1))
    rows = [{name: _audio_cell(row[name]) if name in names else row[name] for name in row} for row in raw[:MAX_ROWS]]
    columns = [
        {"feature_idx": number, "name": name, "type": kind} for number, (name, kind) in enumerate(_kinds(features))
    ]
    answer = {"dataset": "org/name", "config": config, "split": split, "features": columns, "rows": []}
    features_bytes = _size({**answer, "truncated": False})
    kept = _fit(rows, names, MAX_BYTES - features_bytes)
    return FirstRows(
        config=config,
        split=split,
        features=features,
        rows=tuple(kept),
        truncated=len(kept) < len(raw),
        bytes=features_bytes + sum(_row_size(row) + 1 for row in kept),
        features_bytes=features_bytes,
    )


def check_first_rows(card: Card, footers: Footers) -> Iterator[Fault]:
    """Yield splits whose first rows the viewer cannot show, by reading these rows only.

    Args:
        card: The card.
        footers: Footers of its files; splits with unreadable files are passed over.
    """
    import pyarrow as pa

    for config in card.configs:
        for split in config.splits:
            files = card.files_of(config, split)
            if not files or any(file not in footers.read for file in files):
                continue
            place = split_place(config.name, split)
            try:
                found = first_rows(files, config.name, split)
            except (pa.ArrowException, OSError):
                yield Fault("unreadable_rows", place, "the first rows cannot be read. Build the data set again.")
                continue
            if found.features_bytes > MAX_BYTES:
                yield Fault(
                    "features_bytes",
                    place,
                    f"the columns alone take {found.features_bytes:,} bytes of the viewer's {MAX_BYTES:,} "
                    "(TooBigContentError). Have fewer columns or shorter names and lists of classes.",
                )
            elif found.bytes >= MAX_BYTES_AFTER_CUTTING:
                yield Fault(
                    "first_rows_bytes",
                    place,
                    f"the first rows take {found.bytes:,} bytes after the viewer's cutting; they must stay under "
                    f"{MAX_BYTES_AFTER_CUTTING:,}. Have fewer columns.",
                )


def _read_rows(files: Sequence[Path], count: int) -> Iterator[dict[str, Any]]:
    """Yield the first rows of files that follow each other, reading no more than a batch beyond them."""
    import pyarrow.parquet as pq

    left = count
    for file in files:
        with pq.ParquetFile(file) as opened:
            for batch in opened.iter_batches(batch_size=max(left, 1)):
                if left <= 0:
                    return
                rows = batch.slice(0, left).to_pylist()
                left -= len(rows)
                yield from rows


def _fit(rows: list[dict[str, Any]], whole_columns: Sequence[str], limit: int) -> list[FirstRow]:
    """Return the rows that stay, cut where 10 rows are too large."""
    kept = [FirstRow(index, row) for index, row in enumerate(rows[:MIN_ROWS])]
    size = 2 + sum(_row_size(row) + 1 for row in kept)
    if size >= limit:
        for position in reversed(range(len(kept))):
            if size < limit:
                break
            before = _row_size(kept[position])
            kept[position] = _cut(kept[position], whole_columns)
            size += _row_size(kept[position]) - before
        return kept
    for index, cells in enumerate(rows[MIN_ROWS:], MIN_ROWS):
        row = FirstRow(index, cells)
        size += _row_size(row) + 1
        if size >= limit:
            break
        kept.append(row)
    return kept


def _cut(row: FirstRow, whole_columns: Sequence[str]) -> FirstRow:
    """Return a row whose cells are cut to ``CELL_BYTES`` of JSON, never within a character."""
    cells, cut = dict(row.cells), []
    for name, value in row.cells.items():
        text = _json(value)
        if name not in whole_columns and len(text) > CELL_BYTES:
            cells[name] = text[:CELL_BYTES].decode("utf-8", "ignore")
            cut.append(name)
    return FirstRow(row.index, cells, tuple(cut))


def _row_size(row: FirstRow) -> int:
    return _size({"row_idx": row.index, "row": row.cells, "truncated_cells": list(row.cut)})


def _size(value: Any) -> int:
    return len(_json(value))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_as_json).encode("utf-8", "replace")


def _as_json(value: Any) -> Any:
    """Return what JSON lacks as the viewer writes it."""
    if isinstance(value, AudioCell):
        return [{"src": ASSET_URL, "type": value.media_type}]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value)


def _audio_cell(value: dict[str, Any] | None) -> AudioCell | None:
    """Return the recording of a cell; None for a cell without one."""
    content = (value or {}).get("bytes")
    if not content:
        return None
    kinds = (kind for start, kind in _AUDIO_STARTS if content.startswith(start))
    return AudioCell(content, next(kinds, "application/octet-stream"))


def _kinds(features: Features) -> Iterator[tuple[str, Any]]:
    yield from features.to_dict().items()
