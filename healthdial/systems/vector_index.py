"""Exact search in vectors: the best documents by dot product, equal ones by id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from healthdial.systems.corpus import Corpus
from hub.errors import BenchError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CELLS_PER_BATCH = 4_000_000
"""Scores computed at once: 16 MB, and about 80 MB with their sorting."""


@dataclass(frozen=True)
class VectorIndex:
    """A corpus as vectors.

    Attributes:
        ids: Ids of the documents, sorted.
        rows: Row in ``vectors`` of each document; documents of equal text share one, so that their scores are equal.
        vectors: One a different text, shape (texts, dimensions), float32. For cosines they have length 1.
    """

    ids: tuple[str, ...]
    rows: NDArray[np.int64]
    vectors: NDArray[np.float32]

    @classmethod
    def build(cls, corpus: Corpus, encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> VectorIndex:
        """Index a corpus.

        Args:
            corpus: Documents in any order.
            encode: Texts -> vectors.
        """
        import numpy as np

        documents = sorted(zip(corpus.ids, corpus.texts, strict=True))
        texts = sorted(set(corpus.texts))
        row_of = {text: row for row, text in enumerate(texts)}
        rows = np.array([row_of[text] for _, text in documents], dtype=np.int64)
        return cls(tuple(identifier for identifier, _ in documents), rows, encode(texts))

    def top(self, queries: NDArray[np.float32], n: int) -> list[list[str]]:
        """Return the ids of the ``n`` documents with the largest dot product, best first, equal ones by id.

        Memory is 4 bytes a query and document, at most ``CELLS_PER_BATCH`` of them at once.

        Args:
            queries: Shape (queries, dimensions).
            n: Documents a query; a smaller corpus is ranked as a whole.

        Raises:
            BenchError: A score is not finite: the model gives no usable vectors.
        """
        import numpy as np

        size = max(1, CELLS_PER_BATCH // max(1, len(self.ids)))
        best: list[list[str]] = []
        for start in range(0, len(queries), size):
            scores = (queries[start : start + size] @ self.vectors.T)[:, self.rows]
            if not np.isfinite(scores).all():
                raise BenchError("the model's vectors hold infinity or nan; load it in another precision")
            order = np.argsort(-scores, axis=1, kind="stable")[:, :n]
            best += [[self.ids[document] for document in ranked] for ranked in order]
        return best
