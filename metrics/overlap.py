"""Word overlap between parallel texts: how much of the one's vocabulary is also in the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def word_overlap(base: Sequence[str], other: Sequence[str]) -> float | None:
    """Return the share of distinct words of ``base`` that are also in ``other``; white-space tokens are not words.

    ``|words(base) & words(other)| / |words(base)|`` on two tokenized texts, between 0 and 1; None where ``base`` has
    no word. This is word overlap proper. Table 5 of arXiv 2504.05898 prints higher numbers under this name that no
    definition over words reproduces (they fit an overlap of character sets).

    Examples:
        >>> word_overlap(["ฝน", " ", "ตก"], ["ฝน", "ลง"])
        0.5
        >>> word_overlap(["ฝน"], ["ฝน", "ตก"])
        1.0
        >>> word_overlap([" "], ["ฝน"]) is None
        True
    """
    words = _words(base)
    if not words:
        return None
    return len(words & _words(other)) / len(words)


def mean_word_overlap(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> float | None:
    """Return the mean of ``word_overlap`` over pairs of tokenized texts; None where no pair has a value."""
    values = [value for base, other in pairs if (value := word_overlap(base, other)) is not None]
    return sum(values) / len(values) if values else None


def _words(tokens: Sequence[str]) -> set[str]:
    """Return the distinct tokens that are not white space."""
    return {token for token in tokens if not token.isspace()}
