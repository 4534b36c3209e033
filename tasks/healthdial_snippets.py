"""Which snippets response generation is given: gold ones, none, or those that an earlier run found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from healthdial.data import BuiltData
from healthdial.schema import data_location
from hub.location import DataLocation
from metrics.lighteval_answers import RunAnswers, read_answers
from metrics.lighteval_results import UnreadableResultsError
from tasks.errors import RunError

SNIPPETS_VARIABLE = "HEALTHDIAL_SNIPPETS"
"""``gold`` (default), ``none``, or ``run:FOLDER`` with the ``--output-dir`` of a retrieval or filtering run."""
_RUN = "run:"
_FILTERING = "healthdial_filtering"
_TASKS = ("healthdial_retrieval", "healthdial_speech_retrieval", _FILTERING)


def snippets_source() -> str:
    """Return ``gold``, ``none`` or ``run``.

    Raises:
        RunError: The variable has another value.
    """
    value = os.environ.get(SNIPPETS_VARIABLE, "gold")
    if value in ("gold", "none"):
        return value
    if value.startswith(_RUN) and len(value) > len(_RUN):
        return "run"
    raise RunError(f"{SNIPPETS_VARIABLE} must be gold, none or run:FOLDER, not {value!r}")


def snippets_described(language: str, most: int) -> str:
    """Return where snippets are from, in full: ``gold``, ``none``, or ``run:`` with task, model and most snippets."""
    source = snippets_source()
    if source != "run":
        return source
    run = _run(data_location(), os.environ[SNIPPETS_VARIABLE].removeprefix(_RUN), language)
    return f"run:{run.task}:{run.model}" + ("" if run.task == _FILTERING else f"@{most}")


def given_snippets(
    line: dict[str, Any], turns: Sequence[dict[str, Any]], most: int, *, is_query: bool
) -> list[str] | None:
    """Return the ids of the snippets that the answer may draw on, best first.

    | source | given |
    |---|---|
    | ``gold`` | the gold snippets |
    | ``none`` | none |
    | ``run``, the turn needs no knowledge | none: such turns are no queries |
    | ``run`` of filtering | what the filter selected; none if its answer has no list |
    | ``run`` of (speech) retrieval | the first `most` of the ranking |
    | ``run`` of (speech) retrieval, OOK turn | None: that run has no OOK queries, the turn is left out |
    | ``run``, the turn is no item of retrieval | None: no run has it, the turn is left out |

    So refusal rates on retrieved snippets need a filtering run.

    Args:
        line: A row of ``system_turns``.
        turns: The turns of its dialogue; the query is that of the user turn before it.
        most: Snippets of a ranking that are given.
        is_query: Whether the data set has the turn's query among its retrieval items.

    Raises:
        RunError: The run cannot be read, or lacks the query.
    """
    source = snippets_source()
    if source != "run" or not line["needs_retrieval"]:
        return list(line["gold_snippet_ids"]) if source == "gold" else []
    if not is_query:
        return None
    folder = os.environ[SNIPPETS_VARIABLE].removeprefix(_RUN)
    run = _run(data_location(), folder, line["language"])
    query_id = turns[line["turn_index"] - 1]["utterance_id"]
    if query_id in run.by_id:
        found = run.by_id[query_id]
        return list(found.selection().ids) if run.task == _FILTERING else found.ranking()[:most]
    if not line["gold_snippet_ids"]:
        return None
    raise RunError(
        f"{SNIPPETS_VARIABLE}: {folder} has no answer for {query_id}; was it run with --max-samples? (Few-shot "
        "examples are of validation, which a run of the test split lacks: use |0.)"
    )


@lru_cache(maxsize=8)
def _run(location: DataLocation, folder: str, language: str) -> RunAnswers:
    try:
        return read_answers(Path(folder).expanduser(), _TASKS, language, BuiltData(location).origin)
    except UnreadableResultsError as error:
        raise RunError(f"{SNIPPETS_VARIABLE}: {error}") from error
