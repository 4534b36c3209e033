"""Chinese words: jieba's default mode, with the dictionary of its package and no file of the temporary folder."""

from __future__ import annotations

import importlib
import warnings
from functools import lru_cache
from importlib.metadata import version
from typing import Any

# Transcripts recur for every model and measure that is scored: about 60 MB when full of them.
_MEMO_TEXTS = 32768


def chinese_words(text: str) -> tuple[str, ...]:
    """Cuts a text into words as ``jieba.lcut(text)`` does (jieba 0.42.1, precise mode, HMM on).

    Args:
        text: Any text; runs of other scripts stay whole, every white space and punctuation mark is a word of its own.

    Returns:
        The words; they join to the text again. None for the empty text.
    """
    return _cut(text)


def jieba_version() -> str:
    """Returns the version of jieba, for signatures."""
    return version("jieba")


@lru_cache(maxsize=1)
def chinese_tokenizer() -> Any:
    """Returns a jieba tokenizer with the default dictionary, read from the package.

    jieba's own initialization reads a marshalled dictionary from the shared temporary folder, where anyone may have
    put it, writes it there, and logs to stderr; so the dictionary is set from outside.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its regular expressions are older than the warnings about them
        tokenizer = importlib.import_module("jieba").Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


@lru_cache(maxsize=_MEMO_TEXTS)
def _cut(text: str) -> tuple[str, ...]:
    return tuple(chinese_tokenizer().lcut(text))
