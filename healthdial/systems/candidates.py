"""The candidates of a filtering item as a filter sees them, and its answer in the form of the task."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from lighteval.tasks.requests import Doc


@dataclass(frozen=True)
class Candidates:
    """The candidates of an item, best first.

    Attributes:
        shown: Their ids in the prompt.
        scores: Their scores by the retriever.
    """

    shown: tuple[str, ...]
    scores: tuple[float, ...]

    @classmethod
    def of(cls, doc: Doc) -> Candidates:
        """Return the candidates of a document of the filtering task."""
        specific = doc.specific or {}
        return cls(tuple(json.loads(specific["shown"])), tuple(json.loads(specific["scores"])))


def selection_answer(shown: Sequence[str]) -> str:
    """Return a selection as the answer of a filter: a JSON array of ids as shown."""
    return json.dumps(list(shown), ensure_ascii=False)
