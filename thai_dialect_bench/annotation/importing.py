"""Put exported judgements into a study: all of a file, or nothing of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from thai_dialect_bench.annotation.database import writing
from thai_dialect_bench.annotation.store import Store, StudyInfo, Task, all_tasks, put_verdict
from thai_dialect_bench.annotation.verdict import Verdict, check_verdict
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import Judgement
from thai_dialect_bench.judgements import read_judgements

_Place = tuple[str, str, str, str | None]
"""Annotator, item, (first) model, second model."""


@dataclass(frozen=True)
class Imported:
    """What an import did.

    Attributes:
        added: Judgements that were new.
        same: Judgements that were there, equal.
        replaced: Judgements that were there, different.
    """

    added: int
    same: int
    replaced: int


def import_judgements(store: Store, file: Path, *, replace: bool = False) -> Imported:
    """Put the judgements of an exported file into a study, in one transaction.

    The study must have the same name, kind, dialect, items, models and annotators' codes, as a copy has or one that
    was made again from the same sources. Which answer stood left is taken over with the judgement.

    Args:
        store: The study.
        file: JSONL or CSV, as exported.
        replace: Replace a judgement that differs; otherwise it is an error.

    Raises:
        BenchError: A record does not fit, is of an annotator who withdrew, or differs from what is there; it is named,
            and nothing is changed.
    """
    info = store.info()
    read = read_judgements(file)
    with writing(store.file) as connection:
        there = {_place(task): task for task in all_tasks(connection)}
        done = [_put_named(connection, judgement, info, there, file, replace=replace) for judgement in read]
    return Imported(done.count("added"), done.count("same"), done.count("replaced"))


def _place(task: Task) -> _Place:
    place = task.assignment
    return (place.annotator, place.item, place.model_a, place.model_b)


def _put_named(
    connection: sqlite3.Connection,
    judgement: Judgement,
    info: StudyInfo,
    there: Mapping[_Place, Task],
    file: Path,
    *,
    replace: bool,
) -> str:
    """Check and store one judgement; return which of the counts it belongs to, or raise with its name."""
    try:
        return _put(connection, judgement, _task_of(judgement, info, there), replace=replace)
    except BenchError as error:
        raise BenchError(
            f"{file}, {judgement.annotator} on {judgement.item}: {error}. Nothing was imported."
        ) from error


def _task_of(judgement: Judgement, info: StudyInfo, there: Mapping[_Place, Task]) -> Task:
    """Return the place of the study that a judgement is about."""
    for name, of_file, of_study in (
        ("study", judgement.study, info.name),
        ("kind", judgement.kind, info.kind),
        ("dialect", judgement.dialect, info.dialect),
    ):
        if of_file != of_study:
            raise BenchError(f"{name} is {of_file!r}, but of this study it is {of_study!r}")
    models = (judgement.model_a or judgement.model or "", judgement.model_b)
    task = there.get((judgement.annotator, judgement.item, *models))
    if task is None:
        raise BenchError(f"this study has no such annotator, item and model ({', '.join(filter(None, models))})")
    if judgement.task != task.task:
        raise BenchError(f"task is {judgement.task!r}, but in this study it is {task.task!r}")
    return task


def _put(connection: sqlite3.Connection, judgement: Judgement, task: Task, *, replace: bool) -> str:
    place = task.assignment
    _refuse_withdrawn(connection, place.annotator)
    verdict = Verdict(
        generation=judgement.generation,
        fluency=judgement.fluency,
        units=judgement.units,
        dialect_choice=judgement.dialect_choice,
        answer_choice=judgement.answer_choice,
        reason=judgement.reason,
    )
    check_verdict(verdict, judgement.kind, task.answer_a)
    if judgement.kind == "preference" and judgement.shown_left is None:
        raise BenchError("shown_left is missing; it says which answer stood left, a or b")
    if task.verdict:
        if (task.verdict, task.time, place.shown_left) == (verdict, judgement.time, judgement.shown_left):
            return "same"
        if not replace:
            raise BenchError(f"another judgement is here, of {task.time}; give --replace to take the file's")
    connection.execute(
        "UPDATE assignment SET shown_left = ? WHERE annotator = ? AND position = ?",
        (judgement.shown_left, place.annotator, place.position),
    )
    put_verdict(connection, place.annotator, place.position, verdict, judgement.time)
    return "replaced" if task.verdict else "added"


def _refuse_withdrawn(connection: sqlite3.Connection, code: str) -> None:
    """Raise if an annotator withdrew; one who has not agreed yet, as in a fresh copy of a study, did not."""
    row = connection.execute("SELECT withdrawn FROM annotator WHERE code = ?", (code,)).fetchone()
    if row["withdrawn"]:
        raise BenchError(
            f"{code} withdrew from this study, so nothing of theirs is taken back; delete their lines from the file"
        )
