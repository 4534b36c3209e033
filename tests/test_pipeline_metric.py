"""The first failing part of a turn of the pipeline: worked cases of every outcome."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from metrics.pipeline import OUTCOMES, FirstError, PipelineAnswer, PipelineReference

GROUNDED = PipelineReference(
    transcript="How much water should I drink?",
    needs_retrieval=True,
    gold=("a", "b"),
    out_of_knowledge=False,
    contents=("Drink two litres of water a day.", "More in summer."),
    response="Around two litres daily is plenty.",
)
OOK = replace(GROUNDED, gold=(), contents=(), out_of_knowledge=True, response="I have nothing on that.")
SMALL = replace(OOK, needs_retrieval=False, out_of_knowledge=False, response="You are welcome.")
RIGHT = PipelineAnswer(
    transcript="how much water should i drink",
    needs_retrieval=True,
    retrieved=("c", "b", "a"),
    selected=("b", "a"),
    response="Drink two litres of water.",
)
RIGHT_OOK = replace(RIGHT, selected=(), response="I don't have any information on this.")
RIGHT_SMALL = PipelineAnswer(RIGHT.transcript, False, (), (), "Goodbye.")


@pytest.mark.parametrize(
    ("answer", "reference", "outcome"),
    [
        (RIGHT, GROUNDED, "none"),
        (RIGHT_OOK, OOK, "none"),
        (RIGHT_SMALL, SMALL, "none"),
        (None, GROUNDED, "unreadable"),
        (replace(RIGHT, transcript="how much whisky should i drink"), GROUNDED, "asr"),
        (replace(RIGHT, transcript="how much watr should I drink"), GROUNDED, "none"),  # 1 of 29 characters
        (replace(RIGHT, needs_retrieval=False), GROUNDED, "classification"),
        (replace(RIGHT_SMALL, needs_retrieval=True), SMALL, "classification"),
        (replace(RIGHT, retrieved=("c", "b")), GROUNDED, "retrieval"),
        (replace(RIGHT, retrieved=(*"cdefghij", "b", "a")), GROUNDED, "none"),
        (replace(RIGHT, retrieved=(*"cdefghijk", "b", "a")), GROUNDED, "retrieval"),
        (replace(RIGHT, retrieved=(*"cccccccccc", "b", "a")), GROUNDED, "none"),  # the third and second distinct one
        (replace(RIGHT, selected=("b", "a", "z")), GROUNDED, "filtering"),
        (replace(RIGHT, retrieved=("b",), selected=("b", "a")), GROUNDED, "retrieval"),
        (replace(RIGHT_OOK, retrieved=()), OOK, "none"),
        (replace(RIGHT_OOK, retrieved=("c",), selected=("z",)), OOK, "filtering"),
        (replace(RIGHT, selected=("a",)), GROUNDED, "filtering"),
        (replace(RIGHT, selected=("a", "b", "c")), GROUNDED, "filtering"),
        (replace(RIGHT_OOK, selected=("c",)), OOK, "filtering"),
        (replace(RIGHT_OOK, selected=None), OOK, "filtering"),
        (replace(RIGHT, response="I do not know."), GROUNDED, "response"),
        (replace(RIGHT, response="Drink water. Eat apples."), GROUNDED, "response"),
        (replace(RIGHT, response=""), GROUNDED, "response"),
        (replace(RIGHT, response=GROUNDED.response), GROUNDED, "none"),
        (replace(RIGHT_OOK, response="Drink water."), OOK, "response"),
        (replace(RIGHT_SMALL, response="I cannot answer that."), SMALL, "response"),
        (replace(RIGHT_SMALL, response=" "), SMALL, "response"),
    ],
)
def test_the_first_failing_part(answer: PipelineAnswer | None, reference: PipelineReference, outcome: str) -> None:
    metric = FirstError("eng")
    assert metric.outcome(answer, reference) == outcome
    assert metric.statistics(answer, reference).tolist() == [float(one == outcome) for one in OUTCOMES]


def test_the_earliest_error_counts() -> None:
    answer = RIGHT
    order = []
    for change in (
        {"response": ""},
        {"selected": ()},
        {"retrieved": ()},
        {"needs_retrieval": False},
        {"transcript": ""},
    ):
        answer = replace(answer, **change)  # type: ignore[arg-type]
        order.append(FirstError("eng").outcome(answer, GROUNDED))
    assert order == ["response", "filtering", "retrieval", "classification", "asr"]


def test_the_limit_of_the_error_rate() -> None:
    heard = replace(RIGHT, transcript="how much watr should I drink")
    assert FirstError("eng", max_cer=0).outcome(heard, GROUNDED) == "asr"
    assert "|max_cer:10|" in str(FirstError("eng").signature())
    with pytest.raises(ValueError, match="max_cer"):
        FirstError("eng", max_cer=-1)


def test_the_depth_of_the_ranking() -> None:
    assert FirstError("eng", depth=2).outcome(RIGHT, GROUNDED) == "retrieval"
    assert FirstError("eng", depth=3).outcome(RIGHT, GROUNDED) == "none"
    assert "|depth:10|" in str(FirstError("eng").signature())
    with pytest.raises(ValueError, match="depth must be at least 1"):
        FirstError("eng", depth=0)


def test_half_of_a_surrogate_pair_is_an_error_of_the_transcript() -> None:
    reference = PipelineReference("医生", True, ("a",), False, ("喝水",), "喝水")
    answer = PipelineAnswer("医\ud800生", True, ("a",), ("a",), "喝水")
    assert FirstError("zho").outcome(answer, reference) == "asr"
    assert FirstError("zho", max_cer=50).outcome(answer, reference) == "none"


def test_shares_are_percentages_and_add_to_a_hundred() -> None:
    metric = FirstError("eng")
    answers = [RIGHT, replace(RIGHT, retrieved=()), replace(RIGHT, retrieved=()), None]
    sums = np.sum([metric.statistics(answer, GROUNDED) for answer in answers], axis=0)
    shares = {name: float(metric.values_of(name)(sums)) for name in metric.measures}
    assert (shares["no_error"], shares["first_error_retrieval"], shares["first_error_unreadable"]) == (25, 50, 25)
    assert sum(shares.values()) == 100


def test_an_answer_is_read_back() -> None:
    assert PipelineAnswer.parse(RIGHT.to_json()) == RIGHT
    unreadable = replace(RIGHT, selected=None)
    assert PipelineAnswer.parse(unreadable.to_json()) == unreadable


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "Drink water.",
        RIGHT.to_json().replace('"needs_retrieval": true', '"needs_retrieval": "true"'),
        RIGHT.to_json().replace('"retrieved": ["c", "b", "a"]', '"retrieved": "c"'),
        RIGHT.to_json().replace('"selected": ["b", "a"]', '"selected": [1]'),
    ],
)
def test_what_is_no_answer_of_a_pipeline(text: str) -> None:
    assert PipelineAnswer.parse(text) is None
