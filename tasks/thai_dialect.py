"""lighteval tasks of the Thai dialect benchmark: every task in every variety, zero-shot."""

from __future__ import annotations

import os
from typing import Any

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from metrics.diagnostics import Diagnostics
from metrics.lighteval import corpus_metric, diagnostics_metric
from metrics.lighteval_dialect import dialect_metric
from metrics.thai_text import Bleu, Chrf, RougeL
from tasks.errors import RunError
from tasks.lighteval_fixes import apply
from thai_dialect_bench.lexicons import dialect_metrics
from thai_dialect_bench.schema import (
    ALL_TASKS,
    DIALECT_ANSWERS,
    DIALECTS,
    MAX_NEW_TOKENS_VARIABLE,
    QA_V1,
    SPLIT,
    VARIETIES,
    Task,
    data_location,
    row_fingerprint,
)

GROUP = "thai_dialect"
"""First part of every task's name."""

DEFAULT_MAX_NEW_TOKENS = 512
"""Cap of an answer in tokens; arXiv 2504.05898 used 512 for some models and 3000 for others."""

VERSION = 1
"""Raised whenever a task's results are no longer comparable with earlier ones."""

CARRIED_COLUMNS = ("id", "item", "variety", "task", "origin", "input", "context", "question")
"""Columns of a row that stand in `Doc.specific` as strings."""


def task_name(task: str, variety: str) -> str:
    """Return lighteval's name of a task, e.g. ``thai_dialect_qa:lanna``."""
    return f"{GROUP}_{task}:{variety}"


def max_new_tokens() -> int:
    """Return the cap of an answer in tokens, from ``THAI_DIALECT_BENCH_MAX_NEW_TOKENS`` or 512.

    Raises:
        RunError: If the variable is not a positive whole number.
    """
    text = os.environ.get(MAX_NEW_TOKENS_VARIABLE, str(DEFAULT_MAX_NEW_TOKENS))
    if not text.isdecimal() or int(text) < 1:
        raise RunError(
            f"{MAX_NEW_TOKENS_VARIABLE} must be a positive whole number (the paper has 512 and 3000), not {text!r}"
        )
    return int(text)


def prompt(line: dict[str, Any], name: str) -> Doc | None:
    """Turn a row into a document; lighteval calls it for every row of a config.

    Args:
        line: The row.
        name: The task's name.

    Returns:
        The document; None for a row of another task or variety.

    Raises:
        RunError: If the document is wanted as a few-shot example.
    """
    if task_name(line["task"], line["variety"]) != name:
        return None
    if line.get("__few_shots"):
        raise RunError(f"{name} is zero-shot only: its few-shot examples would come from the test set. Use |0.")
    return Doc(
        task_name=name,
        query=line["prompt"],
        choices=[line["reference"] or ""],
        gold_index=0,
        specific={
            **{column: line[column] or "" for column in CARRIED_COLUMNS},
            "central_reference": line["central_reference"] or "",
            "has_reference": bool(line["has_reference"]),
            "row_sha256": row_fingerprint(line),
        },
    )


def task_config(task: Task, variety: str) -> LightevalTaskConfig:
    """Return lighteval's configuration of a task in a variety.

    Args:
        task: The task.
        variety: The variety; its rows of ``qa_v1`` stand together with those of the others in one config.
    """
    location = data_location()
    metrics: list[Any] = [diagnostics_metric(Diagnostics(task.script))]
    if task.metric is not None:
        scores = [corpus_metric(metric) for metric in (Bleu(), Chrf(), Chrf(word_order=2))]
        rouge = corpus_metric(RougeL(), missing_as_zero=task.template == "qa")
        metrics = [*scores, rouge, *metrics]
    if variety in DIALECTS and task.name in DIALECT_ANSWERS:
        metrics += [dialect_metric(metric) for metric in dialect_metrics(variety)]
    # lighteval's type forgets that a prompt function may leave a row out.
    prompt_function: Any = prompt
    return LightevalTaskConfig(
        name=task_name(task.name, variety),
        prompt_function=prompt_function,
        hf_repo=location.path,
        hf_revision=location.revision,
        hf_subset=task.name if task is QA_V1 else variety,
        hf_avail_splits=(SPLIT,),
        evaluation_splits=(SPLIT,),
        # The only split: `prompt` refuses, and lighteval does not warn for each task.
        few_shots_split=SPLIT,
        generation_size=max_new_tokens(),
        # A list: without one, lighteval 0.13.0 adds a tuple to a list for models that have no chat template.
        stop_sequence=[],
        metrics=metrics,
        version=VERSION,
    )


apply()
TASKS_TABLE = [task_config(task, variety) for task in ALL_TASKS.values() for variety in VARIETIES]
