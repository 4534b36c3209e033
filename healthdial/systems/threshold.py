"""The threshold filter: keeps the candidates whose score exceeds one number, tuned on validation."""

from __future__ import annotations

import logging
from functools import lru_cache

from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.schema import data_location
from healthdial.score_threshold import ScoredItem, Threshold, best_threshold
from healthdial.systems.candidates import Candidates, selection_answer
from hub.location import DataLocation
from metrics import lighteval_models as base

logger = logging.getLogger(__name__)

SCORE_DECIMALS = 6
"""Decimals of the scores in the task's documents; those of the validation split are rounded alike."""


class ThresholdModel(base.AnsweringModel):
    """Keeps the candidates of an item whose score in the data set (BM25) exceeds the threshold of its language.

    The threshold is the one with the best Exact Match on the language's validation split, with as many candidates as
    the items shown (``HEALTHDIAL_CANDIDATES``); see ``score_threshold.best_threshold`` for ties. Run it with
    ``python -m tasks custom threshold healthdial/systems/threshold.py "healthdial_filtering|0"``.
    """

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the kept ids of every item."""
        items = [Candidates.of(doc) for doc in docs]
        location = data_location()
        # A small corpus may have fewer candidates than asked for.
        shown = max((len(item.shown) for item in items), default=0)
        answers = []
        for doc, item in zip(docs, items, strict=True):
            above = tuned_threshold(location, base.specific(doc)["language"], shown).value
            kept = [one for one, score in zip(item.shown, item.scores, strict=True) if score > above]
            answers.append(selection_answer(kept))
        return answers


@lru_cache(maxsize=16)
def tuned_threshold(location: DataLocation, language: str, candidates: int) -> Threshold:
    """Return the threshold of a language, tuned on its validation split; the test split is not read.

    Args:
        location: Where the data set is.
        language: ISO 639-3 code.
        candidates: How many candidates of each item count.
    """
    rows = BuiltData(location).rows(f"filtering_{language}", "validation")
    found = best_threshold(
        [
            ScoredItem(
                row["candidate_ids"][:candidates],
                [round(score, SCORE_DECIMALS) for score in row["candidate_scores"][:candidates]],
                row["gold_snippet_ids"],
            )
            for row in rows
        ]
    )
    logger.info(
        f"threshold of {language}, {candidates} candidates: {found.value:.6f}, "
        f"Exact Match {found.exact_match:.2f} on {found.items} validation items"
    )
    return found
