"""Repairs of lighteval's litellm backend: every document asked once, with its own cap, and failures seen as such."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

from metrics.lighteval import ModelAnswer
from tasks.errors import RunError
from tasks.lighteval_fixes.repair import find, replace

logger = logging.getLogger(__name__)

LONGEST_WAIT = 64.0
"""Seconds between two tries at most, as in lighteval."""


def ask_each_document_once() -> None:
    """Replace the method that asks an endpoint.

    Faults (0.13.0): with documents of different generation sizes or stop sequences, all documents are asked once
    for each size, and the answers to the first are kept for all. A request that failed for good (wrong key, no
    connection) counts as an empty answer and is cached. An empty answer is asked a second time. Answers come from a
    cache on disk that does not know the server (`.litellm_cache` in the working directory). Both ``max_tokens``
    and ``max_completion_tokens`` are sent, which OpenAI refuses. How an answer ended is not kept.
    """
    from lighteval.models.endpoints import litellm_model
    from lighteval.tasks.requests import SamplingMethod
    from lighteval.utils import cache_management

    if not _is_installed(litellm_model):
        return
    find(litellm_model.LiteLLMClient, "greedy_until", ("self", "docs"))
    litellm_model.litellm.cache = None
    method: Any = cache_management.cached(SamplingMethod.GENERATIVE)(greedy_until)
    litellm_model.LiteLLMClient.greedy_until = method  # type: ignore[method-assign]


def never_ask_openrouter() -> None:
    """Take lighteval's default for the context of a model that litellm does not know.

    Fault (0.13.0): without ``max_model_length`` an outside site is asked, whatever the endpoint.
    """
    from lighteval.models.endpoints import litellm_model

    if not _is_installed(litellm_model):
        return

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def estimate_context_length(self: Any) -> int:
            default: int = self._DEFAULT_MAX_LENGTH
            logger.warning(f"litellm does not know the context of {self.model}; set max_model_length, now {default}")
            return default

        return estimate_context_length

    replace(litellm_model.LiteLLMClient, "estimate_context_length", ("self",), make)


def greedy_until(self: Any, docs: list[Any]) -> list[ModelAnswer]:
    """Return the endpoint's answers to documents; takes the place of `LiteLLMClient.greedy_until`.

    Raises:
        RunError: If the endpoint refuses a request, or cannot be reached after all tries.
    """
    from tqdm import tqdm

    stop = threading.Event()
    with ThreadPoolExecutor(self.concurrent_requests) as executor:
        try:
            answers = executor.map(lambda doc: ask(self, doc, stop), docs)
            return list(tqdm(answers, total=len(docs), desc="Requests", disable=self.disable_tqdm))
        except BaseException:
            # Else leaving the block would wait for all requests of the list.
            stop.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def ask(client: Any, doc: Any, stop: threading.Event) -> ModelAnswer:
    """Return the answer to one document.

    An answer that the provider's content filter refuses, or a prompt that is longer than the model's context, is
    an empty answer whose finish reason says so.

    Args:
        client: lighteval's `LiteLLMClient`.
        doc: The document.
        stop: Ends the waiting between two tries.

    Raises:
        RunError: If the endpoint refuses the request, or cannot be reached after all tries.
    """
    messages = client.prompt_manager.prepare_prompt_api(doc)
    request = _request(client, doc, messages)
    problem: Exception | None = None
    for attempt in range(client.API_MAX_RETRY):
        wait = client.API_RETRY_SLEEP * client.API_RETRY_MULTIPLIER ** (attempt - 1)
        if attempt and stop.wait(min(LONGEST_WAIT, wait)):
            break
        result = _try(client, request)
        if isinstance(result, ModelAnswer):
            return result
        problem = result
        logger.warning(f"try {attempt + 1} of {client.API_MAX_RETRY} failed: {_first_line(problem)}")
    raise RunError(_failure(client, problem, f"no answer after {client.API_MAX_RETRY} tries")) from problem


def _try(client: Any, request: dict[str, Any]) -> ModelAnswer | Exception:
    """Send a request once; return the answer, or a failure that may pass.

    Raises:
        RunError: If the endpoint refuses the request.
    """
    import litellm

    refusals = (
        litellm.AuthenticationError,
        litellm.BadRequestError,
        litellm.NotFoundError,
        litellm.PermissionDeniedError,
        litellm.UnprocessableEntityError,
    )
    messages = request["messages"]
    try:
        return _answer(litellm.completion(**request), messages)
    except litellm.ContentPolicyViolationError:
        return ModelAnswer(input=messages, text=[""], finish_reasons=["content_filter"])
    except litellm.ContextWindowExceededError:
        return ModelAnswer(input=messages, text=[""], finish_reasons=["prompt_too_long"])
    except refusals as error:
        raise RunError(_failure(client, error, "the request was refused")) from error
    except Exception as error:
        return error


def _request(client: Any, doc: Any, messages: list[dict[str, str]]) -> dict[str, Any]:
    """Return what is sent for one document: one cap, and no cache of litellm's own."""
    if doc.num_samples > 1 and client.generation_parameters.temperature == 0:
        raise RunError("several samples of a document need a temperature above 0")
    settings = client.generation_parameters.to_litellm_dict()
    cap = settings.pop("max_completion_tokens", None) or doc.generation_size
    return {
        "model": client.model,
        "messages": messages,
        "max_tokens": client._prepare_max_new_tokens(cap),
        "logprobs": doc.use_logits if client.provider == "openai" and doc.use_logits else None,
        "stop": client._prepare_stop_sequence(list(doc.stop_sequences or ())) or None,
        "base_url": client.base_url,
        "api_key": client.api_key,
        "n": doc.num_samples,
        "caching": False,
        # `ask` tries again itself.
        "max_retries": 0,
        "timeout": client.timeout,
        **settings,
    }


def _answer(response: Any, messages: list[dict[str, str]]) -> ModelAnswer:
    """Return a response of litellm as lighteval has it, with its length and how it ended."""
    choices = response.choices
    tokens = getattr(getattr(response, "usage", None), "completion_tokens", None)
    return ModelAnswer(
        input=messages,
        text=[choice.message.content or "" for choice in choices],
        reasonings=[getattr(choice.message, "reasoning_content", None) for choice in choices],
        # Usage is counted over all choices; of several the single lengths are unknown.
        output_tokens=[[ModelAnswer.UNKNOWN_TOKEN] * tokens] if tokens and len(choices) == 1 else [],
        finish_reasons=[choice.finish_reason or "" for choice in choices],
    )


def _failure(client: Any, error: Exception | None, what: str) -> str:
    return (
        f"{client.model} at {client.base_url or 'its provider'}: {what}: {_first_line(error)}. "
        "Answers finished before are kept; the same command goes on from there."
    )


def _first_line(error: Exception | None) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:300]


def _is_installed(litellm_model: ModuleType) -> bool:
    """Return whether lighteval's backend was imported with litellm; it puts a mock in its place otherwise."""
    return isinstance(getattr(litellm_model, "litellm", None), ModuleType)


REPAIRS = (ask_each_document_once, never_ask_openrouter)
