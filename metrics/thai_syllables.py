"""Reads Thai script into syllables: onset, vowel and its length, final, tone mark and consonant class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from metrics.short_memo import short_memo
from metrics.thai_script import (
    FINAL_OF_LETTER,
    LEAD_VOWELS,
    MARK_VOWELS,
    REPETITION,
    SONORANTS,
    SOUND_OF_LETTER,
    TONE_MARKS,
    VOWELS,
    ZERO_WIDTH,
    Vowel,
    consonant_class,
    normalize_run,
)


@dataclass(frozen=True)
class Syllable:
    """One written syllable, read by the rules of Central spelling.

    Attributes:
        text: Its letters in normal form (`metrics.thai_script.normalize_run`).
        start: Where it begins in the text that was read, in characters.
        end: Where it ends, exclusive.
        onset: Sound of the first consonant: k kh ng c ch s d t th n b p ph f m y r l w h or ʔ.
        cluster: ``r``, ``l`` or ``w`` after the onset, or empty.
        consonant_class: ``H``, ``M`` or ``L``, a leading ห or อ taken into account.
        vowel: a i ue u e ae o aw oe ia uea or ua.
        length: ``S`` (short), ``L`` (long), or ``?`` where the script does not show it.
        final: p t k m n ng y w, or empty.
        tone_mark: One of ่ ้ ๊ ๋, or empty.
        bare: Whether it is one consonant without any vowel sign, as the first of ขนม.
    """

    text: str
    start: int
    end: int
    onset: str
    cluster: str
    consonant_class: str
    vowel: str
    length: str
    final: str
    tone_mark: str
    bare: bool = False

    @property
    def is_dead(self) -> bool:
        """Whether it ends in a stop, or in a short vowel."""
        return self.final in {"p", "t", "k"} or (not self.final and self.length == "S")


@dataclass(frozen=True)
class Plain:
    """A piece of text that is no syllable: other scripts, spaces, digits, ๆ, signs that stand where they cannot.

    Attributes:
        text: The piece as it stands.
        start: Where it begins in the text that was read, in characters.
        end: Where it ends, exclusive.
    """

    text: str
    start: int
    end: int


_SECOND_LETTERS = {"ก": "รลว", "ข": "รลว", "ค": "รลว", "ต": "ร", "ป": "รล", "ผ": "รล", "พ": "รล"}
_LOAN_SECOND_LETTERS = {"บ": "รล", "ฟ": "รล", "ด": "ร"}
_DIALECT_SECOND_LETTERS = {"ง": "ว"}  # Lanna; so is ผร Southern only
_CLUSTERS = frozenset(
    first + second
    for letters in (_SECOND_LETTERS, _LOAN_SECOND_LETTERS, _DIALECT_SECOND_LETTERS)
    for first, seconds in letters.items()
    for second in seconds
)
_SILENT_R = {"สร": "s", "ศร": "s", "ซร": "s", "ทร": "s"}
_LED_BY_H = frozenset("ห" + letter for letter in "งญนมยรลว")
_LED_BY_O = re.compile("อย(?:ู่|าก|่าง|่า)")
# No word has more, and each syllable of an endless row would look through all of it.
_SILENCED = re.compile("(?:[ก-ฮ]{0,2}[ิุ]?์){0,4}")
_DOUBLE_R = re.compile(f"รร(?![ะาำ{MARK_VOWELS}{TONE_MARKS}])")
_FINAL_CLUSTER_R = re.compile("[กคชดตทป]ร$")
_SIGNS = frozenset("ะาำ" + MARK_VOWELS + TONE_MARKS + "์")

_SPLIT_COST = 1.5
_PLAIN_COST = 10.0
_PIECES = re.compile(f"[ก-\u0e3a\u0e40-\u0e4e][ก-\u0e3a\u0e40-\u0e4e{ZERO_WIDTH}]*")

_Reading = tuple[float, int, tuple[Syllable, ...]]
"""Cost, where it ends, and one or two syllables."""


def read_syllables(text: str) -> tuple[Syllable | Plain, ...]:
    """Reads any text into syllables and the rest.

    Of all ways to cut a run of Thai letters the one with the fewest syllables is taken, where a consonant without a
    vowel counts twice and a letter that fits nowhere ten times. No dictionary is used. So a name or a loan may be cut
    wrongly (เทวดา, ตากลม), the same way each time; a word is read better alone than inside a sentence.

    Args:
        text: Any string; nothing in it raises.

    Returns:
        The pieces in order. They cover the text without gap, apart from zero-width characters at the end of a run
        of Thai letters, which belong to the piece before.
    """
    pieces: list[Syllable | Plain] = []
    end = 0
    for match in _PIECES.finditer(text):
        if match.start() > end:
            pieces.append(Plain(text[end : match.start()], end, match.start()))
        pieces += [
            replace(piece, start=piece.start + match.start(), end=piece.end + match.start())
            for piece in _read_run(match[0])
        ]
        end = match.end()
    if end < len(text):
        pieces.append(Plain(text[end:], end, len(text)))
    return tuple(pieces)


@short_memo
def _read_run(run: str) -> tuple[Syllable | Plain, ...]:
    """Cheapest path through the run, from its end to its beginning, so that it needs no recursion."""
    text, places = normalize_run(run)
    if not text:
        return (Plain(run, 0, len(run)),)
    costs = [0.0] * (len(text) + 1)
    chosen: list[_Reading | None] = [None] * len(text)
    for start in range(len(text) - 1, -1, -1):
        costs[start] = _PLAIN_COST + costs[start + 1]
        for reading in _readings(text, start):
            cost = reading[0] + costs[reading[1]]
            if cost < costs[start]:
                costs[start], chosen[start] = cost, reading
    return _placed(_raised(_path(text, chosen)), (*places, len(run)))


def _path(text: str, chosen: list[_Reading | None]) -> Iterator[Syllable | Plain]:
    start = 0
    while start < len(text):
        reading = chosen[start]
        if reading is None:
            yield Plain(text[start], start, start + 1)
            start += 1
        else:
            yield from reading[2]
            start = reading[1]


def _raised(pieces: Iterator[Syllable | Plain]) -> Iterator[Syllable | Plain]:
    """Gives a sonorant high class after a bare consonant of high or mid class: ขนม is read ขะ-หนม."""
    raises = False
    for piece in pieces:
        if not isinstance(piece, Syllable):
            raises = False
        else:
            if raises and piece.onset in SONORANTS:
                piece = replace(piece, consonant_class="H")
            raises = piece.bare and piece.consonant_class != "L"
        yield piece


def _placed(pieces: Iterator[Syllable | Plain], places: tuple[int, ...]) -> tuple[Syllable | Plain, ...]:
    """Turns places in the normal form into places in the run; letters that fit nowhere are joined, ๆ stands alone."""
    placed: list[Syllable | Plain] = []
    for piece in pieces:
        start, end = (places[piece.start] if placed else 0), places[piece.end]
        last = placed[-1] if placed else None
        if isinstance(piece, Plain) and isinstance(last, Plain) and REPETITION not in (piece.text, last.text):
            placed[-1] = Plain(last.text + piece.text, last.start, end)
        else:
            placed.append(replace(piece, start=start, end=end))
    return tuple(placed)


def _readings(text: str, start: int) -> Iterator[_Reading]:
    """All syllables that may begin at a place."""
    lead = text[start] if text[start] in LEAD_VOWELS else ""
    begin = start + len(lead)
    for onset, cluster, letters, letter_class in _onsets(text, begin):
        for cost, end, syllable in _rhymes(text, start, lead, begin + letters):
            syllable = replace(syllable, onset=onset, cluster=cluster, consonant_class=letter_class)
            yield cost - _preference(syllable, lead, text[begin : begin + letters], end), end, (syllable,)
    # เสมอ, แสดง: the vowel before the first consonant belongs to the second.
    if lead and begin + 1 < len(text) and {text[begin], text[begin + 1]} <= SOUND_OF_LETTER.keys():
        first = _syllable(text[begin], start, begin + 1, Vowel("", "a", "S"), "", "", bare=True)
        first = replace(first, onset=SOUND_OF_LETTER[text[begin]], consonant_class=consonant_class(text[begin]))
        letter = text[begin + 1]
        for cost, end, syllable in _rhymes(text, begin + 1, lead, begin + 2):
            second = replace(syllable, onset=SOUND_OF_LETTER[letter], consonant_class=consonant_class(letter))
            yield cost + 1 + _SPLIT_COST, end, (first, second)


def _onsets(text: str, begin: int) -> Iterator[tuple[str, str, int, str]]:
    """Sound, cluster, number of letters and class of each onset that may begin at a place."""
    first = text[begin : begin + 1]
    pair = text[begin : begin + 2]
    if first not in SOUND_OF_LETTER or pair == "รร":
        return
    letter_class = consonant_class(first)
    if pair in _CLUSTERS:
        yield SOUND_OF_LETTER[first], SOUND_OF_LETTER[pair[1]], 2, letter_class
    elif pair in _SILENT_R or text.startswith("จริ", begin):
        yield _SILENT_R.get(pair, "c"), "", 2, letter_class
    elif pair in _LED_BY_H:
        yield SOUND_OF_LETTER[pair[1]], "", 2, "H"
        if pair == "หม" and text[begin + 2 : begin + 3] in ("ร", "ล"):  # Southern หมรับ
            yield "m", SOUND_OF_LETTER[text[begin + 2]], 3, "H"
    elif _LED_BY_O.match(text, begin):
        yield "y", "", 2, "M"
    yield SOUND_OF_LETTER[first], "", 1, letter_class


def _rhymes(text: str, start: int, lead: str, place: int) -> Iterator[tuple[float, int, Syllable]]:
    """Cost, end and syllable, its onset still to be filled in, of each rhyme after an onset that ends at `place`."""
    sign = text[place : place + 1] if text[place : place + 1] in MARK_VOWELS else ""
    place += len(sign)
    tone = text[place : place + 1] if text[place : place + 1] in TONE_MARKS else ""
    place += len(tone)
    for vowel in VOWELS.get(("ไ" if lead == "ใ" else lead, sign), ()):
        if not text.startswith(vowel.tail, place):
            continue
        after = place + len(vowel.tail)
        bare = not (lead or sign or tone or vowel.tail)
        if vowel.takes_final != "needed":
            tone_alone = tone and not (lead or sign or vowel.tail)  # บ่, ก่
            open_vowel = Vowel("", "aw", "?") if tone_alone else vowel
            cost = 1 + open_vowel.cost + (1.0 if bare and after == len(text) > 1 else 0.0)
            end = _after_silenced(text, after)
            cost += 0.01 * (end > after)  # ศุกร์: rather a final and one silent letter than two silent letters
            yield cost, end, _syllable(text[start:end], start, end, open_vowel, tone, vowel.final, bare=bare)
        final = FINAL_OF_LETTER.get(text[after : after + 1])
        if vowel.takes_final == "no" or final is None or text[after + 1 : after + 2] in _SIGNS:
            continue
        if (vowel.quality == "e" and final == "y") or _DOUBLE_R.match(text, after):  # เลย, สวรรค์
            continue
        closed = replace(vowel, quality="aw", length="L") if bare and text[after] == "ร" else vowel  # พร, จร
        end = _after_silenced(text, after + (2 if not bare and _FINAL_CLUSTER_R.match(text, after) else 1))
        yield 1 + closed.cost, end, _syllable(text[start:end], start, end, closed, tone, final)


def _after_silenced(text: str, place: int) -> int:
    match = _SILENCED.match(text, place)
    return match.end() if match else place


def _syllable(text: str, start: int, end: int, vowel: Vowel, tone: str, final: str, bare: bool = False) -> Syllable:
    length = "?" if tone and tone in vowel.hiding_marks else vowel.length
    return Syllable(text, start, end, "", "", "", vowel.quality, length, final, tone, bare)


def _preference(syllable: Syllable, lead: str, letters: str, end: int) -> float:
    """Small gain of an onset of two letters; a loss where เ แ โ and two letters are mostly one letter and a final."""
    if len(letters) == 1:
        return 0.0
    if lead in ("เ", "แ", "โ") and syllable.text == lead + letters:
        before_w = letters[1] == "ว" and (lead + letters) not in ("แขว", "แคว", "แหว")
        if before_w or (lead == "โ" and letters[0] == "ห" and letters not in ("หล", "หร")):
            return -0.1
    return 0.03
