"""ROUGE-L: longest common subsequence F1 on the tokens of a named tokenizer, averaged over items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rapidfuzz.distance import LCSseq

from metrics.corpus_metric import References, check_item
from metrics.signature import DEFINITIONS_VERSION, Signature
from metrics.thai_tokenizer import NewmmTokenizer, Tokenizer


@dataclass(frozen=True)
class RougeScore:
    """ROUGE-L of a corpus.

    Attributes:
        score: Mean of the items' F1, 0-100; nan without items.
        items: Number of items.
    """

    score: float
    items: int


@dataclass(frozen=True)
class RougeL:
    """ROUGE-L (Lin 2004) as in Table 1 of arXiv 2504.05898, aggregated by the plain mean.

    ``F1 = 2 * LCS / (tokens of the hypothesis + tokens of the reference)`` (beta 1), the largest over several
    references, then the mean over items times 100. An item's F1 equals rouge_score 0.1.2 with the same tokenizer.
    The paper's numbers are the median of an unseeded bootstrap of that mean instead (`bootstrap_median`); they lie
    within 1.0 (question answering) and 0.2 (summarization) of the mean.

    | parameter | paper | rouge_score's default | here |
    |---|---|---|---|
    | tokenizer | newmm, spaces kept | ASCII letters and digits only | `tokenizer`, default as the paper |
    | stemming, lower-casing | none | lower case | none |
    | beta | 1 | 1 | 1 |
    | aggregation | median of 1000 resamples | the same | mean |

    | case | value | why |
    |---|---|---|
    | empty hypothesis or empty reference | 0 | nothing matches |
    | both empty | 0 | as rouge_score; an item without a reference should be left out |
    | no items | nan | a mean of nothing |

    Three values: ``ผมชอบกินข้าวเหนียวกับส้มตำ`` against itself 100; against ``ผมชอบกินข้าวเหนียวกับไก่ย่าง`` 83.33
    (5 of 6 tokens); against ``ส้มตำกับข้าวเหนียว`` 22.22 (one of 6 and 3 tokens in order).

    Attributes:
        tokenizer: Splits hypotheses and references.
    """

    tokenizer: Tokenizer = field(default_factory=NewmmTokenizer)
    name: ClassVar[str] = "rouge_l"

    def statistics(self, hypothesis: str, references: References) -> NDArray[np.float64]:
        """F1 of one item.

        Args:
            hypothesis: The answer; may be empty.
            references: At least one reference; may be empty texts.

        Returns:
            Shape (2,): F1 (0-1) and 1.

        Raises:
            TypeError: If something is not a str.
            ValueError: If there is no reference.
        """
        check_item(hypothesis, references)
        tokens = self.tokenizer.tokenize(hypothesis)
        return np.array([max(_f1(tokens, self.tokenizer.tokenize(reference)) for reference in references), 1.0])

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """ROUGE-L of sums of statistics.

        Args:
            sums: Shape (..., 2).

        Returns:
            Mean F1, 0-100, shape (...); nan where there are no items.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(100 * sums[..., 0] / sums[..., 1])

    def score(self, sums: NDArray[np.float64]) -> RougeScore:
        """ROUGE-L of one sum of statistics.

        Args:
            sums: Shape (2,).

        Returns:
            The score and the number of items.
        """
        return RougeScore(score=float(self.values(sums)), items=int(sums[1]))

    def signature(self) -> Signature:
        """The metric's settings, the tokenizer's with them, for one reference an item."""
        return (
            Signature.of(self.name, nrefs=1, beta=1, mean="plain")
            .with_fields(**self.tokenizer.signature_fields())
            .with_fields(v=DEFINITIONS_VERSION)
        )


def bootstrap_median(f1_scores: ArrayLike, *, seed: int, resamples: int = 1000) -> float:
    """Aggregates F1 scores as the paper's code does, with a seed.

    The value that `rouge_score.scoring.BootstrapAggregator` (0.1.2) calls ``mid`` after ``numpy.random.seed(seed)``
    where it aggregates one kind of score. The paper's run had no known seed: its s.d. is 0.13-0.35 for question
    answering and 0.03-0.08 for summarization (20 items each).

    Args:
        f1_scores: F1 of each item, 0-1, shape (items,).
        seed: Seed of NumPy's legacy generator.
        resamples: Number of resamples.

    Returns:
        Median of the resampled means, 0-100.

    Raises:
        ValueError: If there are no items.
    """
    scores = np.asarray(f1_scores, dtype=np.float64)
    if scores.ndim != 1 or scores.size == 0:
        raise ValueError(f"bootstrap_median needs one score an item, shape (items,); got shape {scores.shape}")
    generator = np.random.RandomState(seed)
    draws = generator.randint(0, scores.size, size=(resamples, scores.size))
    return float(100 * np.median(scores[draws].mean(axis=1)))


def _f1(hypothesis: Sequence[str], reference: Sequence[str]) -> float:
    tokens = len(hypothesis) + len(reference)
    return 2 * LCSseq.similarity(hypothesis, reference) / tokens if tokens else 0.0
