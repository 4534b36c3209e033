"""A table of retrieval measures: micro and macro with intervals, beside the level of a random ranking."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from metrics.dialogue_items import weigh_dialogues_alike
from metrics.resampling import DEFAULT_SEED, Estimate, bootstrap_interval
from metrics.retrieval import Retrieval


@dataclass(frozen=True)
class RetrievalRow:
    """One measure of a system beside its level by chance.

    Attributes:
        measure: Name, for instance ``recall@5``.
        micro: Mean over queries, with the interval clustered by dialogue.
        macro: Mean over dialogues of the mean over the dialogue's queries, with its interval.
        micro_chance: Expected `micro` of a random ranking of the corpus.
        macro_chance: Expected `macro` of a random ranking of the corpus.
    """

    measure: str
    micro: Estimate
    macro: Estimate
    micro_chance: float
    macro_chance: float


def retrieval_rows(
    metric: Retrieval,
    statistics: NDArray[np.float64],
    chance: NDArray[np.float64],
    dialogues: Sequence[Hashable],
    *,
    resamples: int = 2000,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
) -> list[RetrievalRow]:
    """Every measure, micro and macro, with its interval and its level by chance.

    Args:
        metric: Made the statistics.
        statistics: Of a system, shape (queries, d).
        chance: From `Retrieval.chance_statistics` for the same queries, shape (queries, d).
        dialogues: The dialogue of each query; whole dialogues are drawn.
        resamples: Number of resamples.
        seed: Seed of the intervals.
        level: Coverage of the intervals.

    Returns:
        One row a measure, in the order of ``metric.measures``.

    Raises:
        ValueError: If a shape or a setting does not fit.
    """
    if statistics.shape != chance.shape:
        raise ValueError(f"statistics have shape {statistics.shape} but chance {chance.shape}; give a row a query")
    micro, macro = statistics, weigh_dialogues_alike(statistics, dialogues)
    micro_chance, macro_chance = chance.sum(axis=0), weigh_dialogues_alike(chance, dialogues).sum(axis=0)
    rows = []
    for measure in metric.measures:
        values = metric.values_of(measure)
        interval = partial(
            bootstrap_interval, values=values, clusters=dialogues, resamples=resamples, seed=seed, level=level
        )
        at_chance = float(values(micro_chance)), float(values(macro_chance))
        rows.append(RetrievalRow(measure, interval(micro), interval(macro), *at_chance))
    return rows
