"""Named normalisations of transcripts by language, made of small steps; their names go into the signature.

`normalize(text, name, language)` applies the steps of the table in order. ``raw`` has none.

| step | does | languages |
|---|---|---|
| ``invisible`` | deletes format characters (zero width, direction, soft hyphen), variation selectors, keycaps | all |
| ``forms`` | full, half width, Arabic presentation forms, squared units, radicals (⼈) by NFKC, those only | all |
| ``nfc`` | composes: n + tilde is ñ, waw + hamza is ؤ; in Arabic again without the marks that stood between | all |
| ``case`` | Unicode case folding, also of Latin words in Arabic and Chinese text | all |
| ``arabic_marks`` | deletes vowel marks, Quranic marks and tatweel; no space in their place | ara |
| ``arabic_letters`` | ک ی of Persian keyboards are ك ي, also where ی would be ى | ara |
| ``digits`` | decimal digits of any script in ASCII (٣, ３ are 3), Arabic separators ٫ ٬ as . and , | all |
| ``apostrophes`` | one apostrophe ('), kept inside a word, deleted elsewhere and beside Chinese characters | all |
| ``punctuation`` | other punctuation, symbols become a space, save those below; signs stand alone: 50% is 50 % | all |
| ``units`` | a space between a number and a unit of measurement: 5mg is 5 mg, 8am is 8 am | all |
| ``alef`` | أ إ آ ٱ, and ا with a combining hamza or madda, are ا | ara |
| ``chinese_spaces`` | one space between words of other scripts, none beside a Chinese character | zho |
| ``simplified`` | traditional characters as simplified ones, by OpenCC ``t2s`` | zho |
| ``chinese_variants`` | 著 妳 衞 甚么, which OpenCC leaves, as 着 你 卫 什么 | zho |
| ``spaces`` | one space between words, none at the ends | all but zho |

What stays apart, and what the policy is:

| matter | policy |
|---|---|
| accents, tildes, marks of any script | stay, but for the Arabic vowel marks: año is not ano, sé is not se |
| hamza and final letters | ى, ؤ, ئ, ة and a hamza or madda that NFC cannot compose stay, but for those on alef |
| contractions | stay as spoken: don't is not do not (what 's stands for can't be told) |
| hyphens and dashes | separate words: well-known is well known, COVID-19 is covid 19 |
| numerals | unified in width and script only, never turned into words or back: 三 is not 3, 1,500 is not 1500 |
| . and , between digits | stay: 3.5 is not 35; other marks there separate: 120/80 is 120 80 |
| ، between digits | separates, as it does in lists: ٣،٥ is 3 5, ٣٫٥ is 3.5 |
| signs that are read out | % ‰ & @ # ° + = × ÷ ± ≤ ≥ and currency signs stay, since a word would stand for them |
| spaces beside such signs | each is a word: 50 % is 50%, 38 °C is 38°C, $ 5 is $5; their order stays: 5 € is not € 5 |
| spaces before units | only of `UNITS`, after a number that is a word: 5mg is 5 mg; B12, H1N1, 1st, 2º, 30s stay |
| abbreviations | dots separate: U.S. is u s, not us; e.g. is e g |
| Chinese words | cut by jieba after normalisation, so that neither punctuation nor spaces move the cuts |
| fillers, spelling variants | stay |
| Taiwan's and Hong Kong's words | stay: 軟體 is 软体, not 软件 |

OpenCC was chosen since it is maintained and has wheels for Python 3.10 to 3.13 with its dictionaries inside, under
Apache-2.0; it needs no network. zhconv and hanziconv come as source only, without a release since 2021 and 2016, and
zhconv is under the GPL. ``t2s`` rather than ``tw2s``, which also changes simplified text (显著 to 显着, 干么 to 干幺).
The price of ``chinese_variants``: 著名 and 着名, 妳 and 你 count as equal.

Whisper's normalisers are not offered: the basic one deletes combining marks, the English one strips ñ and the accents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

LANGUAGES = ("ara", "zho", "eng", "spa")
"""ISO 639-3 codes of the languages that have a normaliser."""

_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\ufe00-\ufe0f\ufeff\U000e0001-\U000e007f\U000e0100-\U000e01ef]"
)
# Without the full-width macron U+FFE3, which NFKC makes a combining mark.
_FORMS = re.compile(
    "[\u2103\u2109\u2e9f\u2ef3\u2f00-\u2fd5\u3380-\u33df\ufb50-\ufdff\ufe70-\ufefc\uff01-\uffe2\uffe4-\uffee]"
)
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_APOSTROPHE = re.compile("[\u2018\u2019\u02bc`\u00b4]")
_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_QUOTATION_MARK = re.compile(f"'(?:(?<![^\\W_{_HAN}]')|(?![^\\W_{_HAN}]))")
_SPACE_BESIDE_HAN = re.compile(f"(?<=[{_HAN}]) | (?=[{_HAN}])")
_BREAK = re.compile(r"[.,](?:(?<!\d[.,])|(?!\d))")
_NO_LETTER_OR_SPACE = re.compile(r"[^\w ]|_")
_READ_ALOUD = frozenset("%‰&@#°+=×÷±≤≥")
_SEPARATING_CATEGORIES = frozenset(("Sk", "Sm", "So", "Cc", "Cf"))
# The hamza above and below and the madda (U+0653 to U+0655) are parts of letters and stay.
_ARABIC_MARKS = re.compile(
    "[\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]"
)
_ALEF = re.compile("[\u0622\u0623\u0625\u0627\u0671][\u0653-\u0655]*")
_ARABIC_LETTERS = str.maketrans("\u06a9\u06cc", "\u0643\u064a")
_ARABIC_SIGNS = str.maketrans({"\u066a": "%", "\u066b": ".", "\u066c": ","})
# OpenCC's text ends at the first NUL, and half of a surrogate pair has no UTF-8.
_UNKNOWN_TO_OPENCC = re.compile("([\0\ud800-\udfff])")
_CHINESE_VARIANTS = str.maketrans({"著": "着", "妳": "你", "衞": "卫"})

UNITS = (
    *("kg", "g", "mg", "μg", "mcg", "l", "dl", "ml", "μl", "km", "m", "cm", "mm", "kcal", "cal", "kj", "mol", "mmol"),
    *("iu", "ui", "mmhg", "bpm", "hz", "h", "min", "am", "pm"),
)
"""Units of measurement, in the form that case folding leaves, that a number is written with or without a space."""
# The digit stands before what must not precede it: quicker, since most texts have few digits.
_NUMBER_WITH_UNIT = re.compile(f"([0-9](?<![^\\W_{_HAN}][0-9])[0-9.,]*)({'|'.join(UNITS)})(?![^\\W_{_HAN}])")

RULES_VERSION = "2"
"""Raised whenever ``normalized`` can give another text."""


def delete_invisible(text: str) -> str:
    """Deletes zero-width and direction characters, soft hyphens, byte order marks, variation selectors and keycaps."""
    return _INVISIBLE.sub("", text)


def unify_forms(text: str) -> str:
    """Applies NFKC to full and half width, Arabic presentation forms, squared units, ℃, ℉ and radicals, and no others.

    NFKC of a whole text would also turn ² into 2 and º into o. The isolated vowel marks among the presentation forms
    have a space in their mapping, which is left out: it would cut the word.
    """
    return _FORMS.sub(lambda match: unicodedata.normalize("NFKC", match[0]).strip(), text)


def nfc(text: str) -> str:
    """Composes characters and puts combining marks into canonical order (Unicode NFC)."""
    return unicodedata.normalize("NFC", text)


def fold_case(text: str) -> str:
    """Folds case; composed again, since folding can take a character apart."""
    return nfc(text.casefold())


def unify_digits(text: str) -> str:
    """Writes the decimal digits of any script as 0-9 and the Arabic per cent sign and separators as %, . and ,."""
    return _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text).translate(_ARABIC_SIGNS)


def unify_apostrophes(text: str) -> str:
    """Writes every apostrophe as ' and deletes those that don't stand between two letters or digits.

    Chinese characters don't count as letters here: beside them it is a quotation mark. Composed again, since a mark
    can have stood behind an apostrophe.
    """
    return nfc(_QUOTATION_MARK.sub("", _APOSTROPHE.sub("'", text)))


def separate_at_punctuation(text: str) -> str:
    """Replaces punctuation, symbols and control characters by spaces.

    Apostrophes, and . and , between two digits stay; so do signs that are read out, with a space on both sides. No
    letter, mark or number goes.
    """
    return _NO_LETTER_OR_SPACE.sub(lambda match: _without_punctuation(match[0]), _BREAK.sub(" ", text))


def separate_units(text: str) -> str:
    """Puts a space between a number and one of `UNITS`, where neither is part of a longer word."""
    return _NUMBER_WITH_UNIT.sub(r"\1 \2", text)


def delete_arabic_marks(text: str) -> str:
    """Deletes Arabic vowel marks, Quranic marks and tatweel; hamza and madda stay."""
    return _ARABIC_MARKS.sub("", text)


def unify_arabic_letters(text: str) -> str:
    """Writes the Persian letters ک and ی, which stand for ك and ي in Arabic text, as these."""
    return text.translate(_ARABIC_LETTERS)


def unify_alef(text: str) -> str:
    """Writes alef with hamza, madda or wasla, composed or not, as bare alef; no other letter changes."""
    bare = _ALEF.sub("\u0627", text)
    # A hamza behind another mark composes with the bare alef.
    return text if bare == text else unify_alef(nfc(bare))


def simplify_chinese(text: str) -> str:
    """Writes traditional characters as simplified ones (OpenCC ``t2s``, which looks at phrases: 乾燥 but 乾坤)."""
    return "".join(
        part if _UNKNOWN_TO_OPENCC.match(part) else _opencc().convert(part) for part in _UNKNOWN_TO_OPENCC.split(text)
    )


def unify_chinese_variants(text: str) -> str:
    """Writes 著, 妳, 衞 and 甚么 as 着, 你, 卫 and 什么: Taiwan's aspect particle and others that OpenCC leaves."""
    return text.translate(_CHINESE_VARIANTS).replace("甚么", "什么")


def single_spaces(text: str) -> str:
    """Leaves one space between words and none at the ends."""
    return " ".join(text.split())


def chinese_spaces(text: str) -> str:
    """Leaves one space between words of other scripts, and none at the ends or beside a Chinese character."""
    return _SPACE_BESIDE_HAN.sub("", single_spaces(text))


Step = tuple[str, Callable[[str], str]]

_FIRST: tuple[Step, ...] = (("invisible", delete_invisible), ("forms", unify_forms), ("nfc", nfc), ("case", fold_case))
_ARABIC: tuple[Step, ...] = (
    ("arabic_marks", delete_arabic_marks),
    ("arabic_letters", unify_arabic_letters),
    ("nfc", nfc),
)
_ALEFS: tuple[Step, ...] = (("alef", unify_alef),)
_SIGNS: tuple[Step, ...] = (
    ("digits", unify_digits),
    ("apostrophes", unify_apostrophes),
    ("punctuation", separate_at_punctuation),
    ("units", separate_units),
)
_SPACES: tuple[Step, ...] = (("spaces", single_spaces),)
_CHINESE: tuple[Step, ...] = (
    ("chinese_spaces", chinese_spaces),
    ("simplified", simplify_chinese),
    ("chinese_variants", unify_chinese_variants),
)

NORMALIZATIONS: Mapping[str, Mapping[str, tuple[Step, ...]]] = MappingProxyType(
    {
        "raw": MappingProxyType(dict.fromkeys(LANGUAGES, ())),
        "normalized": MappingProxyType(
            {
                "ara": _FIRST + _ARABIC + _SIGNS + _ALEFS + _SPACES,
                "zho": _FIRST + _SIGNS + _CHINESE,
                "eng": _FIRST + _SIGNS + _SPACES,
                "spa": _FIRST + _SIGNS + _SPACES,
            }
        ),
    }
)
"""Name -> language -> steps in their order."""


def check_normalization(name: str, language: str) -> None:
    """Refuses an unknown name or language.

    Args:
        name: A key of `NORMALIZATIONS`.
        language: ISO 639-3 code, one of `LANGUAGES`.

    Raises:
        ValueError: If there is no such normalisation.
    """
    if name not in NORMALIZATIONS:
        raise ValueError(f"unknown normalization {name!r}; choose one of {', '.join(NORMALIZATIONS)}")
    if language not in LANGUAGES:
        raise ValueError(f"no transcripts are scored in language {language!r}; choose one of {', '.join(LANGUAGES)}")


def normalize(text: str, name: str, language: str) -> str:
    """Applies a named normalisation.

    Args:
        text: Any text.
        name: ``raw`` (unchanged) or ``normalized``.
        language: ISO 639-3 code, one of `LANGUAGES`.

    Returns:
        The normalised text.

    Raises:
        ValueError: If there is no such normalisation.
    """
    try:
        steps = NORMALIZATIONS[name][language]
    except KeyError:
        check_normalization(name, language)
        raise
    for _, step in steps:
        text = step(text)
    return text


def signature_fields(name: str, language: str) -> Mapping[str, str]:
    """Says in a signature's fields how texts are normalised: language, name, steps, versions where there are any."""
    check_normalization(name, language)
    steps = [step for step, _ in NORMALIZATIONS[name][language]]
    fields = {"lang": language, "norm": name, "steps": "+".join(steps) or "none"}
    if steps:
        fields["rules"] = RULES_VERSION
    return fields | ({"opencc": version("opencc")} if "simplified" in steps else {})


@lru_cache(maxsize=4096)
def _without_punctuation(character: str) -> str:
    category = unicodedata.category(character)
    if character in _READ_ALOUD or category == "Sc":
        return f" {character} "
    if character in "'.,":
        return character
    return " " if category[0] in "PZ" or category in _SEPARATING_CATEGORIES else character


@lru_cache(maxsize=1)
def _opencc() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")
