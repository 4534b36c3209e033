"""Documents of HealthDial's tasks: whose mark counts, which turns are items, and data that changes under a process."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.schema import DATA_VARIABLE, data_location
from metrics.lighteval_answers import read_answers
from metrics.lighteval_dialogue import ranking_answer
from metrics.lighteval_results import UnreadableResultsError
from metrics.pipeline import FirstError, PipelineAnswer, PipelineReference
from metrics.selection_parser import parse_selection
from tasks import healthdial_docs as docs
from tasks.errors import RunError
from tasks.healthdial import COMPONENTS, task_config
from tasks.healthdial_candidates import CANDIDATES_FROM_VARIABLE
from tasks.healthdial_metrics import retrieval
from tests.healthdial_runs import write_run

pytest_plugins = ("tests.healthdial_text_sample",)

NAME = "healthdial_pipeline:eng"
OOK_TURN = "eng-0027-u05"


def ook_line() -> dict[str, Any]:
    rows = BuiltData(data_location()).rows("user_turns_eng", "test")
    return next(row for row in rows if row["utterance_id"] == OOK_TURN)


def with_answer_mark(monkeypatch: pytest.MonkeyPatch, mark: bool) -> None:
    """Let the answer to the turn carry another mark than the question."""
    dialogues = deepcopy(docs._dialogues(data_location(), "eng"))
    dialogues["eng-0027"][6]["out_of_knowledge"] = mark
    monkeypatch.setattr(docs, "_dialogues", lambda location, language: dialogues)


def test_the_answers_mark_makes_a_turn_of_the_pipeline_out_of_knowledge(
    texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ook_line()
    with_answer_mark(monkeypatch, True)
    doc = docs.pipeline_doc({**line, "out_of_knowledge": False}, NAME)
    assert doc is not None
    assert (doc.specific or {})["out_of_knowledge"] == "true"
    with_answer_mark(monkeypatch, False)
    doc = docs.pipeline_doc({**line, "out_of_knowledge": True}, NAME)
    assert doc is not None
    assert (doc.specific or {})["out_of_knowledge"] == "false"


def test_a_turn_that_is_no_item_of_retrieval_is_none_of_the_pipeline(
    texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ook_line()
    assert docs.pipeline_doc(line, NAME) is not None
    monkeypatch.setattr(docs, "_query_ids", lambda location, language: frozenset())
    assert docs.pipeline_doc(line, NAME) is None
    assert docs.pipeline_doc({**line, "needs_retrieval": False}, NAME) is not None


def test_a_turn_without_recording_is_asked_for_and_not_scored(texts: Path) -> None:
    line = ook_line()
    assert line["duration_s"] is None  # built without audio
    specific = docs.asr_doc(line, "healthdial_asr:eng").specific or {}
    assert (specific["id"], specific["has_reference"]) == (OOK_TURN, False)
    assert (docs.asr_doc({**line, "duration_s": 2.5}, "healthdial_asr:eng").specific or {})["has_reference"] is True


def test_refusing_what_the_gold_answers_is_an_error_whatever_the_mark() -> None:
    reference = PipelineReference("what helps", True, ("a",), True, ("Rest helps.",), "Rest helps.")
    refused = PipelineAnswer("what helps", True, ("a",), ("a",), "Sorry, I have no information on that.")
    assert FirstError("eng").outcome(refused, reference) == "response"


def test_answers_on_other_data_are_refused(tmp_path: Path) -> None:
    made = {"eng-0027-u01": (json.dumps(["x"]), {"origin": "release@0123456789ab"})}
    folder = write_run(tmp_path / "run", "healthdial_retrieval", "eng", made)
    tasks = ("healthdial_retrieval",)
    assert read_answers(folder, tasks, "eng", "release@0123456789ab").model == "made"
    with pytest.raises(UnreadableResultsError, match="a run on release@0123456789ab, but the data set is sample"):
        read_answers(folder, tasks, "eng", "sample")


def test_what_is_read_follows_the_variable(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert docs._origin(data_location()) == "sample"
    (tmp_path / "import_report.json").write_text('{"origin": "release@0123456789ab"}', encoding="utf-8")
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert docs._origin(data_location()) == "release@0123456789ab"


# Filtering the candidates of a retrieval run


def filtering_docs(few_shot: int = 0) -> list[Doc]:
    config = task_config(COMPONENTS["filtering"], "eng")
    config.num_fewshots = few_shot
    config.full_name = f"{config.name}|{few_shot}"
    return list(LightevalTask(config).get_docs())


def write_ranking_run(folder: Path, length: int = 10) -> dict[str, list[str]]:
    """Write a retrieval run that ranks the worst candidates of BM25 first; return its rankings."""
    rows = BuiltData(data_location()).rows("filtering_eng", "test")
    rankings = {row["query_id"]: row["candidate_ids"][::-1][:length] for row in rows}
    made: dict[str, tuple[str, dict[str, Any]]] = {name: (ranking_answer(ids), {}) for name, ids in rankings.items()}
    write_run(folder, "healthdial_retrieval", "eng", made)
    return rankings


def test_retrieval_asks_for_out_of_knowledge_turns_and_does_not_score_them(texts: Path) -> None:
    rows = {row["query_id"]: row for row in BuiltData(data_location()).rows("retrieval_eng", "test")}
    asked = {name: docs.retrieval_doc(row, "healthdial_retrieval:eng") for name, row in rows.items()}
    specifics = {name: doc.specific or {} for name, doc in asked.items()}
    assert specifics[OOK_TURN]["has_reference"] is False
    assert {name for name, one in specifics.items() if one["has_reference"]} == {
        name for name, row in rows.items() if row["gold_snippet_ids"]
    }
    (metric, *_) = retrieval()
    vectors = [
        metric.compute_sample(doc=doc, model_response=ModelResponse(text=[doc.choices[0]]))[metric.metric_name]
        for doc in asked.values()
    ]
    found = metric.get_corpus_aggregations()[metric.metric_name](vectors)
    assert found["recall@10"] == found["mrr@10"] == 100


@pytest.mark.parametrize("few_shot", [0, 2])
def test_candidates_of_a_run_are_shown(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few_shot: int
) -> None:
    rankings = write_ranking_run(tmp_path)
    before = {(doc.specific or {})["id"]: doc for doc in filtering_docs()}
    monkeypatch.setenv(CANDIDATES_FROM_VARIABLE, f"run:{tmp_path}")
    found = filtering_docs(few_shot)
    assert {(doc.specific or {})["id"] for doc in found} == before.keys() == rankings.keys()
    for doc in found:
        specific = doc.specific or {}
        assert json.loads(specific["candidates"]) == rankings[specific["id"]][:5]
        assert (specific["candidates_from"], specific["scores"]) == ("run:healthdial_retrieval:made", "[]")
        assert specific["gold"] == (before[specific["id"]].specific or {})["gold"], "gold does not depend on a run"
        kept = set(parse_selection(doc.choices[0], dict(zip("12345", rankings[specific["id"]], strict=False))).ids)
        assert kept == set(rankings[specific["id"]][:5]) & set(json.loads(specific["gold"]))
        assert len(doc.fewshot_samples) == few_shot
        assert {(one.specific or {})["candidates_from"] for one in doc.fewshot_samples} <= {"data"}
    assert (next(iter(before.values())).specific or {})["candidates_from"] == "data"


def test_a_run_that_lacks_items_or_ranks_too_few_is_named(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ranking_run(tmp_path / "short", length=3)
    monkeypatch.setenv(CANDIDATES_FROM_VARIABLE, f"run:{tmp_path / 'short'}")
    with pytest.raises(RunError, match=r"HEALTHDIAL_CANDIDATES is 5, but .* ranks only 3 snippets; set .* to 3"):
        filtering_docs()
    write_run(tmp_path / "partial", "healthdial_retrieval", "eng", {OOK_TURN: (ranking_answer(["x"]), {})})
    monkeypatch.setenv(CANDIDATES_FROM_VARIABLE, f"run:{tmp_path / 'partial'}")
    monkeypatch.setenv("HEALTHDIAL_CANDIDATES", "1")
    with pytest.raises(RunError, match=r"_CANDIDATES_FROM: .*partial has no answer for .*; run .* without --max-samp"):
        filtering_docs()
    monkeypatch.setenv(CANDIDATES_FROM_VARIABLE, "bm25")
    with pytest.raises(RunError, match="HEALTHDIAL_CANDIDATES_FROM must be data or run:FOLDER, not 'bm25'"):
        filtering_docs()
