"""Rank measures against trec_eval, by hand and by enumeration; chance, ties and intervals."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.dialogue_items import weigh_dialogues_alike
from metrics.resampling import bootstrap_interval
from metrics.retrieval import Ranking, Retrieval, ranked_ids

Array = NDArray[np.float64]

METRIC = Retrieval()
SHRINKING = Retrieval(convention="shrinking")
IDS = [f"s{number}" for number in range(14)]
quick = settings(max_examples=150, deadline=None, derandomize=True, database=None)
rankings = st.lists(st.sampled_from(IDS), max_size=20)
golds = st.sets(st.sampled_from(IDS), min_size=1, max_size=5)


def measures(ranking: Ranking, gold: set[str], metric: Retrieval = METRIC) -> dict[str, float]:
    statistics = metric.statistics(ranking, gold)
    assert statistics.shape == (len(metric.measures) + 1,)
    assert statistics[-1] == 1
    return {measure: float(metric.values_of(measure)(statistics)) for measure in metric.measures}


def corpus(queries: int, seed: int) -> tuple[Array, list[str]]:
    """Statistics of made-up queries in dialogues of different sizes."""
    draw = random.Random(seed)
    rows, dialogues = [], []
    for number in range(queries):
        gold = set(draw.sample(IDS, draw.randint(1, 3)))
        ranking = draw.sample(IDS, len(IDS))
        if draw.random() < 0.5:
            ranking = [*sorted(gold), *ranking]
        rows.append(METRIC.statistics(ranking, gold))
        dialogues.append(f"d{number // 4 if number < queries // 2 else number // 7 + queries}")
    return np.stack(rows), dialogues


# Computed with pytrec_eval-terrier 0.5.11 (trec_eval's recall, P, ndcg_cut and recip_rank) on the ranking
# s9 s1 s8 s2 s7 s6 s5 s4 s0 s10 with gold s1 s2 s3.
TREC_EVAL = {
    "recall@1": 0.0,
    "recall@3": 33.3333333,
    "recall@5": 66.6666667,
    "recall@7": 66.6666667,
    "recall@10": 66.6666667,
    "precision@1": 0.0,
    "precision@3": 33.3333333,
    "precision@5": 40.0,
    "precision@7": 28.5714286,
    "precision@10": 20.0,
    "mrr@10": 50.0,
    "ndcg@10": 49.8189257,
}


def test_values_of_trec_eval() -> None:
    ours = measures(["s9", "s1", "s8", "s2", "s7", "s6", "s5", "s4", "s0", "s10"], {"s1", "s2", "s3"})
    assert {name: ours[name] for name in TREC_EVAL} == pytest.approx(TREC_EVAL)
    # 2 P R / (P + R): 2 * 40 * 66.67 / 106.67 = 50 at 5, 2 * 20 * 66.67 / 86.67 = 30.77 at 10.
    assert (ours["f1@1"], ours["f1@5"], ours["f1@10"]) == pytest.approx((0, 50, 400 / 13))


def test_random_rankings_equal_trec_eval() -> None:
    pytrec_eval = pytest.importorskip(
        "pytrec_eval", reason="pip install pytrec_eval-terrier to compare with trec_eval"
    )
    draw = random.Random(1)
    names = {"recall": "recall", "precision": "P"}
    theirs_of = {f"{kind}@{k}": f"{name}_{k}" for kind, name in names.items() for k in METRIC.cutoffs}
    theirs_of |= {"mrr@10": "recip_rank", "ndcg@10": "ndcg_cut_10"}
    for _ in range(60):
        ranking = draw.sample(IDS, draw.randint(1, 10))
        gold = draw.sample(IDS, draw.randint(1, 6))
        evaluator = pytrec_eval.RelevanceEvaluator(
            {"q": dict.fromkeys(gold, 1)}, {"recall.1,3,5,7,10", "P.1,3,5,7,10", "ndcg_cut.10", "recip_rank"}
        )
        theirs = evaluator.evaluate({"q": {name: 1.0 / rank for rank, name in enumerate(ranking, start=1)}})["q"]
        ours = measures(ranking, set(gold))
        assert {name: ours[name] for name in theirs_of} == pytest.approx(
            {name: 100 * theirs[their_name] for name, their_name in theirs_of.items()}
        )


def test_the_docstrings_values() -> None:
    gold = {"a", "b"}
    both, one, none = (measures(ranking, gold) for ranking in (["a", "b"], ["x", "a"], ["x", "y"]))
    assert (both["recall@1"], both["precision@1"], both["mrr@10"], both["ndcg@10"]) == (50, 100, 100, 100)
    assert (one["recall@3"], one["mrr@10"]) == (50, 50)
    # 1 / log2(3) over 1 + 1 / log2(3) = 0.6309 / 1.6309
    assert (one["precision@3"], one["ndcg@10"]) == pytest.approx((33.3333333, 38.6852807))
    assert measures(["x", "a"], gold, SHRINKING)["precision@3"] == 50
    assert set(none.values()) == {0}
    # More gold than ranks: the ideal is cut at the depth too.
    assert measures(["a", "b", "c"], {"a", "b", "c"}, Retrieval(cutoffs=(2,), depth=2))["ndcg@2"] == pytest.approx(100)


def released_code(predicted: list[str], gold: set[str], k: int) -> tuple[float, float, float]:
    """Precision, recall and F1 at k as the fact sheet states HealthDial's code, from its list of ten."""
    top = set(predicted[:k])
    hits = len(top & gold)
    precision = hits / len(top) if top else 0.0
    recall = hits / len(gold)
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@quick
@given(rankings.map(lambda ranking: ranking[:10]), golds)
def test_shrinking_is_the_released_convention(ranking: list[str], gold: set[str]) -> None:
    ours = measures(ranking, gold, SHRINKING)
    for k in METRIC.cutoffs:
        expected = [100 * value for value in released_code(ranking, gold, k)]
        assert [ours[f"{kind}@{k}"] for kind in ("precision", "recall", "f1")] == pytest.approx(expected)
    first = next((rank for rank, name in enumerate(ranking, start=1) if name in gold), None)
    assert ours["mrr@10"] == pytest.approx(100 / first if first else 0)


@quick
@given(rankings, golds)
def test_bounds_and_order(ranking: list[str], gold: set[str]) -> None:
    for metric in (METRIC, SHRINKING):
        ours = measures(ranking, gold, metric)
        assert all(0 <= value <= 100 + 1e-9 for value in ours.values())
        recalls = [ours[f"recall@{k}"] for k in metric.cutoffs]
        assert recalls == sorted(recalls)
        for k in metric.cutoffs:
            precision, recall = ours[f"precision@{k}"], ours[f"recall@{k}"]
            harmonic = 2 * precision * recall / (precision + recall) if precision + recall else 0
            assert ours[f"f1@{k}"] == pytest.approx(harmonic)
        assert (ours["mrr@10"] > 0) == (ours["recall@10"] > 0) == (ours["ndcg@10"] > 0)


@quick
@given(rankings, golds)
def test_repetitions_count_once_at_their_first_rank(ranking: list[str], gold: set[str]) -> None:
    distinct = list(dict.fromkeys(ranking))
    assert measures([*ranking, *ranking], gold) == measures(distinct, gold)
    assert measures(["s0"] * 10, {"s0"})["precision@10"] == 10
    assert measures(["s0"] * 10, {"s0"}, SHRINKING)["precision@10"] == 100


@quick
@given(rankings, golds, st.sampled_from(IDS))
def test_a_gold_id_moved_to_the_front_never_hurts(ranking: list[str], gold: set[str], name: str) -> None:
    before, after = measures(ranking, gold | {name}), measures([name, *ranking], gold | {name})
    assert all(after[measure] >= before[measure] - 1e-9 for measure in METRIC.measures)


@quick
@given(st.dictionaries(st.sampled_from(IDS), st.sampled_from([-1.0, 0.0, 0.5, 2.0])), golds, st.randoms())
def test_the_order_of_the_corpus_has_no_say(scores: dict[str, float], gold: set[str], shuffler: random.Random) -> None:
    shuffled = list(scores.items())
    shuffler.shuffle(shuffled)
    assert ranked_ids(dict(shuffled)) == ranked_ids(scores)
    assert measures(dict(shuffled), gold) == measures(scores, gold) == measures(ranked_ids(scores), gold)


def test_scores_are_ordered_downwards_and_ties_by_id() -> None:
    assert ranked_ids({"c": 1, "b": 2.5, "a": 1, "d": -0.0, "e": 0.0}) == ["b", "a", "c", "d", "e"]
    # Negated as they are, unsigned integers would wrap around.
    assert ranked_ids({"a": np.uint8(0), "b": np.uint8(3)}) == ["b", "a"]  # type: ignore[dict-item]


def test_a_constant_scorer_does_not_win() -> None:
    """Over all places of one gold id it gets exactly the level of chance, wherever the corpus puts the gold."""
    rows = [METRIC.statistics({gold: 1.0} | dict.fromkeys(IDS, 1.0), {gold}) for gold in IDS]
    assert np.mean(rows, axis=0) == pytest.approx(METRIC.chance_statistics(1, len(IDS)))


@pytest.mark.parametrize("metric", [METRIC, SHRINKING, Retrieval(cutoffs=(1, 2, 4), depth=3)])
@pytest.mark.parametrize(("gold_count", "corpus_size"), [(1, 1), (1, 5), (2, 5), (3, 6), (5, 5)])
def test_chance_is_the_mean_over_all_rankings(metric: Retrieval, gold_count: int, corpus_size: int) -> None:
    ids, gold = IDS[:corpus_size], set(IDS[:gold_count])
    rows = [metric.statistics(ranking, gold) for ranking in itertools.permutations(ids)]
    assert metric.chance_statistics(gold_count, corpus_size) == pytest.approx(np.mean(rows, axis=0))


def test_chance_is_the_mean_of_simulated_rankings() -> None:
    draw, ids = random.Random(2), [str(number) for number in range(60)]
    rows = [METRIC.statistics(draw.sample(ids, 60), {"1", "2", "3"}) for _ in range(4000)]
    # Four standard errors of each mean.
    tolerance = 4 * np.std(rows, axis=0) / np.sqrt(len(rows)) + 1e-12
    assert np.all(np.abs(np.mean(rows, axis=0) - METRIC.chance_statistics(3, 60)) <= tolerance)


def test_chance_of_healthdials_corpus() -> None:
    # k / 1618: 0.06 at 1, 0.31 at 5, 0.62 at 10, in percent.
    score = METRIC.score(METRIC.chance_statistics(2, 1618))
    assert [round(score.recall[k], 2) for k in (1, 5, 10)] == [0.06, 0.31, 0.62]


def test_micro_and_macro_by_hand() -> None:
    hit, miss = METRIC.statistics(["a"], {"a"}), METRIC.statistics(["b"], {"a"})
    statistics, dialogues = np.stack([hit, hit, miss, miss]), ["x", "x", "x", "y"]
    micro = METRIC.score(statistics.sum(axis=0))
    macro = METRIC.score(weigh_dialogues_alike(statistics, dialogues).sum(axis=0))
    # 2 of 4 queries; (2/3 + 0) / 2 dialogues.
    assert (micro.recall[1], micro.units) == (50, 4)
    assert macro.recall[1] == pytest.approx(100 / 3)
    assert macro.units == 2
    assert np.isnan(METRIC.score(np.zeros_like(hit)).mrr)


@pytest.mark.parametrize("measure", ["recall@5", "precision@3", "f1@10", "mrr@10", "ndcg@10"])
def test_intervals_clustered_by_dialogue(measure: str) -> None:
    statistics, dialogues = corpus(60, seed=3)
    values = METRIC.values_of(measure)
    names = list(dict.fromkeys(dialogues))
    means = np.stack([statistics[[name == label for label in dialogues]].mean(axis=0) for name in names])
    macro = bootstrap_interval(weigh_dialogues_alike(statistics, dialogues), values, clusters=dialogues)
    expected = bootstrap_interval(means, values)
    assert (macro.value, macro.low, macro.high) == pytest.approx((expected.value, expected.low, expected.high))
    micro = bootstrap_interval(statistics, values, clusters=dialogues)
    assert micro.low < micro.value < micro.high
    assert micro.value == pytest.approx(100 * statistics[:, METRIC.measures.index(measure)].mean())


def test_signature_names_every_choice() -> None:
    assert str(SHRINKING.signature()) == (
        "retrieval|k:1,3,5,7,10|depth:10|convention:shrinking|gains:binary|ties:id|v:1"
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: METRIC.statistics(["a"], []), ValueError, "the gold is empty"),
        (lambda: METRIC.statistics(["a"], "a"), TypeError, "the gold is one str"),
        (lambda: METRIC.statistics("a", ["a"]), TypeError, "the ranking is a str"),
        (lambda: METRIC.statistics({"a"}, ["a"]), TypeError, "the ranking is a set"),
        (lambda: METRIC.statistics(["a", 1], ["a"]), TypeError, "id 1 is a int"),
        (lambda: METRIC.statistics(["a"], [1]), TypeError, "id 1 is a int"),
        (lambda: METRIC.statistics({"a": float("nan")}, ["a"]), ValueError, "score of 'a' is nan"),
        (lambda: METRIC.chance_statistics(0, 5), ValueError, "got 0 and 5"),
        (lambda: METRIC.chance_statistics(6, 5), ValueError, "got 6 and 5"),
        (lambda: METRIC.values_of("map@10"), ValueError, "unknown measure 'map@10'"),
        (lambda: Retrieval(cutoffs=(3, 1)), ValueError, "ascending"),
        (lambda: Retrieval(cutoffs=(0, 1)), ValueError, "at least 1"),
        (lambda: Retrieval(cutoffs=()), ValueError, "ascending"),
        (lambda: Retrieval(depth=0), ValueError, "depth"),
        (lambda: Retrieval(convention="loose"), ValueError, "'loose'"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
