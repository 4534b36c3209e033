"""Make a recording of the release conforming: 16 kHz, mono, 16 bit, no metadata; and say what was wrong with it."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from healthdial.containers import sniff_container
from healthdial.decoding import FULL_SCALE, Decoded, UndecodableError, decode
from healthdial.wav import SAMPLE_RATE, WavLayout, read_layout, wav_file, with_right_lengths

if TYPE_CHECKING:
    import numpy as np

__all__ = ["AUDIO_STATUSES", "SAMPLE_RATE", "AudioFormat", "ProcessedAudio", "process_audio", "sniff_container"]

AudioFormat = Literal["flac", "wav"]
AUDIO_STATUSES = ("ok", "converted", "suspect", "missing", "undecodable")
SUSPECT = frozenset({"silent", "clipped", "too_short", "too_long"})
CONVERTED = frozenset({"other_container", "streamed_header", "channels", "sample_rate", "sample_format"})

SHORTEST_S = 1.0
LONGEST_USUAL_S = 120.0
SILENT_DBFS = -60.0
CLIPPED_RUN_SAMPLES = 3
CLIPPED_RUNS = 10
FLAC_COMPRESSION = 0.625
"""libFLAC's level 5, its default: 10% slower than level 0, which leaves out linear prediction; level 8 takes twice the
time for 1% of the size."""


@dataclass(frozen=True, slots=True)
class ProcessedAudio:
    """A recording made conforming.

    Attributes:
        content: A whole FLAC or WAV file: 16 kHz, mono, 16 bit, no metadata; None where there is no audio.
        duration_s: Number of samples / 16,000, in seconds; None where there is no audio.
        sample_sha256: SHA-256, in hex, of the decoded samples as little-endian 16-bit integers; None where there is no
            audio or the checks are off.
        status: One of ``AUDIO_STATUSES``.
        faults: Names in ``findings.KINDS``.
        details: What was met, one for each fault; never anything of the file's tags.
        container: ``wav``, ``flac``, ``ogg``, ``webm``, ``mp4``, ``mp3`` or None.
        sample_rate: Hz of the source; None if unknown (decoded with ffmpeg, or not at all).
    """

    content: bytes | None
    duration_s: float | None
    sample_sha256: str | None
    status: str
    faults: tuple[str, ...]
    details: tuple[str, ...]
    container: str | None
    sample_rate: int | None


def process_audio(
    content: bytes, *, audio_format: AudioFormat = "flac", checks: bool = True, expected_container: str = "wav"
) -> ProcessedAudio:
    """Decode, convert, check and encode one recording.

    Conforming samples are never changed; tags and all other metadata are always dropped. No content makes this raise:
    what cannot be decoded comes back as ``undecodable``, what holds no samples as ``missing``.

    Status: ``suspect`` for silent, clipped, under 1 s or over 120 s; else ``converted`` for another container, a
    repaired header, mixed, resampled or requantised samples; else ``ok``.

    Args:
        content: The file of the release.
        audio_format: What to write. FLAC's bytes depend on the version of libFLAC, whose name is the only text in it.
        checks: Look for silence and clipping, and hash the samples. The length is always checked.
        expected_container: The container that the file's name promises.

    Raises:
        BenchError: A temporary file for ffmpeg cannot be written.
    """
    if not content:
        return _without_audio("missing", [("empty_audio", "0 bytes")], None)
    container = sniff_container(content[:12])
    if container is None:
        return _without_audio("undecodable", [("undecodable", "no known audio container")], None)
    faults = [("other_container", container)] if container != expected_container else []
    layout = read_layout(content) if container == "wav" else None
    if layout is not None:
        faults += _header_faults(layout)
    try:
        decoded = _decode(content, container, layout)
    except UndecodableError as error:
        return _without_audio("undecodable", [*faults, ("undecodable", str(error))], container)
    faults += _format_faults(decoded)
    if not len(decoded.samples):
        return _without_audio("missing", [*faults, ("empty_audio", "no samples")], container, decoded.sample_rate)
    faults += _length_faults(decoded.samples)
    if checks:
        faults += _level_faults(decoded.samples)
    return ProcessedAudio(
        content=_encode(decoded.samples, audio_format, content),
        duration_s=len(decoded.samples) / SAMPLE_RATE,
        sample_sha256=hashlib.sha256(decoded.samples.data).hexdigest() if checks else None,
        status=_status({fault for fault, _ in faults}),
        faults=tuple(fault for fault, _ in faults),
        details=tuple(detail for _, detail in faults),
        container=container,
        sample_rate=decoded.sample_rate,
    )


def _without_audio(
    status: str, faults: list[tuple[str, str]], container: str | None, sample_rate: int | None = None
) -> ProcessedAudio:
    """Return the result for a recording that gives no samples."""
    names, details = zip(*faults, strict=True)
    return ProcessedAudio(None, None, None, status, names, details, container, sample_rate)


def _decode(content: bytes, container: str, layout: WavLayout | None) -> Decoded:
    """Return the samples; those of a conforming RIFF file are a view into it."""
    import numpy as np

    if layout is None:
        return decode(content, container)
    if not layout.is_conforming:
        return decode(content, container, with_right_lengths(content, layout))
    count = (layout.data_end - layout.data_start) // 2
    return Decoded(np.frombuffer(content, "<i2", count, layout.data_start), SAMPLE_RATE, 1)


def _header_faults(layout: WavLayout) -> Iterator[tuple[str, str]]:
    """Yield what is unusual in a WAV header."""
    if layout.repair:
        yield "streamed_header", layout.repair
    if layout.extensible:
        yield "extensible_header", "WAVE_FORMAT_EXTENSIBLE"


def _format_faults(decoded: Decoded) -> Iterator[tuple[str, str]]:
    """Yield how the source's samples differ from 16 kHz, mono and 16-bit integers."""
    if decoded.channels not in (None, 1):
        yield "channels", f"{decoded.channels} channels"
    if decoded.sample_rate not in (None, SAMPLE_RATE):
        yield "sample_rate", f"{decoded.sample_rate} Hz"
    if decoded.sample_format:
        yield "sample_format", decoded.sample_format


def _length_faults(samples: np.ndarray) -> Iterator[tuple[str, str]]:
    """Yield whether a recording is too short or too long for one turn."""
    seconds = len(samples) / SAMPLE_RATE
    if seconds < SHORTEST_S:
        yield "too_short", f"{seconds:.2f} s"
    elif seconds > LONGEST_USUAL_S:
        yield "too_long", f"{seconds:.1f} s"


def _level_faults(samples: np.ndarray) -> Iterator[tuple[str, str]]:
    """Yield whether a recording is silent or clipped.

    Silent: the root mean square around the mean (a constant offset is not sound) is below -60 dBFS, where 0 dBFS is a
    full-scale square wave (dBov of ITU-T G.100.1). Clipped: at least 10 runs of 3 or more samples at full scale; 3 is
    the length from which Audacity's Find Clipping counts a run by default, and 10 runs keep a single click or a
    normalised peak from counting. Audio that was clipped and then made quieter, or resampled, may go unnoticed.
    """
    import numpy as np

    level = float(samples.std(dtype=np.float32)) / FULL_SCALE
    if level < 10 ** (SILENT_DBFS / 20):
        yield "silent", f"{20 * np.log10(level):.1f} dBFS" if level else "all samples equal"
    runs = _full_scale_runs(samples)
    if runs >= CLIPPED_RUNS:
        yield "clipped", f"{runs} runs at full scale"


def _full_scale_runs(samples: np.ndarray) -> int:
    """Count the runs of at least ``CLIPPED_RUN_SAMPLES`` samples with an absolute value of 32767 or more."""
    import numpy as np

    limit = FULL_SCALE - 1
    if samples.max() < limit and samples.min() > -limit:
        return 0
    positions = np.flatnonzero((samples >= limit) | (samples <= -limit))
    starts = np.flatnonzero(np.diff(positions, prepend=-2) > 1)
    lengths = np.diff(starts, append=len(positions))
    return int((lengths >= CLIPPED_RUN_SAMPLES).sum())


def _status(faults: set[str]) -> str:
    """Return the status of a recording with audio."""
    if faults & SUSPECT:
        return "suspect"
    return "converted" if faults & CONVERTED else "ok"


def _encode(samples: np.ndarray, audio_format: AudioFormat, source: bytes) -> bytes:
    """Return a whole file of the samples, which are perhaps those of the source."""
    if audio_format == "wav":
        return wav_file(samples, source)
    import numpy as np
    import soundfile

    file = io.BytesIO()
    aligned = np.require(samples, np.int16, ["C", "A"])
    soundfile.write(file, aligned, SAMPLE_RATE, format="FLAC", subtype="PCM_16", compression_level=FLAC_COMPRESSION)
    return file.getvalue()
