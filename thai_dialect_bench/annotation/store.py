"""What is read from and written to a study: annotators, what they are shown, their judgements."""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from thai_dialect_bench.annotation.assignments import Assignment
from thai_dialect_bench.annotation.database import create_database, reading, writing
from thai_dialect_bench.annotation.study import Study
from thai_dialect_bench.annotation.verdict import (
    Verdict,
    VerdictError,
    check_verdict,
    units_as_json,
    units_from_json,
)
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import Kind

KEY_BYTES = 24
"""Random bytes of the key in a link."""


@dataclass(frozen=True)
class StudyInfo:
    """The head of a study: name, kind, dialect and seed, as in ``Study``."""

    name: str
    kind: Kind
    dialect: str
    seed: int


@dataclass(frozen=True)
class Annotator:
    """An annotator, all that is stored of a person.

    Attributes:
        code: Code, e.g. ``A01``.
        dialect: Dialect that the person says to speak; None before consent.
        age_band: Age band; None before consent.
        consented: Whether the person agreed.
        withdrawn: Whether the person withdrew and has not agreed again; nothing of theirs is imported.
        judged: Judgements given.
        total: Judgements to give.
    """

    code: str
    dialect: str | None
    age_band: str | None
    consented: bool
    withdrawn: bool
    judged: int
    total: int


@dataclass(frozen=True)
class Task:
    """What stands at one place of an annotator's order.

    Attributes:
        assignment: Item and models.
        task: A key of ``schema.TASKS``.
        prompt: The prompt.
        answer_a: Answer of the (first) model.
        answer_b: Answer of the second; None for a dialect score.
        verdict: What the annotator said; None before.
        time: When, UTC in ISO 8601; empty before.
    """

    assignment: Assignment
    task: str
    prompt: str
    answer_a: str
    answer_b: str | None
    verdict: Verdict | None
    time: str


TASKS_QUERY = """
SELECT assignment.*, item.task, item.prompt, answer_a.text AS answer_a, answer_b.text AS answer_b,
       generation, fluency, units, dialect_choice, answer_choice, reason, time
FROM assignment
JOIN item USING (item)
JOIN answer AS answer_a ON answer_a.item = assignment.item AND answer_a.model = model_a
LEFT JOIN answer AS answer_b ON answer_b.item = assignment.item AND answer_b.model = model_b
LEFT JOIN judgement USING (annotator, position)
"""


class Store:
    """A study in its file. Each method is one transaction on a connection of its own, so any process may call it.

    Args:
        file: The SQLite file.
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    @classmethod
    def create(cls, file: Path, study: Study) -> tuple[Store, dict[str, str]]:
        """Write a new study and return it with annotator's code -> key of the link, which is stored nowhere.

        Raises:
            BenchError: The file exists or cannot be written.
        """
        keys = {code: secrets.token_urlsafe(KEY_BYTES) for code in study.annotators}
        create_database(file, study, {code: key_hash(key) for code, key in keys.items()})
        return cls(file), keys

    def info(self) -> StudyInfo:
        """Return the head of the study."""
        with reading(self.file) as connection:
            return StudyInfo(**connection.execute("SELECT * FROM study").fetchone())

    def annotators(self) -> list[Annotator]:
        """Return all annotators by code."""
        with reading(self.file) as connection:
            return [_annotator(row) for row in connection.execute(f"{_ANNOTATOR_QUERY} ORDER BY code")]

    def annotator_of_key(self, key: str) -> Annotator | None:
        """Return whose link a key is of; None if it is of nobody's."""
        with reading(self.file) as connection:
            row = connection.execute(f"{_ANNOTATOR_QUERY} WHERE key_sha256 = ?", (key_hash(key),)).fetchone()
            return _annotator(row) if row else None

    def consent(self, code: str, dialect: str, age_band: str) -> None:
        """Store that an annotator agrees, with dialect and age band; an earlier withdrawal no longer counts."""
        with writing(self.file) as connection:
            changed = connection.execute(
                "UPDATE annotator SET dialect = ?, age_band = ?, consented = 1, withdrawn = 0 WHERE code = ?",
                (dialect, age_band, code),
            )
            _require_one(changed, code)

    def renew_key(self, code: str) -> str:
        """Make a new key for an annotator and return it; the old link no longer works.

        Raises:
            BenchError: There is no such annotator.
        """
        key = secrets.token_urlsafe(KEY_BYTES)
        with writing(self.file) as connection:
            changed = connection.execute("UPDATE annotator SET key_sha256 = ? WHERE code = ?", (key_hash(key), code))
            _require_one(changed, code)
        return key

    def withdraw(self, code: str) -> int:
        """Delete all that an annotator said, and the consent; return how many judgements were deleted.

        The annotator stays marked as withdrawn, so that an older export cannot bring the judgements back.

        Raises:
            BenchError: There is no such annotator.
        """
        with writing(self.file) as connection:
            changed = connection.execute(
                "UPDATE annotator SET dialect = NULL, age_band = NULL, consented = 0, withdrawn = 1 WHERE code = ?",
                (code,),
            )
            _require_one(changed, code)
            return connection.execute("DELETE FROM judgement WHERE annotator = ?", (code,)).rowcount

    def task(self, code: str, position: int) -> Task:
        """Return what stands at a place of an annotator's order.

        Raises:
            VerdictError: There is no such place.
        """
        with reading(self.file) as connection:
            return _task_at(connection, code, position)

    def judged_positions(self, code: str) -> list[int]:
        """Return the places that an annotator has judged, in order."""
        with reading(self.file) as connection:
            rows = connection.execute("SELECT position FROM judgement WHERE annotator = ? ORDER BY position", (code,))
            return [row["position"] for row in rows]

    def save(self, code: str, position: int, verdict: Verdict) -> None:
        """Store a judgement, or replace the annotator's earlier one at this place.

        Raises:
            VerdictError: It is incomplete or does not fit, there is no such place, or the annotator has not agreed.
        """
        with writing(self.file) as connection:
            kind = connection.execute("SELECT kind FROM study").fetchone()["kind"]
            check_verdict(verdict, kind, _task_at(connection, code, position).answer_a)
            agreed = connection.execute("SELECT consented FROM annotator WHERE code = ?", (code,)).fetchone()
            if agreed is None or not agreed["consented"]:
                raise VerdictError(f"{code} has not agreed to take part, so nothing of theirs is stored")
            put_verdict(connection, code, position, verdict, _now())

    def tasks(self) -> list[Task]:
        """Return every place of every annotator, by code and place."""
        with reading(self.file) as connection:
            return all_tasks(connection)


def key_hash(key: str) -> str:
    """Return the SHA-256 of a key, of any text that a browser may send; a key is random, so it needs no salt."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def put_verdict(connection: sqlite3.Connection, code: str, position: int, verdict: Verdict, time: str) -> None:
    """Insert or replace a judgement inside a transaction."""
    units = json.dumps(units_as_json(verdict.units), ensure_ascii=False)
    connection.execute(
        "INSERT OR REPLACE INTO judgement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(code, position, verdict.generation, verdict.fluency, units),
            *(verdict.dialect_choice, verdict.answer_choice, verdict.reason, time),
        ),
    )


def all_tasks(connection: sqlite3.Connection) -> list[Task]:
    """Return every place of every annotator, by code and place, inside a transaction."""
    return [_task(row) for row in connection.execute(f"{TASKS_QUERY} ORDER BY annotator, position")]


_ANNOTATOR_QUERY = """
SELECT code, dialect, age_band, consented, withdrawn,
       (SELECT count(*) FROM judgement WHERE judgement.annotator = code) AS judged,
       (SELECT count(*) FROM assignment WHERE assignment.annotator = code) AS total
FROM annotator
"""


def _annotator(row: sqlite3.Row) -> Annotator:
    return Annotator(**{**dict(row), "consented": bool(row["consented"]), "withdrawn": bool(row["withdrawn"])})


def _task_at(connection: sqlite3.Connection, code: str, position: int) -> Task:
    row = connection.execute(f"{TASKS_QUERY} WHERE annotator = ? AND position = ?", (code, position)).fetchone()
    if row is None:
        raise VerdictError(f"{code} has no place {position} in this study")
    return _task(row)


def _task(row: sqlite3.Row) -> Task:
    fields: dict[str, Any] = dict(row)
    assignment = Assignment(*(fields[name] for name in Assignment.__dataclass_fields__))
    verdict = None
    if fields["time"] is not None:
        verdict = Verdict(
            *(fields["generation"], fields["fluency"], units_from_json(json.loads(fields["units"]))),
            *(fields["dialect_choice"], fields["answer_choice"], fields["reason"]),
        )
    texts = {name: fields[name] for name in ("task", "prompt", "answer_a", "answer_b")}
    return Task(assignment, **texts, verdict=verdict, time=fields["time"] or "")


def _require_one(changed: sqlite3.Cursor, code: str) -> None:
    if changed.rowcount != 1:
        raise BenchError(f"there is no annotator {code!r} in this study; `annotate status` lists them")


def _now() -> str:
    """Return the time in UTC, ISO 8601, to the second."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
