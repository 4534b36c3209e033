"""Letters and vowels of Thai script by sound, and one normal form of a written word with the places it came from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from metrics.short_memo import short_memo

TONE_MARKS = "่้๊๋"
LEAD_VOWELS = "เแโไใ"
MARK_VOWELS = "ัิีึืุู็"
REPETITION = "ๆ"
ZERO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphen, zero-width space, non-joiner and joiner, word joiner, byte order mark."""

_LETTERS_OF_SOUND = {
    "k": "ก",
    "kh": "ขฃคฅฆ",
    "ng": "ง",
    "c": "จ",
    "ch": "ฉชฌ",
    "s": "สศษซ",
    "d": "ดฎ",
    "t": "ตฏ",
    "th": "ถฐทธฑฒ",
    "n": "นณ",
    "b": "บ",
    "p": "ป",
    "ph": "ผพภ",
    "f": "ฝฟ",
    "m": "ม",
    "y": "ยญ",
    "r": "ร",
    "l": "ลฬ",
    "w": "ว",
    "h": "หฮ",
    "ʔ": "อ",
}
_LETTERS_OF_FINAL = {
    "p": "บปพฟภ",
    "t": "ดตถทธจชซศษสฎฏฐฑฒ",
    "k": "กขคฆ",
    "m": "ม",
    "n": "นณญรลฬ",
    "ng": "ง",
    "y": "ย",
    "w": "ว",
}

SOUND_OF_LETTER: Mapping[str, str] = MappingProxyType(
    {letter: sound for sound, letters in _LETTERS_OF_SOUND.items() for letter in letters}
)
"""Consonant letter to the sound it has before a vowel; `ʔ` is the glottal stop."""
FINAL_OF_LETTER: Mapping[str, str] = MappingProxyType(
    {letter: sound for sound, letters in _LETTERS_OF_FINAL.items() for letter in letters}
)
"""Consonant letter to its sound after a vowel; letters that close no syllable are missing."""
SONORANTS = frozenset({"ng", "n", "m", "y", "r", "l", "w"})
"""Sounds of which only low letters exist: a silent leading ห, or a syllable of high or mid class before, raises
them."""


def consonant_class(letter: str) -> str:
    """Returns ``H`` (high), ``M`` (mid) or ``L`` (low) of a consonant letter."""
    if letter in "ขฃฉถฐผฝศษสห":
        return "H"
    return "M" if letter in "กจดตฎฏบปอ" else "L"


@dataclass(frozen=True)
class Vowel:
    """One way to write a vowel after its lead sign, the onset, and the sign on the onset.

    Attributes:
        tail: Letters after the onset and its tone mark.
        quality: a i ue u e ae o aw oe ia uea or ua.
        length: ``S`` (short), ``L`` (long) or ``?`` (the script does not show it).
        final: Sound that closes the syllable where no further letter does, or empty.
        takes_final: Whether a letter may close the syllable: ``no``, ``optional`` or ``needed``.
        cost: How much less likely than others this way is; a syllable costs 1.
        hiding_marks: Tone marks that hide the length: any where ็ has no room, ่ and ้ where Central Thai has long
            vowels in short writing (ได้, น้ำ).
    """

    tail: str
    quality: str
    length: str
    final: str = ""
    takes_final: str = "no"
    cost: float = 0.0
    hiding_marks: str = ""


_LOW_AND_FALLING = "่้"
VOWELS: Mapping[tuple[str, str], tuple[Vowel, ...]] = MappingProxyType(
    {
        ("", ""): (
            Vowel("า", "a", "L", takes_final="optional"),
            Vowel("ะ", "a", "S"),
            Vowel("ำ", "a", "S", final="m", hiding_marks=_LOW_AND_FALLING),
            Vowel("รร", "a", "S", takes_final="optional", final="n"),
            Vowel("อ", "aw", "L", takes_final="optional", hiding_marks=TONE_MARKS),
            Vowel("ว", "ua", "L", takes_final="needed", cost=0.05),
            Vowel("", "o", "S", takes_final="needed", cost=0.1),
            Vowel("", "a", "S", cost=1.0),
        ),
        ("", "ั"): (
            Vowel("วะ", "ua", "S"),
            Vowel("ว", "ua", "L"),
            Vowel("ย", "a", "S", final="y", hiding_marks=_LOW_AND_FALLING),
            Vowel("", "a", "S", takes_final="needed"),
            Vowel("", "a", "S", cost=1.5),
        ),
        ("", "ิ"): (Vowel("", "i", "S", takes_final="optional"),),
        ("", "ี"): (Vowel("", "i", "L", takes_final="optional"),),
        ("", "ึ"): (Vowel("", "ue", "S", takes_final="optional"),),
        ("", "ื"): (Vowel("อ", "ue", "L"), Vowel("", "ue", "L", takes_final="optional", cost=0.05)),
        ("", "ุ"): (Vowel("", "u", "S", takes_final="optional"),),
        ("", "ู"): (Vowel("", "u", "L", takes_final="optional"),),
        ("", "็"): (
            Vowel("อ", "aw", "S", takes_final="optional", hiding_marks=TONE_MARKS),
            Vowel("", "aw", "S", takes_final="optional", cost=0.1),
        ),
        ("เ", ""): (
            Vowel("าะ", "aw", "S"),
            Vowel("า", "a", "S", final="w", hiding_marks=_LOW_AND_FALLING),
            Vowel("ะ", "e", "S"),
            Vowel("อะ", "oe", "S"),
            Vowel("อ", "oe", "L", takes_final="optional"),
            Vowel("ย", "oe", "L", final="y"),
            Vowel("", "e", "L", takes_final="optional", hiding_marks=TONE_MARKS),
        ),
        ("เ", "็"): (Vowel("", "e", "S", takes_final="optional", hiding_marks=TONE_MARKS),),
        ("เ", "ิ"): (Vowel("", "oe", "?", takes_final="optional"),),
        ("เ", "ี"): (Vowel("ยะ", "ia", "S"), Vowel("ย", "ia", "L", takes_final="optional")),
        ("เ", "ื"): (Vowel("อะ", "uea", "S"), Vowel("อ", "uea", "L", takes_final="optional")),
        ("แ", ""): (
            Vowel("ะ", "ae", "S"),
            Vowel("", "ae", "L", takes_final="optional", hiding_marks=TONE_MARKS),
        ),
        ("แ", "็"): (Vowel("", "ae", "S", takes_final="optional", hiding_marks=TONE_MARKS),),
        ("โ", ""): (Vowel("ะ", "o", "S"), Vowel("", "o", "L", takes_final="optional")),
        ("ไ", ""): (
            Vowel("ย", "a", "S", final="y", hiding_marks=_LOW_AND_FALLING),
            Vowel("", "a", "S", final="y", hiding_marks=_LOW_AND_FALLING),
        ),
    }
)
"""By lead vowel (ไ stands for ใ too) and sign on the onset."""


_Replacement = str | Callable[[re.Match[str]], str]

_STEPS: tuple[tuple[re.Pattern[str], _Replacement], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (f"[{ZERO_WIDTH}\u0e3a\u0e4e]+", ""),
        # Nikhahit and aa, with or without a tone mark beside it, look like sara am.
        ("\u0e4d([่้๊๋]?)า", r"\1ำ"),
        ("([่้๊๋])\u0e4dา", r"\1ำ"),
        ("เเ", "แ"),
        ("(?<![่้๊๋])([่้๊๋]+)([ัิีึืุู็])", r"\2\1"),
        ("[่้๊๋]*([่้๊๋])", r"\1"),
        # No sign of a vowel is ever rightly written twice; consonants are lengthened at the end, or by four and more.
        (r"([ะาำัิีึืุู็แโไใ])\1+", r"\1"),
        (r"([ก-ฮ])\1{3,}|([ก-ฮ])\2{2,}$", r"\1\2"),
        (r"(?<=[ะาำิีึืุู็่้๊๋])([ก-ฮ])\1$", r"\1"),
        (r"([ยวงอ])\1$", lambda match: match[1] if match.start() else match[0]),
        ("ฤๅ", "รือ"),
        ("(?<=[ก-ฮ])ฤ", "ริ"),
        ("ฤ", "รึ"),
        # The vowel after the last letter of these is silent.
        ("(?<=[ชญ]าต)ิ|(?<=ธาต)ุ|(?<=เหต)ุ", ""),
    )
)


@short_memo
def normalize_run(run: str) -> tuple[str, tuple[int, ...]]:
    """Writes a run of Thai letters in one way, and says where each letter stood.

    Removed are zero-width characters, phinthu and yamakkan; put in order are sara am, sara ae, and the vowel before
    the tone mark; of several tone marks the last stays; letters repeated for emphasis (ค่าา, มากกก) stand once; ฤ is
    written out; the silent vowel of ชาติ, ญาติ, ธาตุ and เหตุ is left out. Emphasis by two consonants inside a run is
    kept, since nothing tells it from spelling (ถนน).

    Args:
        run: Thai letters and signs, possibly with zero-width characters between.

    Returns:
        The normal form, and for each of its letters the index in `run`, ascending; both may be empty.
    """
    places = list(range(len(run)))
    for pattern, replacement in _STEPS:
        if pattern.search(run):
            run, places = _substitute(pattern, replacement, run, places)
    return run, tuple(places)


def _substitute(
    pattern: re.Pattern[str], replacement: _Replacement, text: str, places: list[int]
) -> tuple[str, list[int]]:
    pieces: list[str] = []
    kept: list[int] = []
    end = 0
    for match in pattern.finditer(text):
        new = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
        pieces += [text[end : match.start()], new]
        kept += places[end : match.start()]
        replaced = places[match.start() : match.end()] or places[match.start() - 1 : match.start()]
        kept += [replaced[min(index, len(replaced) - 1)] for index in range(len(new))]
        end = match.end()
    return "".join([*pieces, text[end:]]), kept + places[end:]
