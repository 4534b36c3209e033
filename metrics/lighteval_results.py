"""Read lighteval's output folders: the tasks of every run, their details and the signatures of their metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.reasoning import without_reasoning
from metrics.signature import Signature

Record = dict[str, Any]


class UnreadableResultsError(Exception):
    """Results are missing or are not those of lighteval; the text says what, where and what to do."""


@dataclass(frozen=True)
class TaskRun:
    """One task of one run.

    Attributes:
        model: Name of the model.
        name: Name of the task with its number of examples, e.g. ``healthdial_asr:eng|0``.
        details: The details file.
        config: The task's configuration in the results file.
        partial: Whether the run was cut short with ``--max-samples``.
    """

    model: str
    name: str
    details: Path
    config: dict[str, Any]
    partial: bool

    def signatures(self, **fields: str) -> dict[str, str]:
        """Return metric name -> signature, with more fields added."""
        return {
            metric["metric_name"]: str(Signature.parse(str(metric["sample_level_fn"])).with_fields(**fields))
            for metric in self.config.get("metrics", [])
            if isinstance(metric, dict) and "|" in str(metric.get("sample_level_fn", ""))
        }


def task_runs(path: Path, name: re.Pattern[str]) -> Iterator[TaskRun]:
    """Yield the tasks of every run under a path, older runs first.

    Args:
        path: A folder (lighteval's ``--output-dir``) or one ``results_*.json``.
        name: Which tasks; matched with the whole name, number of examples included.

    Raises:
        UnreadableResultsError: There is nothing, it is not of lighteval, or the details are missing.
    """
    path = path.resolve()
    if path.is_file():
        files = [path]
    elif path.is_dir():
        files = sorted(path.rglob("results_*.json"), key=lambda file: file.name)
    else:
        raise UnreadableResultsError(f"{path}: no such folder or file of results")
    if not files:
        raise UnreadableResultsError(f"{path}: no results_*.json in it; give the --output-dir of a lighteval run")
    for file in files:
        yield from _runs_of_file(file, name)


def read_records(details: Path) -> list[Record]:
    """Return the records of a details file, sorted by the id that the task gave each document.

    Raises:
        UnreadableResultsError: It is no such file, or empty.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        records = pq.read_table(details).to_pylist()
        records.sort(key=lambda record: record["doc"]["specific"]["id"])
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise UnreadableResultsError(f"{details}: not the details of a task of this project ({error!r})") from error
    if not records:
        raise UnreadableResultsError(f"{details}: no documents in it")
    return records


def answer_of(record: Record) -> str:
    """Return the answer of a record of the details, as it was scored."""
    response = record["model_response"]
    texts = response.get("text_post_processed") or response["text"] or [""]
    return without_reasoning(texts[0] or "")


def _runs_of_file(file: Path, name: re.Pattern[str]) -> Iterator[TaskRun]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        model = content["config_general"]["model_name"]
        partial = bool(content["config_general"]["max_samples"])
        tasks = [task for task in content["results"] if name.fullmatch(task) and ":_average|" not in task]
        configs = content["config_tasks"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableResultsError(f"{file}: not a results file of lighteval ({error!r})") from error
    date = file.stem.removeprefix("results_")
    for task in tasks:
        yield TaskRun(model, task, _details_file(file, model, date, task), configs.get(task, {}), partial)


def _details_file(results: Path, model: str, date: str, task: str) -> Path:
    """Return the details file of a task of a run: ``<out>/details/<model>/<date>/details_<task>_<date>.parquet``."""
    relative = Path("details") / model.strip("/") / date / f"details_{task}_{date}.parquet"
    for folder in results.parents:
        if (folder / relative).is_file():
            return folder / relative
    raise UnreadableResultsError(
        f"{results}: the details of {task} are missing (expected {relative}). The report needs every answer: run "
        "lighteval with --save-details (python -m tasks does), with the same --output-dir."
    )
