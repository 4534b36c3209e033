"""The SQLite file of a study: its tables, how it is made whole or not at all, and how it is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple
from pathlib import Path

from thai_dialect_bench.annotation.assignments import make_assignments
from thai_dialect_bench.annotation.study import Study
from thai_dialect_bench.errors import BenchError

APPLICATION_ID = 0x7468616E
"""Marks the SQLite file as a study of ours."""
LAYOUT = 2
BUSY_SECONDS = 30.0
"""How long a writer waits for another before it gives up."""

SCHEMA = """
CREATE TABLE study (name TEXT NOT NULL, kind TEXT NOT NULL, dialect TEXT NOT NULL, seed INTEGER NOT NULL);
CREATE TABLE model (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE item (item TEXT PRIMARY KEY, task TEXT NOT NULL, prompt TEXT NOT NULL);
CREATE TABLE answer (
    item TEXT NOT NULL REFERENCES item, model TEXT NOT NULL REFERENCES model (name), text TEXT NOT NULL,
    PRIMARY KEY (item, model)
);
CREATE TABLE annotator (
    code TEXT PRIMARY KEY, key_sha256 TEXT NOT NULL UNIQUE, dialect TEXT, age_band TEXT,
    consented INTEGER NOT NULL DEFAULT 0, withdrawn INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE assignment (
    annotator TEXT NOT NULL REFERENCES annotator (code), position INTEGER NOT NULL, item TEXT NOT NULL,
    model_a TEXT NOT NULL, model_b TEXT, shown_left TEXT CHECK (shown_left IN ('a', 'b')),
    PRIMARY KEY (annotator, position),
    FOREIGN KEY (item, model_a) REFERENCES answer, FOREIGN KEY (item, model_b) REFERENCES answer
);
CREATE UNIQUE INDEX assignment_once ON assignment (annotator, item, model_a, coalesce(model_b, ''));
CREATE TABLE judgement (
    annotator TEXT NOT NULL, position INTEGER NOT NULL, generation REAL, fluency REAL, units TEXT NOT NULL,
    dialect_choice TEXT, answer_choice TEXT, reason TEXT NOT NULL, time TEXT NOT NULL,
    PRIMARY KEY (annotator, position), FOREIGN KEY (annotator, position) REFERENCES assignment
);
"""


def create_database(file: Path, study: Study, key_hashes: Mapping[str, str]) -> None:
    """Write a new study: under a temporary name first, so that a kill leaves a whole study or none.

    Args:
        file: The file to make.
        study: What is judged.
        key_hashes: Annotator's code -> SHA-256 of the key in the link.

    Raises:
        BenchError: The file exists, or cannot be written.
    """
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {LAYOUT}")
            connection.executescript(f"BEGIN; {SCHEMA}")
            _insert_study(connection, study, key_hashes)
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = WAL")
        os.link(temporary, file)  # unlike a rename it never replaces a file
    except FileExistsError as error:
        raise BenchError(f"{file}: exists already, and may hold judgements; give another file") from error
    except (OSError, sqlite3.Error) as error:
        raise BenchError(f"{file}: cannot be written ({error}); give another file") from error
    finally:
        temporary.unlink(missing_ok=True)


def _insert_study(connection: sqlite3.Connection, study: Study, key_hashes: Mapping[str, str]) -> None:
    connection.execute("INSERT INTO study VALUES (?, ?, ?, ?)", (study.name, study.kind, study.dialect, study.seed))
    connection.executemany("INSERT INTO model VALUES (?, ?)", enumerate(study.models))
    connection.executemany(
        "INSERT INTO item VALUES (?, ?, ?)", ((item.item, item.task, item.prompt) for item in study.items)
    )
    connection.executemany(
        "INSERT INTO answer VALUES (?, ?, ?)",
        ((item.item, model, text) for item in study.items for model, text in item.answers.items()),
    )
    connection.executemany(
        "INSERT INTO annotator (code, key_sha256) VALUES (?, ?)",
        ((code, key_hashes[code]) for code in study.annotators),
    )
    connection.executemany(
        "INSERT INTO assignment VALUES (?, ?, ?, ?, ?, ?)",
        (astuple(assignment) for assignment in make_assignments(study)),
    )


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection that sees one state of the study.

    Raises:
        BenchError: The file is not there or is no study.
    """
    with _transaction(file, "BEGIN") as connection:
        yield connection


@contextmanager
def writing(file: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection inside one transaction: all of it is on the disk at the end, or none of it.

    Raises:
        BenchError: The file is not there or is no study, or other writers kept it busy.
    """
    with _transaction(file, "BEGIN IMMEDIATE") as connection:
        yield connection


@contextmanager
def _transaction(file: Path, begin: str) -> Iterator[sqlite3.Connection]:
    if not file.is_file():
        raise BenchError(f"{file}: no such study; make one with `thai-dialect-bench annotate new`")
    try:
        with closing(sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            _check_study(connection, file)
            connection.execute("PRAGMA foreign_keys = ON")
            # in WAL, NORMAL may lose the last transactions in a power failure
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(begin)
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise BenchError(
            f"{file}: {error}. If it says locked, try again; the file must lie on a local disk, not a network one, "
            "and be writable with its folder."
        ) from error


def _check_study(connection: sqlite3.Connection, file: Path) -> None:
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        layout = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise BenchError(f"{file}: not a study ({error}); give a file of `annotate new`") from error
    if application != APPLICATION_ID:
        raise BenchError(f"{file}: an SQLite file, but not a study; give a file of `annotate new`")
    if layout != LAYOUT:
        raise BenchError(f"{file}: a study of layout {layout}, this version reads {LAYOUT}; use the version it is of")
