"""The dialect metrics with the lexicons of the package: texts and their Central twins, and a word's spellings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.dialect import DialectCounter, DialectGeneration, DialectPrecision
from metrics.dialect_lexicon import LexiconEntry
from tests.dialect_words import REAL_DIALECTS, real_matcher

# The dictionary is loaded at the first text: no deadline.
quick = settings(deadline=None, derandomize=True, database=None)


@pytest.mark.parametrize(
    ("dialect", "dialect_text", "central_text"),
    [
        ("isan", "มื้ออื่นข้อยสิไปเฮ็ดเวียกอยู่นา บ่ได้ไปเบิ่งหมู่", "พรุ่งนี้ฉันจะไปทำงานที่นา ไม่ได้ไปดูเพื่อน"),
        ("lanna", "วันพูกเปิ้นจะไปยะก๋าน บ่ได้ไปผ่อเปื้อน", "พรุ่งนี้ฉันจะไปทำงาน ไม่ได้ไปดูเพื่อน"),
    ],
)
def test_a_dialect_text_and_its_central_twin(dialect: str, dialect_text: str, central_text: str) -> None:
    metric = DialectGeneration(DialectCounter(real_matcher(), dialect))
    assert metric.statistics(dialect_text)[0] == 1.0
    assert metric.statistics(central_text)[0] == 0.0
    other = next(name for name in REAL_DIALECTS if name != dialect)
    wrong = DialectPrecision(DialectCounter(real_matcher(), other)).statistics(dialect_text)
    assert wrong[0] < wrong[1]


def plain_entries(dialect: str) -> list[LexiconEntry]:
    """Words with variants of which no spelling is a word of another lexicon or of Central Thai."""
    own, other = sorted(real_matcher().lexicons, key=lambda lexicon: lexicon.name != dialect)
    return [
        entry
        for entry in own.entries
        if entry.variants
        and entry.certainty == "exclusive"
        and not any(
            spelling in other.by_spelling or any(token.central for token in real_matcher().tokens(spelling))
            for spelling in entry.spellings
        )
    ]


@quick
@given(st.sampled_from(REAL_DIALECTS), st.booleans(), st.data())
def test_the_spelling_of_a_word_changes_nothing(dialect: str, spaced: bool, data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(plain_entries(dialect)))
    space = " " if spaced else ""
    counter = DialectCounter(real_matcher(), dialect)
    found = {counter.counts(f"คนใน{space}{spelling}{space}กับแม่ครัว") for spelling in entry.spellings}
    assert len(found) == 1
    assert found.pop().own == 1


def entries_of(dialect: str) -> list[LexiconEntry]:
    (lexicon,) = [each for each in real_matcher().lexicons if each.name == dialect]
    return [entry for entry in lexicon.entries if entry.certainty == "exclusive"]


@quick
@given(st.sampled_from(["isan", "lanna"]), st.data())
def test_every_spelling_of_the_lexicons_is_found_in_a_sentence(dialect: str, data: st.DataObject) -> None:
    entry = data.draw(st.sampled_from(entries_of(dialect)))
    for spelling in entry.spellings:
        text = f"คนนั้น {spelling} ทุกวัน"
        (meaning,) = [each for token in real_matcher().tokens(text) if (each := token.meaning(dialect))]
        assert (meaning.entry, meaning.exact) == (entry, True)
