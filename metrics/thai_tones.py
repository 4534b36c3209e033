"""The tone of a written syllable in Central Thai, Isan and Lanna, and how writers of a dialect respell a tone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from metrics.thai_script import SONORANTS
from metrics.thai_syllables import Syllable

DIALECTS = ("central", "isan", "lanna", "dambro")
"""Central Thai, Northeastern, Northern and Southern, by the names of the data set."""

_CENTRAL = {
    "M": "mid", "M่": "low", "M้": "falling", "Ms": "low", "Ml": "low",
    "H": "rising", "H่": "low", "H้": "falling", "Hs": "low", "Hl": "low",
    "L": "mid", "L่": "falling", "L้": "high", "Ls": "high", "Ll": "falling",
}  # fmt: skip
# Khon Kaen type, six tones.
_ISAN = {
    "H": "T1", "H่": "T4", "H้": "T5", "Hs": "T1", "Hl": "T5",
    "M": "T2", "M่": "T4", "M้": "T6", "Ms": "T1", "Ml": "T5",
    "L": "T3", "L่": "T4", "L้": "T6", "Ls": "T4", "Ll": "T6",
}  # fmt: skip
# Chiang Mai. บ ด อ and อย differ from the other middle letters in live syllables without a mark only.
_LANNA = {
    "H": "rising", "H่": "low", "H้": "high falling", "Hs": "rising", "Hl": "low",
    "M": "rising", "M่": "low", "M้": "high falling", "Ms": "rising", "Ml": "low",
    "L": "mid", "L่": "falling", "L้": "high", "Ls": "high", "Ll": "falling",
}  # fmt: skip
_LANNA_MID_ONSETS = frozenset({"b", "d", "ʔ", "y"})

# Spellings of a tone that writers of the dialect exchange. A line holds two slots (see `slot`) and, where it does
# not hold for every consonant, of which: sonorants or the rest. What the tables above make equal is not repeated.
_ANY, _SONORANT, _OBSTRUENT = "any", "sonorant", "obstruent"
_EXCHANGED = {
    "central": (),
    "isan": (
        ("M", "M๋", _ANY),  # ใด, ใด๋
        ("L", "L๊", _ANY),  # falling T3: มา, ม๊า
        ("L", "L่", _ANY),  # T3 as falling; and T4 without its mark: แม่น, แมน
        ("L่", "L๊", _ANY),
        ("H้", "H่", _ANY),  # low T5: ให้, ไห่
        ("L้", "L่", _ANY),  # falling T6: เว้า, เว่า
        ("L้", "L๊", _ANY),
        ("Ls", "Hs", _SONORANT),  # นะ, หนะ; see the check of the vowel below
    ),
    "lanna": (
        ("M้", "M๊", _ANY),  # แต้, แต๊
        ("H้", "H๊", _ANY),
        ("L่", "H่", _SONORANT),  # ม่อง, หม่อง
        ("Ls", "Hs", _SONORANT),
        ("Ms", "M้", _ANY),  # dead: กึด, กึ้ด, กึ๊ด
        ("Ms", "M๊", _ANY),
        ("M๋", "M๊", _ANY),  # dead: ต๋ก, ต๊ก
        ("M๋", "M้", _ANY),
    ),
    "dambro": (
        ("H", "H้", _ANY),  # heard high or falling: หลาว, หล้าว
        ("H", "H๊", _ANY),
        ("H", "L้", _OBSTRUENT),  # ขา, ค้า
        ("H", "L๊", _OBSTRUENT),
        ("H้", "L้", _OBSTRUENT),
        ("Hs", "H๊", _ANY),  # ผัก, ผั๊ก
        ("M", "M๋", _ANY),  # heard rising: กา, ก๋า
        ("M่", "M", _ANY),  # heard mid: เก่า, เกา
        ("H่", "H", _OBSTRUENT),
        ("H่", "L", _OBSTRUENT),  # ไข่, ไค
        ("L", "L่", _ANY),  # heard falling: พุง, พุ่ง
        ("L", "L้", _SONORANT),  # นวน, น้วน
        ("L่", "L้", _SONORANT),
        ("L่", "H", _ANY),  # heard low or rising: พี่, ผี
        ("L่", "H๋", _ANY),
        ("L่", "H่", _ANY),
        ("L้", "H่", _ANY),  # heard low: น้อง, หน่อง
        ("M้", "M่", _ANY),  # บ้าน, บ่าน
        ("L่", "L๋", _ANY),
        ("Ls", "Hs", _SONORANT),
    ),
}  # fmt: skip
_DEAD_ONLY = frozenset({("M๋", "M๊"), ("M๋", "M้")})
"""Pairs of Lanna that are exchanged before a stop only: ปี้ and ปี๋ are two words."""


def _both_ways(dialect: str) -> frozenset[tuple[str, str, str]]:
    lines = _EXCHANGED[dialect]
    return frozenset([*lines, *((second, first, which) for first, second, which in lines)])


_PAIRS: Mapping[str, frozenset[tuple[str, str, str]]] = MappingProxyType(
    {dialect: _both_ways(dialect) for dialect in DIALECTS}
)


def slot(syllable: Syllable) -> str:
    """Returns class and tone mark; without a mark, class and `s` or `l` for a dead short or dead long syllable."""
    kind = syllable.consonant_class
    if syllable.tone_mark:
        return kind + syllable.tone_mark
    return kind + ("s" if syllable.length == "S" else "l") if syllable.is_dead else kind


def tone(syllable: Syllable, dialect: str) -> str:
    """Reads the tone from class, mark, length and final.

    Sources: the tone tables of Central Thai; Typhoon Isan's transcription guidelines (Khon Kaen type) for Isan;
    Wikipedia and Thammasat University's dialect archive for Lanna (Chiang Mai). ๊ is high and ๋ rising everywhere,
    also on high and low letters, where Central Thai has neither.

    Args:
        syllable: A syllable.
        dialect: One of `DIALECTS`.

    Returns:
        A name of the tone, to be compared within one dialect only. For Southern (``dambro``) no tone table holds for
        more than one place: class and mark are returned themselves.
    """
    where = slot(syllable)
    if dialect == "dambro":
        return where
    if syllable.tone_mark == "๊":
        return "high"
    if syllable.tone_mark == "๋":
        return "rising"
    if dialect == "lanna" and where == "M" and syllable.onset in _LANNA_MID_ONSETS:
        return "mid"
    return {"central": _CENTRAL, "isan": _ISAN, "lanna": _LANNA}[dialect][where]


@lru_cache(maxsize=65536)
def same_tone(first: Syllable, second: Syllable, dialect: str) -> bool:
    """Tells whether two syllables with the same sounds have one tone, written twice alike or in two ways.

    Args:
        first: A syllable.
        second: Another one.
        dialect: One of `DIALECTS`.

    Returns:
        Whether the tones are equal as the dialect or as Central Thai reads them, or are spellings of one tone that
        writers of the dialect exchange. The relation is symmetric and not transitive.
    """
    if tone(first, dialect) == tone(second, dialect):
        return True
    # Isan and Lanna keep high and low letters apart where Central Thai does not: ไห้ "cry", ไฮ่ "field".
    comparable = dialect == "dambro" or first.consonant_class == second.consonant_class
    if comparable and tone(first, "central") == tone(second, "central"):
        return True
    slots = (slot(first), slot(second))
    if _DEAD_ONLY & {slots, slots[::-1]} and not (first.is_dead and first.final):
        return False
    if {"Ls", "Hs"} == set(slots) and first.final:
        return False
    kind = _SONORANT if first.onset in SONORANTS else _OBSTRUENT
    return (*slots, _ANY) in _PAIRS[dialect] or (*slots, kind) in _PAIRS[dialect]
