"""Speech retrieval by transcript as a lighteval model: saved speech recognition, then text retrieval."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.systems.bm25_retriever import CHINESE, Bm25Retriever
from healthdial.systems.corpus import documents_by_language
from healthdial.systems.dense_retriever import SETTINGS, DenseRetriever
from healthdial.systems.histories import Utterance, history
from healthdial.systems.model_string import ModelString
from healthdial.systems.retriever import Retriever, ranked_answers
from healthdial.systems.saved_transcripts import TASK, SavedTranscripts
from hub.errors import BenchError
from metrics import lighteval_models as base

BM25 = "bm25"


class CascadeModel(base.AnsweringModel):
    """Run it with ``python -m tasks custom NAME=DETAILS healthdial/systems/cascade.py TASK``.

    TASK is ``"healthdial_speech_retrieval|0"``; NAME stands in the results; DETAILS is the folder of details of a
    finished run of ``healthdial_asr``. The query is the history as in text retrieval, with the run's transcripts of
    the user turns; system turns are text that the system itself wrote. Settings follow with commas: ``retriever``
    (``bm25``, the default, or what ``dense.py`` takes, with its settings) and ``chinese`` (BM25: ``jieba`` or
    ``bigrams``).

    Raises:
        BenchError: The model string is wrong, or a transcript is missing.
    """

    is_sharded = True

    def __init__(self, config: ModelConfig) -> None:
        string = ModelString.parse(config.model_name, ("retriever", "chinese", *SETTINGS))
        self._transcripts = SavedTranscripts(Path(string.model).expanduser())
        self._retriever = _retriever(string)
        super().__init__(config.model_copy(update={"model_name": string.name}))

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
            transcripts = self._transcripts.of_language(language)
            for position in positions:
                place = base.specific(docs[position])
                said = history(language, place["dialogue_id"], place["id"])
                queries[position] = _heard(said, transcripts, language)
        return queries


def _retriever(string: ModelString) -> Retriever:
    """Return the text retriever that a model string asks for."""
    model = string.settings.get("retriever", BM25)
    if model == BM25:
        return Bm25Retriever(string.settings.get("chinese", CHINESE[0]))
    return DenseRetriever.load(model, string)


def _heard(said: tuple[Utterance, ...], transcripts: Mapping[str, str], language: str) -> str:
    """Return utterances joined by one space, as queries of text retrieval are."""
    absent = [one.utterance_id for one in said if one.is_user and one.utterance_id not in transcripts]
    if absent:
        raise BenchError(
            f"no transcript of {absent[0]} in the details of {TASK}:{language}; run it on the whole test split"
        )
    texts = (transcripts[one.utterance_id] if one.is_user else one.text for one in said)
    return " ".join(text for text in texts if text)
