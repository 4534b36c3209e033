"""The bytes of an archive: unpacked, packed, where its members end; and how the package reads it."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from healthdial.archives import ArchiveIndex, ArchiveTask, read_archive


def tar_bytes(archive: Path) -> bytes:
    return gzip.decompress(archive.read_bytes())


def member_ends(content: bytes) -> list[int]:
    """Return where each member of a tar ends, padding and all."""
    with tarfile.open(fileobj=io.BytesIO(content)) as bundle:
        return [member.offset_data + -(-member.size // 512) * 512 for member in bundle]


def zipped(content: bytes) -> bytes:
    return gzip.compress(content, 1, mtime=0)


def read(archive: Path, work: Path) -> ArchiveIndex:
    return read_archive(ArchiveTask(archive, work / "spool", work / "index.json", "wav", checks=True))
