"""Marks the dialect words of an answer: right for the dialect asked for, shared with another, in context, or wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from metrics.central_words import central_share_of_entry
from metrics.dialect_lexicon import LexiconEntry
from metrics.dialect_tokens import Meaning, Token

UnitKind = Literal["right", "shared", "context", "wrong"]

WINDOW = 20
"""Words to either side in which other markers support a word that is also Central."""
LEAST_EVIDENCE = 5.0
"""Natural logarithm of the odds for the dialect from which such words count: about 150 to 1."""
_SHARE_IN_DIALECT = 0.002
"""Taken share of running dialect text of a word that is also Central: one word in 500."""
_SISTERS = frozenset({"isan", "lanna"})
"""The dialects that words marked as shared are shared by."""
_FUTURE = frozenset({"สิ", "ซิ"})
"""Isan words of the future, between subject and verb; in Central Thai particles that end a clause."""
_MAY_PRECEDE_PARTICLE = re.compile(
    "(?:ดู|ไป|มา|เอา|ลอง|คิด|ฟัง|กิน|ทำ|ให้|บอก|นั่ง|พูด|เข้า|ออก|ขึ้น|ลง|อยู่|ได้|เลย|หน่อย|แน่|จริง|ใช่|นั่น|นี่|อ่าน|"
    "ถาม|ตอบ|รอ|หยุด|ชิม|เดิน|วิ่ง|นอน|รีบ|ช่วย|เปิด|ปิด|ว่า|นะ|ยิ้ม|หัวเราะ|คุณ)$"
)
_MAY_FOLLOW_PARTICLE = frozenset(["ครับ", "คะ", "ค่ะ", "ฮะ", "จ๊ะ", "จ้ะ", "ล่ะ", "นะ", "วะ", "ว่ะ", "ยะ", "เนี่ย"])


@dataclass(frozen=True)
class DialectUnit:
    """A dialect word in an answer.

    Attributes:
        text: Its letters in normal form.
        start: Where it begins in the answer, in characters.
        end: Where it ends, exclusive.
        dialect: The dialect whose word it is: the one asked for, or for a wrong one another.
        entry: The lexicon's entry.
        kind: ``right``: only in the lexicon of the dialect asked for. ``shared``: also in another dialect's.
            ``context``: also a Central word, supported by other markers near it or rare in Central text. ``wrong``:
            only in the lexicons of other dialects.
        exact: Whether it is spelled as in the lexicon, not only pronounced so.
    """

    text: str
    start: int
    end: int
    dialect: str
    entry: LexiconEntry
    kind: UnitKind
    exact: bool


def find_units(tokens: Sequence[Token], dialect: str, copied: frozenset[int] = frozenset()) -> list[DialectUnit]:
    """Marks the dialect words of a text.

    Args:
        tokens: The text's tokens, from `DialectMatcher.tokens`.
        dialect: The dialect asked for.
        copied: Places of tokens that are copied (`copied_places`): they are left out and support no other.

    Returns:
        The units in order. Words that are also Central are left out where the odds for the dialect, of their own and
        of the markers near them, stay below `LEAST_EVIDENCE`: a very rare Central word counts alone.
    """
    evidence = _evidence(tokens, dialect, copied)
    return [
        unit
        for place, token in enumerate(tokens)
        if place not in copied and (unit := _unit(token, place, dialect, evidence))
    ]


def copied_places(tokens: Sequence[Token], given: Sequence[Token], dialect: str) -> frozenset[int]:
    """Tells which words of an answer are copied from what the model was given, rather than its own.

    A dialect noun of the prompt, such as the dish that is asked for, shows nothing wherever the answer repeats it;
    another word is copied where it stands beside the same neighbour as in the prompt (``how to do`` in the dialect).

    Args:
        tokens: The answer's tokens.
        given: The prompt's tokens.
        dialect: The dialect asked for.

    Returns:
        The places of the copied words among the tokens. A word's spelling makes no difference.
    """
    known = [_word(token, dialect) for token in given]
    pairs = set(pairwise(known))
    nouns = {word for word, token in zip(known, given, strict=True) if _is_noun(token)}
    words = [_word(token, dialect) for token in tokens]
    copied = {place for place, word in enumerate(words) if word in nouns}
    for place, pair in enumerate(pairwise(words)):
        if pair in pairs:
            copied |= {place, place + 1}
    return frozenset(copied)


def _word(token: Token, dialect: str) -> tuple[str, str]:
    """Returns dialect and form of a dialect word, whatever its spelling, and the letters of any other."""
    meaning = token.meaning(dialect) or next(iter(token.meanings), None)
    return (meaning.dialect, meaning.entry.form) if meaning else ("", token.text)


def _is_noun(token: Token) -> bool:
    return any(meaning.entry.part_of_speech == "noun" for meaning in token.meanings)


def _unit(token: Token, place: int, dialect: str, evidence: Mapping[int, tuple[str, float]]) -> DialectUnit | None:
    own = token.meaning(dialect)
    others = [meaning for meaning in token.meanings if meaning.dialect != dialect and _is_sure(meaning)]
    if own is None:
        shared = next((meaning for meaning in others if _is_shared_with(meaning, dialect)), None)
        return _made(token, shared or others[0], "shared" if shared else "wrong") if others else None
    if _is_sure(own):
        return _made(token, own, "shared" if others or own.entry.certainty == "shared" else "right")
    if not evidence[place][1]:
        return None  # as common in Central text, so that it is most likely the Central word (ยัง)
    near: dict[str, float] = {}
    for other in range(place - WINDOW, place + WINDOW + 1):
        if other in evidence:
            text, weight = evidence[other]
            near[text] = max(weight, near.get(text, 0.0))
    return _made(token, own, "context") if sum(near.values()) >= LEAST_EVIDENCE else None


def _made(token: Token, meaning: Meaning, kind: UnitKind) -> DialectUnit:
    return DialectUnit(token.text, token.start, token.end, meaning.dialect, meaning.entry, kind, meaning.exact)


def _is_sure(meaning: Meaning) -> bool:
    return meaning.entry.certainty != "context"


def _is_shared_with(meaning: Meaning, dialect: str) -> bool:
    """Whether a word that several dialects have is also of a dialect whose own list happens to lack it."""
    return meaning.entry.certainty == "shared" and {meaning.dialect, dialect} == _SISTERS


def _evidence(tokens: Sequence[Token], dialect: str, copied: frozenset[int]) -> dict[int, tuple[str, float]]:
    """Word and log odds for the dialect at the place of each of its markers; a word counts once in a window."""
    found: dict[int, tuple[str, float]] = {}
    for place, token in enumerate(tokens):
        meaning = token.meaning(dialect)
        if meaning is None or place in copied:
            continue
        if _is_sure(meaning) or _is_future(tokens, place):
            found[place] = meaning.entry.form, LEAST_EVIDENCE
        else:
            odds = math.log(_SHARE_IN_DIALECT / central_share_of_entry(meaning.entry))
            found[place] = meaning.entry.form, max(odds, 0.0)
    return found


def _is_future(tokens: Sequence[Token], place: int) -> bool:
    """Whether สิ stands between two words as in เขาสิไป, neither after an imperative (ดูสิเขามา) nor at a gap."""
    if tokens[place].text not in _FUTURE or not 0 < place < len(tokens) - 1:
        return False
    before, token, after = tokens[place - 1 : place + 2]
    inside = before.end == token.start and token.end == after.start
    known = (before.central or bool(before.meanings)) and after.central
    return (
        inside and known and not _MAY_PRECEDE_PARTICLE.search(before.text) and after.text not in _MAY_FOLLOW_PARTICLE
    )
