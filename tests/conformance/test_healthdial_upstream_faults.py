"""The faults of the authors' classification and filtering scripts (facts 2.3, 2.6), each shown to be absent here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.requests import Doc
from typer.testing import CliRunner

from healthdial.cli import app
from healthdial.data import BuiltData
from healthdial.schema import data_location
from healthdial.training import TrainingSettings, _arguments
from tasks import healthdial

pytest_plugins = ("tests.healthdial_text_sample",)


def documents(component: str, few_shot: int = 0, language: str = "eng") -> list[Doc]:
    """Return the documents of a task, sorted by id."""
    config = healthdial.task_config(healthdial.COMPONENTS[component], language)
    config.num_fewshots = few_shot
    config.full_name = f"{config.name}|{few_shot}"
    return sorted(LightevalTask(config).get_docs(), key=lambda doc: (doc.specific or {})["id"])


def results(component: str, docs: list[Doc], answers: list[str], language: str = "eng") -> dict[str, float]:
    """Return what lighteval's results hold for answers to documents."""
    found: dict[str, float] = {}
    for metric in healthdial.COMPONENTS[component].metrics(language):
        vectors = [
            metric.sample_level_fn.compute(doc, ModelResponse(text=[answer]))
            for doc, answer in zip(docs, answers, strict=True)
        ]
        found |= metric.corpus_level_fn.compute_corpus(vectors)
    return found


def rows(config: str, split: str) -> dict[str, dict[str, Any]]:
    found = BuiltData(data_location()).rows(config, split)
    return {row.get("utterance_id", row.get("query_id")): row for row in found}


def right_labels(docs: list[Doc]) -> list[str]:
    return [doc.get_golds()[0] for doc in docs]


# Turn classification


@pytest.mark.usefixtures("texts")
def test_examples_are_not_the_first_of_the_training_split() -> None:
    first = list(rows("turn_classification_eng", "train"))[:3]
    docs = documents("turn_classification", few_shot=3)
    drawn = [[example.specific["id"] for example in doc.fewshot_samples] for doc in docs]
    assert first not in drawn
    assert {one for ids in drawn for one in ids} == set(rows("turn_classification_eng", "train"))


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("answer", ["I know this one.", "Yesterday was fine.", "Nothing.", "", "maybe"])
def test_parts_of_words_are_no_answers_and_no_answer_is_no_yes(answer: str) -> None:
    docs = documents("turn_classification")
    found = results("turn_classification", docs, [answer] * len(docs))
    assert (found["unparsed"], found["accuracy"], found["recall"], found["f1"]) == (100, 0, 0, 0)


@pytest.mark.usefixtures("texts")
def test_the_empty_opening_does_not_hide_in_the_accuracy() -> None:
    """A system that is right on openings only: its accuracy is theirs, and 0 without them."""
    docs = documents("turn_classification")
    is_opening = [doc.specific["text"] == "" for doc in docs]
    assert is_opening == [doc.specific["is_opening"] == "true" for doc in docs]
    other = {"yes": "no", "no": "yes"}
    labels = right_labels(docs)
    answers = [label if opening else other[label] for label, opening in zip(labels, is_opening, strict=True)]
    found = results("turn_classification", docs, answers)
    assert found["accuracy"] == pytest.approx(100 * sum(is_opening) / len(docs))
    assert found["accuracy_without_opening"] == 0


@pytest.mark.usefixtures("texts")
def test_accuracy_stands_beside_f1_and_the_majority_baseline() -> None:
    docs = documents("turn_classification")
    found = results("turn_classification", docs, ["yes"] * len(docs))
    for turns in ("", "_without_opening"):
        assert found[f"accuracy{turns}"] == found[f"majority_accuracy{turns}"] > 50
        assert found[f"f1{turns}"] == found[f"majority_f1{turns}"]
    assert results("turn_classification", docs, right_labels(docs))["f1"] == 100


@pytest.mark.parametrize("option", [["train-classifier", "--out", "x", "--joint"], ["build", "--no-audio"]])
def test_false_is_not_true(option: list[str]) -> None:
    """Flags take no value, so that ``False`` after one is an error and not a yes."""
    outcome = CliRunner().invoke(app, [*option, "False"])
    assert outcome.exit_code == 2
    assert "unexpected extra argument" in outcome.output


def test_the_encoder_is_the_papers_and_its_training_is_seeded(tmp_path: Path) -> None:
    """With the argument names of today's transformers, under which the authors' script does not start."""
    settings = TrainingSettings()
    assert settings.model == "FacebookAI/xlm-roberta-large"
    arguments = _arguments(settings, tmp_path)
    assert arguments.seed == arguments.data_seed == settings.seed
    assert arguments.eval_strategy == arguments.save_strategy == "epoch"
    assert (arguments.load_best_model_at_end, arguments.metric_for_best_model) == (True, "accuracy")


# Filtering


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("candidates", ["5", "10"])
def test_an_answer_has_room_for_all_ids(monkeypatch: pytest.MonkeyPatch, candidates: str) -> None:
    """Even if each character were a token; ten tokens hold less than one of the release's ids."""
    monkeypatch.setenv("HEALTHDIAL_IDS", "snippet")
    monkeypatch.setenv("HEALTHDIAL_CANDIDATES", candidates)
    for doc in documents("filtering"):
        assert doc.generation_size
        three = json.dumps(json.loads(doc.specific["shown"])[:3])
        assert len(doc.get_golds()[0]) <= doc.generation_size
        assert 100 < len(three) <= doc.generation_size


@pytest.mark.usefixtures("texts")
def test_every_item_has_its_gold_and_out_of_knowledge_turns_are_items() -> None:
    test = rows("filtering_eng", "test")
    docs = documents("filtering")
    assert {doc.specific["id"]: json.loads(doc.specific["gold"]) for doc in docs} == {
        name: row["gold_snippet_ids"] for name, row in test.items()
    }
    unanswerable = [row["out_of_knowledge"] for row in test.values()]
    assert 0 < sum(unanswerable) < len(docs)
    found = results("filtering", docs, ["[]"] * len(docs))
    assert (found["ook_recall"], found["false_ook"]) == (100, 100)
    assert found["exact_match"] == pytest.approx(100 * sum(unanswerable) / len(docs))


@pytest.mark.usefixtures("texts")
def test_gold_that_is_no_candidate_makes_an_item_wrong_but_counts() -> None:
    """All that can be named is named: what is missing lowers Exact Match and recall, and precision stays."""
    docs = documents("filtering")
    answers = [doc.get_golds()[0] for doc in docs]
    reachable = [set(json.loads(doc.specific["gold"])) <= set(json.loads(doc.specific["candidates"])) for doc in docs]
    assert 0 < sum(reachable) < len(docs)
    found = results("filtering", docs, answers)
    assert found["exact_match"] == pytest.approx(100 * sum(reachable) / len(docs))
    assert found["micro_precision"] == 100
    assert found["micro_recall"] < 100


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("answer", ["", "None of them.", "[1, 2", "The ids are needed [see above]."])
def test_what_cannot_be_read_is_counted_and_is_not_the_empty_set(answer: str) -> None:
    docs = documents("filtering")
    found = results("filtering", docs, [answer] * len(docs))
    assert (found["unparsed"], found["ook_recall"], found["false_ook"], found["exact_match"]) == (100, 0, 0, 0)


@pytest.mark.usefixtures("texts")
def test_ids_that_are_no_candidates_are_counted() -> None:
    docs = documents("filtering")
    found = results("filtering", docs, ["[77]"] * len(docs))
    assert (found["with_unknown"], found["unparsed"], found["ook_recall"]) == (100, 0, 0)


@pytest.mark.usefixtures("texts")
def test_topics_are_shown_as_promised() -> None:
    snippets = {row["snippet_id"]: row for row in BuiltData(data_location()).rows("snippets_eng", "corpus")}
    for doc in documents("filtering"):
        for name, one in zip(json.loads(doc.specific["shown"]), json.loads(doc.specific["candidates"]), strict=True):
            row = snippets[one]
            assert f"ID: {name}\nTopic: {row['topic']}\nTitle: {row['title']}\nContent: {row['content']}" in doc.query


@pytest.mark.usefixtures("texts")
def test_a_base_model_does_not_answer_an_example_of_its_own() -> None:
    """The last list counts, so an answer ends where a model goes on with a next dialogue."""
    for doc in documents("filtering", few_shot=2):
        assert all(doc.query.count(stop) == 1 for stop in doc.stop_sequences)
        assert doc.stop_sequences == ["\nDialogue:"]


@pytest.mark.usefixtures("texts")
def test_fifty_candidates_can_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample has 48 snippets; the authors' retrieval script writes ten of a turn."""
    monkeypatch.setenv("HEALTHDIAL_CANDIDATES", "50")
    assert {len(json.loads(doc.specific["shown"])) for doc in documents("filtering")} == {48}
