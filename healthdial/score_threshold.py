"""The score above which candidates are kept: the one with the best Exact Match on given items."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ScoredItem:
    """The candidates of a turn with what is right.

    Attributes:
        ids: Candidates, each once.
        scores: Their scores by the retriever.
        gold: The full gold set, also of snippets that are no candidates; empty for an out-of-knowledge turn.
    """

    ids: Sequence[str]
    scores: Sequence[float]
    gold: Collection[str]


@dataclass(frozen=True)
class Threshold:
    """A threshold and what it reached where it was tuned.

    Attributes:
        value: Candidates with a score above it are kept; may be infinite.
        exact_match: Share of items whose kept set is the gold set, 0-100.
        items: Number of items.
    """

    value: float
    exact_match: float
    items: int


def best_threshold(items: Sequence[ScoredItem]) -> Threshold:
    """Return the threshold with the best Exact Match.

    The paper tunes one threshold on validation; grid and objective are not published. Here the objective is Exact
    Match, and there is no grid: an item is exact for thresholds from its best-scored wrong candidate to below its
    worst-scored right one, so the most overlapped stretch is found exactly. Of equally good stretches the highest is
    taken, which keeps fewest. The threshold is its middle; its lower end where it has no upper one.

    | item | exact for thresholds t |
    |---|---|
    | gold is out of knowledge | from its best score on |
    | gold is among the candidates | best wrong score <= t < worst right score; never, if wrong ones score as high |
    | all candidates are gold, and all gold | below its worst score |
    | some gold is no candidate | never |

    Worked: scores 9 5 1, gold the first; scores 4 2, no gold: 5 <= t < 9 and t >= 4, so 7 and Exact Match 100.
    Scores 9 5, gold the second: never, so infinity (keep nothing) and 0.

    Args:
        items: Items of one language's validation split.

    Raises:
        ValueError: There are no items.
    """
    if not items:
        raise ValueError("a threshold cannot be tuned on no items")
    stretches = [stretch for item in items if (stretch := _exact_stretch(item))]
    if not stretches:
        return Threshold(float("inf"), 0.0, len(items))
    lows, highs = (np.sort(ends) for ends in np.asarray(stretches).T)
    exact = np.searchsorted(lows, lows, side="right") - np.searchsorted(highs, lows, side="right")
    best = int(np.flatnonzero(exact == exact.max())[-1])
    low = float(lows[best])
    ends = np.concatenate([lows[lows > low], highs[highs > low]])
    high = float(ends.min())
    value = (low + high) / 2 if np.isfinite([low, high]).all() else low
    return Threshold(value, 100 * float(exact[best]) / len(items), len(items))


def _exact_stretch(item: ScoredItem) -> tuple[float, float] | None:
    """Return the thresholds (from, below) for which an item is exact; None for never."""
    gold = set(item.gold)
    if not gold <= set(item.ids):
        return None
    right = [score for one, score in zip(item.ids, item.scores, strict=True) if one in gold]
    wrong = [score for one, score in zip(item.ids, item.scores, strict=True) if one not in gold]
    low, high = max(wrong, default=float("-inf")), min(right, default=float("inf"))
    return (low, high) if low < high else None
