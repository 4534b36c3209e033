"""Tokenizers of the four languages: what they cut, what they are called, and what they leave alone."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healthdial.languages import LANGUAGES
from healthdial.tokenization import retrieval_tokenizer, word_tokenizer


@pytest.mark.parametrize("language", ["ara", "eng", "spa"])
def test_retrieval_cuts_at_white_space_and_keeps_punctuation(language: str) -> None:
    tokenizer = retrieval_tokenizer(language)
    assert tokenizer("Is  MEASLES\tsafe?\n¿Qué? ما هي؟") == ["is", "measles", "safe?", "¿qué?", "ما", "هي؟"]
    assert tokenizer.name == "lower case, white space"


def test_retrieval_cuts_chinese_by_jieba() -> None:
    tokenizer = retrieval_tokenizer("zho")
    assert tokenizer("HIV 疫苗，成年人") == ["hiv", " ", "疫苗", "，", "成年人"]
    assert tokenizer.name == f"lower case, jieba {version('jieba')}"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("eng", "Don't worry. It's 3.5 mg; OK? Yes…", ["do", "n't", "worry", "it", "'s", "3.5", "mg", "ok", "yes"]),
        ("eng", "The U.S. dose. A U.S.", ["the", "u.s", "dose", "a", "u.s"]),
        ("spa", "¿Qué es? ¡Hola! Sí. El 3,5 % (niños).", ["qué", "es", "hola", "sí", "el", "3,5", "niños"]),
        ("spa", "«AÑO» Straße", ["año", "strasse"]),
        ("ara", "كيف حالُكَ؟ نعم، COVID-19.", ["كيف", "حالُكَ", "نعم", "covid", "19"]),
        (
            "zho",
            "世卫组织建议：成年人每周150分钟。HIV",
            ["世卫", "组织", "建议", "成年人", "每周", "150", "分钟", "hiv"],
        ),
    ],
)
def test_words(language: str, text: str, expected: list[str]) -> None:
    assert word_tokenizer(language)(text) == expected


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", ["", "   ", "?! … ¿¡ ،؟ 。，"])
def test_nothing_but_punctuation_has_no_words(language: str, text: str) -> None:
    assert word_tokenizer(language)(text) == []


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=50)
@given(text=st.text(max_size=40))
def test_every_word_has_a_letter_or_digit_and_is_folded(language: str, text: str) -> None:
    words = word_tokenizer(language)(text)
    assert all(any(map(str.isalnum, word)) for word in words)
    assert words == [word.casefold() for word in words]


@pytest.mark.parametrize(
    ("language", "library", "distribution"),
    [("ara", "nltk", "nltk"), ("zho", "jieba", "jieba"), ("eng", "nltk", "nltk"), ("spa", "nltk", "nltk")],
)
def test_names_have_library_and_version(language: str, library: str, distribution: str) -> None:
    assert re.match(rf"{library} {re.escape(version(distribution))}\b", word_tokenizer(language).name)


@pytest.mark.parametrize("make", [retrieval_tokenizer, word_tokenizer])
@pytest.mark.parametrize("language", ["tha", "zh", "ZHO", ""])
def test_other_languages_are_refused(make: type, language: str) -> None:
    with pytest.raises(ValueError, match="ara, zho, eng, spa"):
        make(language)


def test_jieba_reads_and_writes_no_cache_and_says_nothing(tmp_path: Path) -> None:
    planted = tmp_path / "jieba.cache"
    planted.write_bytes(b"not a dictionary")
    code = "from healthdial.tokenization import word_tokenizer; print(len(word_tokenizer('zho')('成年人每周运动')))"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[1],
        env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin"},
    )
    assert (done.stdout, done.stderr) == ("3\n", "")
    assert [file.name for file in tmp_path.iterdir()] == ["jieba.cache"]
    assert planted.read_bytes() == b"not a dictionary"


def test_libraries_are_loaded_on_first_use() -> None:
    code = (
        "import sys, healthdial.tokenization as t; t.word_tokenizer('zho'); t.word_tokenizer('eng'); "
        "print([name for name in ('jieba', 'nltk') if name in sys.modules])"
    )
    root = Path(__file__).resolve().parents[1]
    assert subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    ).stdout == ("[]\n")
