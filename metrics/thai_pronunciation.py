"""Tells whether two Thai spellings are one dialect word: keys of four levels, and the comparison of two words."""

from __future__ import annotations

import gc
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from metrics.thai_script import REPETITION, ZERO_WIDTH
from metrics.thai_syllables import Plain, Syllable, read_syllables
from metrics.thai_tones import DIALECTS, same_tone, slot, tone
from metrics.thai_variants import LISTED_SPELLINGS, REDUCED_FIRST_SYLLABLES

SAME_LETTERS = 1
"""Level 1: the same letters, or letters of one class and sound (ไ ใ ไ-ย อัย; ศ ษ ส)."""
SAME_TONE = 2
"""Level 2: the same sounds and length, and the same tone as the dialect reads it."""
RESPELLED = 3
"""Level 3: the same sounds; a length that the script hides equals any; tones are those that writers exchange."""
CANDIDATE = 4
"""Level 4: the same sounds after the dialect's mergers, whatever the tone. Never enough alone."""

_THAI_DIGITS = str.maketrans("๐๑๒๓๔๕๖๗๘๙", "0123456789")
_DROPPED = str.maketrans("", "", ZERO_WIDTH)
_SPACES = re.compile(r"\s+")
_SPACE_BEFORE_REPETITION = re.compile(rf"\s+(?={REPETITION})")
_KEEP_LENGTH = frozenset({"a", "i", "ue", "u", "o"})
"""Vowels whose length the script always shows before a stop, where it tells words apart (กัด, กาด)."""


def pronunciation_key(text: str, dialect: str, level: int = SAME_TONE) -> tuple[str, ...]:
    """Makes a key that is equal for spellings of one pronunciation.

    A key of level 1 or 2 is a sound reason to call two spellings one pronunciation, not one word: homophones (ไม่ and
    ใหม่ in Isan) have one key. Which respellings of a tone belong together is no equivalence (L่ is exchanged with L
    and with L้, which stay apart), so that no key can hold it: look up by `candidate_key`, then ask
    `same_pronunciation`.

    Args:
        text: A word, in any script; it is put into normal form. Spaces around it are dropped, ๆ repeats the word
            before it. Other scripts, digits and signs are kept as they stand (Thai digits become 0-9, spaces one
            space).
        dialect: ``central``, ``isan``, ``lanna`` or ``dambro``.
        level: `SAME_LETTERS`, `SAME_TONE` or `CANDIDATE`.

    Returns:
        One string a syllable or other piece; empty for the empty text. `pronunciation_key(a, d, n) ==
        pronunciation_key(b, d, n)` implies equal keys of every higher level.

    Raises:
        ValueError: If the dialect or the level is unknown.
    """
    _check(dialect)
    if level not in (SAME_LETTERS, SAME_TONE, CANDIDATE):
        raise ValueError(f"no key has level {level!r}; choose 1, 2 or 4")
    return _key(text, dialect, level)


def candidate_key(text: str, dialect: str) -> tuple[str, ...]:
    """Makes the key to index a lexicon by: equal for any two texts of which `same_pronunciation` is true.

    Args:
        text: A word, see `pronunciation_key`.
        dialect: ``central``, ``isan``, ``lanna`` or ``dambro``.

    Returns:
        One string a syllable or other piece.

    Raises:
        ValueError: If the dialect is unknown.
    """
    return pronunciation_key(text, dialect, CANDIDATE)


def same_pronunciation(first: str, second: str, dialect: str) -> bool:
    """Tells whether two spellings are, as far as letters tell, one word of a dialect.

    Worked values: หื้อ and ฮื้อ (Lanna) True, บ่ and บ่อ True, เว้า and เว่า (Isan) True, เฮ็ด and เห็ด False, ไหม and
    ใหม่ False.

    Limits: tones are those of Khon Kaen and Chiang Mai, and one Southern locality; other areas merge others. No
    native speaker has reviewed the tables. Words that are spelled alike (หลบ, ซอย) are one here, only sense tells
    them apart. The other way round, two ordinary Central words are never called one unless listed: เข่า for เข้า is
    missed. Links of dialect and Central words (พ่อ, ป้อ) are a lexicon's matter.

    Args:
        first: A word, in any script.
        second: Another one.
        dialect: ``central``, ``isan``, ``lanna`` or ``dambro``: whose tones and mergers hold.

    Returns:
        Whether they match; symmetric, not transitive.

    Raises:
        ValueError: If the dialect is unknown.
    """
    return match_level(first, second, dialect) is not None


def match_level(first: str, second: str, dialect: str) -> int | None:
    """Says by which level two spellings are one word, or None if they are not.

    1: same letters or listed together. 2: same tone. 3: respelled tone or hidden length; in a word of several
    syllables one may differ in tone and length, or by the dialect's mergers, if the others are of level 2 or better.
    From level 2 on, two ordinary Central words (PyThaiNLP's dictionary, which is loaded at the first such question)
    never match.

    Args:
        first: A word, in any script.
        second: Another one.
        dialect: ``central``, ``isan``, ``lanna`` or ``dambro``.

    Raises:
        ValueError: If the dialect is unknown.
    """
    _check(dialect)
    return _match_level(*sorted((first, second)), dialect)


@lru_cache(maxsize=65536)
def _match_level(first: str, second: str, dialect: str) -> int | None:
    if _key(first, dialect, SAME_LETTERS) == _key(second, dialect, SAME_LETTERS):
        return SAME_LETTERS
    if _key(first, dialect, CANDIDATE) != _key(second, dialect, CANDIDATE):
        return None
    level = _sequence_level(_pieces(first, dialect), _pieces(second, dialect), dialect)
    if level is None or (is_central_word(first) and is_central_word(second)):
        return None
    return level


def is_central_word(text: str) -> bool:
    """Tells whether a spelling stands in PyThaiNLP's dictionary of Central Thai.

    The dictionary holds some dialect words too (เว้า, หื้อ, ข้อย). It is loaded at the first call.
    """
    return text.strip() in _central_words() or _clean(text) in _central_words()


@lru_cache(maxsize=1)
def _central_words() -> frozenset[str]:
    # The import builds a tree of 62,000 words: the collector would walk it again and again, which takes two seconds.
    collects = gc.isenabled()
    gc.disable()
    try:
        from pythainlp.corpus.common import thai_words
    finally:
        if collects:
            gc.enable()
    return frozenset(thai_words())


def _check(dialect: str) -> None:
    if dialect not in DIALECTS:
        raise ValueError(f"unknown dialect {dialect!r}; choose one of {', '.join(DIALECTS)}")


@lru_cache(maxsize=65536)
def _clean(text: str) -> str:
    """The word as written, in normal form, without spaces around it or before ๆ."""
    read = read_syllables(_SPACE_BEFORE_REPETITION.sub("", unicodedata.normalize("NFC", text)))
    return "".join(piece.text for piece in read if piece.text.translate(_DROPPED)).strip()


@lru_cache(maxsize=65536)
def _pieces(text: str, dialect: str) -> tuple[Syllable | str, ...]:
    """Syllables and other pieces of the listed spelling that stands for the word; ๆ written out."""
    written = _clean(text)
    pieces = _repeated(read_syllables(LISTED_SPELLINGS[dialect].get(written, written)))
    first = pieces[0] if len(pieces) > 1 else None
    if isinstance(first, Syllable):
        reduced = REDUCED_FIRST_SYLLABLES[dialect].get(first.text, first.text)
        pieces[:1] = _repeated(read_syllables(reduced))
    return tuple(pieces)


def _repeated(read: Sequence[Syllable | Plain]) -> list[Syllable | str]:
    """Writes out each ๆ as the syllables since the last ๆ or the last piece that is no syllable."""
    pieces: list[Syllable | str] = []
    word: list[Syllable] = []
    ended = False
    for piece in read:
        if isinstance(piece, Syllable):
            if ended:
                word, ended = [], False
            word.append(piece)
            pieces.append(piece)
        elif piece.text == REPETITION:
            pieces += word
            ended = True
        else:
            pieces.append(_SPACES.sub(" ", piece.text.translate(_THAI_DIGITS)))
            ended = True
    return pieces


@lru_cache(maxsize=65536)
def _key(text: str, dialect: str, level: int) -> tuple[str, ...]:
    return tuple(
        f"={piece}" if isinstance(piece, str) else _syllable_key(piece, dialect, level)
        for piece in _pieces(text, dialect)
    )


def _syllable_key(syllable: Syllable, dialect: str, level: int) -> str:
    if level == CANDIDATE:
        return ".".join(_merged(syllable, dialect))
    pitch = slot(syllable) if level == SAME_LETTERS else tone(syllable, dialect)
    return ".".join((*_sounds(syllable), syllable.length, pitch))


def _sounds(syllable: Syllable) -> tuple[str, str, str, str]:
    return syllable.onset, syllable.cluster, syllable.vowel, syllable.final


def _merged(syllable: Syllable, dialect: str) -> tuple[str, str, str, str, str]:
    """Onset, cluster, vowel, final, and the length before a stop, with all mergers that some speakers have."""
    onset, cluster, vowel, final = _sounds(syllable)
    keeps_length = final in {"p", "t", "k"} and vowel in _KEEP_LENGTH
    if dialect in ("isan", "lanna"):
        onset = "l" if onset == "r" else onset
        cluster = "w" if cluster == "w" else ""
    if dialect == "isan":
        if (cluster, vowel) == ("w", "a"):  # ควาย, ควย
            cluster, vowel, keeps_length = "", "ua", False
        vowel = "ia" if vowel == "uea" else vowel
    if dialect == "dambro":
        if (onset, cluster) == ("kh", "w"):
            onset, cluster = "f", ""
        onset = "h" if onset == "ng" else onset
        cluster = "r" if cluster == "l" else cluster
        vowel = {"o": "aw", "e": "ae", "ue": "oe"}.get(vowel, vowel)
        keeps_length = keeps_length and vowel in _KEEP_LENGTH
    return onset, cluster, vowel, final, syllable.length if keeps_length else ""


def _sequence_level(pieces: Sequence[Syllable | str], others: Sequence[Syllable | str], dialect: str) -> int | None:
    """The worst level of two words with equal candidate keys; None if too much of them is of level 4."""
    pairs = [
        (piece, other)
        for piece, other in zip(pieces, others, strict=True)
        if isinstance(piece, Syllable) and isinstance(other, Syllable)
    ]
    levels = [_syllable_level(*pair, dialect) for pair in pairs]
    doubtful = [place for place, level in enumerate(levels) if level == CANDIDATE]
    if not doubtful:
        return max(levels)
    others_agree = len(levels) > 1 and sorted(levels)[-2] <= SAME_TONE
    return RESPELLED if others_agree and _may_differ(pairs, doubtful[0]) else None


def _may_differ(pairs: Sequence[tuple[Syllable, Syllable]], place: int) -> bool:
    """Whether a syllable may be of level 4: มื้อนี้ and มือนี้ stay apart, since มื้อ and มือ do, not สุมา and สูมา."""
    first, second = pairs[place]
    shortened = place < len(pairs) - 1 and not first.final and first.length != second.length
    return shortened or not (is_central_word(first.text) and is_central_word(second.text))


def _syllable_level(first: Syllable, second: Syllable, dialect: str) -> int:
    for level in (SAME_LETTERS, SAME_TONE):
        if _syllable_key(first, dialect, level) == _syllable_key(second, dialect, level):
            return level
    listed = LISTED_SPELLINGS[dialect]
    if listed.get(first.text, first.text) == listed.get(second.text, second.text):
        return SAME_TONE
    if _sounds(first) != _sounds(second):
        return CANDIDATE
    if _short_sign_left_out(first, second):
        return RESPELLED
    same_length = "?" in (first.length, second.length) or first.length == second.length
    return RESPELLED if same_length and same_tone(first, second, dialect) else CANDIDATE


def _short_sign_left_out(first: Syllable, second: Syllable) -> bool:
    """Whether two closed syllables differ in ็ only: เปน for เป็น."""
    closed_e = first.vowel in ("e", "ae") and bool(first.final)
    return closed_e and (first.consonant_class, first.tone_mark) == (second.consonant_class, second.tone_mark)
