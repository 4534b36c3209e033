"""Saved answers: both layouts are read, and each prompt gets exactly its own answer."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.outputs import SavedAnswer, match_answers, output_files, read_answers, read_predictions


def write_predictions(file: Path, rows: list[tuple[str, str]]) -> Path:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Input", "Pred", "Pred_Latin", "Gold"])
        writer.writerows([prompt, answer, "", ""] for prompt, answer in rows)
    return file


def saved(*pairs: tuple[str, str]) -> list[SavedAnswer]:
    return [SavedAnswer(prompt, text, None, f"file row {index}") for index, (prompt, text) in enumerate(pairs)]


def test_names_of_the_release_layout(tmp_path: Path) -> None:
    for name in (
        "translation_eng_north_north_0_0_gpt-4o-2024-05-13.csv",
        "translation_north_eng_north_0_0_my_model_v1.csv",
        "qa_center_0_0_m.csv",
        "notes.csv",
    ):
        write_predictions(tmp_path / name, [])
    assert [(file.task, file.variety, file.model) for file in output_files(tmp_path)] == [
        ("qa", "central", "m"),
        ("translation_from_english", "lanna", "gpt-4o-2024-05-13"),
        ("translation_to_english", "lanna", "my_model_v1"),
    ]


def test_texts_are_kept_as_they_are(tmp_path: Path) -> None:
    rows = [(' ก"ข,\nค ', ""), ("NA", "nan"), ("NULL", " \n")]
    answers = read_predictions(write_predictions(tmp_path / "x.csv", rows))
    assert [(answer.prompt, answer.text) for answer in answers] == rows


def test_matching_is_by_prompt_not_by_order() -> None:
    assert match_answers(["b", "a"], saved(("a", "1"), ("b", "2"))) == ["2", "1"]


def test_equal_prompts_take_their_answers_in_order() -> None:
    assert match_answers(["a", "b", "a"], saved(("a", "first"), ("b", "-"), ("a", "second"))) == [
        "first",
        "-",
        "second",
    ]


def test_a_missing_and_a_doubled_prompt_are_named() -> None:
    with pytest.raises(BenchError, match=r"0 saved answers for 1 item\(s\) with the prompt 'คำถาม ข'.*nowhere"):
        match_answers(["คำถาม ก", "คำถาม ข"], saved(("คำถาม ก", "1")))
    with pytest.raises(
        BenchError, match=r"2 saved answers for 1 item\(s\) with the prompt 'ก' \(found: file row 0; file row 1"
    ):
        match_answers(["ก"], saved(("ก", "1"), ("ก", "2")))


def test_a_prompt_with_other_line_ends_is_explained() -> None:
    with pytest.raises(BenchError, match="other white space or line ends"):
        match_answers(["ก\nข"], saved(("ก\r\nข", "1")))


def test_a_spreadsheets_byte_order_mark_is_no_part_of_the_header(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("\ufeffInput,Pred\nก,ข\n", encoding="utf-8")
    assert [(answer.prompt, answer.text) for answer in read_predictions(file)] == [("ก", "ข")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "no such file or folder"),
        (".", "neither CSV files named as in the release"),
        ("only", "no outputs of model 'm'; it has: other"),
    ],
)
def test_sources_without_answers(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "only").mkdir()
    write_predictions(tmp_path / "only" / "qa_center_0_0_other.csv", [])
    source = tmp_path / name
    with pytest.raises(BenchError, match=message):
        read_answers(source if name != "." else tmp_path, "m")


def test_a_csv_of_something_else_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("prompt,answer\na,b\n", encoding="utf-8")
    with pytest.raises(BenchError, match="no column Input, Pred"):
        read_predictions(file)
