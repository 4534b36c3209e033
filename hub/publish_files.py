"""Files on both sides of a push: those to publish, read once for their checksums, and those that the Hub holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hub.errors import BenchError

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, HfApi

KEPT_BYTES = 256 * 2**10
"""Largest file that stays in memory from its checksum until it is sent."""
LARGEST_REGULAR_BYTES = 10 * 2**20
"""Largest file that the Hub keeps outside LFS."""


@dataclass(frozen=True)
class RemoteFile:
    """A file in a revision on the Hub.

    Attributes:
        path: Path in the repository.
        size: Bytes.
        object_id: Id of its git object; for a file in LFS that of the pointer.
        sha256: SHA-256 of its content in hex for a file in LFS; None for others.
    """

    path: str
    size: int
    object_id: str
    sha256: str | None


@dataclass(frozen=True)
class FileState:
    """What tells without reading it whether a file was written since."""

    size: int
    modified: int
    inode: int

    @classmethod
    def of(cls, file: Path) -> FileState:
        """Return the state as it is now."""
        status = file.stat()
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)


@dataclass(frozen=True)
class LocalFile:
    """A file to publish.

    Attributes:
        path: Path in the repository.
        file: The file.
        state: Its state when its checksum was taken.
        sha256: SHA-256 of its content, in hex.
        is_held: Whether its content is kept in memory until it is sent.
        addition: The client's operation that adds it, with the content if it is held.
    """

    path: str
    file: Path
    state: FileState
    sha256: str
    is_held: bool
    addition: CommitOperationAdd = field(repr=False, compare=False)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.state.size

    def is_content_of(self, remote: RemoteFile | None) -> bool:
        """Return whether a file on the Hub has this content."""
        if remote is None or remote.size != self.size:
            return False
        if remote.sha256 is not None:
            return remote.sha256 == self.sha256
        kept = self.addition.path_or_fileobj
        content = kept if self.is_held and isinstance(kept, bytes) else self.file.read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest() == remote.object_id

    def require_unchanged(self) -> None:
        """Raise `BenchError` if the file was written since its checksum was taken and is yet to be read."""
        if not self.is_held:
            self.require_as_read()

    def require_as_read(self) -> None:
        """Raise `BenchError` if the file was written since its checksum was taken."""
        try:
            unchanged = FileState.of(self.file) == self.state
        except OSError:
            unchanged = False
        if not unchanged:
            raise _changed(self.file)


def read_local_file(path: str, file: Path, remote: RemoteFile | None) -> LocalFile:
    """Read a file for its checksum, once.

    ``CommitOperationAdd.upload_info`` looks at the first 512 bytes and takes the SHA-256 when it is first asked for
    (``huggingface_hub`` 1.33), so it is asked for here, and kept for the upload. Small files, and files that the Hub
    keeps outside LFS, are read into memory: their bytes are needed for a git object's id too, and are then sent.

    Args:
        path: Path in the repository.
        file: The file.
        remote: What the Hub has at that path.

    Raises:
        BenchError: The file cannot be read, or is being written.
    """
    from huggingface_hub import CommitOperationAdd

    try:
        state = FileState.of(file)
        is_regular = remote is not None and remote.sha256 is None and state.size <= LARGEST_REGULAR_BYTES
        is_held = state.size <= KEPT_BYTES or is_regular
        addition = CommitOperationAdd(path, file.read_bytes() if is_held else file)
        sha256 = addition.upload_info.sha256.hex()
        is_steady = FileState.of(file) == state
    except OSError as error:
        raise BenchError(f"{file}: cannot be read ({error.strerror}); build the data set again") from error
    if not is_steady:
        raise _changed(file)
    return LocalFile(path, file, state, sha256, is_held, addition)


def remote_files(api: HfApi, repo_id: str, revision: str) -> dict[str, RemoteFile]:
    """Return the files of a data set's revision by their path."""
    from huggingface_hub import RepoFile

    tree = api.list_repo_tree(repo_id, repo_type="dataset", revision=revision, recursive=True)
    listed: Iterable[RepoFile] = (entry for entry in tree if isinstance(entry, RepoFile))
    return {
        entry.path: RemoteFile(entry.path, entry.size, entry.blob_id, entry.lfs.sha256 if entry.lfs else None)
        for entry in listed
    }


def are_content_of(local: Iterable[LocalFile], remote: Mapping[str, RemoteFile]) -> bool:
    """Return whether a revision holds all of these files with their content."""
    return all(file.is_content_of(remote.get(file.path)) for file in local)


def _changed(file: Path) -> BenchError:
    return BenchError(
        f"{file}: was changed since its checksum was taken; nothing more is sent: let the build finish, then run the "
        "command again, which checks it again"
    )
