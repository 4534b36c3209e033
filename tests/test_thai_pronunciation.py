"""Spelling variants of dialect words: the pairs of thai_spelling_pairs.tsv, the keys, tones, lists and odd text."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import thai_variants
from metrics.thai_pronunciation import (
    CANDIDATE,
    RESPELLED,
    SAME_LETTERS,
    SAME_TONE,
    candidate_key,
    is_central_word,
    match_level,
    pronunciation_key,
    same_pronunciation,
)
from metrics.thai_script import normalize_run
from metrics.thai_syllables import Syllable, read_syllables
from metrics.thai_tones import DIALECTS, same_tone, tone
from metrics.thai_variants import LISTED_SPELLINGS, REDUCED_FIRST_SYLLABLES
from tests.conftest import REPOSITORY

KNOWN_MISSES = {
    ("ว่า", "วา"),  # two Central words
    ("หัว", "ฮั้ว"),
    ("เก่า", "เกา"),
    ("ใต้", "ต้าย"),
    ("ควาย", "ค๊วย"),  # kwa and kua are merged by candidate keys only
    ("ความ", "ควม"),
}
KNOWN_CONFUSIONS = {("แม่ญิง", "แม่ยิ่ง")}  # one syllable of a longer word may differ, also in tone


# The dictionary is loaded at the first question: no deadline.
quick = settings(deadline=None, derandomize=True, database=None)


def pairs() -> list[tuple[str, str, str, bool]]:
    with (Path(__file__).parent / "thai_spelling_pairs.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [(row["a"], row["b"], row["dialect"], {"yes": True, "no": False}[row["same"]]) for row in rows]


PAIRS = pairs()


@pytest.mark.parametrize(("first", "second", "dialect", "same"), PAIRS)
def test_pairs(first: str, second: str, dialect: str, same: bool) -> None:
    known_fault = (first, second) in KNOWN_MISSES | KNOWN_CONFUSIONS
    assert same_pronunciation(first, second, dialect) is (same != known_fault)
    assert same_pronunciation(second, first, dialect) is (same != known_fault)


def test_the_pairs_are_many_and_half_of_them_are_two_words() -> None:
    assert len(PAIRS) >= 120
    assert sum(not same for *_, same in PAIRS) * 2 >= len(PAIRS)
    assert len({(frozenset(pair[:2]), pair[2]) for pair in PAIRS}) == len(PAIRS)
    assert {dialect for _, _, dialect, _ in PAIRS} == set(DIALECTS) - {"central"}


@pytest.mark.parametrize(("first", "second", "dialect", "same"), PAIRS)
def test_an_index_by_candidate_key_loses_nothing(first: str, second: str, dialect: str, same: bool) -> None:
    if same_pronunciation(first, second, dialect):
        assert candidate_key(first, dialect) == candidate_key(second, dialect)


WORDS = sorted({word for pair in PAIRS for word in pair[:2]})


@quick
@given(st.sampled_from(WORDS), st.sampled_from(WORDS), st.sampled_from(DIALECTS))
def test_levels_are_nested(first: str, second: str, dialect: str) -> None:
    equal = [
        pronunciation_key(first, dialect, level) == pronunciation_key(second, dialect, level)
        for level in (SAME_LETTERS, SAME_TONE, CANDIDATE)
    ]
    assert equal == sorted(equal)
    level = match_level(first, second, dialect)
    assert level is None or (equal[0] if level == SAME_LETTERS else equal[2])


@pytest.mark.parametrize(
    ("first", "second", "dialect", "level"),
    [
        ("ใผ", "ไผ", "isan", SAME_LETTERS),
        ("เพิ่น", "เผิ่น", "isan", SAME_LETTERS),  # listed
        ("ซ่ำ", "ส่ำ", "isan", SAME_TONE),
        ("กิ๋น", "กิน", "lanna", SAME_TONE),
        ("เว้า", "เว่า", "isan", RESPELLED),
        ("ผู้สาว", "ผุ้สาว", "isan", RESPELLED),
        ("ผู้สาว", "ผู้ซาว", "isan", None),
        ("ใหม่", "ไม่", "isan", None),  # homophones in Isan
        ("ม่าย", "ม้าย", "lanna", None),  # listed for Southern only
    ],
)
def test_level(first: str, second: str, dialect: str, level: int | None) -> None:
    assert match_level(first, second, dialect) == level


def test_homophones_have_one_key_though_they_are_two_words() -> None:
    assert pronunciation_key("ใหม่", "isan") == pronunciation_key("ไม่", "isan")
    assert pronunciation_key("ใหม่", "lanna") != pronunciation_key("ไม่", "lanna")


@pytest.mark.parametrize(
    ("first", "second", "dialect"),
    [
        ("ร้าน", "ล้าน", "isan"),
        ("ปลา", "ปา", "isan"),
        ("ควาย", "ควย", "isan"),
        ("เมือง", "เมียง", "isan"),
        ("เทา", "เท้า", "lanna"),
        ("ไฟ", "ไคว", "dambro"),
        ("งู", "ฮู", "dambro"),
        ("ชื่อ", "เฉ่อ", "dambro"),
        ("เหล็ก", "แหล็ก", "dambro"),
        ("พรือ", "ผลื่อ", "dambro"),
    ],
)
def test_mergers_of_a_dialect_hold_for_candidates_of_it_alone(first: str, second: str, dialect: str) -> None:
    assert candidate_key(first, dialect) == candidate_key(second, dialect)
    if dialect != "lanna":
        assert candidate_key(first, "central") != candidate_key(second, "central")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("กา", "คา"),
        ("ปา", "พา"),
        ("ตา", "ทา"),
        ("บ้าน", "ป้าน"),
        ("ดี", "ตี"),
        ("มัก", "มัด"),
        ("ซาน", "ซาง"),
        ("กัด", "กาด"),
    ],
)
def test_what_never_merges(first: str, second: str, dialect: str) -> None:
    assert candidate_key(first, dialect) != candidate_key(second, dialect)


def reading(word: str, dialect: str) -> str:
    (syllable,) = read_syllables(word)
    assert isinstance(syllable, Syllable)
    return tone(syllable, dialect)


@pytest.mark.parametrize(
    ("dialect", "words"),
    [
        ("isan", {"T1": "ขา ผัก กัด", "T2": "ตา", "T3": "นา", "T4": "ข่า ป่า พ่อ มด", "T5": "ข้าว ขาด ปาก"}),
        ("isan", {"T6": "บ้าน ม้า มีด"}),
        ("lanna", {"rising": "ขา ตา กัด", "mid": "ดี นา บาน", "low": "ข่า ป่า ปาก", "falling": "พ่อ มีด"}),
        ("lanna", {"high falling": "ข้าว บ้าน", "high": "ม้า มด"}),
        ("central", {"mid": "ตา นา", "rising": "ขา", "low": "ข่า ปาก ผัก", "falling": "ข้าว พ่อ มีด", "high": "ม้า มด"}),
    ],
)
def test_tone_tables(dialect: str, words: dict[str, str]) -> None:
    for expected, examples in words.items():
        assert {reading(word, dialect) for word in examples.split()} == {expected}


def test_two_marks_before_a_stop_are_one_tone_in_lanna_but_elsewhere_two() -> None:
    def same(first: str, second: str) -> bool:
        (one,), (other,) = read_syllables(first), read_syllables(second)
        assert isinstance(one, Syllable)
        assert isinstance(other, Syllable)
        return same_tone(one, other, "lanna")

    assert same("ต๋ก", "ต๊ก")
    assert not same("ปี๋", "ปี๊")


def test_a_word_in_odd_writing_has_the_key_of_the_word() -> None:
    for odd in ("นํ้า", "น้ํา", " น้ำ ", "น\u200b้ำ", "\u200bน้ำ\ufeff", "น้ำ\u00a0"):
        assert pronunciation_key(odd, "central", SAME_LETTERS) == pronunciation_key("น้ำ", "central", SAME_LETTERS)


def test_repetition_is_written_out() -> None:
    twice = pronunciation_key("แต้แต้", "lanna")
    assert pronunciation_key("แต้ๆ", "lanna") == twice
    assert pronunciation_key("แต้ ๆ", "lanna") == twice
    assert len(pronunciation_key("แต้ๆๆ", "lanna")) == 3
    assert pronunciation_key("อีหลีๆ", "isan") == pronunciation_key("อีหลีอีหลี", "isan")
    assert pronunciation_key("แต้", "lanna") != twice
    assert pronunciation_key("คักๆหลายๆ", "isan") == pronunciation_key("คักคักหลายหลาย", "isan")


def test_other_scripts_stay_in_the_key_as_they_are() -> None:
    assert pronunciation_key("OK", "isan") == ("=OK",)
    assert pronunciation_key("ok", "isan") != pronunciation_key("OK", "isan")
    assert pronunciation_key("บ่ \u00a0😀", "isan")[1:] == ("= 😀",)
    assert pronunciation_key("๒๕", "isan") == pronunciation_key("25", "isan")
    assert pronunciation_key("", "isan") == ()
    assert same_pronunciation("", "", "isan")
    assert not same_pronunciation("บ่", "", "isan")


@quick
@given(st.text(max_size=20), st.text("กขหอรวยเแไาะิื่้๊็ๆ์ฯ๑ a\u200b", max_size=12), st.sampled_from(DIALECTS))
def test_no_text_raises(text: str, thai: str, dialect: str) -> None:
    for word in (text, thai, text + thai):
        assert same_pronunciation(word, word, dialect)
        assert pronunciation_key(word, dialect, CANDIDATE) == candidate_key(word, dialect)
    level = match_level(text, thai, dialect)
    assert level is None or candidate_key(text, dialect) == candidate_key(thai, dialect)


def test_lone_surrogates_do_not_raise() -> None:
    assert same_pronunciation("\ud800บ่", "\ud800บ่อ", "isan")
    assert pronunciation_key("\ud800", "isan") == ("=\ud800",)


def test_unknown_dialect_and_level_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown dialect 'south'; choose one of central, isan, lanna, dambro"):
        same_pronunciation("ก", "ข", "south")
    with pytest.raises(ValueError, match="no key has level 3"):
        pronunciation_key("ก", "isan", RESPELLED)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_listed_spellings_are_in_normal_form_and_of_one_word_each(dialect: str) -> None:
    listed = LISTED_SPELLINGS[dialect]
    assert all(normalize_run(spelling)[0] == spelling for spelling in listed)
    assert all(listed[first] == first for first in listed.values())
    spellings = thai_variants._LISTED[dialect].split()
    assert len(spellings) == len(set(spellings))
    for spelling, first in listed.items():
        assert same_pronunciation(spelling, first, dialect)
    for reduced in REDUCED_FIRST_SYLLABLES[dialect].items():
        assert all(len(read_syllables(syllable)) == 1 for syllable in reduced)


def test_the_dictionary_holds_central_words_also_in_other_writing() -> None:
    assert is_central_word("น้ำ")
    assert is_central_word(" นํ้า")
    assert is_central_word("ชาติ")
    assert not is_central_word("จั่งใด๋")


def test_importing_and_keys_load_no_library() -> None:
    code = (
        "import sys, metrics.thai_pronunciation as p; p.candidate_key('เว้า', 'isan');"
        "p.same_pronunciation('เว้า', 'บ่', 'isan'); print('pythainlp' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stdout == "False\n"
