"""BM25 as `rank_bm25.BM25Okapi` computes it, on a sparse matrix, for many queries at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csc_array, csr_array

CELLS_PER_BATCH = 4_000_000
"""Scores computed at once: 32 MB, and up to 150 MB with the sparse product before them and their sorting."""


@dataclass(frozen=True)
class BM25Index:
    """A corpus, ready to be searched.

    The score of document d for a query q is the sum, over the terms of q as often as they occur, of
    ``idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / mean |d|))`` with tf the count of t in d and |d| its
    length in tokens. ``idf(t) = log(N - n + 0.5) - log(n + 0.5)`` for a term in n of N documents; where that is
    negative (n > N / 2) it is ``epsilon`` times the mean idf of all terms, itself below 0 in some tiny corpora.
    Scores are those of ``rank_bm25.BM25Okapi`` 0.2.2 to the last bit, because all operations come in the same order.

    Attributes:
        weights: Each term's contribution to each document's score, documents x terms, float64.
        vocabulary: Term -> column of ``weights``.
        tokenize: Text -> terms, for documents and queries alike.
    """

    weights: csc_array
    vocabulary: dict[str, int]
    tokenize: Callable[[str], Sequence[str]]

    @classmethod
    def build(
        cls,
        documents: Sequence[str],
        tokenize: Callable[[str], Sequence[str]],
        *,
        k1: float = 1.5,
        b: float = 0.75,
        epsilon: float = 0.25,
    ) -> BM25Index:
        """Index a corpus.

        Args:
            documents: Texts; their order decides between equal scores. Empty texts score 0 on every query. Unlike in
                rank_bm25, a corpus without any document or term is allowed: its scores are 0.
            tokenize: Text -> terms, for documents and queries alike.
            k1: How slowly repetitions of a term saturate; >= 0.
            b: How far the length of a document counts; 0 to 1.
            epsilon: Share of the mean idf that terms with a negative idf get.
        """
        import numpy as np
        from scipy.sparse import csc_array

        counts = [Counter(tokenize(document)) for document in documents]
        document_frequencies = Counter(term for count in counts for term in count)
        vocabulary = {term: column for column, term in enumerate(document_frequencies)}
        idf = np.array(_inverse_document_frequencies(list(document_frequencies.values()), len(documents), epsilon))
        lengths = np.array([count.total() for count in counts], dtype=np.int64)

        rows = np.repeat(np.arange(len(counts)), [len(count) for count in counts])
        columns = np.array([vocabulary[term] for count in counts for term in count], dtype=np.int64)
        frequencies = np.array([n for count in counts for n in count.values()], dtype=np.int64)
        mean_length = lengths.sum() / max(len(counts), 1)
        saturated = frequencies * (k1 + 1) / (frequencies + k1 * (1 - b + b * lengths[rows] / mean_length))
        weights = csc_array((idf[columns] * saturated, (rows, columns)), shape=(len(counts), len(vocabulary)))
        return cls(weights, vocabulary, tokenize)

    def scores(self, queries: Sequence[str]) -> NDArray[np.float64]:
        """Return the score of every document for every query.

        Args:
            queries: Texts. A query without a known term, the empty one among them, scores 0 everywhere.

        Returns:
            Scores, queries x documents; 8 bytes each. Use ``top`` where only the best documents matter.
        """
        import numpy as np

        result = np.zeros((len(queries), self.weights.shape[0]))
        for rows in self._batches(len(queries)):
            result[rows] = self._batch_scores(queries[rows])
        return result

    def top(self, queries: Sequence[str], n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the best documents of every query.

        Args:
            queries: Texts.
            n: Documents a query, at least 0; a corpus of fewer is ranked as a whole.

        Returns:
            Indices into the corpus and their scores, both queries x min(n, documents), best first. Equal scores stand
            in the order of the corpus, so a query without a known term gets the first documents with score 0.

        Raises:
            ValueError: ``n`` is negative.
        """
        import numpy as np

        if n < 0:
            raise ValueError(f"n must be at least 0, not {n}")
        width = min(n, self.weights.shape[0])
        indices = np.zeros((len(queries), width), dtype=np.int64)
        best = np.zeros((len(queries), width))
        for rows in self._batches(len(queries)):
            scores = self._batch_scores(queries[rows])
            indices[rows] = np.argsort(-scores, axis=1, kind="stable")[:, :width]
            best[rows] = np.take_along_axis(scores, indices[rows], axis=1)
        return indices, best

    def _batches(self, queries: int) -> Iterator[slice]:
        """Yield slices of the queries whose scores are ``CELLS_PER_BATCH`` at most, or one query each."""
        size = max(1, CELLS_PER_BATCH // max(1, self.weights.shape[0]))
        return (slice(start, start + size) for start in range(0, queries, size))

    def _batch_scores(self, queries: Sequence[str]) -> NDArray[np.float64]:
        product: csr_array = self._query_terms(queries) @ self.weights.T
        return product.toarray()

    def _query_terms(self, queries: Sequence[str]) -> csr_array:
        """Return queries x terms with a 1 for every occurrence of a known term, in the order of the text."""
        import numpy as np
        from scipy.sparse import csr_array

        columns = [
            [self.vocabulary[term] for term in self.tokenize(query) if term in self.vocabulary] for query in queries
        ]
        starts = np.cumsum([0, *map(len, columns)])
        indices = np.array([column for query in columns for column in query], dtype=np.int64)
        # Repeated columns are left unmerged: the product adds them one by one, in rank_bm25's order of additions.
        return csr_array((np.ones(len(indices)), indices, starts), shape=(len(queries), len(self.vocabulary)))


def _inverse_document_frequencies(document_frequencies: Sequence[int], documents: int, epsilon: float) -> list[float]:
    """Return each term's idf, with the floor for terms in more than half of the documents."""
    idf = [math.log(documents - n + 0.5) - math.log(n + 0.5) for n in document_frequencies]
    floor = epsilon * sum(idf) / len(idf) if idf else 0.0
    return [floor if value < 0 else value for value in idf]
