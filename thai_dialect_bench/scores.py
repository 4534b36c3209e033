"""Scores of a table: value with interval, drop from Central with interval and p-value, diagnostics, floors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metrics.diagnostics import Diagnostics, DiagnosticsSummary
from metrics.resampling import (
    Difference,
    Estimate,
    approximate_randomization,
    bootstrap_interval,
    holm,
    paired_bootstrap,
)
from metrics.thai_text import Bleu, Chrf, CorpusMetric, RougeL
from thai_dialect_bench.baselines import BASELINES
from thai_dialect_bench.results import ModelResults, TaskResult
from thai_dialect_bench.schema import ALL_TASKS, VARIETIES

METRICS: dict[str, CorpusMetric] = {
    metric.name: metric for metric in (Bleu(), RougeL(), Chrf(word_order=0), Chrf(word_order=2))
}
SIGNIFICANCE_LEVEL = 0.05


@dataclass(frozen=True)
class Drop:
    """The drop from Central Thai (Delta of Table 1): Central minus dialect, on the items scored in both.

    Attributes:
        difference: With its 95 % interval, by a paired bootstrap over items.
        p_value: Two-sided, by approximate randomization.
        p_holm: The same after Holm's correction over all drops of the models in the table (or of the floors).
    """

    difference: Difference
    p_value: float
    p_holm: float = math.nan

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below 0.05."""
        return self.p_holm < SIGNIFICANCE_LEVEL


@dataclass(frozen=True)
class Cell:
    """One score of the table.

    Attributes:
        model: Name of the model.
        variety: Name of the variety.
        task: Name of the task.
        metric: Name of the metric.
        estimate: Score (0-100) with 95 % interval and number of items.
        signature: How the score came about.
        drop: Drop from Central; None for Central, and where Central was not run.
        is_floor: Whether the model is a baseline, run as a model or computed here from the same rows.
    """

    model: str
    variety: str
    task: str
    metric: str
    estimate: Estimate
    signature: str
    drop: Drop | None
    is_floor: bool = False


@dataclass(frozen=True)
class DiagnosedCell:
    """Diagnostics of one model on one task in one variety."""

    model: str
    variety: str
    task: str
    summary: DiagnosticsSummary


def score_models(models: list[ModelResults]) -> list[Cell]:
    """Return every score of every model by the metric that Table 1 prints, floors last.

    Drops are Holm-corrected over those of the models, and apart from them over those of the floors, which would
    only weaken the former.
    """
    run = {model.name: model for model in models}
    below = [
        ModelResults(floor.name, {**floor.tasks, **(run[floor.name].tasks if floor.name in run else {})})
        for floor in floors(models)
    ]
    above = [model for model in models if model.name not in BASELINES]
    return [cell for group in (above, below) for cell in _with_holm([c for m in group for c in _model_cells(m)])]


def _model_cells(model: ModelResults) -> Iterable[Cell]:
    """Yield the scores of one model."""
    for task in ALL_TASKS.values():
        if task.metric is None:
            continue
        for variety in VARIETIES:
            result = model.tasks.get((task.name, variety))
            if result is None or not result.of_scored(task.metric):
                continue
            central = model.tasks.get((task.name, "central")) if variety != "central" else None
            yield Cell(
                model=model.name,
                variety=variety,
                task=task.name,
                metric=task.metric,
                estimate=score(result, task.metric),
                signature=result.signatures.get(task.metric, ""),
                drop=drop_from_central(central, result, task.metric) if central else None,
                is_floor=model.name in BASELINES,
            )


def score(result: TaskResult, metric: str) -> Estimate:
    """Return a score with its bootstrap interval over the items that have a reference."""
    return bootstrap_interval(np.stack(list(result.of_scored(metric).values())), METRICS[metric].values)


def score_missing_as_zero(result: TaskResult, metric: str) -> float:
    """Return a score in the paper's way: an item whose reference is missing counts as an empty answer to nothing."""
    unscored = METRICS[metric].statistics("", [""])
    pairs = zip(result.items, result.statistics[metric], strict=True)
    sums = np.sum([vector if item.has_reference else unscored for item, vector in pairs], axis=0)
    return float(METRICS[metric].values(sums))


def drop_from_central(central: TaskResult, dialect: TaskResult, metric: str) -> Drop | None:
    """Return the drop on the items that are scored in both; None where there is none."""
    base, other = central.of_scored(metric), dialect.of_scored(metric)
    shared = sorted(base.keys() & other.keys())
    if not shared:
        return None
    pair: tuple[NDArray[np.float64], NDArray[np.float64]] = (
        np.stack([base[item] for item in shared]),
        np.stack([other[item] for item in shared]),
    )
    values = METRICS[metric].values
    return Drop(paired_bootstrap(*pair, values), approximate_randomization(*pair, values))


def _with_holm(cells: list[Cell]) -> list[Cell]:
    """Correct the p-values of all drops together."""
    with_drop = [index for index, cell in enumerate(cells) if cell.drop is not None]
    corrected = holm([cell.drop.p_value for cell in cells if cell.drop is not None])
    by_index = dict(zip(with_drop, corrected, strict=True))
    return [
        replace(cell, drop=replace(cell.drop, p_holm=by_index[index])) if cell.drop is not None else cell
        for index, cell in enumerate(cells)
    ]


def floors(models: list[ModelResults]) -> list[ModelResults]:
    """Return the baselines' results on the rows that the models were run on, computed from the rows themselves."""
    rows: dict[tuple[str, str], TaskResult] = {}
    for model in models:
        for key, result in model.tasks.items():
            has_metric = ALL_TASKS[result.task].metric is not None
            if has_metric and (key not in rows or len(result.items) > len(rows[key].items)):
                rows[key] = result
    return [ModelResults(name, {key: _floor(result, name) for key, result in rows.items()}) for name in BASELINES]


def _floor(result: TaskResult, baseline: str) -> TaskResult:
    """Return what a baseline gets on the rows of a result."""
    items = tuple(replace(item, answer=BASELINES[baseline](item.source)) for item in result.items)
    metric = METRICS[ALL_TASKS[result.task].metric or ""]
    statistics = np.stack([metric.statistics(item.answer, [item.reference]) for item in items])
    signature = str(metric.signature().with_fields(data=result.data_fingerprint[:12]))
    return replace(result, items=items, statistics={metric.name: statistics}, signatures={metric.name: signature})


def diagnose(models: list[ModelResults]) -> list[DiagnosedCell]:
    """Return the diagnostics of every model, task and variety."""
    return [
        DiagnosedCell(
            model.name,
            variety,
            task.name,
            Diagnostics(task.script).summary(model.tasks[task.name, variety].statistics["diagnostics"].sum(axis=0)),
        )
        for model in models
        for task in ALL_TASKS.values()
        for variety in VARIETIES
        if (task.name, variety) in model.tasks
    ]
