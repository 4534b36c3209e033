"""Dialect Generation and precision in the report: columns, table, CSV, marked answers, scores for `agreement`."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from metrics.dialect import DialectGeneration, DialectPrecision, level
from metrics.signature import Signature
from thai_dialect_bench import report as reports
from thai_dialect_bench.automatic_scores import read_scores
from thai_dialect_bench.cli import app
from thai_dialect_bench.dialect_scores import (
    CENTRAL_REFERENCE,
    DIALECT_REFERENCE,
    TOGETHER,
    score_dialects,
)
from thai_dialect_bench.dialect_tables import dialect_column, dialect_table
from thai_dialect_bench.highlight import segments, shortened
from thai_dialect_bench.lexicons import dialect_counter, dialect_metrics, suggested_units
from thai_dialect_bench.report import Report
from thai_dialect_bench.results import ModelResults, TaskResult, read_results
from thai_dialect_bench.schema import DIALECT_ANSWERS, DIALECTS, TASKS, VARIETIES
from thai_dialect_bench.scores import Cell, diagnose, score_models


def answered(result: TaskResult, answers: list[str]) -> TaskResult:
    """The result with other answers, their dialect statistics counted anew."""
    items = tuple(replace(item, answer=answer) for item, answer in zip(result.items, answers, strict=True))
    statistics = dict(result.statistics)
    if result.variety in DIALECTS and result.task in DIALECT_ANSWERS:
        for metric in dialect_metrics(result.variety):
            statistics[metric.name] = np.array([metric.statistics(i.answer, given=i.prompt) for i in items])
    return replace(result, items=items, statistics=statistics)


def report_of(models: list[ModelResults], origin: str = "sample") -> Report:
    return Report(models, score_models(models), diagnose(models), origin, score_dialects(models))


@pytest.fixture(scope="module")
def lead(baseline_results: Path) -> ModelResults:
    return next(model for model in read_results([baseline_results]) if model.name == "lead")


@pytest.fixture(scope="module")
def native(lead: ModelResults) -> ModelResults:
    """A model that answers with the references."""
    tasks = {key: answered(result, [item.reference for item in result.items]) for key, result in lead.tasks.items()}
    return ModelResults("native", tasks)


@pytest.fixture(scope="module")
def report(lead: ModelResults, native: ModelResults) -> Report:
    return report_of([lead, native])


def values(report: Report) -> dict[tuple[str, str, str, str], float]:
    return {(c.model, c.variety, c.task, c.metric): c.estimate.value for c in report.dialect_cells}


def test_a_run_carries_the_metrics_where_answers_are_in_a_dialect(lead: ModelResults) -> None:
    for (task, variety), result in lead.tasks.items():
        expected = variety in DIALECTS and task in DIALECT_ANSWERS
        for name in (DialectGeneration.name, DialectPrecision.name):
            assert (name in result.statistics) == expected
            assert (name in result.signatures) == expected


def test_the_report_has_what_lighteval_counted(lead: ModelResults) -> None:
    for (task, variety), result in lead.tasks.items():
        if variety in DIALECTS and task in DIALECT_ANSWERS:
            again = answered(result, [item.answer for item in result.items])
            for metric in dialect_metrics(variety):
                assert np.array_equal(again.statistics[metric.name], result.statistics[metric.name])
                ran = dict(Signature.parse(result.signatures[metric.name]).fields)
                assert ran.items() >= dict(metric.signature().fields).items()
                assert ran.keys() - dict(metric.signature().fields).keys() == {"lighteval", "data"}


def test_extracts_of_central_articles_have_no_dialect_and_references_have_much(report: Report) -> None:
    found = values(report)
    for dialect in DIALECTS:
        assert found["lead", dialect, "summarization", "dialect_generation"] == 0
        assert found[CENTRAL_REFERENCE, dialect, TOGETHER, "dialect_generation"] <= 5
        assert found[DIALECT_REFERENCE, dialect, TOGETHER, "dialect_generation"] >= 70
        assert found["native", dialect, TOGETHER, "dialect_generation"] == pytest.approx(
            found[DIALECT_REFERENCE, dialect, TOGETHER, "dialect_generation"]
        )
        assert found["native", dialect, TOGETHER, "dialect_precision"] >= 90


def test_a_score_over_two_tasks_is_over_all_their_items(report: Report, native: ModelResults) -> None:
    counter = dialect_counter("lanna")
    items = [
        item for task in ("summarization", "translation_from_english") for item in native.tasks[task, "lanna"].items
    ]
    expected = 100 * np.mean([level(counter.counts(item.answer, item.prompt).share) for item in items])
    cell = next(
        c
        for c in report.dialect_cells
        if (c.model, c.variety, c.task, c.metric) == ("native", "lanna", TOGETHER, "dialect_generation")
    )
    assert cell.estimate.value == pytest.approx(expected)
    assert cell.estimate.items == len(items)
    assert cell.estimate.low <= cell.estimate.value <= cell.estimate.high


def test_every_format_has_the_score_its_warning_and_its_lexicon(report: Report) -> None:
    sha = dialect_counter("lanna").matcher.lexicon_sha256[:8]
    for text in (reports.report_text(report), reports.report_markdown(report), reports.report_html(report)):
        assert "Dialect G / P" in text
        assert "Dialect Generation and precision" in text
        assert "little of fluency" in re.sub(r"\s+", " ", text)
        assert "(paper, people)" not in text
    for text in (reports.report_markdown(report), reports.report_html(report), reports.report_csv(report)):
        assert f"lexicon:{sha}" in text


def test_every_dialect_row_has_the_column_and_central_rows_do_not(report: Report) -> None:
    lines = [line.split("|") for line in reports.report_markdown(report).splitlines() if line.startswith("| native")]
    cells = {line[2].strip(): line[3].strip() for line in lines[:4]}
    assert cells.pop("Central Thai") == ""
    assert len(cells) == 3
    assert all(re.fullmatch(r"\d+\.\d / \d+\.\d", cell) for cell in cells.values())


def test_the_papers_people_stand_beneath_the_release_only(report: Report) -> None:
    text = reports.report_text(replace(report, origin="release@b5597ba"))
    assert text.count("(paper, people)") == 6
    assert "75.50" in text


def test_the_csv_has_a_line_for_each_score(report: Report) -> None:
    records = list(csv.DictReader(io.StringIO(reports.report_csv(report))))
    dialect = [record for record in records if record["metric"].startswith("dialect_")]
    assert len(dialect) == len(report.dialect_cells)
    assert {record["task"] for record in dialect} == {*DIALECT_ANSWERS, TOGETHER}
    assert {record["is_floor"] for record in dialect if record["model"] == "native"} == {"False"}
    assert {record["is_floor"] for record in dialect if record["model"] == CENTRAL_REFERENCE} == {"True"}


def test_a_run_from_before_the_metric_has_no_score(lead: ModelResults) -> None:
    tasks = {
        key: replace(result, statistics={k: v for k, v in result.statistics.items() if not k.startswith("dialect_")})
        for key, result in lead.tasks.items()
    }
    report = report_of([ModelResults("old", tasks)])
    assert report.dialect_cells == []
    for text in (reports.report_text(report), reports.report_html(report)):
        assert "Dialect G / P" not in text
    assert len(reports.item_scores_csv(report).splitlines()) == 1


def test_runs_with_different_lexicons_are_warned_of(report: Report) -> None:
    def with_lexicon(cell: Cell) -> Cell:
        return replace(cell, signature=re.sub(r"\|lexicon:\w+", "|lexicon:00000000", cell.signature))

    assert "WARNING" not in dialect_table(report.dialect_cells, with_paper=False).note
    mixed = [with_lexicon(cell) if cell.model == "native" else cell for cell in report.dialect_cells]
    assert "several settings (lexicons 00000000" in dialect_table(mixed, with_paper=False).note
    assert reports.report_text(replace(report, dialect_cells=mixed)).count("several settings") == 2


def test_one_task_alone_stands_in_the_column(lead: ModelResults, native: ModelResults) -> None:
    only = {key: result for key, result in native.tasks.items() if key[0] == "translation_from_english"}
    report = report_of([ModelResults("native", only)])
    found = values(report)["native", "isan", "translation_from_english", "dialect_generation"]
    column = dialect_column(report.dialect_cells)["native", "isan"]
    assert re.fullmatch(rf"{found:.1f} / \d+\.\d \(E-L only\)", column)
    assert "E-L P" in reports.report_text(report)
    assert "Both" not in reports.report_text(report)


def test_food_and_conversation_alone_are_reported(native: ModelResults) -> None:
    tasks = {
        key: answered(result, ["วันพูกเฮาจะไปแอ่วกาดตวยกั๋น" for _ in result.items])
        for key, result in native.tasks.items()
        if key[0] == "food"
    }
    report = report_of([ModelResults("talker", tasks)])
    assert values(report)["talker", "lanna", "food", "dialect_generation"] == 100
    assert values(report)["talker", "isan", "food", "dialect_precision"] < 50
    assert "Food G" in reports.report_text(report)


def test_item_scores_are_what_agreement_reads(report: Report, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text(reports.item_scores_csv(report), encoding="utf-8")
    scores = read_scores(file)
    items = sum(
        len(model.tasks[task, d].items) for model in report.models for task in DIALECT_ANSWERS for d in DIALECTS
    )
    assert len(scores) == items
    assert set(scores.values()) <= {0.0, 0.5, 1.0}
    assert scores["summarization-00", "lead", "lanna"] == 0.0


def test_segments_are_the_text_and_say_what_a_word_means() -> None:
    text = "วันพูก 😀 เฮาจะไปแอ่วกาด"
    found = segments(text, "lanna")
    assert "".join(segment.text for segment in found) == text
    marked = {segment.text: segment for segment in found if segment.kind}
    assert marked["แอ่ว"].kind == "right"
    assert marked["เฮา"].kind == "shared"
    assert "เที่ยว" in marked["แอ่ว"].tip
    assert {s.text: s.kind for s in segments(text, "isan") if s.kind}["แอ่ว"] == "wrong"
    assert segments("", "lanna")[0].text == ""
    assert segments("ไม่มีคำเมือง", "dambro")[0].kind == ""


def test_a_cut_text_is_marked_as_the_whole() -> None:
    whole = segments("เฮาไปแอ่วกาด ม่วนแต้ๆ", "lanna")
    for length in range(len("เฮาไปแอ่วกาด ม่วนแต้ๆ")):
        cut = list(shortened(whole, length))
        assert list(whole[: len(cut) - 1]) == cut[:-1]
        assert cut[-1].text.endswith(" ...")
        assert len("".join(segment.text for segment in cut)) <= length + 4
    assert list(shortened(whole, 100)) == list(whole)


def test_copied_words_are_not_marked() -> None:
    assert [s.kind for s in segments("ไปแอ่วกาด", "lanna", given="อยากไปแอ่วกาดครับ")] == [""]


def test_marked_answers_are_whole_escaped_and_in_one_file(native: ModelResults) -> None:
    tail = "จบตรงนี้"
    hostile = f"<script>alert(1)</script> เฮาไปแอ่ว{' ยาว' * 200} {tail}"
    tasks = {
        key: answered(result, [hostile for _ in result.items])
        for key, result in native.tasks.items()
        if key == ("food", "lanna")
    }
    html = reports.answers_html(report_of([ModelResults("<b>loud</b>", tasks)]))
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "&lt;b&gt;loud&lt;/b&gt;" in html
    assert tail in html
    assert '<mark class="right" title="Lanna: ' in html
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", html)
    assert f"{TASKS['food'].title}, {VARIETIES['lanna'].title}, food-00" in html


def test_the_report_marks_words_in_its_examples(report: Report) -> None:
    assert '<mark class="right"' in reports.report_html(report)


def test_the_command_writes_answers_and_item_scores(baseline_results: Path, tmp_path: Path) -> None:
    answers, scores = tmp_path / "answers.html", tmp_path / "scores.csv"
    arguments = ["report", str(baseline_results), "--answers-html", str(answers), "--item-scores", str(scores)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "Dialect words in the answers (SAMPLE)" in answers.read_text(encoding="utf-8")
    assert scores.read_text(encoding="utf-8").startswith("item,model,dialect,task,score,right,marked\n")


def test_suggestions_are_words_of_any_dialect() -> None:
    text = "วันพูกเฮาจะไปแอ่วกาด"
    assert [text[start:end] for start, end in suggested_units(text, "isan")] == ["วันพูก", "เฮา", "แอ่ว", "กาด"]
