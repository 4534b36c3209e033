"""What a text retriever is, and its rankings as the answers of a lighteval model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lighteval.tasks.requests import Doc

from healthdial.systems.corpus import documents_by_language
from metrics.lighteval_dialogue import ranking_answer

RETRIEVED = 10
"""Length of a ranking, as in the authors' scripts."""


class Retriever(Protocol):
    """Ranks the snippets of a language for queries in it."""

    def rankings(self, language: str, queries: Sequence[str]) -> list[list[str]]:
        """Return the ids of the ``RETRIEVED`` best snippets of every query, best first.

        Args:
            language: ISO 639-3 code of queries and snippets.
            queries: Texts, the current question at their end.
        """


def ranked_answers(retriever: Retriever, docs: Sequence[Doc], queries: Sequence[str]) -> list[str]:
    """Return the ranking of every document as an answer.

    Args:
        retriever: Ranks the snippets.
        docs: Documents; their language is in ``specific``.
        queries: The text to search by, one a document.
    """
    answers = [""] * len(docs)
    for language, positions in documents_by_language(docs).items():
        rankings = retriever.rankings(language, [queries[position] for position in positions])
        for position, ranking in zip(positions, rankings, strict=True):
            answers[position] = ranking_answer(ranking)
    return answers
