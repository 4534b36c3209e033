"""How many spoken queries lack recordings: they are scored as they are, and counted here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from lighteval.tasks.requests import Doc
from numpy.typing import NDArray

from healthdial.data import BuiltData
from healthdial.schema import data_location
from hub.location import DataLocation
from metrics.lighteval_dialogue import turn_metric
from metrics.signature import DEFINITIONS_VERSION, Signature

SPLIT = "test"


def query_recordings() -> Any:
    """Return a metric with two values, percentages of the queries that count in the rank measures.

    ``partial_queries``: at least one utterance from the opening to the query has no recording in the data set, so
    what is searched with is not all that was said. ``silent_queries``: none has one. Systems that read transcripts of
    a run in place of the recordings have an empty one there.
    """
    signature = Signature.of("query_recordings", v=DEFINITIONS_VERSION)
    values = {
        name: lambda sums, column=column: 100 * _ratio(sums[..., column], sums[..., 2])
        for column, name in enumerate(("partial_queries", "silent_queries"))
    }
    return turn_metric("query_recordings", signature, _statistics, values, higher_is_better=False)


def _statistics(doc: Doc, _: str) -> NDArray[np.float64]:
    """Return whether a query lacks some recording, whether it lacks all, and 1; zeros of an out-of-knowledge one."""
    specific = doc.specific or {}
    if not json.loads(specific["gold"]):
        return np.zeros(3)
    lost = _lost(data_location(), specific["language"])[specific["id"]]
    return np.array([any(lost), all(lost), 1.0])


@lru_cache(maxsize=8)
def _lost(location: DataLocation, language: str) -> Mapping[str, tuple[bool, ...]]:
    """Return utterance id -> whether each utterance of its dialogue up to it has no recording."""
    data = BuiltData(location)
    without = {
        row["utterance_id"]
        for config in ("user_turns", "system_turns")
        for row in data.rows(f"{config}_{language}", SPLIT)
        if row["duration_s"] is None
    }
    lost: dict[str, tuple[bool, ...]] = {}
    for dialogue in data.rows(f"dialogues_{language}", SPLIT):
        ids = [turn["utterance_id"] for turn in dialogue["turns"]]
        marks = [one in without for one in ids]
        lost |= {one: tuple(marks[: at + 1]) for at, one in enumerate(ids)}
    return lost


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(numerator / denominator)
