"""Intervals and paired tests for any metric defined by sufficient statistics; knows no metric by name.

Statistics are matrices of shape (items, d); `values` turns sums of rows, shape (..., d), into scores, shape (...).
A resample is a vector of counts, so all resamples of a chunk are one matrix product and one call of `values`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = Callable[[NDArray[np.float64]], NDArray[np.float64]]

DEFAULT_SEED = 12345
# Entries of a count matrix held at once, about 8 MB each; the draws do not depend on it.
_CHUNK_ENTRIES = 2**20
# Sums in another order differ in the last digits; a tie must stay a tie.
_TIE = 1e-9


@dataclass(frozen=True)
class Estimate:
    """A score with its bootstrap interval.

    Attributes:
        value: The score of all items.
        low: Lower end of the percentile interval; nan where it cannot be told.
        high: Upper end of the percentile interval; nan where it cannot be told.
        standard_error: Standard deviation of the resampled scores; nan where it cannot be told.
        items: Number of items (rows).
        undefined: Resamples in which the score was nan. They are left out of the interval: where this is not a
            small part of the resamples, the interval is that of the defined ones only.
    """

    value: float
    low: float
    high: float
    standard_error: float
    items: int
    undefined: int = 0


@dataclass(frozen=True)
class Difference:
    """The difference of two paired scores, first minus second, with its bootstrap interval.

    Attributes:
        value: The difference over all items.
        low: Lower end of the percentile interval; nan where it cannot be told.
        high: Upper end of the percentile interval; nan where it cannot be told.
        items: Number of paired items.
        undefined: Resamples in which either score was nan, left out of the interval.
    """

    value: float
    low: float
    high: float
    items: int
    undefined: int = 0


def bootstrap_interval(
    statistics: NDArray[np.float64],
    values: Values,
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = 2000,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
) -> Estimate:
    """Percentile bootstrap of a score (Efron and Tibshirani 1993, chapter 13; Koehn 2004 for BLEU).

    Args:
        statistics: Statistics of the items, shape (items, d).
        values: Turns sums, shape (..., d), into scores, shape (...).
        clusters: A label for each item, for instance its dialogue; whole clusters are drawn. None: each item alone.
        resamples: Number of resamples.
        seed: Seed; the same seed gives the same interval.
        level: Coverage of the interval, between 0 and 1.

    Returns:
        The score and its interval. With fewer than two items (or clusters) the ends and the standard error are nan:
        one item says nothing of the spread.

    Raises:
        ValueError: If a shape, `clusters`, `resamples` or `level` does not fit.
    """
    _check_resampling(resamples, level)
    units = _sum_by_cluster(statistics, clusters)
    value = float(values(units.sum(axis=0)))
    scores = _bootstrap(units, values, resamples, seed)
    low, high = _percentile_interval(scores, level)
    defined = scores[~np.isnan(scores)]
    return Estimate(
        value=value,
        low=low,
        high=high,
        standard_error=float(defined.std(ddof=1)) if defined.size > 1 else float("nan"),
        items=len(statistics),
        undefined=scores.size - defined.size,
    )


def paired_bootstrap(
    statistics_a: NDArray[np.float64],
    statistics_b: NDArray[np.float64],
    values: Values,
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = 2000,
    seed: int = DEFAULT_SEED,
    level: float = 0.95,
) -> Difference:
    """Percentile bootstrap of the difference of two scores on the same items (Koehn 2004).

    Both systems are scored on the same resamples.

    Args:
        statistics_a: Statistics of the first system, shape (items, d).
        statistics_b: Statistics of the second system on the same items in the same order, shape (items, d).
        values: Turns sums, shape (..., d), into scores, shape (...).
        clusters: A label for each item; whole clusters are drawn. None: each item alone.
        resamples: Number of resamples.
        seed: Seed.
        level: Coverage of the interval, between 0 and 1.

    Returns:
        Score of the first minus score of the second, with its interval (nan with fewer than two items or clusters).

    Raises:
        ValueError: If a shape, `clusters`, `resamples` or `level` does not fit.
    """
    _check_resampling(resamples, level)
    both = _paired(statistics_a, statistics_b)
    units = _sum_by_cluster(both, clusters)
    difference = _difference_of(values, both.shape[1] // 2)
    scores = _bootstrap(units, difference, resamples, seed)
    low, high = _percentile_interval(scores, level)
    return Difference(
        value=float(difference(units.sum(axis=0))),
        low=low,
        high=high,
        items=len(both),
        undefined=int(np.isnan(scores).sum()),
    )


def approximate_randomization(
    statistics_a: NDArray[np.float64],
    statistics_b: NDArray[np.float64],
    values: Values,
    *,
    clusters: Sequence[Hashable] | None = None,
    permutations: int = 10000,
    seed: int = DEFAULT_SEED,
) -> float:
    """Two-sided paired randomization test (Noreen 1989; Riezler and Maxwell 2005).

    Under the null hypothesis the two answers to an item could be exchanged. The p-value is the share of exchanges
    whose absolute difference is at least the observed one. Drawn exchanges: ``(hits + 1) / (permutations + 1)``.
    Where all exchanges of the n items that differ are no more than `permutations` (``2**n <= permutations``), each
    is taken once and ``p = hits / 2**n``, exactly.

    Args:
        statistics_a: Statistics of the first system, shape (items, d).
        statistics_b: Statistics of the second system on the same items in the same order, shape (items, d).
        values: Turns sums, shape (..., d), into scores, shape (...).
        clusters: A label for each item; the items of a cluster are exchanged together. None: each item alone.
        permutations: Number of exchanges drawn.
        seed: Seed.

    Returns:
        The p-value, above 0 and at most 1; nan where the observed difference is nan. An exchange whose difference is
        nan counts as a hit, which can only raise the p-value. 1.0 where no item differs.

    Raises:
        ValueError: If a shape, `clusters` or `permutations` does not fit.
    """
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations}")
    both = _paired(statistics_a, statistics_b)
    units = _sum_by_cluster(both, clusters)
    width = both.shape[1] // 2
    difference = _difference_of(values, width)
    total = units.sum(axis=0)
    observed = float(difference(total))
    if np.isnan(observed):
        return float("nan")
    # Exchanging a unit adds (b - a) to the first sum and takes it from the second; equal units change nothing.
    change = np.concatenate([units[:, width:] - units[:, :width], units[:, :width] - units[:, width:]], axis=1)
    change = change[np.any(change != 0, axis=1)]
    exact = len(change) < 63 and 2 ** len(change) <= permutations
    selections = _all_selections(len(change)) if exact else _drawn_selections(len(change), permutations, seed)
    threshold = abs(observed) - _TIE * max(1.0, abs(observed))
    hits = 0
    for selection in selections:
        permuted = np.abs(difference(total + selection @ change))
        hits += int(np.sum(np.isnan(permuted) | (permuted >= threshold)))
    return hits / 2 ** len(change) if exact else (hits + 1) / (permutations + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts p-values for the number of tests (Holm 1979), which keeps the family-wise error rate.

    Args:
        p_values: One p-value a test, 0-1. A test without a result (nan) counts as a test and stays nan.

    Returns:
        The adjusted p-values in the given order, at most 1.

    Raises:
        ValueError: If a p-value is below 0 or above 1.
    """
    for position, p_value in enumerate(p_values):
        if p_value < 0 or p_value > 1:
            raise ValueError(f"p-value {position} is {p_value}; expected 0 to 1, or nan")
    adjusted = [float("nan")] * len(p_values)
    largest = 0.0
    tested = (position for position, p_value in enumerate(p_values) if not np.isnan(p_value))
    for rank, position in enumerate(sorted(tested, key=lambda position: p_values[position])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted


def _check_resampling(resamples: int, level: float) -> None:
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}; 0.95 for a 95 % interval")


def _paired(statistics_a: NDArray[np.float64], statistics_b: NDArray[np.float64]) -> NDArray[np.float64]:
    if statistics_a.shape != statistics_b.shape:
        raise ValueError(
            f"paired statistics need the same shape, got {statistics_a.shape} and {statistics_b.shape}; "
            "align the two systems by item first"
        )
    return np.concatenate([_check_statistics(statistics_a), statistics_b], axis=1)


def _difference_of(values: Values, width: int) -> Values:
    return lambda sums: values(sums[..., :width]) - values(sums[..., width:])


def _check_statistics(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    if statistics.ndim != 2 or len(statistics) == 0:
        raise ValueError(f"statistics need shape (items, d) with at least one item, got {statistics.shape}")
    return statistics


def _sum_by_cluster(statistics: NDArray[np.float64], clusters: Sequence[Hashable] | None) -> NDArray[np.float64]:
    """Sums the rows of each cluster, clusters in order of first appearance; shape (clusters, d)."""
    _check_statistics(statistics)
    if clusters is None:
        return np.asarray(statistics, dtype=np.float64)
    if len(clusters) != len(statistics):
        raise ValueError(f"{len(clusters)} cluster labels for {len(statistics)} items; give one label an item")
    codes: dict[Hashable, int] = {}
    rows = [codes.setdefault(label, len(codes)) for label in clusters]
    sums = np.zeros((len(codes), statistics.shape[1]))
    np.add.at(sums, rows, statistics)
    return sums


def _bootstrap(units: NDArray[np.float64], values: Values, resamples: int, seed: int) -> NDArray[np.float64]:
    """Scores of the resamples, shape (resamples,); of none, shape (0,), where there are fewer than two units."""
    count = len(units)
    if count < 2:
        return np.empty(0)
    generator = np.random.default_rng(seed)
    scores = []
    for rows in _chunks(resamples, count):
        draws = generator.integers(count, size=(rows, count)) + count * np.arange(rows)[:, np.newaxis]
        counts = np.bincount(draws.ravel(), minlength=rows * count).reshape(rows, count)
        scores.append(values(counts.astype(np.float64) @ units))
    return np.concatenate(scores)


def _percentile_interval(scores: NDArray[np.float64], level: float) -> tuple[float, float]:
    defined = scores[~np.isnan(scores)]
    if defined.size == 0:
        return float("nan"), float("nan")
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _all_selections(count: int) -> Iterator[NDArray[np.float64]]:
    start = 0
    for rows in _chunks(2**count, max(count, 1)):
        numbers = np.arange(start, start + rows)[:, np.newaxis]
        yield ((numbers >> np.arange(count)) & 1).astype(np.float64)
        start += rows


def _drawn_selections(count: int, permutations: int, seed: int) -> Iterator[NDArray[np.float64]]:
    generator = np.random.default_rng(seed)
    for rows in _chunks(permutations, count):
        yield generator.integers(2, size=(rows, count)).astype(np.float64)


def _chunks(rows: int, columns: int) -> Iterator[int]:
    """Row counts of the chunks that make up a matrix, each of at most `_CHUNK_ENTRIES` entries where it can."""
    step = max(1, _CHUNK_ENTRIES // columns)
    for start in range(0, rows, step):
        yield min(step, rows - start)
