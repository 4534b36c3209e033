"""What the custom models of both data sets share: a lighteval model that answers by a function of the documents."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from lighteval.models.abstract_model import LightevalModel, ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc
from lighteval.utils.cache_management import SampleCache


def specific(doc: Doc) -> dict[str, Any]:
    """Return what the task put into a document: id, item, texts and origin of its row."""
    return doc.specific or {}


class AnsweringModel(LightevalModel):
    """A model whose ``answers`` maps documents to texts.

    lighteval takes the first subclass of ``LightevalModel`` that it finds in a model file by name, so a model file
    imports this module, never this class.

    Attributes:
        is_sharded: Whether each process of ``torchrun`` answers its share of the documents and all get all answers;
            models that take no time answer everything in each process.
    """

    is_sharded: ClassVar[bool] = False

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        # The pipeline hands its registry to the cache of every model; answers made here are never cached.
        self._cache = SampleCache(config)

    @abstractmethod
    def answers(self, docs: list[Doc]) -> list[str]:
        """Return one answer per document, in order."""

    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        """Answer every document."""
        texts = self._sharded_answers(docs) if self.is_sharded else self.answers(docs)
        return [ModelResponse(input=doc.query, text=[text]) for doc, text in zip(docs, texts, strict=True)]

    def _sharded_answers(self, docs: list[Doc]) -> list[str]:
        """Answer every n-th document in each of n processes; return all answers in the order of the documents."""
        from accelerate import PartialState
        from accelerate.utils import gather_object

        state = PartialState()
        own = range(state.process_index, len(docs), state.num_processes)
        answered = list(zip(own, self.answers([docs[index] for index in own]), strict=True))
        texts = dict(gather_object(answered) if state.num_processes > 1 else answered)
        return [texts[index] for index in range(len(docs))]

    @property
    def tokenizer(self) -> Any:
        """None: these models work on text."""
        return None

    @property
    def add_special_tokens(self) -> bool:
        """Always False: there is no tokenizer."""
        return False

    @property
    def max_length(self) -> int:
        """No limit: the largest 32-bit integer."""
        return 2**31 - 1

    def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        """Refuse: a text answer has no probability."""
        raise NotImplementedError(f"{self.config.model_name} gives texts only, no probabilities")

    def loglikelihood_rolling(self, docs: list[Doc]) -> list[ModelResponse]:
        """Refuse: a text answer has no probability."""
        raise NotImplementedError(f"{self.config.model_name} gives texts only, no probabilities")
