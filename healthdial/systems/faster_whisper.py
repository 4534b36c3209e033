"""Whisper through faster-whisper (CTranslate2) as a lighteval model: quick on a CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.languages import LANGUAGES
from healthdial.systems.model_state import files_state, turn_of
from healthdial.systems.model_string import ModelString
from healthdial.systems.recognition import Recognizer, Samples
from healthdial.systems.transcription import transcribed
from hub.errors import BenchError
from metrics import lighteval_models as base


class FasterWhisperRecognizer(Recognizer):
    """A model of faster-whisper: greedy, language and task forced, its own long-form algorithm.

    Recordings go through it one by one, without a second try at a higher temperature, without voice activity
    detection, and without the text so far as a prompt.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def transcribe_batch(self, recordings: list[Samples], language: str) -> list[str]:
        """Transcribe one recording after the other."""
        return [self._text(samples, LANGUAGES[language].hub_code) for samples in recordings]

    def _text(self, samples: Samples, language: str) -> str:
        segments, _ = self.model.transcribe(
            samples,
            language=language,
            task="transcribe",
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            vad_filter=False,
        )
        return "".join(segment.text for segment in segments)


def load_faster_whisper(model: str, revision: str | None = None) -> FasterWhisperRecognizer:
    """Load a model of faster-whisper: a size such as ``small``, an id on the Hub, or a folder.

    Raises:
        BenchError: faster-whisper is not installed, or there is no such model.
    """
    try:
        from faster_whisper import WhisperModel
    except ImportError:
        raise BenchError(
            "faster-whisper is not installed; run: pip install 'thai-dialect-bench[faster-whisper]'"
        ) from None
    from accelerate import PartialState

    device = PartialState().device
    place = {"device": "cuda", "device_index": device.index or 0} if device.type == "cuda" else {"device": "cpu"}
    try:
        return FasterWhisperRecognizer(WhisperModel(model, revision=revision, **place))
    except (OSError, ValueError, RuntimeError) as error:
        raise BenchError(f"{model} cannot be loaded by faster-whisper ({type(error).__name__})") from error


class FasterWhisperModel(base.AnsweringModel):
    """Transcribes the user turns of the test dialogues.

    The model string is ``NAME=MODEL[,revision=...]``. Run it with
    ``python -m tasks custom "whisper-small=small" healthdial/systems/faster_whisper.py "healthdial_asr|0"``.

    Raises:
        BenchError: The model string is wrong, faster-whisper is missing, or the model cannot be loaded.
    """

    is_sharded: ClassVar[bool] = True
    components = ("healthdial_asr",)
    shard_key = staticmethod(turn_of)

    def __init__(self, config: ModelConfig) -> None:
        asked = ModelString.parse(config.model_name, ("revision",))
        super().__init__(config.model_copy(update={"model_name": asked.name}))
        self._asked = asked
        self.recognizer = load_faster_whisper(asked.model, asked.settings.get("revision"))

    @property
    def answers_fingerprint(self) -> str:
        """The state of the model's files."""
        from faster_whisper import download_model

        folder = self._asked.model
        if not Path(folder).is_dir():
            folder = download_model(folder, local_files_only=True, revision=self._asked.settings.get("revision"))
        return files_state([Path(folder)])

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the transcript of every document's recording."""
        return transcribed(self.recognizer, docs)
