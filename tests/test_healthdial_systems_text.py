"""Majority, encoder, threshold and top-k as models of the text tasks; prompts and examples of language models."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.prompt_manager import PromptManager
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.languages import LANGUAGES
from healthdial.schema import data_location
from healthdial.score_threshold import Threshold
from healthdial.systems import threshold as threshold_module
from healthdial.systems.bm25 import Bm25Model
from healthdial.systems.encoder import EncoderModel
from healthdial.systems.majority import MajorityModel, majority_label
from healthdial.systems.snippet_lead import SnippetLeadModel
from healthdial.systems.threshold import ThresholdModel, tuned_threshold
from healthdial.systems.top import TopModel
from hub.errors import BenchError
from metrics.selection_parser import parse_selection
from metrics.yes_no import parse_yes_no
from tasks import healthdial
from tasks.errors import RunError
from tests.tiny_encoder import save_tiny_encoder

pytest_plugins = ("tests.healthdial_text_sample",)


def documents(component: str, language: str = "eng", few_shot: int = 0) -> list[Doc]:
    """Return the documents of a task, in lighteval's order."""
    config = healthdial.task_config(healthdial.COMPONENTS[component], language)
    config.num_fewshots = few_shot
    config.full_name = f"{config.name}|{few_shot}"
    return LightevalTask(config).get_docs()


def model(kind: Callable[[CustomModelConfig], Any], name: str) -> Any:
    return kind(CustomModelConfig(model_name=name, model_definition_file_path=__file__))


def rows(config: str, split: str) -> list[dict[str, Any]]:
    return BuiltData(data_location()).rows(config, split)


# Turn classification


def test_the_majority_is_that_of_the_training_split(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = documents("turn_classification")
    assert set(model(MajorityModel, "majority").answers(docs)) == {" yes"}
    read: list[tuple[str, str]] = []
    labels = {"eng": ["retrieval", "no_retrieval"], "spa": ["retrieval", "no_retrieval", "no_retrieval"]}

    def stand_in(_: BuiltData, config: str, split: str) -> list[dict[str, str]]:
        read.append((config, split))
        return [{"label": label} for label in labels[config[-3:]]]

    monkeypatch.setattr(BuiltData, "rows", stand_in)
    majority_label.cache_clear()
    assert [majority_label(data_location(), language) for language in ("eng", "spa")] == [True, False]
    assert read == [("turn_classification_eng", "train"), ("turn_classification_spa", "train")]
    majority_label.cache_clear()


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (MajorityModel, "NAME"),
        (SnippetLeadModel, "NAME"),
        (Bm25Model, "NAME[=jieba|bigrams]"),
        (ThresholdModel, "NAME[=MODEL[,revision=...][,prefixes=...][,batch=...]]"),
    ],
)
@pytest.mark.parametrize("text", ["=bigrams", "name=", "name=bigrams,x"])
def test_floors_refuse_a_wrong_model_string(kind: Any, shape: str, text: str) -> None:
    with pytest.raises(BenchError, match=f"{re.escape(repr(text))}; it must be {re.escape(shape)}$"):
        model(kind, text)


def test_the_encoder_of_each_language_answers_in_order(texts: Path, tmp_path: Path) -> None:
    for language, positive in (("eng", 1), ("spa", 0)):
        save_constant_classifier(tmp_path / language, positive)
    english, spanish = (documents("turn_classification", language) for language in ("eng", "spa"))
    docs = [doc for pair in zip(english, spanish, strict=True) for doc in pair]
    encoder = model(EncoderModel, f"constant={tmp_path}")
    assert encoder.config.model_name == "constant"
    assert encoder.is_sharded
    assert encoder.answers(docs) == [" yes", " no"] * (len(docs) // 2)


def test_an_encoder_must_be_there_and_have_the_labels(texts: Path, tmp_path: Path) -> None:
    docs = documents("turn_classification")
    with pytest.raises(BenchError, match="the model string is 'encoder'; it must be NAME=MODEL"):
        model(EncoderModel, "encoder")
    with pytest.raises(BenchError, match=r"no model in .* nor for eng in it"):
        model(EncoderModel, f"encoder={tmp_path}").answers(docs)
    save_constant_classifier(tmp_path, 1, labels=("LABEL_0", "LABEL_1"))
    with pytest.raises(BenchError, match="its labels are LABEL_0, LABEL_1"):
        model(EncoderModel, f"encoder={tmp_path}").answers(docs)


def save_constant_classifier(
    folder: Path, positive: int, labels: tuple[str, str] = ("no_retrieval", "retrieval")
) -> None:
    """Save a classifier that gives every text one label."""
    import torch
    from transformers import AutoModelForSequenceClassification

    save_tiny_encoder(folder)
    names = dict(enumerate(labels))
    classifier = AutoModelForSequenceClassification.from_pretrained(
        folder, id2label=names, label2id={name: number for number, name in names.items()}
    )
    with torch.no_grad():
        classifier.classifier.out_proj.bias[positive] += 10
    classifier.save_pretrained(folder)


# Filtering


def test_top_keeps_the_first(texts: Path) -> None:
    docs = documents("filtering")
    assert set(model(TopModel, "top-2=2").answers(docs)) == {'["1", "2"]'}
    assert set(model(TopModel, "none=0").answers(docs)) == {"[]"}
    for name in ("top", "top=", "top=-1", "top=x", "=1"):
        with pytest.raises(BenchError, match="must be NAME=K"):
            model(TopModel, name)


def test_the_threshold_is_tuned_on_validation_and_applied_to_test(
    texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = documents("filtering")
    read: list[tuple[str, str]] = []
    original = BuiltData.rows

    def recorded(self: BuiltData, config: str, split: str) -> list[dict[str, Any]]:
        read.append((config, split))
        return original(self, config, split)

    monkeypatch.setattr(BuiltData, "rows", recorded)
    tuned_threshold.cache_clear()
    model(ThresholdModel, "threshold").answers(docs)
    assert read == [("filtering_eng", "validation")]
    monkeypatch.setattr(threshold_module, "tuned_threshold", lambda *_: Threshold(25.0, 0.0, 1))
    answers = model(ThresholdModel, "threshold").answers(docs)
    by_id = {doc.specific["id"]: answer for doc, answer in zip(docs, answers, strict=True)}
    for row in rows("filtering_eng", "test"):
        expected = [str(at) for at, score in enumerate(row["candidate_scores"][:5], start=1) if score > 25]
        assert json.loads(by_id[row["query_id"]]) == expected
    assert len({len(answer) for answer in answers}) > 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_samples_threshold_keeps_something(texts: Path, language: str) -> None:
    """One of the two validation items has its whole gold above all other candidates."""
    found = tuned_threshold(data_location(), language, 5)
    assert (found.exact_match, found.items) == (50, 2)
    assert 10 < found.value < 60


def test_a_threshold_needs_validation_items(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = documents("filtering")
    monkeypatch.setattr(BuiltData, "rows", lambda *_: [])
    tuned_threshold.cache_clear()
    with pytest.raises(BenchError, match="filtering_eng has no validation items to tune a threshold on"):
        model(ThresholdModel, "threshold").answers(docs)
    tuned_threshold.cache_clear()


@pytest.mark.parametrize("ids", ["number", "snippet"])
def test_answers_of_filters_are_read_back(texts: Path, monkeypatch: pytest.MonkeyPatch, ids: str) -> None:
    monkeypatch.setenv("HEALTHDIAL_IDS", ids)
    for doc in documents("filtering"):
        candidates = json.loads(doc.specific["candidates"])
        (answer,) = model(TopModel, "top-3=3").answers([doc])
        shown = json.loads(doc.specific["shown"])
        selection = parse_selection(answer, dict(zip(shown, candidates, strict=True)))
        assert list(selection.ids) == candidates[:3]
        assert selection.is_parsed


# Prompts of language models


@pytest.mark.parametrize(("component", "few_shot"), [("turn_classification", 5), ("filtering", 2)])
@pytest.mark.parametrize("language", ["eng", "zho"])
def test_the_instruction_stands_once_and_golds_are_right(
    texts: Path, component: str, few_shot: int, language: str
) -> None:
    split = {"turn_classification": "train", "filtering": "validation"}[component]
    pool = {row.get("utterance_id", row.get("query_id")): row for row in rows(f"{component}_{language}", split)}
    for number in (0, few_shot):
        for doc in documents(component, language, number):
            assert doc.instruction
            plain = PromptManager().prepare_prompt(doc)
            assert plain.startswith(doc.instruction)
            assert plain.count(doc.instruction.strip()) == 1
            assert plain.rstrip().endswith(doc.query[-20:])
            messages = PromptManager(use_chat_template=True).prepare_prompt_api(doc)
            assert messages[0]["content"].startswith(doc.instruction)
            assert sum(message["content"].count(doc.instruction.strip()) for message in messages) == 1
            assert [message["role"] for message in messages] == ["user", "assistant"] * number + ["user"]
            assert len(doc.fewshot_samples) == number
            for example, answer in zip(doc.fewshot_samples, messages[1::2], strict=True):
                check_gold(example, answer["content"], pool[example.specific["id"]])


def check_gold(example: Doc, answer: str, row: dict[str, Any]) -> None:
    if "label" in row:
        assert parse_yes_no(answer) is (row["label"] == "retrieval")
        return
    named = dict(zip(json.loads(example.specific["shown"]), row["candidate_ids"][:5], strict=True))
    expected = set(row["candidate_ids"][:5]) & set(row["gold_snippet_ids"])
    assert set(parse_selection(answer, named).ids) == expected


def test_examples_are_drawn_by_a_fixed_seed(texts: Path) -> None:
    drawn = [
        [
            [example.specific["id"] for example in doc.fewshot_samples]
            for doc in documents("turn_classification", "eng", 5)
        ]
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]
    assert len({tuple(ids) for ids in drawn[0]}) > 5
    assert all(len(set(ids)) == 5 for ids in drawn[0])


@pytest.mark.parametrize("count", [1, 5, 48])
def test_the_number_of_candidates_can_be_chosen(texts: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setenv("HEALTHDIAL_CANDIDATES", str(count))
    for doc in documents("filtering"):
        assert json.loads(doc.specific["shown"]) == [str(number) for number in range(1, count + 1)]
        assert doc.query.count("\nID: ") == count
        assert len(json.loads(doc.specific["scores"])) == count
        assert ("[1, 2]" in doc.instruction) is (count > 1)


def test_candidates_can_be_shown_by_their_own_ids(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEALTHDIAL_IDS", "snippet")
    for doc in documents("filtering"):
        candidates = json.loads(doc.specific["candidates"])
        assert json.loads(doc.specific["shown"]) == candidates
        assert all(f"\nID: {one}\n" in doc.query for one in candidates)
        assert not any(one in doc.instruction for one in candidates)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("HEALTHDIAL_CANDIDATES", "0"), ("HEALTHDIAL_CANDIDATES", "many"), ("HEALTHDIAL_IDS", "uuid")],
)
def test_wrong_settings_are_told(texts: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(RunError, match=f"{variable} must be .* not '{value}'"):
        documents("filtering")
