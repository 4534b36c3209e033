"""The dialect metrics as lighteval wants them: no reference is looked at, copied words do not count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc

from metrics.dialect import DialectGeneration, DialectPrecision
from metrics.lighteval import ItemStatistics, answer_text, corpus_metric


def dialect_metric(metric: DialectGeneration | DialectPrecision) -> CorpusLevelMetric:
    """Return a dialect metric for a lighteval task whose answers are in the dialect.

    Its result for each document is the vector of statistics (details, column ``metric``), also where the document has
    no reference; its result for a task is ``{name: score, name_stderr: bootstrap standard error}``. Precision has no
    result where no answer has a dialect word.

    Args:
        metric: The metric; dialect words copied from the prompt (``doc.query``) do not count in the answer.
    """
    return replace(corpus_metric(metric), sample_level_fn=DialectStatistics(metric))


class DialectStatistics(ItemStatistics):
    """The statistics of one answer.

    Args:
        metric: The metric.
    """

    metric: DialectGeneration | DialectPrecision

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> list[float]:
        """Return the statistics as a list of floats."""
        return self.metric.statistics(answer_text(model_response), given=doc.query).tolist()
