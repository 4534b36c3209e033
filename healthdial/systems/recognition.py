"""Recognisers: recordings to transcripts in batches of like length, whatever the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from healthdial.audio import SAMPLE_RATE

Samples = np.ndarray
"""A recording: shape (n,), float32 in [-1, 1), 16 kHz mono."""

DEFAULT_BATCH_SECONDS = 240.0
WINDOW_S = 30.0
"""The longest piece of speech that a model hears at once."""


class Recognizer(ABC):
    """A speech recogniser that decodes greedily.

    Attributes:
        batch_seconds: Most seconds of speech in a batch, padding counted; one longer recording makes a batch.
        least_seconds: What a recording takes at least: Whisper hears 30 s always.
    """

    least_seconds: ClassVar[float] = 0.0

    def __init__(self, batch_seconds: float = DEFAULT_BATCH_SECONDS) -> None:
        self.batch_seconds = batch_seconds

    def transcribe(self, recordings: Sequence[Samples], language: str) -> list[str]:
        """Return the transcripts in the order of the recordings; that of one without samples is empty.

        Args:
            recordings: Recordings in one language.
            language: ISO 639-3 code.
        """
        texts = [""] * len(recordings)
        heard = [position for position, samples in enumerate(recordings) if len(samples)]
        seconds = [max(len(recordings[position]) / SAMPLE_RATE, self.least_seconds) for position in heard]
        for batch in batches_by_duration(seconds, self.batch_seconds):
            positions = [heard[index] for index in batch]
            answers = self.transcribe_batch([recordings[position] for position in positions], language)
            for position, text in zip(positions, answers, strict=True):
                texts[position] = text.strip()
        return texts

    @abstractmethod
    def transcribe_batch(self, recordings: list[Samples], language: str) -> list[str]:
        """Return the transcripts of recordings that have samples and fit into one batch."""


def batches_by_duration(seconds: Sequence[float], batch_seconds: float) -> list[list[int]]:
    """Return batches of positions, longest recordings first, so that a lack of memory shows at once.

    Args:
        seconds: Duration of each recording.
        batch_seconds: Most seconds in a batch when all are padded to its longest.
    """
    batches: list[list[int]] = []
    for position in sorted(range(len(seconds)), key=lambda index: (-seconds[index], index)):
        if batches and seconds[batches[-1][0]] * (len(batches[-1]) + 1) <= batch_seconds:
            batches[-1].append(position)
        else:
            batches.append([position])
    return batches


def is_long(samples: Samples) -> bool:
    """Return whether a recording is longer than what a model hears at once."""
    return len(samples) > WINDOW_S * SAMPLE_RATE
