"""The dialect words of an answer: which kind each is, and when a word that is also Central counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.central_words import central_share, central_share_of_entry, central_words
from metrics.dialect_matching import DialectMatcher
from metrics.dialect_units import WINDOW, DialectUnit, copied_places, find_units
from tests.dialect_words import ISAN, LANNA, made_matcher, real_matcher

quick = settings(deadline=None, derandomize=True, database=None)


@pytest.fixture(scope="module")
def matcher(tmp_path_factory: pytest.TempPathFactory) -> DialectMatcher:
    return made_matcher(tmp_path_factory.mktemp("lexicons"), isan=ISAN, lanna=LANNA)


def units(matcher: DialectMatcher, text: str, dialect: str = "isan") -> Sequence[DialectUnit]:
    return find_units(matcher.tokens(text), dialect)


def kinds(matcher: DialectMatcher, text: str, dialect: str = "isan") -> list[tuple[str, str]]:
    return [(unit.text, unit.kind) for unit in units(matcher, text, dialect)]


@pytest.mark.parametrize(
    ("dialect", "text", "found"),
    [
        ("isan", "คนเฮ็ดงาน", [("เฮ็ด", "right")]),
        ("isan", "คนเฮ็ท งาน", [("เฮ็ท", "right")]),
        ("isan", "เฮาบ่มา", [("เฮา", "shared"), ("บ่", "shared")]),
        ("lanna", "เฮาบ่มา", [("เฮา", "shared"), ("บ่", "shared")]),
        ("isan", "คนอู้กัน", [("อู้", "wrong")]),
        ("lanna", "คนอู้กัน", [("อู้", "right")]),
        ("lanna", "คนเฮ็ดงาน", [("เฮ็ด", "wrong")]),
        ("isan", "เราทำงานที่บ้าน", []),
        ("isan", "", []),
    ],
)
def test_kinds(matcher: DialectMatcher, dialect: str, text: str, found: list[tuple[str, str]]) -> None:
    assert kinds(matcher, text, dialect) == found


def test_a_unit_tells_where_it_is_and_whose(matcher: DialectMatcher) -> None:
    text = "คน\u200b อู\u200b้กับเว่า"
    wrong, right = units(matcher, text)
    assert (text[wrong.start : wrong.end], wrong.text, wrong.dialect, wrong.exact) == ("อู\u200b้", "อู้", "lanna", True)
    assert (text[right.start : right.end], right.text, right.dialect) == ("เว่า", "เว่า", "isan")
    assert right.entry.form == "เว้า"


def test_a_word_that_its_lexicon_calls_shared_is_shared_without_the_other_lexicon(tmp_path: Path) -> None:
    assert kinds(made_matcher(tmp_path, isan=ISAN), "เฮ็ดบ่") == [("เฮ็ด", "right"), ("บ่", "shared")]


def test_a_word_in_two_lexicons_is_shared_whatever_they_call_it(tmp_path: Path) -> None:
    both = made_matcher(tmp_path, isan=("ไผ - ใคร exclusive",), lanna=("ไผ - ใคร exclusive",))
    assert kinds(both, "ไผมา") == [("ไผ", "shared")]


# Words that are also Central


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("คนกะไปบ้าน", []),
        ("คนกะไปเฮ็ดงาน", [("กะ", "context"), ("เฮ็ด", "right")]),
        ("เฮ็ดแล้ว คนกะไปบ้าน", [("เฮ็ด", "right"), ("กะ", "context")]),
        ("คนกะบิน เขาบ่บิน", [("กะ", "context"), ("บ่", "shared")]),
        # As common in Central Thai, so never a sign.
        ("เขาคือนก เขาบ่บิน", [("บ่", "shared")]),
        # Words of another dialect are no support.
        ("คนกะไปอู้กัน", [("อู้", "wrong")]),
        # Nor is a repeated word.
        ("กะ ไป " * 10, []),
    ],
)
def test_context_words_count_with_support_only(
    matcher: DialectMatcher, text: str, found: list[tuple[str, str]]
) -> None:
    assert kinds(matcher, text) == found


def test_support_reaches_a_window_of_words_to_either_side(matcher: DialectMatcher) -> None:
    for words, found in ((WINDOW - 1, ["กะ"]), (WINDOW, [])):
        between = " ".join(["คน"] * words)
        for text in (f"กะ {between} เฮ็ด", f"เฮ็ด {between} กะ"):
            assert [unit.text for unit in units(matcher, text) if unit.kind == "context"] == found


def test_several_weak_markers_support_each_other(tmp_path: Path) -> None:
    weak = ("กะ", "สิ", "ดอก")
    matcher = made_matcher(tmp_path, isan=tuple(f"{word} - อื่น context" for word in weak))
    for word in weak:
        assert kinds(matcher, f"คน {word} ไป") == []
    assert [kind for _, kind in kinds(matcher, "คน กะ ไป สิ มา ดอก ไกล")] == ["context"] * 3


def test_another_dialects_context_word_is_not_wrong(matcher: DialectMatcher) -> None:
    assert kinds(matcher, "เจ้าเฮ็ดงาน") == [("เฮ็ด", "right")]


def test_a_word_sure_in_another_dialect_is_not_wrong_where_it_may_be_own(tmp_path: Path) -> None:
    both = made_matcher(tmp_path, isan=("คัวะ - คั่ว context", "เฮ็ด - ทำ exclusive"), lanna=("คัวะ - คั่ว exclusive",))
    assert kinds(both, "คัวะ เฮ็ด") == [("คัวะ", "context"), ("เฮ็ด", "right")]
    assert kinds(both, "คัวะ คน", "lanna") == [("คัวะ", "right")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("คนสิไปนา", ["สิ"]),
        ("คนซิไปนา", ["ซิ"]),
        ("ไปนาสิ", []),
        ("ไปสิ มาสิ", []),
        ("ไปสิครับ", []),
        ("ไปสิคะคุณ", []),
    ],
)
def test_a_particle_that_ends_central_clauses_counts_before_a_verb(
    matcher: DialectMatcher, text: str, found: list[str]
) -> None:
    assert [unit.text for unit in units(matcher, text)] == found


# Words copied from the prompt


def own_words(matcher: DialectMatcher, prompt: str, text: str, dialect: str = "isan") -> list[str]:
    tokens = matcher.tokens(text)
    copied = copied_places(tokens, matcher.tokens(prompt), dialect)
    return [unit.text for unit in find_units(tokens, dialect, copied)]


@pytest.mark.parametrize(
    ("prompt", "text", "found"),
    [
        ("", "คนเว้าอยู่เฮือน", ["เว้า", "เฮือน"]),
        # A noun wherever it stands, in any spelling.
        ("เฮือน", "คนเว้าอยู่เฮือน", ["เว้า"]),
        ("เฮียน สีขาว", "คนเว้าอยู่เฮือน", ["เว้า"]),
        ("เฮือน สีขาว", "คนเว้าอยู่เฮียน", ["เว้า"]),
        # Its Central equivalent was not copied.
        ("บ้าน พูด", "คนเว้าอยู่เฮือน", ["เว้า", "เฮือน"]),
        # Another word beside the same neighbour only, in any spelling.
        ("เว้า เฮ็ด", "คนเว้า", ["เว้า"]),
        ("คนเว้าอยู่", "คนเว้า", []),
        ("คนเว่าอยู่", "เขา คนเว้า", []),
        ("เว่าอยู่", "คนเว้าอยู่", []),
        ("เว้าคน", "คนเว้า", ["เว้า"]),
        ("คน เว้า", "คน เฮ็ดเว้า", ["เฮ็ด", "เว้า"]),
        # The dialect's word for the Central word of the prompt.
        ("คนพูด", "คนเว้า", ["เว้า"]),
    ],
)
def test_copied_words_are_left_out(matcher: DialectMatcher, prompt: str, text: str, found: list[str]) -> None:
    assert own_words(matcher, prompt, text) == found


def test_a_copied_noun_of_another_dialect_is_not_wrong(matcher: DialectMatcher) -> None:
    assert own_words(matcher, "กาด", "ไป กาด อู้") == ["อู้"]
    assert own_words(matcher, "", "ไป กาด อู้") == ["กาด", "อู้"]


def test_copied_words_support_no_other(matcher: DialectMatcher) -> None:
    assert own_words(matcher, "", "คนกะอยู่เฮือน") == ["กะ", "เฮือน"]
    assert own_words(matcher, "เฮือน", "คนกะอยู่เฮือน") == []


# How common words are


def test_shares_of_central_words() -> None:
    costs, prefixes = central_words()
    assert {"ก", "กิ", "กิน"} <= prefixes
    assert costs["กิน"] < costs["กะลา"]
    assert 0 < central_share("กะลา") < central_share("กิน") < 1
    assert central_share("กินข้าวกับแม่") == pytest.approx(1e-4)
    assert 0 < central_share("ฮฮ้ฌฌ") < 1e-6
    assert sum(map(central_share, costs)) < 1.1


def test_an_entry_is_as_common_as_its_most_common_spelling(matcher: DialectMatcher) -> None:
    entry = matcher.lexicons[0].by_spelling["สิ"]
    assert central_share_of_entry(entry) == max(central_share("สิ"), central_share("ซิ"))


# Any text


WORDS = ["เฮ็ด", "เว่า", "บ่", "สิ", "กะ", "อู้", "หื้อ", "เจ้า", "คน", "ไป", "ไหม", " ", "\u200b", "a", "ๆ"]


@quick
@given(st.lists(st.sampled_from(WORDS), max_size=30).map("".join), st.sampled_from(["isan", "lanna"]))
def test_units_are_tokens_in_order(matcher: DialectMatcher, text: str, dialect: str) -> None:
    for every in (matcher, real_matcher()):
        tokens = every.tokens(text)
        found = find_units(tokens, dialect)
        spans = [(unit.text, unit.start, unit.end) for unit in found]
        assert spans == [each for each in ((t.text, t.start, t.end) for t in tokens) if each in set(spans)]
        assert find_units(tokens, dialect, copied_places(tokens, [], dialect)) == found
        if len(tokens) > 1:
            assert find_units(tokens, dialect, copied_places(tokens, tokens, dialect)) == []
        for unit in found:
            assert (unit.kind == "wrong") == (unit.dialect != dialect)
            assert (unit.kind == "context") == (unit.entry.certainty == "context")
