"""Answers of finished runs that a system builds on."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from healthdial.data import BuiltData
from healthdial.schema import data_location
from hub.errors import BenchError
from hub.location import DataLocation
from metrics.lighteval_answers import RunAnswer, RunAnswers, read_answers
from metrics.lighteval_results import UnreadableResultsError


def saved_answers(folder: str, tasks: tuple[str, ...], language: str) -> RunAnswers:
    """Return the answers to a task in a language, read once; of several runs of one model the newest counts.

    Args:
        folder: The ``--output-dir`` of finished runs.
        tasks: Tasks that the run may be of, without language.
        language: ISO 639-3 code.

    Raises:
        BenchError: There is no such run, it may be one of several, or it is on other data.
    """
    return _read(data_location(), folder, tasks, language)


def saved_answer(folder: str, tasks: tuple[str, ...], language: str, identifier: str) -> RunAnswer:
    """Return the answer to one document.

    Args:
        folder: As for `saved_answers`, as the rest.
        tasks: Tasks.
        language: Language.
        identifier: Id that the task gave the document.

    Raises:
        BenchError: As `saved_answers`, or the run lacks the answer.
    """
    run = saved_answers(folder, tasks, language)
    if identifier not in run.by_id:
        raise BenchError(
            f"{folder} has no answer for {identifier}; run {run.task}:{language} again on the whole test split, "
            "without --max-samples"
        )
    return run.by_id[identifier]


@lru_cache(maxsize=32)
def _read(location: DataLocation, folder: str, tasks: tuple[str, ...], language: str) -> RunAnswers:
    try:
        return read_answers(Path(folder).expanduser(), tasks, language, BuiltData(location).origin)
    except UnreadableResultsError as error:
        raise BenchError(str(error)) from error
