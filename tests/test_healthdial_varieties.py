"""Free text to varieties: what people write, in four scripts and with typing errors; never a part of the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healthdial.varieties import VARIETIES, language_variety

LANGUAGES = ("ara", "eng", "spa", "zho")

NAMED = [
    ("eng", "British English", "British English"),
    ("eng", "english (U.K.)", "British English"),
    ("eng", "US English", "American English"),
    ("eng", "en-GB", "British English"),
    ("eng", "Northern Irish", "British English"),
    ("eng", "Irish", "Irish English"),
    ("eng", "English", None),
    ("ara", "العربية المغربية", "Moroccan Arabic"),
    ("ara", "لهجة مصرية والعربية الفصحى", "Egyptian Arabic"),
    ("ara", "اللَّهْجَةُ السُّعُودِيَّةُ", "Saudi Arabic"),
    ("ara", "عربي من المغرب", "Moroccan Arabic"),
    ("ara", "arabe marocain, français", "Moroccan Arabic"),
    ("ara", "Levantine (Syrian)", "Syrian Arabic"),
    ("ara", "Levantine Arabic", "Levantine Arabic"),
    ("spa", "español de México", "Mexican Spanish"),
    ("spa", "ESPAÑOL DE ESPAÑA", "European Spanish"),
    ("spa", "espan\u0303ol puertorriquen\u0303o", "Puerto Rican Spanish"),
    ("spa", "Colombiana", "Colombian Spanish"),
    ("spa", "es-MX", "Mexican Spanish"),
    ("spa", "español", None),
    ("spa", "española", None),
    ("zho", "普通话", "Mainland Mandarin"),
    ("zho", "粵語", "Cantonese"),
    ("zho", "台湾国语", "Taiwan Mandarin"),
    ("zho", "Mandarin Chinese (Taiwan)", "Taiwan Mandarin"),
    ("zho", "我说普通話", "Mainland Mandarin"),
    ("zho", "Mandarin", "Mandarin"),
    ("zho", "中文", None),
    ("zho", "zh-TW", "Taiwan Mandarin"),
]


@pytest.mark.parametrize(("language", "text", "expected"), NAMED)
def test_a_variety_in_the_primary_language(language: str, text: str, expected: str | None) -> None:
    assert language_variety(language, text, None, None) == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("eng", "Britsh english", "British English"),
        ("ara", "Morrocan Arabic", "Moroccan Arabic"),
        ("ara", "Tunisain", "Tunisian Arabic"),
        ("spa", "Mexcian spanish", "Mexican Spanish"),
        ("zho", "cantonise", "Cantonese"),
        ("zho", "Mandrin", "Mandarin"),
    ],
)
def test_typing_errors(language: str, text: str, expected: str) -> None:
    assert language_variety(language, text, None, None) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("eng", "Austrian"),  # two letters from Australian
        ("eng", "Algerian English"),  # two letters from Nigerian
        ("eng", "Iris"),
        ("ara", "Mauritian"),  # two letters from Mauritanian
        ("spa", "New Mexico"),
        ("spa", "española"),  # two letters from España
        ("eng", "Latin American"),
    ],
)
def test_words_that_only_resemble_a_name(language: str, text: str) -> None:
    assert language_variety(language, text, None, None) is None


def test_the_primary_language_comes_before_the_country_and_that_before_the_place() -> None:
    assert language_variety("eng", "Scottish English", "Canada", "Sydney, Australia") == "British English"
    assert language_variety("eng", "English", "Canada", "Sydney, Australia") == "Canadian English"
    assert language_variety("eng", "English", None, "Sydney, Australia") == "Australian English"
    assert language_variety("eng", None, "Germany", "Cork, Ireland") == "Irish English"


def test_a_named_variety_comes_before_a_country_mentioned_beside_it() -> None:
    assert language_variety("spa", "Mexican Spanish, I live in Spain", "Spain", None) == "Mexican Spanish"
    assert language_variety("zho", "Cantonese (China)", "China", None) == "Cantonese"


@pytest.mark.parametrize(
    ("language", "country", "expected"),
    [
        ("eng", "United States of America", "American English"),
        ("eng", "gb", "British English"),
        ("eng", "USA", "American English"),
        ("ara", "المملكة العربية السعودية", "Saudi Arabic"),
        ("ara", "Palestine, State of", "Palestinian Arabic"),
        ("ara", "عمان", "Omani Arabic"),
        ("spa", "Perú", "Peruvian Spanish"),
        ("spa", "Venezuela (Bolivarian Republic of)", "Venezuelan Spanish"),
        ("spa", "Venezuela", "Venezuelan Spanish"),
        ("zho", "China", "Mainland Mandarin"),
        ("zho", "中国", "Mainland Mandarin"),
        ("zho", "Hong Kong", "Cantonese"),
        ("zho", "Macau", "Cantonese"),
        ("eng", "France", None),
    ],
)
def test_the_country_field(language: str, country: str, expected: str | None) -> None:
    assert language_variety(language, None, country, None) == expected


@pytest.mark.parametrize(
    ("language", "place", "expected"),
    [
        ("eng", "Leeds, United Kingdom", "British English"),
        ("eng", "1 Made Up Road, Leeds LS0 0ZZ, England.", "British English"),
        ("eng", "Leeds, Untied Kingdom", "British English"),
        ("eng", "Jordan Road 12, Gary, Indiana", None),
        ("ara", "Jordan Road 12, Leeds", None),
        ("eng", "Vancouver, British Columbia", None),
        ("ara", "دمشق، سوريا", "Syrian Arabic"),
        ("ara", "عمان، الأردن", "Jordanian Arabic"),
        ("ara", "عمان", None),  # Oman and Amman
        ("spa", "Ciudad de México", "Mexican Spanish"),
        ("spa", "Albuquerque, New Mexico", None),
        ("spa", "Port of Spain", None),
        ("zho", "中国北京", "Mainland Mandarin"),
        ("zho", "上海，中国", "Mainland Mandarin"),
        ("zho", "中国台湾台北", "Taiwan Mandarin"),
        ("zho", "火星", None),
    ],
)
def test_the_country_at_the_end_of_the_place(language: str, place: str, expected: str | None) -> None:
    assert language_variety(language, None, None, place) == expected


def test_of_several_varieties_the_one_of_the_country_is_taken() -> None:
    assert language_variety("eng", "American, British", "United Kingdom", None) == "British English"
    assert language_variety("eng", "American, British", "France", None) is None
    assert language_variety("spa", "Mexican and Argentinian", "Chile", None) is None
    assert language_variety("zho", "Mandarin, Cantonese", "Hong Kong", None) == "Cantonese"
    assert language_variety("zho", "Mandarin, Cantonese", "China", None) == "Mainland Mandarin"
    assert language_variety("zho", "Mandarin, Cantonese", None, None) is None


def test_a_variety_of_several_countries_is_narrowed_by_the_country() -> None:
    assert language_variety("ara", "Darija", "Morocco", None) == "Moroccan Arabic"
    assert language_variety("ara", "Darija", "Egypt", None) == "Maghrebi Arabic"
    assert language_variety("spa", "Latin American Spanish", "Colombia", None) == "Colombian Spanish"
    assert language_variety("spa", "Latin American Spanish", "Spain", None) == "Latin American Spanish"
    assert language_variety("zho", "國語", "台灣", None) == "Taiwan Mandarin"
    assert language_variety("zho", "Mandarin", "Hong Kong", None) == "Mandarin"


def test_only_the_beginning_of_a_very_long_text_is_read() -> None:
    assert language_variety("eng", "x" * 2000 + " British English", None, None) is None


@pytest.mark.parametrize("text", [None, "", " ", "-", "\ud800", "\u200f", "12345"])
def test_nothing_gives_nothing(text: str | None) -> None:
    assert [language_variety(language, text, text, text) for language in LANGUAGES] == [None] * 4


def test_another_language_has_no_varieties() -> None:
    assert language_variety("fra", "British English", "United Kingdom", None) is None


PIECES = st.sampled_from(
    [
        "British",
        "english",
        "México",
        "of",
        ",",
        "粤语",
        "普通话",
        "中国",
        "المغرب",
        "مصري",
        "Untied",
        "Kingdom",
        "latino",
        "US",
    ]
)
TEXTS = st.none() | st.text(max_size=40) | st.lists(PIECES, max_size=6).map(" ".join)


@given(language=st.sampled_from(LANGUAGES), primary=TEXTS, country=TEXTS, place=TEXTS)
def test_the_result_is_of_the_closed_set(
    language: str, primary: str | None, country: str | None, place: str | None
) -> None:
    result = language_variety(language, primary, country, place)
    assert result is None or result in VARIETIES[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_variety_is_found_by_its_own_name_or_country(language: str) -> None:
    """Whoever answers with the published name gets it back; the short ones need the word Chinese."""
    suffix = " Chinese" if language == "zho" else ""
    found = {language_variety(language, f"{variety}{suffix}", None, None) for variety in VARIETIES[language]}
    assert found == VARIETIES[language]
