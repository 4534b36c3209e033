"""What the custom models of both data sets share: a lighteval model that answers by a function of the documents."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from lighteval.models.abstract_model import LightevalModel, ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc
from lighteval.utils.cache_management import SampleCache


def specific(doc: Doc) -> dict[str, Any]:
    """Return what the task put into a document: id, item, texts and origin of its row."""
    return doc.specific or {}


class AnswerKeeper(Protocol):
    """Keeps the answers of a model on disk, so that a stopped run goes on where it was."""

    @property
    def every(self) -> int:
        """After how many documents a process stores its answers."""

    def found(self, docs: Sequence[Doc]) -> Mapping[int, str]:
        """Return position -> answer of an earlier run; the same in every process."""

    def keep(self, docs: Sequence[Doc], answers: Sequence[str]) -> None:
        """Store answers of this process."""


class AnsweringModel(LightevalModel):
    """A model whose ``answers`` maps documents to texts.

    lighteval takes the first subclass of ``LightevalModel`` that it finds in a model file by name, so a model file
    imports this module, never this class.

    Attributes:
        is_sharded: Whether each process of ``torchrun`` answers its share of the documents and all get all answers;
            models that take no time answer everything in each process.
        components: Tasks that it answers, without language, such as ``healthdial_asr``; None: any.
        kept_otherwise: What an interrupted run leaves although answers are not kept, for the message.
        keeper: Where the runner keeps its answers; None: nowhere.
    """

    is_sharded: ClassVar[bool] = False
    components: ClassVar[tuple[str, ...] | None] = None
    kept_otherwise: ClassVar[str] = ""
    keeper: AnswerKeeper | None = None

    def __init__(self, config: ModelConfig) -> None:
        self.config = config
        # The pipeline hands its registry to the cache of every model; lighteval's cache is not used.
        self._cache = SampleCache(config)

    @property
    def answers_fingerprint(self) -> str:
        """What the answers depend on besides documents, data set, model string and code: the weights, say.

        A system that takes long says so, and its answers are kept. Empty: they are not, since it is quick or its
        weights can't be told apart from others.
        """
        return ""

    @abstractmethod
    def answers(self, docs: list[Doc]) -> list[str]:
        """Return one answer per document, in order."""

    @staticmethod
    def shard_key(doc: Doc) -> tuple[Any, ...] | None:
        """Return a key by which documents are sorted; those with the same are answered at once by one process.

        None, the default, leaves the documents in their order, each by itself. It is overridden where documents share
        work, or where their order in the data set saves reading.
        """
        return None

    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        """Answer every document, except those that an earlier run answered."""
        texts = dict(self.keeper.found(docs)) if self.keeper else {}
        texts |= self._answered(docs, [index for index in range(len(docs)) if index not in texts])
        return [ModelResponse(input=doc.query, text=[texts[index]]) for index, doc in enumerate(docs)]

    def _answered(self, docs: Sequence[Doc], positions: Iterable[int]) -> dict[int, str]:
        """Return position -> answer of all these documents, those of other processes included."""
        groups = self._groups(docs, positions)
        if not self.is_sharded:
            return self._answered_here(docs, groups)
        from accelerate import PartialState
        from accelerate.utils import gather_object

        state = PartialState()
        own = self._answered_here(docs, groups[state.process_index :: state.num_processes])
        return dict(gather_object(list(own.items()))) if state.num_processes > 1 else own

    def _groups(self, docs: Sequence[Doc], positions: Iterable[int]) -> list[list[int]]:
        """Return positions that belong together, in the order of their keys."""
        groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for position in positions:
            key = self.shard_key(docs[position])
            groups[(position,) if key is None else key].append(position)
        return [groups[key] for key in sorted(groups)]

    def _answered_here(self, docs: Sequence[Doc], groups: Sequence[Sequence[int]]) -> dict[int, str]:
        """Answer documents in this process, and keep the answers chunk by chunk."""
        answered: dict[int, str] = {}
        for chunk in _chunks(groups, self.keeper.every if self.keeper else None):
            chosen = [docs[position] for position in chunk]
            texts = self.answers(chosen)
            answered.update(zip(chunk, texts, strict=True))
            if self.keeper:
                self.keeper.keep(chosen, texts)
        return answered

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


def _chunks(groups: Sequence[Sequence[int]], size: int | None) -> Iterator[list[int]]:
    """Yield whole groups together until there are ``size`` documents; all at once where it is None."""
    chunk: list[int] = []
    for group in groups:
        chunk += group
        if size is not None and len(chunk) >= size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
