"""Synthetic recordings: slices of a bank of tones and noise with the envelope of speech, as WAV bytes."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass
from functools import cache
from random import Random

import numpy as np
import numpy.typing as npt

SAMPLE_RATE = 16_000
HEADER_BYTES = 44
VOICES = 6
BANK_SECONDS = 32

_SYLLABLE_SECONDS = 0.12
_PAUSES = 0.2  # share of syllables that are silent
_HARMONICS = 10
_TONE_LEVEL = 3000.0
_BREATH_LEVEL = 60.0  # noise at full envelope; with _FLOOR_LEVEL it sets what FLAC can save
_FLOOR_LEVEL = 8.0


@cache
def voice_bank(voice: int) -> npt.NDArray[np.int16]:
    """Return ``BANK_SECONDS`` of one voice.

    Args:
        voice: Number of the voice, 0 to ``VOICES`` - 1; sets pitch and noise.

    Returns:
        16-bit samples at 16 kHz, shape (512000,), far from clipping. FLAC makes them about half as large.
    """
    generator = np.random.default_rng(voice)
    time = np.arange(BANK_SECONDS * SAMPLE_RATE, dtype=np.float64) / SAMPLE_RATE
    knots = np.arange(0.0, BANK_SECONDS + _SYLLABLE_SECONDS, _SYLLABLE_SECONDS)
    loudness = generator.uniform(0.3, 1.0, len(knots)) * (generator.random(len(knots)) >= _PAUSES)
    envelope = np.interp(time, knots, loudness)
    pitch = (95 + 22 * voice) * np.interp(time, knots, generator.uniform(0.85, 1.15, len(knots)))
    phase = 2 * np.pi * np.cumsum(pitch) / SAMPLE_RATE
    tones = sum(np.sin(order * phase) / order for order in range(1, _HARMONICS + 1))
    noise = generator.standard_normal(len(time)) * (_FLOOR_LEVEL + _BREATH_LEVEL * envelope)
    return np.asarray(np.rint(_TONE_LEVEL * envelope * tones + noise), dtype=np.int16)


def wav_bytes(samples: npt.NDArray[np.int16], *, sample_rate: int = SAMPLE_RATE) -> bytes:
    """Return a RIFF file with a 44-byte header of 16-bit samples, shape (n,) or (n, channels)."""
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(np.ascontiguousarray(samples, dtype="<i2").data.cast("B") if len(samples) else b"")
    return stream.getvalue()


@dataclass(frozen=True)
class Clip:
    """A recording that is made when it is called.

    Attributes:
        voice: Number of the voice.
        offset: First sample in the voice's bank.
        length: Number of samples; past its end the bank starts again.
    """

    voice: int
    offset: int
    length: int

    @property
    def size(self) -> int:
        """Bytes of the WAV file."""
        return HEADER_BYTES + 2 * self.length

    def samples(self) -> npt.NDArray[np.int16]:
        """Return the 16-bit samples."""
        bank = voice_bank(self.voice)
        if self.offset + self.length <= len(bank):
            return bank[self.offset : self.offset + self.length]
        return np.take(bank, np.arange(self.offset, self.offset + self.length), mode="wrap")

    def __call__(self) -> bytes:
        return wav_bytes(self.samples())


def random_clip(random: Random, seconds: float, voice: int) -> Clip:
    """Return a recording of so many seconds from a random place of a voice's bank."""
    length = round(seconds * SAMPLE_RATE)
    return Clip(voice, random.randrange(max(1, BANK_SECONDS * SAMPLE_RATE - length)), length)
