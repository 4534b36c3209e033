"""A speech recogniser of transformers as a lighteval model."""

from __future__ import annotations

from typing import ClassVar

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.systems.model_state import loaded_state, turn_of
from healthdial.systems.model_string import ModelString
from healthdial.systems.recognition import DEFAULT_BATCH_SECONDS
from healthdial.systems.recognizers import load_recognizer
from healthdial.systems.transcription import transcribed
from metrics import lighteval_models as base


class AsrModel(base.AnsweringModel):
    """Transcribes the user turns of the test dialogues with any speech-seq2seq or CTC model.

    The model string is ``NAME=MODEL[,revision=...][,batch_seconds=...]``: MODEL is an id on the Hub or a folder, a
    batch holds at most ``batch_seconds`` (240) of padded speech. Run it with
    ``python -m tasks custom "whisper-small=openai/whisper-small" healthdial/systems/asr.py "healthdial_asr|0"``.

    Decoding is greedy. Language: Whisper is told the data's; other models have no common way to be told
    (`PipelineRecognizer`, `CtcRecognizer`). No recording is cut off at 30 s. A turn without a recording has an empty
    transcript.

    Raises:
        BenchError: The model string is wrong, or the model cannot be loaded.
    """

    is_sharded: ClassVar[bool] = True
    components = ("healthdial_asr",)
    shard_key = staticmethod(turn_of)

    def __init__(self, config: ModelConfig) -> None:
        asked = ModelString.parse(config.model_name, ("revision", "batch_seconds"))
        super().__init__(config.model_copy(update={"model_name": asked.name}))
        self._model = asked.model
        self.recognizer = load_recognizer(
            asked.model, asked.settings.get("revision"), asked.number("batch_seconds", DEFAULT_BATCH_SECONDS)
        )

    @property
    def answers_fingerprint(self) -> str:
        """The state of the model; empty for a model of the Hub whose commit isn't known."""
        return loaded_state(self._model, self.recognizer.model)

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the transcript of every document's recording."""
        return transcribed(self.recognizer, docs)
