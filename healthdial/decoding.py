"""Decode audio of any container to 16 kHz mono 16-bit samples: libsndfile and soxr, else ffmpeg."""

from __future__ import annotations

import functools
import io
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from healthdial.wav import SAMPLE_RATE
from hub.errors import BenchError

if TYPE_CHECKING:
    import numpy as np
    import soundfile

FULL_SCALE = 32768
LOWEST_RATE = 1_000
HIGHEST_RATE = 768_000
LONGEST_S = 4 * 3600
"""A file of some kilobytes can stand for days of silence; what decodes to more than this is given up."""

VALUES_A_BLOCK = 1 << 20
FFMPEG_TIMEOUT_S = 300
INSTALL_FFMPEG = "`apt-get install ffmpeg`"
DEMUXERS = {"wav": "wav", "flac": "flac", "ogg": "ogg", "webm": "matroska", "mp4": "mov", "mp3": "mp3"}
LIBSNDFILE_CONTAINERS = ("wav", "flac", "ogg", "mp3")
SAMPLE_FORMATS = {
    "PCM_U8": "8-bit",
    "PCM_S8": "8-bit",
    "PCM_24": "24-bit",
    "PCM_32": "32-bit",
    "FLOAT": "32-bit float",
    "DOUBLE": "64-bit float",
}
LOSSLESS_CONTAINERS = ("wav", "flac")


class UndecodableError(Exception):
    """The bytes hold no audio that can be decoded here; the text says why, without anything of the file's tags."""


@dataclass(frozen=True)
class Decoded:
    """Decoded audio.

    Attributes:
        samples: Shape (n,), little-endian int16, 16 kHz mono.
        sample_rate: Hz of the source; None if ffmpeg decoded it.
        channels: Channels of the source; None if ffmpeg decoded it.
        sample_format: ``24-bit``, ``32-bit float`` and so on where the source is lossless but not of 16-bit integers;
            else empty.
    """

    samples: np.ndarray
    sample_rate: int | None = None
    channels: int | None = None
    sample_format: str = ""


def decode(content: bytes, container: str, repaired: bytes | None = None) -> Decoded:
    """Decode audio, with libsndfile where it can, else with ffmpeg if there is one on PATH.

    Samples that are 16 kHz, mono and 16-bit come out unchanged. Others are averaged over channels, resampled with soxr
    (quality HQ) straight to 16 kHz and rounded to the nearest of the 16-bit values, without dither; ffmpeg does the
    same with its own mixer and resampler.

    Args:
        content: The file.
        container: Its container, as ``containers.sniff_container`` names it.
        repaired: The file with right lengths, for libsndfile.

    Raises:
        UndecodableError: It cannot be decoded.
        BenchError: A temporary file for ffmpeg cannot be written.
    """
    if container in LIBSNDFILE_CONTAINERS:
        import soundfile

        try:
            with _open_forward(repaired or content) as file:
                return _read(file, container)
        except (soundfile.SoundFileError, RuntimeError, ValueError, TypeError, OverflowError):
            # ffmpeg knows more codecs, but no more of FLAC: it would decode the rest of a damaged file
            if container == "flac":
                raise UndecodableError("flac: damaged or ends early") from None
    return Decoded(_decode_with_ffmpeg(content, container))


def _open_forward(content: bytes) -> soundfile.SoundFile:
    """Open a file that is read once from start to end.

    soundfile 0.14.0 seeks after each read, which fails at the end of FLAC whose header does not tell its length.
    """
    import soundfile

    class ForwardSoundFile(soundfile.SoundFile):
        def seekable(self) -> bool:
            return False

    return ForwardSoundFile(io.BytesIO(content))


def _read(file: soundfile.SoundFile, container: str) -> Decoded:
    """Decode an opened file block by block."""
    import numpy as np

    rate, channels, subtype = file.samplerate, file.channels, file.subtype
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise UndecodableError(f"{container}: sample rate {rate} Hz")
    if (rate, channels, subtype) == (SAMPLE_RATE, 1, "PCM_16"):
        parts = [block[:, 0] for block in _blocks(file, "int16")]
    else:
        resample = _resampler(rate)
        parts = [resample(_mix(block), False) for block in _blocks(file, "float32")]
        parts.append(resample(np.zeros(0, np.float32), True))
    conforming = subtype == "PCM_16" or container not in LOSSLESS_CONTAINERS
    sample_format = "" if conforming else SAMPLE_FORMATS.get(subtype, subtype)
    return Decoded(np.concatenate(parts).astype("<i2", copy=False), rate, channels, sample_format)


def _blocks(file: soundfile.SoundFile, dtype: str) -> Iterator[np.ndarray]:
    """Yield arrays of shape (frames, channels) to the end, the last of them empty.

    Blocks bound the memory that a header with a made-up number of samples can claim.
    """
    frames = max(1, VALUES_A_BLOCK // file.channels)
    limit = LONGEST_S * file.samplerate
    total = 0
    while True:
        block = file.read(frames, dtype=dtype, always_2d=True)
        total += len(block)
        if total > limit:
            raise UndecodableError(f"longer than {LONGEST_S // 3600} h")
        yield block
        if not len(block):
            return


def _mix(block: np.ndarray) -> np.ndarray:
    """Return the mean over channels of float samples of shape (frames, channels)."""
    import numpy as np

    with np.errstate(over="ignore", invalid="ignore"):
        # eighteen times as fast as block.mean(axis=1) for two channels
        return functools.reduce(np.add, block.T) / np.float32(block.shape[1])


def _resampler(rate: int) -> Callable[[np.ndarray, bool], np.ndarray]:
    """Return a function from float32 mono samples, and whether they are the last, to int16 samples at 16 kHz.

    Its output over all blocks equals ``soxr.resample(samples, rate, 16000, "HQ")`` (soxr 1.1.0), rounded.
    """
    if rate == SAMPLE_RATE:
        return lambda samples, last: _to_int16(samples)
    import soxr

    stream = soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float32", quality="HQ")
    return lambda samples, last: _to_int16(stream.resample_chunk(samples, last=last))


def _to_int16(samples: np.ndarray) -> np.ndarray:
    """Round float samples, full scale 1, to the nearest int16 and clip what is beyond."""
    import numpy as np

    if not np.isfinite(samples).all():
        raise UndecodableError("samples that are not numbers")
    scaled = np.clip(samples, -1, 1) * np.float32(FULL_SCALE)
    return np.minimum(np.rint(scaled, out=scaled), FULL_SCALE - 1, out=scaled).astype("<i2")


def _decode_with_ffmpeg(content: bytes, container: str) -> np.ndarray:
    """Decode with ffmpeg, through a temporary file because MP4 has to be seekable."""
    import numpy as np

    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        reason = "libsndfile cannot, try ffmpeg" if container in LIBSNDFILE_CONTAINERS else "needs ffmpeg"
        raise UndecodableError(f"{container}: {reason}, e.g. {INSTALL_FFMPEG}")
    try:
        with tempfile.TemporaryDirectory(prefix="healthdial-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / "audio"
            file.write_bytes(content)
            output = _run_ffmpeg(ffmpeg, file, container)
    except OSError as error:
        raise BenchError(
            f"a temporary file for ffmpeg cannot be written ({error.strerror}); "
            "free space or set TMPDIR to another folder, then run the same command again"
        ) from error
    samples = np.frombuffer(output, "<i2", count=len(output) // 2)
    if len(samples) > LONGEST_S * SAMPLE_RATE:
        raise UndecodableError(f"longer than {LONGEST_S // 3600} h")
    return samples


def _run_ffmpeg(ffmpeg: str, file: Path, container: str) -> bytes:
    """Return the raw samples that ffmpeg writes; its messages are not read, for they may quote tags."""
    # The demuxer is named and only files may be opened, so that no input can make ffmpeg fetch something.
    command = [ffmpeg, "-nostdin", "-hide_banner", "-loglevel", "quiet", "-protocol_whitelist", "file"]
    command += ["-f", DEMUXERS[container], "-i", str(file), "-map", "0:a:0", "-map_metadata", "-1"]
    command += ["-t", str(LONGEST_S + 1), "-ac", "1", "-ar", str(SAMPLE_RATE)]
    command += ["-c:a", "pcm_s16le", "-f", "s16le", "pipe:1"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=FFMPEG_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UndecodableError(f"{container}: ffmpeg took more than {FFMPEG_TIMEOUT_S} s") from None
    except OSError:
        raise UndecodableError(f"{container}: the ffmpeg on PATH cannot be run; install it again") from None
    if done.returncode:
        raise UndecodableError(f"{container}: ffmpeg cannot decode it (exit status {done.returncode})")
    return done.stdout
