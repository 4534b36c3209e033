"""The requests and answers of the stand-in Hub, apart from how they travel."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from tests.fake_hub_store import RefusedError


@dataclass(frozen=True)
class Request:
    """A request: its path as sent (still quoted), its query, and its body in pieces, which can be read once."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: Iterator[bytes]

    def content(self) -> bytes:
        return b"".join(self.body)

    def json(self) -> dict[str, Any]:
        return json.loads(self.content() or b"{}")

    def is_asked(self, name: str) -> bool:
        return parse_qs(self.query).get(name, [""])[-1].lower() in ("true", "1")


@dataclass(frozen=True)
class Answer:
    """An answer: its content is bytes, or a stored file of which a Range may be sent."""

    content: bytes | Path = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(value: Any, status: int = 200) -> Answer:
    return Answer(json.dumps(value, default=str).encode(), status, {"Content-Type": "application/json"})


def refusal_answer(error: RefusedError, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an error as the Hub's clients expect it: the message in the body and, with a code, in headers."""
    named = {"X-Error-Code": error.code} if error.code else {}
    told = {"X-Error-Message": error.message, **named, **(headers or {})}
    answer = json_answer({"error": error.message}, error.status)
    return Answer(answer.content, answer.status, {**answer.headers, **told})
