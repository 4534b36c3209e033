"""The dialect metrics as lighteval calls them: no reference is needed, words of the prompt do not count."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest
from lighteval.logging.evaluation_tracker import EnhancedJSONEncoder
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import SamplingMethod

from metrics.dialect import DialectCounter, DialectGeneration, DialectPrecision
from metrics.lighteval_dialect import dialect_metric
from metrics.resampling import bootstrap_interval
from tests.dialect_words import ISAN, LANNA, made_matcher
from tests.stand_ins import document

ANSWERS = ["คนเฮ็ดงาน", "คนอู้กัน เฮ็ดงาน", "ฝนตก", ""]


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> DialectCounter:
    return DialectCounter(made_matcher(tmp_path_factory.mktemp("lexicons"), isan=ISAN, lanna=LANNA), "isan")


def sample(metric: Any, answer: str, query: str = "q", **specific: Any) -> list[float]:
    doc = document(query, specific=specific)
    vector: list[float] = metric.compute_sample(doc=doc, model_response=ModelResponse(text=[answer]))[
        metric.metric_name
    ]
    return vector


def corpus(metric: Any, items: list[list[float]]) -> dict[str, float]:
    found: dict[str, float] = metric.get_corpus_aggregations()[metric.metric_name](items)
    return found


def both(counter: DialectCounter) -> list[Any]:
    return [dialect_metric(DialectGeneration(counter)), dialect_metric(DialectPrecision(counter))]


def test_names_and_kind(counter: DialectCounter) -> None:
    metrics = both(counter)
    assert [metric.metric_name for metric in metrics] == ["dialect_generation", "dialect_precision"]
    assert all(metric.higher_is_better and metric.category is SamplingMethod.GENERATIVE for metric in metrics)


def test_scores_of_a_task(counter: DialectCounter) -> None:
    generation, precision = both(counter)
    for metric, value in ((generation, 100 * 2 / 4), (precision, 100 * 2 / 3)):
        items = [sample(metric, answer) for answer in ANSWERS]
        assert all(type(number) is float for item in items for number in item)
        found = corpus(metric, items)
        assert set(found) == {metric.metric_name, f"{metric.metric_name}_stderr"}
        assert found[metric.metric_name] == pytest.approx(value)
        scored = np.asarray([item for item in items if any(item)])
        interval = bootstrap_interval(scored, metric.corpus_level_fn.metric.values)
        assert found[f"{metric.metric_name}_stderr"] == interval.standard_error > 0


def test_no_reference_is_needed(counter: DialectCounter) -> None:
    for metric in both(counter):
        with_one = sample(metric, "คนเฮ็ดงาน", has_reference=True)
        assert sample(metric, "คนเฮ็ดงาน", has_reference=False) == sample(metric, "คนเฮ็ดงาน") == with_one == [1.0, 1.0]


def test_a_document_without_fields_is_scored(counter: DialectCounter) -> None:
    for metric in both(counter):
        doc = document("q", choices=[], specific=None)
        answer = ModelResponse(text=["คนเฮ็ดงาน"])
        assert metric.compute_sample(doc=doc, model_response=answer)[metric.metric_name] == [1.0, 1.0]


def test_words_of_the_prompt_do_not_count(counter: DialectCounter) -> None:
    generation, precision = both(counter)
    assert sample(generation, "อยู่เฮือน", query="วาดเฮียน") == [0.0, 1.0]
    assert sample(precision, "อยู่เฮือน", query="วาดเฮียน") == [0.0, 0.0]
    # The prompt is all that the model saw.
    assert sample(generation, "อยู่เฮือน", query="วาดบ้าน", input="เฮือน", context="เฮือน") == [1.0, 1.0]


def test_reasoning_is_no_answer(counter: DialectCounter) -> None:
    for metric in both(counter):
        plain = sample(metric, "คนเฮ็ดงาน")
        assert sample(metric, "<think>อู้ พูด</think>คนเฮ็ดงาน") == plain
        assert sample(metric, "<think>คนเฮ็ดงาน") == sample(metric, "") != plain
        doc = document("q", specific={})
        answer = ModelResponse(text=["raw"], text_post_processed=["คนเฮ็ดงาน"])
        assert metric.compute_sample(doc=doc, model_response=answer)[metric.metric_name] == plain


def test_without_dialect_words_there_is_no_precision(counter: DialectCounter) -> None:
    generation, precision = both(counter)
    central = ["ฝนตก", "คนทำงาน", ""]
    assert corpus(precision, [sample(precision, answer) for answer in central]) == {}
    assert corpus(generation, [sample(generation, answer) for answer in central]) == {
        "dialect_generation": 0.0,
        "dialect_generation_stderr": 0.0,
    }


def test_one_document_has_no_standard_error(counter: DialectCounter) -> None:
    for metric in both(counter):
        assert corpus(metric, [sample(metric, "คนเฮ็ดงาน")]) == {metric.metric_name: 100.0}


def test_the_signature_is_what_lighteval_writes(counter: DialectCounter) -> None:
    for metric in both(counter):
        written = json.loads(json.dumps(copy.deepcopy(metric), cls=EnhancedJSONEncoder))
        for part in ("sample_level_fn", "corpus_level_fn"):
            assert written[part].startswith(f"{metric.metric_name}|")
            assert f"|lexicon:{counter.matcher.lexicon_sha256[:8]}|" in written[part]
            assert written[part].endswith("|lighteval:0.13.0")


def test_metrics_go_to_other_processes(counter: DialectCounter) -> None:
    for metric in both(counter):
        sent = pickle.loads(pickle.dumps(metric.sample_level_fn))
        doc, answer = document("q", specific={}), ModelResponse(text=["คนอู้ เฮ็ดงาน"])
        assert sent.compute(doc, answer) == metric.sample_level_fn.compute(doc, answer)
