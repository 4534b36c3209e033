"""The Hugging Face evaluate module of Thai ROUGE-L: a thin layer on `metrics.thai_text.RougeL`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from metrics.thai_text import NewmmTokenizer, RougeL, bootstrap_median, corpus_score, corpus_statistics

_DESCRIPTION = "Mean ROUGE-L F1 on PyThaiNLP newmm tokens, as in Table 1 of arXiv 2504.05898."
_CITATION = "Lin 2004, https://aclanthology.org/W04-1013"
_INPUTS = """
Args:
    predictions: List of texts.
    references: List of texts, or list of lists of texts (the best one counts).
    normalization: 'raw' (default, as the paper) or 'nfc_sara_am'.
    keep_whitespace: Whether tokens of spaces are kept (default True, as the paper).
    bootstrap_seed: If given, the median of 1000 resamples, the paper's way to aggregate, is returned too.
Returns:
    thai_rouge_l: Mean F1, 0-100.
    thai_rouge_l_bootstrap_median: 0-100, only with bootstrap_seed.
    items: Number of predictions.
    signature: How the score came about.
"""


class ThaiRouge(evaluate.Metric):
    """ROUGE-L for Thai text with a signature."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
                datasets.Features({"predictions": text, "references": text}),
            ],
        )

    def _compute(
        self,
        predictions: list[str],
        references: list[list[str]] | list[str],
        normalization: str = "raw",
        keep_whitespace: bool = True,
        bootstrap_seed: int | None = None,
    ) -> dict[str, Any]:
        metric = RougeL(NewmmTokenizer(keep_whitespace=keep_whitespace, normalization=normalization))
        corpus = corpus_score(metric, predictions, references)
        result: dict[str, Any] = {
            "thai_rouge_l": corpus.value,
            "items": corpus.items,
            "signature": str(corpus.signature),
        }
        if bootstrap_seed is not None:
            item_scores = corpus_statistics(metric, predictions, references)[:, 0]
            result["thai_rouge_l_bootstrap_median"] = bootstrap_median(item_scores, seed=bootstrap_seed)
        return result
