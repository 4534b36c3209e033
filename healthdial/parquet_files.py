"""Write Parquet as the Hub's viewer wants it: small row groups, a page index, names that carry the content's hash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

import xxhash

if TYPE_CHECKING:
    import pyarrow as pa

AUDIO_BYTES = "audio.bytes"
PAGE_ROWS = 4
"""Rows after which a page of audio may end; pyarrow looks at the page's size only so often."""


@dataclass(frozen=True)
class WrittenFile:
    """A Parquet file.

    Attributes:
        file: Relative to the data set's folder, with forward slashes.
        rows: Number of rows.
        file_bytes: Its size.
        table_bytes: Size of its rows as Arrow tables.
    """

    file: str
    rows: int
    file_bytes: int
    table_bytes: int


class HashedFile:
    """A file opened for writing that hashes what goes through it; the least that ``pyarrow`` needs."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = xxhash.xxh3_128()
        self.size = 0
        self.closed = False

    def write(self, content: Any) -> int:
        """Write and hash a buffer; a closed file takes none, since ``pyarrow`` ends an abandoned file much later."""
        if self.closed:
            return len(content)
        self._file.write(content)
        self._hash.update(content)
        self.size += len(content)
        return len(content)

    def tell(self) -> int:
        """Return the position."""
        return self.size

    def flush(self) -> None:
        """Flush the file."""
        self._file.flush()

    def close(self) -> None:
        """Close the file; a full disk may show only here."""
        if not self.closed:
            self.closed = True
            self._file.close()

    def hexdigest(self) -> str:
        """Return 16 hex digits of the content's XXH3."""
        return self._hash.hexdigest()[:16]


class ParquetFile:
    """One Parquet file in the making: written under a temporary name, renamed to carry its content's hash.

    Args:
        folder: The data set's folder.
        stem: Path without hash and suffix, such as ``data/user_turns_eng/test-00000``.
        schema: Columns.
    """

    def __init__(self, folder: Path, stem: str, schema: pa.Schema) -> None:
        import pyarrow.parquet as pq

        self._folder, self._stem = folder, stem
        place = folder / stem
        self._temporary = place.with_name(f".{place.name}.tmp")
        self._temporary.parent.mkdir(parents=True, exist_ok=True)
        self._sink = HashedFile(self._temporary.open("wb"))
        self._rows = self._table_bytes = 0
        text = [path for path in _column_paths(schema) if path != AUDIO_BYTES]
        self._writer = pq.ParquetWriter(
            self._sink,
            schema,
            # FLAC cannot be pressed further and WAV hardly: only texts are compressed, indexed and given statistics.
            compression=dict.fromkeys(text, "zstd"),
            use_dictionary=text,
            write_statistics=text,
            write_page_index=True,
            write_batch_size=PAGE_ROWS if "audio" in schema.names else 50,
        )

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._sink.size

    def write(self, table: pa.Table) -> None:
        """Write a table as one row group."""
        self._writer.write_table(table, row_group_size=max(len(table), 1))
        self._rows += len(table)
        self._table_bytes += table.nbytes

    def finish(self) -> WrittenFile:
        """Complete the file and give it its name."""
        self._writer.close()
        self._sink.close()
        file = f"{self._stem}-{self._sink.hexdigest()}.parquet"
        self._temporary.replace(self._folder / file)
        return WrittenFile(file, self._rows, self._sink.size, self._table_bytes)

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what was not finished."""
        try:
            self._sink.close()
        finally:
            self._temporary.unlink(missing_ok=True)


def write_table(folder: Path, stem: str, table: pa.Table, row_group: int) -> WrittenFile:
    """Write a whole table.

    Args:
        folder: The data set's folder.
        stem: As for ``ParquetFile``.
        table: At least one row.
        row_group: Rows in a row group.
    """
    with ParquetFile(folder, stem, table.schema) as file:
        for start in range(0, len(table), row_group):
            file.write(table.slice(start, row_group))
        return file.finish()


def _column_paths(schema: pa.Schema) -> Sequence[str]:
    """Return the paths of the leaf columns as Parquet names them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), sink)
    columns = pq.ParquetFile(pa.BufferReader(sink.getvalue())).schema
    return [columns.column(number).path for number in range(len(columns))]
