"""Reading Thai script into syllables: vowels, onsets, finals, hidden length, cutting, places, broken text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.thai_script import TONE_MARKS, normalize_run
from metrics.thai_syllables import Plain, Syllable, read_syllables


def read(word: str) -> Syllable:
    """The word's only syllable."""
    (piece,) = read_syllables(word)
    assert isinstance(piece, Syllable)
    return piece


def cut(word: str) -> list[str]:
    return [piece.text for piece in read_syllables(word)]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("กา", "k a L"),
        ("กะ", "k a S"),
        ("กัด", "k a S t"),
        ("กรรม", "k a S m"),
        ("ธรรม", "th a S m"),
        ("กำ", "k a S m"),
        ("ไป", "p a S y"),
        ("ใบ", "b a S y"),
        ("ไทย", "th a S y"),
        ("วัย", "w a S y"),
        ("เอา", "ʔ a S w"),
        ("ดิน", "d i S n"),
        ("ปี", "p i L"),
        ("ลึก", "l ue S k"),
        ("มือ", "m ue L"),
        ("มืด", "m ue L t"),
        ("ถุง", "th u S ng"),
        ("งู", "ng u L"),
        ("เตะ", "t e S"),
        ("เห็น", "h e S n"),
        ("เล", "l e L"),
        ("เลน", "l e L n"),
        ("และ", "l ae S"),
        ("แล", "l ae L"),
        ("แดง", "d ae L ng"),
        ("โต๊ะ", "t o S"),
        ("โพด", "ph o L t"),
        ("คน", "kh o S n"),
        ("เบาะ", "b aw S"),
        ("ก็", "k aw S"),
        ("ต็อก", "t aw S k"),
        ("บอก", "b aw L k"),
        ("พร", "ph aw L n"),
        ("เถอะ", "th oe S"),
        ("เธอ", "th oe L"),
        ("เลย", "l oe L y"),
        ("เงิน", "ng oe ? n"),
        ("เทอม", "th oe L m"),
        ("เฮียน", "h ia L n"),
        ("เยียะ", "y ia S"),
        ("เฮือน", "h uea L n"),
        ("เสือ", "s uea L"),
        ("หัว", "h ua L"),
        ("ขวด", "kh ua L t"),
        ("สวย", "s ua L y"),
        ("บาป", "b a L p"),
        ("มิตร", "m i S t"),
        ("จันทร์", "c a S n"),
        ("เสาร์", "s a S w"),
        ("ศุกร์", "s u S k"),
        ("ชาติ", "ch a L t"),
        ("เหตุ", "h e L t"),
    ],
)
def test_vowel_length_and_final(word: str, expected: str) -> None:
    syllable = read(word)
    assert " ".join(filter(None, (syllable.onset, syllable.vowel, syllable.length, syllable.final))) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("ข้าว", ("kh", "", "H")),
        ("คน", ("kh", "", "L")),
        ("หมู่", ("m", "", "H")),
        ("หญิง", ("y", "", "H")),
        ("แหลง", ("l", "", "H")),
        ("แหน่", ("n", "", "H")),
        ("ไหร", ("r", "", "H")),
        ("หก", ("h", "", "H")),
        ("หวย", ("h", "", "H")),
        ("อยู่", ("y", "", "M")),
        ("อยาก", ("y", "", "M")),
        ("ปลา", ("p", "l", "M")),
        ("เปล่า", ("p", "l", "M")),
        ("ควาย", ("kh", "w", "L")),
        ("แคว", ("kh", "w", "L")),
        ("แก้ว", ("k", "", "M")),
        ("กลม", ("k", "l", "M")),
        ("จริง", ("c", "", "M")),
        ("ทราย", ("s", "", "L")),
        ("สร้าง", ("s", "", "H")),
        ("หมรับ", ("m", "r", "H")),
        ("ผรื่อ", ("ph", "r", "H")),
        ("ญ้อน", ("y", "", "L")),
    ],
)
def test_onset_and_class(word: str, expected: tuple[str, str, str]) -> None:
    syllable = read(word)
    assert (syllable.onset, syllable.cluster, syllable.consonant_class) == expected


@pytest.mark.parametrize("word", ["เล่น", "แม่น", "แซ่บ", "ก่อง", "บ่", "บ่อ", "เข้า", "ไม้", "น้ำ", "เบิ่ง", "เทิง"])
def test_length_is_unknown_where_the_script_hides_it(word: str) -> None:
    assert read(word).length == "?"


@pytest.mark.parametrize(
    ("word", "length"), [("ข้าว", "L"), ("เขา", "S"), ("ม้าย", "L"), ("ไหม", "S"), ("ว่า", "L"), ("ใจ๋", "S"), ("ต๋ำ", "S")]
)
def test_length_is_known_elsewhere(word: str, length: str) -> None:
    assert read(word).length == length


@pytest.mark.parametrize(
    ("word", "dead"), [("มา", False), ("มะ", True), ("มาก", True), ("กัน", False), ("ไป", False), ("บ่", False)]
)
def test_dead_syllables_end_in_a_stop_or_a_short_vowel(word: str, dead: bool) -> None:
    assert read(word).is_dead is dead


@pytest.mark.parametrize(
    "syllables",
    [
        "กิน ข้าว แล้ว บ่",
        "อี หยัง",
        "จั่ง ใด๋",
        "ละ อ่อน",
        "พะ นะ",
        "มื้อ อื่น",
        "ขี้ หก",
        "บาด นี้",
        "ข นม",
        "ส นุก",
        "ต ลาด",
        "ถ นน",
        "น คร",
        "กรร ไกร",
        "ส วรรค์",
        "ไป ล่ะ",
        "คน ละ",
        "ฉ พาะ",
    ],
)
def test_words_are_cut_into_their_syllables(syllables: str) -> None:
    word = "เฉพาะ" if syllables == "ฉ พาะ" else syllables.replace(" ", "")
    assert cut(word) == syllables.split()


@pytest.mark.parametrize("word", ["ขนม", "สนุก", "ตลาด", "ถนน", "อร่อย"])
def test_a_sonorant_after_a_bare_consonant_has_high_class(word: str) -> None:
    _, second = read_syllables(word)
    assert isinstance(second, Syllable)
    assert second.consonant_class == "H"


def test_another_consonant_after_a_bare_one_keeps_its_class() -> None:
    _, second = read_syllables("สบาย")
    assert isinstance(second, Syllable)
    assert second.consonant_class == "M"


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("นํ้า", "น้ำ"),
        ("น้ํา", "น้ำ"),
        ("เเล้ว", "แล้ว"),
        ("ก่ี", "กี่"),
        ("แต้๊", "แต๊"),
        ("ค่าาา", "ค่า"),
        ("เด้ออ", "เด้อ"),
        ("มากกก", "มาก"),
        ("เลยย", "เลย"),
        ("เฮ็\u200bด", "เฮ็ด"),
        ("ถนน", "ถนน"),
        ("แวววาม", "แวววาม"),
        ("ออก", "ออก"),
        ("ฤดู", "รึดู"),
        ("", ""),
        ("\u200b", ""),
    ],
)
def test_normal_form(written: str, normal: str) -> None:
    text, places = normalize_run(written)
    assert text == normal
    assert len(places) == len(normal)
    assert normalize_run(text)[0] == text


def test_places_are_those_of_the_text_as_written() -> None:
    text = "OK เเล้ว\u200bบ่😀 ข้าวว"
    pieces = read_syllables(text)
    assert [text[piece.start : piece.end] for piece in pieces] == ["OK ", "เเล้ว\u200b", "บ่", "😀 ", "ข้าวว"]
    assert [piece.text for piece in pieces if isinstance(piece, Syllable)] == ["แล้ว", "บ่", "ข้าว"]


def test_what_is_no_syllable_is_kept() -> None:
    assert read_syllables("abc") == (Plain("abc", 0, 3),)
    assert read_syllables("่ะ") == (Plain("่ะ", 0, 2),)
    assert cut("คักๆ") == ["คัก", "ๆ"]
    assert read_syllables("") == ()


THAI = st.text(st.characters(min_codepoint=0x0E00, max_codepoint=0x0E7F), max_size=40)


@settings(deadline=None, derandomize=True, database=None)
@given(st.one_of(st.text(max_size=30), THAI, st.text("กหอรวยเแไาะิื่้็ๆ์ \u200b", max_size=30)))
def test_any_text_is_covered_without_gap(text: str) -> None:
    pieces = read_syllables(text)
    assert all(first.end == second.start for first, second in pairwise(pieces))
    if pieces:
        assert (pieces[0].start, pieces[-1].end) == (0, len(text))
    for piece in pieces:
        if isinstance(piece, Syllable):
            assert piece.onset
            assert piece.length in ("S", "L", "?")
            assert piece.tone_mark in ("", *TONE_MARKS)


def test_a_long_run_without_spaces_is_read() -> None:
    assert len(read_syllables("กินข้าวแล้ว" * 2000)) == 6000


def test_lone_surrogates_do_not_raise() -> None:
    assert read_syllables("\ud800กา")[0] == Plain("\ud800", 0, 1)
