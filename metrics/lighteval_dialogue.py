"""Metrics of dialogue turns as lighteval wants them: a vector for each answer, intervals by whole dialogues."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod
from numpy.typing import NDArray

from metrics.lighteval import answer_text, with_lighteval
from metrics.resampling import Values, bootstrap_interval
from metrics.signature import Signature

Statistics = Callable[[Doc, str], NDArray[np.float64]]
"""Turns a document and its answer into the statistics of a metric, shape (d,)."""

RESAMPLES = 500
"""Resamples of the standard errors in lighteval's results; a report makes its own intervals."""


def turn_metric(
    name: str,
    signature: Signature,
    statistics: Statistics,
    values: Mapping[str, Values],
    *,
    higher_is_better: bool = True,
) -> CorpusLevelMetric:
    """Return a metric for a lighteval task whose documents are turns of dialogues.

    Its result for each document is a vector: the number of the dialogue (``specific["dialogue_number"]``), then the
    statistics (details, column ``metric``). Its results for a task are the values with their standard errors, drawn
    by whole dialogues. A value of which nothing is known is left out: lighteval adds results, and a nan would spread.

    Args:
        name: Name of the metric in the details.
        signature: How its values come about.
        statistics: Counts what the values need of one answer.
        values: Name in the results -> value of a sum of statistics.
        higher_is_better: Whether a larger value is a better one.
    """
    return CorpusLevelMetric(
        metric_name=name,
        higher_is_better=higher_is_better,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=TurnStatistics(signature, statistics),
        corpus_level_fn=TurnValues(signature, values),
    )


class TurnStatistics(SampleLevelComputation):
    """The statistics of one answer, after the number of its dialogue."""

    def __init__(self, signature: Signature, statistics: Statistics) -> None:
        self.signature = signature
        self.statistics = statistics

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> list[float]:
        """Return the vector as a list of floats."""
        number = float((doc.specific or {})["dialogue_number"])
        return [number, *self.statistics(doc, answer_text(model_response)).tolist()]

    def __str__(self) -> str:
        return str(with_lighteval(self.signature))


class TurnValues(CorpusLevelComputation):
    """The values of a task."""

    def __init__(self, signature: Signature, values: Mapping[str, Values]) -> None:
        self.signature = signature
        self.values = values

    def compute_corpus(self, items: list[list[float]]) -> dict[str, float]:
        """Return the values and their standard errors; none of a task without documents."""
        if not items:
            return {}
        vectors = np.asarray(items, dtype=np.float64)
        results: dict[str, float] = {}
        for name, value in self.values.items():
            estimate = bootstrap_interval(vectors[:, 1:], value, clusters=vectors[:, 0].tolist(), resamples=RESAMPLES)
            results |= {name: estimate.value, f"{name}_stderr": estimate.standard_error}
        return {name: float(value) for name, value in results.items() if np.isfinite(value)}

    def __str__(self) -> str:
        return str(with_lighteval(self.signature))


def ranking_answer(ids: Sequence[str]) -> str:
    """Return a ranking, best first, as the answer of a retriever: a JSON list of ids."""
    return json.dumps(list(ids), ensure_ascii=False)


def ranking_of(answer: str) -> list[str]:
    """Return the ranking in an answer; what is no JSON list of strings retrieves nothing."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return []
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else []
