"""Documents of HealthDial's tasks: whose mark counts, which turns are items, and data that changes under a process."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from healthdial.data import BuiltData
from healthdial.schema import DATA_VARIABLE, data_location
from metrics.lighteval_answers import read_answers
from metrics.lighteval_results import UnreadableResultsError
from metrics.pipeline import FirstError, PipelineAnswer, PipelineReference
from tasks import healthdial_docs as docs
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
