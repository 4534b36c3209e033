"""Read recordings out of a tar part in one pass: members checked, processed, and spooled in their final form."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from healthdial.audio import AudioFormat, ProcessedAudio, process_audio
from healthdial.recording_names import AUDIO_SUFFIXES
from hub.errors import ReleaseError
from hub.files import write_atomically

if TYPE_CHECKING:
    from typing_extensions import Self

MAX_MEMBER_BYTES = 256 << 20
"""Largest recording that is read: 120 s of 48 kHz float stereo is 46 MB."""
MAX_EXTENSION_BYTES = 1 << 20
"""Largest extended header (long names, pax records) that is read; ``tarfile`` would read any length into memory."""
_EXTENSION_TYPES = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_GZIP_MAGIC = b"\x1f\x8b"
_DAMAGE = (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile, ValueError)


@dataclass(frozen=True)
class ArchiveMember:
    """One recording of an archive.

    Attributes:
        base_name: Its base name; starts with an account id, so it stays local.
        raw_sha256: SHA-256 of its bytes in the archive.
        processed: What became of it, without its content.
        offset: Where its content starts in the spool.
        length: Length of its content in the spool, in bytes.
    """

    base_name: str = field(repr=False)
    raw_sha256: str
    processed: ProcessedAudio
    offset: int
    length: int


@dataclass
class ArchiveIndex:
    """What an archive holds.

    Attributes:
        members: Recordings in the archive's order.
        nested: Recordings inside folders.
        junk: Members that are not recordings.
        unsafe: Members that were refused, by reason.
        damage: Why reading stopped early, or None.
    """

    members: list[ArchiveMember] = field(default_factory=list)
    nested: int = 0
    junk: int = 0
    unsafe: dict[str, int] = field(default_factory=dict)
    damage: str | None = None


@dataclass(frozen=True)
class ArchiveTask:
    """One archive to read.

    Attributes:
        archive: The tar part.
        spool: File for the processed recordings, end to end; None to keep nothing (audit).
        index: File for the index of a finished spool; a task whose index exists is not done again.
        audio_format: Format of the spooled recordings.
        checks: Look for silence and clipping, and hash the samples.
    """

    archive: Path
    spool: Path | None
    index: Path | None
    audio_format: AudioFormat
    checks: bool


def read_archive(task: ArchiveTask) -> ArchiveIndex:
    """Read one archive; a damaged end leaves what came before it.

    Args:
        task: What to read, and where to spool.

    Raises:
        ReleaseError: The disk does not give the archive.
        OSError: The spool cannot be written.
    """
    if task.index is not None and task.index.is_file():
        return load_index(task.index)
    found = ArchiveIndex()
    with ExitStack() as stack:
        spool = stack.enter_context(task.spool.open("wb")) if task.spool else None
        try:
            for base_name, content in _recordings(task.archive, found):
                found.members.append(_processed_member(base_name, content, task, spool, found.members))
        except _DAMAGE as error:
            found.damage = f"after {len(found.members)} recordings: {type(error).__name__}"
    if task.index is not None:
        write_atomically(task.index, json.dumps(asdict(found)).encode("utf-8"))
    return found


def load_index(file: Path) -> ArchiveIndex:
    """Return the index that ``read_archive`` wrote."""
    value: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    members = [
        ArchiveMember(**{**member, "processed": processed_from_json(member["processed"])})
        for member in value.pop("members")
    ]
    return ArchiveIndex(members, **value)


def processed_from_json(value: dict[str, Any]) -> ProcessedAudio:
    """Return the ``ProcessedAudio`` of ``dataclasses.asdict`` after a trip through JSON."""
    return ProcessedAudio(**{**value, "faults": tuple(value["faults"]), "details": tuple(value["details"])})


def _processed_member(
    base_name: str, content: bytes, task: ArchiveTask, spool: IO[bytes] | None, before: list[ArchiveMember]
) -> ArchiveMember:
    """Process one recording and append it to the spool."""
    processed = process_audio(
        content,
        audio_format=task.audio_format,
        checks=task.checks,
        expected_container=Path(base_name).suffix.lower().removeprefix("."),
    )
    stored = processed.content or b""
    if spool is not None:
        spool.write(stored)
    offset = before[-1].offset + before[-1].length if before else 0
    digest = hashlib.sha256(content).hexdigest()
    return ArchiveMember(base_name, digest, replace(processed, content=None), offset, len(stored))


class _EndIsAnError(io.RawIOBase):
    """A stream for ``tarfile``, which never reads a whole archive past its end, but a cut one perhaps for hours."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        """Return some bytes; raise ``EOFError`` where there are none."""
        content = self._stream.read(size)
        if not content:
            raise EOFError
        return content


class _StrictTarInfo(tarfile.TarInfo):
    """A member's header; ``tarfile`` takes a damaged one for the archive's end, this class does not."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Return the header in a block.

        Raises:
            tarfile.ReadError: It is neither a header nor the block of zeros that ends an archive.
        """
        try:
            member = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                raise
            raise tarfile.ReadError(str(error)) from None
        if member.size < 0 or (member.type in _EXTENSION_TYPES and member.size > MAX_EXTENSION_BYTES):
            raise tarfile.ReadError("a size that cannot be")
        return member


def _recordings(archive: Path, found: ArchiveIndex) -> Iterator[tuple[str, bytes]]:
    """Yield (base name, bytes) of the recordings in an archive, read as a stream; count everything else."""
    try:
        yield from _streamed_recordings(archive, found)
    except gzip.BadGzipFile:
        raise
    except OSError as error:
        raise ReleaseError(
            f"{archive}: cannot be read ({error.strerror or type(error).__name__}). Repair it or fetch it again, then "
            "run the same command again: what is finished is kept."
        ) from error


def _streamed_recordings(archive: Path, found: ArchiveIndex) -> Iterator[tuple[str, bytes]]:
    with _opened(archive) as stream:
        with tarfile.open(fileobj=_EndIsAnError(stream), mode="r|", tarinfo=_StrictTarInfo) as bundle:
            for member in bundle:
                path = PurePosixPath(member.name)
                refusal = _refusal(member, path)
                if refusal:
                    found.unsafe[refusal] = found.unsafe.get(refusal, 0) + 1
                elif not member.isdir() and (path.name.startswith(".") or path.suffix.lower() not in AUDIO_SUFFIXES):
                    found.junk += 1
                elif not member.isdir():
                    found.nested += len(path.parts) > 1
                    extracted = bundle.extractfile(member)
                    assert extracted is not None
                    yield path.name, extracted.read()
        # Only the end of the gzip stream tells whether all of it is there and whole.
        while stream.read(1 << 20):
            pass


@contextmanager
def _opened(archive: Path) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Yield the tar's bytes, uncompressed where it is a gzip, whatever its name says."""
    with archive.open("rb") as raw:
        is_gzip = raw.read(2) == _GZIP_MAGIC
        raw.seek(0)
        if not is_gzip:
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as stream:
            yield stream


def _refusal(member: tarfile.TarInfo, path: PurePosixPath) -> str | None:
    """Return why a member is never read, or None."""
    if path.is_absolute() or ".." in path.parts or "\\" in member.name:
        return "a path out of the archive"
    if not (member.isfile() or member.isdir()):
        return "a link or device"
    if member.size > MAX_MEMBER_BYTES:
        return f"larger than {MAX_MEMBER_BYTES >> 20} MiB"
    return None
