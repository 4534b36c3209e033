"""The stand-in Hub's repositories: commits, branches and tags in memory, the content of files in a folder."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Literal

Kind = Literal["model", "dataset", "space"]
Gate = Literal["auto", "manual", False]

FIRST_MOMENT = datetime(2026, 1, 1, tzinfo=timezone.utc)
LFS_SUFFIXES = (".parquet", ".arrow", ".bin", ".zip", ".gz", ".wav", ".flac", ".mp3", ".png", ".jpg")
ATTRIBUTES = "".join(f"*{suffix} filter=lfs diff=lfs merge=lfs -text\n" for suffix in LFS_SUFFIXES).encode()
LARGEST_REGULAR_BYTES = 10 * 2**20


class RefusedError(Exception):
    """The Hub says no: HTTP status, and the error code and message that its headers carry."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Blob:
    """Stored content: SHA-256 in hex, and size in bytes."""

    sha256: str
    size: int


class BlobStore:
    """Content of files by its SHA-256, one file each in a folder; never held in memory."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    def path(self, sha256: str) -> Path:
        return self.folder / sha256

    def find(self, sha256: str) -> Blob | None:
        path = self.path(sha256)
        return Blob(sha256, path.stat().st_size) if path.is_file() else None

    def receive(self, pieces: Iterable[bytes], expected: str | None = None) -> Blob:
        """Store content as it arrives; nothing is left of it when it breaks off or is not the expected one."""
        digest = hashlib.sha256()
        with NamedTemporaryFile(dir=self.folder, prefix="incoming-", delete=False) as file:
            incoming = Path(file.name)
            try:
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
            except BaseException:
                incoming.unlink()
                raise
        sha256 = digest.hexdigest()
        if expected not in (None, sha256):
            incoming.unlink()
            raise RefusedError(422, "", "the uploaded content is not the announced one")
        return Blob(sha256, incoming.replace(self.path(sha256)).stat().st_size)


@dataclass(frozen=True)
class StoredFile:
    """A file of a commit: its content, its git object's id (of the pointer for LFS), and whether it is in LFS."""

    blob: Blob
    object_id: str
    is_lfs: bool

    @property
    def etag(self) -> str:
        return self.blob.sha256 if self.is_lfs else self.object_id


def git_object_id(content: bytes, kind: str = "blob") -> str:
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).hexdigest()


def lfs_file(blob: Blob) -> StoredFile:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{blob.sha256}\nsize {blob.size}\n"
    return StoredFile(blob, git_object_id(pointer.encode()), is_lfs=True)


def is_lfs_path(path: str, size: int, sample: bytes) -> bool:
    """Return whether the Hub takes a file into LFS: by its name, its size in bytes, or its first bytes."""
    return path.lower().endswith(LFS_SUFFIXES) or size > LARGEST_REGULAR_BYTES or b"\0" in sample


@dataclass(frozen=True)
class Commit:
    """All files of a revision by their path, and where it stands in the history."""

    id: str
    parent: str | None
    title: str
    message: str
    date: datetime
    files: Mapping[str, StoredFile]


@dataclass
class Repository:
    """A repository without merges; branches and tags name commits by their id."""

    kind: Kind
    id: str
    private: bool = False
    gated: Gate = False
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def owner(self) -> str:
        return self.id.split("/")[0]

    def resolve(self, revision: str) -> Commit:
        """Return the commit that a branch, a tag or a commit's own id names."""
        commit_id = self.branches.get(revision) or self.tags.get(revision) or revision
        if commit_id not in self.commits:
            raise RefusedError(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return self.commits[commit_id]

    def head(self, branch: str) -> Commit:
        if branch not in self.branches:
            raise RefusedError(404, "RevisionNotFound", f"Invalid branch: {branch}")
        return self.commits[self.branches[branch]]

    def add_commit(
        self, branch: str, files: Mapping[str, StoredFile], title: str, message: str = "", *, is_first: bool = False
    ) -> Commit:
        """Put a commit on a branch; a first one has no parent and may start the branch."""
        parent = None if is_first else self.head(branch).id
        number = len(self.commits)
        identity = f"{self.kind} {self.id} {number} {parent} {title}".encode()
        date = FIRST_MOMENT + timedelta(seconds=number)
        commit = Commit(git_object_id(identity, "commit"), parent, title, message, date, dict(files))
        self.commits[commit.id] = commit
        self.branches[branch] = commit.id
        return commit

    def history(self, commit: Commit) -> Iterator[Commit]:
        """Yield a commit and those before it, the newest first."""
        yield commit
        while commit.parent is not None:
            commit = self.commits[commit.parent]
            yield commit


@dataclass
class Store:
    """All repositories by kind and id, which one of each kind may share; hold the lock to change one."""

    blobs: BlobStore
    repositories: dict[tuple[str, str], Repository] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def regular_file(self, content: bytes) -> StoredFile:
        return StoredFile(self.blobs.receive([content]), git_object_id(content), is_lfs=False)

    def file(self, path: str, content: bytes) -> StoredFile:
        """Store a file the way the Hub would take it, in LFS or not."""
        stored = self.regular_file(content)
        return lfs_file(stored.blob) if is_lfs_path(path, len(content), content[:512]) else stored

    def create(self, repository: Repository) -> Repository:
        """Add a repository with the Hub's own first commit."""
        with self.lock:
            if (repository.kind, repository.id) in self.repositories:
                raise RefusedError(409, "", f"You already created this {repository.kind} repo: {repository.id}")
            files = {".gitattributes": self.regular_file(ATTRIBUTES)}
            repository.add_commit("main", files, "initial commit", is_first=True)
            self.repositories[repository.kind, repository.id] = repository
        return repository
