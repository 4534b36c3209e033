"""Recognisers: recordings to transcripts in batches of like length, whatever the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np

from healthdial.audio import SAMPLE_RATE

Samples = np.ndarray
"""A recording: shape (n,), float32 in [-1, 1), 16 kHz mono."""

Key = TypeVar("Key", bound=Hashable)

DEFAULT_BATCH_SECONDS = 240.0
POOLED_BATCHES = 16
"""Batches' worth of speech that is held in memory and sorted by duration at a time."""
WINDOW_S = 30.0
"""The longest piece of speech that a model hears at once."""
SHORTEST_S = 0.1
"""No word is shorter; wav2vec 2.0 makes no frame of less than 25 ms, Moonshine none of less than 56 ms."""


class Recognizer(ABC):
    """A speech recogniser that decodes greedily.

    Attributes:
        batch_seconds: Most seconds of speech in a batch, padding counted; one longer recording makes a batch.
        model: What hears.
        least_seconds: What a recording takes at least: Whisper hears 30 s always.
    """

    least_seconds: ClassVar[float] = 0.0
    model: Any

    def __init__(self, batch_seconds: float = DEFAULT_BATCH_SECONDS) -> None:
        self.batch_seconds = batch_seconds

    def transcribe(self, recordings: Sequence[Samples], language: str) -> list[str]:
        """Return the transcripts in the order of the recordings; that of one shorter than 0.1 s is empty.

        So short a recording would end the run, or be read with the padding of its batch.

        Args:
            recordings: Recordings in one language.
            language: ISO 639-3 code.
        """
        texts = [""] * len(recordings)
        shortest = SHORTEST_S * SAMPLE_RATE
        heard = [position for position, samples in enumerate(recordings) if len(samples) >= shortest]
        seconds = [max(len(recordings[position]) / SAMPLE_RATE, self.least_seconds) for position in heard]
        for batch in batches_by_duration(seconds, self.batch_seconds):
            positions = [heard[index] for index in batch]
            answers = self.transcribe_batch([recordings[position] for position in positions], language)
            for position, text in zip(positions, answers, strict=True):
                texts[position] = text.strip()
        return texts

    def transcribe_each(self, recordings: Iterable[tuple[Key, Samples]], language: str) -> Iterator[tuple[Key, str]]:
        """Yield every key with the transcript of its recording; few recordings are in memory at once.

        Args:
            recordings: Keys and recordings in one language.
            language: ISO 639-3 code.
        """
        for pool in _pools(recordings, self.batch_seconds * POOLED_BATCHES):
            texts = self.transcribe([samples for _, samples in pool], language)
            yield from zip((key for key, _ in pool), texts, strict=True)

    @abstractmethod
    def transcribe_batch(self, recordings: list[Samples], language: str) -> list[str]:
        """Return the transcripts of recordings of at least 0.1 s that fit into one batch."""


def _pools(recordings: Iterable[tuple[Key, Samples]], seconds: float) -> Iterator[list[tuple[Key, Samples]]]:
    """Yield recordings in lists of at most so many seconds, or of one."""
    pool: list[tuple[Key, Samples]] = []
    left = seconds
    for key, samples in recordings:
        left -= len(samples) / SAMPLE_RATE
        if pool and left < 0:
            yield pool
            pool, left = [], seconds - len(samples) / SAMPLE_RATE
        pool.append((key, samples))
    if pool:
        yield pool


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
