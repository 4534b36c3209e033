"""Speech for the sample: espeak-ng through ctypes, then 16 kHz FLAC files of few significant bits a sample."""

from __future__ import annotations

import ctypes
import io
import multiprocessing
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from healthdial.sample.people import Voice
from hub.errors import BenchError

if TYPE_CHECKING:
    import numpy as np

SAMPLE_RATE = 16_000
LOW_PASS_HZ = 7000
PEAK_DBFS = -6.0
SIGNIFICANT_BITS = 9
"""Of the 16 bits of a sample; FLAC stores the zero bits below for nothing."""
SILENCE_S = 0.1
"""Digital zeros before and after the speech."""
SHORTEST_S = 1.05

# espeak-ng/speak_lib.h, version 1.52
_OUTPUT_SYNCHRONOUS = 2
_POSITION_CHARACTER = 1
_CHARS_UTF8 = 1
_RATE, _VOLUME, _PITCH, _RANGE = 1, 2, 3, 4
_SPEECH_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)


class Synthesizer:
    """espeak-ng in this process, which can hold it only once; what it says depends on what it said (``say_each``).

    Attributes:
        sample_rate: Hz of what ``say`` returns.
    """

    def __init__(self) -> None:
        try:
            import espeakng_loader
        except ImportError:
            raise BenchError(
                "espeakng-loader (espeak-ng) is not installed; run: pip install 'thai-dialect-bench[sample]'"
            ) from None
        self._library: Any = ctypes.CDLL(espeakng_loader.get_library_path())
        self._chunks: list[bytes] = []
        self._callback = _SPEECH_CALLBACK(self._receive)  # referenced here, or it would be collected
        self.sample_rate: int = self._library.espeak_Initialize(
            _OUTPUT_SYNCHRONOUS, 0, espeakng_loader.get_data_path().encode(), 0
        )
        if self.sample_rate <= 0:
            raise BenchError("espeak-ng cannot read its data; install espeakng-loader again")
        self._library.espeak_SetSynthCallback(self._callback)

    def say(self, text: str, voice: Voice) -> np.ndarray:
        """Return the samples of a text, int16 of shape (n,), at ``sample_rate``.

        Raises:
            BenchError: espeak-ng lacks the voice or refuses the text.
        """
        import numpy as np

        self._check(self._library.espeak_SetVoiceByName(voice.name.encode()), f"voice {voice.name}")
        for parameter, value in (
            (_RATE, voice.words_per_minute),
            (_VOLUME, 100),
            (_PITCH, voice.pitch),
            (_RANGE, 50),
        ):
            self._check(self._library.espeak_SetParameter(parameter, value, 0), f"parameter {parameter} = {value}")
        self._chunks.clear()
        content = text.encode() + b"\0"
        status = self._library.espeak_Synth(
            content, ctypes.c_size_t(len(content)), 0, _POSITION_CHARACTER, 0, _CHARS_UTF8, None, None
        )
        self._check(status, f"text {text!r}")
        return np.frombuffer(b"".join(self._chunks), np.int16)

    def _receive(self, samples: Any, count: int, events: int | None) -> int:
        """Keep a chunk of samples; 0 asks for the next."""
        if samples and count > 0:
            self._chunks.append(ctypes.string_at(samples, count * 2))
        return 0

    def _check(self, status: int, what: str) -> None:
        if status != 0:
            raise BenchError(f"espeak-ng refuses {what} (status {status})")


def say_each(utterances: Iterable[tuple[str, Voice]]) -> Iterator[tuple[np.ndarray, int]]:
    """Yield the samples and the rate in Hz of every (text, voice), in order, each spoken in a process of its own.

    espeak-ng's flutter goes on from one utterance to the next, even over its termination: in one process a recording
    would depend on all that was said before.
    """
    with multiprocessing.get_context("spawn").Pool(maxtasksperchild=1) as pool:
        yield from pool.imap(_say, utterances, chunksize=1)


def _say(utterance: tuple[str, Voice]) -> tuple[np.ndarray, int]:
    synthesizer = Synthesizer()
    return synthesizer.say(*utterance), synthesizer.sample_rate


def recording(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    """Return a recording of the sample: 16 kHz, few significant bits, a short digital silence around.

    Args:
        samples: Speech of any level, shape (n,), int16.
        sample_rate: Its rate in Hz.

    Returns:
        int16 of shape (m,) with a peak of ``PEAK_DBFS``, at least ``SHORTEST_S`` long, never whole seconds.

    Raises:
        BenchError: There is nothing but silence.
    """
    import numpy as np
    import soxr
    from scipy.signal import butter, sosfiltfilt

    if not samples.any():
        raise BenchError("a voice said nothing; look at the text and the voice")
    resampled = soxr.resample(samples.astype(np.float64), sample_rate, SAMPLE_RATE)
    low = sosfiltfilt(butter(8, LOW_PASS_HZ, fs=SAMPLE_RATE, output="sos"), resampled)
    step = 2 ** (16 - SIGNIFICANT_BITS)
    peak = 2**15 * 10 ** (PEAK_DBFS / 20)
    quantised = np.round(low * (peak / np.abs(low).max() / step)).astype(np.int16) * np.int16(step)
    spoken = np.flatnonzero(quantised)
    speech = quantised[spoken[0] : spoken[-1] + 1]
    silence = round(SILENCE_S * SAMPLE_RATE)
    missing = max(0, round(SHORTEST_S * SAMPLE_RATE) - len(speech) - 2 * silence)
    # The Hub's viewer drops the statistics of a split whose first clip, unlike others, lasts whole seconds.
    fraction = int((len(speech) + 2 * silence + missing) % SAMPLE_RATE == 0)
    return np.pad(speech, (silence, silence + missing + fraction))


def flac_file(samples: np.ndarray) -> bytes:
    """Return a FLAC file of 16 kHz, mono, 16 bits, at the highest compression."""
    import soundfile

    file = io.BytesIO()
    soundfile.write(file, samples, SAMPLE_RATE, format="FLAC", subtype="PCM_16", compression_level=1.0)
    return file.getvalue()
