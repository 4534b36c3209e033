"""Speech-to-text retrieval as a lighteval model: a dual encoder for sound and text."""

from __future__ import annotations

from collections import defaultdict

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.systems.audio_text_encoder import AudioTextEncoder
from healthdial.systems.corpus import documents_by_language
from healthdial.systems.model_state import dialogue_of
from healthdial.systems.model_string import ModelString
from healthdial.systems.speech_retriever import SpeechRetriever
from hub.fingerprint import fingerprint
from metrics import lighteval_models as base
from metrics.lighteval_dialogue import ranking_answer


class SpeechRetrievalModel(base.AnsweringModel):
    """Run it with ``python -m tasks custom NAME=MODEL healthdial/systems/speech_retrieval.py TASK``.

    TASK is ``"healthdial_speech_retrieval|0"``; NAME stands in the results; MODEL is the folder or Hub id of a CLAP
    model of transformers, with ``,revision=...`` if wished. Memory besides the model: the waveform of one dialogue
    (11.5 MB a minute at 48 kHz), the recordings of ten (about 40 MB), and a row group of the data (at most 192 MB).

    Raises:
        BenchError: The model string is wrong or the model can't be loaded.
    """

    is_sharded = True
    components = ("healthdial_speech_retrieval",)
    # Queries of a dialogue share windows.
    shard_key = staticmethod(dialogue_of)

    def __init__(self, config: ModelConfig) -> None:
        string = ModelString.parse(config.model_name, ("revision",))
        self._retriever = SpeechRetriever(AudioTextEncoder.load(string.model, string.settings.get("revision")))
        super().__init__(config.model_copy(update={"model_name": string.name}))

    @property
    def answers_fingerprint(self) -> str:
        """The state of the encoder."""
        return fingerprint(self._retriever.key)

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the ten best snippets of every query."""
        answers = [""] * len(docs)
        for language, positions in documents_by_language(docs).items():
            queries: dict[str, list[str]] = defaultdict(list)
            for position in positions:
                place = base.specific(docs[position])
                queries[place["dialogue_id"]].append(place["id"])
            rankings = self._retriever.rankings(language, queries)
            for position in positions:
                answers[position] = ranking_answer(rankings[base.specific(docs[position])["id"]])
        return answers
