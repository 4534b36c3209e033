"""Numbers of arXiv 2605.30107 as a secondary source gives them; the printed tables were not available.

Tables 6, 7 and 8 were found nowhere. The averages are left out: some do not follow from their cells.
"""

from __future__ import annotations

PAPER_NOTE = (
    "Rows marked (paper) are numbers of arXiv 2605.30107 from a secondary source, not read in the paper. Its Chinese "
    "CER counts the spaces that jieba puts between words (ours does not: see cer_spaced in lighteval's results), and "
    "that its retrieval columns are R@5 is an inference."
)

TABLE_2_SYSTEMS: dict[tuple[str, str], str] = {
    ("asr", "wer"): "whisper-1",
    ("asr", "cer"): "whisper-1",
    ("tts", "mcd_upstream"): "gpt-4o-mini-tts",
    ("tts", "cer_synthesized_normalized"): "gpt-4o-mini-tts",
    ("turn_classification", "accuracy"): "XLM-R large",
    ("retrieval", "recall@5"): "text-embedding-3-large",
    ("speech_retrieval", "recall@5"): "CLAP",
    ("filtering", "exact_match"): "gpt-4.1 on 10 %",
    ("filtering", "ook_recall"): "gpt-4.1 on 10 %",
}
"""(Component, measure) -> system of Table 2."""

_LANGUAGES = ("ara", "zho", "eng", "spa")


def _by_language(*values: float) -> dict[str, float]:
    return dict(zip(_LANGUAGES, values, strict=True))


TABLE_2: dict[tuple[str, str], dict[str, float]] = {
    ("asr", "wer"): _by_language(23, 24, 3, 2),
    ("asr", "cer"): _by_language(7, 14, 1, 1),
    ("tts", "mcd_upstream"): _by_language(12.08, 11.46, 11.44, 10.84),
    ("tts", "cer_synthesized_normalized"): _by_language(10, 17, 6, 7),
    ("turn_classification", "accuracy"): _by_language(95.39, 95.23, 96.30, 95.93),
    ("retrieval", "recall@5"): _by_language(65.88, 70.63, 75.72, 71.82),
    ("speech_retrieval", "recall@5"): _by_language(0.20, 0.23, 0.52, 0.42),
    ("filtering", "exact_match"): _by_language(34.27, 39.19, 44.29, 39.54),
    ("filtering", "ook_recall"): _by_language(0.00, 14.29, 42.86, 14.29),
}
"""(Component, measure) -> language -> value; error rates, printed as fractions with two decimals, in percent."""

TABLE_3: dict[str, dict[str, float]] = {
    "Threshold": _by_language(6.26, 6.61, 6.88, 6.46),
    "gpt-4.1-nano, k=5": _by_language(19.96, 19.86, 23.02, 21.09),
    "gpt-4.1-nano, k=10": _by_language(12.58, 17.15, 23.33, 19.55),
    "gpt-4.1-nano, k=50": _by_language(10.85, 12.28, 18.72, 11.03),
}
"""System and candidates -> language -> exact match of filtering."""
