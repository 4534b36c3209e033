"""The floors under every model's score: copying the input, and extracting leading or overlapping sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from metrics.overlap import word_overlap
from metrics.thai_text import NewmmTokenizer

LEAD_CHARACTERS = 220
"""Length aimed at: the mean length of the released Central summaries in code points."""

Source = Mapping[str, str]
"""The texts of an item: ``input``, ``context`` and ``question``, empty where its task has none."""


def copy_answer(source: Source) -> str:
    """Return the question of a QA item, else the input text (source text, article or topic)."""
    return source["question"] or source["input"]


def lead_answer(source: Source) -> str:
    """Return an extract: of the passage for a QA item, else the leading sentences of the input text."""
    if source["context"]:
        return most_overlapping_sentence(source["context"], source["question"], NewmmTokenizer().tokenize)
    return leading_sentences(source["input"])


BASELINES: dict[str, Callable[[Source], str]] = {"copy": copy_answer, "lead": lead_answer}


def sentences(text: str) -> list[str]:
    """Return the stretches between white space, by which alone Thai marks the end of a sentence or clause."""
    return text.split()


def leading_sentences(text: str, characters: int = LEAD_CHARACTERS) -> str:
    """Return the leading sentences of at most ``characters`` code points, but at least one, in their own spacing.

    Examples:
        >>> leading_sentences("ฝนตก น้ำท่วม รถติด", characters=13)
        'ฝนตก น้ำท่วม'
    """
    start = end = 0
    for match in re.finditer(r"\S+", text):
        if not end:
            start = match.start()
        elif match.end() - start > characters:
            break
        end = match.end()
    return text[start:end]


def most_overlapping_sentence(passage: str, question: str, tokenize: Callable[[str], Sequence[str]]) -> str:
    """Return the sentence of ``passage`` that has most of the question's words; the first one of equals."""
    question_tokens = tokenize(question)
    return max(
        sentences(passage),
        key=lambda sentence: word_overlap(question_tokens, tokenize(sentence)) or 0.0,
        default="",
    )
