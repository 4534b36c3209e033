"""BM25 as a lighteval model: ranks the parallel snippets of a query's language."""

from __future__ import annotations

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.systems.bm25_retriever import CHINESE, Bm25Retriever
from healthdial.systems.model_string import ModelString
from healthdial.systems.retriever import ranked_answers
from metrics import lighteval_models as base


class Bm25Model(base.AnsweringModel):
    """Run it with ``python -m tasks custom bm25 healthdial/systems/bm25.py "healthdial_retrieval|0"``.

    ``bm25-bigrams=bigrams`` in place of ``bm25`` cuts Chinese into pairs of characters.

    Raises:
        BenchError: The model string has no name, or asks for another way to cut Chinese.
    """

    components = ("healthdial_retrieval",)

    def __init__(self, config: ModelConfig) -> None:
        asked = ModelString.parse(config.model_name, model=f"[{'|'.join(CHINESE)}]")
        self._retriever = Bm25Retriever(asked.model or CHINESE[0])
        super().__init__(config.model_copy(update={"model_name": asked.name}))

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the ten best snippets of every query, as the authors' scripts rank them."""
        return ranked_answers(self._retriever, docs, [doc.query for doc in docs])
