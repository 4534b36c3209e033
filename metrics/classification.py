"""Binary classification of turns: accuracy, precision, recall, F1 and the majority baseline."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metrics.resampling import Values
from metrics.signature import DEFINITIONS_VERSION, Signature

Unparsed = Literal["wrong", "positive"]
Turns = Literal["all", "without_opening"]

# Predicted positive, predicted negative, not parsed; of the positive items, then of the negative ones. The opening
# turns fill the second half of the vector.
_CELLS = 6
_MEASURES = ("accuracy", "precision", "recall", "f1", "majority_accuracy", "majority_f1", "unparsed")


@dataclass(frozen=True)
class ClassificationScore:
    """Measures of a set of predictions, each 0-100; nan without items.

    Attributes:
        accuracy: Share of right predictions.
        precision: Of the positive class.
        recall: Of the positive class.
        f1: Of the positive class.
        majority_accuracy: Accuracy of giving every item the label that most of these items have.
        majority_f1: F1 of the same; of two equally frequent labels, the positive one is given.
        unparsed: Share of answers that could not be read, whatever they count as.
        items: Number of items.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float
    majority_accuracy: float
    majority_f1: float
    unparsed: float
    items: int


@dataclass(frozen=True)
class BinaryClassification:
    """Accuracy, and precision, recall and F1 of the positive class, with and without opening turns.

    The retrieval-turn classification of HealthDial (arXiv 2605.30107) reports accuracy alone, over all turns. The
    opening turn of each dialogue is a negative with an empty text, which lifts accuracy, and some three quarters of
    the turns are positive: so both sets of turns and the majority baseline are given. Equal to scikit-learn 1.9.1
    (``zero_division=0``) where every answer is parsed.

    | case | value | why |
    |---|---|---|
    | not parsed, ``unparsed="wrong"`` | right for no label, predicted positive for none | garbage earns nothing |
    | not parsed, ``unparsed="positive"`` | predicted positive | as HealthDial's released code |
    | nothing predicted positive | precision 0 | as scikit-learn |
    | no positive item | recall 0 | as scikit-learn |
    | neither | F1 0 | as scikit-learn |
    | no items | nan | a share of nothing |

    Three values, labels yes yes yes no: predictions yes yes no no accuracy 75, precision 100, recall 66.67, F1 80;
    all yes accuracy 75, F1 85.71 (the majority baseline); all unparsed 0 in all.

    Attributes:
        unparsed: What an answer that cannot be read counts as.
        turns: ``all`` or ``without_opening``; the statistics are the same.

    Raises:
        ValueError: If a setting is unknown.
    """

    unparsed: Unparsed = "wrong"
    turns: Turns = "all"
    name: ClassVar[str] = "classification"
    measures: ClassVar[tuple[str, ...]] = _MEASURES

    def __post_init__(self) -> None:
        if self.unparsed not in ("wrong", "positive"):
            raise ValueError(f"unparsed must be 'wrong' or 'positive', got {self.unparsed!r}")
        if self.turns not in ("all", "without_opening"):
            raise ValueError(f"turns must be 'all' or 'without_opening', got {self.turns!r}")

    def statistics(self, predicted: bool | None, label: bool, *, is_opening: bool) -> NDArray[np.float64]:
        """Counts of one item.

        Args:
            predicted: The prediction; None where the answer could not be read.
            label: The gold label.
            is_opening: Whether the item is the opening turn of its dialogue.

        Returns:
            Shape (12,): a one in the cell of the item.

        Raises:
            TypeError: If the prediction is neither a bool nor None, or the label is not a bool.
        """
        # The string "False" is true.
        if not (predicted is None or isinstance(predicted, (bool, np.bool_))):
            raise TypeError(f"the prediction is a {type(predicted).__name__}; pass True, False or None")
        if not isinstance(label, (bool, np.bool_)):
            raise TypeError(f"the label is a {type(label).__name__}; pass True or False")
        column = 2 if predicted is None else int(not predicted)
        counts = np.zeros(2 * _CELLS)
        counts[_CELLS * int(is_opening) + 3 * int(not label) + column] = 1
        return counts

    def values_of(self, measure: str) -> Values:
        """The function that `metrics.resampling` asks for.

        Args:
            measure: One of `measures`, named as the attributes of `ClassificationScore`.

        Returns:
            Turns sums of statistics, shape (..., 12), into values, 0-100, shape (...).

        Raises:
            ValueError: If the measure is unknown.
        """
        if measure not in _MEASURES:
            raise ValueError(f"unknown measure {measure!r}; expected one of {', '.join(_MEASURES)}")
        return partial(self._values, measure=measure)

    def score(self, sums: NDArray[np.float64]) -> ClassificationScore:
        """All measures of one sum of statistics, shape (12,)."""
        return ClassificationScore(
            **{measure: float(self._values(sums, measure)) for measure in _MEASURES},
            items=int(self._cells(sums).sum()),
        )

    def signature(self) -> Signature:
        """The metric's settings."""
        return Signature.of(self.name, turns=self.turns, unparsed=self.unparsed, v=DEFINITIONS_VERSION)

    def _cells(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shape (..., label, prediction): positive and negative by positive, negative and not parsed."""
        halves = sums.reshape(*sums.shape[:-1], 2, 2, 3)
        return halves[..., 0, :, :] if self.turns == "without_opening" else halves.sum(axis=-3)

    def _values(self, sums: NDArray[np.float64], measure: str) -> NDArray[np.float64]:
        cells = self._cells(sums)
        items = cells.sum(axis=(-2, -1))
        unparsed = cells[..., 2]
        as_positive = cells[..., 0] + (unparsed if self.unparsed == "positive" else 0)
        hits, predicted = as_positive[..., 0], as_positive.sum(axis=-1)
        positives, negatives = cells[..., 0, :].sum(axis=-1), cells[..., 1, :].sum(axis=-1)
        if measure == "accuracy":
            return _share(hits + cells[..., 1, 1], items, items)
        if measure == "precision":
            return _share(hits, predicted, items)
        if measure == "recall":
            return _share(hits, positives, items)
        if measure == "f1":
            return _share(2 * hits, predicted + positives, items)
        if measure == "majority_accuracy":
            return _share(np.maximum(positives, negatives), items, items)
        if measure == "majority_f1":
            return _share(np.where(positives >= negatives, 2 * positives, 0), items + positives, items)
        return _share(unparsed.sum(axis=-1), items, items)


def _share(part: NDArray[np.float64], whole: NDArray[np.float64], items: NDArray[np.float64]) -> NDArray[np.float64]:
    """100 * part / whole; 0 where the whole is 0, nan where there are no items."""
    share = 100 * part / np.where(whole > 0, whole, 1)
    return np.where(items > 0, share, np.nan)
