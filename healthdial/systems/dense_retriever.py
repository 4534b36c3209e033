"""Dense retrieval over the snippets of a language: an encoder of sentence-transformers, exact search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version

from healthdial.systems.corpus import corpus_of
from healthdial.systems.model_string import ModelString
from healthdial.systems.retriever import RETRIEVED
from healthdial.systems.sentence_encoder import BATCH_SIZE, SentenceEncoder
from healthdial.systems.vector_cache import VectorCache
from healthdial.systems.vector_index import VectorIndex
from hub.fingerprint import fingerprint

SETTINGS = ("revision", "prefixes", "batch")


@dataclass(frozen=True)
class DenseRetriever:
    """Ranks snippets by the vectors of an encoder.

    Attributes:
        encoder: The encoder.
        cache: Where the vectors of the corpora are kept.
    """

    encoder: SentenceEncoder
    cache: VectorCache = field(default_factory=VectorCache)

    @classmethod
    def load(cls, model: str, string: ModelString) -> DenseRetriever:
        """Load the encoder that a model string asks for.

        Args:
            model: Folder or Hub id.
            string: Holds the settings.

        Raises:
            BenchError: A setting is wrong, or the model can't be loaded.
        """
        encoder = SentenceEncoder.load(
            model,
            revision=string.settings.get("revision"),
            prefixes=string.settings.get("prefixes"),
            batch_size=math.ceil(string.number("batch", BATCH_SIZE)),
        )
        return cls(encoder)

    @cached_property
    def key(self) -> dict[str, str]:
        """What decides on a document's vector besides its text."""
        return {
            "encoder": self.encoder.fingerprint,
            "prefix": self.encoder.prefixes.document,
            "longest": str(self.encoder.model.max_seq_length),
            "similarity": str(self.encoder.model.similarity_fn_name),
            "libraries": f"sentence-transformers {version('sentence-transformers')}, "
            f"transformers {version('transformers')}, torch {version('torch')}",
        }

    @property
    def state(self) -> str:
        """What decides on a ranking besides query and corpus."""
        return fingerprint([self.key, self.encoder.prefixes.query])

    def rankings(self, language: str, queries: Sequence[str]) -> list[list[str]]:
        """Return the ids of the best snippets of every query; equal scores stand by id."""
        index = VectorIndex.build(
            corpus_of(language), lambda texts: self.cache.vectors(self.key, texts, self.encoder.documents)
        )
        return index.top(self.encoder.queries(queries), RETRIEVED)
