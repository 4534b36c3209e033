"""Named normalisations of transcripts by language, made of small steps; their names go into the signature.

`normalize(text, name, language)` applies the steps of the table in order. ``raw`` has none.

| step | does | languages |
|---|---|---|
| ``invisible`` | deletes format characters (zero width, direction marks, soft hyphen) and variation selectors | all |
| ``forms`` | full and half width, Arabic presentation forms and squared units by NFKC, those only | all |
| ``nfc`` | composes: n + tilde is ñ, waw + hamza is ؤ | all |
| ``case`` | Unicode case folding, also of Latin words in Arabic and Chinese text | all |
| ``arabic_marks`` | deletes vowel marks, Quranic marks and tatweel; no space in their place | ara |
| ``alef`` | أ إ آ ٱ are ا | ara |
| ``digits`` | decimal digits of any script in ASCII (٣, ３ are 3), Arabic separators ٫ ٬ as . and , | all |
| ``apostrophes`` | one apostrophe ('), kept inside a word, deleted elsewhere and beside Chinese characters | all |
| ``punctuation`` | other punctuation and symbols become a space, except those below | all |
| ``chinese_spaces`` | one space between words of other scripts, none beside a Chinese character | zho |
| ``simplified`` | traditional characters as simplified ones, by OpenCC ``t2s`` | zho |
| ``chinese_variants`` | 著 妳 衞, which OpenCC leaves, as 着 你 卫 | zho |
| ``spaces`` | one space between words, none at the ends | all but zho |

What stays apart, and what the policy is:

| matter | policy |
|---|---|
| accents, tildes, marks of any script | stay, but for the Arabic vowel marks: año is not ano, sé is not se |
| hamza and final letters | ى, ؤ, ئ, ة and a hamza or madda that NFC cannot compose stay |
| contractions | stay as spoken: don't is not do not (what 's stands for can't be told) |
| hyphens and dashes | separate words: well-known is well known, COVID-19 is covid 19 |
| numerals | unified in width and script only, never turned into words or back: 三 is not 3, 1,500 is not 1500 |
| . and , between digits | stay: 3.5 is not 35; other marks there separate: 120/80 is 120 80 |
| signs that are read out | % ‰ & @ # ° + = × ÷ ± ≤ ≥ and currency signs stay, since a word would stand for them |
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
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0001-\U000e007f\U000e0100-\U000e01ef]"
)
# Without the full-width macron U+FFE3, which NFKC makes a combining mark.
_FORMS = re.compile("[\u2103\u2109\u3380-\u33df\ufb50-\ufdff\ufe70-\ufefc\uff01-\uffe2\uffe4-\uffee]")
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
_ALEF = re.compile("[\u0622\u0623\u0625\u0671]")
_ARABIC_SIGNS = str.maketrans({"\u066a": "%", "\u066b": ".", "\u066c": ","})
_CHINESE_VARIANTS = str.maketrans({"著": "着", "妳": "你", "衞": "卫"})


def delete_invisible(text: str) -> str:
    """Deletes zero-width and direction characters, soft hyphens, the byte order mark and variation selectors."""
    return _INVISIBLE.sub("", text)


def unify_forms(text: str) -> str:
    """Applies NFKC to full and half width, Arabic presentation forms, squared units, ℃ and ℉, and to nothing else.

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

    Chinese characters don't count as letters here: beside them it is a quotation mark.
    """
    return _QUOTATION_MARK.sub("", _APOSTROPHE.sub("'", text))


def separate_at_punctuation(text: str) -> str:
    """Replaces punctuation, symbols and control characters by spaces.

    Apostrophes, signs that are read out, and . and , between two digits stay. No letter, mark or number goes.
    """
    return _NO_LETTER_OR_SPACE.sub(lambda match: _without_punctuation(match[0]), _BREAK.sub(" ", text))


def delete_arabic_marks(text: str) -> str:
    """Deletes Arabic vowel marks, Quranic marks and tatweel; hamza and madda stay."""
    return _ARABIC_MARKS.sub("", text)


def unify_alef(text: str) -> str:
    """Writes alef with hamza, madda or wasla as bare alef; no other letter changes."""
    return _ALEF.sub("\u0627", text)


def simplify_chinese(text: str) -> str:
    """Writes traditional characters as simplified ones (OpenCC ``t2s``, which looks at phrases: 乾燥 but 乾坤).

    Raises:
        UnicodeEncodeError: If the text holds half of a surrogate pair.
    """
    # OpenCC's text ends at the first NUL.
    return "\0".join(map(_opencc().convert, text.split("\0")))


def unify_chinese_variants(text: str) -> str:
    """Writes 著, 妳 and 衞 as 着, 你 and 卫: Taiwan's aspect particle and two more that OpenCC leaves."""
    return text.translate(_CHINESE_VARIANTS)


def single_spaces(text: str) -> str:
    """Leaves one space between words and none at the ends."""
    return " ".join(text.split())


def chinese_spaces(text: str) -> str:
    """Leaves one space between words of other scripts, and none at the ends or beside a Chinese character."""
    return _SPACE_BESIDE_HAN.sub("", single_spaces(text))


Step = tuple[str, Callable[[str], str]]

_FIRST: tuple[Step, ...] = (("invisible", delete_invisible), ("forms", unify_forms), ("nfc", nfc), ("case", fold_case))
_ARABIC: tuple[Step, ...] = (("arabic_marks", delete_arabic_marks), ("alef", unify_alef))
_SIGNS: tuple[Step, ...] = (
    ("digits", unify_digits),
    ("apostrophes", unify_apostrophes),
    ("punctuation", separate_at_punctuation),
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
                "ara": _FIRST + _ARABIC + _SIGNS + _SPACES,
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
    """Says in a signature's fields how texts are normalised: language, name, steps, OpenCC's version where used."""
    check_normalization(name, language)
    steps = [step for step, _ in NORMALIZATIONS[name][language]]
    fields = {"lang": language, "norm": name, "steps": "+".join(steps) or "none"}
    return fields | ({"opencc": version("opencc")} if "simplified" in steps else {})


@lru_cache(maxsize=4096)
def _without_punctuation(character: str) -> str:
    category = unicodedata.category(character)
    if character in _READ_ALOUD or character in "'.,":
        return character
    return " " if category[0] in "PZ" or category in _SEPARATING_CATEGORIES else character


@lru_cache(maxsize=1)
def _opencc() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")
