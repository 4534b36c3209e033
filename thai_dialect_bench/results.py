"""Read lighteval result folders back: per-item statistics, answers and signatures of every model, task and variety."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hub.fingerprint import combined_fingerprint
from metrics.signature import Signature
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
    """

    item: str
    answer: str
    reference: str
    has_reference: bool
    source: dict[str, str]
    row_sha256: str


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
        of_path = {(name, result.task, result.variety): result for name, result in _folder_results(path)}
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


def _folder_results(path: Path) -> Iterator[tuple[str, TaskResult]]:
    """Yield (model name, result) of every task under a path, older runs first."""
    path = path.resolve()
    if path.is_file():
        files = [path]
    elif path.is_dir():
        files = sorted(path.rglob("results_*.json"), key=lambda file: file.name)
    else:
        raise ResultsError(f"{path}: no such folder or file of results")
    if not files:
        raise ResultsError(f"{path}: no results_*.json in it; give the --output-dir of a lighteval run")
    for file in files:
        yield from _run_results(file)


def _run_results(file: Path) -> Iterator[tuple[str, TaskResult]]:
    """Yield (model name, result) of every task of one run."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        model = content["config_general"]["model_name"]
        partial = bool(content["config_general"]["max_samples"])
        tasks = [name for name in content["results"] if _TASK_NAME.fullmatch(name) and ":_average|" not in name]
        configs = content["config_tasks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResultsError(f"{file}: not a results file of lighteval ({error!r})") from error
    date = file.stem.removeprefix("results_")
    for name in tasks:
        details = _details_file(file, model, date, name)
        yield model, _task_result(name, details, configs.get(name, {}), partial)


def _details_file(results: Path, model: str, date: str, task: str) -> Path:
    """Return the details file of a task of a run: ``<out>/details/<model>/<date>/details_<task>_<date>.parquet``."""
    relative = Path("details") / model.strip("/") / date / f"details_{task}_{date}.parquet"
    for folder in results.parents:
        if (folder / relative).is_file():
            return folder / relative
    raise ResultsError(
        f"{results}: the details of {task} are missing (expected {relative}). The report needs every answer: run "
        "lighteval with --save-details (python -m tasks does), with the same --output-dir."
    )


def _task_result(name: str, file: Path, config: dict[str, Any], partial: bool) -> TaskResult:
    """Read the details of one task."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    match = _TASK_NAME.fullmatch(name)
    if match is None or match["task"] not in ALL_TASKS or match["variety"] not in VARIETIES:
        raise ResultsError(f"{file}: {name} is not a task of the Thai dialect benchmark")
    try:
        records = pq.read_table(file).to_pylist()
        records.sort(key=lambda record: record["doc"]["specific"]["id"])
        items = tuple(_item(record) for record in records)
        statistics = {
            metric: np.array([record["metric"][metric] for record in records], dtype=np.float64)
            for metric in records[0]["metric"]
        }
        origins = {record["doc"]["specific"]["origin"] for record in records}
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError, IndexError) as error:
        raise ResultsError(f"{file}: not the details of a {TASK_PREFIX}* task of this version ({error!r})") from error
    if len(origins) > 1:
        raise ResultsError(f"{file}: rows of several origins: {', '.join(sorted(origins))}")
    return TaskResult(
        task=match["task"],
        variety=match["variety"],
        items=items,
        statistics=statistics,
        signatures=_signatures(config, combined_fingerprint(item.row_sha256 for item in items)),
        origin=origins.pop(),
        file=file,
        partial=partial,
    )


def _item(record: dict[str, Any]) -> Item:
    """Return one record of the details as an item."""
    doc, response = record["doc"], record["model_response"]
    specific = doc["specific"]
    texts = response.get("text_post_processed") or response["text"] or [""]
    return Item(
        item=specific["item"],
        answer=texts[0] or "",
        reference=doc["choices"][0] if doc["choices"] else "",
        has_reference=specific["has_reference"],
        source={name: specific[name] for name in ("input", "context", "question")},
        row_sha256=specific["row_sha256"],
    )


def _signatures(config: dict[str, Any], data_fingerprint: str) -> dict[str, str]:
    """Return metric name -> signature from a task's config in the results file, with the data's fingerprint added."""
    return {
        metric["metric_name"]: str(
            Signature.parse(str(metric["sample_level_fn"])).with_fields(data=data_fingerprint[:12])
        )
        for metric in config.get("metrics", [])
        if isinstance(metric, dict) and "|" in str(metric.get("sample_level_fn", ""))
    }
