"""Dialect Generation and precision of the models' answers, and of the references as ceiling and floor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from metrics.dialect import DialectGeneration, DialectPrecision
from metrics.resampling import bootstrap_interval
from metrics.signature import Signature
from thai_dialect_bench.baselines import BASELINES
from thai_dialect_bench.lexicons import dialect_metrics
from thai_dialect_bench.results import ModelResults, TaskResult
from thai_dialect_bench.schema import DIALECT_ANSWERS, DIALECTS
from thai_dialect_bench.scores import Cell

WITH_REFERENCES = ("summarization", "translation_from_english")
"""The tasks of Table 3 whose answers show the dialect; its third, QA, is left out: answers are copied."""
TOGETHER = "+".join(WITH_REFERENCES)
"""Task of a score over both."""
DIALECT_REFERENCE = "dialect reference"
CENTRAL_REFERENCE = "Central reference"
"""What stands in place of a model: the ceiling and the floor under every score."""

DialectMetric = DialectGeneration | DialectPrecision
Statistics = NDArray[np.float64]


def installed_metric() -> str:
    """Return the signature of Generation as installed here, of all dialects together."""
    return _joined([str(dialect_metrics(dialect)[0].signature()) for dialect in DIALECTS])


def score_dialects(models: Sequence[ModelResults]) -> list[Cell]:
    """Return Generation and precision by model, dialect and task, and over `WITH_REFERENCES` together.

    Runs made before the metric was in the tasks have none. The references of the items that were run follow: a
    dialect's own, and where Central was run too, those in Central Thai.
    """
    cells = [cell for model in models for cell in _model_cells(model)]
    return cells + list(_reference_cells(models)) if cells else []


def _model_cells(model: ModelResults) -> Iterator[Cell]:
    for dialect in DIALECTS:
        for metric in dialect_metrics(dialect):
            results = {
                task: model.tasks[task, dialect]
                for task in DIALECT_ANSWERS
                if (task, dialect) in model.tasks and metric.name in model.tasks[task, dialect].statistics
            }
            statistics = {task: result.statistics[metric.name] for task, result in results.items()}
            signatures = {task: result.signatures.get(metric.name, "") for task, result in results.items()}
            yield from _cells(model.name, dialect, metric, statistics, signatures)


def _reference_cells(models: Sequence[ModelResults]) -> Iterator[Cell]:
    """Yield the scores of the references of the items that most models have in common: those of the longest run."""
    longest: dict[tuple[str, str], TaskResult] = {}
    for result in (result for model in models for result in model.tasks.values()):
        key = result.task, result.variety
        if key not in longest or len(result.items) > len(longest[key].items):
            longest[key] = result
    for name, own in ((DIALECT_REFERENCE, True), (CENTRAL_REFERENCE, False)):
        for dialect in DIALECTS:
            runs = {
                task: longest[task, variety]
                for task in WITH_REFERENCES
                if (task, variety := dialect if own else "central") in longest and (task, dialect) in longest
            }
            for metric in dialect_metrics(dialect):
                statistics = {task: _of_references(metric, run) for task, run in runs.items()}
                signatures = {
                    task: str(metric.signature().with_fields(data=run.data_fingerprint[:12]))
                    for task, run in runs.items()
                }
                yield from _cells(name, dialect, metric, statistics, signatures)


def _of_references(metric: DialectMetric, result: TaskResult) -> Statistics:
    """Return the statistics of a result's references as if they were answers, shape (items, 2)."""
    scored = [item for item in result.items if item.has_reference]
    return np.array([metric.statistics(item.reference, given=item.prompt) for item in scored]).reshape(-1, 2)


def _cells(
    model: str, dialect: str, metric: DialectMetric, statistics: dict[str, Statistics], signatures: dict[str, str]
) -> Iterator[Cell]:
    """Yield the scores of a model's tasks, and of those with references together where it has both."""
    groups: dict[str, tuple[str, ...]] = {task: (task,) for task in statistics}
    if all(task in statistics for task in WITH_REFERENCES):
        groups[TOGETHER] = WITH_REFERENCES
    for name, tasks in groups.items():
        vectors = np.concatenate([statistics[task] for task in tasks])
        # Answers without any dialect word say nothing of precision.
        known = vectors[vectors[:, 1] > 0]
        if not len(known):
            continue
        yield Cell(
            model=model,
            variety=dialect,
            task=name,
            metric=metric.name,
            estimate=bootstrap_interval(known, metric.values),
            signature=_joined([signatures[task] for task in tasks]),
            drop=None,
            is_floor=model in (*BASELINES, DIALECT_REFERENCE, CENTRAL_REFERENCE),
        )


def _joined(signatures: Sequence[str]) -> str:
    """Return the signature of a score over several tasks: the fields of all of them, differing values joined."""
    parsed = [Signature.parse(signature) for signature in signatures if signature]
    if not parsed:
        return ""
    values = {key: "+".join(dict.fromkeys(one.get(key) or "" for one in parsed)) for key, _ in parsed[0].fields}
    return str(parsed[0].with_fields(**values))
