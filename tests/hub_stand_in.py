"""A stand-in on loopback for the part of the Hugging Face Hub that downloads of a data set use."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "1234567890abcdef1234567890abcdef12345678"


@dataclass(frozen=True)
class Refusal:
    """An answer of the Hub that is not the data: HTTP status, and its headers' error code and message."""

    status: int
    code: str = ""
    message: str = "made up"


NOT_FOUND = Refusal(404, "RepoNotFound", "Repository not found")
GATED = Refusal(403, "GatedRepo", "Access to this made-up dataset is restricted")
GATED_WITHOUT_LOGIN = Refusal(401, "GatedRepo", "Access to this made-up dataset is restricted")
BAD_TOKEN = Refusal(401, "", "Invalid credentials in Authorization header")


@dataclass(frozen=True)
class Seen:
    """A request that arrived: method, path, and its Range and Authorization headers (empty when absent)."""

    method: str
    path: str
    range: str
    authorization: str


@dataclass
class HubStandIn:
    """What the stand-in serves, and what it saw.

    Attributes:
        address: Its endpoint.
        repo_id: The only data set it has.
        files: Path -> content; all are of one commit, which the branch ``main`` and the tag ``v1`` name.
        info_refusal: Answer to every question about the repository instead of the data.
        file_refusal: Answer to every request for a file instead of the data, as of a gated repository.
        cuts: Path -> bytes after which the connection breaks, one number for each of the next downloads.
        seen: All requests in the order of arrival.
    """

    address: str
    repo_id: str
    files: dict[str, bytes]
    info_refusal: Refusal | None = None
    file_refusal: Refusal | None = None
    cuts: dict[str, list[int]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)

    def downloads(self, file: str) -> list[Seen]:
        """Return the requests for a file's content, in order."""
        return [seen for seen in self.seen if seen.method == "GET" and seen.path.endswith(f"/{COMMIT}/{file}")]

    def downloaded(self) -> set[str]:
        """Return the paths of all files whose content was asked for."""
        return {file for file in self.files if self.downloads(file)}

    def listing(self) -> list[dict[str, Any]]:
        """Return the files as the Hub's tree does."""
        return [
            {"type": "file", "path": name, "size": len(content), "oid": _object_id(content)}
            for name, content in sorted(self.files.items())
        ]

    def info(self) -> dict[str, Any]:
        """Return what the Hub tells of a data set."""
        siblings = [{"rfilename": entry["path"], "size": entry["size"]} for entry in self.listing()]
        return {"id": self.repo_id, "sha": COMMIT, "private": False, "tags": [], "siblings": siblings}


def _object_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stand_in: HubStandIn

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        headers = (self.headers.get("Range", ""), self.headers.get("Authorization", ""))
        self.stand_in.seen.append(Seen(self.command, path, *headers))
        repo = re.escape(self.stand_in.repo_id)
        api = re.fullmatch(rf"/api/datasets/{repo}(?:/(revision|tree)/([^/]+))?", path)
        file = re.fullmatch(rf"/datasets/{repo}/resolve/([^/]+)/(.+)", path)
        if api:
            self._answer_api(api[1] or "revision", api[2] or "main")
        elif file:
            self._answer_file(file[1], file[2])
        else:
            self._refuse(NOT_FOUND)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _answer_api(self, what: str, revision: str) -> None:
        if self.stand_in.info_refusal:
            self._refuse(self.stand_in.info_refusal)
        elif revision not in ("main", "v1", COMMIT):
            self._refuse(Refusal(404, "RevisionNotFound", f"Invalid rev id: {revision}"))
        else:
            self._send(json.dumps(self.stand_in.listing() if what == "tree" else self.stand_in.info()).encode())

    def _answer_file(self, revision: str, name: str) -> None:
        content = self.stand_in.files.get(name)
        if self.stand_in.file_refusal:
            self._refuse(self.stand_in.file_refusal)
        elif revision != COMMIT or content is None:
            self._refuse(Refusal(404, "EntryNotFound", "Entry not found"))
        else:
            self._send_content(name, content)

    def _send_content(self, name: str, content: bytes) -> None:
        headers = {"ETag": f'"{_object_id(content)}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(wanted[1]) if wanted else 0
        if wanted:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        cuts = self.stand_in.cuts.get(name) if self.command == "GET" else None
        self._send(content[start:], headers, 206 if wanted else 200, cuts.pop(0) if cuts else None)

    def _send(
        self, body: bytes, headers: dict[str, str] | None = None, status: int = 200, cut: int | None = None
    ) -> None:
        self.send_response(status)
        for key, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body[:cut])
        if cut is not None:
            self.close_connection = True

    def _refuse(self, refusal: Refusal) -> None:
        headers = {"X-Error-Message": refusal.message} | ({"X-Error-Code": refusal.code} if refusal.code else {})
        self._send(json.dumps({"error": refusal.message}).encode(), headers, refusal.status)

    def log_message(self, *_: Any) -> None:
        return


@contextmanager
def hub_stand_in(repo_id: str, files: dict[str, bytes]) -> Iterator[HubStandIn]:
    """Serve a data set on a free port while the block runs."""
    handler: Any = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    stand_in = HubStandIn(f"http://127.0.0.1:{server.server_port}", repo_id, dict(files))
    handler.stand_in = stand_in
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
