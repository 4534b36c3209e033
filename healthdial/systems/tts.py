"""A text-to-speech model of transformers as a lighteval model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from lighteval.models.abstract_model import ModelConfig

from healthdial.systems import speaking
from healthdial.systems.model_string import ModelString
from healthdial.systems.pretrained import whole_checkpoints
from hub.errors import BenchError
from hub.fingerprint import fingerprint

LANGUAGE = "{language}"


class TtsModel(speaking.SpeakingModel):
    """Speaks the transcripts with any text-to-waveform model that has a voice of its own, such as VITS or MMS.

    The model string is ``NAME=MODEL[,revision=...][,out=FOLDER][,asr=MODEL[@REVISION]]``: MODEL is an id on the Hub
    or a folder, in which ``{language}`` stands for the ISO 639-3 code where each language has its own model. Run it
    with ``python -m tasks custom "mms=facebook/mms-tts-{language}" healthdial/systems/tts.py "healthdial_tts|0"``.

    No speaker is imitated: there is no way to hand over a recording, a speaker embedding or a description of a
    speaker, so models that need one (SpeechT5, say) cannot be run. Models that draw random numbers are seeded by the
    text: a file depends on neither the order of the texts nor the number of processes.

    Raises:
        BenchError: The model string is wrong, or the model cannot be loaded or used so.
    """

    def __init__(self, config: ModelConfig) -> None:
        asked = ModelString.parse(config.model_name, ("revision", *speaking.SETTINGS))
        super().__init__(config, asked)

    def identity(self, language: str) -> list[str]:
        """Return the model of a language and its state: the commit on the Hub, or that of the folder's files."""
        model = self.asked.model.replace(LANGUAGE, language)
        synthesizer = _synthesizer(model, self.asked.settings.get("revision"))
        return [model, getattr(synthesizer.model.config, "_commit_hash", None) or _state(Path(model).expanduser())]

    def speak(self, texts: list[str], language: str) -> Iterator[speaking.Speech | None]:
        """Yield the speech of each text, one text after the other."""
        import torch

        if not texts:
            return
        synthesizer = _synthesizer(self.asked.model.replace(LANGUAGE, language), self.asked.settings.get("revision"))
        for text in texts:
            if not _has_tokens(synthesizer, text):
                yield None
                continue
            with torch.random.fork_rng(), torch.inference_mode():
                torch.manual_seed(int(fingerprint(text)[:8], 16))
                try:
                    spoken = synthesizer(text)
                except (TypeError, ValueError) as error:
                    reason = (str(error).splitlines() or [""])[0]
                    raise BenchError(
                        f"{self.asked.model} does not speak from a text alone ({reason}); voices cannot be given"
                    ) from error
            audio = np.asarray(spoken["audio"], np.float32)
            yield (
                (audio if audio.ndim == 1 else audio.reshape(-1, audio.shape[-1]).mean(axis=0)),
                spoken["sampling_rate"],
            )


@lru_cache(maxsize=1)
def _synthesizer(model: str, revision: str | None) -> Any:
    """Return transformers' pipeline for a model, on this process's device."""
    from accelerate import PartialState
    from transformers import pipeline

    try:
        with whole_checkpoints(model):
            return pipeline("text-to-audio", model=model, revision=revision, device=PartialState().device)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = (str(error).splitlines() or [""])[0]
        raise BenchError(f"{model} cannot be loaded ({type(error).__name__}: {reason})") from error


def _has_tokens(synthesizer: Any, text: str) -> bool:
    """Return whether a model has a token for anything in a text."""
    return bool(text.strip()) and len(synthesizer.tokenizer(text)["input_ids"]) > 1


def _state(folder: Path) -> str:
    """Return what tells two states of a model's folder apart: names, sizes and times of its files."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return fingerprint([[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files])
