"""Texts that are easily taken for a dialect: foreign names, Central particles, the sister dialect, copied words."""

from __future__ import annotations

import pytest

from metrics.dialect import DialectCounts, level
from metrics.short_memo import LONGEST, short_memo
from thai_dialect_bench.lexicons import dialect_counter
from thai_dialect_bench.schema import DIALECTS

ISAN_TEXT = "มื้ออื่นข้อยสิไปเฮ็ดงานนำหมู่ บ่ฮู้ว่าสิเลิกยามใด เจ้าเบิ่งเฮือนให้แหน่เด้อ"
LANNA_TEXT = "วันพูกเฮาจะไปแอ่วกาดตวยกั๋นเน้อ บ่ฮู้ว่าจะปิ๊กมาตอนใด ฝากผ่อบ้านหื้อข้าเจ้าตวย"
DAMBRO_TEXT = "ต่อเช้าฉานอี้ไปหลาดกันโบ๋นั้น ไม่โร้ว่าอี้หลบตอใด เติ้นแลเรินให้มั่งนะ"
TEXTS = {"isan": ISAN_TEXT, "lanna": LANNA_TEXT, "dambro": DAMBRO_TEXT}


def level_of(text: str, dialect: str) -> float:
    return level(dialect_counter(dialect).counts(text).share)


@pytest.mark.parametrize(
    "text",
    [
        "เกาะมายอร์กาของสเปน",
        "นักแสดงชื่อโรบิน ฮู้ด",
        "นายพล มิน อ่อง หล่าย กล่าว",
        "ศาสตราจารย์กิลเบิร์ตสอนหนังสือ",
        "ดร.คอรินา ซิโอกัน ผู้บรรยาย",
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_pieces_of_foreign_names_are_no_words(text: str, dialect: str) -> None:
    assert dialect_counter(dialect).units(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "ดูสิเขามาแล้ว",
        "ไปสิจะรออะไร",
        "เอาสิเดี๋ยวฉันไปด้วย",
        "ลองชิมดูสิอร่อยมาก",
        "ลองคิดดูสิว่าใครทำ",
        "สวยจังเลยสิคะ",
        "ลองดูสิมันอร่อย",
        "คุณสิทำผิด",
    ],
)
def test_the_central_particle_is_no_isan_future(text: str) -> None:
    assert level_of(text, "isan") == 0


@pytest.mark.parametrize("text", ["เขาสิไปตลาด", "เขาซิไปตลาด", "พรุ่งนี้สิไปโรงเรียน"])
def test_the_isan_future_counts_between_subject_and_verb(text: str) -> None:
    assert level_of(text, "isan") == 1


@pytest.mark.parametrize("written", TEXTS)
@pytest.mark.parametrize("asked", DIALECTS)
def test_a_text_in_one_dialect_does_not_pass_for_another(written: str, asked: str) -> None:
    assert level_of(TEXTS[written], asked) == (1.0 if written == asked else 0.0)


@pytest.mark.parametrize("word", ["พวกเฮา", "ฮู่จัก", "ฮอบ", "ข้าวจี่", "ผู้บ่าว", "ผู้สาว"])
def test_a_shared_word_is_not_wrong_where_a_list_lacks_it(word: str) -> None:
    assert {unit.kind for dialect in ("isan", "lanna") for unit in dialect_counter(dialect).units(word)} == {"shared"}
    assert {unit.kind for unit in dialect_counter("dambro").units(word)} == {"wrong"}


def test_what_dialects_share_counts_as_far_as_the_rest_is_right() -> None:
    def share(right: int, wrong: int) -> float:
        return DialectCounts(right=right, shared=3, context=1, wrong=wrong, due=0).share

    assert share(right=0, wrong=0) == 1.0
    assert share(right=4, wrong=0) == 1.0
    assert share(right=2, wrong=2) == pytest.approx((2 + 4 * (3 / 5) ** 2) / 8)
    assert share(right=0, wrong=4) == pytest.approx((4 * (1 / 5) ** 2) / 8)
    assert share(right=0, wrong=8) < 0.025
    # One wrong word, perhaps a gap in a lexicon, does not undo many.
    assert share(right=0, wrong=1) > 0.15
    assert DialectCounts(right=0, shared=7, context=0, wrong=1, due=0).share > 0.25


@pytest.mark.parametrize("word", ["ยัง", "กัน"])
def test_words_that_are_as_common_in_central_thai_are_not_marked(word: str) -> None:
    counter = dialect_counter("dambro")
    assert [unit.text for unit in counter.units(f"ฉานหรอย {word}มีอยู่")] == ["ฉาน", "หรอย"]


@pytest.mark.parametrize(("dialect", "text"), [("lanna", "ซ่วยมือซ่วยหน้า แล้วซ่วยจ๊าม"), ("dambro", "หน้าตาขี้ร้ายจังหู")])
def test_words_of_two_dialects_are_not_wrong_in_either(dialect: str, text: str) -> None:
    assert level_of(text, dialect) == 1.0
    assert dialect_counter(dialect).counts(text).wrong == 0


def test_one_dish_that_was_asked_for_is_not_the_models_dialect() -> None:
    prompt = "จงเขียนวิธีเฮ็ดแกงบักหุ่งเป็นภาษาอีสาน"
    answer = "แกงบักหุ่งเป็นอาหารพื้นบ้าน สับบักหุ่งเป็นเส้น"
    counter = dialect_counter("isan")
    assert counter.counts(answer, prompt).own == 0
    assert counter.counts(answer).own == 2


def test_a_phrase_of_the_prompt_is_copied_and_its_words_elsewhere_are_not() -> None:
    prompt = "จงเขียนวิธีเฮ็ดลาบเป็นภาษาอีสาน"
    counter = dialect_counter("isan")
    assert counter.counts("วิธีเฮ็ดอาหาร", prompt).own == 0
    assert [unit.text for unit in counter.units("วิธีเฮ็ดอาหาร แม่เฮ็ดอยู่", prompt)] == ["เฮ็ด"]


def test_copied_words_support_no_word_that_is_also_central() -> None:
    counter = dialect_counter("isan")
    assert [unit.kind for unit in counter.units("วิธีเฮ็ดกะง่าย")] == ["right", "context"]
    assert counter.units("วิธีเฮ็ดกะง่าย", "จงเขียนวิธีเฮ็ดลาบ") == []


def test_long_texts_are_not_kept_in_memory() -> None:
    asked: list[int] = []
    length = short_memo(lambda text: asked.append(len(text)) or len(text))
    assert [length("ก" * size) for size in (LONGEST, LONGEST, LONGEST + 1, LONGEST + 1)] == [
        *(LONGEST, LONGEST),
        *(LONGEST + 1, LONGEST + 1),
    ]
    assert asked == [LONGEST, LONGEST + 1, LONGEST + 1]
