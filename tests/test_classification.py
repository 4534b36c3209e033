"""Binary classification against scikit-learn, with and without opening turns; yes and no in four languages."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.classification import BinaryClassification, ClassificationScore
from metrics.dialogue_items import TurnStatistics, compare_languages
from metrics.resampling import bootstrap_interval
from metrics.yes_no import parse_yes_no

Array = NDArray[np.float64]
Item = tuple[bool | None, bool, bool]

METRIC = BinaryClassification()
WITHOUT_OPENING = BinaryClassification(turns="without_opening")
AS_POSITIVE = BinaryClassification(unparsed="positive")
quick = settings(max_examples=200, deadline=None, derandomize=True, database=None)
parsed_items = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=12)
all_items = st.lists(st.tuples(st.sampled_from([True, False, None]), st.booleans(), st.booleans()), max_size=12)


def total(items: list[Item], metric: BinaryClassification = METRIC) -> Array:
    rows = [metric.statistics(predicted, label, is_opening=is_opening) for predicted, label, is_opening in items]
    return np.sum(rows, axis=0) if rows else np.zeros(12)


def score(items: list[Item], metric: BinaryClassification = METRIC) -> ClassificationScore:
    return metric.score(total(items, metric))


def items_of(predicted: list[bool | None], labels: list[bool]) -> list[Item]:
    return [(answer, label, False) for answer, label in zip(predicted, labels, strict=True)]


@quick
@given(parsed_items)
def test_equal_to_scikit_learn(items: list[Item]) -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    for metric in (METRIC, WITHOUT_OPENING):
        kept = [item for item in items if metric is METRIC or not item[2]]
        result = score(items, metric)
        assert result.items == len(kept)
        if not kept:
            assert np.isnan(result.accuracy)
            continue
        predicted, labels = [item[0] for item in kept], [item[1] for item in kept]
        precision, recall, f1, _ = precision_recall_fscore_support(
            labels, predicted, average="binary", pos_label=True, zero_division=0
        )
        assert result.accuracy == pytest.approx(100 * accuracy_score(labels, predicted))
        assert (result.precision, result.recall, result.f1) == pytest.approx((100 * precision, 100 * recall, 100 * f1))
        majority = DummyClassifier(strategy="most_frequent").fit([[0]] * len(labels), labels)
        assert result.majority_accuracy == pytest.approx(100 * majority.score([[0]] * len(labels), labels))


def test_values_by_hand() -> None:
    labels = [True, True, True, False]
    some = score(items_of([True, True, False, False], labels))
    # 3 of 4 right; 2 of 2 predicted, 2 of 3 positive, 2 * 2 / (2 + 3)
    assert (some.accuracy, some.precision, some.f1) == (75, 100, 80)
    assert some.recall == pytest.approx(200 / 3)
    every = score(items_of([True] * 4, labels))
    # 2 * 3 / (4 + 3)
    assert (every.accuracy, every.f1) == (75, pytest.approx(600 / 7))
    assert (some.majority_accuracy, some.majority_f1) == (every.accuracy, every.f1)
    unread = score(items_of([None] * 4, labels))
    assert (unread.accuracy, unread.precision, unread.recall, unread.f1, unread.unparsed) == (0, 0, 0, 0, 100)


def test_opening_turns_lift_accuracy_and_the_baseline_shows_it() -> None:
    # Always yes on three positives and a negative, and one trivial opening turn.
    items: list[Item] = [(True, True, False)] * 3 + [(True, False, False), (False, False, True)]
    everything, without = score(items), score(items, WITHOUT_OPENING)
    assert (everything.accuracy, without.accuracy) == (80, 75)
    assert (everything.majority_accuracy, without.majority_accuracy) == (60, 75)
    assert (everything.items, without.items) == (5, 4)
    negatives = score([(False, False, True), (True, False, False), (True, True, False)])
    assert (negatives.majority_accuracy, negatives.majority_f1) == (pytest.approx(200 / 3), 0)


def test_no_items() -> None:
    nothing = METRIC.score(np.zeros(12))
    assert np.isnan([getattr(nothing, measure) for measure in METRIC.measures]).all()
    assert nothing.items == 0


@quick
@given(all_items)
def test_unparsed_answers_earn_nothing_unless_declared(items: list[Item]) -> None:
    strict, lenient = score(items), score(items, AS_POSITIVE)
    as_wrong = score([(not label if answer is None else answer, label, start) for answer, label, start in items])
    as_yes = score([(True if answer is None else answer, label, start) for answer, label, start in items])
    measures = ["accuracy", "recall", "majority_accuracy", "majority_f1"]
    assert [getattr(strict, name) for name in measures] == pytest.approx(
        [getattr(as_wrong, name) for name in measures], nan_ok=True
    )
    measures += ["precision", "f1"]
    assert [getattr(lenient, name) for name in measures] == pytest.approx(
        [getattr(as_yes, name) for name in measures], nan_ok=True
    )
    assert strict.unparsed == pytest.approx(lenient.unparsed, nan_ok=True)
    if items:
        assert strict.unparsed == pytest.approx(100 * np.mean([answer is None for answer, _, _ in items]))


@quick
@given(all_items, all_items)
def test_shards_add_up_and_order_does_not_matter(first: list[Item], second: list[Item]) -> None:
    assert np.array_equal(total(first) + total(second), total([*second, *first][::-1]))


def corpus(seed: int, skill: float) -> tuple[Array, list[int]]:
    """Thirty dialogues of an opening turn and three others, three quarters of them positive."""
    draw, labels = random.Random(seed), random.Random(0)
    rows = []
    for number in range(120):
        is_opening = number % 4 == 0
        label = not is_opening and labels.random() < 0.75
        answer = label if is_opening or draw.random() < skill else draw.choice([True, False, None])
        rows.append(METRIC.statistics(answer, label, is_opening=is_opening))
    return np.stack(rows), [number // 4 for number in range(120)]


@pytest.mark.parametrize("measure", ["accuracy", "precision", "recall", "f1", "majority_accuracy", "unparsed"])
@pytest.mark.parametrize("metric", [METRIC, WITHOUT_OPENING])
def test_intervals_clustered_by_dialogue(metric: BinaryClassification, measure: str) -> None:
    statistics, dialogues = corpus(1, skill=0.5)
    values = metric.values_of(measure)
    estimate = bootstrap_interval(statistics, values, clusters=dialogues, resamples=500)
    expected = bootstrap_interval(statistics.reshape(30, 4, -1).sum(axis=1), values, resamples=500)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))
    assert estimate.low < estimate.value < estimate.high
    assert estimate.value == pytest.approx(getattr(metric.score(statistics.sum(axis=0)), measure))


def test_languages_are_compared_on_parallel_items() -> None:
    languages = {}
    for seed, (name, skill) in enumerate([("eng", 0.95), ("spa", 0.2)]):
        statistics, dialogues = corpus(seed, skill)
        languages[name] = TurnStatistics([(dialogue, row) for row, dialogue in enumerate(dialogues)], statistics)
    values = WITHOUT_OPENING.values_of("f1")
    (comparison,) = compare_languages(languages, values, resamples=300, permutations=999)
    assert comparison.difference.low > 0
    assert comparison.p_holm < 0.05
    assert comparison.difference.items == 120


@pytest.mark.parametrize(
    "answer",
    [
        "yes",
        "Yes.",
        "**YES**",
        "_yes_",
        " 'yes'\n",
        '{"needs_retrieval": "yes"}',
        "The answer is: yes",
        "Yes, there is no other way to know.",
        "Yes or no? Yes",
        "True",
        "ｙｅｓ",
        "sí",
        "SÍ, porque pregunta por síntomas.",
        "si\u0301",
        "Si.",
        "نعم",
        "نَعَم، يحتاج",
        "الجواب: نعم.",
        "\u200fنعم",
        "是",
        "是的，需要检索。",
        "答案：是",
        "是/否：是",
        "需要",
        "需要。用户问了药量。",
        "The user is not greeting. Answer: yes",
        "Yes, it is not a greeting, so no shortcut.",
        "No-one knows it; yes",
        "Yes\nNo other text is needed.",
    ],
)
def test_yes(answer: str) -> None:
    assert parse_yes_no(answer) is True


@pytest.mark.parametrize(
    "answer",
    [
        "no",
        "No, the user said yes before.",
        "NO!",
        "There is no need.",
        "yes/no: no",
        "false",
        "No hace falta.",
        "¿Sí o no? No",
        "لا",
        "لا، لا يحتاج",
        "ﻻ",
        "الجواب: لا",
        "نعم أو لا؟ لا",
        "否",
        "不是",
        "不，用户只是打招呼。",
        "答案:否",
        "是 或 否：否",
        "不需要",
        "不需要。用户说了是的。",
        "无需",
        "無需",
        "كلا",
        "كَلَّا، لا يحتاج",
        "No - the user said yes.",
        "No\n\nThe user only said yes.",
        "لا، قال المستخدم نعم",
        "答案：不是",
    ],
)
def test_no(answer: str) -> None:
    assert parse_yes_no(answer) is False


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "...",
        "I know that well",
        "It began yesterday",
        "no-one can tell",
        "noon, eyes, nothing, truely",
        "not sure",
        "yes or no",
        "Yes/No",
        "It depends: yes for fever, no for cough.",
        "Si el usuario pregunta",
        "así, sino, noche, síntomas",
        "والاعراض الحالية",
        "سنعم",
        "但是用户",
        "是否",
        "还是可以",
        "是或否",
        "否则",
        "The answer is not yes",
        "It is not true",
        "It isn’t true.",
        "I cannot say yes",
        "الجواب ليس نعم",
        "答案不是 是",
        "No doubt, yes",
        "No hay duda: sí",
        "لا شك، نعم",
        "yes\nno",
        "是\n否",
        "نعم\nلا",
        "sí, no",
        "需要\n不需要",
    ],
)
def test_parts_of_words_and_both_answers_are_not_parsed(answer: str) -> None:
    assert parse_yes_no(answer) is None


@quick
@given(st.sampled_from(["yes", "no", "sí", "نعم", "لا", "是", "否", "不是"]), st.text(alphabet=" .,!?*\n\"'()。，؟"))
def test_punctuation_around_changes_nothing(word: str, around: str) -> None:
    assert parse_yes_no(f"{around}{word}{around}") is parse_yes_no(word) is (word in ("yes", "sí", "نعم", "是"))


@quick
@given(st.sampled_from(["yes", "no", "true", "false", "sí"]), st.text("abcdefghijkl", min_size=1))
def test_letters_around_make_another_word(word: str, letters: str) -> None:
    assert parse_yes_no(f"{letters}{word}") is None
    assert parse_yes_no(f"{letters}-{word}{letters}") is None


def test_signature_names_every_choice() -> None:
    expected = "classification|turns:without_opening|unparsed:wrong|v:1"
    assert str(WITHOUT_OPENING.signature()) == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: METRIC.statistics("False", True, is_opening=False), TypeError, "the prediction is a str"),
        (lambda: METRIC.statistics(True, 1, is_opening=False), TypeError, "the label is a int"),
        (lambda: METRIC.values_of("auc"), ValueError, "unknown measure 'auc'"),
        (lambda: BinaryClassification(unparsed="skip"), ValueError, "got 'skip'"),
        (lambda: BinaryClassification(turns="first"), ValueError, "got 'first'"),
        (lambda: parse_yes_no(None), TypeError, "the answer is a NoneType"),
    ],
)
def test_what_does_not_fit_is_refused(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
