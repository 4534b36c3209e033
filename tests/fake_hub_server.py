"""The stand-in Hub's HTTP: what arrives is recorded and streamed, and refused or broken off as a test asked for."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.fake_hub_api import LFS_STORAGE, HubApi
from tests.fake_hub_messages import Answer, Request, refusal_answer
from tests.fake_hub_store import RefusedError

PIECE_BYTES = 2**16
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")


class BrokenOffError(ConnectionError):
    """The connection ended within a body, by the client or because a test asked for it."""


@dataclass
class Seen:
    """A request that arrived.

    Attributes:
        method: HTTP method.
        path: Path without the query, unquoted.
        authorization: Authorization header, empty when absent.
        range: Range header, empty when absent.
        received: Bytes of the body that have arrived so far.
    """

    method: str
    path: str
    authorization: str
    range: str
    received: int = 0

    def matches(self, pattern: str) -> bool:
        return re.search(pattern, f"{self.method} {self.path}") is not None


@dataclass
class Fault:
    """Something a test asked for: requests that match, how many still pass, and how many of the next are hit.

    Attributes:
        pattern: Regular expression searched in "METHOD /path".
        times: Matching requests that are hit; None for all.
        after: Matching requests that pass before.
    """

    pattern: str
    times: int | None = 1
    after: int = 0

    def hits(self, seen: Seen) -> bool:
        """Return whether a request is hit, and count it."""
        if self.times == 0 or not seen.matches(self.pattern):
            return False
        if self.after:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


@dataclass
class Refusal(Fault):
    """An answer that is an error."""

    error: RefusedError = field(default_factory=lambda: RefusedError(500, "", "made up"))
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Break(Fault):
    """A connection that ends after so many bytes of a body."""

    at: int = 0


@dataclass
class Traffic:
    """What a test asked of the connections, and what came over them."""

    seen: list[Seen] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    upload_breaks: list[Break] = field(default_factory=list)
    download_breaks: list[Break] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def refusal(self, seen: Seen) -> Refusal | None:
        with self.lock:
            return next((fault for fault in self.refusals if fault.hits(seen)), None)

    def break_at(self, breaks: list[Break], seen: Seen) -> int | None:
        """Return after how many bytes a request's body is to end, or None."""
        with self.lock:
            return next((fault.at for fault in breaks if fault.hits(seen)), None)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    api: HubApi
    traffic: Traffic

    def serve(self) -> None:
        parts = urlsplit(self.path)
        headers = {name: self.headers.get(name, "") for name in ("Authorization", "Range")}
        seen = Seen(self.command, unquote(parts.path), headers["Authorization"], headers["Range"])
        self.traffic.seen.append(seen)
        refusal = self.traffic.refusal(seen)
        body = self._body(seen, None if refusal else self._upload_break(seen))
        try:
            if refusal:
                answer = refusal_answer(refusal.error, refusal.headers)
            else:
                answer = self.api.answer(Request(self.command, parts.path, parts.query, headers, body))
            # An answer before the whole body has arrived would break the connection under the client.
            for _ in body:
                pass
            self._send(answer, seen)
        except BrokenOffError:
            self.close_connection = True

    def _upload_break(self, seen: Seen) -> int | None:
        is_upload = seen.method == "PUT" and seen.path.startswith(LFS_STORAGE)
        return self.traffic.break_at(self.traffic.upload_breaks, seen) if is_upload else None

    def _body(self, seen: Seen, break_at: int | None) -> Iterator[bytes]:
        for length in self._lengths():
            left = length
            while left:
                if seen.received == break_at:
                    raise BrokenOffError
                allowed = left if break_at is None else min(left, break_at - seen.received)
                piece = self.rfile.read(min(PIECE_BYTES, allowed))
                if not piece:
                    raise BrokenOffError
                seen.received += len(piece)
                left -= len(piece)
                yield piece

    def _lengths(self) -> Iterator[int]:
        """Yield the body's length in bytes, or that of each chunk; each is to be read before the next is asked for."""
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            yield int(self.headers.get("Content-Length") or 0)
            return
        while length := int(self.rfile.readline().split(b";")[0], 16):
            yield length
            self.rfile.readline()
        self.rfile.readline()

    def _send(self, answer: Answer, seen: Seen) -> None:
        content = answer.content
        if isinstance(content, bytes):
            self._send_head(answer.status, {**answer.headers, "Content-Length": str(len(content))})
            if self.command != "HEAD":
                self.wfile.write(content)
        else:
            self._send_file(content, answer, seen)

    def _send_file(self, path: Path, answer: Answer, seen: Seen) -> None:
        size = path.stat().st_size
        wanted = requested_range(seen.range, size)
        headers, status, part = dict(answer.headers), answer.status, range(size)
        if wanted is not None:
            place, status = (f"{wanted.start}-{wanted.stop - 1}", 206) if wanted else ("*", 416)
            headers["Content-Range"] = f"bytes {place}/{size}"
            part = wanted
        self._send_head(status, {**headers, "Content-Length": str(len(part))})
        if self.command == "HEAD":
            return
        break_at = self.traffic.break_at(self.traffic.download_breaks, seen)
        left = len(part) if break_at is None else min(len(part), break_at)
        with path.open("rb") as file:
            file.seek(part.start)
            while left:
                piece = file.read(min(PIECE_BYTES, left))
                self.wfile.write(piece)
                left -= len(piece)
        if break_at is not None:
            raise BrokenOffError

    def _send_head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        return


def requested_range(header: str, size: int) -> range | None:
    """Return the bytes that a Range header asks for (empty if outside the file), None if it asks for none."""
    matched = re.fullmatch(r"bytes=(\d*)-(\d*)", header)
    if matched is None or matched[0] == "bytes=-":
        return None
    first, last = matched.groups()
    if not first:
        return range(max(0, size - int(last)), size)
    return range(int(first), min(int(last) + 1, size) if last else size)


class HubServer(ThreadingHTTPServer):
    """Serves an API on a free port of loopback, each connection in a thread of its own."""

    daemon_threads = True

    def __init__(self, api: HubApi, traffic: Traffic) -> None:
        methods = {f"do_{method}": _Handler.serve for method in METHODS}
        handler: Any = type("Handler", (_Handler,), {"api": api, "traffic": traffic, **methods})
        super().__init__(("127.0.0.1", 0), handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients go away as they please; anything else is a fault of the stand-in and is shown.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)
