"""What the speaking systems share: a file for each text, kept for the next run, and the answer that names it."""

from __future__ import annotations

import io
import json
import os
from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np
from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.audio import SAMPLE_RATE
from healthdial.systems.corpus import documents_by_language
from healthdial.systems.model_string import ModelString
from healthdial.systems.recognition import Recognizer
from healthdial.systems.recognizers import load_recognizer
from hub.files import write_atomically
from hub.fingerprint import fingerprint
from metrics import lighteval_models as base

SETTINGS = ("out", "asr")
"""Settings of every speaking system: where its files go, and the model that transcribes them."""

Speech = tuple[np.ndarray, int]
"""Samples of shape (n,), floating point in [-1, 1] or int16, and their rate in Hz."""


class SpeakingModel(base.AnsweringModel):
    """A system that speaks the text of every document.

    Its answer is a JSON object: ``file`` is the WAV file that it wrote, null where it said nothing; ``transcript``,
    with the setting ``asr``, is what that recogniser heard in it, an empty text where there is no file.

    Files lie in the folder of the setting ``out``, by default ``$XDG_CACHE_HOME/healthdial/speech`` or
    ``~/.cache/healthdial/speech``, under a hash of the system, the language and the text; a file that is there is not
    made again. Systems get a text and a language and nothing else: no recording or description of the person whose
    turn it is, since the terms of the recordings forbid voice cloning.

    Attributes:
        asked: The model string.
    """

    is_sharded: ClassVar[bool] = True
    components = ("healthdial_tts",)
    kept_otherwise = "Finished speech files"

    def __init__(self, config: ModelConfig, asked: ModelString) -> None:
        super().__init__(config.model_copy(update={"model_name": asked.name}))
        self.asked = asked
        self._recognizer: Recognizer | None = None
        if "asr" in asked.settings:
            model, _, revision = asked.settings["asr"].partition("@")
            self._recognizer = load_recognizer(model, revision or None)

    @abstractmethod
    def identity(self, language: str) -> list[str]:
        """Return all that a file depends on besides its text."""

    @abstractmethod
    def speak(self, texts: list[str], language: str) -> Iterator[Speech | None]:
        """Yield the speech of each text, None where there is nothing to hear."""

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the files, as JSON objects."""
        answers = [""] * len(docs)
        for language, positions in documents_by_language(docs).items():
            files = self._files([docs[position].query for position in positions], language)
            objects: list[dict[str, str | None]] = [{"file": file} for file in files]
            if self._recognizer is not None:
                speech = ((file, _heard(file)) for file in dict.fromkeys(filter(None, files)))
                heard = dict(self._recognizer.transcribe_each(speech, language))
                objects = [{"file": file, "transcript": heard[file] if file else ""} for file in files]
            for position, one in zip(positions, objects, strict=True):
                answers[position] = json.dumps(one, ensure_ascii=False)
        return answers

    def _files(self, texts: list[str], language: str) -> list[str | None]:
        """Return the file of each text, spoken if it is not there yet."""
        folder, identity = self._folder(), self.identity(language)
        paths = {text: f"{folder}/{fingerprint([identity, language, text])[:32]}.wav" for text in texts}
        new = [text for text, path in paths.items() if not Path(path).expanduser().exists()]
        silent = set()
        for text, speech in zip(new, self.speak(new, language), strict=True):
            if speech is None or not np.isfinite(speech[0]).all() or not speech[0].any():
                silent.add(text)
            else:
                write_atomically(Path(paths[text]).expanduser(), wav_file(*speech))
        return [None if text in silent else paths[text] for text in texts]

    def _folder(self) -> str:
        """Return where the files go, as given: it stands in the details of a run and need not name a home folder."""
        return self.asked.settings.get("out") or f"{os.environ.get('XDG_CACHE_HOME') or '~/.cache'}/healthdial/speech"


def wav_file(samples: np.ndarray, sample_rate: int) -> bytes:
    """Return a 16-bit WAV file; samples beyond full scale are scaled down as a whole, never clipped."""
    import soundfile

    if samples.dtype.kind == "f":
        samples = samples / max(1.0, float(np.abs(samples).max()))
    file = io.BytesIO()
    soundfile.write(file, samples, sample_rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


def _heard(file: str) -> np.ndarray:
    """Return a file as a recogniser hears it: 16 kHz mono."""
    import soundfile
    import soxr

    samples, sample_rate = soundfile.read(Path(file).expanduser(), dtype="float32")
    return np.asarray(soxr.resample(samples, sample_rate, SAMPLE_RATE), np.float32)
