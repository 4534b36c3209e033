"""Judgements as JSONL and CSV: what is written is read back, and a fault is named with file, line and field."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.judgement_cases import GEMINI, TYPHOON, drawn_preferences, drawn_scores, preference, score
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import CHOICES, FIELDS, Unit
from thai_dialect_bench.judgements import (
    escaped_cell,
    read_judgements,
    unescaped_cell,
    write_csv,
    write_jsonl,
)

FORMULAS = ["=1+1", "+66", "-1", "@SUM(A1)", "\t=1", "＝1+1", "'=1+1", "''-1"]


def test_both_formats_give_back_what_was_written(tmp_path: Path) -> None:
    judgements = [
        *drawn_scores(["A1", "A2"], items=5),
        *drawn_preferences(["A1", "A2"], items=5),
        score("qa-07", "A1", None, 0.5),
        replace(score("qa-08", "A1", 1, None), units=()),
        preference("food-09", "A1", None),
        *(replace(preference("food-10", f"A{i}", "a"), reason=text) for i, text in enumerate(FORMULAS)),
        replace(preference("food-11", "A1", "none"), reason="\"ดี\",\r\n\n'ok'", shown_left=None),
    ]
    write_jsonl(tmp_path / "j.jsonl", judgements)
    write_csv(tmp_path / "j.csv", judgements)
    assert read_judgements(tmp_path / "j.jsonl") == judgements
    assert read_judgements(tmp_path / "j.csv") == judgements


def test_lines_of_the_jsonl_have_the_fields_of_their_kind(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "j.jsonl", [score("qa-07", "A1", 1, 0.5), preference("food-00", "A1", "a")])
    first, second = (json.loads(line) for line in (tmp_path / "j.jsonl").read_text(encoding="utf-8").splitlines())
    assert list(first) == list(FIELDS["dialect_score"])
    assert list(second) == list(FIELDS["preference"])
    assert first["units"] == [{"start": 0, "end": 2, "text": "บ่", "right": True}]
    assert (second["dialect_choice"], second["answer_choice"], second["shown_left"]) == ("a", None, "b")


@pytest.mark.parametrize("text", FORMULAS)
def test_no_spreadsheet_runs_a_cell(text: str, tmp_path: Path) -> None:
    escaped = escaped_cell(text)
    assert isinstance(escaped, str)
    assert escaped.startswith("'")
    assert unescaped_cell(escaped) == text
    write_csv(tmp_path / "j.csv", [replace(preference("food-00", "A1", "a"), reason=text)])
    with (tmp_path / "j.csv").open(encoding="utf-8-sig", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert row["reason"] == escaped


@pytest.mark.parametrize("text", ["ดี", "'quoted'", "", "1+1", "บ่ = ไม่"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert escaped_cell(text) == unescaped_cell(text) == text


def test_excel_knows_the_csv_as_utf_8(tmp_path: Path) -> None:
    write_csv(tmp_path / "j.csv", [score("qa-07", "A1", 1, 1)])
    assert (tmp_path / "j.csv").read_bytes().startswith(b"\xef\xbb\xbfstudy,kind,item")


def changed(**fields: Any) -> dict[str, Any]:
    return score("qa-07", "A1", 1, 0.5).as_record() | fields


def changed_preference(**fields: Any) -> dict[str, Any]:
    return preference("food-00", "A1", "a").as_record() | fields


def without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {field: value for field, value in record.items() if field != name}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (changed(generation=0.7), "line 2, field generation: 0.7 is not one of 0, 0.5, 1 or null"),
        (changed(fluency=True), "line 2, field fluency: True is not one of 0, 0.5, 1 or null"),
        (changed(fluency="1"), "line 2, field fluency: '1' is not"),
        (without(changed(), "fluency"), "line 2: field fluency is missing"),
        (changed(dialect="north"), "line 2, field dialect: 'north' is not one of central, isan, lanna, dambro"),
        (changed(task="chat"), "line 2, field task: 'chat' is not one of qa,"),
        (changed(kind="score"), "line 2, field kind: 'score' is not one of dialect_score, preference"),
        (changed(annotator=" "), "line 2, field annotator: ' ' is not a name"),
        (changed(item=7), "line 2, field item: 7 is not a name"),
        (changed(model=None), "line 2, field model: None is not a name"),
        (changed(units="x"), "line 2, field units: 'x' is not a list"),
        (changed(units=[{"start": 3, "end": 3, "text": "", "right": True}]), "field units: 3 to 3 is not a span"),
        (changed(units=[{"start": 0, "end": 1, "text": "a", "right": 1}]), "field units: {'start'"),
        (changed_preference(dialect_choice="A"), "line 2, field dialect_choice: 'A' is not one of a, b, both, none"),
        (changed_preference(model_b=GEMINI), f"line 2, field model_b: '{GEMINI}' is also model_a"),
        (changed_preference(shown_left="left"), "line 2, field shown_left: 'left' is not a, b,"),
        (changed_preference(reason=3), "line 2, field reason: 3 is not text"),
    ],
)
def test_a_fault_is_named_with_line_and_field(record: dict[str, Any], message: str, tmp_path: Path) -> None:
    file = tmp_path / "j.jsonl"
    write_jsonl(file, [score("qa-00", "A1", 1, 1)])
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record))
    with pytest.raises(BenchError) as raised:
        read_judgements(file)
    assert str(raised.value).startswith(f"{file} line 2")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("left", "side"), [("a", "a"), (GEMINI, "a"), (TYPHOON, "b"), (None, None)])
def test_the_left_answer_may_be_named_by_its_model(left: str | None, side: str | None, tmp_path: Path) -> None:
    (tmp_path / "j.jsonl").write_text(json.dumps(changed_preference(shown_left=left)), encoding="utf-8")
    assert read_judgements(tmp_path / "j.jsonl")[0].shown_left == side


def test_faults_of_files(tmp_path: Path) -> None:
    def raised(name: str, content: bytes) -> str:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(BenchError) as error:
            read_judgements(tmp_path / name)
        return str(error.value)

    assert "line 2: not a JSON record" in raised("a.jsonl", b"\n{")
    assert "line 1: expected a JSON object" in raised("a.jsonl", b"[]")
    assert "not UTF-8 (byte 0)" in raised("a.jsonl", b"\xff")
    assert "line 2: the number of cells differs" in raised("a.csv", b"study,kind\r\nx\r\n")
    assert "line 2: field item is missing" in raised("a.csv", b"study,kind\r\nx,preference\r\n")
    with pytest.raises(BenchError, match="cannot be read"):
        read_judgements(tmp_path / "nowhere.jsonl")


def test_the_line_of_a_csv_record_is_its_first(tmp_path: Path) -> None:
    file = tmp_path / "j.csv"
    write_csv(file, [preference("food-00", "A1", "a"), preference("food-01", "A1", "a")])
    # The reason of each has a line break: the second record is lines 4 and 5.
    wrong = file.read_text(encoding="utf-8-sig").replace("food-01,food,isan", "food-01,food,east")
    file.write_text(wrong, encoding="utf-8", newline="")
    with pytest.raises(BenchError, match="line 4, field dialect: 'east'"):
        read_judgements(file)


def test_nothing_is_judged_twice(tmp_path: Path) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    write_jsonl(first, [preference("food-00", "A1", "a"), preference("food-00", "A2", "a")])
    write_jsonl(second, [preference("food-00", "A1", "b", (TYPHOON, GEMINI))])
    with pytest.raises(
        BenchError, match=r"2\.jsonl line 1: annotator 'A1' has judged this before, in .*1\.jsonl line 1"
    ):
        read_judgements([first, second])
    assert len(read_judgements(first)) == 2


def test_marked_units_and_choices_are_read_as_they_are(tmp_path: Path) -> None:
    units = (Unit(0, 3, "บ่ฮู้", False), Unit(10, 12, "=1", True))
    judgements = [replace(score("qa-07", "A1", 0, 0), units=units)]
    judgements += [preference(f"food-{i}", "A1", choice, answer=choice) for i, choice in enumerate(CHOICES)]
    write_csv(tmp_path / "j.csv", judgements)
    read = read_judgements(tmp_path / "j.csv")
    assert read[0].units == units
    assert [judgement.answer_choice for judgement in read[1:]] == list(CHOICES)
