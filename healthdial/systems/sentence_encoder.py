"""A text encoder of sentence-transformers that keeps the end of a query and the start of a document."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from healthdial.systems.pretrained import POOLER, whole_checkpoints
from healthdial.systems.text_prefixes import Prefixes, prefixes_of
from healthdial.systems.vector_cache import module_fingerprint
from hub.errors import BenchError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_SIZE = 32


@dataclass(frozen=True)
class SentenceEncoder:
    """A model with its prefixes.

    Vectors have length 1 (cosine), unless the model's configuration asks for the plain dot product.

    Attributes:
        model: A ``sentence_transformers.SentenceTransformer``.
        prefixes: Before queries and documents.
        batch_size: Texts at once; sentence-transformers sorts them by length first.
    """

    model: Any
    prefixes: Prefixes
    batch_size: int = BATCH_SIZE

    @classmethod
    def load(
        cls, model: str, *, revision: str | None = None, prefixes: str | None = None, batch_size: int = BATCH_SIZE
    ) -> SentenceEncoder:
        """Load a model onto this process's device.

        Code in a model's repository is not run.

        Args:
            model: Folder or Hub id.
            revision: Branch, tag or commit on the Hub.
            prefixes: As in ``text_prefixes.prefixes_of``.
            batch_size: Texts at once.

        Raises:
            BenchError: sentence-transformers is missing, the model can't be loaded, lacks weights, or encodes no text.
        """
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise BenchError(
                "dense retrieval needs sentence-transformers; install it with "
                "pip install -c constraints.txt '.[retrieval]'"
            ) from error
        from accelerate import PartialState

        try:
            # sentence-transformers reads the vectors of all positions, never what the pooler makes of the first.
            with whole_checkpoints(model, unused=POOLER):
                loaded = SentenceTransformer(model, revision=revision, device=str(PartialState().device))
                if not loaded.supports("text"):
                    raise BenchError(f"{model} does not encode text; take a text encoder, such as BAAI/bge-m3")
        except (OSError, ValueError, RuntimeError) as error:
            raise BenchError(
                f"{model}: sentence-transformers can't load it ({str(error).splitlines()[0]}). It must be a folder, "
                "or a model on the Hub that needs no code of its own."
            ) from error
        return cls(loaded, prefixes_of(model, loaded.prompts, prefixes), batch_size)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of weights, structure and tokenizer."""
        return module_fingerprint(self.model, self.model.tokenizer)

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents; what is too long loses its end."""
        return self._encode(texts, self.prefixes.document)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of queries; what is too long loses its start, after the prefix.

        The current question stands at the end of a history. Cut there, as the authors' MiniLM does after 128 tokens,
        all turns of a long dialogue have the same query.
        """
        return self._encode([self.last_part(text) for text in texts], self.prefixes.query)

    def last_part(self, text: str) -> str:
        """Return the longest end of a query that fits into the model behind the prefix."""
        longest = self.model.max_seq_length
        if longest is None or longest == float("inf"):
            return text

        def fits(start: int) -> bool:
            return self._tokens(self.prefixes.query + text[start:]) <= longest

        return text if fits(0) else text[bisect.bisect_left(range(len(text)), True, key=fits) :]

    def _tokens(self, text: str) -> int:
        """Return the number of tokens of a text, those that start and end it counted."""
        return len(self.model.tokenizer(text, truncation=False, verbose=False)["input_ids"])

    def _encode(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        import numpy as np

        vectors = self.model.encode(
            list(texts),
            prompt=prefix,
            batch_size=self.batch_size,
            show_progress_bar=False,
            normalize_embeddings=self.model.similarity_fn_name != "dot",
        )
        return np.asarray(vectors, dtype=np.float32)
