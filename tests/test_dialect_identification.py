"""In which variety a text is written: Central without dialect words, undecided where dialects are level."""

from __future__ import annotations

import pytest

from metrics.dialect_identification import identify_variety, variety_scores
from metrics.dialect_matching import DialectMatcher
from tests.dialect_words import ISAN, LANNA, made_matcher, real_matcher


@pytest.fixture(scope="module")
def matcher(tmp_path_factory: pytest.TempPathFactory) -> DialectMatcher:
    return made_matcher(tmp_path_factory.mktemp("lexicons"), isan=ISAN, lanna=LANNA, dambro=("แหลง - พูด exclusive",))


@pytest.mark.parametrize(
    ("text", "variety"),
    [
        ("คนเฮ็ดงาน", "isan"),
        ("คนอู้กัน", "lanna"),
        ("คนแหลงกัน", "dambro"),
        ("เฮาบ่อู้", "lanna"),
        ("เฮาบ่เว้า", "isan"),
        ("คนทำงานกันทุกวัน", "central"),
        ("กะไปบ้าน", "central"),
        # Both have these words, or one of each.
        ("เฮาบ่ไป", None),
        ("เว้าหรืออู้", None),
        ("", None),
        (" 12 ok 😀", None),
    ],
)
def test_made_up_lexicons(matcher: DialectMatcher, text: str, variety: str | None) -> None:
    assert identify_variety(text, matcher) == variety


def test_scores_are_weighted_words(matcher: DialectMatcher) -> None:
    scores = variety_scores("เฮาบ่กะเฮ็ด อู้", matcher)
    # Right 1, shared and context a half each.
    assert scores == {"isan": 2.5, "lanna": 2.0, "dambro": 0.0}


def test_without_lexicons_all_thai_text_is_central() -> None:
    assert identify_variety("คนเฮ็ดงาน", DialectMatcher([])) == "central"
    assert identify_variety("work", DialectMatcher([])) is None


@pytest.mark.parametrize(
    ("text", "variety"),
    [
        ("มื้ออื่นข้อยสิไปเฮ็ดเวียกอยู่นา เจ้าสิไปนำกันบ่", "isan"),
        ("อีหยังกะบ่มี หิวข้าวคัก ๆ เด้อ", "isan"),
        ("วันพูกเปิ้นจะไปแอ่วกาด ตั๋วจะไปตวยกันก่อ", "lanna"),
        ("บ่หันไผมาหื้อข้าวหมูเลยเจ้า", "lanna"),
        ("พรุ่งนี้ฉันจะไปทำงานที่สวน เธอจะไปด้วยกันไหม", "central"),
        ("แม่ครัวหั่นผักลงในหม้อแล้วเติมน้ำปลา", "central"),
    ],
)
def test_the_lexicons_of_the_package(text: str, variety: str) -> None:
    assert identify_variety(text, real_matcher()) == variety
