"""Labels of a turn: the three legal states, every illegal one by its name and place, gold snippets, flags as text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.healthdial_builders import (
    SIX_GOLD,
    SIX_SNIPPETS,
    Record,
    assistant,
    changed,
    dialogue_record,
    grounded,
    kinds,
    ook,
    read_dialogues,
    read_one,
    snippet_record,
)


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (assistant("s1", snippet=[SIX_GOLD[0]]), "snippets_without_retrieval"),
        (grounded("s1"), "retrieval_without_snippets"),
        (grounded("s1", SIX_GOLD[0], out_of_knowledge=True), "ook_with_snippets"),
        (assistant("s1", out_of_knowledge=True), "ook_without_retrieval"),
        (grounded("s1", SIX_GOLD[0], in_knowledge=False), "not_in_knowledge"),
        (grounded("s1", *SIX_GOLD), "too_many_gold"),
        (grounded("s1", SIX_GOLD[0], SIX_GOLD[1], SIX_GOLD[0]), "repeated_gold"),
        (grounded("s1", SIX_GOLD[0], snippet_record("zzz")), "unknown_snippet"),
        (grounded("s1", snippet=[SIX_GOLD[0], "zzz"]), "unknown_snippet"),
        (grounded("s1", SIX_GOLD[0], SIX_SNIPPETS[0]), "snippet_of_other_language"),
        (grounded("s1", SIX_GOLD[0] | {"url": "changed"}), "snippet_drift"),
        (assistant("s1", need_retrieval=None), "need_retrieval_absent"),
        (assistant("s1", snippet="a-eng"), "bad_record"),
    ],
)
def test_illegal_states_of_an_answer(answer: Record, fault: str) -> None:
    turns, findings = read_one(dialogue_record(answers=[answer]))
    assert kinds(findings) == {fault}
    (finding,) = findings
    assert (finding.place.language, finding.place.record, finding.place.utterance) == ("eng", "ENG_50", 2)
    assert len(turns) == 3


def test_the_three_legal_states_only() -> None:
    legal = [(False, 0, False), (True, 1, False), (True, 5, False), (True, 0, True)]
    for needs, gold, out in legal:
        answer = assistant("s1", need_retrieval=needs, snippet=SIX_GOLD[:gold], out_of_knowledge=out)
        assert not read_one(dialogue_record(answers=[answer]))[1].counts


def test_an_ook_answer_with_snippets_and_no_retrieval_is_reported_as_each() -> None:
    answer = assistant("s1", snippet=[SIX_GOLD[0]], out_of_knowledge=True)
    _, findings = read_one(dialogue_record(answers=[answer]))
    assert kinds(findings) == {"snippets_without_retrieval", "ook_with_snippets", "ook_without_retrieval"}


def test_a_gold_snippet_outside_the_parallel_set_is_kept() -> None:
    outside = snippet_record("x", parallel_data=False)
    (dialogue,), findings = read_dialogues([dialogue_record(answers=[grounded("s1", outside)])], base=[outside])
    assert kinds(findings) == {"gold_not_parallel"}
    assert dialogue.turns[2].gold_snippet_ids == ("x",)


@pytest.mark.parametrize(
    "snippets", [[None], [[]], [{}], [7], [{"unique_identifier": 7}], [{"url": SIX_GOLD[0]["url"]}]]
)
def test_gold_that_names_no_snippet_is_left_out(snippets: list[Any]) -> None:
    turns, findings = read_one(dialogue_record(answers=[grounded("s1", SIX_GOLD[0], *snippets)]))
    assert kinds(findings) == {"unknown_snippet"}
    assert turns[2].gold_snippet_ids == ("a-eng",)


def test_what_is_kept_of_faulty_gold() -> None:
    every = grounded("s1", *SIX_GOLD, SIX_GOLD[3], snippet_record("zzz"), SIX_SNIPPETS[0])
    turns, _ = read_one(dialogue_record(answers=[every]))
    assert turns[2].gold_snippet_ids == tuple(f"{name}-eng" for name in "abcdef")


def test_question_and_answer_marked_differently() -> None:
    for utterance in (1, 2):
        record = dialogue_record(answers=[ook("s1")])
        record["utterance"][utterance]["out_of_knowledge"] = False
        _, findings = read_one(record)
        assert ("ook_mismatch", "eng") in findings.counts
        assert [one.place.utterance for one in findings if one.kind.name == "ook_mismatch"] == [2]


@pytest.mark.parametrize(
    ("value", "needs"),
    [
        ("true", True),
        ("True ", True),
        ("yes", True),
        (1, True),
        (1.0, True),
        ("1", True),
        ("false", False),
        ("False", False),
        ("no", False),
        ("", False),
        (0, False),
        (0.0, False),
        (float("nan"), False),
        ("perhaps", False),
        ([], False),
        ({}, False),
        (["true"], False),
    ],
)
def test_flags_that_are_no_boolean_are_read_as_what_they_say(value: object, needs: bool) -> None:
    turns, findings = read_one(dialogue_record(answers=[grounded("s1", SIX_GOLD[0], need_retrieval=value)]))
    assert turns[2].needs_retrieval is needs
    assert findings.count("flag_not_boolean") == 1
    assert kinds(findings) - {"snippets_without_retrieval"} == {"flag_not_boolean"}


@pytest.mark.parametrize(
    ("value", "expected"), [("false", False), (0, False), ("0.0", False), ("", False), ("true", True), ("?", True)]
)
def test_in_knowledge_is_true_unless_it_says_no(value: object, expected: bool) -> None:
    turns, findings = read_one(changed(2, in_knowledge=value))
    assert turns[2].in_knowledge is expected
    assert findings.count("flag_not_boolean") == 1
    assert findings.count("not_in_knowledge") == (0 if expected else 1)


@pytest.mark.parametrize("value", [None, True, False])
def test_null_and_booleans_are_no_odd_flags(value: bool | None) -> None:
    turns, findings = read_one(changed(1, out_of_knowledge=value))
    assert findings.count("flag_not_boolean") == 0
    assert turns[1].out_of_knowledge is bool(value)


def test_absent_flags_have_their_defaults() -> None:
    record = dialogue_record()
    for utterance in record["utterance"]:
        for key in ("need_retrieval", "out_of_knowledge", "snippet"):
            utterance.pop(key, None)
    turns, findings = read_one(record)
    assert findings.counts == {("need_retrieval_absent", "eng"): 3}
    assert {(turn.needs_retrieval, turn.out_of_knowledge, turn.in_knowledge) for turn in turns} == {
        (False, False, True)
    }
