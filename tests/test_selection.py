"""Lists in answers, exact match, set measures and OOK rates: by hand, against scikit-learn, and their properties."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.dialogue_items import TurnStatistics, compare_languages
from metrics.resampling import bootstrap_interval
from metrics.selection import Count, KnowledgeSelection, SelectionScore
from metrics.selection_parser import Selection, numbered, parse_selection

Array = NDArray[np.float64]

METRIC = KnowledgeSelection()
LENIENT = KnowledgeSelection(unusable="empty")
CANDIDATES = ["a", "b", "c"]
UNPARSED = Selection(is_parsed=False)
quick = settings(max_examples=200, deadline=None, derandomize=True, database=None)
id_sets = st.sets(st.sampled_from("abcdef"))
selections = st.one_of(
    st.just(UNPARSED),
    st.builds(lambda ids, unknown: Selection(tuple(sorted(ids)), unknown), id_sets, st.integers(0, 2)),
)
items = st.lists(st.tuples(selections, id_sets), min_size=1, max_size=8)


def total(pairs: list[tuple[Selection, set[str]]], metric: KnowledgeSelection = METRIC) -> Array:
    return np.sum([metric.statistics(selection, gold) for selection, gold in pairs], axis=0)


def score(pairs: list[tuple[Selection, set[str]]], metric: KnowledgeSelection = METRIC) -> SelectionScore:
    return metric.score(total(pairs, metric))


@pytest.mark.parametrize(
    ("answer", "ids", "unknown"),
    [
        ('["a", "c"]', ("a", "c"), 0),
        ('["c", "a", "c"]', ("c", "a"), 0),
        ("[]", (), 0),
        ("[ \n ]", (), 0),
        ('["a", "z", "z"]', ("a",), 2),
        ('["z"]', (), 1),
        ('[""]', (), 1),
        ('["a", null, true, 1.0, {"id": "b"}, ["c"], {"a": 1}, 1e999]', ("a", "b"), 6),
        ('The ids are:\n```json\n["a",\n "b"]\n```\nI hope this helps!', ("a", "b"), 0),
        ('{"ids": ["b"]}', ("b",), 0),
        ('First I thought ["a"], but it is ["b"].', ("b",), 0),
        ('[ "a" ] ] and that is it', ("a",), 0),
        ('Look [ here: ["a"]', ("a",), 0),
        ("['a', 'b']", ("a", "b"), 0),
        ("[\"a\", 'b',]", ("a", "b"), 0),
        ("['a', 'z']", ("a",), 1),
        ("[b, a]", ("b", "a"), 0),
        ('[" a "]', ("a",), 0),
        ("[\u00a0]", (), 0),
        ("[a，b]", ("a", "b"), 0),
        ("［ａ、ｂ］", ("a", "b"), 0),
        ("[a، b]", ("a", "b"), 0),
        ("[“a”, ‘b’]", ("a", "b"), 0),
        ('["a", "it’s “z”"]', ("a",), 1),
        ("\\[a, b\\]", ("a", "b"), 0),
        ('Return [] if none. ["a"]', ("a",), 0),
        ("[] is right: []", (), 0),
        ('{"ids": ["b"], "reason": "unlike [a]", "score": 1}', ("b",), 0),
        ('{"ids": []}', (), 0),
        ('{"ids": [{"id": "a", "tags": []}]}', ("a",), 0),
        ('{"ids": ["a"]} no, {"ids": ["b"]}', ("b",), 0),
        ('{"answer": "[a]"}', ("a",), 0),
        ("\\boxed{[b]}", ("b",), 0),
        ('- [ ] a\n- [x] b\n["b"]', ("b",), 0),
        ("- [ ]", (), 0),
        ('{"a":' * 100_000 + "[]", (), 0),
    ],
)
def test_lists_that_are_read(answer: str, ids: tuple[str, ...], unknown: int) -> None:
    assert parse_selection(answer, CANDIDATES) == Selection(ids, unknown)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "None of them.",
        "a, b",
        '["a", "b"',
        'Return [] if none. Mine: ["a", "b',
        'Return [] if none. Mine: [a-1, "b"]',
        '["a"] as said in [source]',
        "[a, z]",
        "[,]",
        "['a' b]",
        "]a[",
        "[" * 100_000 + "]" * 100_000,
        "[" + "9" * 5000 + "]",
        '["a", "b"] fits; otherwise [] would be right',
        "Either ['a'] or []",
        '{"ids": ["a", "b"], "notes": []}',
        '{"selected": ["a"], "rejected": ["b"]}',
        "{'selected': ['a'], 'rejected': ['b']}",
        'Here: {"on": {"ids": ["a"]}, "off": {"ids": ["b"]}} as asked',
        '{"selected": ["a"], "rejected": ["b"]',
        "- [ ] a",
        "* [x] a\n* [ ] b",
        "1. [ ] a",
        "[a b]",
        "[a; b]",
    ],
)
def test_answers_without_a_list_of_ids_are_not_parsed(answer: str) -> None:
    assert parse_selection(answer, CANDIDATES) == UNPARSED


def test_numbers_stand_for_candidates() -> None:
    names = numbered(["id-x", "id-y", "1"])
    assert names == {"1": "id-x", "2": "id-y", "3": "1"}
    assert parse_selection('[2, "1"]', names) == Selection(("id-y", "id-x"))
    assert parse_selection("[0, 4, -1, true, 3]", names) == Selection(("1",), unknown=4)
    # The model saw the numbers only.
    assert parse_selection('["id-x"]', names) == Selection((), unknown=1)
    assert parse_selection("[17]", ["17", "18"]) == Selection(("17",))


@pytest.mark.parametrize(
    "answer",
    [
        *("[1, 2]", "[1.0, 2]", '[{"id": 1}, {"id": "2", "title": "x"}]', '["１", 2]', "[١، ٢]", "［１，２］"),
        *("[1、2]", "[१, २]", '["\\uff11", "2"]', "[“1”, “2”]", "\\[1, 2\\]"),
    ],
)
def test_numbers_are_read_however_they_are_written(answer: str) -> None:
    assert parse_selection(answer, numbered(["id-x", "id-y", "id-z"])) == Selection(("id-x", "id-y"))


def test_ids_are_compared_in_one_form() -> None:
    assert parse_selection('["é，1"]', ["e\u0301,1"]) == Selection(("e\u0301,1",))
    assert parse_selection("[1.5]", numbered(["id-x", "id-y"])) == Selection((), unknown=1)


@quick
@given(st.lists(st.sampled_from([*CANDIDATES, "z", 'q"[,]']), max_size=6), st.text(alphabet="ab ,.:'\"\n`{}"))
def test_a_json_list_in_prose_is_read_back(chosen: list[str], prose: str) -> None:
    selection = parse_selection(f"{prose}{json.dumps(chosen)}{prose}", CANDIDATES)
    assert selection.is_parsed
    assert selection.ids == tuple(dict.fromkeys(name for name in chosen if name in CANDIDATES))
    assert selection.unknown == sum(name not in CANDIDATES for name in chosen)


@quick
@given(st.text(alphabet="[]ab\",' 1:{}", max_size=40))
def test_any_answer_is_parsed_or_counted(answer: str) -> None:
    selection = parse_selection(answer, CANDIDATES)
    assert set(selection.ids) <= set(CANDIDATES)
    assert len(set(selection.ids)) == len(selection.ids)
    if selection.is_usable and not selection.ids:
        assert "[" in answer
        assert "]" in answer


@pytest.mark.parametrize(
    ("answer", "exact", "precision", "recall", "f1"),
    [
        (("a", "b"), 100, 100, 100, 100),
        (("a",), 0, 100, 50, 200 / 3),
        # 1 of 3 predicted, 1 of 2 gold, 2 / 5
        (("a", "c", "d"), 0, 100 / 3, 50, 40),
        ((), 0, 0, 0, 0),
    ],
)
def test_one_item_by_hand(answer: tuple[str, ...], exact: float, precision: float, recall: float, f1: float) -> None:
    result = score([(Selection(answer), {"a", "b"})])
    assert result.exact_match == exact
    assert (result.mean_precision, result.mean_recall, result.mean_f1) == pytest.approx((precision, recall, f1))
    assert (result.micro_precision, result.micro_recall, result.micro_f1) == pytest.approx((precision, recall, f1))


# Of the table in the docstring: exact, F1, found OOK, false OOK (nan where the gold is of the other kind).
@pytest.mark.parametrize(
    ("selection", "gold", "metric", "expected"),
    [
        (Selection(), set(), METRIC, (100, 100, 100, None)),
        (Selection(), {"a"}, METRIC, (0, 0, None, 100)),
        (Selection(("a",)), set(), METRIC, (0, 0, 0, None)),
        (Selection(("a",), unknown=2), {"a"}, METRIC, (100, 100, None, 0)),
        (Selection(unknown=1), set(), METRIC, (0, 0, 0, None)),
        (Selection(unknown=1), {"a"}, METRIC, (0, 0, None, 0)),
        (UNPARSED, set(), METRIC, (0, 0, 0, None)),
        (UNPARSED, {"a"}, METRIC, (0, 0, None, 0)),
        (UNPARSED, set(), LENIENT, (100, 100, 100, None)),
        (UNPARSED, {"a"}, LENIENT, (0, 0, None, 100)),
        (Selection(unknown=1), set(), LENIENT, (100, 100, 100, None)),
    ],
)
def test_out_of_knowledge_table(
    selection: Selection, gold: set[str], metric: KnowledgeSelection, expected: tuple[float | None, ...]
) -> None:
    result = score([(selection, gold)], metric)
    values = (result.exact_match, result.mean_f1, result.ook_recall, result.false_ook)
    assert [None if np.isnan(value) else value for value in values] == list(expected)
    assert result.unparsed == 100 * (not selection.is_parsed)
    assert result.with_unknown == 100 * (selection.unknown > 0)


def test_a_corpus_by_hand() -> None:
    pairs = [
        (Selection(("a", "b")), {"a", "b"}),
        (Selection(("a", "c")), {"a"}),
        (Selection(), {"d"}),
        (Selection(), set[str]()),
        (UNPARSED, set[str]()),
    ]
    # hits 2 + 1, predicted 2 + 2, gold 2 + 1 + 1; items' F1 1, 2/3, 0, 1, 0
    expected = SelectionScore(
        exact_match=40,
        micro_precision=75,
        micro_recall=75,
        micro_f1=75,
        mean_precision=50,
        mean_recall=60,
        mean_f1=pytest.approx(100 * (1 + 2 / 3 + 1) / 5),  # type: ignore[arg-type]
        ook_recall=50,
        false_ook=pytest.approx(100 / 3),  # type: ignore[arg-type]
        unparsed=20,
        with_unknown=0,
        items=5,
        ook_items=2,
    )
    assert score(pairs) == expected


def test_undefined_cases() -> None:
    nothing = METRIC.score(np.zeros(len(Count)))
    assert np.isnan([nothing.exact_match, nothing.micro_f1, nothing.ook_recall, nothing.unparsed]).all()
    empty = score([(Selection(), set())])
    assert (empty.micro_precision, empty.micro_recall, empty.micro_f1) == (0, 0, 0)


@quick
@given(items)
def test_sets_equal_scikit_learn(pairs: list[tuple[Selection, set[str]]]) -> None:
    from sklearn.metrics import precision_recall_fscore_support
    from sklearn.preprocessing import MultiLabelBinarizer

    binarizer = MultiLabelBinarizer(classes=list("abcdef")).fit([])
    gold = binarizer.transform([gold for _, gold in pairs])
    predicted = binarizer.transform([selection.ids for selection, _ in pairs])
    result = score(pairs)
    micro = precision_recall_fscore_support(gold, predicted, average="micro", zero_division=0)[:3]
    assert (result.micro_precision, result.micro_recall, result.micro_f1) == pytest.approx(100 * np.array(micro))
    with_gold = [pair for pair in pairs if pair[1]]
    if with_gold:
        rows = [row for row, pair in enumerate(pairs) if pair[1]]
        by_item = precision_recall_fscore_support(gold[rows], predicted[rows], average="samples", zero_division=0)[:3]
        result = score(with_gold)
        assert (result.mean_precision, result.mean_recall, result.mean_f1) == pytest.approx(100 * np.array(by_item))


@quick
@given(items)
def test_bounds_and_order(pairs: list[tuple[Selection, set[str]]]) -> None:
    strict, lenient = score(pairs), score(pairs, LENIENT)
    for result in (strict, lenient):
        values = np.array([getattr(result, measure) for measure in METRIC.measures])
        assert np.all(np.isnan(values) | ((values >= 0) & (values <= 100 + 1e-9)))
        assert result.exact_match <= result.mean_f1 + 1e-9
    assert not strict.ook_recall > lenient.ook_recall
    assert not strict.false_ook > lenient.false_ook
    assert strict.unparsed == lenient.unparsed
    assert total(pairs) == pytest.approx(total(pairs[:1]) + total(pairs[:0:-1]))


@quick
@given(items)
def test_garbage_never_counts_as_out_of_knowledge(pairs: list[tuple[Selection, set[str]]]) -> None:
    spoiled = [(UNPARSED, gold) for _, gold in pairs]
    result = score(spoiled)
    assert result.exact_match == result.micro_f1 == result.mean_f1 == 0
    assert result.ook_recall == 0 or result.ook_items == 0
    assert result.unparsed == 100


def corpus(seed: int, skill: float) -> tuple[Array, list[int]]:
    """Twenty dialogues of three items, every sixth item OOK; golds do not depend on the seed."""
    draw, rows, golds = random.Random(seed), [], random.Random(0)
    for number in range(60):
        gold = set() if number % 6 == 0 else set(golds.sample("abcdef", golds.randint(1, 2)))
        guess = set(draw.sample("abcdef", draw.randint(0, 2)))
        rows.append(METRIC.statistics(Selection(tuple(gold if draw.random() < skill else guess)), gold))
    return np.stack(rows), [number // 3 for number in range(60)]


@pytest.mark.parametrize("measure", ["exact_match", "micro_precision", "micro_recall", "micro_f1", "mean_f1"])
def test_intervals_clustered_by_dialogue(measure: str) -> None:
    statistics, dialogues = corpus(1, skill=0.4)
    values = METRIC.values_of(measure)
    estimate = bootstrap_interval(statistics, values, clusters=dialogues)
    summed = statistics.reshape(20, 3, -1).sum(axis=1)
    expected = bootstrap_interval(summed, values)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))
    assert estimate.low < estimate.value < estimate.high
    assert estimate.value == pytest.approx(getattr(METRIC.score(statistics.sum(axis=0)), measure))


def test_a_rate_of_few_items_tells_of_undefined_resamples() -> None:
    statistics, dialogues = corpus(1, skill=0.4)
    few = [row for row in range(60) if statistics[row, Count.NOT_OOK] or row == 0]
    estimate = bootstrap_interval(
        statistics[few], METRIC.values_of("ook_recall"), clusters=[dialogues[row] for row in few], resamples=400
    )
    assert 0 < estimate.undefined < 400


def test_languages_are_compared_on_parallel_items() -> None:
    languages = {}
    for seed, (name, skill) in enumerate([("eng", 0.9), ("ara", 0.3)]):
        statistics, dialogues = corpus(seed, skill)
        languages[name] = TurnStatistics([(dialogue, row) for row, dialogue in enumerate(dialogues)], statistics)
    (comparison,) = compare_languages(languages, METRIC.values_of("micro_f1"), resamples=300, permutations=999)
    assert comparison.difference.low > 0
    assert comparison.p_holm == comparison.p_value < 0.05
    assert comparison.dialogues == 20


def test_signature_names_every_choice() -> None:
    expected = "knowledge_selection|gold:full|both_empty:1|unusable:empty|unknown:dropped|v:1"
    assert str(LENIENT.signature()) == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: parse_selection(None, CANDIDATES), TypeError, "the answer is a NoneType"),
        (lambda: parse_selection("[]", "abc"), TypeError, "the candidates are one str"),
        (lambda: METRIC.statistics(Selection(), "a"), TypeError, "the gold is one str"),
        (lambda: METRIC.values_of("map"), ValueError, "unknown measure 'map'"),
        (lambda: KnowledgeSelection(unusable="skip"), ValueError, "got 'skip'"),
        (lambda: Selection(("a",), is_parsed=False), ValueError, "not parsed has no ids"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
