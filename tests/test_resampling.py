"""Bootstrap intervals and paired tests, against plain loops and values worked out by hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from metrics import resampling
from metrics.resampling import Values, approximate_randomization, bootstrap_interval, holm, paired_bootstrap

Array = NDArray[np.float64]


def mean(sums: Array) -> Array:
    """Of statistics (value, 1)."""
    return np.asarray(sums[..., 0] / sums[..., 1])


def ratio_of_products(sums: Array) -> Array:
    """A score that is not a mean of item scores."""
    return np.asarray(100 * sums[..., 0] * sums[..., 1] / (sums[..., 2] ** 2 + 1))


def items(values: list[float] | Array) -> Array:
    return np.column_stack([values, np.ones(len(values))])


def sample(rows: int, columns: int, seed: int) -> Array:
    return np.random.default_rng(seed).integers(0, 9, size=(rows, columns)).astype(float)


def loop_bootstrap(statistics: Array, score: Callable[[Array], float], resamples: int, seed: int) -> list[float]:
    """The reference: draws of whole rows, one resample after the other."""
    generator = np.random.default_rng(seed)
    scores = []
    for _ in range(resamples):
        draw = generator.integers(len(statistics), size=len(statistics))
        total = np.zeros(statistics.shape[1])
        for row in draw:
            total += statistics[row]
        scores.append(score(total))
    return scores


@pytest.mark.parametrize("rows", [2, 7, 33])
def test_interval_equals_a_plain_loop(rows: int) -> None:
    statistics = sample(rows, 3, seed=rows)
    scores = loop_bootstrap(statistics, lambda total: float(ratio_of_products(total)), 300, seed=5)
    estimate = bootstrap_interval(statistics, ratio_of_products, resamples=300, seed=5, level=0.9)
    assert estimate.value == pytest.approx(float(ratio_of_products(statistics.sum(axis=0))))
    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(scores, [0.05, 0.95])))
    assert estimate.standard_error == pytest.approx(np.std(scores, ddof=1))
    assert (estimate.items, estimate.undefined) == (rows, 0)


def test_standard_error_of_a_mean_is_the_known_one() -> None:
    values = np.random.default_rng(0).normal(50, 10, size=200)
    estimate = bootstrap_interval(items(values), mean, resamples=4000)
    assert estimate.standard_error == pytest.approx(values.std() / np.sqrt(200), rel=0.05)
    assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(200), rel=0.05)


def test_draws_do_not_depend_on_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = sample(9, 3, seed=1)
    other = sample(9, 3, seed=2)
    whole = bootstrap_interval(statistics, ratio_of_products, resamples=101)
    p_value = approximate_randomization(statistics, other, ratio_of_products, permutations=101)
    p_exact = approximate_randomization(statistics, other, ratio_of_products)
    monkeypatch.setattr(resampling, "_CHUNK_ENTRIES", 20)
    assert bootstrap_interval(statistics, ratio_of_products, resamples=101) == whole
    assert approximate_randomization(statistics, other, ratio_of_products, permutations=101) == p_value
    assert approximate_randomization(statistics, other, ratio_of_products) == p_exact


def test_same_seed_same_interval() -> None:
    statistics = sample(20, 3, seed=3)
    first = bootstrap_interval(statistics, ratio_of_products, seed=1)
    assert bootstrap_interval(statistics, ratio_of_products, seed=1) == first
    assert bootstrap_interval(statistics, ratio_of_products, seed=2) != first


def test_a_cluster_is_drawn_as_a_whole() -> None:
    statistics = sample(12, 3, seed=4)
    clusters = ["d3", "d1", "d3", "d2", "d1", "d1", "d2", "d4", "d5", "d5", "d4", "d4"]
    order = list(dict.fromkeys(clusters))
    summed = np.stack([statistics[[label == name for label in clusters]].sum(axis=0) for name in order])
    expected = bootstrap_interval(summed, ratio_of_products)
    estimate = bootstrap_interval(statistics, ratio_of_products, clusters=clusters)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))
    assert estimate.items == 12


def test_copies_of_items_in_one_cluster_do_not_narrow_the_interval() -> None:
    values = np.random.default_rng(6).random(30)
    once = bootstrap_interval(items(values), mean)
    copied = items(np.repeat(values, 4))
    clustered = bootstrap_interval(copied, mean, clusters=list(np.repeat(np.arange(30), 4)))
    assert (clustered.low, clustered.high) == pytest.approx((once.low, once.high))
    assert bootstrap_interval(copied, mean).standard_error < 0.6 * once.standard_error


def test_undefined_resamples_are_left_out_and_counted() -> None:
    # The score is undefined unless the resample holds one of the two rows that count.
    statistics = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])

    def score(sums: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return mean(sums)

    scores = np.array(loop_bootstrap(statistics, lambda total: float(score(total)), 500, seed=9))
    undefined = int(np.isnan(scores).sum())
    estimate = bootstrap_interval(statistics, score, resamples=500, seed=9)
    assert estimate.undefined == undefined > 0
    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.nanquantile(scores, [0.025, 0.975])))
    assert estimate.standard_error == pytest.approx(np.nanstd(scores, ddof=1))
    difference = paired_bootstrap(statistics, statistics, score, resamples=500, seed=9)
    assert difference.undefined == undefined


def test_a_score_that_is_never_defined_has_no_interval() -> None:
    estimate = bootstrap_interval(np.ones((3, 1)), lambda sums: np.full(sums.shape[:-1], np.nan), resamples=10)
    assert np.isnan([estimate.value, estimate.low, estimate.high, estimate.standard_error]).all()
    assert estimate.undefined == 10


@pytest.mark.parametrize("clusters", [None, ["a"]])
def test_one_item_has_a_value_but_no_interval(clusters: list[str] | None) -> None:
    estimate = bootstrap_interval(items([0.5]), mean, clusters=clusters)
    assert estimate.value == 0.5
    assert np.isnan([estimate.low, estimate.high, estimate.standard_error]).all()
    difference = paired_bootstrap(items([0.5]), items([0.2]), mean, clusters=clusters)
    assert difference.value == pytest.approx(0.3)
    assert np.isnan([difference.low, difference.high]).all()


def test_paired_difference_equals_a_plain_loop() -> None:
    first, second = sample(15, 3, seed=10), sample(15, 3, seed=11)
    scores = loop_bootstrap(
        np.concatenate([first, second], axis=1),
        lambda total: float(ratio_of_products(total[:3]) - ratio_of_products(total[3:])),
        200,
        seed=3,
    )
    difference = paired_bootstrap(first, second, ratio_of_products, resamples=200, seed=3)
    total = ratio_of_products(first.sum(axis=0)) - ratio_of_products(second.sum(axis=0))
    assert difference.value == pytest.approx(float(total))
    assert (difference.low, difference.high) == pytest.approx(tuple(np.quantile(scores, [0.025, 0.975])))
    assert difference.items == 15


def test_pairing_takes_the_difficulty_of_items_out() -> None:
    difficulty = np.random.default_rng(12).random(40)
    difference = paired_bootstrap(items(difficulty + 0.01), items(difficulty), mean)
    assert (difference.low, difference.high) == pytest.approx((0.01, 0.01))


# The sums +-1 +-2 +-3 reach an absolute 6 in 2 of 8 ways, +-1 +-2 +-2 an absolute 3 in 4 of 8, +-1 +-1 a 0 in all.
@pytest.mark.parametrize(
    ("differences", "p_value"),
    [([1, 2, 3], 2 / 8), ([1, -2, -2], 4 / 8), ([1, -1], 1.0), ([5], 1.0), ([0, 0, 0], 1.0), ([0, 1, 2, 3, 0], 2 / 8)],
)
def test_exact_p_values_by_hand(differences: list[float], p_value: float) -> None:
    other = np.arange(len(differences), dtype=float)
    assert approximate_randomization(items(other + differences), items(other), mean) == p_value


def test_exact_p_value_equals_a_plain_enumeration() -> None:
    first, second = sample(8, 3, seed=13), sample(8, 3, seed=14)

    def difference(flips: tuple[int, ...]) -> float:
        chosen = np.array(flips)[:, np.newaxis]
        a, b = np.where(chosen, second, first), np.where(chosen, first, second)
        return abs(float(ratio_of_products(a.sum(axis=0)) - ratio_of_products(b.sum(axis=0))))

    permuted = [difference(flips) for flips in itertools.product((0, 1), repeat=8)]
    expected = np.mean([value >= permuted[0] - 1e-9 for value in permuted])
    assert approximate_randomization(first, second, ratio_of_products) == pytest.approx(expected)
    drawn = approximate_randomization(first, second, ratio_of_products, permutations=255, seed=1)
    assert drawn != expected
    assert drawn == pytest.approx(expected, abs=0.1)


def test_drawn_p_value_is_never_zero_and_comes_near_the_exact_one() -> None:
    better = items(np.full(30, 1.0)), items(np.full(30, 0.0))
    assert approximate_randomization(*better, mean, permutations=999) == 1 / 1000
    # 13 items are enumerated with the default; half as many permutations draw.
    first, second = items(sample(13, 1, seed=15)[:, 0]), items(sample(13, 1, seed=16)[:, 0])
    exact = approximate_randomization(first, second, mean)
    assert (exact * 2**13) % 1 == 0
    assert approximate_randomization(first, second, mean, permutations=4096) == pytest.approx(exact, abs=0.03)


def test_the_items_of_a_cluster_are_exchanged_together() -> None:
    first, second = items([1.0, 2, 3, 4]), items([0.0, 0, 0, 0])
    assert approximate_randomization(first, second, mean) == 2 / 16
    assert approximate_randomization(first, second, mean, clusters=["a", "a", "b", "b"]) == 2 / 4


def test_undefined_differences_are_taken_against_significance() -> None:
    def score(sums: Array) -> Array:
        return np.where(sums[..., 0] == 3, np.nan, sums[..., 0])

    # Of the sums 6-0, 5-1, 4-2, 3-3 (twice) ... the undefined ones count as hits: 2 of 8, and 2 more.
    first, second = items([1.0, 2, 3]), items([0.0, 0, 0])
    assert approximate_randomization(first, second, score) == 4 / 8
    assert np.isnan(approximate_randomization(items([1.0, 2]), items([0.0, 0]), score))


def test_false_alarms_come_at_their_rate() -> None:
    generator = np.random.default_rng(17)
    p_values = [
        approximate_randomization(items(generator.random(10)), items(generator.random(10)), mean) for _ in range(400)
    ]
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(np.array(p_values) <= 0.5) == pytest.approx(0.5, abs=0.08)


# 0.005 * 4, 0.01 * 3, 0.03 * 2, then 0.04 * 1 raised to the value before it.
def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_holm_keeps_a_test_without_a_result() -> None:
    adjusted = holm([0.01, float("nan"), 0.2])
    assert adjusted[0] == pytest.approx(0.03)
    assert np.isnan(adjusted[1])
    assert adjusted[2] == pytest.approx(0.4)


@pytest.mark.parametrize("p_value", [-0.1, 1.1])
def test_holm_refuses_what_is_no_probability(p_value: float) -> None:
    with pytest.raises(ValueError, match="p-value 1 is"):
        holm([0.5, p_value])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap_interval(np.ones(3), mean), r"shape \(items, d\)"),
        (lambda: bootstrap_interval(np.ones((0, 2)), mean), "at least one item"),
        (lambda: bootstrap_interval(np.ones((3, 2)), mean, clusters=["a"]), "1 cluster labels for 3 items"),
        (lambda: bootstrap_interval(np.ones((3, 2)), mean, resamples=0), "resamples must be at least 1"),
        (lambda: bootstrap_interval(np.ones((3, 2)), mean, level=95), "level must lie between 0 and 1"),
        (lambda: paired_bootstrap(np.ones((3, 2)), np.ones((2, 2)), mean), r"\(3, 2\) and \(2, 2\)"),
        (lambda: paired_bootstrap(np.ones((3, 2)), np.ones((3, 2)), mean, level=0), "level must lie"),
        (lambda: approximate_randomization(np.ones((3, 2)), np.ones((3, 1)), mean), "need the same shape"),
        (lambda: approximate_randomization(np.ones((3, 2)), np.ones((3, 2)), mean, permutations=0), "permutations"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_values_is_called_with_matrices() -> None:
    shapes = []

    def recording(sums: Array) -> Array:
        shapes.append(sums.shape)
        return mean(sums)

    score: Values = recording
    bootstrap_interval(items([1.0, 2, 3]), score, resamples=2000)
    assert shapes == [(2,), (2000, 2)]
