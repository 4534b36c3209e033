"""Spelling variants of dialect words: this project's comparison against PyThaiNLP's four soundex codes, on our pairs.

The pairs (tests/thai_spelling_pairs.tsv) were written by the author of the comparison, from the phonology of the three
dialects: they show what each can and cannot tell apart, not how often each fails in real text.
Run: ``python -m benchmarks.thai_spelling``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import typer
from pythainlp.soundex import lk82, metasound, prayut_and_somchaip, udom83

from benchmarks.machine import machine
from metrics import thai_pronunciation

PAIRS = Path(__file__).parent.parent / "tests" / "thai_spelling_pairs.tsv"
SOUNDEX_LENGTH = 20
"""Long enough that no code of the pairs is cut."""


@dataclass(frozen=True)
class Pair:
    """Two spellings, and whether they are one word of the dialect."""

    first: str
    second: str
    dialect: str
    same: bool


@dataclass(frozen=True)
class Outcome:
    """What a way says of the pairs.

    Attributes:
        missed: Pairs that are one word and were not called so.
        confused: Pairs that are two words and were called one.
        found: Number of pairs rightly called one word.
    """

    missed: list[Pair]
    confused: list[Pair]
    found: int

    @property
    def precision(self) -> float:
        """Share of the pairs called one word that are; 0 if none was."""
        called = self.found + len(self.confused)
        return self.found / called if called else 0.0

    @property
    def recall(self) -> float:
        """Share of the pairs that are one word which were called so; 0 if there are none."""
        matching = self.found + len(self.missed)
        return self.found / matching if matching else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


Way = Callable[[Pair], bool]


def read_pairs() -> list[Pair]:
    """Return the pairs in the file's order."""
    with PAIRS.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Pair(row["a"], row["b"], row["dialect"], row["same"] == "yes") for row in rows]


def by_code(code: Callable[[str], str]) -> Way:
    """Return the way that calls equal codes one word."""
    return lambda pair: code(pair.first) == code(pair.second)


def by_key(level: int) -> Way:
    """Return the way that calls equal keys of a level one word, without dictionary."""

    def way(pair: Pair) -> bool:
        keys = (thai_pronunciation.pronunciation_key(text, pair.dialect, level) for text in (pair.first, pair.second))
        return next(keys) == next(keys)

    return way


def ours(pair: Pair) -> bool:
    """Return what the metric uses."""
    return thai_pronunciation.same_pronunciation(pair.first, pair.second, pair.dialect)


WAYS: dict[str, Way] = {
    "lk82": by_code(lk82),
    "udom83": by_code(udom83),
    "metasound": by_code(lambda text: metasound(text, length=SOUNDEX_LENGTH)),
    "prayut_and_somchaip": by_code(lambda text: prayut_and_somchaip(text, length=SOUNDEX_LENGTH)),
    "key, level 1": by_key(thai_pronunciation.SAME_LETTERS),
    "key, level 2": by_key(thai_pronunciation.SAME_TONE),
    "key, level 4": by_key(thai_pronunciation.CANDIDATE),
    "same_pronunciation": ours,
}


def outcome(way: Way, pairs: list[Pair]) -> Outcome:
    """Return what a way says of the pairs."""
    judged = [(pair, way(pair)) for pair in pairs]
    return Outcome(
        missed=[pair for pair, one in judged if pair.same and not one],
        confused=[pair for pair, one in judged if not pair.same and one],
        found=sum(pair.same and one for pair, one in judged),
    )


@contextmanager
def without(name: str, value: object) -> Iterator[None]:
    """Exchange a part of the comparison for the time of a block; the memos are of the whole, so they are emptied."""
    with mock.patch.object(thai_pronunciation, name, value):
        _forget()
        yield
    _forget()


def _forget() -> None:
    for memo in (thai_pronunciation._match_level, thai_pronunciation._pieces, thai_pronunciation._key):
        memo.cache_clear()


def main() -> None:
    """Print precision, recall and F1 of each way, and the pairs each gets wrong."""
    pairs = read_pairs()
    outcomes = {name: outcome(way, pairs) for name, way in WAYS.items()}
    nothing_listed: dict[str, dict[str, str]] = {dialect: {} for dialect in thai_pronunciation.DIALECTS}
    with without("is_central_word", lambda text: False):
        outcomes["  without the dictionary"] = outcome(ours, pairs)
    with without("LISTED_SPELLINGS", nothing_listed):
        outcomes["  without listed spellings"] = outcome(ours, pairs)
        with without("is_central_word", lambda text: False):
            outcomes["  without both"] = outcome(ours, pairs)
    matching = sum(pair.same for pair in pairs)
    print(f"{machine()}\n{len(pairs)} pairs: {matching} of one word, {len(pairs) - matching} of two")
    print(f"{'':28}precision  recall      F1  missed  confused")
    for name, result in outcomes.items():
        shares = f"{result.precision:9.3f}{result.recall:8.3f}{result.f1:8.3f}"
        print(f"{name:28}{shares}{len(result.missed):8}{len(result.confused):10}")
    for name, result in outcomes.items():
        print(f"\n{name}\n  missed: {_shown(result.missed)}\n  confused: {_shown(result.confused)}")


def _shown(pairs: list[Pair]) -> str:
    return ", ".join(f"{pair.first}/{pair.second}" for pair in pairs) or "none"


if __name__ == "__main__":
    typer.run(main)
