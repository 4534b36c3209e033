"""Tokenizers by language: the upstream retriever's, and words for statistics; libraries are loaded on first use."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from types import ModuleType
from typing import Any

from healthdial.languages import LANGUAGES
from metrics.chinese_words import chinese_tokenizer

Split = Callable[[str], list[str]]

_ARABIC_WORD = r"[^\W_][\w\u064B-\u065F\u0670]*"
"""A letter or digit, then letters, digits and vowel marks."""


@dataclass(frozen=True)
class Tokenizer:
    """A function from a text to its tokens, with the name that reports and signatures carry.

    Attributes:
        name: What is done, with library and version.
        split: Text -> tokens.
    """

    name: str
    split: Split

    def __call__(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return self.split(text)


def retrieval_tokenizer(language: str) -> Tokenizer:
    """Return the tokenizer of the upstream BM25 retriever.

    Text is lower-cased and cut at white space, punctuation kept ("fever?" and "fever" differ). Chinese is lower-cased
    and cut by jieba in its default mode, punctuation and spaces being tokens of their own.

    Args:
        language: ISO 639-3 code of one of the four languages.

    Raises:
        ValueError: Another language.
    """
    _require_known(language)
    if language == "zho":
        return Tokenizer(f"lower case, jieba {version('jieba')}", _lower_case_jieba)
    return Tokenizer("lower case, white space", _lower_case_white_space)


def word_tokenizer(language: str) -> Tokenizer:
    """Return the tokenizer of word statistics (tokens, vocabulary, type-token ratio).

    ========  ==================================  ==============================
    language  cut by                              the paper's Table 4
    ========  ==================================  ==============================
    ara       NLTK ``RegexpTokenizer``            CAMeL Tools
    zho       jieba, default mode                 jieba
    eng       NLTK ``NLTKWordTokenizer``          NLTK, tokenizer not named
    spa       NLTK ``ToktokTokenizer``            NLTK, tokenizer not named
    ========  ==================================  ==============================

    Tokens without a letter or digit are left out and the rest is case-folded. The two of NLTK take a text for one
    sentence and leave the full stops of the others on their words; those are removed, so that "worry." and "worry" are
    one word. Neither needs NLTK's data. ``NLTKWordTokenizer`` cuts "don't" into "do" and "n't" as NLTK's
    ``word_tokenize`` does, and leaves the Spanish opening marks on their words, which ``ToktokTokenizer`` does not.

    CAMeL Tools needs Python 3.11 and a compiler, and PyArabic is under the GPL. An Arabic word here is a run of
    letters, digits and vowel marks; the texts of the bundled sample are cut as PyArabic 0.6.15 cuts them.

    Args:
        language: ISO 639-3 code of one of the four languages.

    Raises:
        ValueError: Another language.
    """
    _require_known(language)
    if language == "zho":
        return Tokenizer(f"jieba {version('jieba')}", lambda text: _words(chinese_tokenizer().lcut(text)))
    if language == "ara":
        return Tokenizer(
            f"nltk {version('nltk')} RegexpTokenizer", lambda text: _words(_arabic_words().tokenize(text))
        )
    name = "NLTKWordTokenizer" if language == "eng" else "ToktokTokenizer"
    return Tokenizer(
        f"nltk {version('nltk')} {name}",
        lambda text: _words(token.rstrip(".…") for token in _nltk(name).tokenize(text)),
    )


def _require_known(language: str) -> None:
    if language not in LANGUAGES:
        raise ValueError(f"no tokenizer for language {language!r}; there is one for {', '.join(LANGUAGES)}")


def _words(tokens: Any) -> list[str]:
    return [token.casefold() for token in tokens if any(map(str.isalnum, token))]


def _lower_case_white_space(text: str) -> list[str]:
    return text.lower().split()


def _lower_case_jieba(text: str) -> list[str]:
    return list(chinese_tokenizer().lcut(text.lower()))


def _quiet_import(module: str) -> ModuleType:
    """Import a module without the warnings that old code gives on new Pythons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(module)


@lru_cache(maxsize=1)
def _arabic_words() -> Any:
    return _quiet_import("nltk.tokenize").RegexpTokenizer(_ARABIC_WORD)


@lru_cache(maxsize=2)
def _nltk(name: str) -> Any:
    return getattr(_quiet_import("nltk.tokenize"), name)()
