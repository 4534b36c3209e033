"""Chinese text as overlapping pairs of characters: a tokenizer for search that needs no dictionary."""

from __future__ import annotations

import re
from itertools import pairwise

from healthdial.tokenization import Tokenizer

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUNS = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+")


def bigrams(text: str) -> list[str]:
    """Return the terms of a text.

    Text is lower-cased. A run of Chinese characters becomes its overlapping pairs, a single one stays alone; a run of
    other letters and digits is one term; punctuation and spaces separate runs (as Lucene's ``CJKAnalyzer``).
    """
    terms: list[str] = []
    for run in _RUNS.findall(text.lower()):
        if len(run) > 1 and re.match(f"[{_HAN}]", run):
            terms += map("".join, pairwise(run))
        else:
            terms.append(run)
    return terms


BIGRAMS = Tokenizer("lower case, pairs of Chinese characters", bigrams)
