"""The repairs of lighteval's litellm backend, against an endpoint of this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import RunError
from tasks.lighteval_fixes.response_cache import SAVE_EVERY_VARIABLE
from tests.openai_stub import OpenAIStub, openai_stub
from tests.stand_ins import document


@pytest.fixture
def stub() -> Iterator[OpenAIStub]:
    with openai_stub() as stub:
        yield stub


def client(stub: OpenAIStub, cache: Path, **settings: Any) -> Any:
    # Imported here: it must come after the repairs, which keep its import from the network.
    from lighteval.models.endpoints.litellm_model import LiteLLMClient, LiteLLMModelConfig

    defaults = {"api_max_retry": 3, "api_retry_sleep": 0.0, "provider": "openai", "api_key": "x"}
    config = LiteLLMModelConfig(
        model_name="openai/made-up", base_url=stub.address, cache_dir=str(cache), **{**defaults, **settings}
    )
    return LiteLLMClient(config)


def stored(cache: Path) -> int:
    return sum(len(file.read_text().splitlines()) for file in cache.rglob("answers.jsonl"))


def test_each_document_is_asked_once_with_its_own_cap(stub: OpenAIStub, tmp_path: Path) -> None:
    docs = [document("a", generation_size=5), document("b CUT", generation_size=7), document("c EMPTY")]
    found = client(stub, tmp_path).greedy_until(docs)
    assert [answer.text for answer in found] == [["ตอบ a"], ["ตอบ b CUT"], [""]]
    assert [answer.finish_reasons for answer in found] == [["stop"], ["length"], ["stop"]]
    assert [answer.output_tokens for answer in found] == [[[-1, -1]], [[-1] * 7], [[-1, -1]]]
    sent = {request["messages"][0]["content"]: request for request in stub.requests}
    assert len(stub.requests) == 3
    assert [sent[doc.query]["max_tokens"] for doc in docs] == [5, 7, 8]
    assert all("max_completion_tokens" not in request for request in stub.requests)
    assert sent["a"]["temperature"] == 0


def test_an_endpoint_is_not_asked_again(stub: OpenAIStub, tmp_path: Path) -> None:
    first = client(stub, tmp_path).greedy_until([document("a")])
    assert client(stub, tmp_path).greedy_until([document("a")]) == first
    assert len(stub.requests) == 1


def test_no_answer_comes_from_a_cache_of_litellm(stub: OpenAIStub, tmp_path: Path) -> None:
    client(stub, tmp_path).greedy_until([document("a")])
    client(stub, tmp_path / "fresh").greedy_until([document("a")])
    assert len(stub.requests) == 2


def test_the_arguments_cap_is_sent(stub: OpenAIStub, tmp_path: Path) -> None:
    settings = {"max_new_tokens": 3, "seed": 42, "temperature": 0.5}
    client(stub, tmp_path, generation_parameters=settings).greedy_until([document("a")])
    (request,) = stub.requests
    assert (request["max_tokens"], request["seed"], request["temperature"]) == (3, 42, 0.5)


def test_a_passing_failure_is_tried_again(stub: OpenAIStub, tmp_path: Path) -> None:
    stub.failures = [500, 429]
    (answer,) = client(stub, tmp_path).greedy_until([document("a")])
    assert answer.text == ["ตอบ a"]
    assert len(stub.requests) == 3


def test_a_lasting_failure_ends_the_run_and_is_not_kept(
    stub: OpenAIStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SAVE_EVERY_VARIABLE, "1")
    model = client(stub, tmp_path, concurrent_requests=1)
    model.greedy_until([document("longer than a")])
    stub.failures = [500] * 1000
    with pytest.raises(RunError, match=r"no answer after 3 tries: .*Answers finished before are kept"):
        model.greedy_until([document("longer than a"), document("a")])
    assert len(stub.requests) == 1 + 3
    assert stored(tmp_path) == 1
    stub.failures.clear()
    assert [answer.text for answer in model.greedy_until([document("a")])] == [["ตอบ a"]]


def test_a_refused_key_ends_the_run_at_once(stub: OpenAIStub, tmp_path: Path) -> None:
    stub.failures = [401] * 1000
    with pytest.raises(RunError, match="the request was refused: AuthenticationError"):
        client(stub, tmp_path, api_retry_sleep=60).greedy_until([document("a")])
    assert len(stub.requests) == 1
    assert stored(tmp_path) == 0


@pytest.mark.parametrize(
    ("message", "code", "reason"),
    [
        ("Your request was rejected as a result of the safety system", "x", "content_filter"),
        ("This model's maximum context length is 5 tokens", "context_length_exceeded", "prompt_too_long"),
    ],
)
def test_a_refused_document_is_an_empty_answer_with_a_reason(
    stub: OpenAIStub, tmp_path: Path, message: str, code: str, reason: str
) -> None:
    stub.failures = [400]
    stub.error = {"message": message, "type": "invalid_request_error", "code": code}
    refused, answered = client(stub, tmp_path, concurrent_requests=1).greedy_until([document("aa"), document("b")])
    assert (refused.text, refused.finish_reasons) == ([""], [reason])
    assert answered.text == ["ตอบ b"]


def test_openrouter_is_not_asked(stub: OpenAIStub, tmp_path: Path) -> None:
    assert client(stub, tmp_path).max_length == 4096
    assert client(stub, tmp_path, max_model_length=77).max_length == 77


def test_litellm_keeps_no_answers_of_its_own() -> None:
    import litellm

    assert litellm.cache is None


def test_waiting_between_tries_can_be_ended(stub: OpenAIStub, tmp_path: Path) -> None:
    from tasks.lighteval_fixes.litellm_backend import ask

    stop = threading.Event()
    stop.set()
    stub.failures = [500] * 1000
    with pytest.raises(RunError):
        ask(client(stub, tmp_path, api_max_retry=100, api_retry_sleep=60), document("a"), stop)
    assert len(stub.requests) == 1
