"""The threshold of the filtering baseline: best Exact Match, against a search through every threshold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healthdial.score_threshold import ScoredItem, best_threshold

INFINITY = float("inf")


def exact_match(items: list[ScoredItem], threshold: float) -> float:
    """Exact Match of a threshold, 0-100, by its definition."""
    exact = [
        {one for one, score in zip(item.ids, item.scores, strict=True) if score > threshold} == set(item.gold)
        for item in items
    ]
    return 100 * sum(exact) / len(items)


@st.composite
def scored_items(draw: st.DrawFn) -> ScoredItem:
    scores = draw(st.lists(st.integers(0, 6), max_size=4))
    ids = "abcd"[: len(scores)]
    gold = draw(st.sets(st.sampled_from("abcdx"), max_size=3))
    return ScoredItem(ids, [float(score) for score in scores], gold)


@given(st.lists(scored_items(), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_no_threshold_is_better(items: list[ScoredItem]) -> None:
    found = best_threshold(items)
    # Scores are whole numbers: these thresholds give every set that any threshold gives.
    tried = [-INFINITY, *(step / 2 for step in range(-1, 14)), INFINITY]
    reached = {threshold: exact_match(items, threshold) for threshold in tried}
    assert found.exact_match == pytest.approx(max(reached.values()))
    assert exact_match(items, found.value) == pytest.approx(found.exact_match)
    # No worse ones lie between it and the highest of the best: it is in the highest stretch.
    best = max(reached.values())
    last = max(threshold for threshold, value in reached.items() if value == best)
    assert all(value == best for threshold, value in reached.items() if found.value <= threshold <= last)


@pytest.mark.parametrize(
    ("items", "threshold", "score"),
    [
        ([ScoredItem("abc", [9, 5, 1], {"a"}), ScoredItem("ab", [4, 2], set())], 7.0, 100.0),
        ([ScoredItem("ab", [9, 5], {"b"})], INFINITY, 0.0),
        ([ScoredItem("ab", [9, 5], {"a", "x"})], INFINITY, 0.0),
        ([ScoredItem("ab", [5, 5], {"a"})], INFINITY, 0.0),
        ([ScoredItem("ab", [9, 5], {"a", "b"})], -INFINITY, 100.0),
        ([ScoredItem("ab", [9, 5], set())], 9.0, 100.0),
        ([ScoredItem("", [], set())], -INFINITY, 100.0),
        # Equal: the higher stretch, 5 to 9, and not 1 to 3.
        ([ScoredItem("ab", [9, 5], {"a"}), ScoredItem("ab", [3, 1], {"a"})], 7.0, 50.0),
    ],
)
def test_worked(items: list[ScoredItem], threshold: float, score: float) -> None:
    found = best_threshold(items)
    assert (found.value, found.exact_match, found.items) == (threshold, score, len(items))


def test_no_items() -> None:
    with pytest.raises(ValueError, match="no items"):
        best_threshold([])
