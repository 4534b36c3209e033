"""The words of Central Thai and how common they are: PyThaiNLP's dictionary with the counts of the national corpus."""

from __future__ import annotations

import gc
import math
from collections.abc import Mapping
from functools import lru_cache

from metrics.dialect_lexicon import LexiconEntry

_PHRASE_SHARE = 1e-4
"""Taken share of Central text of a phrase, which is counted as its words only (มื้อนี้)."""


@lru_cache(maxsize=1)
def central_words() -> tuple[Mapping[str, float], frozenset[str]]:
    """Cost of each word of PyThaiNLP's dictionary, and the beginnings of all words."""
    collects = gc.isenabled()
    gc.disable()
    try:
        from pythainlp.corpus.common import thai_words

        words = {word: -math.log(_counted_share(word)) for word in thai_words()}
        prefixes = frozenset(word[:end] for word in words for end in range(1, len(word) + 1))
    finally:
        if collects:
            gc.enable()
    return words, prefixes


@lru_cache(maxsize=1)
def _counts() -> tuple[Mapping[str, int], int]:
    """Words of the national corpus and their number, and the sum of all."""
    from pythainlp.corpus.tnc import unigram_word_freqs

    counts = unigram_word_freqs()
    return counts, sum(counts.values())


def _counted_share(word: str) -> float:
    counts, total = _counts()
    return float((counts.get(word, 0) + 1) / total)


def central_share(text: str) -> float:
    """Returns the share of a word of running Central text, 0-1; a fixed one for a phrase, which no list counts."""
    is_phrase = text not in central_words()[0] and text not in _counts()[0] and _is_made_of_words(text)
    return _PHRASE_SHARE if is_phrase else _counted_share(text)


def _is_made_of_words(text: str) -> bool:
    words = central_words()[0]
    ends = {0}
    for end in range(1, len(text) + 1):
        if any(text[start:end] in words for start in ends):
            ends.add(end)
    return len(text) in ends


def central_share_of_entry(entry: LexiconEntry) -> float:
    """Returns the share of the most common of an entry's spellings, so that all spellings of a word weigh the same."""
    return max(central_share(spelling) for spelling in entry.spellings)
