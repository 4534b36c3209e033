"""Whether files that are pushed, or that the Hub holds, have recordings in them: by their rows, not by their card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from hub.errors import BenchError
from hub.publish_errors import call, named_errors

if TYPE_CHECKING:
    import pyarrow.parquet as pq
    from huggingface_hub import HfApi

    from hub.publish_plan import Plan

ROWS_AT_ONCE = 16
"""Rows of recordings that are read together: a recording may have megabytes."""
READ_BYTES = 64 * 2**10
"""Bytes that are asked for together of a file on the Hub."""
_BINARY = ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")


def files_with_recordings(files: Iterable[Path]) -> list[Path]:
    """Return the Parquet files with recordings among files; one that is no whole Parquet is left to the check."""
    import pyarrow as pa

    def has_recordings(file: Path) -> bool:
        try:
            return holds_recordings(file)
        except (pa.ArrowException, OSError):
            return False

    return [file for file in files if file.suffix == ".parquet" and has_recordings(file)]


def holds_recordings(source: Path | BinaryIO) -> bool:
    """Return whether a Parquet file has a value in a column of bytes, at any depth, as ``audio.bytes``.

    A data set built without audio has the column too, all null. Our builds write no statistics of such a column, so
    its rows are read, up to the first value.

    Args:
        source: A Parquet file.

    Raises:
        pyarrow.ArrowException: The file is cut or no Parquet.
        OSError: It cannot be read.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(source, buffer_size=READ_BYTES, pre_buffer=False) as opened:
        columns = list(_binary_columns(opened))
        if not columns:
            return False
        return any(
            _holds_bytes(row)
            for batch in opened.iter_batches(ROWS_AT_ONCE, columns=columns, use_threads=False)
            for row in batch.to_pylist()
        )


def require_no_recordings_by_mistake(
    plan: Plan, *, with_recordings: bool, is_sample: bool, shown: Path | None = None
) -> None:
    """Raise `BenchError` if files of a plan hold recordings that nobody asked to push, or that no gate would guard.

    Args:
        plan: The plan, whose very files are looked at.
        with_recordings: Whether recordings are meant to be pushed.
        is_sample: Whether they are the bundled sample's, which need no gate.
        shown: The folder that the message names; default: the file's own path.
    """
    files = {file.file: file.path for file in (*plan.new, *plan.changed, *plan.same)}
    found = files_with_recordings(files)
    if not found:
        return
    first = shown / files[found[0]] if shown else found[0]
    if not with_recordings:
        raise BenchError(
            f"{first}: holds recordings, which are never pushed among texts; nothing was sent: build again"
        )
    if plan.publication.gate is None and not is_sample:
        raise BenchError(f"{first}: holds recordings, which are pushed behind a gate only; nothing was sent")


def recordings_on_hub(plan: Plan, api: HfApi, paths: Iterable[str]) -> bool:
    """Return whether one of these files of the planned head holds recordings.

    Args:
        plan: The plan.
        api: The client that made it.
        paths: Paths of Parquet files there; they are read in this order up to the first with recordings, of each not
            more than its footer and its columns of bytes.

    Raises:
        BenchError: The Hub refuses, or a file there is no whole Parquet.
        UnreachableError: The Hub cannot be reached or stays broken.
    """
    import pyarrow as pa
    from huggingface_hub import HfFileSystem

    head = plan.repository.head if plan.repository else None
    system = HfFileSystem(endpoint=api.endpoint, token=api.token, skip_instance_cache=True)

    def has_recordings(path: str) -> bool:
        address = f"datasets/{plan.publication.repo_id}/{path}"
        try:
            with system.open(address, revision=head, block_size=READ_BYTES) as stream:
                return holds_recordings(stream)
        except pa.ArrowException:
            raise BenchError(
                f"{plan.page}: {path} there is no whole Parquet file, so whether it holds recordings is not known; "
                "remove it there, or give another repository"
            ) from None

    with named_errors(plan.page):
        return any(call("looking for recordings there", partial(has_recordings, path)) for path in paths)


def _binary_columns(opened: pq.ParquetFile) -> Iterator[str]:
    """Yield the paths of the columns of bytes that are neither text nor a number."""
    schema = opened.schema
    for number in range(len(schema.names)):
        column = schema.column(number)
        if column.physical_type in _BINARY and column.logical_type.type == "NONE":
            yield column.path


def _holds_bytes(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_bytes(inner) for inner in value.values())
    if isinstance(value, list):
        return any(_holds_bytes(inner) for inner in value)
    return value is not None
