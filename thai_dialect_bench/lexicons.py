"""The dialects' lexicons of this package, and what is made of them once a process: matcher, counters, suggestions."""

from __future__ import annotations

from functools import lru_cache

from metrics.dialect import DialectCounter, DialectGeneration, DialectMatcher, DialectPrecision, read_lexicons
from thai_dialect_bench.schema import PACKAGE_FOLDER

LEXICON_FOLDER = PACKAGE_FOLDER / "lexicon"
"""One file a dialect, ``<dialect>.tsv``."""


@lru_cache(maxsize=1)
def dialect_matcher() -> DialectMatcher:
    """Return the matcher of all dialects."""
    return DialectMatcher(read_lexicons(LEXICON_FOLDER))


def dialect_counter(dialect: str) -> DialectCounter:
    """Return what marks and counts the words of a dialect, a key of ``schema.DIALECTS``."""
    return DialectCounter(dialect_matcher(), dialect)


def dialect_metrics(dialect: str) -> tuple[DialectGeneration, DialectPrecision]:
    """Return the metrics of a dialect's tasks."""
    counter = dialect_counter(dialect)
    return DialectGeneration(counter), DialectPrecision(counter)


def suggested_units(text: str, dialect: str) -> list[tuple[int, int]]:
    """Return start and end of what may be a dialect unit in an answer, for annotators; words of others included."""
    return [(unit.start, unit.end) for unit in dialect_counter(dialect).units(text)]
