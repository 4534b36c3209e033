"""The floors: copying the input, leading sentences, and the passage sentence nearest to the question."""

from __future__ import annotations

from thai_dialect_bench.baselines import copy_answer, lead_answer, leading_sentences, most_overlapping_sentence


def source(**texts: str) -> dict[str, str]:
    return {"input": "", "context": "", "question": "", **texts}


def test_copy_gives_the_question_or_the_input() -> None:
    assert copy_answer(source(input=" หัวข้อ ")) == " หัวข้อ "
    assert copy_answer(source(context="เรื่อง", question="ใคร")) == "ใคร"


def test_leading_sentences_stop_before_the_limit_but_give_at_least_one() -> None:
    assert leading_sentences("\n ก ข\nค ", characters=3) == "ก ข"
    assert leading_sentences("ก ข\nค", characters=5) == "ก ข\nค"
    assert leading_sentences("ก" * 300 + " ข") == "ก" * 300
    assert leading_sentences(" \n") == ""


def test_the_sentence_with_most_words_of_the_question_wins_and_the_first_of_equals() -> None:
    tokenize = list
    assert most_overlapping_sentence("กข คง จฉ", "งค", tokenize) == "คง"
    assert most_overlapping_sentence("กข ขก", "ก", tokenize) == "กข"
    assert most_overlapping_sentence("กข คง", "", tokenize) == "กข"
    assert most_overlapping_sentence(" ", "ก", tokenize) == ""


def test_lead_takes_the_passage_where_there_is_one() -> None:
    answer = lead_answer(source(context="แม่ไปตลาด พ่อไปนา", question="พ่อไปไหน"))
    assert answer == "พ่อไปนา"
    assert lead_answer(source(input="ฝนตก น้ำท่วม")) == "ฝนตก น้ำท่วม"
