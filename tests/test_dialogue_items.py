"""Items keyed by dialogue and turn: pairing two languages and comparing all, on the rank measures."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from metrics.dialogue_items import TurnStatistics, compare_languages, pair_items, weigh_dialogues_alike
from metrics.resampling import approximate_randomization, holm, paired_bootstrap
from metrics.retrieval import Retrieval

METRIC = Retrieval()
IDS = [f"s{number}" for number in range(14)]


def turns(seed: int, skill: float, left_out: int | None = None) -> TurnStatistics:
    """Sixty turns in fifteen dialogues, in an order of the language's own."""
    draw, rows = random.Random(5), []
    for _ in range(60):
        gold, ranking = set(draw.sample(IDS, draw.randint(1, 3))), draw.sample(IDS, len(IDS))
        rows.append(METRIC.statistics([*sorted(gold), *ranking] if draw.random() < skill else ranking, gold))
    statistics = np.stack(rows)
    order = [row for row in random.Random(seed).sample(range(60), 60) if row != left_out]
    return TurnStatistics([(row // 4, 2 * (row % 4)) for row in order], statistics[order])


def test_only_items_of_both_languages_are_paired_whatever_their_order() -> None:
    whole = turns(1, skill=0.5)
    pairing = pair_items(turns(2, 0.5, left_out=7), whole)
    assert pairing.keys == tuple(sorted(set(whole.keys) - {(1, 6)}))
    assert (pairing.only_first, pairing.only_second) == (0, 1)
    assert np.array_equal(pairing.first, pairing.second)


@pytest.mark.parametrize("macro", [False, True])
def test_languages_are_compared_on_parallel_items(macro: bool) -> None:
    languages = {"ara": turns(1, 0.1, left_out=7), "eng": turns(2, 0.9), "zho": turns(3, 0.1)}
    values = METRIC.values_of("recall@1")
    comparisons = compare_languages(languages, values, macro=macro, resamples=300, permutations=999)
    pairs = [(comparison.first, comparison.second) for comparison in comparisons]
    assert pairs == [("ara", "eng"), ("ara", "zho"), ("eng", "zho")]
    assert [comparison.difference.items for comparison in comparisons] == [59, 59, 60]
    assert [(comparison.only_first, comparison.only_second) for comparison in comparisons] == [(0, 1), (0, 1), (0, 0)]
    assert [comparison.p_holm for comparison in comparisons] == holm(
        [comparison.p_value for comparison in comparisons]
    )
    worse, same, better = comparisons
    assert worse.difference.high < 0 < better.difference.low
    assert worse.p_holm < 0.05
    assert (same.difference.value, same.p_value) == (0, 1)
    assert {comparison.dialogues for comparison in comparisons} == {15}
    pairing = pair_items(languages["eng"], languages["zho"])
    dialogues = [dialogue for dialogue, _ in pairing.keys]
    both = [weigh_dialogues_alike(side, dialogues) if macro else side for side in (pairing.first, pairing.second)]
    assert better.p_value == approximate_randomization(*both, values, clusters=dialogues, permutations=999)
    assert better.difference == paired_bootstrap(*both, values, clusters=dialogues, resamples=300)


def test_whole_dialogues_are_exchanged_between_languages() -> None:
    keys = [(1, 0), (1, 2), (2, 0), (2, 2)]
    hits = TurnStatistics(keys, np.stack([METRIC.statistics(["a"], {"a"})] * 4))
    misses = TurnStatistics(keys, np.stack([METRIC.statistics(["b"], {"a"})] * 4))
    (comparison,) = compare_languages({"eng": hits, "ara": misses}, METRIC.values_of("recall@1"))
    # Two dialogues: the observed exchange and its mirror, of 4. Turn by turn it would be 2 of 16.
    assert (comparison.p_value, comparison.difference.value) == (2 / 4, 100)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weigh_dialogues_alike(np.ones((2, 2)), ["a"]), "1 dialogues for 2 items"),
        (lambda: TurnStatistics([(1, 2)], np.ones((2, 2))), "1 keys for statistics"),
        (lambda: TurnStatistics([(1, 2), (1, 2)], np.ones((2, 2))), "dialogue 1, turn 2 stands more"),
        (
            lambda: compare_languages(
                {"ara": TurnStatistics([(1, 2)], np.ones((1, 2))), "eng": TurnStatistics([(2, 2)], np.ones((1, 2)))},
                METRIC.values_of("recall@1"),
            ),
            "ara and eng: the two languages share no",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
