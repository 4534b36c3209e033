"""The metrics for Thai text in one place: BLEU, ROUGE-L and chrF with the newmm tokenizer.

All are `metrics.corpus_metric.CorpusMetric`: ``corpus_score(Bleu(), hypotheses, references)`` gives a value with its
signature. Each has its formula, parameters, edge cases and worked values in its own file.
"""

from metrics.bleu import Bleu, BleuScore
from metrics.chrf import Chrf
from metrics.corpus_metric import CorpusMetric, CorpusScore, corpus_score, corpus_statistics
from metrics.rouge import RougeL, RougeScore, bootstrap_median
from metrics.thai_normalization import NORMALIZATIONS, normalize
from metrics.thai_tokenizer import NewmmTokenizer, Tokenizer

__all__ = [
    "NORMALIZATIONS",
    "Bleu",
    "BleuScore",
    "Chrf",
    "CorpusMetric",
    "CorpusScore",
    "NewmmTokenizer",
    "RougeL",
    "RougeScore",
    "Tokenizer",
    "bootstrap_median",
    "corpus_score",
    "corpus_statistics",
    "normalize",
]
