"""Read lighteval result folders back: per-item statistics, answers and signatures of every model, task and variety."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hub.fingerprint import combined_fingerprint
from metrics.lighteval_results import Record, TaskRun, UnreadableResultsError, answer_of, read_records, task_runs
from thai_dialect_bench.errors import ResultsError
from thai_dialect_bench.schema import ALL_TASKS, SAMPLE_ORIGIN, TASK_PREFIX, VARIETIES

_TASK_NAME = re.compile(rf"{TASK_PREFIX}(?P<task>\w+):(?P<variety>\w+)\|(?P<shots>\d+)")


@dataclass(frozen=True)
class Item:
    """One scored item.

    Attributes:
        item: Name shared by the varieties, e.g. ``qa-07``.
        answer: The model's answer, as scored.
        reference: Its reference; an empty string where it has none.
        has_reference: Whether it is scored against the reference.
        source: The texts of the item: ``input``, ``context``, ``question``.
        row_sha256: Fingerprint of prompt and reference.
        prompt: What the model was given.
    """

    item: str
    answer: str
    reference: str
    has_reference: bool
    source: dict[str, str]
    row_sha256: str
    prompt: str = ""


@dataclass(frozen=True)
class TaskResult:
    """What one model gave on one task in one variety.

    Attributes:
        task: A key of ``schema.ALL_TASKS``.
        variety: A key of ``schema.VARIETIES``.
        items: Items sorted by name.
        statistics: Metric name -> statistics of the items in the same order, shape (items, d).
        signatures: Metric name -> signature.
        origin: Where the data is from.
        file: The details file.
        partial: Whether the run was cut short with ``--max-samples``.
    """

    task: str
    variety: str
    items: tuple[Item, ...]
    statistics: dict[str, NDArray[np.float64]]
    signatures: dict[str, str]
    origin: str
    file: Path
    partial: bool

    @property
    def data_fingerprint(self) -> str:
        """SHA-256 of the rows that were scored: prompts and references."""
        return combined_fingerprint(item.row_sha256 for item in self.items)

    def of_scored(self, metric: str) -> dict[str, NDArray[np.float64]]:
        """Return item name -> statistics of a metric, for the items with a reference."""
        vectors = self.statistics[metric]
        return {item.item: vector for item, vector in zip(self.items, vectors, strict=True) if item.has_reference}


@dataclass(frozen=True)
class ModelResults:
    """All results of one model.

    Attributes:
        name: Name in tables.
        tasks: (task, variety) -> result.
    """

    name: str
    tasks: dict[tuple[str, str], TaskResult] = field(default_factory=dict)


def read_results(paths: Iterable[Path]) -> list[ModelResults]:
    """Read result folders (lighteval's ``--output-dir``) or single ``results_*.json`` files.

    Several runs of one model in one folder are put together; of a task that was run twice there the newest run
    counts.

    Args:
        paths: Folders or files.

    Raises:
        ResultsError: Nothing there, details missing, one task of one model in two of the paths, or results that do
            not belong in one table (sample and release, or different data).
    """
    models: dict[str, ModelResults] = {}
    for path in paths:
        try:
            read = [(run.model, _task_result(run)) for run in task_runs(path, _TASK_NAME)]
        except UnreadableResultsError as error:
            raise ResultsError(str(error)) from error
        of_path = {(name, result.task, result.variety): result for name, result in read}
        for (name, task, variety), result in of_path.items():
            tasks = models.setdefault(name, ModelResults(name)).tasks
            if (task, variety) in tasks:
                raise ResultsError(
                    f"{task}:{variety} of the model {name} is in two places, {tasks[task, variety].file} and "
                    f"{result.file}. Give one of them, or run the other under another model name."
                )
            tasks[task, variety] = result
    results = list(models.values())
    check_same_data(results)
    return results


def check_same_data(models: list[ModelResults]) -> None:
    """Raise ``ResultsError`` if the models were not all run on the same rows."""
    first: dict[tuple[str, str], tuple[str, TaskResult]] = {}
    origins: dict[str, Path] = {}
    for model in models:
        for result in model.tasks.values():
            origins.setdefault(result.origin, result.file)
            for item in result.items:
                key = (f"{result.variety}-{result.task}", item.item)
                sha, other = first.setdefault(key, (item.row_sha256, result))
                if sha != item.row_sha256 and other.origin == result.origin:
                    raise ResultsError(
                        f"two data fingerprints in one table: {result.variety}-{item.item} is {sha[:12]} in "
                        f"{other.file} but {item.row_sha256[:12]} in {result.file}. Run both models on one build."
                    )
    if len(origins) > 1:
        places = "; ".join(f"{origin} in {file}" for origin, file in origins.items())
        kind = "the bundled sample with the release" if SAMPLE_ORIGIN in origins else "different data"
        raise ResultsError(f"these results mix {kind}: {places}. Report them apart.")


def _task_result(run: TaskRun) -> TaskResult:
    """Read the details of one task."""
    match = _TASK_NAME.fullmatch(run.name)
    if match is None or match["task"] not in ALL_TASKS or match["variety"] not in VARIETIES:
        raise ResultsError(f"{run.details}: {run.name} is not a task of the Thai dialect benchmark")
    records = read_records(run.details)
    try:
        items = tuple(_item(record) for record in records)
        statistics = {
            metric: np.array([record["metric"][metric] for record in records], dtype=np.float64)
            for metric in records[0]["metric"]
        }
        origins = {record["doc"]["specific"]["origin"] for record in records}
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ResultsError(
            f"{run.details}: not the details of a {TASK_PREFIX}* task of this version ({error!r})"
        ) from error
    if len(origins) > 1:
        raise ResultsError(f"{run.details}: rows of several origins: {', '.join(sorted(origins))}")
    return TaskResult(
        task=match["task"],
        variety=match["variety"],
        items=items,
        statistics=statistics,
        signatures=run.signatures(data=combined_fingerprint(item.row_sha256 for item in items)[:12]),
        origin=origins.pop(),
        file=run.details,
        partial=run.partial,
    )


def _item(record: Record) -> Item:
    """Return one record of the details as an item."""
    doc = record["doc"]
    specific = doc["specific"]
    return Item(
        item=specific["item"],
        answer=answer_of(record),
        reference=doc["choices"][0] if doc["choices"] else "",
        has_reference=specific["has_reference"],
        source={name: specific[name] for name in ("input", "context", "question")},
        row_sha256=specific["row_sha256"],
        prompt=doc["query"],
    )
