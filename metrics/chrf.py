"""Corpus-level chrF and chrF++, equal to sacrebleu's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metrics.corpus_metric import References, check_item
from metrics.signature import DEFINITIONS_VERSION, Signature
from metrics.thai_normalization import check_normalization, normalize

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRF

_CHARACTER_ORDER = 6
_BETA = 2
_NAMES = {0: "chrf", 2: "chrf_plus_plus"}


@dataclass(frozen=True)
class Chrf:
    """Character n-gram F-score, chrF (Popović 2015) or chrF++ (Popović 2017), as in sacrebleu 2.6.0.

    Per order, precision and recall of the n-gram counts summed over the corpus; their averages P and R over the
    orders that occur in hypotheses and references; ``100 * (1 + b*b) * P * R / (b*b * P + R)`` with b = 2.
    sacrebleu counts, with its defaults (white space removed, case kept); of several references it takes the item's
    best. No word tokenizer is needed for chrF. The word n-grams of chrF++ are between spaces, so in Thai they are
    whole phrases: chrF++ is up to 12 points lower there and says less.

    The release of arXiv 2504.05898 has a column named ``chrF++`` that holds chrF (word order 0).

    | parameter | release | sacrebleu's default | here |
    |---|---|---|---|
    | character order | 6 | 6 | 6 |
    | word order | 0 | 0 | 0 (chrF) or 2 (chrF++) |
    | beta | 2 | 2 | 2 |
    | white space | removed | removed | removed |

    | case | value | why |
    |---|---|---|
    | empty hypothesis | adds only to the reference counts | recall falls |
    | empty reference | adds nothing | sacrebleu counts no n-grams without a reference |
    | nothing matches, or all empty | 0 | no order occurs on both sides |

    Three values (chrF): ``ผมชอบส้มตำ`` against itself 100; against ``ผมชอบส้มตำมาก`` 75.04; against ``ผมชอบไก่ย่าง``
    24.75.

    Attributes:
        word_order: 0 for chrF, 2 for chrF++.
        normalization: Name of a normalisation of `metrics.thai_normalization`, applied before.

    Raises:
        ValueError: If the word order is neither 0 nor 2, or the normalisation is unknown.
    """

    word_order: int = 0
    normalization: str = "raw"

    def __post_init__(self) -> None:
        if self.word_order not in _NAMES:
            raise ValueError(f"word_order must be 0 (chrF) or 2 (chrF++), got {self.word_order!r}")
        check_normalization(self.normalization)

    @property
    def name(self) -> str:
        """``chrf`` or ``chrf_plus_plus``."""
        return _NAMES[self.word_order]

    def statistics(self, hypothesis: str, references: References) -> NDArray[np.float64]:
        """Counts n-grams of one item.

        Args:
            hypothesis: The answer; may be empty.
            references: At least one reference; may be empty texts.

        Returns:
            Shape (3 * (6 + word_order),): for each order hypothesis n-grams, reference n-grams and matches.

        Raises:
            TypeError: If something is not a str.
            ValueError: If there is no reference.
        """
        check_item(hypothesis, references)
        counts = _sacrebleu_chrf(self.word_order)._extract_corpus_statistics(
            [normalize(hypothesis, self.normalization)],
            [[normalize(reference, self.normalization)] for reference in references],
        )
        return np.array(counts[0], dtype=np.float64)

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """chrF of sums of statistics.

        Args:
            sums: Shape (..., 3 * (6 + word_order)).

        Returns:
            chrF, 0-100, shape (...).
        """
        by_order = sums.reshape(*sums.shape[:-1], _CHARACTER_ORDER + self.word_order, 3)
        hypothesis, reference, matches = by_order[..., 0], by_order[..., 1], by_order[..., 2]
        occurs = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(occurs.sum(axis=-1), 1)
        precision = np.where(occurs, matches / np.maximum(hypothesis, 1), 0).sum(axis=-1) / orders
        recall = np.where(occurs, matches / np.maximum(reference, 1), 0).sum(axis=-1) / orders
        weighted = _BETA**2 * precision + recall
        with np.errstate(divide="ignore", invalid="ignore"):
            score = 100 * (1 + _BETA**2) * precision * recall / weighted
        return np.where(weighted > 0, score, 0.0)

    def signature(self) -> Signature:
        """The metric's settings and sacrebleu's version, for one reference an item."""
        return Signature.of(
            self.name,
            nrefs=1,
            case="raw",
            nc=_CHARACTER_ORDER,
            nw=self.word_order,
            beta=_BETA,
            space="dropped",
            norm=self.normalization,
            sacrebleu=version("sacrebleu"),
            v=DEFINITIONS_VERSION,
        )


@lru_cache(maxsize=len(_NAMES))
def _sacrebleu_chrf(word_order: int) -> CHRF:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(char_order=_CHARACTER_ORDER, word_order=word_order, beta=_BETA)
