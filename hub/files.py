"""Write files so that no reader ever sees half of one, and name a failed write."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub.errors import BenchError


def write_atomically(file: Path, content: bytes) -> None:
    """Write a file under a temporary name beside its place, then rename it, so that no reader sees half a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def named_write_errors(out: Path) -> Iterator[None]:
    """Turn a failed write into an error that says where, why and what is still whole."""
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else error.strerror or str(error)
        raise BenchError(
            f"{out}: cannot be written ({reason}). An earlier build there, if any, is still whole; "
            "free space or give another folder with --out, then run the same command again."
        ) from error
