"""The newmm tokenizer and the named normalisations."""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator

import pytest
import pythainlp
import pythainlp.tokenize

from metrics import thai_tokenizer
from metrics.thai_normalization import NORMALIZATIONS, normalize
from metrics.thai_tokenizer import NewmmTokenizer
from tests.conftest import REPOSITORY

TEXTS = ("น้ำพริกหนุ่ม อร่อย  มาก\nจริง ๆ", "ราคา 1,234.5 บาท ที่ Chiang Mai", "", "  ", "เสื้อ เสือ เสื่อ")


@pytest.fixture
def empty_memo() -> Iterator[None]:
    thai_tokenizer._pythainlp.cache_clear()
    thai_tokenizer._segment.cache_clear()
    yield
    thai_tokenizer._pythainlp.cache_clear()
    thai_tokenizer._segment.cache_clear()


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_pythainlps_with_default_options(text: str) -> None:
    assert list(NewmmTokenizer().tokenize(text)) == pythainlp.tokenize.word_tokenize(text)
    dropped = pythainlp.tokenize.word_tokenize(text, keep_whitespace=False)
    assert list(NewmmTokenizer(keep_whitespace=False).tokenize(text)) == dropped


@pytest.mark.parametrize("text", TEXTS)
def test_with_whitespace_kept_the_tokens_join_to_the_text(text: str) -> None:
    assert "".join(NewmmTokenizer().tokenize(text)) == text


def test_english_keeps_its_spaces_and_its_case() -> None:
    assert NewmmTokenizer().tokenize("A Cow eats") == ("A", " ", "Cow", " ", "eats")


def test_each_text_is_tokenized_once_a_process(monkeypatch: pytest.MonkeyPatch, empty_memo: None) -> None:
    calls = []
    original = pythainlp.tokenize.word_tokenize

    def counting(text: str, **options: object) -> list[str]:
        calls.append(text)
        return original(text, **options)

    monkeypatch.setattr(pythainlp.tokenize, "word_tokenize", counting)
    first = NewmmTokenizer().tokenize("วัวกินหญ้า")
    assert NewmmTokenizer().tokenize("วัวกินหญ้า") == first
    assert calls == ["วัวกินหญ้า"]


def test_a_tokenizer_can_be_pickled() -> None:
    tokenizer = NewmmTokenizer(normalization="nfc_sara_am")
    assert pickle.loads(pickle.dumps(tokenizer)) == tokenizer


@pytest.mark.parametrize("value", [None, float("nan"), 7])
def test_what_is_not_text_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="cannot tokenize"):
        NewmmTokenizer().tokenize(value)  # type: ignore[arg-type]


def test_signature_fields_name_library_dictionary_and_choices() -> None:
    words = "\n".join(sorted(pythainlp.corpus.thai_words())).encode()
    assert NewmmTokenizer().signature_fields() == {
        "tok": "newmm",
        "pythainlp": pythainlp.__version__,
        "dict": hashlib.sha256(words).hexdigest()[:8],
        "space": "kept",
        "case": "raw",
        "norm": "raw",
    }
    other = NewmmTokenizer(keep_whitespace=False, normalization="nfc_sara_am").signature_fields()
    assert (other["space"], other["norm"]) == ("dropped", "nfc_sara_am")


def test_a_newer_pythainlp_is_warned_of_once(monkeypatch: pytest.MonkeyPatch, empty_memo: None) -> None:
    monkeypatch.setattr(pythainlp, "__version__", "5.3.0b1")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        NewmmTokenizer().tokenize("วัว")
        NewmmTokenizer(keep_whitespace=False).tokenize("ควาย")
        assert NewmmTokenizer().library_version == "5.3.0b1"
    assert [str(warning.message)[:18] for warning in caught] == ["PyThaiNLP 5.3.0b1 "]
    assert "0.05 BLEU" in str(caught[0].message)


@pytest.mark.parametrize("version", ["5.0.4", "5.2.10", "4.9"])
def test_the_papers_tokens_give_no_warning(monkeypatch: pytest.MonkeyPatch, empty_memo: None, version: str) -> None:
    monkeypatch.setattr(pythainlp, "__version__", version)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NewmmTokenizer().tokenize("วัว")


def test_an_unreadable_version_is_named(monkeypatch: pytest.MonkeyPatch, empty_memo: None) -> None:
    monkeypatch.setattr(pythainlp, "__version__", "dev")
    with pytest.raises(ValueError, match="cannot read PyThaiNLP's version 'dev'"):
        NewmmTokenizer().tokenize("วัว")


def test_libraries_are_loaded_when_first_used() -> None:
    code = (
        "import sys, metrics.thai_text as t; t.Bleu(), t.Chrf(); "
        "print([name for name in ('pythainlp', 'sacrebleu', 'lighteval') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("typed", "standard"),
    [
        ("สีดํา", "สีดำ"),
        ("นํ้า", "น้ำ"),
        ("น้ํา", "น้ำ"),
        ("เเล้ว", "แล้ว"),
    ],
)
def test_spellings_that_look_the_same_are_equal_only_under_the_named_normalisation(typed: str, standard: str) -> None:
    assert typed != standard
    assert normalize(typed, "raw") == typed
    assert normalize(typed, "nfc_sara_am") == standard
    assert NewmmTokenizer().tokenize(typed) != NewmmTokenizer().tokenize(standard)
    normalised = NewmmTokenizer(normalization="nfc_sara_am")
    assert normalised.tokenize(typed) == normalised.tokenize(standard)


def test_marks_are_put_into_canonical_order() -> None:
    assert normalize("ด\u0e49\u0e39", "nfc_sara_am") == "ด\u0e39\u0e49"


@pytest.mark.parametrize("name", NORMALIZATIONS)
@pytest.mark.parametrize("word", ["เสื้อ", "เสือ", "เสื่อ", "น้ำ", "เปิ้น", "ก๋าน", "มฺ", "año", "قَلَم"])
def test_no_normalisation_deletes_a_mark(name: str, word: str) -> None:
    assert normalize(word, name) == word


@pytest.mark.parametrize("name", NORMALIZATIONS)
def test_normalising_twice_changes_nothing(name: str) -> None:
    once = normalize("นํ้า เเล้ว ด\u0e49\u0e39", name)
    assert normalize(once, name) == once


def test_an_unknown_normalisation_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'whisper'; choose one of raw, nfc_sara_am"):
        normalize("วัว", "whisper")
    with pytest.raises(ValueError, match="choose one of"):
        NewmmTokenizer(normalization="whisper")
