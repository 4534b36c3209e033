"""The dialect metrics as lighteval wants them: no reference is looked at, copied words do not count."""

from __future__ import annotations

from typing import Any

from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from metrics.dialect import DialectGeneration, DialectPrecision
from metrics.lighteval import CorpusValue, answer_text, with_lighteval


def dialect_metric(metric: DialectGeneration | DialectPrecision) -> CorpusLevelMetric:
    """Return a dialect metric for a lighteval task whose answers are in the dialect.

    Its result for each document is the vector of statistics (details, column ``metric``), also where the document has
    no reference; its result for a task is ``{name: score, name_stderr: bootstrap standard error}``. Precision has no
    result where no answer has a dialect word.

    Args:
        metric: The metric; dialect words copied from the prompt (``doc.query``) do not count in the answer.
    """
    return CorpusLevelMetric(
        metric_name=metric.name,
        higher_is_better=True,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=DialectStatistics(metric),
        corpus_level_fn=CorpusValue(metric),
    )


class DialectStatistics(SampleLevelComputation):
    """The statistics of one answer.

    Args:
        metric: The metric.
    """

    def __init__(self, metric: DialectGeneration | DialectPrecision) -> None:
        self.metric = metric

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> list[float]:
        """Return the statistics as a list of floats."""
        return self.metric.statistics(answer_text(model_response), given=doc.query).tolist()

    def __str__(self) -> str:
        return str(with_lighteval(self.metric.signature()))
