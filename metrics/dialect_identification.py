"""Tells in which variety of Thai a text is written: the dialect whose words it has most of, or Central."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from metrics.dialect_matching import DialectMatcher
from metrics.dialect_units import UnitKind, find_units

CENTRAL = "central"
WEIGHTS: Mapping[UnitKind, float] = MappingProxyType({"right": 1.0, "shared": 0.5, "context": 0.5, "wrong": 0.0})
"""What a word of a dialect counts for it; one that another variety has too counts half."""


def variety_scores(text: str, matcher: DialectMatcher) -> dict[str, float]:
    """Weighs the dialect words of a text.

    Args:
        text: Any string.
        matcher: Knows the lexicons of all dialects that may come.

    Returns:
        For each dialect the sum of its words' `WEIGHTS`.
    """
    tokens = matcher.tokens(text)
    scores = {}
    for lexicon in matcher.lexicons:
        kinds = Counter(unit.kind for unit in find_units(tokens, lexicon.name))
        scores[lexicon.name] = sum(WEIGHTS[kind] * count for kind, count in kinds.items())
    return scores


def identify_variety(text: str, matcher: DialectMatcher) -> str | None:
    """Names the variety of a text.

    Neighbours without a lexicon (Lao in Thai script, Phu Thai, Korat, Tai Lue, Shan) are taken for the nearest one.

    Args:
        text: Any string.
        matcher: Knows the lexicons of all dialects that may come.

    Returns:
        The dialect with the highest score; ``central`` for Thai text without any dialect word; None where two
        dialects are level (they share all the words found) or the text has no Thai letters.
    """
    scores = variety_scores(text, matcher)
    best = max(scores.values(), default=0.0)
    if best == 0.0:
        return CENTRAL if matcher.tokens(text) else None
    leaders = [dialect for dialect, score in scores.items() if score == best]
    return leaders[0] if len(leaders) == 1 else None
