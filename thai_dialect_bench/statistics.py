"""Descriptive statistics of the rows: lengths in characters and tokens, overlap with Central, duplicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics.overlap import mean_word_overlap
from thai_dialect_bench.schema import QA_V1, VARIETIES, Row

Tokenizer = Callable[[str], Sequence[str]]

DESCRIBED_FIELDS: dict[str, tuple[str, ...]] = {
    "qa": ("question", "context", "reference"),
    "summarization": ("input", "reference"),
    "translation_from_english": ("input", "reference"),
    "food": ("input",),
    "conversation": ("input",),
    "qa_v1": ("question", "context", "reference"),
}
"""Fields with text of their own. ``translation_to_english`` is the same pairs the other way round, and ``qa_v1`` is
the same text in every variety, so that it is described once."""


@dataclass(frozen=True)
class FieldStatistics:
    """Lengths of one field of one task in one variety.

    Attributes:
        variety: Name of the variety.
        task: Name of the task.
        field: Name of the column.
        rows: Rows with text in this field.
        missing: Rows without (null).
        duplicates: Rows whose text stands in an earlier row of the same field.
        characters_mean: Mean length in code points; ``characters_min`` and ``characters_max`` likewise.
        characters_min: Shortest length in code points.
        characters_max: Longest length in code points.
        tokens: newmm tokens of all rows together, white-space tokens counted.
        words: The same without white-space tokens.
        overlap_with_central: Mean share of distinct Central words also in the dialect text (0 to 1); None for
            Central and where no row has words.
        equal_to_central: Rows whose text is the Central text unchanged; None for Central.
    """

    variety: str
    task: str
    field: str
    rows: int
    missing: int
    duplicates: int
    characters_mean: float
    characters_min: int
    characters_max: int
    tokens: int
    words: int
    overlap_with_central: float | None
    equal_to_central: int | None


def describe(configs: dict[str, list[Row]], tokenizer: Tokenizer) -> list[FieldStatistics]:
    """Return the statistics of every described field of every variety.

    Args:
        configs: Config name -> rows, as ``rows.build_rows`` gives them.
        tokenizer: Text -> tokens, white space kept as tokens.
    """
    rows = [row for config in configs.values() for row in config]
    return [
        _describe_field(
            [row for row in rows if (row.variety, row.task) == (variety, task)],
            [row for row in rows if (row.variety, row.task) == ("central", task)],
            field,
            tokenizer,
        )
        for variety in VARIETIES
        for task, fields in DESCRIBED_FIELDS.items()
        for field in fields
        if variety == "central" or task != QA_V1.name
    ]


def _describe_field(rows: list[Row], central: list[Row], field: str, tokenizer: Tokenizer) -> FieldStatistics:
    """Return the statistics of one field."""
    values: list[str | None] = [getattr(row, field) for row in rows]
    central_values: list[str | None] = [getattr(row, field) for row in central]
    texts = [value for value in values if value is not None]
    tokens = [tokenizer(text) for text in texts]
    pairs = [(base, text) for base, text in zip(central_values, values, strict=True) if base and text]
    is_central = rows[0].variety == "central"
    lengths = [len(text) for text in texts]
    return FieldStatistics(
        variety=rows[0].variety,
        task=rows[0].task,
        field=field,
        rows=len(texts),
        missing=len(values) - len(texts),
        duplicates=len(texts) - len(set(texts)),
        characters_mean=sum(lengths) / len(lengths),
        characters_min=min(lengths),
        characters_max=max(lengths),
        tokens=sum(len(text) for text in tokens),
        words=sum(not token.isspace() for text in tokens for token in text),
        overlap_with_central=None if is_central else mean_word_overlap(_tokenized(pairs, tokenizer)),
        equal_to_central=None if is_central else sum(base == text for base, text in pairs),
    )


def _tokenized(pairs: list[tuple[str, str]], tokenizer: Tokenizer) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Tokenize both sides of every pair."""
    return [(tokenizer(base), tokenizer(text)) for base, text in pairs]
