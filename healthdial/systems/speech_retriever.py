"""Speech-to-text retrieval over the snippets of a language: a dual encoder for sound and text, exact search."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING

from healthdial.systems.audio_text_encoder import AudioTextEncoder, windows_of
from healthdial.systems.corpus import corpus_of
from healthdial.systems.retriever import RETRIEVED
from healthdial.systems.spoken_queries import SpokenDialogue, spoken_dialogues
from healthdial.systems.vector_cache import VectorCache
from healthdial.systems.vector_index import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SpeechRetriever:
    """Ranks snippets by the mean vector of the windows of a spoken history.

    Attributes:
        encoder: Encodes windows and snippets.
        cache: Where the vectors of the corpora are kept.
    """

    encoder: AudioTextEncoder
    cache: VectorCache = field(default_factory=VectorCache)

    @cached_property
    def key(self) -> dict[str, str]:
        """What decides on a snippet's vector besides its text."""
        return {
            "encoder": self.encoder.fingerprint,
            "longest_text": str(self.encoder.longest_text),
            "libraries": f"transformers {version('transformers')}, torch {version('torch')}",
        }

    def rankings(self, language: str, queries: dict[str, list[str]]) -> dict[str, list[str]]:
        """Return query id -> ids of the best snippets, best first, equal scores by id.

        The query is the recordings of all utterances from the opening to the current user turn, end to end. Those
        without a recording are left out; how many, and in how many queries, is logged as a warning. A query without
        any recording retrieves nothing.

        Args:
            language: ISO 639-3 code.
            queries: Dialogue id -> ids of its queries.
        """
        index = VectorIndex.build(
            corpus_of(language), lambda texts: self.cache.vectors(self.key, texts, self.encoder.texts)
        )
        rankings: dict[str, list[str]] = {}
        missing: dict[str, int] = {}
        for dialogue in spoken_dialogues(language, queries, self.encoder.sample_rate):
            missing |= dialogue.missing
            vectors = self.query_vectors(dialogue)
            best = index.top(_stacked(vectors), RETRIEVED) if vectors else []
            rankings |= {query_id: [] for query_id in dialogue.ends} | dict(zip(vectors, best, strict=True))
        _warn_of_missing(language, missing, rankings)
        return rankings

    def query_vectors(self, dialogue: SpokenDialogue) -> dict[str, NDArray[np.float32]]:
        """Return query id -> mean of the vectors of its windows, scaled to length 1; silent of queries of length 0."""
        import numpy as np

        windows = {query_id: windows_of(end, self.encoder.window) for query_id, end in dialogue.ends.items() if end}
        places = sorted({place for of_query in windows.values() for place in of_query})
        if not places:
            return {}
        encoded = self.encoder.windows([dialogue.samples[start:end] for start, end in places])
        vectors = dict(zip(places, encoded, strict=True))
        means = {
            query_id: np.mean([vectors[one] for one in of_query], axis=0) for query_id, of_query in windows.items()
        }
        return {query_id: mean / max(float(np.linalg.norm(mean)), 1e-12) for query_id, mean in means.items()}


def _stacked(vectors: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    import numpy as np

    return np.stack(list(vectors.values()))


def _warn_of_missing(language: str, missing: dict[str, int], rankings: dict[str, list[str]]) -> None:
    """Log how many queries are partial or empty for want of recordings, and the first of them."""
    partial = [query_id for query_id, count in missing.items() if count]
    if partial:
        empty = sum(1 for ranking in rankings.values() if not ranking)
        logger.warning(
            f"speech retrieval {language}: {len(partial)} of {len(missing)} queries lack recordings of "
            f"{sum(missing.values())} utterances in all; {empty} have none and retrieve nothing. "
            f"Partial: {', '.join(sorted(partial)[:5])}{', ...' if len(partial) > 5 else ''}"
        )
