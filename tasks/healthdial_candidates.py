"""Which candidates a filtering item shows: those of the data set, or those that an earlier retrieval run found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tasks.errors import RunError
from tasks.healthdial_runs import RETRIEVAL_TASKS, RUN, answer_in, run_of, source_of

CANDIDATES_VARIABLE = "HEALTHDIAL_CANDIDATES"
DEFAULT_CANDIDATES = 5
"""Candidates of a filtering item in the paper's main setting; Table 3 also has 10 and 50."""
CANDIDATES_FROM_VARIABLE = "HEALTHDIAL_CANDIDATES_FROM"
"""``data`` (default: BM25's, which the data set has with scores), or ``run:FOLDER`` of a (speech) retrieval run."""
DATA = "data"


@dataclass(frozen=True)
class ShownCandidates:
    """The candidates of a filtering item.

    Attributes:
        ids: Snippet ids, best first.
        scores: Their scores by the data set's BM25; empty for those of a run, whose answers are ids only.
        source: ``data``, or ``run:`` with task and model.
    """

    ids: Sequence[str]
    scores: Sequence[float]
    source: str


def candidate_count() -> int:
    """Return how many candidates a filtering item shows, from ``HEALTHDIAL_CANDIDATES`` or 5."""
    text = os.environ.get(CANDIDATES_VARIABLE) or str(DEFAULT_CANDIDATES)
    if not text.isdecimal() or not 1 <= int(text) <= 50:
        raise RunError(f"{CANDIDATES_VARIABLE} must be a whole number from 1 to 50, not {text!r}")
    return int(text)


def shown_candidates(line: dict[str, Any]) -> ShownCandidates:
    """Return the best candidates of a row of ``filtering``.

    A few-shot example has those of the data set whatever the variable says: it is of validation, and runs are of the
    test split. An item for which the run ranked fewer snippets has fewer candidates.

    Raises:
        RunError: The run cannot be read, lacks the query, or ranks fewer snippets than are asked for everywhere.
    """
    count = candidate_count()
    if line.get("__few_shots") or source_of(CANDIDATES_FROM_VARIABLE, (DATA,)) == DATA:
        return ShownCandidates(line["candidate_ids"][:count], line["candidate_scores"][:count], DATA)
    run = run_of(CANDIDATES_FROM_VARIABLE, RETRIEVAL_TASKS, line["language"])
    ranking = answer_in(run, CANDIDATES_FROM_VARIABLE, line["query_id"]).ranking()
    if len(ranking) < count:
        longest = max(len(answer.ranking()) for answer in run.by_id.values())
        if longest < count:
            raise RunError(
                f"{CANDIDATES_VARIABLE} is {count}, but {run.task} by {run.model} ranks only {longest} snippets; set "
                f"{CANDIDATES_VARIABLE} to {longest} or fewer"
            )
    return ShownCandidates(ranking[:count], (), f"{RUN}:{run.task}:{run.model}")
