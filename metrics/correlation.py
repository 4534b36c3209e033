"""Correlation of two scores over answers or over systems, with bootstrap intervals over items."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metrics.resampling import DEFAULT_SEED, Estimate, bootstrap_interval

Array = NDArray[np.float64]
# A variance below this part of the mean square is rounding: the score is constant.
_CONSTANT = 1e-12


@dataclass(frozen=True)
class Correlation:
    """Correlation of two scores.

    Attributes:
        spearman: Of the ranks, -1 to 1, ties at their mean rank; nan where a score is constant.
        pearson: Of the values, -1 to 1; nan where a score is constant.
        observations: Answers or systems that were correlated.
    """

    spearman: Estimate
    pearson: Estimate
    observations: int


def correlate(
    first: Sequence[float],
    second: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = 2000,
    seed: int = DEFAULT_SEED,
) -> Correlation:
    """Correlate two scores of the same answers; equal to ``scipy.stats`` 1.17.1 ``spearmanr`` and ``pearsonr``.

    Args:
        first: One score an answer.
        second: The other score of the same answers in the same order.
        clusters: A label an answer, for instance its item: whole clusters are resampled. None: each answer alone.
        resamples: Resamples of the intervals.
        seed: Seed of the intervals.

    Raises:
        ValueError: The lengths differ, or there are fewer than two answers.
    """
    x, y = _checked(first, second, "answers")
    members = _members(range(len(x)) if clusters is None else clusters)
    x_codes, y_codes = (np.unique(scores, return_inverse=True)[1] for scores in (x, y))

    def pearson(drawn: Array) -> Array:
        return _weighted_pearson(x, y, drawn[..., members])

    def spearman(drawn: Array) -> Array:
        times = drawn[..., members]
        return _weighted_pearson(_mean_ranks(x_codes, times), _mean_ranks(y_codes, times), times)

    return _correlation(spearman, pearson, np.eye(members.max() + 1), len(x), resamples, seed)


def correlate_systems(
    first: Sequence[float],
    second: Sequence[float],
    systems: Sequence[Hashable],
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = 2000,
    seed: int = DEFAULT_SEED,
) -> Correlation:
    """Correlate the systems' means of two scores.

    Args:
        first: One score an answer.
        second: The other score of the same answers in the same order.
        systems: The system of each answer.
        clusters: A label an answer: whole clusters are resampled, the systems stay. None: each answer alone.
        resamples: Resamples of the intervals.
        seed: Seed of the intervals.

    Raises:
        ValueError: The lengths differ, or there are fewer than two systems.
    """
    from scipy.stats import rankdata

    x, y = _checked(first, second, "answers")
    of_system = _members(systems)
    size = int(of_system.max()) + 1
    if size < 2:
        raise ValueError("a correlation over systems needs at least two of them")
    belongs = np.eye(size)[of_system]
    members = _members(range(len(x)) if clusters is None else clusters)
    sums = np.zeros((members.max() + 1, 3 * size))
    np.add.at(sums, members, np.concatenate([belongs * x[:, None], belongs * y[:, None], belongs], axis=1))

    def means(drawn: Array) -> tuple[Array, Array]:
        count = drawn[..., 2 * size :]
        count = np.where(count > 0, count, np.nan)
        return drawn[..., :size] / count, drawn[..., size : 2 * size] / count

    def pearson(drawn: Array) -> Array:
        first_means, second_means = means(drawn)
        return _weighted_pearson(first_means, second_means, np.ones(size))

    def spearman(drawn: Array) -> Array:
        # Sums in another order differ in the last digits; equal means must share a rank.
        first_ranks, second_ranks = (rankdata(np.round(scores, 12), axis=-1) for scores in means(drawn))
        return _weighted_pearson(first_ranks, second_ranks, np.ones(size))

    return _correlation(spearman, pearson, sums, size, resamples, seed)


def _correlation(
    spearman: Callable[[Array], Array],
    pearson: Callable[[Array], Array],
    statistics: Array,
    observations: int,
    resamples: int,
    seed: int,
) -> Correlation:
    """Estimate both coefficients on the same resamples."""

    def estimated(values: Callable[[Array], Array]) -> Estimate:
        estimate = bootstrap_interval(statistics, values, resamples=resamples, seed=seed)
        return replace(estimate, items=observations)

    return Correlation(estimated(spearman), estimated(pearson), observations)


def _checked(first: Sequence[float], second: Sequence[float], what: str) -> tuple[Array, Array]:
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(
            f"{len(first)} and {len(second)} scores; a correlation needs two or more {what}, scored twice"
        )
    return np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)


def _members(labels: Sequence[Hashable] | range) -> NDArray[np.int64]:
    """A number for each label, in order of first appearance."""
    codes: dict[Hashable, int] = {}
    return np.array([codes.setdefault(label, len(codes)) for label in labels])


def _mean_ranks(codes: NDArray[np.int64], times: Array) -> Array:
    """Mean rank of each observation in a resample, as if each stood there as often as it was drawn.

    Args:
        codes: Position of each observation's value among the distinct values in order, shape (n,).
        times: How often each observation was drawn, shape (..., n).
    """
    of_value = times @ np.eye(codes.max() + 1)[codes]
    ranks = of_value.cumsum(axis=-1) - of_value + (of_value + 1) / 2
    return np.asarray(ranks[..., codes])


def _weighted_pearson(x: Array, y: Array, weights: Array) -> Array:
    """Pearson's coefficient over the last axis; nan where x or y is constant or nan."""
    total = weights.sum(axis=-1, keepdims=True)
    x_centred = x - (weights * x).sum(axis=-1, keepdims=True) / total
    y_centred = y - (weights * y).sum(axis=-1, keepdims=True) / total
    covariance = (weights * x_centred * y_centred).sum(axis=-1)
    x_variance, y_variance = ((weights * centred**2).sum(axis=-1) for centred in (x_centred, y_centred))
    x_size, y_size = ((weights * values**2).sum(axis=-1) for values in (x, y))
    varies = (x_variance > _CONSTANT * x_size) & (y_variance > _CONSTANT * y_size)
    scale = np.sqrt(np.where(varies, x_variance * y_variance, 1))
    return np.where(varies, np.clip(covariance / scale, -1, 1), np.nan)
