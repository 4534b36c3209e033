"""The shape of every corpus-level metric: an item becomes a short vector, a sum of vectors becomes a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from metrics.signature import Signature

References = Sequence[str]


class CorpusMetric(Protocol):
    """A metric defined by sufficient statistics.

    Statistics are additive: the score of a corpus is a function of the sum of its items' vectors. So shards are
    merged by addition, and `metrics.resampling` works on any metric without knowing it.
    """

    @property
    def name(self) -> str:
        """Short name in lower case, for instance ``rouge_l``."""
        ...

    def statistics(self, hypothesis: str, references: References) -> NDArray[np.float64]:
        """Counts what the score needs of one item; shape (d,), the same d for every item."""
        ...

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turns sums of statistics, shape (..., d), into scores on the 0-100 scale, shape (...)."""
        ...

    def signature(self) -> Signature:
        """Says how the score comes about, for one reference an item."""
        ...


@dataclass(frozen=True)
class CorpusScore:
    """The score of a corpus.

    Attributes:
        value: The score, 0-100.
        sums: Sum of the items' statistics, shape (d,).
        items: Number of items.
        signature: How the score came about.
    """

    value: float
    sums: NDArray[np.float64]
    items: int
    signature: Signature


def check_item(hypothesis: str, references: References) -> None:
    """Refuses what is not one hypothesis with its references.

    A float NaN from a table reader, None, or a bare string in place of the list of references would otherwise be
    scored without a word.

    Args:
        hypothesis: One answer; may be empty.
        references: At least one reference; each may be empty.

    Raises:
        TypeError: If the hypothesis or a reference is not a str, or the references are themselves a str.
        ValueError: If there is no reference.
    """
    if not isinstance(hypothesis, str):
        raise TypeError(f"the hypothesis is a {type(hypothesis).__name__}, not a str; read missing answers as ''")
    if isinstance(references, str):
        raise TypeError("the references are one str; pass a list of them, also where there is only one")
    if not references:
        raise ValueError("the item has no reference; leave it out, or pass [''] to score it against nothing")
    for reference in references:
        if not isinstance(reference, str):
            raise TypeError(f"a reference is a {type(reference).__name__}, not a str; leave items without one out")


def corpus_statistics(
    metric: CorpusMetric, hypotheses: Sequence[str], references: Sequence[References | str]
) -> NDArray[np.float64]:
    """Counts the statistics of every item of a corpus.

    Args:
        metric: The metric.
        hypotheses: One answer an item.
        references: For each item its references, or its only reference as a str.

    Returns:
        The statistics, shape (items, d), ready for `metrics.resampling`.

    Raises:
        ValueError: If the lists differ in length or are empty, or an item has no reference.
        TypeError: If an item holds something else than strings; the message names its position.
    """
    if len(hypotheses) != len(references):
        raise ValueError(
            f"{metric.name}: {len(hypotheses)} hypotheses but {len(references)} references; they must be aligned"
        )
    if not hypotheses:
        raise ValueError(f"{metric.name}: no items to score")
    items = enumerate(zip(hypotheses, references, strict=True))
    return np.stack([_item_statistics(metric, position, *item) for position, item in items])


def corpus_score(
    metric: CorpusMetric, hypotheses: Sequence[str], references: Sequence[References | str]
) -> CorpusScore:
    """Scores a corpus.

    Args:
        metric: The metric.
        hypotheses: One answer an item.
        references: For each item its references, or its only reference as a str.

    Returns:
        The score; ``nrefs`` of its signature is the number of references an item, ``var`` where items differ.

    Raises:
        ValueError: If the lists differ in length or are empty, or an item has no reference.
        TypeError: If an item holds something else than strings.
    """
    sums = corpus_statistics(metric, hypotheses, references).sum(axis=0)
    counts = {len(_as_list(item)) for item in references}
    nrefs = str(counts.pop()) if len(counts) == 1 else "var"
    return CorpusScore(
        value=float(metric.values(sums)),
        sums=sums,
        items=len(hypotheses),
        signature=metric.signature().with_fields(nrefs=nrefs),
    )


def _item_statistics(
    metric: CorpusMetric, position: int, hypothesis: str, references: References | str
) -> NDArray[np.float64]:
    try:
        return metric.statistics(hypothesis, _as_list(references))
    except (TypeError, ValueError) as error:
        # Not its own type: some, such as UnicodeError's kinds, are not made of a message.
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{metric.name}, item {position}: {error}") from error


def _as_list(references: References | str) -> References:
    return [references] if isinstance(references, str) else references
