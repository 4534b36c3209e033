"""Comparisons of two systems by people: one verdict an item, counts, the sign test, a Bradley-Terry fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.resampling import DEFAULT_SEED, Estimate, bootstrap_interval

Verdict = Literal["a", "b", "both", "none"]

VERDICTS: tuple[Verdict, ...] = ("a", "b", "both", "none")
MERGE_RULE = "half_per_system"
"""Name of the rule of `merge_votes`, for signatures."""
_PRIOR_WINS = 0.5
_TOLERANCE = 1e-9
_MOST_ROUNDS = 10_000


def merge_votes(votes: Iterable[Verdict | None]) -> Verdict | None:
    """Merge the annotators' choices on one item into one verdict, by the rule ``half_per_system``.

    A vote calls A good if it is ``a`` or ``both``, B good if it is ``b`` or ``both``. A system is good where at least
    half of the votes call it so; the verdict says which are. Where more than half of the annotators chose the same
    option, the verdict is that option. The paper (arXiv 2504.05898, Table 2) gives no rule for merging.

    | votes | verdict | why |
    |---|---|---|
    | a a none | a | the choice of the majority |
    | a b | both | each is good to half; neither is better |
    | a b none | none | each is good to one of three |
    | a b both | both | each is good to two of three |
    | a both, a none | both, a | half is enough |
    | no votes | no verdict | the item is left out |

    Args:
        votes: One choice an annotator; None (no choice) does not count.

    Returns:
        The verdict; None without votes.

    Raises:
        ValueError: A vote is none of the four options.
    """
    given = [vote for vote in votes if vote is not None]
    if unknown := [vote for vote in given if vote not in VERDICTS]:
        raise ValueError(f"vote {unknown[0]!r} is not one of {', '.join(VERDICTS)}")
    if not given:
        return None
    a_is_good = 2 * sum(vote in ("a", "both") for vote in given) >= len(given)
    b_is_good = 2 * sum(vote in ("b", "both") for vote in given) >= len(given)
    if a_is_good:
        return "both" if b_is_good else "a"
    return "b" if b_is_good else "none"


def exchanged(vote: Verdict) -> Verdict:
    """Return the same vote with the two systems exchanged."""
    if vote == "a":
        return "b"
    return "a" if vote == "b" else vote


@dataclass(frozen=True)
class PreferenceCounts:
    """Items by verdict, as in the paper's Table 2.

    Attributes:
        a: Items on which A is better.
        b: Items on which B is better.
        both: Items on which both are good.
        none: Items on which both are poor.
    """

    a: int
    b: int
    both: int
    none: int

    @property
    def items(self) -> int:
        """Items with a verdict."""
        return self.a + self.b + self.both + self.none


def count_verdicts(verdicts: Sequence[Verdict | None]) -> PreferenceCounts:
    """Count verdicts; None (an item without votes) is left out."""
    return PreferenceCounts(**{verdict: verdicts.count(verdict) for verdict in VERDICTS})


@dataclass(frozen=True)
class SignTest:
    """Whether one of two systems is preferred more often.

    Attributes:
        p_value: Two-sided exact p-value; 1 where no item is decided.
        share: Share of the decided items that A wins, 0-1; nan where none is decided.
        low: Lower end of its exact (Clopper-Pearson) interval.
        high: Upper end.
        decided: Items on which A or B is better.
    """

    p_value: float
    share: float
    low: float
    high: float
    decided: int


def sign_test(counts: PreferenceCounts, *, level: float = 0.95) -> SignTest:
    """Exact sign test of A's against B's wins (Dixon and Mood 1946), by ``scipy.stats.binomtest``.

    Items with the verdict ``both`` or ``none`` say nothing of which is better and are left out. Three p-values: 20
    wins to 0 give 1.9e-6; 4 to 3 give 1; 0 to 0 gives 1.

    Args:
        counts: Items by verdict; the items are taken as independent.
        level: Coverage of the interval, between 0 and 1.
    """
    from scipy.stats import binomtest

    decided = counts.a + counts.b
    if not decided:
        return SignTest(1.0, float("nan"), float("nan"), float("nan"), 0)
    test = binomtest(counts.a, decided)
    interval = test.proportion_ci(confidence_level=level, method="exact")
    return SignTest(float(test.pvalue), counts.a / decided, float(interval.low), float(interval.high), decided)


@dataclass(frozen=True)
class Comparison:
    """A verdict on two systems' answers to one item.

    Attributes:
        item: The item, which is the unit of resampling.
        system_a: System A.
        system_b: System B.
        verdict: The verdict.
    """

    item: str
    system_a: str
    system_b: str
    verdict: Verdict


@dataclass(frozen=True)
class Strength:
    """A system's place in a Bradley-Terry fit.

    Attributes:
        system: Its name.
        estimate: Natural logarithm of its strength, the mean over all systems 0, with its interval. The difference
            d of two systems says that the first wins with probability ``1 / (1 + exp(-d))``.
        comparisons: Verdicts that it took part in.
    """

    system: str
    estimate: Estimate
    comparisons: int


def compared_groups(comparisons: Iterable[Comparison]) -> list[list[str]]:
    """Return the groups of systems that comparisons link, directly or through others; only these can be ranked."""
    groups: list[list[str]] = []
    for comparison in comparisons:
        pair = (comparison.system_a, comparison.system_b)
        touched = [group for group in groups if any(system in group for system in pair)]
        merged = list(dict.fromkeys([*(system for group in touched for system in group), *pair]))
        groups = [group for group in groups if group not in touched] + [merged]
    return groups


def bradley_terry(
    comparisons: Sequence[Comparison], *, resamples: int = 2000, seed: int = DEFAULT_SEED
) -> list[Strength]:
    """Fit one strength a system to all comparisons (Bradley and Terry 1952), by Hunter's (2004) MM iteration.

    A verdict ``both`` or ``none`` counts as half a win of each. Each compared pair gets half a win more on either
    side, without which a system that wins all its comparisons would be infinitely strong. The interval is a bootstrap
    over items. Two systems with w and l wins: the difference is ``log((w + 0.5) / (l + 0.5))``.

    Without the half wins the strengths are finite only if every system has beaten every other, directly or through
    others (Ford 1957). Where one or several won or lost all their comparisons with the rest, how far apart they stand
    is the half wins' doing, in every resample too, and so is the place of all systems, since the mean is 0. Then the
    intervals of all systems cannot be told: their ends and standard errors are nan, and `undefined` is `resamples`.
    Where a system lost only once or twice, resamples without the loss do the same, and the interval's outer end is no
    more than a lower bound.

    Args:
        comparisons: Verdicts; a pair may be compared on any number of items.
        resamples: Resamples of the intervals.
        seed: Seed of the intervals.

    Returns:
        The systems, strongest first.

    Raises:
        ValueError: There is no comparison, or the systems fall into groups that were never compared.
    """
    groups = compared_groups(comparisons)
    if len(groups) != 1:
        names = "; ".join(", ".join(group) for group in groups) or "none"
        raise ValueError(f"a Bradley-Terry fit needs one group of compared systems, got {names}; fit each alone")
    systems = groups[0]
    size = len(systems)
    wins = np.zeros((len(comparisons), size, size))
    for row, comparison in enumerate(comparisons):
        a, b = systems.index(comparison.system_a), systems.index(comparison.system_b)
        share = {"a": 1.0, "b": 0.0}.get(comparison.verdict, 0.5)
        wins[row, a, b], wins[row, b, a] = share, 1 - share
    total = wins.sum(axis=0)
    prior = _PRIOR_WINS * ((total + total.T) > 0)
    is_told = _is_finite_without_prior(total)

    def log_strength(sums: NDArray[np.float64], index: int) -> NDArray[np.float64]:
        return _fit(sums.reshape(*sums.shape[:-1], size, size) + prior)[..., index]

    strengths = []
    for index, system in enumerate(systems):
        estimate = bootstrap_interval(
            wins.reshape(len(comparisons), -1),
            partial(log_strength, index=index),
            clusters=[comparison.item for comparison in comparisons],
            resamples=resamples,
            seed=seed,
        )
        if not is_told:
            nan = float("nan")
            estimate = replace(estimate, low=nan, high=nan, standard_error=nan, undefined=resamples)
        part = sum(system in (c.system_a, c.system_b) for c in comparisons)
        strengths.append(Strength(system, estimate, part))
    return sorted(strengths, key=lambda strength: -strength.estimate.value)


def _is_finite_without_prior(wins: NDArray[np.float64]) -> bool:
    """Whether every system has beaten every other, directly or through others; shape (systems, systems)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    components, _ = connected_components(csr_array(wins), directed=True, connection="strong")
    return int(components) == 1


def _fit(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log strengths of tables of wins, shape (..., size, size) -> (..., size); row i, column j: i beat j."""
    met = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(axis=-1)
    logs = np.zeros(won.shape)
    for _ in range(_MOST_ROUNDS):
        strengths = np.exp(logs)
        expected = (met / (strengths[..., :, np.newaxis] + strengths[..., np.newaxis, :])).sum(axis=-1)
        new = np.log(won / expected)
        new -= new.mean(axis=-1, keepdims=True)
        change = np.abs(new - logs).max()
        logs = new
        if change < _TOLERANCE:
            break
    return logs
