"""The report's tables of responses and of the pipeline: scores, layout, settings and answers."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import sacrebleu

from healthdial.languages import LANGUAGES
from healthdial.report import Report, make_report, report_csv, report_html, report_markdown, report_text
from healthdial.report.context import Context
from healthdial.report.measures import PIPELINE_MEASURES, measure_of
from healthdial.report.results import Setting, read_results
from healthdial.report.scores import Cell, score_systems
from healthdial.report.system_tables import pipeline_table, response_table
from hub.location import DataLocation
from metrics.report_tables import Table
from metrics.resampling import bootstrap_interval
from tests.healthdial_toy_results import ToyRun, by_name, cell_of, with_changed_documents, write_toy_run

pytest_plugins = ("tests.healthdial_report_fixtures",)

GOLD = Setting(snippets_from="gold")


def response_cell(report: Report, measure: str) -> Cell:
    return cell_of(report, "good", "response_generation", measure)


def row_of(table: Table | None, language: str) -> dict[str, str]:
    assert table is not None
    row = next(row for row in table.rows if row[1] == language)
    return dict(zip(table.header, row, strict=True))


# Responses


def test_overlap_with_the_references_is_that_of_sacrebleu(toy_report: Report) -> None:
    items = by_name(toy_report)["good"].tasks["response_generation", GOLD, "eng"].items
    answers, references = [item.answer for item in items], [[item.reference for item in items]]
    bleu = sacrebleu.corpus_bleu(answers, references, smooth_method="none").score
    assert 0 < bleu < 100
    assert response_cell(toy_report, "bleu").estimate.value == pytest.approx(bleu)
    chrf = sacrebleu.corpus_chrf(answers, references, eps_smoothing=False).score
    assert response_cell(toy_report, "chrf").estimate.value == pytest.approx(chrf)


def test_refusals_and_support_count_their_own_turns(toy_report: Report) -> None:
    items = by_name(toy_report)["good"].tasks["response_generation", GOLD, "eng"].items
    grounded = [item for item in items if item.gold]
    refused = [item for item in grounded if item.answer == "I don't know."]
    cell = response_cell(toy_report, "false_refusal_rate")
    assert 0 < len(refused) < len(grounded) == cell.estimate.items == 8
    assert cell.estimate.value == pytest.approx(100 * len(refused) / 8)
    ook = response_cell(toy_report, "refusal_rate")
    assert (ook.estimate.value, ook.estimate.items) == (100, 2)
    support = response_cell(toy_report, "lexical_support_answers").estimate
    assert support.items == 8
    assert support.value <= 100 - cell.estimate.value


def test_intervals_of_responses_are_drawn_by_dialogue(toy_report: Report) -> None:
    result = by_name(toy_report)["good"].tasks["response_generation", GOLD, "eng"]
    numbers = [item.dialogue_number for item in result.items]
    values = measure_of("response_generation", "rouge_l").values
    expected = bootstrap_interval(result.statistics["rouge_l"], values, clusters=numbers)
    assert response_cell(toy_report, "rouge_l").estimate == expected
    assert expected.low < expected.value < expected.high


def test_the_table_of_responses_has_every_measure_and_its_items(toy_report: Report) -> None:
    table = response_table(toy_report.cells, toy_report.layout(intervals=True))
    row = row_of(table, "English")
    assert list(row)[:5] == ["System", "Language", "BLEU", "chrF", "ROUGE-L"]
    assert row["OOK refused"] == "100.00 [100.00, 100.00]"
    counts = ("Items", "OOK items", "Gold items", "Support items")
    assert [row[name] for name in counts] == ["12", "2", "8", "8"]
    assert row["System"] == "good"


def test_other_snippets_stand_apart_and_are_told(
    toy_data: Path, toy_location: DataLocation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = write_toy_run(tmp_path / "first", ToyRun("good", ("response_generation",)))
    monkeypatch.setenv("HEALTHDIAL_SNIPPETS", "none")
    without = write_toy_run(tmp_path / "none", ToyRun("good", ("response_generation",)))
    made = make_report([first, without], toy_location, k=1)
    assert made.notes == []
    table = response_table(made.cells, made.layout(intervals=False))
    assert table is not None
    assert len(table.rows) == 2 * len(LANGUAGES)
    bare = next(dict(zip(table.header, row, strict=True)) for row in table.rows if row[0] == "good, no snippets")
    assert (bare["Support"], bare["Support items"], bare["Items"]) == ("", "0", "12")
    monkeypatch.delenv("HEALTHDIAL_SNIPPETS")
    third = write_toy_run(tmp_path / "third", ToyRun("third", ("response_generation",)))
    swapped = with_changed_documents(third, tmp_path / "swapped", snippets=json.dumps(["Another."]))
    notes = make_report([first, swapped], toy_location, k=1).notes
    assert len(notes) == 1
    assert notes[0].startswith("Systems of response generation were given different snippets")


def test_the_note_says_that_gold_snippets_give_out_of_knowledge_turns_away(toy_report: Report) -> None:
    table = response_table(toy_report.cells, toy_report.layout(intervals=True))
    assert table is not None
    assert "'Snippets: none': with them OOK refused is an upper bound" in table.note
    items = by_name(toy_report)["good"].tasks["response_generation", GOLD, "eng"].items
    ook = [item for item in items if item.specific["out_of_knowledge"] == "true" and not item.gold]
    assert len(ook) == 2
    assert all("Snippets:\nnone\n" in item.query for item in ook)
    assert not any("Snippets:\nnone\n" in item.query for item in items if item.gold)


def test_snippets_of_a_run_are_in_the_name_of_the_system() -> None:
    run = Setting(snippets_from="run:healthdial_retrieval:bm25@5")
    assert run.label() == "snippets of healthdial_retrieval:bm25@5"
    assert GOLD.label() == ""


def test_candidates_of_a_run_are_in_the_name_of_the_system() -> None:
    run = Setting(candidates=5, candidates_from="run:healthdial_retrieval:e5")
    assert run.label() == "k=5, candidates of healthdial_retrieval:e5"
    assert Setting(candidates=5, candidates_from="data").label() == "k=5"


# The pipeline


def test_the_pipeline_is_counted_by_its_first_error(toy_report: Report) -> None:
    items = by_name(toy_report)["good"].tasks["pipeline", Setting(), "eng"].items
    turns = Counter(item.turn_index for item in items)
    second_with_gold = sum(item.turn_index == 3 and bool(item.gold) for item in items)
    values = {name: cell_of(toy_report, "good", "pipeline", name).estimate.value for name in PIPELINE_MEASURES}
    assert (len(items), turns[5], turns[7], second_with_gold) == (12, 3, 2, 3)
    assert values == pytest.approx(
        {
            "first_error_unreadable": 100 * turns[7] / 12,
            "first_error_asr": 100 * turns[5] / 12,
            "first_error_classification": 0,
            "first_error_retrieval": 100 * second_with_gold / 12,
            "first_error_filtering": 0,
            "first_error_response": 0,
            "no_error": 100 * (12 - turns[5] - turns[7] - second_with_gold) / 12,
        }
    )


def test_a_row_of_the_pipeline_adds_to_a_hundred(toy_report: Report) -> None:
    row = row_of(pipeline_table(toy_report.cells, toy_report.layout(intervals=False)), "Chinese")
    parts = ("Unreadable", "ASR", "Classification", "Retrieval", "Filtering", "Response", "No error")
    assert tuple(row) == ("System", "Language", *parts, "Items", "No recording")
    assert sum(float(row[part].split()[0]) for part in parts) == pytest.approx(100, abs=0.05)
    assert row["Items"] == "12"


# Output


def test_both_tables_are_in_every_format_and_marked_as_of_the_sample(toy_report: Report, toy_html: str) -> None:
    for title in ("Response generation (SAMPLE)", "Pipeline: first part that fails (SAMPLE)"):
        for text in (report_text(toy_report), report_markdown(toy_report), toy_html):
            assert title in text
    records = list(csv.DictReader(io.StringIO(report_csv(toy_report))))
    scores = {(one["component"], one["measure"]) for one in records if one["kind"] == "score"}
    assert {("response_generation", "chrf"), ("pipeline", "no_error")} <= scores
    assert {one["snippets_from"] for one in records if one["component"] == "response_generation"} == {"gold"}
    assert "in no table here" not in report_text(toy_report)


def test_results_of_one_of_them_alone_make_a_report(
    toy_data: Path, toy_location: DataLocation, tmp_path: Path
) -> None:
    out = write_toy_run(tmp_path, ToyRun("good", ("response_generation",)))
    made = make_report([out], toy_location, k=1)
    assert "Response generation (SAMPLE)" in report_text(made)
    assert pipeline_table(made.cells, made.layout(intervals=False)) is None
    assert "Response generation, English: eng-0027-s02" in report_html(made)
    systems, passed_over = read_results([out])
    assert (len(score_systems(systems, Context(missing="no data set"))) > 0, passed_over) == (True, ())


def test_answers_of_a_pipeline_are_shown_by_what_was_heard_and_said(toy_report: Report) -> None:
    good = by_name(toy_report)["good"]
    key = ("pipeline", Setting(), "eng")
    items = good.tasks[key].items
    unreadable = replace(items[1], answer="<b>nothing</b>")
    changed = replace(good, tasks={key: replace(good.tasks[key], items=(items[0], unreadable))})
    html = report_html(replace(toy_report, systems=[changed], cells=[], disparities=[]))
    assert "<dt>good, heard</dt>" in html
    assert "<dt>good (not readable)</dt>" in html
    assert "&lt;b&gt;nothing" in html
