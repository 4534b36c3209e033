"""The retrieval corpus of a language, and documents sorted by language: what all retrievers need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.schema import CORPUS_SPLIT, data_location
from hub.location import DataLocation


@dataclass(frozen=True)
class Corpus:
    """The parallel snippets of a language in the order of the data set.

    Attributes:
        ids: Snippet ids.
        texts: Topic, title and content of each, joined by one space (the authors' scripts).
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]


def corpus_of(language: str) -> Corpus:
    """Return the retrieval corpus of a language from the built data set."""
    return _corpus(data_location(), language)


@lru_cache(maxsize=8)
def _corpus(location: DataLocation, language: str) -> Corpus:
    rows = BuiltData(location).rows(f"snippets_{language}", CORPUS_SPLIT)
    parallel = [row for row in rows if row["is_parallel"]]
    return Corpus(
        tuple(row["snippet_id"] for row in parallel),
        tuple(f"{row['topic']} {row['title']} {row['content']}" for row in parallel),
    )


def documents_by_language(docs: Sequence[Doc]) -> dict[str, list[int]]:
    """Return language -> positions of its documents."""
    positions: dict[str, list[int]] = defaultdict(list)
    for position, doc in enumerate(docs):
        positions[(doc.specific or {})["language"]].append(position)
    return dict(positions)
