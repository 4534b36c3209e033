"""The Hugging Face evaluate module of Thai BLEU: a thin layer on `metrics.thai_text.Bleu`."""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from metrics.thai_text import Bleu, NewmmTokenizer, corpus_score

_DESCRIPTION = "Corpus BLEU-4 without smoothing on PyThaiNLP newmm tokens, as in Table 1 of arXiv 2504.05898."
_CITATION = "Papineni et al. 2002, https://aclanthology.org/P02-1040"
_INPUTS = """
Args:
    predictions: List of texts.
    references: List of texts, or list of lists of texts.
    normalization: 'raw' (default, as the paper) or 'nfc_sara_am'.
    keep_whitespace: Whether tokens of spaces are kept (default True, as the paper).
Returns:
    thai_bleu: BLEU, 0-100.
    precisions: Precisions of orders 1 to 4, 0-100.
    brevity_penalty: 0-1.
    hypothesis_length, reference_length: Tokens.
    items: Number of predictions.
    signature: How the score came about.
"""


class ThaiBleu(evaluate.Metric):
    """BLEU for Thai text with a signature."""

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
    ) -> dict[str, Any]:
        metric = Bleu(NewmmTokenizer(keep_whitespace=keep_whitespace, normalization=normalization))
        corpus = corpus_score(metric, predictions, references)
        score = metric.score(corpus.sums)
        return {
            "thai_bleu": score.score,
            "precisions": list(score.precisions),
            "brevity_penalty": score.brevity_penalty,
            "hypothesis_length": score.hypothesis_length,
            "reference_length": score.reference_length,
            "items": corpus.items,
            "signature": str(corpus.signature),
        }
