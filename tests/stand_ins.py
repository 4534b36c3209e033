"""Stand-ins for lighteval's objects: a model that counts what it is asked, and documents."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from tasks.lighteval_fixes import apply
from tasks.lighteval_fixes.response_cache import cached

apply()


def document(query: str, **fields: Any) -> Doc:
    """Return a document as the pipeline has it."""
    settings: dict[str, Any] = {"choices": [""], "gold_index": 0, "task_name": "t|0", "generation_size": 8}
    return Doc(query=query, **{**settings, "stop_sequences": [], "specific": {"has_reference": True}, **fields})


class Cache:
    """What the repairs leave of lighteval's `SampleCache`."""

    def __init__(self, config: Any) -> None:
        self.model_config = config


class CountingModel:
    """Answers with the query in capitals; `calls` has the queries of each call.

    Args:
        cache_dir: Where answers are kept.
        model_name: The model's name.
        stop_at: Number of the call (from 1) that Ctrl-C interrupts.
    """

    def __init__(self, cache_dir: Path, model_name: str = "counting", stop_at: int | None = None) -> None:
        self.config = CustomModelConfig(
            model_name=model_name, model_definition_file_path=__file__, cache_dir=str(cache_dir)
        )
        self._cache = Cache(self.config)
        self.calls: list[list[str]] = []
        self._stop_at = stop_at

    @cached(SamplingMethod.GENERATIVE)
    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        """Answer documents."""
        self.calls.append([doc.query for doc in docs])
        if len(self.calls) == self._stop_at:
            raise KeyboardInterrupt
        return [ModelResponse(text=[doc.query.upper()]) for doc in docs]

    @cached("LOGPROBS")
    def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        """Rate choices."""
        self.calls.append([doc.query for doc in docs])
        return [ModelResponse(logprobs=[-float(len(choice)) for choice in doc.choices]) for doc in docs]

    @cached("GENERATIVE")
    async def later(self, docs: list[Doc]) -> int:
        """Answer documents another time."""
        return len(docs)

    @property
    def asked(self) -> list[str]:
        """Every query that was asked, in order."""
        return list(itertools.chain.from_iterable(self.calls))

    def texts(self, *queries: str) -> list[str]:
        """Return the answers to queries."""
        return [response.text[0] for response in self.greedy_until([document(query) for query in queries])]
