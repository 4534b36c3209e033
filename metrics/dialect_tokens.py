"""The words of a text and the letters between them: what a word may mean, which are pieces of longer ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from metrics.dialect_lexicon import LexiconEntry
from metrics.thai_script import LEAD_VOWELS, MARK_VOWELS, TONE_MARKS

SIGNS = frozenset("ๆฯ")
VOWEL_OR_TONE = re.compile(f"[ะาำ{MARK_VOWELS}{TONE_MARKS}{LEAD_VOWELS}]")
_OPEN = re.compile(f"[ะาัิีึืุู{TONE_MARKS}]$")
_FINAL = re.compile("[^ฉผฝหฌฮ]")
FOREIGN = re.compile(f"[^{TONE_MARKS}]*์$")
"""A syllable with a silent letter and no tone mark (มายอร์ in a name): no respelling of a dialect's word."""


@dataclass(frozen=True)
class Meaning:
    """A word of a dialect that a token may be.

    Attributes:
        dialect: Name of the lexicon.
        entry: The lexicon's entry.
        exact: Whether the token is one of the entry's spellings, not only sounds like one.
    """

    dialect: str
    entry: LexiconEntry
    exact: bool


@dataclass(frozen=True)
class Token:
    """A word, or letters between words.

    Attributes:
        text: Its letters in normal form.
        start: Where it begins in the text, in characters.
        end: Where it ends, exclusive.
        central: Whether PyThaiNLP's dictionary has it; that of Central Thai has some dialect words too.
        meanings: The dialect words that it may be, at most one a dialect; empty for other words.
    """

    text: str
    start: int
    end: int
    central: bool
    meanings: tuple[Meaning, ...] = ()

    def meaning(self, dialect: str) -> Meaning | None:
        """Returns what it is in a dialect, or None."""
        return next((meaning for meaning in self.meanings if meaning.dialect == dialect), None)


def without_pieces(tokens: Sequence[Token]) -> Iterator[Token]:
    """Takes the meanings from a word that the letters beside it show to be a piece of a longer one.

    These are a foreign syllable (กิล in กิลเบิร์ต), a consonant that would end the word's open syllable (หล่า in หล่าย,
    ฮู้ in ฮู้ด), and a consonant before it with which the run begins (ไต in สไตเนอร์).
    """
    for place, token in enumerate(tokens):
        before = _unknown(tokens, range(place - 1, -1, -1)) if token.meanings else []
        after = _unknown(tokens, range(place + 1, len(tokens))) if token.meanings else []
        is_piece = any(FOREIGN.match(other.text) for other in (*before, *after))
        is_piece |= place == 1 and any(map(_is_letters, before))
        is_piece |= bool(_OPEN.search(token.text)) and any(
            _is_letters(other) and bool(_FINAL.match(other.text)) for other in after[:1]
        )
        yield replace(token, meanings=()) if is_piece else token


def _unknown(tokens: Sequence[Token], places: range) -> list[Token]:
    """Returns the tokens from a place on that are no words, up to the first word."""
    return list(takewhile(_is_unknown, (tokens[place] for place in places)))


def _is_unknown(token: Token) -> bool:
    return not (token.central or token.meanings or token.text in SIGNS)


def _is_letters(token: Token) -> bool:
    """Whether letters that are no word are consonants only."""
    return not VOWEL_OR_TONE.search(token.text)


def joined(tokens: Iterator[Token]) -> Iterator[Token]:
    """Joins letters that belong to no word."""
    pending: Token | None = None
    for token in tokens:
        if token.central or token.meanings or token.text in SIGNS:
            if pending:
                yield pending
            pending = None
            yield token
        elif pending:
            pending = Token(pending.text + token.text, pending.start, token.end, False)
        else:
            pending = token
    if pending:
        yield pending
