"""Knowledge selection: the set of snippets an answer names, against the full gold set."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metrics.resampling import Values
from metrics.selection_parser import Selection
from metrics.signature import DEFINITIONS_VERSION, Signature

Unusable = Literal["wrong", "empty"]


class Count(IntEnum):
    """Positions of the statistics vector; OOK (out of knowledge) items are those with empty gold."""

    ITEMS = 0
    UNPARSED = 1
    WITH_UNKNOWN = 2
    EXACT = 3
    HITS = 4
    PREDICTED = 5
    GOLD = 6
    PRECISION = 7
    RECALL = 8
    F1 = 9
    OOK = 10
    OOK_FOUND = 11
    NOT_OOK = 12
    FALSE_OOK = 13


@dataclass(frozen=True)
class SelectionScore:
    """Measures of a set of answers, each 0-100; nan where there is nothing to take the share of.

    Attributes:
        exact_match: Share of items whose set equals the full gold set.
        micro_precision: Right ids over predicted ids, both summed over items.
        micro_recall: Right ids over gold ids, both summed over items.
        micro_f1: Harmonic mean of the two.
        mean_precision: Mean of the items' precision.
        mean_recall: Mean of the items' recall.
        mean_f1: Mean of the items' F1.
        ook_recall: Share of OOK items answered by the empty set.
        false_ook: Share of items with gold that are answered by the empty set.
        unparsed: Share of answers without a list, whatever they count as.
        with_unknown: Share of answers that name something that is no candidate.
        items: Number of items.
        ook_items: Number of OOK items; where they are few, `ook_recall` says little.
    """

    exact_match: float
    micro_precision: float
    micro_recall: float
    micro_f1: float
    mean_precision: float
    mean_recall: float
    mean_f1: float
    ook_recall: float
    false_ook: float
    unparsed: float
    with_unknown: float
    items: int
    ook_items: int


# Each measure is 100 * sum of the first / sum of the second.
_RATIOS: dict[str, tuple[tuple[Count, ...], tuple[Count, ...]]] = {
    "exact_match": ((Count.EXACT,), (Count.ITEMS,)),
    "micro_precision": ((Count.HITS,), (Count.PREDICTED,)),
    "micro_recall": ((Count.HITS,), (Count.GOLD,)),
    "micro_f1": ((Count.HITS, Count.HITS), (Count.PREDICTED, Count.GOLD)),
    "mean_precision": ((Count.PRECISION,), (Count.ITEMS,)),
    "mean_recall": ((Count.RECALL,), (Count.ITEMS,)),
    "mean_f1": ((Count.F1,), (Count.ITEMS,)),
    "ook_recall": ((Count.OOK_FOUND,), (Count.OOK,)),
    "false_ook": ((Count.FALSE_OOK,), (Count.NOT_OOK,)),
    "unparsed": ((Count.UNPARSED,), (Count.ITEMS,)),
    "with_unknown": ((Count.WITH_UNKNOWN,), (Count.ITEMS,)),
}


@dataclass(frozen=True)
class KnowledgeSelection:
    """Exact match, set measures and OOK rates of selected snippets, as in HealthDial (arXiv 2605.30107).

    Exact match and OOK recall are the paper's; its released code computes neither. The gold is the complete gold
    set, not only the gold among the candidates: where the retriever missed one, exact match is out of reach.
    With h = right ids of an item: precision ``h / predicted``, recall ``h / gold``, F1 ``2 h / (predicted + gold)``.

    | answer | gold | exact | precision, recall, F1 | counts as empty |
    |---|---|---|---|---|
    | ``[]`` | none | 1 | 1 (as SQuAD 2.0; so exact <= F1) | yes: found OOK |
    | ``[]`` | some | 0 | 0 | yes: false OOK |
    | candidates | none | 0 | 0 | no |
    | candidates and unknown entries | some | by the candidates | by the candidates | no |
    | only unknown entries | any | 0 | 0 | no |
    | no list found | any | 0 | 0 | no |
    | the two rows before, ``unusable="empty"`` | any | as ``[]`` | as ``[]`` | yes |

    | undefined | value | why |
    |---|---|---|
    | micro precision, nothing predicted; micro recall, no gold; micro F1, neither | 0 | as scikit-learn |
    | OOK recall without OOK items, false OOK without others, all without items | nan | a share of nothing |

    Three values, gold ``a b``: answer ``a b`` exact 100; ``a`` exact 0, precision 100, recall 50, F1 66.67;
    ``a c d`` precision 33.33, recall 50, F1 40.

    Attributes:
        unusable: What an answer without a list, or with unknown entries only, counts as: ``wrong``, or ``empty``,
            which lets garbage raise OOK recall.

    Raises:
        ValueError: If `unusable` is another.
    """

    unusable: Unusable = "wrong"
    name: ClassVar[str] = "knowledge_selection"
    measures: ClassVar[tuple[str, ...]] = tuple(_RATIOS)

    def __post_init__(self) -> None:
        if self.unusable not in ("wrong", "empty"):
            raise ValueError(f"unusable must be 'wrong' or 'empty', got {self.unusable!r}")

    def statistics(self, selection: Selection, gold: Collection[str]) -> NDArray[np.float64]:
        """Counts of one item.

        Args:
            selection: From `parse_selection`, or ``Selection(ids)`` of a system that returns ids.
            gold: The full gold set; empty for an OOK item.

        Returns:
            Shape (14,), in the order of `Count`.

        Raises:
            TypeError: If the gold is a str.
        """
        if isinstance(gold, str):
            raise TypeError("the gold is one str; pass a collection of ids, also where there is only one")
        predicted, relevant = set(selection.ids), set(gold)
        hits = len(predicted & relevant)
        counted = selection.is_usable or self.unusable == "empty"
        is_empty = counted and not predicted
        # Both empty: everything that should be named is named, and nothing else.
        both_empty = float(is_empty and not relevant)
        counts = np.zeros(len(Count))
        counts[Count.ITEMS] = 1
        counts[Count.UNPARSED] = not selection.is_parsed
        counts[Count.WITH_UNKNOWN] = selection.unknown > 0
        counts[Count.EXACT] = counted and predicted == relevant
        counts[[Count.HITS, Count.PREDICTED, Count.GOLD]] = hits, len(predicted), len(relevant)
        counts[Count.PRECISION] = hits / len(predicted) if predicted else both_empty
        counts[Count.RECALL] = hits / len(relevant) if relevant else both_empty
        counts[Count.F1] = 2 * hits / (len(predicted) + len(relevant)) if predicted or relevant else both_empty
        counts[Count.OOK if not relevant else Count.NOT_OOK] = 1
        counts[Count.OOK_FOUND if not relevant else Count.FALSE_OOK] = is_empty
        return counts

    def values_of(self, measure: str) -> Values:
        """The function that `metrics.resampling` asks for.

        Args:
            measure: One of `measures`, named as the attributes of `SelectionScore`.

        Returns:
            Turns sums of statistics, shape (..., 14), into values, 0-100, shape (...).

        Raises:
            ValueError: If the measure is unknown.
        """
        if measure not in _RATIOS:
            raise ValueError(f"unknown measure {measure!r}; expected one of {', '.join(_RATIOS)}")
        return partial(_ratio, measure=measure)

    def score(self, sums: NDArray[np.float64]) -> SelectionScore:
        """All measures of one sum of statistics, shape (14,)."""
        return SelectionScore(
            **{measure: float(_ratio(sums, measure)) for measure in _RATIOS},
            items=int(sums[Count.ITEMS]),
            ook_items=int(sums[Count.OOK]),
        )

    def signature(self) -> Signature:
        """The metric's settings."""
        return Signature.of(
            self.name, gold="full", both_empty=1, unusable=self.unusable, unknown="dropped", v=DEFINITIONS_VERSION
        )


def _ratio(sums: NDArray[np.float64], measure: str) -> NDArray[np.float64]:
    above, below = (sum(sums[..., count] for count in part) for part in _RATIOS[measure])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = 100 * above / below
    if not measure.startswith("micro"):
        return np.asarray(ratio)
    return np.where((below == 0) & (sums[..., Count.ITEMS] > 0), 0.0, ratio)
