"""The metrics as lighteval wants them: a vector of counts for each answer, their sum scored for each task."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod
from numpy.typing import NDArray

from metrics.corpus_metric import CorpusMetric
from metrics.diagnostics import Diagnostics
from metrics.reasoning import without_reasoning
from metrics.resampling import bootstrap_interval
from metrics.signature import Signature

DIAGNOSTICS = "diagnostics"
MISSING_AS_ZERO = "missing_as_zero"

# Key in lighteval's results: name in `metrics.diagnostics.DiagnosticsSummary`.
_SUMMARY_KEYS = {
    "wrong_script": "wrong_script",
    "empty": "empty",
    "cut_by_cap": "cut_by_token_cap",
    "prompt_cut": "prompt_cut",
    "preface": "opening_preface",
    "length_ratio": "length_ratio",
}


@dataclass
class ModelAnswer(ModelResponse):
    """lighteval's `ModelResponse`, and how each answer ended.

    The repairs in `tasks.lighteval_fixes` make the backends return it; a custom model may return it too. What is
    known of an answer:

    | question | from | unknown |
    |---|---|---|
    | did the model end it? | `finish_reasons`: no if ``length``, else yes | empty list or ``""`` |
    | how many tokens has it? | length of its `output_tokens`, padding left out, the stop token counted | empty list |
    | was its prompt cut? | `truncated_tokens_count` if there are `input_tokens`; yes if ``prompt_too_long`` | else |

    Attributes:
        finish_reasons: One for each text: ``stop`` (end or stop token), ``length`` (the cap, or the end of the
            model's context), ``content_filter`` or ``prompt_too_long`` (refused, the text is empty), ``""`` unknown.
        UNKNOWN_TOKEN: Stands in `output_tokens` for a token whose id the backend does not tell.
    """

    finish_reasons: list[str] = field(default_factory=list)
    UNKNOWN_TOKEN: ClassVar[int] = -1

    @classmethod
    def of(cls, response: ModelResponse, **changes: Any) -> ModelAnswer:
        """Return a response as an answer, with some of its fields changed."""
        return cls(**{**{each.name: getattr(response, each.name) for each in fields(response)}, **changes})


def answer_text(response: ModelResponse) -> str:
    """Return the text that is scored: the first answer `without_reasoning`."""
    texts = response.final_text
    return without_reasoning(texts[0] or "") if texts else ""


def finished(response: ModelResponse) -> bool | None:
    """Return whether the model itself ended its first answer; None if unknown."""
    reasons = getattr(response, "finish_reasons", None)
    return reasons[0] != "length" if reasons and reasons[0] else None


def output_tokens(response: ModelResponse) -> int | None:
    """Return the number of tokens of the first answer; None if unknown."""
    return len(response.output_tokens[0]) if response.output_tokens else None


def prompt_tokens_cut(response: ModelResponse) -> int | None:
    """Return how many tokens the prompt lost; None if unknown."""
    if "prompt_too_long" in getattr(response, "finish_reasons", ()):
        return 1
    known = isinstance(response, ModelAnswer) and response.input_tokens
    return response.truncated_tokens_count if known else None


def corpus_metric(metric: CorpusMetric, *, missing_as_zero: bool = False) -> CorpusLevelMetric:
    """Return a metric for a lighteval task.

    Its result for each document is the vector of statistics (details, column ``metric``); its result for a task is
    ``{name: score, name_stderr: bootstrap standard error}``.

    Args:
        metric: The metric. Documents whose ``specific["has_reference"]`` is False are not scored: their vector is
            all 0. A task without any scored document gets no result.
        missing_as_zero: Also give ``name_missing_as_zero``, in which such a document counts as an empty answer:
            the way of arXiv 2504.05898, where one missing reference takes a twentieth of the score.
    """
    return CorpusLevelMetric(
        metric_name=metric.name,
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=ItemStatistics(metric),
        corpus_level_fn=CorpusValue(metric, missing_as_zero=missing_as_zero),
    )


def diagnostics_metric(diagnostics: Diagnostics) -> CorpusLevelMetric:
    """Return the diagnostics for a lighteval task.

    Its result for each document is the vector of counts; its result for a task has shares (0-1) of all answers:
    ``wrong_script``, ``empty``, ``cut_by_cap``, ``prompt_cut``, ``preface``, and ``length_ratio``. One of which
    nothing is known, for instance the length ratio where no document has a reference, is left out: lighteval adds
    results, and one nan would spread to every average.
    """
    return CorpusLevelMetric(
        metric_name=DIAGNOSTICS,
        higher_is_better=False,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=ItemDiagnostics(diagnostics),
        corpus_level_fn=DiagnosticShares(diagnostics),
    )


class ItemStatistics(SampleLevelComputation):
    """The statistics of one answer.

    Args:
        metric: The metric.
    """

    def __init__(self, metric: CorpusMetric) -> None:
        self.metric = metric

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> list[float]:
        """Return the statistics as a list of floats; zeros for a document without a reference."""
        if not _has_reference(doc):
            return [0.0] * len(_no_answer(self.metric))
        return self.metric.statistics(answer_text(model_response), doc.get_golds()).tolist()

    def __str__(self) -> str:
        return str(with_lighteval(self.metric.signature()))


class CorpusValue(CorpusLevelComputation):
    """The score of a task.

    Args:
        metric: The metric.
        missing_as_zero: See `corpus_metric`.
    """

    def __init__(self, metric: CorpusMetric, *, missing_as_zero: bool = False) -> None:
        self.metric = metric
        self.missing_as_zero = missing_as_zero

    def compute_corpus(self, items: list[list[float]]) -> dict[str, float]:
        """Return the score and its standard error."""
        statistics = np.asarray(items, dtype=np.float64)
        is_scored = statistics.any(axis=1)
        results = self._value(self.metric.name, statistics[is_scored])
        if self.missing_as_zero:
            statistics[~is_scored] = _no_answer(self.metric)
            results |= self._value(f"{self.metric.name}_{MISSING_AS_ZERO}", statistics)
        return results

    def _value(self, name: str, statistics: NDArray[np.float64]) -> dict[str, float]:
        if not len(statistics):
            return {}
        estimate = bootstrap_interval(statistics, self.metric.values)
        return _finite({name: estimate.value, f"{name}_stderr": estimate.standard_error})

    def __str__(self) -> str:
        return str(with_lighteval(self.metric.signature()))


class ItemDiagnostics(SampleLevelComputation):
    """The diagnostics of one answer.

    Args:
        diagnostics: What is counted.
    """

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> list[float]:
        """Return the counts as a list of floats."""
        counts = self.diagnostics.statistics(
            answer_text(model_response),
            doc.get_golds()[0] if _has_reference(doc) else None,
            output_tokens=output_tokens(model_response),
            token_cap=doc.generation_size,
            finished=finished(model_response),
            prompt_tokens_cut=prompt_tokens_cut(model_response),
        )
        return counts.tolist()

    def __str__(self) -> str:
        return str(with_lighteval(self.diagnostics.signature()))


class DiagnosticShares(CorpusLevelComputation):
    """The diagnostics of a task.

    Args:
        diagnostics: What is counted.
    """

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics

    def compute_corpus(self, items: list[list[float]]) -> dict[str, float]:
        """Return the shares of which something is known."""
        summary = asdict(self.diagnostics.summary(np.asarray(items, dtype=np.float64).sum(axis=0)))
        return _finite({key: summary[name] for key, name in _SUMMARY_KEYS.items()})

    def __str__(self) -> str:
        return str(with_lighteval(self.diagnostics.signature()))


def with_lighteval(signature: Signature) -> Signature:
    """Return a signature with lighteval's version, as it stands in the results (``config_tasks``)."""
    return signature.with_fields(lighteval=version("lighteval"))


def _has_reference(doc: Doc) -> bool:
    return bool((doc.specific or {}).get("has_reference", True))


def _no_answer(metric: CorpusMetric) -> NDArray[np.float64]:
    """Return the statistics of an empty answer against an empty reference."""
    return metric.statistics("", [""])


def _finite(results: dict[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in results.items() if math.isfinite(value)}
