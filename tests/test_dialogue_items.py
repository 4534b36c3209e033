"""Items keyed by dialogue and turn: pairing two languages and comparing all, on the rank measures."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from metrics.asr import WordErrorRate
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


def test_a_pair_without_a_shared_turn_is_left_out_and_no_other() -> None:
    keys = {"ara": [(1, 0), (2, 0)], "zho": [(3, 0)], "eng": [(2, 0), (3, 0)]}
    languages = {name: TurnStatistics(turns, np.ones((len(turns), 12))) for name, turns in keys.items()}
    compared = compare_languages(languages, lambda sums: sums[..., 0], resamples=9, permutations=9)
    assert [(one.first, one.second) for one in compared] == [("ara", "eng"), ("zho", "eng")]


def test_whole_dialogues_are_exchanged_between_languages() -> None:
    keys = [(1, 0), (1, 2), (2, 0), (2, 2)]
    hits = TurnStatistics(keys, np.stack([METRIC.statistics(["a"], {"a"})] * 4))
    misses = TurnStatistics(keys, np.stack([METRIC.statistics(["b"], {"a"})] * 4))
    (comparison,) = compare_languages({"eng": hits, "ara": misses}, METRIC.values_of("recall@1"))
    # Two dialogues: the observed exchange and its mirror, of 4. Turn by turn it would be 2 of 16.
    assert (comparison.p_value, comparison.difference.value) == (2 / 4, 100)


def reference_length(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(sums[..., :3].sum(axis=-1))


def test_languages_of_unlike_lengths_with_one_error_rate_are_told_apart_no_more_often_than_they_should() -> None:
    """Without the size of each language 52 of these 400 true null hypotheses are rejected at 0.05."""
    draw = np.random.default_rng(3)
    keys = [(dialogue, turn) for dialogue in range(40) for turn in (1, 3)]
    rejected = 0
    for _ in range(400):
        languages = {}
        for language, length in (("eng", 180), ("zho", 45)):
            lengths = np.maximum(draw.poisson(length, len(keys)), 3)
            errors = draw.binomial(lengths, 0.1)
            counts = np.stack([lengths - errors, errors, 0 * errors, 0 * errors], axis=1).astype(np.float64)
            languages[language] = TurnStatistics(keys, counts)
        values = WordErrorRate("eng").values
        (comparison,) = compare_languages(languages, values, size=reference_length, resamples=1, permutations=200)
        rejected += comparison.p_value <= 0.05
    assert rejected <= 400 * 0.05 + 2 * np.sqrt(400 * 0.05 * 0.95)


def test_the_size_changes_neither_scores_nor_intervals() -> None:
    keys = [(1, 1), (1, 3), (2, 1)]
    english = TurnStatistics(keys, np.array([[90.0, 10, 0, 0], [80, 20, 5, 0], [99, 1, 0, 3]]))
    chinese = TurnStatistics(keys, np.array([[22.0, 3, 0, 0], [19, 6, 0, 1], [20, 5, 1, 0]]))
    values, languages = WordErrorRate("eng").values, {"eng": english, "zho": chinese}
    (plain,), (sized,) = (
        compare_languages(languages, values, size=size, resamples=99, permutations=99)
        for size in (None, reference_length)
    )
    assert sized.difference == plain.difference


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: weigh_dialogues_alike(np.ones((2, 2)), ["a"]), "1 dialogues for 2 items"),
        (lambda: TurnStatistics([(1, 2)], np.ones((2, 2))), "1 keys for statistics"),
        (lambda: TurnStatistics([(1, 2), (1, 2)], np.ones((2, 2))), "dialogue 1, turn 2 stands more"),
        (
            lambda: pair_items(TurnStatistics([(1, 2)], np.ones((1, 2))), TurnStatistics([(2, 2)], np.ones((1, 2)))),
            "the two languages share no",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
