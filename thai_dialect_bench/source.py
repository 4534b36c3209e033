"""Open a release wherever it lies: a folder, a zip or tar, or an https/file URL to one."""

from __future__ import annotations

import errno
import http.client
import lzma
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from tqdm import tqdm

from thai_dialect_bench.errors import ReleaseError, UnreachableError

REPOSITORY = "mrpeerat/Thai_local_benchmark"
COMMIT = "b5597ba64694e89e159d4b9aa82b51b043f1dcbb"
QA_V1_COMMIT = "066effe"
"""The commit that still holds the QA v1 outputs of the four open models."""

MAX_MEMBER_BYTES = 200_000_000
MAX_ARCHIVE_BYTES = 1_000_000_000
MAX_MEMBERS = 20_000
KEPT_SUFFIXES = (".csv", ".json", ".jsonl", ".pkl", ".py", ".md", ".txt")
MARKERS = ("datasets", "outputs_local")
# What the standard library raises for archives that are cut short, garbled or need a password.
DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)


def archive_url(commit: str = COMMIT) -> str:
    """Return the https address of the authors' repository at a commit, as a zip."""
    return f"https://github.com/{REPOSITORY}/archive/{commit}.zip"


@contextmanager
def open_source(source: str, *, timeout: float = 10.0) -> Iterator[Path]:
    """Yield a folder with the release's files; an archive is unpacked to a temporary folder and removed afterwards.

    Only regular files of kinds that the benchmark reads are unpacked. Nothing in the archive is run.

    Args:
        source: A folder, a zip or tar file, or an https or file URL to such a file (a file URL may name a folder).
        timeout: Seconds to wait for a server's answer.

    Raises:
        UnreachableError: The URL cannot be fetched.
        ReleaseError: The source is missing, not an archive, or unsafe to unpack.
    """
    with tempfile.TemporaryDirectory(prefix="thai-dialect-release-") as temporary:
        folder = Path(temporary)
        try:
            path = _local_copy(source, folder, timeout)
            is_folder, is_file = path.is_dir(), path.is_file()
        except (OSError, ValueError, RuntimeError) as error:
            raise ReleaseError(f"{source}: not a usable path or URL ({error})") from error
        if is_folder:
            yield release_root(path, source)
            return
        if not is_file:
            raise ReleaseError(f"{source}: no such folder, archive or URL")
        unpacked = folder / "unpacked"
        unpacked.mkdir()
        _unpack(path, unpacked, source)
        yield release_root(unpacked, source)


def _local_copy(source: str, folder: Path, timeout: float) -> Path:
    """Return the path of a source on this machine; what is behind an https URL is fetched into ``folder``."""
    parts = urllib.parse.urlsplit(source)
    if parts.scheme == "http":
        raise ReleaseError(f"{source}: plain http can be altered on the way; use https or a local file")
    if parts.scheme == "https":
        return _download(source, folder, timeout)
    if parts.scheme == "file":
        return Path(urllib.request.url2pathname(parts.path))
    return Path(source).expanduser()


def release_root(folder: Path, source: str) -> Path:
    """Return the folder that holds ``datasets/``: the given one, or one inside it (GitHub's archives).

    Args:
        folder: The folder.
        source: What the user gave, for messages.
    """
    if any((folder / marker).is_dir() for marker in MARKERS):
        return folder
    inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")]
    for path in inner:
        if any((path / marker).is_dir() for marker in MARKERS):
            return path
    raise ReleaseError(
        f"{source}: this is not the benchmark's release, it has no folder `datasets`. "
        f"Give a checkout or archive of {REPOSITORY} at commit {COMMIT[:7]}."
    )


def _download(url: str, folder: Path, timeout: float) -> Path:
    """Fetch an https URL to a file in ``folder``, with a progress bar and a size cap."""
    target = folder / "release.archive"
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response, target.open("wb") as stream:
            length = int(response.headers.get("Content-Length") or 0) or None
            with tqdm(total=length, unit="B", unit_scale=True, desc="download") as progress:
                while block := response.read(1 << 16):
                    progress.update(len(block))
                    if progress.n > MAX_ARCHIVE_BYTES:
                        raise ReleaseError(f"{url}: larger than {MAX_ARCHIVE_BYTES:,} bytes; this is not the release")
                    stream.write(block)
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise UnreachableError(f"{url}: cannot be fetched ({reason}); give --release with a local copy") from error
    return target


def _unpack(archive: Path, folder: Path, source: str) -> None:
    """Unpack a zip or tar, member by member, after checking each one's name, kind and size."""
    try:
        if zipfile.is_zipfile(archive):
            _unpack_zip(archive, folder, source)
        elif tarfile.is_tarfile(archive):
            _unpack_tar(archive, folder, source)
        else:
            raise ReleaseError(f"{source}: neither a folder nor a zip nor a tar archive")
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise ReleaseError(f"{source}: no room to unpack it in {folder}; free space or set TMPDIR") from error
        raise ReleaseError(f"{source}: the archive is damaged or encrypted ({error}); fetch it again") from error


def _unpack_zip(archive: Path, folder: Path, source: str) -> None:
    """Unpack a zip; symbolic links are refused."""
    with zipfile.ZipFile(archive) as bundle:
        members = bundle.infolist()
        _check_totals(source, len(members), sum(member.file_size for member in members))
        for member in members:
            if member.is_dir():
                continue
            if (member.external_attr >> 16) & 0o170000 == 0o120000:
                raise ReleaseError(f"{source}: member {member.filename!r} is a link; links are never unpacked")
            target = _checked_target(source, folder, member.filename, member.file_size)
            if target is not None:
                with bundle.open(member) as stream:
                    _copy(stream, target)


def _unpack_tar(archive: Path, folder: Path, source: str) -> None:
    """Unpack a tar of any compression, streamed; links and devices are refused."""
    count = total = 0
    with tarfile.open(archive, "r:*") as bundle:
        for member in bundle:
            count, total = count + 1, total + member.size
            _check_totals(source, count, total)
            if member.isdir():
                continue
            if not member.isfile():
                raise ReleaseError(f"{source}: member {member.name!r} is a link or device; these are never unpacked")
            target = _checked_target(source, folder, member.name, member.size)
            stream = bundle.extractfile(member)
            if target is not None and stream is not None:
                _copy(stream, target)


def _check_totals(source: str, members: int, size: int) -> None:
    """Refuse an archive that would fill the disk."""
    if members > MAX_MEMBERS or size > MAX_ARCHIVE_BYTES:
        raise ReleaseError(f"{source}: {members:,} members of {size:,} bytes or more; this is not the release")


def _checked_target(source: str, folder: Path, name: str, size: int) -> Path | None:
    """Return where a member goes, None for a kind that is not read; raise for a name that leaves the folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name.split("/")[0]:
        raise ReleaseError(f"{source}: member {name!r} would be written outside its folder")
    if path.suffix not in KEPT_SUFFIXES:
        return None
    if size > MAX_MEMBER_BYTES:
        raise ReleaseError(f"{source}: member {name!r} has {size:,} bytes; this is not the release")
    return folder / path


def _copy(stream: IO[bytes], target: Path) -> None:
    """Write a member to its place, never over an existing file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as output:
        shutil.copyfileobj(stream, output, 1 << 20)


@contextmanager
def qa_v1_outputs_folder(release: Path, given: str | None) -> Iterator[Path | None]:
    """Yield the folder of the open models' QA v1 outputs; None where it cannot be had.

    Args:
        release: The release's folder, whose ``history_qa_v1`` is taken if it is there.
        given: A folder, archive or URL that holds ``outputs_local`` of commit 066effe, or that folder itself.

    Raises:
        ReleaseError: What was given cannot be opened.
    """
    bundled = release / "history_qa_v1" / "outputs_local"
    if given is None and bundled.is_dir():
        yield bundled
        return
    if given is not None and (folder := Path(given)).is_dir() and any(folder.glob("qa_*.csv")):
        yield folder
        return
    with ExitStack() as stack:
        try:
            root = stack.enter_context(open_source(given or archive_url(QA_V1_COMMIT)))
        except ReleaseError:
            if given is not None:
                raise
            yield None
            return
        yield root / "outputs_local"
