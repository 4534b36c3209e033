"""Which snippets response generation is given: gold ones, none, or those that an earlier run found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tasks.healthdial_runs import FILTERING_TASK, RETRIEVAL_TASKS, RUN, answer_in, run_of, source_of

SNIPPETS_VARIABLE = "HEALTHDIAL_SNIPPETS"
"""``gold`` (default), ``none``, or ``run:FOLDER`` with the ``--output-dir`` of a retrieval or filtering run."""
_TASKS = (*RETRIEVAL_TASKS, FILTERING_TASK)


def snippets_source(*, is_example: bool) -> str:
    """Return ``gold``, ``none`` or ``run``.

    A few-shot example has gold snippets where the others have those of a run: it shows the shape of an answer, and
    it is of validation, which a run of the test split lacks.

    Raises:
        RunError: The variable has another value.
    """
    source = source_of(SNIPPETS_VARIABLE, ("gold", "none"))
    return "gold" if source == RUN and is_example else source


def snippets_described(language: str, most: int, *, is_example: bool) -> str:
    """Return where snippets are from, in full: ``gold``, ``none``, or ``run:`` with task, model and most snippets."""
    source = snippets_source(is_example=is_example)
    if source != RUN:
        return source
    run = run_of(SNIPPETS_VARIABLE, _TASKS, language)
    return f"{RUN}:{run.task}:{run.model}" + ("" if run.task == FILTERING_TASK else f"@{most}")


def given_snippets(
    line: dict[str, Any], turns: Sequence[dict[str, Any]], most: int, *, is_query: bool, is_example: bool
) -> list[str] | None:
    """Return the ids of the snippets that the answer may draw on, best first.

    | source | given |
    |---|---|
    | ``gold`` | the gold snippets |
    | ``none`` | none |
    | ``run``, a few-shot example | the gold snippets |
    | ``run``, the turn needs no knowledge | none: such turns are no queries |
    | ``run`` of filtering | what the filter selected; none if its answer has no list |
    | ``run`` of (speech) retrieval | the first `most` of the ranking |
    | ``run``, the turn is no item of retrieval | None: no run has it, the turn is left out |

    Args:
        line: A row of ``system_turns``.
        turns: The turns of its dialogue; the query is that of the user turn before it.
        most: Snippets of a ranking that are given.
        is_query: Whether the data set has the turn's query among its retrieval items.
        is_example: Whether the turn is a few-shot example.

    Raises:
        RunError: The run cannot be read, or lacks the query.
    """
    source = snippets_source(is_example=is_example)
    if source != RUN or not line["needs_retrieval"]:
        return list(line["gold_snippet_ids"]) if source == "gold" else []
    if not is_query:
        return None
    run = run_of(SNIPPETS_VARIABLE, _TASKS, line["language"])
    found = answer_in(run, SNIPPETS_VARIABLE, turns[line["turn_index"] - 1]["utterance_id"])
    return list(found.selection().ids) if run.task == FILTERING_TASK else found.ranking()[:most]
