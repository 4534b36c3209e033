"""Dense text retrieval as a lighteval model: any encoder of sentence-transformers, exact search."""

from __future__ import annotations

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.systems.dense_retriever import SETTINGS, DenseRetriever
from healthdial.systems.model_string import ModelString
from healthdial.systems.retriever import ranked_answers
from metrics import lighteval_models as base


class DenseModel(base.AnsweringModel):
    """Run it with ``python -m tasks custom NAME=MODEL healthdial/systems/dense.py "healthdial_retrieval|0"``.

    NAME stands in the results. MODEL is the folder or Hub id of an encoder that sentence-transformers (extra
    ``retrieval``) loads. Settings follow with commas: ``revision``, ``prefixes`` (a name in
    ``text_prefixes.PREFIXES``, or ``own``) and ``batch``.

    Raises:
        BenchError: The model string is wrong, sentence-transformers is missing, or the model can't be loaded.
    """

    is_sharded = True
    components = ("healthdial_retrieval",)

    def __init__(self, config: ModelConfig) -> None:
        string = ModelString.parse(config.model_name, SETTINGS)
        self._retriever = DenseRetriever.load(string.model, string)
        super().__init__(config.model_copy(update={"model_name": string.name}))

    @property
    def answers_fingerprint(self) -> str:
        """The state of the encoder."""
        return self._retriever.state

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the ten best snippets of every query."""
        return ranked_answers(self._retriever, docs, [doc.query for doc in docs])
