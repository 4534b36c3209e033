"""The answers of a finished lighteval run to one task, by the id that the task gave each document."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.lighteval_dialogue import ranking_of
from metrics.lighteval_results import UnreadableResultsError, answer_of, read_records, task_runs
from metrics.selection_parser import Selection, parse_selection


@dataclass(frozen=True)
class RunAnswer:
    """An answer of a run.

    Attributes:
        text: The answer, as it was scored.
        specific: What the task put into the document.
    """

    text: str
    specific: dict[str, Any]

    def ranking(self) -> list[str]:
        """Return the snippet ids of a retriever's answer, best first."""
        return ranking_of(self.text)

    def selection(self) -> Selection:
        """Return the snippet ids of a filter's answer, whatever the candidates were called in the prompt."""
        shown, candidates = (json.loads(self.specific[name]) for name in ("shown", "candidates"))
        return parse_selection(self.text, dict(zip(shown, candidates, strict=True)))


@dataclass(frozen=True)
class RunAnswers:
    """The answers of one model to one task.

    Attributes:
        task: Name of the task without language and number of examples, such as ``healthdial_retrieval``.
        model: Name of the model.
        by_id: Id of the document -> answer.
    """

    task: str
    model: str
    by_id: dict[str, RunAnswer]


def read_answers(folder: Path, tasks: Sequence[str], language: str, origin: str) -> RunAnswers:
    """Reads the answers to a task in a language; of several runs of one model the newest counts.

    Args:
        folder: lighteval's ``--output-dir`` (or one results file in it), with details.
        tasks: Names of tasks without language; the folder must hold one of them.
        language: ISO 639-3 code.
        origin: Origin of the data set that the answers must be on.

    Raises:
        UnreadableResultsError: The folder holds none of the tasks in this language, several tasks or models, or
            answers on other data.
    """
    names = "|".join(map(re.escape, tasks))
    runs = list(task_runs(folder, re.compile(rf"(?:{names}):{language}\|\d+")))
    if not runs:
        raise UnreadableResultsError(f"{folder}: no run of {' or '.join(tasks)} in language {language}")
    kinds = sorted({(run.name.partition(":")[0], run.model) for run in runs})
    if len(kinds) > 1:
        found = "; ".join(f"{task} by {model}" for task, model in kinds)
        raise UnreadableResultsError(f"{folder}: several runs may be meant ({found}); give each its own --output-dir")
    records = read_records(runs[-1].details)
    answers = {
        record["doc"]["specific"]["id"]: RunAnswer(answer_of(record), record["doc"]["specific"]) for record in records
    }
    others = {answer.specific["origin"] for answer in answers.values()} - {origin}
    if others:
        raise UnreadableResultsError(
            f"{folder}: a run on {', '.join(sorted(others))}, but the data set is {origin}; run it on this one"
        )
    return RunAnswers(*kinds[0], answers)
