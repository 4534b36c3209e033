"""Corpus-level BLEU-4 on the tokens of a named tokenizer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from metrics.corpus_metric import References, check_item
from metrics.signature import DEFINITIONS_VERSION, Signature
from metrics.thai_tokenizer import NewmmTokenizer, Tokenizer

_ORDER = 4
# References recur for every model that is scored.
_MEMO_REFERENCES = 4096

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class BleuScore:
    """BLEU with what it is made of.

    Attributes:
        score: BLEU, 0-100.
        precisions: Clipped n-gram precisions of orders 1 to 4, 0-100; 0 where the hypotheses have no such n-gram.
        brevity_penalty: 0-1; 1 where the hypotheses are longer than the references.
        hypothesis_length: Tokens of all hypotheses.
        reference_length: Tokens of the closest references.
    """

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int


@dataclass(frozen=True)
class Bleu:
    """Corpus BLEU-4 as in Table 1 of arXiv 2504.05898 (Papineni et al. 2002), without smoothing.

    ``BLEU = 100 * BP * (p1 * p2 * p3 * p4) ** (1/4)``, ``pn`` = clipped matches / n-grams of the hypotheses, both
    summed over the corpus, ``BP = 1 if hyp > ref else exp(1 - ref / hyp)``. With several references the counts are
    clipped by the largest count in any of them, and ``ref`` adds the length closest to the hypothesis (the shorter
    of two equally close). Equal to sacrebleu 2.6.0 on the same tokens with ``tokenize="none"``,
    ``smooth_method="none"``.

    | parameter | paper | sacrebleu's default | here |
    |---|---|---|---|
    | order | 4 | 4 | 4 |
    | smoothing | none | exp | none |
    | tokenizer | newmm, spaces kept | 13a | `tokenizer`, default as the paper |
    | case | raw | mixed | raw |

    | case | value | why |
    |---|---|---|
    | empty hypothesis | adds only to the reference length | nothing was said, the brevity penalty grows |
    | all hypotheses empty | 0 | no n-gram matches |
    | empty reference | adds only to the hypothesis's length and n-gram totals | nothing can match |
    | an order without any match, or without any n-gram | 0 | no smoothing; so three equal tokens score 0 |

    Three values: ``ผมชอบกินข้าวเหนียวกับส้มตำ`` against itself 100; against ``ผมชอบกินข้าวเหนียวกับส้มตำมาก`` 84.65
    (only BP, 6 tokens to 7); against ``ผมชอบกินข้าวเหนียวกับไก่ย่าง`` 75.98 (6 tokens with 5, 4, 3, 2 matches
    of 6, 5, 4, 3).

    Attributes:
        tokenizer: Splits hypotheses and references.
    """

    tokenizer: Tokenizer = field(default_factory=NewmmTokenizer)
    name: ClassVar[str] = "bleu"

    def statistics(self, hypothesis: str, references: References) -> NDArray[np.float64]:
        """Counts lengths, matches and n-grams of one item.

        Args:
            hypothesis: The answer; may be empty.
            references: At least one reference; may be empty texts.

        Returns:
            Shape (10,): hypothesis length, reference length, matches of orders 1-4, n-grams of orders 1-4.

        Raises:
            TypeError: If something is not a str.
            ValueError: If there is no reference.
        """
        check_item(hypothesis, references)
        tokens = self.tokenizer.tokenize(hypothesis)
        targets = [self.tokenizer.tokenize(reference) for reference in references]
        closest = min((len(target) for target in targets), key=lambda length: (abs(length - len(tokens)), length))
        matches = [
            _clipped_matches(tokens, order, [_reference_ngrams(target)[order - 1] for target in targets])
            for order in range(1, _ORDER + 1)
        ]
        totals = [max(len(tokens) - order + 1, 0) for order in range(1, _ORDER + 1)]
        return np.array([len(tokens), closest, *matches, *totals], dtype=np.float64)

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """BLEU of sums of statistics.

        Args:
            sums: Shape (..., 10).

        Returns:
            BLEU, 0-100, shape (...).
        """
        matches, totals = sums[..., 2 : 2 + _ORDER], sums[..., 2 + _ORDER :]
        defined = np.all(matches > 0, axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_precision = np.log(matches / totals).mean(axis=-1)
        return np.where(defined, 100 * _brevity_penalty(sums) * np.exp(log_precision), 0.0)

    def score(self, sums: NDArray[np.float64]) -> BleuScore:
        """BLEU of one sum of statistics with its parts.

        Args:
            sums: Shape (10,).

        Returns:
            The score, its precisions, its brevity penalty and both lengths.
        """
        matches, totals = sums[2 : 2 + _ORDER], sums[2 + _ORDER :]
        precisions = np.divide(100 * matches, totals, out=np.zeros(_ORDER), where=totals > 0)
        return BleuScore(
            score=float(self.values(sums)),
            precisions=tuple(precisions.tolist()),
            brevity_penalty=float(_brevity_penalty(sums)),
            hypothesis_length=int(sums[0]),
            reference_length=int(sums[1]),
        )

    def signature(self) -> Signature:
        """The metric's settings, the tokenizer's with them, for one reference an item."""
        return (
            Signature.of(self.name, nrefs=1, order=_ORDER, smooth="none")
            .with_fields(**self.tokenizer.signature_fields())
            .with_fields(v=DEFINITIONS_VERSION)
        )


def _brevity_penalty(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    hypothesis, reference = sums[..., 0], sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        shorter = np.exp(1 - reference / hypothesis)
    return np.where(hypothesis > reference, 1.0, np.where(hypothesis > 0, shorter, 0.0))


def _ngrams(tokens: Tokens, order: int) -> Iterator[Tokens]:
    return zip(*(tokens[start:] for start in range(order)), strict=False)


@lru_cache(maxsize=_MEMO_REFERENCES)
def _reference_ngrams(tokens: Tokens) -> tuple[Counter[Tokens], ...]:
    return tuple(Counter(_ngrams(tokens, order)) for order in range(1, _ORDER + 1))


def _clipped_matches(tokens: Tokens, order: int, references: list[Counter[Tokens]]) -> int:
    limits = references[0]
    for counts in references[1:]:
        limits = limits | counts
    # Only n-grams that some reference holds are counted: most of a long answer's are in none.
    found = Counter(filter(limits.__contains__, _ngrams(tokens, order)))
    return sum(min(count, limits[ngram]) for ngram, count in found.items())
