"""What arXiv 2504.05898 prints of its human evaluation: Tables 2, 3 and 6; the judgements were never released."""

from __future__ import annotations

from typing import NamedTuple

from thai_dialect_bench.paper import MODELS


class Table2Row(NamedTuple):
    """Items of one pair and dialect by verdict, out of 20 (10 food, 10 conversation)."""

    a: int
    b: int
    both: int
    none: int


class Table3Row(NamedTuple):
    """Generation, Fluency and their average, as printed, 0-100."""

    generation: float
    fluency: float
    average: float


TABLE_2: dict[tuple[str, str], dict[str, Table2Row]] = {
    ("Typhoon1.5-8b", "Llama-3.1-8b"): {
        "isan": Table2Row(1, 0, 0, 19),
        "lanna": Table2Row(0, 0, 0, 20),
        "dambro": Table2Row(1, 0, 0, 19),
    },
    ("Typhoon1.5-70b", "Llama-3.1-70b"): {
        "isan": Table2Row(0, 1, 0, 19),
        "lanna": Table2Row(2, 0, 0, 18),
        "dambro": Table2Row(4, 0, 0, 16),
    },
    ("Gemini2", "Typhoon1.5-70b"): {
        "isan": Table2Row(20, 0, 0, 0),
        "lanna": Table2Row(19, 0, 0, 1),
        "dambro": Table2Row(16, 2, 1, 1),
    },
    ("Gemini2", "GPT-4o"): {
        "isan": Table2Row(4, 3, 13, 0),
        "lanna": Table2Row(18, 0, 2, 0),
        "dambro": Table2Row(16, 2, 2, 0),
    },
}
"""Pairs by the titles of ``paper.MODELS``. It is not said which of the two aspects is printed, nor how votes merge."""

TABLE_3: dict[str, dict[str, Table3Row]] = {
    "Typhoon1.5-70b": {
        "isan": Table3Row(10.34, 15.74, 13.04),
        "lanna": Table3Row(10.71, 13.22, 11.97),
        "dambro": Table3Row(30.50, 30.00, 30.25),
    },
    "Gemini2": {
        "isan": Table3Row(86.57, 82.41, 84.49),
        "lanna": Table3Row(91.33, 93.99, 92.58),
        "dambro": Table3Row(75.50, 68.50, 71.83),
    },
}
"""The averages 92.58 and 71.83 are not the means of the two printed beside them, which are 92.66 and 72.00."""

TABLE_6: dict[str, dict[str, float]] = {
    "generation": {"lanna": 0.9315, "isan": 0.7078, "dambro": 0.7514},
    "fluency": {"lanna": 0.7319, "isan": 0.7077, "dambro": 0.7951},
}
"""Cohen's kappa of two annotators, by aspect and dialect."""


def paper_title(model: str) -> str | None:
    """Return the paper's title of a model given by that title or by its file name, with or without its organization.

    Upper and lower case are the same; None for other models.
    """
    name = model.rsplit("/", 1)[-1].casefold()
    names = {text.casefold(): entry.title for entry in MODELS for text in (entry.title, entry.file_name)}
    return names.get(name)


def table_2_pair(first: str, second: str) -> tuple[str, str] | None:
    """Return the pair of Table 2 that two models are, in the table's order; None if it has no such pair."""
    titles = {paper_title(first), paper_title(second)}
    return next((pair for pair in TABLE_2 if set(pair) == titles), None)
