"""Speech retrieval by transcript as a lighteval model: saved speech recognition, then text retrieval."""

from __future__ import annotations

from pathlib import Path

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.schema import TASK_PREFIX
from healthdial.systems.bm25_retriever import CHINESE, Bm25Retriever
from healthdial.systems.corpus import documents_by_language
from healthdial.systems.dense_retriever import SETTINGS, DenseRetriever
from healthdial.systems.histories import Utterance, history
from healthdial.systems.model_state import dialogue_of, files_state
from healthdial.systems.model_string import ModelString
from healthdial.systems.retriever import Retriever, ranked_answers
from healthdial.systems.saved_answers import saved_answer
from hub.fingerprint import fingerprint
from metrics import lighteval_models as base

ASR = (f"{TASK_PREFIX}asr",)
BM25 = "bm25"


class CascadeModel(base.AnsweringModel):
    """Run it with ``python -m tasks custom NAME=RUN healthdial/systems/cascade.py TASK``.

    TASK is ``"healthdial_speech_retrieval|0"``; NAME stands in the results; RUN is the ``--output-dir`` of a finished
    run of ``healthdial_asr``, of several the newest counts. The query is the history as in text retrieval, with the
    run's transcripts of the user turns; system turns are text that the system itself wrote. Settings follow with
    commas: ``retriever`` (``bm25``, the default, or what ``dense.py`` takes, with its settings) and ``chinese``
    (BM25: ``jieba`` or ``bigrams``).

    Raises:
        BenchError: The model string is wrong, there is no such run, or it lacks a transcript.
    """

    is_sharded = True
    components = (f"{TASK_PREFIX}speech_retrieval",)
    shard_key = staticmethod(dialogue_of)

    def __init__(self, config: ModelConfig) -> None:
        string = ModelString.parse(config.model_name, ("retriever", "chinese", *SETTINGS))
        self._run = string.model
        self._retriever = _retriever(string)
        super().__init__(config.model_copy(update={"model_name": string.name}))

    @property
    def answers_fingerprint(self) -> str:
        """The state of transcripts and encoder; empty with BM25, which is quick."""
        details = sorted(Path(self._run).expanduser().rglob(f"details_{ASR[0]}:*.parquet"))
        if not details or not isinstance(self._retriever, DenseRetriever):
            return ""
        return fingerprint([files_state(details), self._retriever.state])

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the ten best snippets of every query."""
        return ranked_answers(self._retriever, docs, self.queries(docs))

    def queries(self, docs: list[Doc]) -> list[str]:
        """Return the history of every document, its user turns as the recogniser heard them.

        Raises:
            BenchError: The run has no transcript of a user turn.
        """
        queries = [""] * len(docs)
        for language, positions in documents_by_language(docs).items():
            for position in positions:
                place = base.specific(docs[position])
                said = history(language, place["dialogue_id"], place["id"])
                queries[position] = " ".join(filter(None, (self._heard(one, language) for one in said)))
        return queries

    def _heard(self, said: Utterance, language: str) -> str | None:
        """Return an utterance as the recogniser heard it if it is the user's."""
        return saved_answer(self._run, ASR, language, said.utterance_id).text if said.is_user else said.text


def _retriever(string: ModelString) -> Retriever:
    """Return the text retriever that a model string asks for."""
    model = string.settings.get("retriever", BM25)
    if model == BM25:
        return Bm25Retriever(string.settings.get("chinese", CHINESE[0]))
    return DenseRetriever.load(model, string)
