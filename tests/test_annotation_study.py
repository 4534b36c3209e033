"""What a study is made of: sources, choices that are refused, the order and sides that annotators get."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.annotation_studies import MODELS, a_study, answers, write_outputs
from thai_dialect_bench.annotation.assignments import make_assignments
from thai_dialect_bench.annotation.sources import read_sources
from thai_dialect_bench.annotation.study import Choice, make_study
from thai_dialect_bench.errors import BenchError, ResultsError


def test_a_dialect_score_has_every_answer_once_for_every_annotator() -> None:
    places = make_assignments(a_study("dialect_score"))
    for annotator in ("A01", "A02"):
        own = [place for place in places if place.annotator == annotator]
        assert [place.position for place in own] == list(range(6))
        assert {(place.item, place.model_a) for place in own} == {
            (f"translation_from_english-0{index}", model) for index in range(3) for model in MODELS
        }
        assert {(place.model_b, place.shown_left) for place in own} == {(None, None)}


def test_a_preference_has_every_pair_with_the_sides_balanced() -> None:
    places = make_assignments(a_study("preference", items=10, annotators=5))
    assert {(place.model_a, place.model_b) for place in places} == {MODELS}
    for annotator in {place.annotator for place in places}:
        assert Counter(place.shown_left for place in places if place.annotator == annotator) == {"a": 5, "b": 5}


def test_orders_are_the_seeds_and_each_annotators_own() -> None:
    study = a_study("preference", items=10)
    places = make_assignments(study)
    orders = {
        annotator: [(place.item, place.shown_left) for place in places if place.annotator == annotator]
        for annotator in study.annotators
    }
    assert orders["A01"] != orders["A02"]
    assert make_assignments(study) == places
    assert make_assignments(replace(study, seed=43)) != places


def test_more_than_two_models_are_compared_in_all_pairs() -> None:
    three = (*answers("preference"), *(replace(answer, model="third") for answer in answers("preference")[:3]))
    study = make_study(three, Choice("preference", "lanna"), name="x", annotators=1, seed=0)
    assert len(make_assignments(study)) == 9


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice("preference", "central"), "isan, lanna, dambro"),
        (Choice("preference", "isan"), "no answers in isan to the tasks food, conversation"),
        (Choice("preference", "lanna", models=("nobody",)), "no answers for the model nobody; there are: quokka"),
        (Choice("preference", "lanna", items=("food-99",)), "no answers for the item food-99"),
        (Choice("preference", "lanna", models=MODELS[:1]), "at least two models"),
        (Choice("preference", "lanna", models=(MODELS[0], MODELS[0])), "named twice"),
        (Choice("dialect_score", "lanna"), "no answers in lanna to the tasks qa, summarization"),
    ],
)
def test_a_choice_that_leaves_nothing_to_judge_is_refused(choice: Choice, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        make_study(answers("preference"), choice, name="x", annotators=2, seed=0)


def test_answers_that_do_not_belong_together_are_refused() -> None:
    choice = Choice("preference", "lanna")
    whole = answers("preference")
    with pytest.raises(BenchError, match="zebra-9b-secret has no answer to food-00"):
        make_study(whole[1:], choice, name="x", annotators=2, seed=0)
    with pytest.raises(BenchError, match="food-00 has two prompts"):
        make_study([replace(whole[0], prompt="อื่น"), *whole[1:]], choice, name="x", annotators=2, seed=0)
    with pytest.raises(BenchError, match="answers food-00 twice"):
        make_study([*whole, replace(whole[0], text="อื่น")], choice, name="x", annotators=2, seed=0)


def test_csv_files_are_read_as_a_folder_or_one_by_one(tmp_path: Path) -> None:
    folder = write_outputs(tmp_path / "outputs", "food", "lanna", "north")
    write_outputs(folder, "food", "isan", "east")
    read = read_sources([folder], "lanna")
    assert {(answer.item, answer.model, answer.dialect) for answer in read} == {
        (f"food-0{row}", model, "lanna") for row in range(3) for model in MODELS
    }
    assert read_sources([folder / f"food_north_0_0_{model}.csv" for model in sorted(MODELS)], "lanna") == read


def test_a_source_that_is_neither_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("Input,Pred\n")
    with pytest.raises(ResultsError, match=r"answers\.csv: no such file, or its name does not say"):
        read_sources([tmp_path / "answers.csv"], "lanna")
    with pytest.raises(ResultsError, match=r"no results_\*\.json in it"):
        read_sources([tmp_path], "lanna")


def test_results_of_lighteval_are_read(baseline_results: Path) -> None:
    read = read_sources([baseline_results], "isan")
    assert {answer.model for answer in read} == {"copy", "lead"}
    assert {"food", "qa", "summarization"} <= {answer.task for answer in read}
    assert {answer.dialect for answer in read} == {"isan"}
    study = make_study(read, Choice("preference", "isan"), name="x", annotators=1, seed=0)
    assert {item.task for item in study.items} == {"food", "conversation"}
