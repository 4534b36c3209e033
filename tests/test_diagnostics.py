"""Diagnostics: script, empty and cut answers, prefaces, length."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from metrics.diagnostics import Count, Diagnostics, DiagnosticsSummary, Script, letters_by_script
from metrics.prefaces import PREFACE_PATTERNS, SHORT_LINE, opening_preface


def flags(hypothesis: str, script: Script = "thai", **options: float) -> dict[str, int]:
    counts = Diagnostics(script, **options).statistics(hypothesis, None)  # type: ignore[arg-type]
    return {name.lower(): int(counts[Count[name]]) for name in ("WRONG_SCRIPT", "NO_LETTERS", "EMPTY")}


@pytest.mark.parametrize(
    ("hypothesis", "script", "wrong_script", "no_letters", "empty"),
    [
        ("", "thai", 0, 0, 1),
        (" \n\u3000", "latin", 0, 0, 1),
        ("1984", "thai", 0, 1, 0),
        ("๑๒ ...", "thai", 0, 1, 0),
        ("วัวกินหญ้า", "thai", 0, 0, 0),
        ("วัวกินหญ้า", "latin", 1, 0, 0),
        ("A cow eats.", "latin", 0, 0, 0),
        ("A cow eats.", "thai", 1, 0, 0),
        ("Das Rößl frißt", "latin", 0, 0, 0),
        ("牛が草を食べる", "thai", 1, 0, 0),
        ("ววกก cows", "thai", 0, 0, 0),
        ("ววก cows", "thai", 1, 0, 0),
    ],
)
def test_script_table(hypothesis: str, script: Script, wrong_script: int, no_letters: int, empty: int) -> None:
    assert flags(hypothesis, script) == {"wrong_script": wrong_script, "no_letters": no_letters, "empty": empty}


def test_marks_are_no_letters() -> None:
    assert letters_by_script("ผู้ใหญ่ 5 Ab, 牛") == {"thai": 4, "latin": 2, "other": 1}


def test_share_of_foreign_letters_can_be_set() -> None:
    assert flags("ววกก cow")["wrong_script"] == 0
    assert flags("ววกก cow", foreign_share=0.4)["wrong_script"] == 1
    assert flags("ววกก", foreign_share=0.0)["wrong_script"] == 0


@pytest.mark.parametrize(
    ("output_tokens", "token_cap", "finished", "known", "cut"),
    [
        (None, None, None, 0, 0),
        (5, None, None, 0, 0),
        (None, 5, None, 0, 0),
        (4, 5, None, 1, 0),
        (5, 5, None, 1, 1),
        (5, 5, True, 1, 0),
        (4, 5, False, 1, 1),
        (None, None, False, 1, 1),
    ],
)
def test_how_an_answer_ended(
    output_tokens: int | None, token_cap: int | None, finished: bool | None, known: int, cut: int
) -> None:
    counts = Diagnostics("thai").statistics(
        "วัว", None, output_tokens=output_tokens, token_cap=token_cap, finished=finished
    )
    assert (counts[Count.END_KNOWN], counts[Count.CUT_BY_CAP]) == (known, cut)


@pytest.mark.parametrize(("tokens_cut", "known", "cut"), [(None, 0, 0), (0, 1, 0), (7, 1, 1)])
def test_whether_the_prompt_was_cut(tokens_cut: int | None, known: int, cut: int) -> None:
    counts = Diagnostics("thai").statistics("วัว", None, prompt_tokens_cut=tokens_cut)
    assert (counts[Count.PROMPT_KNOWN], counts[Count.PROMPT_CUT]) == (known, cut)


def test_summary_adds_up() -> None:
    diagnostics = Diagnostics("thai")
    sums = sum(
        (
            diagnostics.statistics("วัว กิน หญ้า", "วัว กิน", output_tokens=3, token_cap=3, prompt_tokens_cut=0),
            diagnostics.statistics("", "วัว กิน หญ้า", output_tokens=0, token_cap=3),
            diagnostics.statistics("Sure! Here is the answer", None, prompt_tokens_cut=2),
            diagnostics.statistics("1984", ""),
        ),
        start=np.zeros(len(Count)),
    )
    assert diagnostics.summary(sums) == DiagnosticsSummary(
        items=4,
        wrong_script=1 / 4,
        no_letters=1 / 4,
        empty=1 / 4,
        opening_preface=1 / 4,
        cut_by_token_cap=1 / 2,
        end_known=2,
        prompt_cut=1 / 2,
        prompt_known=2,
        length_ratio=5 / 8,
        references=2,
    )


def test_a_share_of_nothing_is_nan() -> None:
    diagnostics = Diagnostics("latin")
    summary = diagnostics.summary(diagnostics.statistics("A cow.", None))
    assert np.isnan([summary.cut_by_token_cap, summary.prompt_cut, summary.length_ratio]).all()
    assert np.isnan(diagnostics.summary(np.zeros(len(Count))).wrong_script)


def test_signature_names_the_settings() -> None:
    signature = str(Diagnostics("latin").signature())
    assert signature.startswith("diagnostics|script:latin|foreign:0.5|prefaces:1|tok:newmm|")


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="'thai' or 'latin', got 'Thai'"):
        Diagnostics("Thai")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="foreign_share"):
        Diagnostics("thai", foreign_share=50)
    with pytest.raises(TypeError, match="the hypothesis is a float"):
        Diagnostics("thai").statistics(float("nan"), None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "example"), [(row.name, example) for row in PREFACE_PATTERNS for example in row.examples]
)
def test_every_row_of_the_table_finds_its_examples(name: str, example: str) -> None:
    assert opening_preface(example) == name
    assert opening_preface(f'\n **"{example}\n\nวัว') == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A cow.",
        "Alright, we can leave now.",
        "Okay is a word.",
        "Sure enough, it rained.",
        "Of course the cow eats grass.",
        "Here is where we met.",
        "Here are my two cows.",
        "The cow is mine.",
        "Note that cows eat grass.",
        "I will give you an answer tomorrow.",
        "Assistants help farmers.",
        "วัวกินหญ้า",
        "แน่นอนว่าวัวกินหญ้า",
        "ได้เวลากินข้าวแล้ว",
        "ได้รับรางวัล",
        "ตกลงราคากันแล้ว",
        "โอเคมั้ย",
        "นี่คือวัวของผม",
        "สรุปแล้ววัวกินหญ้า",
        "ข้อความของแม่มาถึงแล้ว",
        "แปลกมาก",
        "มีสามวัน ได้แก่:\n1. วันจันทร์",
        "There are three days:\n\n- Monday\n- Tuesday",
        "Turn 1:\nสวัสดี",
        "ได้แก่:",
    ],
)
def test_ordinary_openings_are_no_prefaces(text: str) -> None:
    assert opening_preface(text) is None


@pytest.mark.parametrize("text", ["ว่ากันสั้น ๆ เด้อ:\n\nงัวกินหญ้า", "In short:\n\n**Cows** eat grass."])
def test_a_short_line_with_a_colon_is_a_preface(text: str) -> None:
    assert opening_preface(text) == SHORT_LINE


def released(upstream: Path, name: str) -> list[tuple[str, str]]:
    csv.field_size_limit(sys.maxsize)
    with (upstream / "outputs_local" / name).open(encoding="utf-8", newline="") as file:
        return [(row["Pred"], row["Gold"]) for row in csv.DictReader(file)]


# Rows (of 20) of the released translations into English that are in Thai script: with most of their letters, and with
# more than about a third of them (many explain in Thai and quote an English translation).
@pytest.mark.parametrize(
    ("dialect", "model", "majority", "third"),
    [
        ("east", "Llama-3.1-8B-Instruct", 16, 20),
        ("north", "Llama-3.1-8B-Instruct", 18, 20),
        ("south", "Llama-3.1-8B-Instruct", 6, 6),
        ("east", "Llama-3.1-70B-Instruct", 4, 4),
        ("north", "Llama-3.1-70B-Instruct", 4, 8),
        ("south", "Llama-3.1-70B-Instruct", 7, 8),
        ("south", "gpt-4o-2024-05-13", 0, 0),
    ],
)
def test_wrong_script_of_released_answers(upstream: Path, dialect: str, model: str, majority: int, third: int) -> None:
    rows = released(upstream, f"translation_{dialect}_eng_{dialect}_0_0_{model}.csv")
    for share, expected in ((0.5, majority), (0.34, third)):
        diagnostics = Diagnostics("latin", foreign_share=share)
        assert sum(diagnostics.statistics(*row)[Count.WRONG_SCRIPT] for row in rows) == expected


@pytest.mark.parametrize(
    ("name", "ratio"),
    [
        ("translation_south_eng_south_0_0_gemini-2.0-flash-exp.csv", 1.79),
        ("translation_eng_north_north_0_0_llama-3-typhoon-v1.5x-8b-instruct.csv", 11.6),
        ("translation_eng_east_east_0_0_llama-3-typhoon-v1.5x-8b-instruct.csv", 6.7),
        ("translation_eng_south_south_0_0_llama-3-typhoon-v1.5x-70b-instruct.csv", 5.8),
    ],
)
def test_length_ratio_of_released_answers(upstream: Path, name: str, ratio: float) -> None:
    diagnostics = Diagnostics("thai")
    sums = np.sum([diagnostics.statistics(*row) for row in released(upstream, name)], axis=0)
    assert diagnostics.summary(sums).length_ratio == pytest.approx(ratio, abs=0.05)


def test_prefaces_of_released_answers(upstream: Path) -> None:
    rows = released(upstream, "translation_south_eng_south_0_0_gemini-2.0-flash-exp.csv")
    # Row 9 begins with "Alright," too, but that is its translation.
    assert [position for position, (answer, _) in enumerate(rows) if not opening_preface(answer)] == [6, 9, 11]


def test_no_preface_in_any_text_of_the_release(upstream: Path) -> None:
    texts: set[str] = set()
    for file in sorted((upstream / "datasets" / "jsonl").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            texts.update(value for value in json.loads(line).values() if isinstance(value, str))
    for file in sorted((upstream / "outputs_local").glob("*.csv")):
        texts.update(gold for _, gold in released(upstream, file.name))
    assert len(texts) > 450
    assert {text: opening_preface(text) for text in texts if opening_preface(text)} == {}
