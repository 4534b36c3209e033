"""Dialect Generation and precision: how much of an answer is in a dialect, and how much of that is the right one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metrics.corpus_metric import References, check_item
from metrics.dialect_lexicon import Lexicon, LexiconError, read_lexicon
from metrics.dialect_matching import MATCHING_VERSION, DialectMatcher
from metrics.dialect_tokens import Token
from metrics.dialect_units import LEAST_EVIDENCE, WINDOW, DialectUnit, copied_places, find_units
from metrics.signature import DEFINITIONS_VERSION, Signature

FULL_SHARE = 0.25
"""Share of dialect words, of the places where the dialect has a word of its own, from which an answer is fully in it.

About half the share of the authors' references (summaries 0.45, translations 0.6). From 0.2 to 0.3 no score moves by
more than a few points.
"""
_LEAST_PART = 0.1
"""Part of that share below which an answer has no dialect: a chance match among many due words does not count."""

_NO_REFERENCE = ("",)

Scale = Literal["levels", "share"]


@dataclass(frozen=True)
class DialectCounts:
    """What the scores need of one answer.

    Attributes:
        right: Words of the dialect alone.
        shared: Words that another dialect has too.
        context: Words that Central Thai has too, supported by other markers or rare there.
        wrong: Words of other dialects.
        due: Central words for which the dialect has a word of its own.
    """

    right: int
    shared: int
    context: int
    wrong: int
    due: int

    @property
    def own(self) -> int:
        """Words of the dialect, right, shared or in context."""
        return self.right + self.shared + self.context

    @property
    def share(self) -> float:
        """Words of the dialect, of the places where it has its own word, 0-1; 0 where there is no such place.

        Words that others have too count by the square of ``for / (for + wrong)``, where a right word speaks for the
        dialect and each of them a quarter as much: an answer in another dialect does not pass for this one by what
        the two share, and one wrong word, perhaps a gap in a lexicon, does not undo many.
        """
        places = self.own + self.wrong + self.due
        ambiguous = self.shared + self.context
        speaks_for = self.right + ambiguous / 4
        weight = (speaks_for / (speaks_for + self.wrong)) ** 2 if ambiguous else 0.0
        return (self.right + weight * ambiguous) / places if places else 0.0


class DialectCounter:
    """Marks and counts the dialect words of answers.

    Args:
        lexicons: Those of all dialects, so that words of others are known as such; their names are the dialects.
        dialect: The dialect that is asked for.

    Raises:
        ValueError: If no lexicon has the dialect's name, or two have one name.
    """

    def __init__(self, lexicons: Sequence[Lexicon] | DialectMatcher, dialect: str) -> None:
        self.matcher = lexicons if isinstance(lexicons, DialectMatcher) else DialectMatcher(lexicons)
        self.dialect = dialect
        own = [lexicon for lexicon in self.matcher.lexicons if lexicon.name == dialect]
        if not own:
            names = ", ".join(lexicon.name for lexicon in self.matcher.lexicons) or "none"
            raise ValueError(f"no lexicon of {dialect!r} among the lexicons given ({names}); add its file")
        self._due = _due_words(own[0])

    def units(self, text: str, given: str = "") -> list[DialectUnit]:
        """Marks the dialect words of an answer, for highlighting.

        Args:
            text: Any string.
            given: What the model was given, its prompt: words copied from it are left out (`copied_places`).

        Returns:
            The units in order; they do not overlap.
        """
        return self._units(self.matcher.tokens(text), given)

    def counts(self, text: str, given: str = "") -> DialectCounts:
        """Counts what the scores need of an answer.

        Args:
            text: Any string.
            given: As for `units`.
        """
        tokens = self.matcher.tokens(text)
        kinds = [unit.kind for unit in self._units(tokens, given)]
        return DialectCounts(
            right=kinds.count("right"),
            shared=kinds.count("shared"),
            context=kinds.count("context"),
            wrong=kinds.count("wrong"),
            due=sum(token.central and token.text in self._due for token in tokens),
        )

    def _units(self, tokens: Sequence[Token], given: str) -> list[DialectUnit]:
        return find_units(tokens, self.dialect, copied_places(tokens, self.matcher.tokens(given), self.dialect))

    def signature_fields(self) -> dict[str, str]:
        """Dialect, lexicons and version of the matching."""
        return {
            "dialect": self.dialect,
            "lexicons": "+".join(sorted(lexicon.name for lexicon in self.matcher.lexicons)),
            "lexicon": self.matcher.lexicon_sha256[:8],
            "matching": MATCHING_VERSION,
            **self.matcher.signature_fields(),
        }


def read_lexicons(folder: Path) -> tuple[Lexicon, ...]:
    """Reads the lexicons of a folder, ``<dialect>.tsv``, in the order of their names.

    Raises:
        LexiconError: If there is none, or one cannot be read.
    """
    files = sorted(folder.glob("*.tsv"))
    if not files:
        raise LexiconError(f"{folder}: no lexicon there; give the folder with the files <dialect>.tsv")
    return tuple(read_lexicon(file) for file in files)


def level(share: float, full_share: float = FULL_SHARE) -> float:
    """Turns an answer's share into a level.

    Args:
        share: `DialectCounts.share`, 0-1.
        full_share: Share from which an answer is fully in the dialect.

    Returns:
        1 from `full_share` on, 0 below a tenth of it, else 0.5.
    """
    if share < _LEAST_PART * full_share:
        return 0.0
    return 1.0 if share >= full_share else 0.5


@dataclass(frozen=True)
class DialectGeneration:
    """A proxy for Generation of arXiv 2504.05898, Table 3: 0 no dialect, 0.5 partly, 1 fully, mean times 100.

    An answer's share is that of the places where the dialect has a word of its own that have it; the others hold its
    Central equivalent (due) or another dialect's word (wrong). Words that are not the dialect's alone count less
    where there are wrong ones (`DialectCounts.share`). `level` makes it 0, 0.5 or 1. References are not looked at.

    | case | value | why |
    |---|---|---|
    | empty answer, other script | 0 | no dialect in it |
    | Central words only that the dialect has too | 0 | nothing shows the dialect, unless one is rare in Central Thai |
    | text in another dialect | low | what the two share counts little beside words of the other alone |
    | one dialect word in a Central answer, such as a name | up to 1 | a text may be dialect by one word |
    | the same dialect word again and again | as if different | repetition is not punished |
    | no items | nan | a mean of nothing |

    Length counts only by words that are due. Of Dambro the lexicon has few equivalents that are common in Central
    Thai, since Southern writing shares most words with it: there a single word of the dialect goes a long way.

    It says little of fluency. Where the passage that is asked about is in the dialect, leave it out: an answer may
    have no other words than the passage's.

    Attributes:
        counter: Finds the dialect's words.
        full_share: Share from which an answer is fully in the dialect, 0-1.
        scale: ``levels``, or ``share`` for the mean of the answers' shares themselves.
    """

    counter: DialectCounter
    full_share: float = FULL_SHARE
    scale: Scale = "levels"
    name: ClassVar[str] = "dialect_generation"

    def __post_init__(self) -> None:
        if not 0 < self.full_share <= 1:
            raise ValueError(f"{self.name}: full_share must be above 0 and at most 1, got {self.full_share}")
        if self.scale not in ("levels", "share"):
            raise ValueError(f"{self.name}: unknown scale {self.scale!r}; choose levels or share")

    def statistics(
        self, hypothesis: str, references: References = _NO_REFERENCE, *, given: str = ""
    ) -> NDArray[np.float64]:
        """Level or share of one answer.

        Args:
            hypothesis: The answer.
            references: Not used; the parameter of every `CorpusMetric`.
            given: What the model was given, its prompt: words copied from it do not count.

        Returns:
            Shape (2,): level or share (0-1) and 1.

        Raises:
            TypeError: If something is not a str.
            ValueError: If the list of references is empty.
        """
        check_item(hypothesis, references)
        share = self.counter.counts(hypothesis, given).share
        return np.array([share if self.scale == "share" else level(share, self.full_share), 1.0])

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean of the items, 0-100, of sums of statistics of shape (..., 2); nan without items."""
        return _percent(sums)

    def signature(self) -> Signature:
        """The metric's settings and lexicons."""
        return _signature(self.name, self.counter, scale=self.scale, full=f"{self.full_share:g}")


@dataclass(frozen=True)
class DialectPrecision:
    """Share of the dialect words of the answers that are right for the dialect asked for, times 100.

    ``own / (own + wrong)`` over all answers together; a wrong word is one that only other dialects' lexicons have.
    Words that Central Thai has too and that nothing supports are not counted. nan where no answer has a dialect word.

    Attributes:
        counter: Finds the dialect's words.
    """

    counter: DialectCounter
    name: ClassVar[str] = "dialect_precision"

    def statistics(
        self, hypothesis: str, references: References = _NO_REFERENCE, *, given: str = ""
    ) -> NDArray[np.float64]:
        """Counts of one answer.

        Args:
            hypothesis: The answer.
            references: Not used; the parameter of every `CorpusMetric`.
            given: As for `DialectGeneration`.

        Returns:
            Shape (2,): words of the dialect; these and words of others.

        Raises:
            TypeError: If something is not a str.
            ValueError: If the list of references is empty.
        """
        check_item(hypothesis, references)
        counts = self.counter.counts(hypothesis, given)
        return np.array([counts.own, counts.own + counts.wrong], dtype=np.float64)

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Precision of sums of statistics of shape (..., 2), 0-100; nan without dialect words."""
        return _percent(sums)

    def signature(self) -> Signature:
        """The metric's settings and lexicons."""
        return _signature(self.name, self.counter)


def _signature(name: str, counter: DialectCounter, **settings: str) -> Signature:
    return (
        Signature.of(name, nrefs=1, **settings)
        .with_fields(window=WINDOW, evidence=f"{LEAST_EVIDENCE:g}", **counter.signature_fields())
        .with_fields(v=DEFINITIONS_VERSION)
    )


def _percent(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * sums[..., 0] / sums[..., 1])


def _due_words(lexicon: Lexicon) -> frozenset[str]:
    """Central equivalents of words that are surely of the dialect, without those that the dialect uses itself."""
    equivalents = {word for entry in lexicon.entries if entry.certainty != "context" for word in entry.central}
    return frozenset(equivalents - lexicon.by_spelling.keys())
