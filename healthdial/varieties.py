"""Free text on languages and places to one of a closed list of language varieties; never a part of the text itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from healthdial.variety_names import AMBIGUOUS, COUNTRY_ALIASES, NO_VARIETY, TABLES

_LONGEST_TEXT = 1000
"""Characters looked at; more is no answer to a question for a language or a place."""

_LOCALES = ("ar", "es", "fr", "zh_CN", "zh_TW")
"""Languages besides English in which speakers may have named their country."""


@dataclass(frozen=True)
class _Variety:
    """One line of a table."""

    name: str
    codes: tuple[str, ...]
    phrases: tuple[str, ...]


def _parsed(table: str) -> tuple[_Variety, ...]:
    """Parse a table's lines."""
    lines = [line.split(":") for line in table.strip().splitlines()]
    rows = [(*head.split(maxsplit=1), phrases) for head, phrases in lines]
    return tuple(
        _Variety(name, tuple(codes.strip("-").split("+")), tuple(filter(None, map(str.strip, phrases.split(",")))))
        for codes, name, phrases in rows
    )


_ROWS = {language: _parsed(table) for language, table in TABLES.items()}

VARIETIES: dict[str, frozenset[str]] = {lang: frozenset(row.name for row in rows) for lang, rows in _ROWS.items()}
"""Language (ISO 639-3) -> all that `language_variety` can return for it."""


def _of_countries(language: str, codes: str) -> frozenset[str]:
    """Return the varieties of some countries."""
    return frozenset(row.name for row in _ROWS[language] if set(row.codes) & set(codes.split()))


_BROAD = {
    "Levantine Arabic": _of_countries("ara", "SY LB JO PS"),
    "Gulf Arabic": _of_countries("ara", "SA AE KW QA BH OM"),
    "Maghrebi Arabic": _of_countries("ara", "MA DZ TN LY MR"),
    "Latin American Spanish": _of_countries("spa", "MX AR CO PE VE CL EC GT CU BO DO HN PY SV NI CR PA UY PR"),
    "Rioplatense Spanish": _of_countries("spa", "AR UY"),
    "Caribbean Spanish": _of_countries("spa", "CU DO PR"),
    "Mandarin": _of_countries("zho", "CN TW SG MY"),
}
"""Varieties of several countries -> those they hold; a country, where known, makes them narrower."""

_BCP47 = {"ara": "ar", "eng": "en", "spa": "es", "zho": "zh"}

_LETTERS = str.maketrans({"ى": "ي", "ة": "ه", "ـ": None})
_CJK = "\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]")
_ABBREVIATION = re.compile(r"(?<=\b\w)\.")
_PART = re.compile(r"[,;/|()\[\]\n،؛，、；。（）]+|\s-\s|\.\s")


def language_variety(
    language: str, primary_language: str | None, country: str | None, place_of_origin: str | None
) -> str | None:
    """Return the language variety that a speaker's answers point to.

    What the primary language names comes first: by the variety's name, else by a country in it. Then the country
    field, then the country at the end of the place of origin. Where the text names several varieties, the one of the
    speaker's country is taken if it is among them. Names are found in English, Arabic, French, Spanish and Chinese
    (country names: ISO 3166-1 and its translations in pycountry); words of six letters and more may have a typing
    error, of eight and more two.

    Args:
        language: ISO 639-3 code of the recordings.
        primary_language: Free text.
        country: A country's name or ISO 3166-1 code.
        place_of_origin: Free text, city and country.

    Returns:
        A member of ``VARIETIES[language]``, or None where nothing is recognised, where the answers contradict one
        another, or where the language is none of the four.
    """
    if language not in VARIETIES:
        return None
    names = _names(language)
    home = _of_country(names, country) or _of_place(names, place_of_origin)
    spoken, mentioned = _named(names, primary_language)
    candidates = set(_narrowed(spoken, mentioned, home)) if spoken else mentioned
    if len(candidates) <= 1:
        return next(iter(candidates), home)
    return home if home in candidates else None


@dataclass(frozen=True)
class _Names:
    """How one language's varieties and countries may be written, normalised.

    Attributes:
        spoken: Name of a variety -> variety; None for a name that stands for nothing here.
        countries: Name of a country -> its variety; None for a country without one.
        codes: ISO 3166-1 code -> variety.
        any_name: Matches a name of either kind, the longest first.
        country_name: Matches a country's name, the longest first.
    """

    spoken: Mapping[str, str | None]
    countries: Mapping[str, str | None]
    codes: Mapping[str, str | None]
    any_name: re.Pattern[str]
    country_name: re.Pattern[str]


@cache
def _names(language: str) -> _Names:
    """Collect the names of a language; those of other languages and countries stand for nothing, but are no typos."""
    spoken: dict[str, str | None] = dict.fromkeys(_phrases(NO_VARIETY))
    for other in (*(code for code in _ROWS if code != language), language):
        own = other == language
        spoken |= {name: variety if own else None for name, variety in _spoken_names(other)}
    by_code = {code: row.name for row in _ROWS[language] for code in row.codes if code}
    countries = {name: by_code.get(code) for code, name in _country_names()}
    countries |= {f"{_BCP47[language]} {code.lower()}": variety for code, variety in by_code.items()}
    codes = {code: by_code.get(alpha_2) for alpha_2, code in _country_codes()}
    free = [name for name in countries if name not in _phrases(", ".join(AMBIGUOUS))]
    return _Names(spoken, countries, codes, _pattern([*spoken, *free]), _pattern([*free, *_phrases(NO_VARIETY)]))


def _spoken_names(language: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a language's varieties with their feminine forms, and the varieties."""
    for row in _ROWS[language]:
        for name in map(_normalized, row.phrases):
            yield name, row.name
            if name.endswith("ي"):
                yield f"{name}ه", row.name
            if language == "spa" and name.endswith("o"):
                yield f"{name[:-1]}a", row.name


def _country_names() -> Iterator[tuple[str, str]]:
    """Yield ISO 3166-1 codes and names of all countries, in English and the translations."""
    import gettext

    import pycountry

    translations = [
        gettext.translation("iso3166-1", pycountry.LOCALES_DIR, languages=[locale], fallback=True)
        for locale in _LOCALES
    ]
    for country in pycountry.countries:
        for attribute in ("name", "official_name", "common_name"):
            name = getattr(country, attribute, None)
            if name:
                yield country.alpha_2, _normalized(name)
                yield from ((country.alpha_2, _normalized(each.gettext(name))) for each in translations)
    for code, text in COUNTRY_ALIASES.items():
        yield from ((code, name) for name in _phrases(text))


def _country_codes() -> Iterator[tuple[str, str]]:
    """Yield the two-letter code of each country with its two- and three-letter codes in lower case."""
    import pycountry

    for country in pycountry.countries:
        yield country.alpha_2, country.alpha_2.lower()
        yield country.alpha_2, country.alpha_3.lower()


def _phrases(text: str) -> list[str]:
    """Return the normalised phrases of a list with commas."""
    return [_normalized(phrase) for phrase in text.split(",")]


def _normalized(text: str) -> str:
    """Return words in lower case without accents, vowel marks, articles and punctuation, with one space between."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()).translate(_LETTERS)
    bare = "".join(char for char in folded if unicodedata.category(char) not in ("Mn", "Cf"))
    return " ".join(_without_article(word) for word in _WORD.findall(_ABBREVIATION.sub("", bare)))


def _without_article(word: str) -> str:
    """Strip the Arabic article, alone or after `and` or `in`."""
    for prefix in ("وال", "بال", "ال"):
        if word.startswith(prefix) and len(word) >= len(prefix) + 3:
            return word[len(prefix) :]
    return word


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Match any of the names, the longest first: whole words, but anywhere in Chinese text."""
    ordered = sorted(set(names) - {""}, key=lambda name: (-len(name), name))
    words = "|".join(re.escape(name) for name in ordered if not _IS_CJK.match(name))
    chinese = [re.escape(name) for name in ordered if _IS_CJK.match(name)]
    return re.compile("|".join([rf"(?<!\w)(?:{words})(?!\w)", *chinese]))


def _named(names: _Names, text: str | None) -> tuple[set[str], set[str]]:
    """Return the varieties that a text names, and those of the countries it mentions."""
    normalized = _normalized((text or "")[:_LONGEST_TEXT])
    spoken: set[str | None] = set()
    mentioned: set[str | None] = set()
    for match in names.any_name.finditer(normalized):
        name = match.group()
        spoken.add(names.spoken.get(name))
        mentioned.add(names.countries.get(name))
    for word in set(names.any_name.sub(" ", normalized).split()):
        spoken.add(_mistyped(names.spoken, word))
        mentioned.add(_mistyped(names.countries, word))
    return {name for name in spoken if name}, {name for name in mentioned if name}


def _narrowed(spoken: set[str], mentioned: set[str], home: str | None) -> Iterator[str]:
    """Yield the named varieties, those of several countries replaced by the country's where it is known."""
    for variety in spoken:
        members = _BROAD.get(variety, frozenset())
        yield from members & (spoken | mentioned) or members & {home} or {variety}


def _of_country(names: _Names, text: str | None) -> str | None:
    """Return the variety of a country given by name or code."""
    normalized = _normalized((text or "")[:_LONGEST_TEXT])
    return names.countries.get(normalized) or names.codes.get(normalized) or _of_place(names, text)


def _of_place(names: _Names, text: str | None) -> str | None:
    """Return the variety of the country at the end of a place; in Chinese the country may come first."""
    text = (text or "")[-_LONGEST_TEXT:]
    normalized = _normalized(text)
    matches = list(names.country_name.finditer(normalized))
    if matches and matches[-1].end() == len(normalized):
        return names.countries.get(matches[-1].group())
    if matches and matches[0].start() == 0 and _IS_CJK.match(normalized):
        return names.countries.get(matches[0].group())
    parts = [part for part in map(_normalized, _PART.split(text)) if part]
    return _mistyped(names.countries, parts[-1]) if parts else None


def _mistyped(names: Mapping[str, str | None], word: str) -> str | None:
    """Return the variety of the name that a word was meant to be, or None if that is not plain.

    Counted in optimal string alignment distance (a swap of neighbours is one error). The first letter must be right.
    """
    from rapidfuzz.distance import OSA

    nearest: dict[str | None, int] = {}
    for name, variety in names.items():
        allowed = _errors_allowed(min(len(name), len(word)))
        if allowed and name[0] == word[0] and abs(len(name) - len(word)) <= allowed:
            distance = OSA.distance(name, word, score_cutoff=allowed)
            if distance <= allowed:
                nearest[variety] = min(distance, nearest.get(variety, distance))
    best = [variety for variety, distance in nearest.items() if distance == min(nearest.values())]
    return best[0] if len(best) == 1 else None


def _errors_allowed(letters: int) -> int:
    """Return how many typing errors a word of so many letters may have."""
    return 2 if letters >= 8 else 1 if letters >= 6 else 0
