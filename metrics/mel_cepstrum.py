"""From recordings to mel cepstra: parameters and their two sets, resampling, framing, filters, cosines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.generic]
Array = NDArray[np.float64]

# Blocks stay in the processor's cache and are too small for BLAS to start threads, which would wait for each other
# where several processes score.
_BLOCK_FRAMES = 32


@dataclass(frozen=True, eq=False)
class Recording:
    """Decoded speech.

    Attributes:
        samples: Shape (n,) or (n, channels), floating point or signed integers of any scale; may be empty.
        sample_rate: Hz.

    Raises:
        TypeError: If the samples are not a floating point or signed integer array.
        ValueError: If the shape or the rate does not fit, or a sample is NaN or infinite.
    """

    samples: Samples
    sample_rate: int

    def __post_init__(self) -> None:
        if not isinstance(self.samples, np.ndarray) or self.samples.dtype.kind not in "fi":
            kind = getattr(self.samples, "dtype", type(self.samples).__name__)
            raise TypeError(f"samples are {kind}; pass a NumPy array of floating point numbers or signed integers")
        if self.samples.ndim not in (1, 2) or (self.samples.ndim == 2 and self.samples.shape[1] == 0):
            raise ValueError(f"samples have shape {self.samples.shape}; expected (n,) or (n, channels)")
        if not isinstance(self.sample_rate, int | np.integer) or self.sample_rate <= 0:
            raise ValueError(f"the sample rate is {self.sample_rate!r}; it must be a positive whole number of Hz")
        if not np.isfinite(self.samples).all():
            raise ValueError("a sample is NaN or infinite; decode the recording again or leave it out")


@dataclass(frozen=True)
class MelCepstralParameters:
    """Everything that the value of a mel-cepstral distance depends on; `metrics.tts` has the table.

    Attributes:
        name: Short name of the set, for the signature.
        sample_rate: Hz at which both recordings are compared; None: the lower of their two rates.
        resampler: ``fft`` (scipy.signal.resample, no window) or ``soxr`` (soxr, quality HQ).
        window_ms: Length of the symmetric Hann window and of its Fourier transform, rounded down to samples.
        hop_ms: Distance between the starts of two windows, rounded down to samples.
        filters: Number of triangular filters between 0 Hz and half the rate, equally spaced in mel.
        energy_floor: Added to the energy of each filter, for samples whose largest magnitude is 1.
        first_coefficient: First cepstral coefficient compared; 0 would be the mean level.
        last_coefficient: Last cepstral coefficient compared; less than `filters`.
        decibel: Scale distances to dB, by 10 * sqrt(2) / `filters`; False: leave them as they come.
        alignment: ``fastdtw`` (approximate dynamic time warping), ``dtw`` (exact), or ``pad`` (none: zeros are
            appended to the shorter sequence of log energies).
        align_on: Vectors whose Euclidean distances are warped: ``log_mel`` energies or the compared ``cepstrum``.
        radius: Of ``fastdtw``.

    Raises:
        ValueError: If a number is out of its range or a choice is unknown.
    """

    name: str
    sample_rate: int | None
    resampler: Literal["fft", "soxr"]
    window_ms: float
    hop_ms: float
    filters: int
    energy_floor: float
    first_coefficient: int
    last_coefficient: int
    decibel: bool
    alignment: Literal["fastdtw", "dtw", "pad"]
    align_on: Literal["log_mel", "cepstrum"]
    radius: int = 10

    def __post_init__(self) -> None:
        choices = (
            ("resampler", self.resampler, ("fft", "soxr")),
            ("alignment", self.alignment, ("fastdtw", "dtw", "pad")),
            ("align_on", self.align_on, ("log_mel", "cepstrum")),
        )
        for field, value, known in choices:
            if value not in known:
                raise ValueError(f"{field} is {value!r}; it must be one of {', '.join(known)}")
        if not 0 <= self.first_coefficient <= self.last_coefficient < self.filters:
            raise ValueError(
                f"coefficients {self.first_coefficient} to {self.last_coefficient} of {self.filters} filters: "
                "needed is 0 <= first <= last < filters"
            )
        if not min(self.window_ms, self.hop_ms, self.energy_floor) > 0:
            raise ValueError("window_ms, hop_ms and energy_floor must be above 0")
        if self.radius < 1 or (self.sample_rate is not None and self.sample_rate < 1):
            raise ValueError("radius and sample_rate must be at least 1")


UPSTREAM = MelCepstralParameters(
    name="upstream",
    sample_rate=None,
    resampler="fft",
    window_ms=32,
    hop_ms=8,
    filters=20,
    energy_floor=float(np.finfo(float).eps),
    first_coefficient=2,
    last_coefficient=16,
    decibel=False,
    alignment="fastdtw",
    align_on="log_mel",
    radius=10,
)
"""The defaults of mel-cepstral-distance 0.0.4, by which arXiv 2605.30107 scores speech synthesis."""

STANDARD = MelCepstralParameters(
    name="standard",
    sample_rate=16_000,
    resampler="soxr",
    window_ms=32,
    hop_ms=8,
    filters=40,
    energy_floor=1e-6,
    first_coefficient=1,
    last_coefficient=13,
    decibel=True,
    alignment="dtw",
    align_on="cepstrum",
)
"""A distance in dB on 13 coefficients with exact alignment; symmetric. The floor lies just above what rounding to 16
bits leaves in a filter, so that digital silence and a quiet pause are alike."""


def prepare(recording: Recording, sample_rate: int, resampler: Literal["fft", "soxr"]) -> Array:
    """Mixes channels to their mean, resamples, and divides by the largest magnitude.

    Args:
        recording: The recording.
        sample_rate: Hz of the result; a recording of this rate is not resampled.
        resampler: As in `MelCepstralParameters`.

    Returns:
        Samples between -1 and 1, shape (n,); all zero for a silent recording and for channels that cancel out, empty
        for an empty one.

    Raises:
        ValueError: If the samples are too large to be mixed or resampled.
    """
    samples = recording.samples.astype(np.float64)
    if samples.ndim == 2:
        with np.errstate(over="ignore"):  # an error below
            samples = samples.mean(axis=1)
    if recording.sample_rate != sample_rate and len(samples):
        samples = _resampled(samples, recording.sample_rate, sample_rate, resampler)
    peak = np.abs(samples).max(initial=0.0)
    if not np.isfinite(peak):
        raise ValueError("samples overflow when they are mixed or resampled; scale them to -1 to 1")
    return samples / peak if peak > 0 else samples


def window_length(parameters: MelCepstralParameters, sample_rate: int) -> int:
    """Samples of a window; a recording needs more than that.

    Raises:
        ValueError: If the rate is so low that a window or hop is no whole sample.
    """
    return _samples(parameters.window_ms, sample_rate)


def log_mel_energies(samples: Array, sample_rate: int, parameters: MelCepstralParameters) -> Array:
    """Decimal logarithms of the filters' energies in each frame.

    ``e_n = log10(floor + sum_m w_n(m) |X(m)|^2)``, X the discrete Fourier transform of the windowed frame.

    Args:
        samples: As `prepare` returns them.
        sample_rate: Hz.
        parameters: Window, hop, filters and floor.

    Returns:
        Shape (frames, filters), in bel; a frame starts at each multiple of the hop below n - window, so there are
        none where n is at most the window.

    Raises:
        ValueError: If the rate is so low that a window or hop is no whole sample.
    """
    window, hop = window_length(parameters, sample_rate), _samples(parameters.hop_ms, sample_rate)
    if len(samples) <= window:
        return np.empty((0, parameters.filters))
    frames = np.lib.stride_tricks.sliding_window_view(samples, window)[: len(samples) - window : hop]
    hann, filters = np.hanning(window), _mel_filters(sample_rate, window, parameters.filters)
    energies = np.empty((len(frames), parameters.filters))
    for start in range(0, len(frames), _BLOCK_FRAMES):
        block = slice(start, start + _BLOCK_FRAMES)
        spectrum = np.fft.rfft(frames[block] * hann)
        np.matmul(spectrum.real**2 + spectrum.imag**2, filters, out=energies[block])
    return np.log10(energies + parameters.energy_floor)


def cepstra(log_mel: Array, parameters: MelCepstralParameters) -> Array:
    """The compared coefficients ``c_i = sum_n cos(i (n - 1/2) pi / N) e_n`` of N filters, n = 1..N.

    Args:
        log_mel: Shape (frames, filters), in bel.
        parameters: Filters, coefficients and scale.

    Returns:
        Shape (frames, coefficients), not normalised; times 10 * sqrt(2) / N where `decibel` is set.
    """
    orders = np.arange(parameters.first_coefficient, parameters.last_coefficient + 1)
    centres = np.arange(parameters.filters) + 0.5
    cosines = np.cos(np.outer(centres, orders) * np.pi / parameters.filters)
    scale = 10 * np.sqrt(2) / parameters.filters if parameters.decibel else 1.0
    # einsum, since BLAS would start threads for this small product, and wait for them.
    return np.asarray(np.einsum("kn,ni->ki", log_mel, scale * cosines))


def _resampled(samples: Array, rate: int, target: int, resampler: Literal["fft", "soxr"]) -> Array:
    if resampler == "soxr":
        import soxr

        return np.asarray(soxr.resample(samples, rate, target, quality="HQ"))
    from scipy.signal import resample

    length = int(len(samples) * target / rate)
    return np.asarray(resample(samples, length)) if length else np.empty(0)


def samples_in(milliseconds: float, sample_rate: int) -> int:
    """Returns the whole samples in a time."""
    # In this order of operations as in mel-cepstral-distance, since the last digit decides between two lengths.
    return int(milliseconds / 1000 * sample_rate)


def _samples(milliseconds: float, sample_rate: int) -> int:
    samples = samples_in(milliseconds, sample_rate)
    if samples < 1:
        raise ValueError(f"{milliseconds:g} ms are less than one sample at {sample_rate} Hz; take a higher rate")
    return samples


@lru_cache(maxsize=16)
def _mel_filters(sample_rate: int, window: int, filters: int) -> Array:
    """Triangles of height 1, shape (window // 2 + 1, filters); corners are rounded down to bins."""
    mel = np.linspace(0, 2595 * np.log10(1 + sample_rate / 2 / 700), filters + 2)
    corners = np.floor((window + 1) * 700 * (10 ** (mel / 2595) - 1) / sample_rate).astype(int)
    weights = np.zeros((window // 2 + 1, filters))
    for column, (left, centre, right) in enumerate(zip(corners, corners[1:], corners[2:], strict=False)):
        weights[left:centre, column] = np.linspace(0, 1, centre - left, endpoint=False)
        weights[centre:right, column] = np.linspace(1, 0, right - centre, endpoint=False)
    weights.flags.writeable = False
    return weights
