"""Merging votes, the sign test and the Bradley-Terry fit, against scipy and values worked out by hand."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binomtest

from metrics.preference import (
    VERDICTS,
    Comparison,
    PreferenceCounts,
    Verdict,
    bradley_terry,
    compared_groups,
    count_verdicts,
    exchanged,
    merge_votes,
    sign_test,
)


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [
        ("a a none", "a"),
        ("a b", "both"),
        ("a b none", "none"),
        ("a b both", "both"),
        ("a both", "both"),
        ("a none", "a"),
        ("b both none", "b"),
        ("both none", "both"),
        ("none none a", "none"),
        ("b", "b"),
    ],
)
def test_votes_merge_as_documented(votes: str, verdict: str) -> None:
    assert merge_votes(votes.split()) == verdict  # type: ignore[arg-type]


def test_a_choice_of_more_than_half_is_the_verdict_and_names_do_not_matter() -> None:
    for size in (1, 2, 3, 4, 5):
        for votes in itertools.product(VERDICTS, repeat=size):
            verdict = merge_votes(votes)
            choice, times = Counter(votes).most_common(1)[0]
            assert verdict is not None
            assert 2 * times <= size or verdict == choice
            assert merge_votes([exchanged(vote) for vote in votes]) == exchanged(verdict)


def test_missing_and_wrong_votes() -> None:
    assert merge_votes([None, "b", None]) == "b"
    assert merge_votes([None]) is merge_votes([]) is None
    with pytest.raises(ValueError, match="'A' is not one of a, b, both, none"):
        merge_votes(["A"])  # type: ignore[list-item]


def test_counts_leave_items_without_verdict_out() -> None:
    counts = count_verdicts(["a", "a", None, "both", "none"])
    assert counts == PreferenceCounts(a=2, b=0, both=1, none=1)
    assert counts.items == 4


@pytest.mark.parametrize(("wins", "losses"), [(20, 0), (16, 2), (4, 3), (0, 1)])
def test_sign_test_is_the_exact_binomial_test_of_decided_items(wins: int, losses: int) -> None:
    test = sign_test(PreferenceCounts(wins, losses, both=5, none=1))
    expected = binomtest(wins, wins + losses)
    assert test.p_value == pytest.approx(expected.pvalue)
    assert (test.low, test.high) == pytest.approx(tuple(expected.proportion_ci(0.95, "exact")))
    assert (test.share, test.decided) == (wins / (wins + losses), wins + losses)


def test_sign_test_worked_out_by_hand() -> None:
    assert sign_test(PreferenceCounts(5, 0, 0, 0)).p_value == pytest.approx(2 / 2**5)
    assert sign_test(PreferenceCounts(4, 1, 9, 9)).p_value == pytest.approx(2 * (1 + 5) / 2**5)
    nothing = sign_test(PreferenceCounts(0, 0, 3, 4))
    assert nothing.p_value == 1
    assert math.isnan(nothing.share)


def compare(a: str, b: str, verdicts: str, first_item: int = 0) -> list[Comparison]:
    names: dict[str, Verdict] = {"a": "a", "b": "b", "=": "both", "-": "none"}
    return [Comparison(f"i{first_item + i}", a, b, names[verdict]) for i, verdict in enumerate(verdicts)]


def test_two_systems_have_the_log_odds_of_their_wins() -> None:
    first, second = bradley_terry(compare("x", "y", "aaaaab=-"))
    # 5 wins and 1 loss, two halves each, half a win more each.
    assert first.estimate.value - second.estimate.value == pytest.approx(math.log(6.5 / 2.5))
    assert first.estimate.value == pytest.approx(-second.estimate.value)
    assert (first.system, first.comparisons) == ("x", 8)
    assert first.estimate.low < first.estimate.value < first.estimate.high


def test_fit_maximizes_the_likelihood() -> None:
    comparisons = [
        *compare("x", "y", "aaaaaaab=="),
        *compare("y", "z", "aaabb---a-"),
        *compare("w", "x", "bbbbbbbbbb"),
    ]
    systems = sorted({"w", "x", "y", "z"})
    wins = np.zeros((4, 4))
    for comparison in comparisons:
        a, b = systems.index(comparison.system_a), systems.index(comparison.system_b)
        share = {"a": 1.0, "b": 0.0}.get(comparison.verdict, 0.5)
        wins[a, b] += share
        wins[b, a] += 1 - share
    for a, b in (("x", "y"), ("y", "z"), ("w", "x")):
        wins[systems.index(a), systems.index(b)] += 0.5
        wins[systems.index(b), systems.index(a)] += 0.5

    def loss(logs: np.ndarray) -> float:
        return float((wins * np.logaddexp(0, logs[np.newaxis, :] - logs[:, np.newaxis])).sum() + logs.sum() ** 2)

    expected = dict(zip(systems, minimize(loss, np.zeros(4), tol=1e-12).x, strict=True))
    fitted = bradley_terry(comparisons, resamples=50)
    assert {entry.system: entry.estimate.value for entry in fitted} == pytest.approx(expected, abs=1e-4)
    assert [entry.system for entry in fitted] == sorted(systems, key=lambda system: -expected[system])


def test_the_interval_of_a_clean_sweep_cannot_be_told() -> None:
    first, second = bradley_terry(compare("x", "y", "aaaaaaaaaa"), resamples=300)
    assert first.estimate.value - second.estimate.value == pytest.approx(math.log(10.5 / 0.5))
    for entry in (first, second):
        assert all(math.isnan(x) for x in (entry.estimate.low, entry.estimate.high, entry.estimate.standard_error))
        assert entry.estimate.undefined == 300


@pytest.mark.parametrize(
    ("x_y", "y_z", "x_z", "told"),
    [
        ("aaaaa", "aabba", "aaaaa", False),  # x wins all, y and z differ
        ("aabab", "aaaaa", "aaaaa", False),  # z loses all
        ("aaaaa", "aaaaa", "bbbbb", True),  # each wins all from one and loses all to another: no one sweeps
        ("aaaaa", "aabba", "aaaa=", True),  # half a win is enough
    ],
)
def test_no_system_has_an_interval_where_one_sweeps(x_y: str, y_z: str, x_z: str, told: bool) -> None:
    comparisons = [*compare("x", "y", x_y), *compare("y", "z", y_z), *compare("x", "z", x_z)]
    for entry in bradley_terry(comparisons, resamples=100):
        assert math.isfinite(entry.estimate.value)
        assert math.isnan(entry.estimate.low) == math.isnan(entry.estimate.high) != told
        assert entry.estimate.undefined == (0 if told else 100)


def test_systems_that_were_never_compared_are_not_ranked() -> None:
    comparisons = [*compare("x", "y", "ab"), *compare("u", "v", "a"), *compare("v", "w", "a")]
    assert compared_groups(comparisons) == [["x", "y"], ["u", "v", "w"]]
    with pytest.raises(ValueError, match="x, y; u, v, w; fit each alone"):
        bradley_terry(comparisons)
    with pytest.raises(ValueError, match="got none"):
        bradley_terry([])


def test_comparisons_of_one_item_are_resampled_together() -> None:
    together = [Comparison(c.item, c.system_a, c.system_b, c.verdict) for c in compare("x", "y", "aaabb") * 4]
    alone = [Comparison(f"{i}", c.system_a, c.system_b, c.verdict) for i, c in enumerate(together)]
    wide, narrow = (bradley_terry(comparisons)[0].estimate for comparisons in (together, alone))
    assert wide.value == narrow.value
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
