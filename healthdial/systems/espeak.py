"""espeak-ng as a lighteval model: the floor of speech synthesis, offline and without a neural network."""

from __future__ import annotations

from collections.abc import Iterator

from lighteval.models.abstract_model import ModelConfig

from healthdial.sample.people import ASSISTANT_VOICES
from healthdial.sample.speech import say_each
from healthdial.systems import speaking
from healthdial.systems.model_string import ModelString
from hub.errors import BenchError


class EspeakModel(speaking.SpeakingModel):
    """Speaks the transcripts with one stock voice a language, that of the assistant in the bundled sample.

    The model string is ``NAME[=out=FOLDER][,asr=MODEL[@REVISION]]``; it needs the extra ``sample``. Run it with
    ``python -m tasks custom espeak healthdial/systems/espeak.py "healthdial_tts|0"``. No speaker is imitated: voice
    and rate are the same for all turns. On the bundled sample, whose recordings are espeak-ng's too, its distances
    say nothing.

    Raises:
        BenchError: The model string is wrong, or espeak-ng is not installed.
    """

    def __init__(self, config: ModelConfig) -> None:
        asked = ModelString.parse(config.model_name, speaking.SETTINGS, model="")
        super().__init__(config, asked)
        self._version = _version()

    def identity(self, language: str) -> list[str]:
        """Return the release of espeak-ng and the voice."""
        voice = ASSISTANT_VOICES[language]
        return ["espeak-ng", self._version, voice.name, str(voice.words_per_minute), str(voice.pitch)]

    def speak(self, texts: list[str], language: str) -> Iterator[speaking.Speech | None]:
        """Yield the speech of each text; None where espeak-ng makes no sound of it."""
        voice = ASSISTANT_VOICES[language]
        for samples, sample_rate in say_each((text, voice) for text in texts):
            yield (samples, sample_rate) if samples.any() else None


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("espeakng-loader")
    except PackageNotFoundError:
        raise BenchError(
            "espeakng-loader (espeak-ng) is not installed; run: pip install 'thai-dialect-bench[sample]'"
        ) from None
