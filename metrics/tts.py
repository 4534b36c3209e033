"""Mel-cepstral distance (MCD) of synthesized from recorded speech, with every parameter in the open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.mel_cepstrum import (
    STANDARD,
    UPSTREAM,
    MelCepstralParameters,
    Recording,
    cepstra,
    log_mel_energies,
    prepare,
    samples_in,
)
from metrics.signature import DEFINITIONS_VERSION, Signature

__all__ = [
    "STANDARD",
    "UPSTREAM",
    "MelCepstralComparison",
    "MelCepstralDistance",
    "MelCepstralParameters",
    "MelCepstralScore",
    "Recording",
    "compare",
    "utterance_statistics",
]

Undefined = Literal[
    "reference_rate_too_low",
    "synthesized_rate_too_low",
    "reference_too_short",
    "synthesized_too_short",
    "reference_silent",
    "synthesized_silent",
    "reference_channels_cancel",
    "synthesized_channels_cancel",
]


@dataclass(frozen=True)
class MelCepstralComparison:
    """One synthesized recording compared with its reference.

    Attributes:
        distance: Mean distance over aligned frames, at least 0; None where it is undefined.
        penalty: 2 - (reference_frames + synthesized_frames) / aligned_frames: 0 where nothing was stretched, below 1;
            None where the distance is undefined.
        reference_frames: Frames of the reference; 0 where a rate is too low.
        synthesized_frames: Frames of the synthesized recording; likewise.
        aligned_frames: Length of the alignment; 0 where the distance is undefined.
        undefined: Why there is no distance, or None.
    """

    distance: float | None
    penalty: float | None
    reference_frames: int
    synthesized_frames: int
    aligned_frames: int
    undefined: Undefined | None = None

    @property
    def is_defined(self) -> bool:
        """Whether there is a distance."""
        return self.undefined is None

    def statistics(self) -> NDArray[np.float64]:
        """What a corpus score needs of this utterance.

        Returns:
            Shape (6,): distance, penalty, distance times aligned frames, aligned frames, 1, 0; for an utterance
            without a distance five times 0, then 1.
        """
        if self.distance is None or self.penalty is None:
            return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        frames = self.aligned_frames
        return np.array([self.distance, self.penalty, self.distance * frames, frames, 1.0, 0.0])


@dataclass(frozen=True)
class MelCepstralScore:
    """The distance of a corpus.

    Attributes:
        distance: Mean over utterances, as arXiv 2605.30107; None if no utterance has a distance.
        frame_distance: Mean over all aligned frames, so that long utterances weigh more; None likewise.
        penalty: Mean over utterances; None likewise.
        utterances: Utterances with a distance.
        undefined: Utterances without (silent or too short, say), in no mean. Give it beside the distance: a system
            that says nothing where it is bad would look better.
    """

    distance: float | None
    frame_distance: float | None
    penalty: float | None
    utterances: int
    undefined: int


def compare(reference: Recording, synthesized: Recording, parameters: MelCepstralParameters) -> MelCepstralComparison:
    """Mel-cepstral distance of two recordings (Kubichek 1993).

    ::

        e_n = log10(floor + sum_m w_n(m) |X(m)|^2)            log energies of N mel filters, in bel
        c_i = a sum_n cos(i (n - 1/2) pi / N) e_n             a = 1, or 10 sqrt(2) / N for dB
        MCD = mean over aligned frames of sqrt(sum_i (c_i - c'_i)^2)

    Recordings are mixed to one channel, resampled to the rate of the parameters (or the lower of both), and divided by
    their largest magnitude. The 10 sqrt(2) / ln 10 of the literature belongs to the coefficients of the series
    ``ln|X| = c_0 + sum_i c_i cos``; with those above it becomes a = 10 sqrt(2) / N. Then the distance of two frames is
    the root mean square difference, in dB, of their smoothed spectra on the mel scale, their mean levels left out.

    The column on literature follows the list of papers in the documentation of mel-cepstral-distance.

    | parameter | literature | `UPSTREAM` | `STANDARD` |
    |---|---|---|---|
    | sample rate | 8, 16 or 24 kHz | the lower of both | 16 kHz |
    | resampling | not told | FFT (scipy) | soxr, HQ |
    | level | not told | largest magnitude 1 | the same |
    | window | 25 to 64 ms, Hann, Hamming, Gaussian | 32 ms, Hann | the same |
    | hop | 5 to 16 ms | 8 ms | the same |
    | mel filters | 20 or 80; or the spectral envelope | 20, 0 Hz to half the rate | 40, 0 to 8 kHz |
    | floor of the energy | not told | 2.2e-16 | 1e-6 |
    | coefficients | 1 to 10, 13, 16, 24, 40, 60 | 2 to 16 | 1 to 13 |
    | scale | none (Kubichek 1993), 10 sqrt(2) / ln 10 | none | dB, 10 sqrt(2) / ln 10 |
    | alignment | none or DTW | FastDTW, radius 10 | exact DTW |
    | aligned on | seldom told | log mel energies | compared cepstra |
    | pauses | removed or kept | kept | kept |

    `UPSTREAM` gives the values of ``mel_cepstral_distance.compare_audio_files`` 0.0.4 within 1e-9, and of its
    ``aligning="pad"`` with ``alignment="pad"``. Its setting ``s=1`` is meant to leave out c_0, but its rows begin with
    c_1, so that c_2 is the first. One fault is not repeated: in 16-bit files it overlooks samples of -32768 when it
    looks for the largest magnitude (0.002 in a case where the next largest was 32,000). Values of other parameters,
    those of other papers among them, cannot be compared.

    | case | result |
    |---|---|
    | a recording with itself | 0 |
    | swapped recordings | the same for ``dtw`` on the cepstrum and for ``pad``; FastDTW may break ties otherwise |
    | another gain | the same, up to rounding |
    | at most one window long, or empty | ``reference_too_short``, ``synthesized_too_short``: no distance |
    | all samples zero | ``reference_silent``, ``synthesized_silent``: no distance, for there is no level |
    | channels that add up to zero | ``reference_channels_cancel``, ``synthesized_channels_cancel``: no distance |
    | a rate below one sample a hop (125 Hz) | ``reference_rate_too_low``, ``synthesized_rate_too_low``: no distance |
    | several channels | their mean |
    | NaN or infinite samples | refused by `Recording` |

    Three values, for glides g(f, T) of ten harmonics, ``sum_k sin(2 pi k f (t + t^2 / (2 T))) / k`` at 16 kHz for T
    seconds, as `UPSTREAM` and `STANDARD`: g(100, 1) with itself 0 and 0; g(100, 1) with g(100, 1.3) 2.6480 and 0.5639;
    g(100, 1) with g(150, 1) 15.3692 and 10.4980.

    Args:
        reference: Recorded speech.
        synthesized: Synthesized speech of the same text.
        parameters: `UPSTREAM`, `STANDARD` or others made with ``dataclasses.replace``.

    Returns:
        The distance, the penalty and what they were computed on; never nan.

    Raises:
        ValueError: If the rate of the parameters is too low, as in the table, or samples overflow.
    """
    rates: tuple[tuple[Recording, Undefined], ...] = (
        (reference, "reference_rate_too_low"),
        (synthesized, "synthesized_rate_too_low"),
    )
    for recording, reason in rates:
        if not samples_in(min(parameters.window_ms, parameters.hop_ms), recording.sample_rate):
            return MelCepstralComparison(None, None, 0, 0, 0, reason)
    rate = parameters.sample_rate or min(reference.sample_rate, synthesized.sample_rate)
    samples = [prepare(recording, rate, parameters.resampler) for recording in (reference, synthesized)]
    first, second = (log_mel_energies(mono, rate, parameters) for mono in samples)
    undefined: tuple[tuple[bool, Undefined], ...] = (
        (not len(first), "reference_too_short"),
        (not len(second), "synthesized_too_short"),
        (not reference.samples.any(), "reference_silent"),
        (not synthesized.samples.any(), "synthesized_silent"),
        (not samples[0].any(), "reference_channels_cancel"),
        (not samples[1].any(), "synthesized_channels_cancel"),
    )
    for applies, reason in undefined:
        if applies:
            return MelCepstralComparison(None, None, len(first), len(second), 0, reason)
    distances = _distances(first, second, parameters)
    return MelCepstralComparison(
        distance=float(distances.mean()),
        penalty=2 - (len(first) + len(second)) / len(distances),
        reference_frames=len(first),
        synthesized_frames=len(second),
        aligned_frames=len(distances),
    )


@dataclass(frozen=True)
class MelCepstralDistance:
    """Mel-cepstral distance of a corpus; `compare` has the definition. Lower is better.

    The utterances' statistics add up, as those of `metrics.corpus_metric`, and `values` fits `metrics.resampling`.

    Attributes:
        parameters: `UPSTREAM` or `STANDARD`.
    """

    parameters: MelCepstralParameters

    @property
    def name(self) -> str:
        """``mcd_`` and the name of the parameters."""
        return f"mcd_{self.parameters.name}"

    def statistics(self, reference: Recording, synthesized: Recording) -> NDArray[np.float64]:
        """Compares two recordings; shape (6,), see `MelCepstralComparison.statistics`."""
        return compare(reference, synthesized, self.parameters).statistics()

    def values(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean over utterances.

        Args:
            sums: Shape (..., 6).

        Returns:
            Shape (...); nan where no utterance has a distance, as `metrics.resampling` expects it.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 4])

    def score(self, sums: NDArray[np.float64]) -> MelCepstralScore:
        """Scores one sum of statistics.

        Args:
            sums: Shape (6,).

        Returns:
            Both means, the penalty and the number of utterances.
        """
        distance, penalty, weighted, frames, utterances, undefined = sums.tolist()
        return MelCepstralScore(
            distance=distance / utterances if utterances else None,
            frame_distance=weighted / frames if utterances else None,
            penalty=penalty / utterances if utterances else None,
            utterances=int(utterances),
            undefined=int(undefined),
        )

    def signature(self) -> Signature:
        """All parameters, for one reference an utterance."""
        p = self.parameters
        return Signature.of(
            self.name,
            nrefs=1,
            sr="min" if p.sample_rate is None else p.sample_rate,
            resample=p.resampler,
            level="peak",
            window=f"hann{p.window_ms:g}ms",
            hop=f"{p.hop_ms:g}ms",
            mel=p.filters,
            floor=f"{p.energy_floor:.2g}",
            coef=f"{p.first_coefficient}-{p.last_coefficient}",
            scale="dB" if p.decibel else "none",
            align=f"fastdtw{p.radius}" if p.alignment == "fastdtw" else p.alignment,
            on=p.align_on,
            pauses="kept",
            mean="utterances",
            v=DEFINITIONS_VERSION,
        )


def utterance_statistics(
    metric: MelCepstralDistance, pairs: Iterable[tuple[Recording, Recording]]
) -> NDArray[np.float64]:
    """Compares recordings one pair after the other, so that `pairs` can decode them as they come.

    Args:
        metric: The metric.
        pairs: Reference and synthesized recording of each utterance.

    Returns:
        Shape (utterances, 6), for `metrics.resampling`; its sum over rows is what `MelCepstralDistance.score` takes.

    Raises:
        ValueError: If there is no pair, or one cannot be compared; the message names its position.
    """
    rows = [_pair_statistics(metric, position, *pair) for position, pair in enumerate(pairs)]
    if not rows:
        raise ValueError(f"{metric.name}: no utterances to compare")
    return np.stack(rows)


def _pair_statistics(
    metric: MelCepstralDistance, position: int, reference: Recording, synthesized: Recording
) -> NDArray[np.float64]:
    try:
        return metric.statistics(reference, synthesized)
    except ValueError as error:
        raise ValueError(f"{metric.name}, utterance {position}: {error}") from error


def _distances(
    first: NDArray[np.float64], second: NDArray[np.float64], parameters: MelCepstralParameters
) -> NDArray[np.float64]:
    """Distances of the aligned frames of two sequences of log mel energies."""
    if parameters.alignment == "pad":
        frames = max(len(first), len(second))
        first, second = (np.pad(energies, ((0, frames - len(energies)), (0, 0))) for energies in (first, second))
        return np.asarray(np.linalg.norm(cepstra(first, parameters) - cepstra(second, parameters), axis=1))
    from metrics.dynamic_time_warping import approximate_path, exact_path

    compared = cepstra(first, parameters), cepstra(second, parameters)
    aligned = compared if parameters.align_on == "cepstrum" else (first, second)
    path = exact_path(*aligned) if parameters.alignment == "dtw" else approximate_path(*aligned, parameters.radius)
    return np.asarray(np.linalg.norm(compared[0][path[:, 0]] - compared[1][path[:, 1]], axis=1))
