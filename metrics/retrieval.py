"""Retrieval: recall, precision and F1 at k, MRR and nDCG of rankings, with the level of a random ranking."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metrics.resampling import Values
from metrics.signature import DEFINITIONS_VERSION, Signature

Convention = Literal["fixed", "shrinking"]
Ranking: TypeAlias = Sequence[str] | Mapping[str, float]


@dataclass(frozen=True)
class RetrievalScore:
    """Mean measures of a set of queries, each 0-100; nan without queries.

    Attributes:
        recall: R@k by cutoff.
        precision: P@k by cutoff.
        f1: Mean of the queries' F1@k by cutoff.
        mrr: Mean reciprocal rank of the first gold within the depth.
        ndcg: nDCG at the depth.
        units: What was averaged over: queries, or dialogues where `metrics.dialogue_items` weighed them alike.
    """

    recall: dict[int, float]
    precision: dict[int, float]
    f1: dict[int, float]
    mrr: float
    ndcg: float
    units: int


@dataclass(frozen=True)
class Retrieval:
    """Rank measures with binary relevance, averaged over queries.

    With h = gold ids among the first k and g = gold ids of the query: ``R@k = h / g``, ``P@k = h / k``,
    ``F1@k = 2 R P / (R + P) = 2 h / (k + g)``, ``MRR = 1 / rank of the first gold``, cut at `depth`,
    ``nDCG = sum of 1 / log2(1 + rank) over the gold ids in the first `depth` / the same sum for ranks 1 to
    min(g, depth)`` (Järvelin and Kekäläinen 2002). F1 is taken per query, then averaged. Equal to trec_eval
    (pytrec_eval-terrier 0.5.11: recall, P, ndcg_cut, recip_rank) on rankings without ties and repetitions.

    | parameter | released code of HealthDial (arXiv 2605.30107) | trec_eval's default | here |
    |---|---|---|---|
    | cutoffs | 1, 3, 5, 7, 10 | 5 to 1000 | 1, 3, 5, 7, 10 |
    | depth of MRR | 10 (its list's length) | whole ranking | 10 |
    | depth of nDCG | none computed | 5 to 1000 | 10 |
    | P@k divides by | distinct ids among the first k | k | k (``fixed``); as the release (``shrinking``) |
    | repeated ids | cut at k, then collapsed | not allowed | collapsed, then cut (``fixed``); as the release |
    | ties | order of the corpus | by id, descending | by id, ascending |

    | case | value | why |
    |---|---|---|
    | nothing retrieved | 0 in all | the release's 0 for what is undefined |
    | no gold id among the first k (or `depth`) | 0 | the same |
    | fewer than k retrieved, ``fixed`` | P@k still divides by k | a short list is not more precise |
    | fewer than k retrieved, ``shrinking`` | P@k divides by those retrieved | the release's choice |
    | an id repeated | counts at its first rank | recall must not exceed 1 |
    | empty gold | ValueError | such a query has no recall; it is no item |
    | no queries | nan | a mean of nothing |

    Three values, gold ``a b``: ranking ``a b`` R@1 50, P@1 100, MRR 100, nDCG 100; ``x a`` R@3 50, P@3 33.33
    (shrinking 50), MRR 50, nDCG 38.69; ``x y`` 0 in all.

    Attributes:
        cutoffs: The k of recall, precision and F1, ascending.
        depth: Ranks that MRR and nDCG look at.
        convention: ``fixed`` or ``shrinking``, see the table.

    Raises:
        ValueError: If the cutoffs are not ascending positive integers, the depth is not positive or the convention
            is unknown.
    """

    cutoffs: tuple[int, ...] = (1, 3, 5, 7, 10)
    depth: int = 10
    convention: Convention = "fixed"
    name: ClassVar[str] = "retrieval"

    def __post_init__(self) -> None:
        if not self.cutoffs or self.cutoffs[0] < 1 or list(self.cutoffs) != sorted(set(self.cutoffs)):
            raise ValueError(f"cutoffs must be ascending and at least 1, got {self.cutoffs}")
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, got {self.depth}")
        if self.convention not in ("fixed", "shrinking"):
            raise ValueError(f"convention must be 'fixed' or 'shrinking', got {self.convention!r}")

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures in the order of the statistics, for instance ``recall@1`` and ``mrr@10``."""
        at_cutoffs = (f"{kind}@{k}" for kind in ("recall", "precision", "f1") for k in self.cutoffs)
        return (*at_cutoffs, f"mrr@{self.depth}", f"ndcg@{self.depth}")

    def statistics(self, ranking: Ranking, gold: Collection[str]) -> NDArray[np.float64]:
        """Measures of one query.

        Args:
            ranking: Ids, best first, or a score for each id (higher is better); may be empty.
            gold: The relevant ids, at least one.

        Returns:
            Shape (len(measures) + 1,): the measures, 0-1, and 1.

        Raises:
            TypeError: If the ranking has no order, or an id is not a str.
            ValueError: If the gold is empty or a score is nan.
        """
        relevant = _check_gold(gold)
        ids = ranked_ids(ranking) if isinstance(ranking, Mapping) else _check_ids(ranking)
        distinct = list(dict.fromkeys(ids))
        listed = distinct if self.convention == "fixed" else ids
        ranks = np.array([listed.index(name) + 1 for name in distinct if name in relevant], dtype=np.int64)
        found = ranks[ranks <= self.depth]
        return self._vector(
            hits=np.array([np.sum(ranks <= k) for k in self.cutoffs], dtype=np.float64),
            retrieved=np.array([self._divisor(k, len(set(listed[:k]))) for k in self.cutoffs], dtype=np.float64),
            gold=len(relevant),
            reciprocal_rank=1 / int(found.min()) if found.size else 0.0,
            gain=float(_discounts(self.depth)[found - 1].sum()),
        )

    def chance_statistics(self, gold_count: int, corpus_size: int) -> NDArray[np.float64]:
        """Expected measures of one query under a ranking of the whole corpus drawn at random.

        With N snippets, g of them gold: ``E h = g min(k, N) / N``, and R, P and F1 are linear in h;
        ``E MRR = sum over r of 1/r * P(no gold before r) * g / (N - r + 1)``;
        ``E nDCG = g / N * sum over r of 1 / log2(1 + r)``, over its ideal.

        Args:
            gold_count: Gold ids of the query, at least 1.
            corpus_size: Number of ids that are ranked, at least `gold_count`.

        Returns:
            The expectation of `statistics`, the same shape: it is summed, weighed and resampled in the same way.

        Raises:
            ValueError: If a count does not fit.
        """
        if not 1 <= gold_count <= corpus_size:
            raise ValueError(f"expected 1 <= gold_count <= corpus_size, got {gold_count} and {corpus_size}")
        retrieved = np.minimum(self.cutoffs, corpus_size)
        ranks = min(self.depth, corpus_size)
        missing, reciprocal_rank = 1.0, 0.0
        for rank in range(1, ranks + 1):
            here = missing * gold_count / (corpus_size - rank + 1)
            reciprocal_rank += here / rank
            missing -= here
        return self._vector(
            hits=retrieved * gold_count / corpus_size,
            retrieved=np.array(
                [self._divisor(k, int(count)) for k, count in zip(self.cutoffs, retrieved, strict=True)],
                dtype=np.float64,
            ),
            gold=gold_count,
            reciprocal_rank=reciprocal_rank,
            gain=float(_discounts(ranks).sum()) * gold_count / corpus_size,
        )

    def values_of(self, measure: str) -> Values:
        """The function that `metrics.resampling` asks for.

        Args:
            measure: One of `measures`.

        Returns:
            Turns sums of statistics, shape (..., d), into mean measures, 0-100, shape (...); nan without queries.

        Raises:
            ValueError: If the measure is unknown.
        """
        if measure not in self.measures:
            raise ValueError(f"unknown measure {measure!r}; expected one of {', '.join(self.measures)}")
        return partial(_mean, column=self.measures.index(measure))

    def score(self, sums: NDArray[np.float64]) -> RetrievalScore:
        """All measures of one sum of statistics, shape (d,)."""
        means = {measure: float(self.values_of(measure)(sums)) for measure in self.measures}
        recall, precision, f1 = (
            {k: means[f"{kind}@{k}"] for k in self.cutoffs} for kind in ("recall", "precision", "f1")
        )
        mrr, ndcg = means[f"mrr@{self.depth}"], means[f"ndcg@{self.depth}"]
        return RetrievalScore(recall, precision, f1, mrr, ndcg, units=round(float(sums[-1])))

    def signature(self) -> Signature:
        """The metric's settings; add ``avg:micro`` or ``avg:macro`` for a single number."""
        return Signature.of(
            self.name,
            k=",".join(map(str, self.cutoffs)),
            depth=self.depth,
            convention=self.convention,
            gains="binary",
            ties="id",
            v=DEFINITIONS_VERSION,
        )

    def _divisor(self, k: int, retrieved: int) -> int:
        return k if self.convention == "fixed" else retrieved

    def _vector(
        self,
        hits: NDArray[np.float64],
        retrieved: NDArray[np.float64],
        gold: int,
        reciprocal_rank: float,
        gain: float,
    ) -> NDArray[np.float64]:
        precision = np.divide(hits, retrieved, out=np.zeros(len(hits)), where=retrieved > 0)
        ideal = _discounts(min(gold, self.depth)).sum()
        parts = (hits / gold, precision, 2 * hits / (retrieved + gold), [reciprocal_rank, gain / ideal, 1.0])
        return np.concatenate(parts)


def ranked_ids(scores: Mapping[str, float]) -> list[str]:
    """Orders ids by falling score, ties by rising id.

    The order of the mapping has no say, so a scorer that gives every id the same score gets no help from a corpus
    whose gold stands first.

    Args:
        scores: A score for each id.

    Returns:
        The ids, best first.

    Raises:
        TypeError: If an id is not a str.
        ValueError: If a score is nan.
    """
    numbers = {name: float(score) for name, score in scores.items()}
    for name, number in numbers.items():
        if math.isnan(number):
            raise ValueError(f"the score of {name!r} is nan and has no rank; leave the id out, or score it -inf")
    return sorted(_check_ids(list(numbers)), key=lambda name: (-numbers[name], name))


def _mean(sums: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * sums[..., column] / sums[..., -1])


def _discounts(ranks: int) -> NDArray[np.float64]:
    return 1 / np.log2(np.arange(2, ranks + 2))


def _check_gold(gold: Collection[str]) -> set[str]:
    if not gold:
        raise ValueError("the gold is empty: a query without gold has no recall; leave it out")
    if isinstance(gold, str):
        raise TypeError("the gold is one str; pass a collection of ids, also where there is only one")
    return set(_check_ids(list(gold)))


def _check_ids(ids: Sequence[str]) -> list[str]:
    if isinstance(ids, str) or not isinstance(ids, Sequence):
        raise TypeError(f"the ranking is a {type(ids).__name__}; pass ids in a list, best first, or scores by id")
    for name in ids:
        # An id of another type would match no gold and score 0 without a word.
        if not isinstance(name, str):
            raise TypeError(f"id {name!r} is a {type(name).__name__}, not a str")
    return list(ids)
