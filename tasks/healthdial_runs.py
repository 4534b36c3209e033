"""Earlier runs that a task builds on: a variable names the folder, and one reader reads its answers."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from healthdial.data import BuiltData
from healthdial.schema import data_location
from hub.location import DataLocation
from metrics.lighteval_answers import RunAnswer, RunAnswers, read_answers
from metrics.lighteval_results import UnreadableResultsError
from tasks.errors import RunError

RETRIEVAL_TASKS = ("healthdial_retrieval", "healthdial_speech_retrieval")
FILTERING_TASK = "healthdial_filtering"
RUN = "run"
_PREFIX = f"{RUN}:"


def source_of(variable: str, plain: tuple[str, ...]) -> str:
    """Return what a variable asks for: ``run`` for ``run:FOLDER``, else its value, the first plain one if it has none.

    Raises:
        RunError: The variable has another value.
    """
    value = os.environ.get(variable) or plain[0]
    if value in plain:
        return value
    if value.startswith(_PREFIX) and len(value) > len(_PREFIX):
        return RUN
    raise RunError(f"{variable} must be {', '.join(plain)} or run:FOLDER, not {value!r}")


def run_of(variable: str, tasks: tuple[str, ...], language: str) -> RunAnswers:
    """Return the answers of the run that a variable names.

    Args:
        variable: Set to ``run:FOLDER``, the folder being the ``--output-dir`` of a finished run.
        tasks: Tasks that the run may be of, without language.
        language: ISO 639-3 code.

    Raises:
        RunError: The run cannot be read, or is on other data.
    """
    return _read(data_location(), variable, os.environ[variable].removeprefix(_PREFIX), tasks, language)


def answer_in(run: RunAnswers, variable: str, query_id: str) -> RunAnswer:
    """Return a run's answer to a query.

    Raises:
        RunError: The run lacks it.
    """
    if query_id not in run.by_id:
        raise RunError(
            f"{variable}: {os.environ[variable].removeprefix(_PREFIX)} has no answer for {query_id}; run {run.task} "
            "again on the whole test split, without --max-samples"
        )
    return run.by_id[query_id]


@lru_cache(maxsize=16)
def _read(location: DataLocation, variable: str, folder: str, tasks: tuple[str, ...], language: str) -> RunAnswers:
    try:
        return read_answers(Path(folder).expanduser(), tasks, language, BuiltData(location).origin)
    except UnreadableResultsError as error:
        raise RunError(f"{variable}: {error}") from error
