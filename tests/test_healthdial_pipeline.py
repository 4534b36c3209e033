"""The whole pipeline: all gold has no error, and each part broken in turn is named as the first failing part."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.languages import LANGUAGES
from healthdial.systems import pipeline_parts, saved_answers
from healthdial.systems.pipeline import PipelineModel
from healthdial.systems.replies import REFUSALS, SMALL_TALK
from hub.errors import BenchError
from hub.location import DataLocation
from metrics.lighteval_dialogue import ranking_answer
from metrics.pipeline import PipelineAnswer
from tasks.healthdial import COMPONENTS, task_config
from tasks.healthdial_responses import pipeline_errors
from tests.healthdial_runs import run_tasks, write_run

pytest_plugins = ("tests.healthdial_text_sample",)


@pytest.fixture(autouse=True)
def without_memos() -> Iterator[None]:
    memos: tuple[Any, ...] = (saved_answers._read, pipeline_parts._contents)
    for memo in memos:
        memo.cache_clear()
    yield
    for memo in memos:
        memo.cache_clear()


def documents(language: str = "eng") -> list[Doc]:
    config = task_config(COMPONENTS["pipeline"], language)
    config.num_fewshots = 0
    config.full_name = f"{config.name}|0"
    return list(LightevalTask(config).get_docs())


def answers(parts: str, docs: list[Doc]) -> list[PipelineAnswer]:
    config = CustomModelConfig(model_name=f"made={parts}", model_definition_file_path="pipeline.py")
    read = [PipelineAnswer.parse(response.text[0]) for response in PipelineModel(config).greedy_until(docs)]
    return [answer for answer in read if answer is not None]


def outcomes(parts: str, docs: list[Doc], language: str = "eng") -> dict[str, float]:
    """Return the shares above 0, in percent, as the task gives them."""
    (metric,) = pipeline_errors(language)
    vectors = [
        metric.compute_sample(doc=doc, model_response=ModelResponse(text=[answer.to_json()]))[metric.metric_name]
        for doc, answer in zip(docs, answers(parts, docs), strict=True)
    ]
    found = metric.get_corpus_aggregations()[metric.metric_name](vectors)
    shares = {name: share for name, share in found.items() if not name.endswith("_stderr")}
    assert sum(shares.values()) == pytest.approx(100)
    return {name: share for name, share in shares.items() if share}


def ids(docs: list[Doc], part: str = "id") -> list[str]:
    return [(doc.specific or {})[part] for doc in docs]


def specific(docs: list[Doc], name: str) -> dict[str, Any]:
    return {(doc.specific or {})["id"]: doc for doc in docs}[name].specific or {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_gold_has_no_error(texts: Path, language: str) -> None:
    docs = documents(language)
    assert len(docs) == 12
    assert outcomes("asr:gold", docs, language) == {"no_error": 100}
    assert outcomes("asr:gold,classify:gold,retrieve:gold,filter:gold,respond:gold", docs, language) == {
        "no_error": 100
    }


def test_documents_are_user_turns_with_what_would_be_right(texts: Path) -> None:
    docs = documents()
    found = specific(docs, "eng-0027-u07")
    assert found["answer_id"] == "eng-0027-s08"
    assert [name for _, name, _ in json.loads(found["history"])][-2:] == ["eng-0027-s06", "eng-0027-u07"]
    assert json.loads(found["history"])[-1][2] == found["transcript"]
    assert len(json.loads(found["gold"])) == len(json.loads(found["gold_contents"])) == 2
    assert {type(value) for name, value in found.items() if name != "has_reference"} == {str}


BREAKS: dict[str, tuple[str, str, Callable[[Doc], tuple[str, str, dict[str, Any]]]]] = {
    # part broken -> task, part of the model string, document -> id, wrong answer, what the task put there
    "asr": ("healthdial_asr", "asr", lambda doc: ((doc.specific or {})["id"], "?", {})),
    "classification": (
        "healthdial_turn_classification",
        "classify",
        lambda doc: (
            (doc.specific or {})["answer_id"],
            " no" if (doc.specific or {})["needs_retrieval"] == "true" else " yes",
            {},
        ),
    ),
    "retrieval": ("healthdial_retrieval", "retrieve", lambda doc: ((doc.specific or {})["id"], "[]", {})),
    "filtering": (
        "healthdial_filtering",
        "filter",
        lambda doc: ((doc.specific or {})["id"], "none of them", {"shown": '["1"]', "candidates": '["x"]'}),
    ),
    "response": (
        "healthdial_response_generation",
        "respond",
        lambda doc: ((doc.specific or {})["answer_id"], "", {}),
    ),
}


@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_part_is_named(texts: Path, tmp_path: Path, broken: str) -> None:
    task, part, wrong = BREAKS[broken]
    docs = documents()
    made = {name: (text, more) for name, text, more in map(wrong, docs)}
    write_run(tmp_path, task, "eng", made)
    found = outcomes(f"{part}:{tmp_path}", docs)
    kind = Counter(
        "grounded" if json.loads((doc.specific or {})["gold"]) else (doc.specific or {})["needs_retrieval"]
        for doc in docs
    )
    assert kind == {"grounded": 8, "true": 2, "false": 2}
    concerned = {"asr": 12, "classification": 12, "retrieval": 8, "filtering": 10, "response": 12}[broken]
    expected = {f"first_error_{broken}": 100 * concerned / 12, "no_error": 100 * (1 - concerned / 12)}
    assert found == pytest.approx({name: share for name, share in expected.items() if share})


def test_bm25_searches_by_what_was_heard(texts: Path, tmp_path: Path) -> None:
    docs = documents()
    rows = {row["query_id"]: row for row in BuiltData(DataLocation(str(texts))).rows("filtering_eng", "test")}
    right = dict(zip(ids(docs), answers("retrieve:bm25", docs), strict=True))
    for name, row in rows.items():
        assert list(right[name].retrieved) == row["candidate_ids"][:10], "the query is that of the retrieval task"

    heard = {name: ("apple trees in the snow", {}) for name in ids(docs)}
    write_run(tmp_path, "healthdial_asr", "eng", heard)
    other = dict(zip(ids(docs), answers(f"asr:{tmp_path},retrieve:bm25", docs), strict=True))
    assert all(other[name].transcript == "apple trees in the snow" for name in rows)
    assert any(other[name].retrieved != right[name].retrieved for name in rows)


def test_built_in_parts(texts: Path) -> None:
    docs = documents()
    for doc, answer in zip(docs, answers("classify:always,retrieve:bm25,filter:top2,respond:lead", docs), strict=True):
        assert answer.needs_retrieval
        assert len(answer.retrieved) == 10
        assert answer.selected == answer.retrieved[:2]
        assert answer.response not in ("", doc.choices[0], REFUSALS["eng"])
    by_id = dict(zip(ids(docs), answers("respond:lead", docs), strict=True))
    assert by_id["eng-0027-u05"].response == REFUSALS["eng"]
    chat = [answer.response for answer in by_id.values() if not answer.needs_retrieval]
    assert chat == [SMALL_TALK["eng"]] * 2
    assert outcomes("respond:lead", docs) == {"no_error": 100}


def test_a_gold_filter_keeps_the_gold_among_those_retrieved(texts: Path) -> None:
    docs = documents()
    for doc, answer in zip(docs, answers("retrieve:bm25", docs), strict=True):
        gold = set(json.loads((doc.specific or {})["gold"]))
        assert answer.selected is not None
        assert set(answer.selected) == gold & set(answer.retrieved)


def test_bm25_ranks_what_a_retrieval_run_lacks(texts: Path, tmp_path: Path) -> None:
    """OOK turns: without candidates the filter would be right for nothing."""
    docs = documents()
    grounded = [doc for doc in docs if json.loads((doc.specific or {})["gold"])]
    made = {name: (ranking_answer(["x"]), {}) for name in ids(grounded)}
    write_run(tmp_path / "whole", "healthdial_retrieval", "eng", made)
    found = dict(zip(ids(docs), answers(f"retrieve:{tmp_path / 'whole'}", docs), strict=True))
    assert found["eng-0027-u01"].retrieved == ("x",)
    assert len(found["eng-0027-u05"].retrieved) == 10

    made.pop("eng-0027-u01")
    write_run(tmp_path / "partial", "healthdial_retrieval", "eng", made)
    with pytest.raises(BenchError, match="has no answer for eng-0027-u01"):
        answers(f"retrieve:{tmp_path / 'partial'}", docs)


def test_a_filtering_run_selects_by_what_it_was_shown(texts: Path, tmp_path: Path) -> None:
    docs = documents()
    rows = BuiltData(DataLocation(str(texts))).rows("filtering_eng", "test")
    made = {
        row["query_id"]: ("[2]", {"shown": '["1", "2"]', "candidates": json.dumps(row["candidate_ids"][:2])})
        for row in rows
    }
    write_run(tmp_path, "healthdial_filtering", "eng", made)
    found = dict(zip(ids(docs), answers(f"filter:{tmp_path}", docs), strict=True))
    for row in rows:
        assert found[row["query_id"]].selected == (row["candidate_ids"][1],)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("pipeline", "names no part, so all would be gold; name one of asr, classify"),
        ("p=", "must be NAME.=asr:...,classify:..."),
        ("=asr:gold", "must be NAME.=asr:...,classify:..."),
        ("p=asr", "must be NAME.=asr:...,classify:..."),
        ("p=asr:gold,asr:gold", "must be NAME.=asr:...,classify:..."),
        ("p=listen:gold", "unknown setting listen .* must be NAME.=asr:...,classify:...,retrieve:...,filter:..."),
        ("p=asr:/nowhere", "asr:/nowhere is neither one of gold nor the folder of a run"),
        ("p=filter:topmost", "filter:topmost is neither one of gold, top<k>"),
        ("p=retrieve:lead", "retrieve:lead is neither one of gold, bm25"),
    ],
)
def test_a_wrong_model_string_is_refused(model: str, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        PipelineModel(CustomModelConfig(model_name=model, model_definition_file_path="pipeline.py"))


def test_a_folder_without_the_run_is_refused(texts: Path, tmp_path: Path) -> None:
    docs = documents()
    with pytest.raises(BenchError, match="no results_"):
        answers(f"asr:{tmp_path}", docs)
    write_run(tmp_path, "healthdial_asr", "spa", {"spa-0027-u01": ("hola", {})})
    saved_answers._read.cache_clear()
    with pytest.raises(BenchError, match="no run of healthdial_asr in language eng"):
        answers(f"asr:{tmp_path}", docs)
    for model in ("first", "second"):
        write_run(tmp_path / "two" / model, "healthdial_asr", "eng", {"eng-0027-u01": ("hi", {})}, model=model)
    with pytest.raises(BenchError, match="healthdial_asr by first; healthdial_asr by second"):
        answers(f"asr:{tmp_path / 'two'}", docs)


def test_the_command_line_takes_a_finished_run(built_texts: Path, tmp_path: Path) -> None:
    systems = Path(pipeline_parts.__file__).parent
    (tmp_path / "lead").mkdir()
    (tmp_path / "whole").mkdir()
    task = "healthdial_response_generation:eng|0"
    run_tasks(tmp_path / "lead", built_texts, ["custom", "lead", str(systems / "snippet_lead.py"), task])
    parts = f"replayed=retrieve:bm25,respond:{tmp_path / 'lead' / 'out'}"
    arguments = ["custom", parts, str(systems / "pipeline.py"), "healthdial_pipeline:eng|0"]
    found = run_tasks(tmp_path / "whole", built_texts, arguments)
    assert found["config_general"]["model_name"] == "replayed"
    result = found["results"]["healthdial_pipeline:eng|0"]
    # Where no knowledge is needed both floors make small talk.
    assert result["first_error_response"] == 0
    assert result["first_error_retrieval"] == pytest.approx(100 * 5 / 12)
    assert result["no_error"] == pytest.approx(100 * 7 / 12)
    assert result["no_error_stderr"] > 0
