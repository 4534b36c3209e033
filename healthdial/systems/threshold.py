"""The threshold filter: keeps the candidates whose score exceeds one number, tuned on validation."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.schema import data_location
from healthdial.score_threshold import ScoredItem, Threshold, best_threshold
from healthdial.systems.candidate_cosines import CandidateCosines
from healthdial.systems.candidates import Candidates, selection_answer
from healthdial.systems.corpus import documents_by_language
from healthdial.systems.dense_retriever import SETTINGS, DenseRetriever
from healthdial.systems.model_string import ModelString
from hub.errors import BenchError
from hub.location import DataLocation
from metrics import lighteval_models as base

logger = logging.getLogger(__name__)

SCORE_DECIMALS = 6
"""Decimals of the scores in the task's documents; those of the validation split are rounded alike."""
OWN_CANDIDATES = "data"
"""``candidates_from`` of documents that show the candidates of the data set; else those of a run."""


class ThresholdModel(base.AnsweringModel):
    """Keeps the candidates of an item whose score exceeds the threshold of its language.

    The threshold is the one with the best Exact Match on the language's validation split, with as many candidates as
    the items shown (``HEALTHDIAL_CANDIDATES``); see ``score_threshold.best_threshold`` for ties.

    | model string | scores | candidates of validation |
    |---|---|---|
    | ``NAME`` | BM25's, in the data set | the data set's |
    | ``NAME=MODEL`` (settings as in ``dense.py``) | cosine of history and snippet | the data set's |
    | ``NAME=MODEL``, candidates of a run (``HEALTHDIAL_CANDIDATES_FROM``) | the same | the model's best |

    The last is the paper's baseline where MODEL made the run. A run keeps ids only, so its candidates need a MODEL.
    Run it with ``python -m tasks custom threshold healthdial/systems/threshold.py "healthdial_filtering|0"``.

    Raises:
        BenchError: The model string is wrong, or the model can't be loaded.
    """

    components = ("healthdial_filtering",)

    def __init__(self, config: ModelConfig) -> None:
        string = ModelString.parse(config.model_name, SETTINGS, model="[MODEL]")
        self._retriever = DenseRetriever.load(string.model, string) if string.model else None
        super().__init__(config.model_copy(update={"model_name": string.name}))

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the kept ids of every item.

        Raises:
            BenchError: The candidates have no scores, or the validation split no items.
        """
        items = [Candidates.of(doc) for doc in docs]
        # A small corpus may have fewer candidates than asked for.
        shown = max((len(item.shown) for item in items), default=0)
        answers = [""] * len(docs)
        for language, positions in documents_by_language(docs).items():
            own = [docs[position] for position in positions]
            if self._retriever is None:
                scores = [_given_scores(items[position]) for position in positions]
                above = tuned_threshold(data_location(), language, shown).value
            else:
                cosines = CandidateCosines(self._retriever, language)
                scores = _cosines_of(cosines, own)
                above = tuned_cosine(cosines, shown, own).value
            for position, found in zip(positions, scores, strict=True):
                kept = [one for one, score in zip(items[position].shown, found, strict=True) if score > above]
                answers[position] = selection_answer(kept)
        return answers


@lru_cache(maxsize=16)
def tuned_threshold(location: DataLocation, language: str, candidates: int) -> Threshold:
    """Return the threshold of a language on the data set's scores, tuned on its validation split; test is not read.

    Args:
        location: Where the data set is.
        language: ISO 639-3 code.
        candidates: How many candidates of each item count.
    """
    rows = BuiltData(location).rows(f"filtering_{language}", "validation")
    ids = [row["candidate_ids"][:candidates] for row in rows]
    return _tuned(rows, ids, [_rounded(row["candidate_scores"][:candidates]) for row in rows], language, candidates)


def tuned_cosine(cosines: CandidateCosines, candidates: int, docs: Sequence[Doc]) -> Threshold:
    """Return the threshold of a language on cosines, tuned on its validation split.

    Args:
        cosines: Scores the candidates.
        candidates: How many candidates of each item count.
        docs: The items of test; where their candidates are of a run, validation has the best by these scores.
    """
    rows = BuiltData(data_location()).rows(f"filtering_{cosines.language}", "validation")
    queries = [row["query"] for row in rows]
    if all(base.specific(doc)["candidates_from"] == OWN_CANDIDATES for doc in docs):
        ids = [row["candidate_ids"][:candidates] for row in rows]
    else:
        ids = cosines.best(queries, candidates)
    scores = [_rounded(found) for found in cosines.scores(queries, ids)]
    return _tuned(rows, ids, scores, cosines.language, candidates)


def _tuned(
    rows: Sequence[dict[str, Any]],
    ids: Sequence[list[str]],
    scores: Sequence[list[float]],
    language: str,
    candidates: int,
) -> Threshold:
    if not rows:
        raise BenchError(
            f"{data_location().path}: filtering_{language} has no validation items to tune a threshold on; "
            "use the filter top, or build a data set that has some"
        )
    gold = [row["gold_snippet_ids"] for row in rows]
    found = best_threshold([ScoredItem(*item) for item in zip(ids, scores, gold, strict=True)])
    logger.info(
        f"threshold of {language}, {candidates} candidates: {found.value:.6f}, "
        f"Exact Match {found.exact_match:.2f} on {found.items} validation items"
    )
    return found


def _given_scores(item: Candidates) -> list[float]:
    if len(item.scores) != len(item.shown):
        raise BenchError(
            "threshold: candidates of a run have no scores; name the text encoder that scores them, as in "
            "threshold-bge=BAAI/bge-m3, or unset HEALTHDIAL_CANDIDATES_FROM"
        )
    return list(item.scores)


def _cosines_of(cosines: CandidateCosines, docs: Sequence[Doc]) -> list[list[float]]:
    """Return the scores of the candidates of test items; their histories are read from the data set."""
    rows = BuiltData(data_location()).rows(f"filtering_{cosines.language}", "test")
    histories = {row["query_id"]: row["query"] for row in rows}
    places = [base.specific(doc) for doc in docs]
    queries = [histories[place["id"]] for place in places]
    scores = cosines.scores(queries, [json.loads(place["candidates"]) for place in places])
    return [_rounded(found) for found in scores]


def _rounded(scores: Sequence[float]) -> list[float]:
    return [round(score, SCORE_DECIMALS) for score in scores]
