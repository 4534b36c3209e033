"""BM25 over the snippets of a language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from healthdial.bm25 import BM25Index
from healthdial.systems.chinese_bigrams import BIGRAMS
from healthdial.systems.corpus import corpus_of
from healthdial.systems.retriever import RETRIEVED
from healthdial.tokenization import retrieval_tokenizer
from hub.errors import BenchError

CHINESE = ("jieba", "bigrams")
"""How Chinese is cut: into jieba's words as the authors do, or into pairs of characters."""


@dataclass(frozen=True)
class Bm25Retriever:
    """The authors' BM25.

    Attributes:
        chinese: One of ``CHINESE``.

    Raises:
        BenchError: ``chinese`` is something else.
    """

    chinese: str = CHINESE[0]

    def __post_init__(self) -> None:
        if self.chinese not in CHINESE:
            raise BenchError(f"bm25: Chinese is cut by {' or '.join(CHINESE)}, not by {self.chinese!r}")

    def rankings(self, language: str, queries: Sequence[str]) -> list[list[str]]:
        """Return the ids of the best snippets of every query; equal scores stand in the order of the corpus."""
        corpus = corpus_of(language)
        is_bigrams = language == "zho" and self.chinese == "bigrams"
        index = BM25Index.build(corpus.texts, BIGRAMS if is_bigrams else retrieval_tokenizer(language))
        best, _ = index.top(queries, RETRIEVED)
        return [[corpus.ids[document] for document in ranked] for ranked in best]
