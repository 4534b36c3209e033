"""What arXiv 2504.05898 prints: Table 1, Table 5, and where its numbers do not follow from its own files."""

from __future__ import annotations

from typing import NamedTuple


class Table1Row(NamedTuple):
    """One row of Table 1, as printed: ROUGE-L for QA and summarization, BLEU for both translation directions."""

    qa: float
    summarization: float
    translation_from_english: float
    translation_to_english: float


class PaperModel(NamedTuple):
    """A model of Table 1: its printed name, its name in the released files, and the QA set it was scored on."""

    title: str
    file_name: str
    qa_task: str


MODELS = (
    PaperModel("Llama-3.1-8b", "Llama-3.1-8B-Instruct", "qa_v1"),
    PaperModel("Typhoon1.5-8b", "llama-3-typhoon-v1.5x-8b-instruct", "qa_v1"),
    PaperModel("Llama-3.1-70b", "Llama-3.1-70B-Instruct", "qa_v1"),
    PaperModel("Typhoon1.5-70b", "llama-3-typhoon-v1.5x-70b-instruct", "qa_v1"),
    PaperModel("GPT-4o", "gpt-4o-2024-05-13", "qa"),
    PaperModel("Gemini2", "gemini-2.0-flash-exp", "qa"),
)

TABLE_1: dict[str, dict[str, Table1Row]] = {
    "Llama-3.1-8b": {
        "central": Table1Row(60.74, 20.07, 11.41, 44.61),
        "isan": Table1Row(58.84, 16.47, 3.17, 6.59),
        "lanna": Table1Row(55.66, 18.05, 2.46, 7.27),
        "dambro": Table1Row(61.38, 16.91, 7.22, 24.02),
    },
    "Typhoon1.5-8b": {
        "central": Table1Row(33.36, 11.52, 5.14, 47.35),
        "isan": Table1Row(28.48, 8.54, 0.83, 31.60),
        "lanna": Table1Row(24.39, 7.28, 0.49, 18.48),
        "dambro": Table1Row(31.34, 9.18, 4.20, 27.81),
    },
    "Llama-3.1-70b": {
        "central": Table1Row(56.44, 23.03, 18.11, 51.07),
        "isan": Table1Row(57.59, 18.77, 8.98, 33.74),
        "lanna": Table1Row(50.97, 17.41, 3.73, 15.92),
        "dambro": Table1Row(66.96, 17.20, 7.66, 27.10),
    },
    "Typhoon1.5-70b": {
        "central": Table1Row(46.99, 10.83, 8.46, 50.54),
        "isan": Table1Row(45.32, 10.87, 2.82, 41.81),
        "lanna": Table1Row(44.74, 10.17, 4.76, 39.01),
        "dambro": Table1Row(52.10, 9.74, 0.78, 39.19),
    },
    "GPT-4o": {
        "central": Table1Row(56.03, 14.67, 21.926, 62.82),
        "isan": Table1Row(44.21, 10.39, 14.29, 55.26),
        "lanna": Table1Row(45.73, 9.78, 12.02, 54.83),
        "dambro": Table1Row(49.28, 12.87, 12.95, 45.32),
    },
    "Gemini2": {
        "central": Table1Row(53.73, 17.70, 20.76, 58.10),
        "isan": Table1Row(40.58, 12.68, 13.31, 51.74),
        "lanna": Table1Row(40.86, 11.70, 7.68, 47.28),
        "dambro": Table1Row(47.91, 12.07, 9.13, 23.46),
    },
}


class Misprint(NamedTuple):
    """A cell of Table 1 that differs from the authors' own score file; ``right`` is that file's value."""

    model: str
    variety: str
    task: str
    right: float
    kind: str


MISPRINTS = (
    Misprint("GPT-4o", "central", "translation_from_english", 21.9156, "misprint"),
    Misprint("Llama-3.1-8b", "lanna", "summarization", 17.055, "misprint"),
)
LAST_DIGIT_SLIPS = (
    Misprint("Gemini2", "central", "summarization", 17.6892, "rounding"),
    Misprint("GPT-4o", "lanna", "summarization", 9.7884, "truncation"),
)

TABLE_5: dict[str, dict[str, float]] = {
    "isan": {"summarization": 0.9628, "qa": 0.9167, "translation_from_english": 0.9067},
    "lanna": {"summarization": 0.9767, "qa": 0.93318, "translation_from_english": 0.9072},
    "dambro": {"summarization": 0.9598, "qa": 0.9008, "translation_from_english": 0.9036},
}
"""Printed as word overlap with Central; no definition over words reproduces them."""
