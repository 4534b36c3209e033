"""Sound files with any header or tag, and what every processed recording has to be."""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np
import soundfile

from healthdial.audio import ProcessedAudio, process_audio

TAG = b"Ada Example ada@example.org"
RATE = 16_000
PCM_GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")
WEBM = b"\x1a\x45\xdf\xa3" + TAG
MP4 = b"\0\0\0\x20ftypM4A " + TAG


def speech(seconds: float = 1.5, rate: int = RATE, seed: int = 0) -> np.ndarray:
    """Return a noisy tone, int16, far from silence and from full scale."""
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(seed).normal(0, 300, len(time))
    return (8000 * np.sin(2 * np.pi * 220 * time) + noise).astype("<i2")


def chunk(name: bytes, content: bytes, length: int | None = None, padded: bool = True) -> bytes:
    padding = b"\0" if padded and len(content) % 2 else b""
    return name + struct.pack("<I", len(content) if length is None else length) + content + padding


def info(text: bytes = TAG) -> bytes:
    return chunk(b"LIST", b"INFO" + chunk(b"IART", text))


def wav(
    samples: np.ndarray | bytes,
    *,
    tag: int = 1,
    channels: int = 1,
    rate: int = RATE,
    bits: int = 16,
    data_length: int | None = None,
    before: Iterable[bytes] = (),
    after: Iterable[bytes] = (),
    extensible: bool = False,
) -> bytes:
    """Return a WAV file with any header."""
    data = samples if isinstance(samples, bytes) else samples.tobytes()
    align = channels * bits // 8 % 2**16
    header = struct.pack("<HHIIHH", 0xFFFE if extensible else tag, channels, rate, rate * align % 2**32, align, bits)
    if extensible:
        header += struct.pack("<HHIH", 22, bits, 4, tag) + PCM_GUID_TAIL
    parts = [chunk(b"fmt ", header), *before, chunk(b"data", data, data_length), *after]
    return chunk(b"RIFF", b"WAVE" + b"".join(parts))


def encoded(samples: np.ndarray, container: str, subtype: str | None = None, rate: int = RATE, **tags: str) -> bytes:
    file = io.BytesIO()
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    with soundfile.SoundFile(file, "w", rate, channels, format=container, subtype=subtype) as sound:
        for name, value in tags.items():
            setattr(sound, name, value)
        sound.write(samples)
    return file.getvalue()


def samples_of(result: ProcessedAudio) -> np.ndarray:
    """Decode a result with libsndfile, and check that it is what every result has to be."""
    assert result.content is not None
    with soundfile.SoundFile(io.BytesIO(result.content)) as file:
        assert (file.samplerate, file.channels, file.subtype) == (RATE, 1, "PCM_16")
        assert not file.copy_metadata()
        return file.read(dtype="int16")


def check(content: bytes, status: str, faults: dict[str, str], **options: Any) -> np.ndarray:
    """Assert the status, the faults and their details, and that FLAC and WAV hold the same samples; return them."""
    flac = process_audio(content, audio_format="flac", **options)
    riff = process_audio(content, audio_format="wav", **options)
    for result in (flac, riff):
        assert result.status == status
        assert dict(zip(result.faults, result.details, strict=True)) == faults
        assert TAG not in (result.content or b"")
    samples = samples_of(flac)
    assert np.array_equal(samples, samples_of(riff))
    assert riff.content is not None
    assert riff.content == wav(samples)
    assert flac.content is not None
    assert flac.content.startswith(b"fLaC")
    assert flac.duration_s == riff.duration_s == len(samples) / RATE
    assert flac.sample_sha256 == riff.sample_sha256 == hashlib.sha256(samples.astype("<i2").tobytes()).hexdigest()
    return samples


def without_audio(result: ProcessedAudio, status: str, *faults: str) -> None:
    assert (result.status, result.faults) == (status, faults)
    assert (result.content, result.duration_s, result.sample_sha256) == (None, None, None)
    assert len(result.details) == len(faults)
