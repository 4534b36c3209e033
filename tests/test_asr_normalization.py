"""The normalisation of transcripts: every row of its table, and what must stay apart."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.asr_normalization import (
    LANGUAGES,
    NORMALIZATIONS,
    check_normalization,
    normalize,
    signature_fields,
    simplify_chinese,
)

quick = settings(deadline=None, derandomize=True, database=None)

ALL = LANGUAGES


def normalized(text: str, language: str) -> str:
    return normalize(text, "normalized", language)


# One entry or more for each row of the first table; the languages in which the step acts.
STEPS: list[tuple[str, tuple[str, ...], str, str]] = [
    ("invisible", ALL, "\ufeffa\u200bb\u200fc\u00add\u2066e\ufe0f", "abcde"),
    ("forms", ALL, "ＣＯＶＩＤ", "covid"),
    ("invisible", ALL, "5\ufe0f\u20e3", "5"),  # a keycap
    ("forms", ALL, "38℃ 5㎎", "38 ° c 5 mg"),
    ("forms", ALL, "\u2f08\u2f2d\u2ef3", "人山龟"),  # radicals
    ("forms", ALL, "\ufefb", "لا"),  # lam-alef ligature
    ("forms", ALL, "\ufe8d\ufedf\ufee0\ufeea", "الله"),
    ("nfc", ALL, "n\u0303", "ñ"),
    ("nfc", ALL, "و\u0654 ي\u0654", "ؤ ئ"),
    ("case", ALL, "WHO Straße ÑANDÚ", "who strasse ñandú"),
    ("case", ALL, "5 µg", "5 μg"),  # micro sign and Greek mu
    ("digits", ALL, "٣ ۳ ３ ३", "3 3 3 3"),
    ("digits", ALL, "٣٫٥ ١٬٥٠٠ ٥٠٪", "3.5 1,500 50 %"),
    ("apostrophes", ALL, "don’t don‘t donʼt don`t don´t don＇t", "don't don't don't don't don't don't"),
    ("apostrophes", ALL, "‘yes’ 'no' dogs’ 'cause", "yes no dogs cause"),
    ("punctuation", ALL, "a, b. ¿c? ¡d! (e) «f» “g” h—i", "a b c d e f g h i"),
    ("punctuation", ALL, "a، b؛ c؟ d。 e、 f！", "a b c d e f"),
    ("punctuation", ALL, "a\tb\nc\x00d ♪ e 😷 f", "a b c d e f"),
    ("punctuation", ALL, "50% 38°C $5 5€ 2×3", "50 % 38 ° c $ 5 5 € 2 × 3"),
    ("units", ALL, "5mg 1,5L, 20mmHg 8AM", "5 mg 1,5 l 20 mmhg 8 am"),
    ("arabic_marks", ("ara",), "مُحَمَّدٌ", "محمد"),
    ("arabic_marks", ("ara",), "مـــرض هٰذا", "مرض هذا"),
    ("arabic_marks", ("ara",), "م\ufe76رض", "مرض"),  # fatha as an isolated presentation form
    ("arabic_letters", ("ara",), "کتابی کتابﯼ", "كتابي كتابي"),
    ("alef", ("ara",), "أحمد إسلام آلام ٱلله", "احمد اسلام الام الله"),
    ("alef", ("ara",), "ٱ\u0654ب ا\u0640\u0654ن أ\u05b6\u0655 ا'\u0653م", "اب ان ا\u05b6 ام"),
    ("simplified", ("zho",), "發燒頭髮後天皇后乾燥乾坤", "发烧头发后天皇后干燥乾坤"),
    ("chinese_variants", ("zho",), "看著妳衞生", "看着你卫生"),
    ("chinese_variants", ("zho",), "甚麼 甚么 甚至", "什么什么甚至"),
    ("spaces", ("ara", "eng", "spa"), "  头 疼\u3000a  b ", "头 疼 a b"),
    ("chinese_spaces", ("zho",), " 头疼， 三 片 COVID 19 了\u3000。", "头疼三片covid 19了"),
]


@pytest.mark.parametrize(("step", "languages", "text", "expected"), STEPS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_step_acts_in_its_languages_only(
    step: str, languages: tuple[str, ...], text: str, expected: str, language: str
) -> None:
    assert (normalized(text, language) == expected) == (language in languages)
    assert (step in signature_fields("normalized", language)["steps"].split("+")) == (language in languages)


def test_every_step_has_an_example() -> None:
    named = {step for steps in NORMALIZATIONS["normalized"].values() for step, _ in steps}
    assert named == {step for step, *_ in STEPS}


# What the second table says of the text: stays, or becomes.
@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("spa", "año sé sí tú pingüino 3º", "año sé sí tú pingüino 3º"),
        ("eng", "café naïve", "café naïve"),
        ("ara", "مؤلم بئر مسؤول على علي مدرسة مدرسه", "مؤلم بئر مسؤول على علي مدرسة مدرسه"),
        ("ara", "شيء ماء", "شيء ماء"),
        ("ara", "ى\u0654", "ى\u0654"),
        ("eng", "don't", "don't"),
        ("eng", "well-known COVID-19", "well known covid 19"),
        ("zho", "三片 3片", "三片3片"),
        ("ara", "و\u0640\u0654", "ؤ"),
        ("eng", "5mg/day B12 COVID19 H1N1 1st 30s B5mg 5mgs", "5 mg day b12 covid19 h1n1 1st 30s b5mg 5mgs"),
        ("spa", "2º 5mg", "2º 5 mg"),
        ("zho", "吃5mg药，5毫克", "吃5 mg药5毫克"),
        ("ara", "٥ملغ ٥mg ٣،٥", "5ملغ 5 mg 3 5"),
        ("eng", "U.S. e.g. this", "u s e g this"),
        ("eng", "1,500 3.5 three 120/80 10:30 m²", "1,500 3.5 three 120 80 10 30 m²"),
        ("eng", "50% & @ #1 5°C ±2 £5", "50 % & @ # 1 5 ° c ± 2 £ 5"),
        ("zho", "他说‘头疼’，不是“头痛”", "他说头疼不是头痛"),
        ("eng", "uh, colour", "uh colour"),
        ("zho", "軟體", "软体"),
        ("zho", "\x00看\x00著", "看着"),
        ("eng", "...", ""),
        ("eng", "", ""),
    ],
)
def test_policy(language: str, text: str, expected: str) -> None:
    assert normalized(text, language) == expected


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("spa", "año", "ano"),
        ("spa", "sé", "se"),
        ("ara", "على", "علي"),
        ("ara", "مدرسة", "مدرسه"),
        ("ara", "سؤال", "سوال"),
        ("ara", "بئر", "بير"),
        ("eng", "don't", "do not"),
        ("zho", "三", "3"),
        ("eng", "1,500", "1500"),
        ("eng", "U.S.", "US"),
        ("spa", "5 €", "€ 5"),
        ("ara", "٣،٥", "٣٫٥"),
        ("zho", "甚至", "什至"),
    ],
)
def test_what_is_different_stays_different(language: str, first: str, second: str) -> None:
    assert normalized(first, language) != normalized(second, language)


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("spa", "El 50 % de la gente.", "El 50% de la gente."),
        ("spa", "a 38 °C", "a 38°C"),
        ("spa", "5 €", "5€"),
        ("eng", "$ 5 million", "$5 million"),
        ("eng", "38 ℃", "38°C"),
        ("eng", "5 mg", "5mg"),
        ("ara", "١٥ ٪", "15%"),
        ("ara", "١٥٪", "15 %"),
        ("zho", "约50 %的人", "约50%的人"),
        ("zho", "5 mg", "5mg"),
        ("zho", "１００ ￥", "100¥"),
        ("zho", "甚麼", "什么"),
        ("zho", "\u2f08", "人"),
        ("ara", "کبیر", "كبير"),
    ],
)
def test_what_is_written_in_two_ways_is_one(language: str, first: str, second: str) -> None:
    assert normalized(first, language) == normalized(second, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_raw_is_the_text_itself(language: str) -> None:
    text = "  ＡÑo’s\u200b مُحَمَّد，發燒  "
    assert normalize(text, "raw", language) == text
    assert signature_fields("raw", language) == {"lang": language, "norm": "raw", "steps": "none"}


ARABIC_MARKS = (
    "\u0640\u0670"
    + "".join(map(chr, (*range(0x610, 0x61B), *range(0x64B, 0x653), *range(0x656, 0x660), *range(0x6D6, 0x6DD))))
    + "".join(map(chr, (*range(0x6DF, 0x6E5), 0x6E7, 0x6E8, *range(0x6EA, 0x6EE))))
)


KEYCAP = "\u20e3"


@pytest.mark.parametrize(
    ("language", "deleted"),
    [("ara", ARABIC_MARKS + KEYCAP), ("zho", KEYCAP), ("eng", KEYCAP), ("spa", KEYCAP)],
)
def test_no_other_letter_mark_or_number_is_deleted(language: str, deleted: str) -> None:
    """Every script up to the Chinese characters, one character after the other between two letters."""
    characters = [c for c in map(chr, range(0x3400)) if unicodedata.category(c)[0] in "LMN"]
    assert len(characters) > 8000
    gone = [c for c in characters if normalized(f"b{c}b", language) in ("bb", "b b")]
    assert gone == sorted(deleted)


@quick
@given(text=st.text(alphabet=st.sampled_from("aBé'’.,-50 \u064eاأىةشلـ発發燒，“”٣")))
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_normalised_text_stays_as_it_is(language: str, text: str) -> None:
    once = normalized(text, language)
    assert normalized(once, language) == once


# Latin, combining marks, Arabic, punctuation, symbols, radicals, Chinese, compatibility and presentation forms.
BLOCKS = (
    *((0x20, 0x250), (0x300, 0x370), (0x600, 0x700), (0x2000, 0x2800), (0x2E80, 0x2FE0), (0x3000, 0x3400)),
    *((0x4E00, 0xA000), (0xF900, 0xFB00), (0xFB50, 0xFE10), (0xFE70, 0xFFF0)),
)
FREQUENT = "059.,'’ %$°€mglhpAاٱأوىیک\u0640\u0653\u0654\u0655甚么著"
TWO_STEPS_OF_OPENCC = "薴"  # 薴 is 苧 simplified, and 苧, which is a traditional character too, is 苎


def test_normalising_twice_is_normalising_once() -> None:
    generator = random.Random(0)
    for _ in range(4000):
        drawn = [chr(generator.randrange(*generator.choice(BLOCKS))) for _ in range(generator.randint(1, 8))]
        drawn += generator.choices(FREQUENT, k=generator.randint(1, 8))
        generator.shuffle(drawn)
        text = "".join(drawn).replace(TWO_STEPS_OF_OPENCC, "")
        for language in LANGUAGES:
            once = normalized(text, language)
            assert normalized(once, language) == once, ascii((language, text))


def test_opencc_keeps_what_follows_a_nul() -> None:
    assert simplify_chinese("發\0燒") == "发\0烧"


def test_half_of_a_surrogate_pair_stays_as_it_is() -> None:
    assert simplify_chinese("\udc00發\ud800\ud800燒") == "\udc00发\ud800\ud800烧"
    assert normalized("發\ud800燒，x", "zho") == "发\ud800烧x"


def test_the_signature_counts_the_versions_of_the_rules() -> None:
    assert signature_fields("normalized", "spa")["rules"] == "2"


def test_the_signature_names_opencc_for_chinese_only() -> None:
    assert "opencc" in signature_fields("normalized", "zho")
    assert "opencc" not in signature_fields("normalized", "ara")


def test_unknown_names_and_languages_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown normalization 'whisper'; choose one of raw, normalized"):
        check_normalization("whisper", "eng")
    with pytest.raises(ValueError, match="language 'tha'; choose one of ara, zho, eng, spa"):
        normalize("", "raw", "tha")
