"""A stand-in for an OpenAI-compatible endpoint: it answers by rule and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class OpenAIStub:
    """What the endpoint does and what it saw.

    Attributes:
        address: Base URL for a client.
        requests: Bodies of all requests, in the order of arrival.
        empty: A prompt with this text gets an empty answer.
        cut: A prompt with this text gets an answer that the cap ended.
        failures: HTTP statuses of the next requests; afterwards they succeed again.
        error: Body of a failure.
    """

    address: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    empty: str = "EMPTY"
    cut: str = "CUT"
    failures: list[int] = field(default_factory=list)
    error: dict[str, Any] = field(default_factory=lambda: {"message": "made up", "type": "made_up", "code": "x"})

    def prompts(self) -> list[str]:
        """Return the prompts of all requests."""
        return [request["messages"][-1]["content"] for request in self.requests]

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return status and body of the answer to a request."""
        self.requests.append(request)
        if self.failures:
            return self.failures.pop(0), {"error": self.error}
        prompt = request["messages"][-1]["content"]
        is_cut = self.cut in prompt
        return 200, {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": "" if self.empty in prompt else f"ตอบ {prompt}"},
                    "finish_reason": "length" if is_cut else "stop",
                }
            ],
            "usage": {"prompt_tokens": 5, "completion_tokens": request["max_tokens"] if is_cut else 2},
        }


@contextmanager
def openai_stub() -> Iterator[OpenAIStub]:
    """Serve a stub on a free port while the block runs."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                status, answer = stub.answer(body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    stub = OpenAIStub(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
