"""Edits between a reference and a hypothesis, counted once; the error rates are read off the counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


@dataclass(frozen=True)
class EditCounts:
    """The edits that turn references into hypotheses, of one item or summed over a corpus.

    Attributes:
        hits: Units (words or characters) that are equal.
        substitutions: Units of the reference that were replaced.
        deletions: Units of the reference that the hypothesis lacks.
        insertions: Units of the hypothesis that the reference lacks.
    """

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    def __add__(self, other: EditCounts) -> EditCounts:
        return EditCounts(
            self.hits + other.hits,
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
        )

    @property
    def reference_length(self) -> int:
        """Units of the reference."""
        return self.hits + self.substitutions + self.deletions

    @property
    def hypothesis_length(self) -> int:
        """Units of the hypothesis."""
        return self.hits + self.substitutions + self.insertions

    @property
    def errors(self) -> int:
        """Substitutions, deletions and insertions."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def error_rate(self) -> float:
        """Errors per unit of the reference (WER or CER) as a fraction; above 1 where there are many insertions."""
        return self.errors / max(self.reference_length, 1)


def count_edits(reference: Sequence[str], hypothesis: Sequence[str]) -> EditCounts:
    """Counts the edits of a shortest alignment (Levenshtein distance), by rapidfuzz.

    Args:
        reference: Words, or a str for its characters.
        hypothesis: Words, or a str for its characters.

    Returns:
        The counts; of several shortest alignments that which jiwer takes.
    """
    return EditCounts(*edit_numbers(reference, hypothesis))


def edit_numbers(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[int, int, int, int]:
    """Returns the fields of `count_edits` as a tuple, for loops over a corpus."""
    edits = Levenshtein.editops(reference, hypothesis)
    # Runs of equal units are far fewer than edits; what is left of both sides, less the edits, are the substitutions.
    hits = 0
    for block in edits.as_matching_blocks():
        hits += block.size
    missed, added = len(reference) - hits, len(hypothesis) - hits
    substitutions = missed + added - len(edits)
    return hits, substitutions, missed - substitutions, added - substitutions
