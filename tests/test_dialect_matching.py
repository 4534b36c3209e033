"""Dialect words in running text: where a run is cut, where its words stand in the text, which are known by sound."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.dialect_matching import DialectMatcher
from metrics.dialect_tokens import Token
from metrics.thai_script import TONE_MARKS, ZERO_WIDTH
from tests.dialect_words import ISAN, LANNA, made_lexicon, made_matcher

# The dictionary is loaded at the first text: no deadline.
quick = settings(deadline=None, derandomize=True, database=None)

SIGNS_IN_DISORDER = "\u0e4d\u0e3a\u0e4eๆฯะาำๅ์็ิืเแ" + TONE_MARKS + ZERO_WIDTH
THAI = st.text(st.sampled_from("กขงจชซตทนบปพมยรลวสหอฮ" + SIGNS_IN_DISORDER), max_size=30)
SENTENCES = st.lists(
    st.sampled_from(
        ["เฮ็ด", "เว่า", "เวา", "บ่", "ฮื้อ", "กะ", "คน", "กินข้าว", "แล้ว", " ", "ๆ", ".", "a", "7", "๓", "\u200b"]
    ),
    max_size=20,
).map("".join)
ANY_TEXT = st.one_of(st.text(max_size=30), THAI, SENTENCES)


@pytest.fixture(scope="module")
def matcher(tmp_path_factory: pytest.TempPathFactory) -> DialectMatcher:
    return made_matcher(tmp_path_factory.mktemp("lexicons"), isan=ISAN, lanna=LANNA)


def words(tokens: Sequence[Token]) -> list[str]:
    return [token.text for token in tokens]


def forms(tokens: Sequence[Token], dialect: str = "isan") -> list[str]:
    meanings = [token.meaning(dialect) for token in tokens]
    return [meaning.entry.form for meaning in meanings if meaning]


# Where a run is cut


def test_a_central_word_is_not_cut_for_a_dialect_word_in_it(tmp_path: Path) -> None:
    for certainty in ("context", "exclusive"):
        found = made_matcher(tmp_path, isan=(f"กะ - ก็ {certainty}",)).tokens("ใช้กะลามะพร้าว")
        assert words(found) == ["ใช้", "กะลา", "มะพร้าว"]
        assert forms(found) == []


def test_a_dialect_word_wins_over_rare_central_words_that_it_is_made_of(tmp_path: Path) -> None:
    text = "เขาแหลงกับแม่"
    assert "แหลง" not in words(made_matcher(tmp_path, dambro=("หรอย - อร่อย exclusive",)).tokens(text))
    found = made_matcher(tmp_path, dambro=("แหลง - พูด exclusive",)).tokens(text)
    assert words(found) == ["เขา", "แหลง", "กับ", "แม่"]
    assert forms(found, "dambro") == ["แหลง"]


def test_the_longer_dialect_word_wins(tmp_path: Path) -> None:
    found = made_matcher(tmp_path, isan=("บ่ - ไม่ exclusive", "แม่น - ใช่ exclusive", "บ่แม่น - ไม่ใช่ exclusive")).tokens(
        "บ่แม่นคน"
    )
    assert words(found) == ["บ่แม่น", "คน"]


def test_one_token_may_be_a_word_of_several_dialects(matcher: DialectMatcher) -> None:
    (token,) = matcher.tokens("เฮา")
    assert [meaning.dialect for meaning in token.meanings] == ["isan", "lanna"]
    assert token.meaning("dambro") is None


def test_what_no_list_has_is_one_token(matcher: DialectMatcher) -> None:
    (token,) = matcher.tokens("ฮฮ้ฌฌ")
    assert (token.central, token.meanings) == (False, ())


def test_central_words_are_marked(matcher: DialectMatcher) -> None:
    found = matcher.tokens("คนเว้ากะได้")
    assert words(found) == ["คน", "เว้า", "กะ", "ได้"]
    # PyThaiNLP's dictionary has เว้า.
    assert [token.central for token in found] == [True, True, True, True]
    assert forms(found) == ["เว้า", "กะ"]


def test_letters_beside_a_full_stop_are_an_abbreviation(tmp_path: Path) -> None:
    found = made_matcher(tmp_path, isan=("ถง - ถุง exclusive", "บ่ - ไม่ exclusive"))
    assert forms(found.tokens("ถง ถง")) == ["ถง", "ถง"]
    assert forms(found.tokens("ถง.พบ. อ.ถง ไปบ่.")) == ["บ่"]


# Where its words stand in the text


@pytest.mark.parametrize(
    ("text", "form", "part"),
    [
        ("ไปเว้า", "เว้า", "เว้า"),
        ("😀 เฮ็ด 😀", "เฮ็ด", "เฮ็ด"),
        ("ok เว้า ok", "เว้า", "เว้า"),
        ("ok\u00a0เว้า\u00a0ok", "เว้า", "เว้า"),
        ("12เว้า๓", "เว้า", "เว้า"),
        ("คน\u200bเว้า", "เว้า", "เว้า"),
        ("เว\u200b้า คน", "เว้า", "เว\u200b้า"),
        ("\ufeffเว้\u2060า", "เว้า", "เว้\u2060า"),
        ("คนเเหลง", "แหลง", "เเหลง"),
        ("คนเ\u200bเหลง", "แหลง", "เ\u200bเหลง"),
        ("เขาฮ้ํา", "ฮ้ำ", "ฮ้ํา"),
        ("เขาฮํ้า", "ฮ้ำ", "ฮํ้า"),
        ("เขาฮํ\u200b้า", "ฮ้ำ", "ฮํ\u200b้า"),
        ("เขาฮื้อ", "ฮื้อ", "ฮื้อ"),
        ("เขาฮ้ือ", "ฮื้อ", "ฮ้ือ"),
        ("เขาฮ้\u200dือ", "ฮื้อ", "ฮ้\u200dือ"),
    ],
)
def test_spans_are_those_of_the_text_as_written(tmp_path: Path, text: str, form: str, part: str) -> None:
    every = made_matcher(tmp_path, isan=tuple(f"{each} - พูด exclusive" for each in ("เว้า", "เฮ็ด", "แหลง", "ฮ้ำ", "ฮื้อ")))
    (token,) = [token for token in every.tokens(text) if token.meanings]
    assert token.text == form
    assert text[token.start : token.end] == part
    assert token.meanings[0].exact


@pytest.mark.parametrize("text", ["", " ", " \n\t\u00a0\u200b", "no Thai, 123", "😀", "၁ ລາວ"])
def test_text_without_thai_letters_has_no_tokens(matcher: DialectMatcher, text: str) -> None:
    assert matcher.tokens(text) == []


@pytest.mark.parametrize(
    ("part", "times"),
    [("เฮาบ่ฮู้", 25_000), *((each, 5000) for each in ("ก", "เ", "ๆ", "ำ", "ํ\u200b", "่ิ", "เว้า"))],
)
def test_a_very_long_run_is_cut(matcher: DialectMatcher, part: str, times: int) -> None:
    text = part * times
    found = matcher.tokens(text)
    assert found[0].start == 0
    assert found[-1].end == len(text)


# Words known by their sound


@pytest.mark.parametrize(
    ("dialect", "form", "spelling"),
    [
        ("isan", "เฮ็ด", "เฮ็ท"),
        ("isan", "แม่น", "แม่๊น"),
        ("isan", "หยัง", "หญัง"),
        ("isan", "เบิ่ง", "เบิ้ง"),
        ("lanna", "อู้", "อู๊"),
        ("lanna", "ก๋าน", "ก๋าร"),
    ],
)
def test_another_spelling_is_found_by_its_sound(tmp_path: Path, dialect: str, form: str, spelling: str) -> None:
    every = made_matcher(tmp_path, **{dialect: (f"{form} - สิ่ง exclusive",)})
    for text, exact in ((form, True), (spelling, False)):
        (token,) = every.tokens(f"{text} ")
        meaning = token.meaning(dialect)
        assert meaning is not None
        assert (meaning.entry.form, meaning.exact) == (form, exact)


@pytest.mark.parametrize(
    ("form", "other"),
    [("เฮ็ด", "เห็ด"), ("ไหม", "ใหม่"), ("ใหม่", "ไหม"), ("ข้าว", "เข้า"), ("เข้า", "ข้าว"), ("มื้อ", "มือ"), ("ถืก", "ถูก")],
)
def test_words_that_must_stay_apart(tmp_path: Path, form: str, other: str) -> None:
    every = made_matcher(tmp_path, isan=(f"{form} - สิ่ง exclusive",))
    assert forms(every.tokens(f"เขามี{form}แล้ว")) == [form]
    assert forms(every.tokens(f"เขามี{other}แล้ว")) == []


def test_context_words_are_not_known_by_sound(tmp_path: Path) -> None:
    for certainty, found in (("exclusive", ["ฮัก"]), ("context", [])):
        assert forms(made_matcher(tmp_path, isan=(f"ฮัก - รัก {certainty}",)).tokens("ฮั๊ก")) == found


def test_two_words_are_no_respelling_of_one(tmp_path: Path) -> None:
    every = made_matcher(tmp_path, isan=("ว่าซั่น - ว่างั้น exclusive",))
    assert forms(every.tokens("ว่าสั้น")) == []


def test_a_central_word_is_no_respelling(tmp_path: Path) -> None:
    every = made_matcher(tmp_path, isan=("จันฑาล - คน exclusive",))
    assert forms(every.tokens("จั๋นฑาล")) == ["จันฑาล"]
    assert forms(every.tokens("จัณฑาล")) == []


# The matcher


def test_copies_and_pickles(matcher: DialectMatcher) -> None:
    text = "เฮาบ่เวา\u200bนำเปิ้น ฮื้อ"
    assert copy.deepcopy(matcher) is matcher
    copied = pickle.loads(pickle.dumps(matcher))
    assert copied is not matcher
    assert copied.tokens(text) == matcher.tokens(text)
    assert copied.lexicon_sha256 == matcher.lexicon_sha256


def test_the_order_of_the_lexicons_does_not_matter(tmp_path: Path) -> None:
    lexicons = [made_lexicon(tmp_path, name, each) for name, each in (("isan", ISAN), ("lanna", LANNA))]
    first, second = DialectMatcher(lexicons), DialectMatcher(lexicons[::-1])
    assert first.lexicon_sha256 == second.lexicon_sha256
    assert first.tokens("เฮาบ่อู้ เฮาบ่เว่า") == second.tokens("เฮาบ่อู้ เฮาบ่เว่า")


def test_the_hash_tells_of_any_change(tmp_path: Path) -> None:
    hashes = {
        made_matcher(tmp_path, **{name: each}).lexicon_sha256
        for name, each in (("isan", ISAN), ("isan", ISAN[1:]), ("isan", ISAN[::-1]), ("lanna", ISAN))
    }
    assert len(hashes) == 4


def test_names_are_dialects_and_stand_once(tmp_path: Path) -> None:
    lexicon = made_lexicon(tmp_path, "isan", ISAN)
    with pytest.raises(ValueError, match="isan, isan have one name"):
        DialectMatcher([lexicon, lexicon])
    with pytest.raises(ValueError, match="unknown dialect 'korat'"):
        made_matcher(tmp_path, korat=ISAN)


def test_without_lexicons_everything_is_central_or_unknown() -> None:
    found = DialectMatcher([]).tokens("คนเฮ็ด")
    assert found[0] == Token("คน", 0, 2, True)
    assert not any(token.meanings for token in found)


# Any text


@quick
@given(ANY_TEXT)
def test_tokens_are_in_order_and_cover_every_thai_letter(matcher: DialectMatcher, text: str) -> None:
    found = matcher.tokens(text)
    ends = [0, *(token.end for token in found)]
    for end, token in zip(ends, found, strict=False):
        assert end <= token.start < token.end
        assert not re.search("[ก-\u0e3a\u0e40-\u0e4e]", text[end : token.start])
    assert not re.search("[ก-\u0e3a\u0e40-\u0e4e]", text[ends[-1] :])
    assert matcher.tokens(text) == found


@quick
@given(THAI, st.sampled_from(ZERO_WIDTH), st.data())
def test_zero_width_characters_change_no_word(
    matcher: DialectMatcher, text: str, blank: str, data: st.DataObject
) -> None:
    text = "ก" + text
    place = data.draw(st.integers(1, len(text)))
    assert words(matcher.tokens(text[:place] + blank + text[place:])) == words(matcher.tokens(text))
