"""The metrics as lighteval calls them: vectors for each document, scores for a task, and what an answer tells."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
from lighteval.logging.evaluation_tracker import EnhancedJSONEncoder
from lighteval.models.model_output import ModelResponse

from healthdial.systems.replies import REFUSALS
from metrics.diagnostics import Diagnostics
from metrics.lighteval import (
    ItemDiagnostics,
    ItemStatistics,
    ModelAnswer,
    answer_text,
    corpus_metric,
    diagnostics_metric,
    finished,
    output_tokens,
    prompt_tokens_cut,
)
from metrics.lighteval_dialect import DialectStatistics
from metrics.lighteval_dialogue import TurnStatistics, TurnValues, ranking_of
from metrics.pipeline import PipelineAnswer
from metrics.resampling import bootstrap_interval
from metrics.thai_text import Bleu, Chrf, RougeL, corpus_score
from tasks.all_tasks import TASKS_TABLE
from tasks.healthdial_speech import PairStatistics
from tests.stand_ins import document

HYPOTHESES = ["ผมชอบกินข้าวเหนียวกับไก่ย่าง", "ฝนตกหนักมากในวันนี้ที่เชียงใหม่", "แมวนอน"]
REFERENCES = ["ผมชอบกินข้าวเหนียวกับส้มตำ", "ฝนตกหนักมากในวันนี้", "แมวนอน"]


def row(reference: str, has_reference: bool = True, cap: int = 8) -> Any:
    return document("q", choices=[reference], specific={"has_reference": has_reference}, generation_size=cap)


def samples(metric: Any, answers: list[ModelResponse], rows: list[Any]) -> list[list[float]]:
    name = metric.metric_name
    return [metric.compute_sample(doc=doc, model_response=each)[name] for doc, each in zip(rows, answers, strict=True)]


def corpus(metric: Any, items: list[list[float]]) -> dict[str, float]:
    return metric.get_corpus_aggregations()[metric.metric_name](items)


@pytest.mark.parametrize("metric", [Bleu(), RougeL(), Chrf(), Chrf(word_order=2)], ids=lambda each: each.name)
def test_scores_are_those_of_the_metric(metric: Any) -> None:
    wrapped = corpus_metric(metric)
    items = samples(wrapped, [ModelResponse(text=[each]) for each in HYPOTHESES], [row(each) for each in REFERENCES])
    assert all(type(value) is float for item in items for value in item)
    interval = bootstrap_interval(np.asarray(items), metric.values)
    assert corpus(wrapped, items) == {
        metric.name: pytest.approx(corpus_score(metric, HYPOTHESES, REFERENCES).value),
        f"{metric.name}_stderr": interval.standard_error,
    }


@pytest.mark.parametrize("metric", [Bleu(), RougeL(), Chrf(), Chrf(word_order=2)], ids=lambda each: each.name)
def test_a_row_without_a_reference_is_not_scored(metric: Any) -> None:
    wrapped = corpus_metric(metric)
    answers = [ModelResponse(text=[each]) for each in HYPOTHESES]
    rows = [row(each) for each in REFERENCES]
    scored = corpus(wrapped, samples(wrapped, answers[:2], rows[:2]))
    items = samples(wrapped, answers, [*rows[:2], row("", has_reference=False)])
    assert set(items[2]) == {0.0}
    assert corpus(wrapped, items) == scored


def test_a_missing_reference_can_count_as_in_the_paper() -> None:
    wrapped = corpus_metric(RougeL(), missing_as_zero=True)
    items = samples(wrapped, [ModelResponse(text=["ก"])] * 4, [row("ก"), row("ก"), row("ก"), row("", False)])
    found = corpus(wrapped, items)
    assert (found["rouge_l"], found["rouge_l_missing_as_zero"]) == (100.0, 75.0)
    assert found["rouge_l_stderr"] == 0
    assert found["rouge_l_missing_as_zero_stderr"] > 0


def test_nothing_scored_gives_no_number_rather_than_nan() -> None:
    assert corpus(corpus_metric(RougeL()), [[0.0, 0.0]]) == {}
    assert corpus(corpus_metric(RougeL()), [[1.0, 1.0]]) == {"rouge_l": 100.0}


def test_diagnostics_of_a_task() -> None:
    wrapped = diagnostics_metric(Diagnostics("thai"))
    answers: list[ModelResponse] = [
        ModelAnswer(text=["English only"], finish_reasons=["stop"], input_tokens=[1], truncated_tokens_count=4),
        ModelAnswer(text=[""], finish_reasons=["stop"], input_tokens=[1]),
        ModelAnswer(text=["ตอบ"], finish_reasons=["length"], input_tokens=[1]),
        ModelAnswer(text=["คำแปล: ตอบ"], finish_reasons=["stop"], input_tokens=[1]),
    ]
    found = corpus(wrapped, samples(wrapped, answers, [row("ตอบ")] * 4))
    ratio = found.pop("length_ratio")
    assert ratio > 0
    assert found == {"wrong_script": 0.25, "empty": 0.25, "cut_by_cap": 0.25, "prompt_cut": 0.25, "preface": 0.25}


def test_what_is_unknown_is_left_out() -> None:
    wrapped = diagnostics_metric(Diagnostics("latin"))
    found = corpus(wrapped, samples(wrapped, [ModelResponse(text=["answer"])], [row(".", has_reference=False)]))
    assert found == {"wrong_script": 0.0, "empty": 0.0, "preface": 0.0}


def test_tokens_and_the_cap_tell_of_a_backend_that_gives_no_reason() -> None:
    wrapped = diagnostics_metric(Diagnostics("thai"))
    answers = [ModelResponse(text=["ก"], output_tokens=[[1] * count]) for count in (8, 7)]
    assert corpus(wrapped, samples(wrapped, answers, [row("ก", cap=8)] * 2))["cut_by_cap"] == 0.5


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (ModelResponse(text=["a"]), (None, None, None)),
        (ModelResponse(text=["a"], input_tokens=[1], truncated_tokens_count=5), (None, None, None)),
        (ModelAnswer(text=["a"], output_tokens=[[-1, -1]], finish_reasons=["length"]), (False, 2, None)),
        (ModelAnswer(text=["a"], input_tokens=[1], finish_reasons=["stop"]), (True, None, 0)),
        (ModelAnswer(text=["a"], input_tokens=[1], truncated_tokens_count=5), (None, None, 5)),
        (ModelAnswer(text=[""], finish_reasons=["prompt_too_long"]), (True, None, 1)),
        (ModelAnswer(text=[""], finish_reasons=["content_filter"]), (True, None, None)),
        (ModelAnswer(text=["a"], finish_reasons=[""]), (None, None, None)),
    ],
)
def test_what_an_answer_tells(response: ModelResponse, expected: tuple[Any, ...]) -> None:
    assert (finished(response), output_tokens(response), prompt_tokens_cut(response)) == expected


def test_the_text_is_the_one_without_reasoning() -> None:
    assert answer_text(ModelResponse(text=["<think>x</think>a"], text_post_processed=["a"])) == "a"
    assert answer_text(ModelResponse(text=["a", "b"])) == "a"
    assert answer_text(ModelResponse()) == ""


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a", "a"),
        ("<think>x</think>a", "a"),
        ("x</think>\na", "\na"),
        ("<think>x</think>y</THINK>a", "a"),
        ("<Thinking>x</Thinking>a", "a"),
        ("<reasoning>x</reasoning>a", "a"),
        ("<think>x, or [] if none", ""),
        ("a<think>x", ""),
        ("<think>x</think>a<think>y", ""),
        ("<REASONING>x", ""),
        ("<thinking>x</think>", ""),
        ("I think <b>a</b>", "I think <b>a</b>"),
    ],
)
def test_reasoning_is_no_answer(text: str, answer: str) -> None:
    assert answer_text(ModelResponse(text=[text])) == answer
    assert answer_text(ModelResponse(text=["raw"], text_post_processed=[text])) == answer


def test_every_metric_of_every_task_leaves_reasoning_out() -> None:
    specific = {
        **{"id": "x", "language": "eng", "dialogue_number": "1", "has_reference": True, "is_opening": "false"},
        **{
            "gold": '["x"]',
            "shown": '["1"]',
            "candidates": '["x"]',
            "snippets": '["yes"]',
            "snippet_titles": '["a"]',
            "snippets_from": "gold",
        },
        **{"transcript": "yes", "needs_retrieval": "true", "out_of_knowledge": "false", "gold_contents": '["yes"]'},
    }
    doc = document("q", choices=["yes", "no"], specific=specific)
    every = {metric.metric_name: metric for config in TASKS_TABLE for metric in config.metrics}
    readers = (ItemStatistics, ItemDiagnostics, TurnStatistics, PairStatistics, DialectStatistics)
    assert all(isinstance(metric.sample_level_fn, readers) for metric in every.values())
    whole = PipelineAnswer("yes", True, ("x",), ("x",), "").to_json()
    answers = ("yes", *REFUSALS.values(), "[1]", '["x"]', '{"transcript": "yes"}', whole)
    for name in (
        *("bleu", "rouge_l", "chrf", "diagnostics", "wer", "cer_normalized", "cer_synthesized_normalized"),
        *("retrieval", "classification", "knowledge_selection", "refusals", "lexical_support", "pipeline"),
    ):
        metric = every[name]
        vectors = {
            around: [
                metric.compute_sample(doc=doc, model_response=ModelResponse(text=[f"{around}{answer}"]))[name]
                for answer in answers
            ]
            for around in ("", "<think>", "<think>[] no")
        }
        empty = metric.compute_sample(doc=doc, model_response=ModelResponse(text=[""]))[name]
        assert vectors["<think>"] == vectors["<think>[] no"] == [empty] * len(answers), name
        assert vectors[""] != vectors["<think>"], name


@pytest.mark.parametrize(
    ("answer", "ranking"),
    [('["b", "a"]', ["b", "a"]), *((text, []) for text in ("", "null", "[1]", '["a", 1]', "[" * 200_000))],
)
def test_what_is_no_ranking_retrieves_nothing(answer: str, ranking: list[str]) -> None:
    assert ranking_of(answer) == ranking


def test_a_task_without_documents_has_no_values() -> None:
    metric = RougeL()
    assert TurnValues(metric.signature(), {"rouge_l": metric.values}).compute_corpus([]) == {}


def test_reasoning_that_was_cut_off_counts_as_an_empty_answer() -> None:
    cut = ModelResponse(text=["<think>ก ข"])
    wrapped = diagnostics_metric(Diagnostics("thai"))
    assert corpus(wrapped, samples(wrapped, [cut], [row("ก")]))["empty"] == 1
    scored = corpus_metric(Bleu())
    assert samples(scored, [cut], [row("ก ข")]) == samples(scored, [ModelResponse(text=[""])], [row("ก ข")])


def test_the_signature_is_what_lighteval_writes() -> None:
    for wrapped in (corpus_metric(Bleu()), diagnostics_metric(Diagnostics("thai"))):
        written = json.loads(json.dumps(copy.deepcopy(wrapped), cls=EnhancedJSONEncoder))
        for part in ("sample_level_fn", "corpus_level_fn"):
            assert written[part].startswith(f"{wrapped.metric_name}|")
            assert written[part].endswith("|lighteval:0.13.0")


def test_an_answer_keeps_what_its_response_has() -> None:
    response = ModelResponse(text=["a"], logprobs=[0.5], padded_tokens_count=3)
    answer = ModelAnswer.of(response, finish_reasons=["stop"], padded_tokens_count=0)
    assert answer == ModelAnswer(text=["a"], logprobs=[0.5], padded_tokens_count=0, finish_reasons=["stop"])
