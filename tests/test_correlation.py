"""Correlations and their resamples against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from metrics.correlation import correlate, correlate_systems


def drawn(seed: int, count: int) -> tuple[list[float], list[float]]:
    generator = np.random.default_rng(seed)
    first = generator.choice([0, 0.25, 0.5, 0.75, 1], count)  # with ties
    return first.tolist(), (first + generator.normal(0, 0.4, count)).round(1).tolist()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_values_and_intervals_equal_scipy_on_each_resample(seed: int) -> None:
    first, second = drawn(seed, 24)
    items = [f"item {i // 2}" for i in range(24)]
    found = correlate(first, second, clusters=items, resamples=60, seed=9)
    assert found.spearman.value == pytest.approx(spearmanr(first, second).statistic)
    assert found.pearson.value == pytest.approx(pearsonr(first, second).statistic)
    generator = np.random.default_rng(9)
    expected: dict[str, list[float]] = {"spearman": [], "pearson": []}
    for draw in generator.integers(12, size=(60, 12)):
        rows = [row for cluster in draw for row in (2 * cluster, 2 * cluster + 1)]
        x, y = [first[row] for row in rows], [second[row] for row in rows]
        expected["spearman"].append(spearmanr(x, y).statistic)
        expected["pearson"].append(pearsonr(x, y).statistic)
    for name, values in expected.items():
        estimate = getattr(found, name)
        assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))
    assert found.observations == found.spearman.items == 24


def test_systems_are_correlated_by_their_means() -> None:
    first, second = drawn(5, 40)
    systems = [i % 5 for i in range(40)]
    found = correlate_systems(first, second, systems, clusters=[i // 5 for i in range(40)])
    means = [[np.mean(scores[system::5]) for system in range(5)] for scores in (first, second)]
    assert found.spearman.value == pytest.approx(spearmanr(*means).statistic)
    assert found.pearson.value == pytest.approx(pearsonr(*means).statistic)
    assert found.observations == 5
    assert -1 <= found.pearson.low < found.pearson.value <= found.pearson.high <= 1


def test_a_constant_score_has_no_correlation() -> None:
    found = correlate([0.1] * 6, [0, 1, 0, 1, 0.5, 1])
    assert math.isnan(found.spearman.value)
    assert math.isnan(found.pearson.value)


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="1 and 1 scores"):
        correlate([1], [1])
    with pytest.raises(ValueError, match="3 and 2 scores"):
        correlate([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="at least two"):
        correlate_systems([1, 2], [1, 2], ["x", "x"])
