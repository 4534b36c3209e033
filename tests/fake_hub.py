"""A stand-in on loopback for the part of the Hugging Face Hub that uploads and downloads of a data set use.

`FakeHub` is what a test holds. The work is done in the sister modules: repositories in `fake_hub_store`, rights in
`fake_hub_access`, answers in `fake_hub_api`, `fake_hub_commits`, `fake_hub_forms` and `fake_hub_messages`, connections
in `fake_hub_server`. `fake_hub_fixtures` has a fixture that points this process's clients at it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.fake_hub_access import Account, Role
from tests.fake_hub_api import HubApi
from tests.fake_hub_server import Break, HubServer, Refusal, Seen, Traffic
from tests.fake_hub_store import BlobStore, Gate, Kind, RefusedError, Repository, Store

TOKEN = "hf_madeUpWriteToken"
USER = "some-one"
ORGANIZATION = "made-up"


@dataclass
class FakeHub:
    """A Hub that runs.

    Attributes:
        address: Its endpoint.
        folder: Its own folder, with the content of files and the caches of the clients that use it.
        store: Its repositories.
        accounts: Token -> its owner; at first one that may write to its own namespace and to an organisation.
        traffic: The requests, and the faults that a test asked for.
        token: The token of ``account``.
    """

    address: str
    folder: Path
    store: Store
    accounts: dict[str, Account]
    traffic: Traffic = field(default_factory=Traffic)
    token: str = TOKEN

    @property
    def account(self) -> Account:
        """The owner of ``token``; set its role or organisations to change what the token may do."""
        return self.accounts[self.token]

    @property
    def seen(self) -> list[Seen]:
        """All requests in the order of arrival."""
        return self.traffic.seen

    def requests(self, pattern: str) -> list[Seen]:
        """Return the requests whose "METHOD /path" a regular expression is found in."""
        return [seen for seen in self.seen if seen.matches(pattern)]

    def refuse(
        self,
        pattern: str,
        status: int,
        code: str = "",
        times: int | None = 1,
        headers: Mapping[str, str] | None = None,
        *,
        message: str = "made up",
        after: int = 0,
    ) -> None:
        """Answer the next matching requests with an error.

        Args:
            pattern: Regular expression searched in "METHOD /path", the path unquoted and without its query.
            status: HTTP status.
            code: Error code, such as "GatedRepo" or "RepoNotFound"; empty for none.
            times: How many are refused; None for all.
            headers: More headers, such as Retry-After in seconds.
            message: What the client is told.
            after: How many matching requests still pass before.
        """
        error = RefusedError(status, code, message)
        self.traffic.refusals.append(Refusal(pattern, times, after, error, headers or {}))

    def break_upload_after(self, count: int, times: int | None = 1, pattern: str = "") -> None:
        """Cut the connection after so many bytes of the next uploads to LFS; None for all of them."""
        self.traffic.upload_breaks.append(Break(pattern, times, at=count))

    def break_download_after(self, count: int, pattern: str = "", times: int | None = 1) -> None:
        """Cut the connection after so many bytes of the next files that are asked for; None for all of them."""
        self.traffic.download_breaks.append(Break(pattern, times, at=count))

    def recover(self) -> None:
        """End all faults that were asked for."""
        for faults in (self.traffic.refusals, self.traffic.upload_breaks, self.traffic.download_breaks):
            faults.clear()

    def add_account(self, token: str, name: str, role: Role = "write", organizations: tuple[str, ...] = ()) -> Account:
        """Let another token be known, and return its owner."""
        self.accounts[token] = Account(name, role, organizations)
        return self.accounts[token]

    def add_repository(
        self,
        repo_id: str,
        files: Mapping[str, bytes] | None = None,
        *,
        kind: Kind = "dataset",
        private: bool = False,
        gated: Gate = False,
        tags: Iterable[str] = (),
    ) -> Repository:
        """Make a repository, with the given files and tags if there are any, and return it."""
        repository = self.store.create(Repository(kind, repo_id, private, gated))
        if files:
            self.commit(repo_id, files, kind=kind)
        repository.tags.update(dict.fromkeys(tags, repository.head("main").id))
        return repository

    def repository(self, repo_id: str, kind: Kind = "dataset") -> Repository:
        return self.store.repositories[kind, repo_id]

    def commit(
        self, repo_id: str, files: Mapping[str, bytes], delete: Iterable[str] = (), *, kind: Kind = "dataset"
    ) -> str:
        """Change the main branch as another writer would, and return the commit's id."""
        repository = self.repository(repo_id, kind)
        with self.store.lock:
            gone = set(delete)
            kept = {path: file for path, file in repository.head("main").files.items() if path not in gone}
            new = {path: self.store.file(path, content) for path, content in files.items()}
            return repository.add_commit("main", {**kept, **new}, "made up").id

    def head(self, repo_id: str, kind: Kind = "dataset") -> str:
        """Return the id of the main branch's commit."""
        return self.repository(repo_id, kind).head("main").id

    def files(self, repo_id: str, revision: str = "main", kind: Kind = "dataset") -> dict[str, bytes]:
        """Return the paths and the content of a revision's files."""
        files = self.repository(repo_id, kind).resolve(revision).files
        return {path: self.store.blobs.path(file.blob.sha256).read_bytes() for path, file in files.items()}

    def environment(self) -> dict[str, str]:
        """Return the environment variables with which a process uses this Hub, and caches of its own."""
        return {
            "HF_ENDPOINT": self.address,
            "HF_TOKEN": self.token,
            "HF_HOME": str(self.folder / "hf_home"),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            # datasets counts downloads at an address outside.
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        }


@contextmanager
def fake_hub(folder: Path) -> Iterator[FakeHub]:
    """Serve a Hub without repositories on a free port while the block runs; a folder keeps its files' content."""
    store = Store(BlobStore(folder / "blobs"))
    accounts = {TOKEN: Account(USER, organizations=(ORGANIZATION,))}
    api, traffic = HubApi(store, accounts), Traffic()
    server = HubServer(api, traffic)
    api.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield FakeHub(api.address, folder, store, accounts, traffic)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
