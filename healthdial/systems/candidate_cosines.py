"""Scores of candidates by a text encoder: the cosine of history and snippet, for candidates of any retriever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from healthdial.systems.corpus import corpus_of
from healthdial.systems.dense_retriever import DenseRetriever
from healthdial.systems.vector_index import VectorIndex
from hub.errors import BenchError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class CandidateCosines:
    """Scores candidates of one language.

    Attributes:
        retriever: Holds the encoder, and keeps the snippets' vectors.
        language: ISO 639-3 code.
    """

    retriever: DenseRetriever
    language: str

    def scores(self, queries: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[list[float]]:
        """Return the scores of each query's candidates, in their order.

        Raises:
            BenchError: A candidate is no snippet of the retrieval corpus, or a score is not finite.
        """
        import numpy as np

        index = self._index()
        row_of = dict(zip(index.ids, index.rows.tolist(), strict=True))
        scores = []
        for vector, ids in zip(self._vectors(queries), candidates, strict=True):
            if unknown := [one for one in ids if one not in row_of]:
                raise BenchError(f"{unknown[0]} is no parallel snippet of {self.language}, it has no score")
            found = index.vectors[[row_of[one] for one in ids]] @ vector
            if not np.isfinite(found).all():
                raise BenchError("the model's vectors hold infinity or nan; load it in another precision")
            scores.append(found.tolist())
        return scores

    def best(self, queries: Sequence[str], n: int) -> list[list[str]]:
        """Return the ids of the ``n`` snippets with the highest score for each query, best first."""
        return self._index().top(self._vectors(queries), n)

    def _index(self) -> VectorIndex:
        cache, encoder = self.retriever.cache, self.retriever.encoder
        return VectorIndex.build(
            corpus_of(self.language), lambda texts: cache.vectors(self.retriever.key, texts, encoder.documents)
        )

    def _vectors(self, queries: Sequence[str]) -> NDArray[np.float32]:
        return self.retriever.encoder.queries(queries)
