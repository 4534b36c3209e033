"""Read what the footers of Parquet files say: rows, schema, features, row groups, ranges of integers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from datasets import Features

FEATURES_KEY = b"huggingface"
"""Key of the file's metadata under which ``datasets`` writes the features."""


@dataclass(frozen=True)
class RowGroup:
    """A row group.

    Attributes:
        rows: Number of rows.
        compressed_bytes: Size of its column chunks in the file.
        columns_without_index: Paths of the columns whose page index is missing or incomplete.
    """

    rows: int
    compressed_bytes: int
    columns_without_index: tuple[str, ...]


@dataclass(frozen=True)
class Footer:
    """The footer of a Parquet file.

    Attributes:
        rows: Number of rows.
        file_bytes: Size of the file.
        schema: Columns as Arrow types, without metadata.
        features: The features that ``datasets`` wrote into the file; None without any that it can read.
        row_groups: Row groups in order.
        ranges: Top-level integer column -> smallest and largest value; without columns whose statistics lack them.
    """

    rows: int
    file_bytes: int
    schema: pa.Schema
    features: Features | None
    row_groups: tuple[RowGroup, ...]
    ranges: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Footers:
    """The footers of a data set.

    Attributes:
        read: File -> its footer.
        unreadable: Files that are no whole Parquet.
    """

    read: dict[Path, Footer] = field(default_factory=dict)
    unreadable: tuple[Path, ...] = ()


def read_footers(files: Iterable[Path]) -> Footers:
    """Read the footers of Parquet files, no rows."""
    found = {file: _footer_or_none(file) for file in files}
    return Footers(
        {file: footer for file, footer in found.items() if footer is not None},
        tuple(file for file, footer in found.items() if footer is None),
    )


def _footer_or_none(file: Path) -> Footer | None:
    import pyarrow as pa

    try:
        return read_footer(file)
    except (pa.ArrowException, OSError):
        return None


def read_footer(file: Path) -> Footer:
    """Read the footer of a Parquet file.

    Raises:
        pyarrow.ArrowException: The file is cut or no Parquet.
        OSError: It cannot be read.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as opened:
        metadata, schema = opened.metadata, opened.schema_arrow
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    return Footer(
        rows=metadata.num_rows,
        file_bytes=file.stat().st_size,
        schema=schema.remove_metadata(),
        features=_features(metadata.metadata or {}),
        row_groups=tuple(_row_group(group) for group in groups),
        ranges=_ranges(groups, schema),
    )


def _features(metadata: dict[bytes, bytes]) -> Features | None:
    """Return the features of a file's metadata."""
    from datasets import Features

    try:
        return Features.from_dict(json.loads(metadata[FEATURES_KEY])["info"]["features"])
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def _row_group(group: pq.RowGroupMetaData) -> RowGroup:
    chunks = [group.column(number) for number in range(group.num_columns)]
    return RowGroup(
        rows=group.num_rows,
        compressed_bytes=sum(chunk.total_compressed_size for chunk in chunks),
        columns_without_index=tuple(chunk.path_in_schema for chunk in chunks if not _has_page_index(chunk)),
    )


def _has_page_index(chunk: pq.ColumnChunkMetaData) -> bool:
    """Return whether a column chunk has an offset index, and a column index if it has a smallest and largest value.

    Audio has no such values, and pyarrow writes none of long texts either.
    """
    statistics = chunk.statistics
    has_values = statistics is not None and statistics.has_min_max
    return bool(chunk.has_offset_index and (chunk.has_column_index or not has_values))


def _ranges(groups: list[pq.RowGroupMetaData], schema: pa.Schema) -> dict[str, tuple[int, int]]:
    """Return the range of every top-level integer column, from the statistics of all row groups."""
    import pyarrow as pa

    integers = {column.name for column in schema if pa.types.is_integer(column.type)}
    found: dict[str, list[Any]] = {name: [] for name in integers}
    for group in groups:
        for number in range(group.num_columns):
            chunk = group.column(number)
            if chunk.path_in_schema in integers:
                found[chunk.path_in_schema].append(chunk.statistics)
    return {name: _range(statistics) for name, statistics in found.items() if _all_known(statistics)}


def _all_known(statistics: list[Any]) -> bool:
    """Return whether no row group may hold a value outside the statistics, and at least one holds a value."""
    known = [one is not None and (one.has_min_max or one.num_values == 0) for one in statistics]
    return all(known) and any(one.has_min_max for one in statistics)


def _range(statistics: list[Any]) -> tuple[int, int]:
    with_values = [one for one in statistics if one.has_min_max]
    return min(one.min for one in with_values), max(one.max for one in with_values)
