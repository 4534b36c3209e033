"""Mel-cepstral distance, against mel-cepstral-distance 0.0.4 and values worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metrics.resampling import bootstrap_interval
from metrics.tts import (
    STANDARD,
    UPSTREAM,
    MelCepstralComparison,
    MelCepstralDistance,
    MelCepstralParameters,
    MelCepstralScore,
    Recording,
    compare,
    utterance_statistics,
)

RATE = 16_000
PAD = replace(UPSTREAM, name="pad", alignment="pad")
SETS = [UPSTREAM, PAD, STANDARD]
each_set = pytest.mark.parametrize("parameters", SETS, ids=lambda parameters: parameters.name)


def glide(frequency: float, seconds: float, rate: int = RATE) -> Recording:
    """The signals of the docstring: ten harmonics whose pitch doubles."""
    t = np.arange(round(seconds * rate)) / rate
    phase = 2 * np.pi * frequency * (t + t**2 / (2 * seconds))
    return Recording(sum((np.sin(k * phase) / k for k in range(2, 11)), np.sin(phase)), rate)


def bursts(seed: int, seconds: float = 0.6, rate: int = RATE, dtype: str = "int16") -> Recording:
    """Filtered noise in syllables, between digital silence, as 16-bit integers or floating point numbers."""
    generator = np.random.default_rng(seed)
    samples = np.convolve(generator.normal(size=round(seconds * rate)), generator.normal(size=16), mode="same")
    envelope = np.repeat(generator.uniform(0, 1, 12) * (generator.random(12) > 0.25), len(samples) // 12 + 1)
    scaled = np.rint(samples * envelope[: len(samples)] * 20_000 / np.abs(samples).max()).astype(np.int16)
    return Recording(scaled if dtype == "int16" else scaled / 2**15, rate)


# From mel-cepstral-distance 0.0.4 with fastdtw 0.3.4, NumPy 2.4.6, SciPy 1.17.1: compare_audio_files of both signals
# as 64-bit WAV files, with its defaults and with aligning="pad".
MEASURED = [
    (glide(100, 1), glide(100, 1), (0.0, 0.0), (0.0, 0.0)),
    (
        glide(100, 1),
        glide(100, 1.3),
        (2.647950965228456, 0.28220858895705514),
        (13.663026059506418, 0.23899371069182385),
    ),
    (glide(100, 1), glide(150, 1), (15.369224561416832, 0.79), (36.11951194089768, 0.0)),
    (
        glide(100, 1),
        glide(150, 1.1, 24_000),
        (17.546635972841294, 0.7681159420289856),
        (35.144001729065856, 0.09701492537313428),
    ),
    (
        glide(100, 1, 22_050),
        glide(150, 1.1, 24_000),
        (14.962413973206516, 0.7867298578199051),
        (34.19866148885886, 0.08955223880597019),
    ),
]


@pytest.mark.parametrize(("reference", "synthesized", "aligned", "padded"), MEASURED)
def test_upstream_gives_the_librarys_measured_values(
    reference: Recording, synthesized: Recording, aligned: tuple[float, float], padded: tuple[float, float]
) -> None:
    for parameters, expected in ((UPSTREAM, aligned), (PAD, padded)):
        result = compare(reference, synthesized, parameters)
        assert (result.distance, result.penalty) == pytest.approx(expected, abs=1e-9)


@pytest.fixture
def library(tmp_path: Path) -> Callable[..., tuple[float, float]]:
    reason = "mel-cepstral-distance 0.0.4 is not installed: only its measured values are compared"
    module = pytest.importorskip("mel_cepstral_distance", reason=reason)

    def call(reference: Recording, synthesized: Recording, aligning: str) -> tuple[float, float]:
        for name, recording in (("a.wav", reference), ("b.wav", synthesized)):
            subtype = "PCM_16" if recording.samples.dtype == np.int16 else "DOUBLE"
            soundfile.write(tmp_path / name, recording.samples, recording.sample_rate, subtype=subtype)
        distance, penalty = module.compare_audio_files(tmp_path / "a.wav", tmp_path / "b.wav", aligning=aligning)
        return distance, penalty

    return call


@pytest.mark.filterwarnings("ignore:Chunk")
@pytest.mark.parametrize("dtype", ["int16", "float64"])
@pytest.mark.parametrize(
    ("seconds", "rates"),
    [
        ((0.6, 0.6), (RATE, RATE)),
        ((0.4, 0.7), (RATE, RATE)),
        ((0.5, 0.4), (RATE, 24_000)),
        ((0.4, 0.4), (44_100, 8_000)),
    ],
)
def test_upstream_equals_the_library(
    library: Callable[..., tuple[float, float]], seconds: tuple[float, float], rates: tuple[int, int], dtype: str
) -> None:
    first, second = (bursts(seed, seconds[seed], rates[seed], dtype) for seed in (0, 1))
    for parameters, aligning in ((UPSTREAM, "dtw"), (PAD, "pad")):
        result = compare(first, second, parameters)
        assert (result.distance, result.penalty) == pytest.approx(library(first, second, aligning), abs=1e-9)


@pytest.mark.parametrize(
    ("reference", "synthesized", "upstream", "standard"),
    [
        (glide(100, 1), glide(100, 1), 0.0, 0.0),
        (glide(100, 1), glide(100, 1.3), 2.6480, 0.5639),
        (glide(100, 1), glide(150, 1), 15.3692, 10.4980),
    ],
)
def test_values_of_the_docstring(
    reference: Recording, synthesized: Recording, upstream: float, standard: float
) -> None:
    assert compare(reference, synthesized, UPSTREAM).distance == pytest.approx(upstream, abs=5e-5)
    assert compare(reference, synthesized, STANDARD).distance == pytest.approx(standard, abs=5e-5)


@each_set
@pytest.mark.parametrize("seed", range(3))
def test_a_recording_is_at_no_distance_from_itself(parameters: MelCepstralParameters, seed: int) -> None:
    assert compare(bursts(seed), bursts(seed), parameters).distance == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("parameters", [PAD, STANDARD], ids=lambda parameters: parameters.name)
@settings(max_examples=20, deadline=None)
@given(seeds=st.tuples(st.integers(0, 50), st.integers(0, 50)), seconds=st.floats(0.1, 0.6))
def test_swapping_changes_nothing(parameters: MelCepstralParameters, seeds: tuple[int, int], seconds: float) -> None:
    first, second = bursts(seeds[0]), bursts(seeds[1], seconds)
    there, back = compare(first, second, parameters), compare(second, first, parameters)
    assert there.undefined == back.undefined is None
    assert (there.distance, there.penalty) == pytest.approx((back.distance, back.penalty), rel=1e-12)
    assert (there.reference_frames, there.synthesized_frames) == (back.synthesized_frames, back.reference_frames)


@each_set
@settings(max_examples=20, deadline=None)
@given(gain=st.floats(1e-6, 1e6))
def test_gain_changes_nothing(parameters: MelCepstralParameters, gain: float) -> None:
    first, second = glide(100, 0.3), glide(150, 0.4, 24_000)
    louder = Recording(-gain * second.samples.astype(float), second.sample_rate)
    expected = compare(first, second, parameters).distance
    assert compare(first, louder, parameters).distance == pytest.approx(expected, rel=1e-6)


@each_set
def test_integers_equal_floating_point_numbers_also_at_the_lowest_code(parameters: MelCepstralParameters) -> None:
    samples = bursts(0).samples.astype(np.int16)
    samples[3000] = -(2**15)
    expected = compare(Recording(samples / 2**15, RATE), bursts(1), parameters)
    assert compare(Recording(samples, RATE), bursts(1), parameters) == expected


@each_set
def test_channels_are_mixed_to_their_mean(parameters: MelCepstralParameters) -> None:
    left, right = bursts(0).samples.astype(float), bursts(2).samples.astype(float)
    mixed = compare(Recording(np.column_stack([left, right]), RATE), bursts(1), parameters)
    assert mixed == compare(Recording((left + right) / 2, RATE), bursts(1), parameters)
    assert mixed != compare(Recording(left, RATE), bursts(1), parameters)


def test_counts_of_frames() -> None:
    result = compare(glide(100, 1), glide(150, 1.1), STANDARD)
    assert (result.reference_frames, result.synthesized_frames) == (121, 134)  # ceil((n - 512) / 128)
    assert result.penalty == pytest.approx(2 - (121 + 134) / result.aligned_frames)
    assert compare(glide(100, 1), glide(150, 1.1), PAD).aligned_frames == 134


def test_rates() -> None:
    """The standard set compares at 16 kHz whatever comes; upstream's at the lower rate."""
    wide, narrow = glide(100, 1, 48_000), glide(100, 1, 24_000)
    for recording in (wide, narrow):
        result = compare(glide(100, 1), recording, STANDARD)
        assert result.distance is not None
        assert result.distance < 0.02
        assert result.synthesized_frames == 121
    assert compare(wide, narrow, UPSTREAM).reference_frames == 121


SPEECH = glide(100, 0.2)
SILENCE = Recording(np.zeros(4000, np.int16), RATE)


@each_set
@pytest.mark.parametrize("rate", [8_000, RATE, 48_000])
@pytest.mark.parametrize("samples", [0, 1, 2, 100])
def test_too_short(parameters: MelCepstralParameters, rate: int, samples: int) -> None:
    short = Recording(np.ones(samples), rate)
    for pair, reason in (((short, SPEECH), "reference_too_short"), ((SPEECH, short), "synthesized_too_short")):
        result = compare(*pair, parameters)
        assert (result.is_defined, result.undefined) == (False, reason)
        assert (result.distance, result.penalty, result.aligned_frames) == (None, None, 0)


@each_set
def test_one_window_is_too_short_and_one_sample_more_is_a_frame(parameters: MelCepstralParameters) -> None:
    window, longer = (Recording(SPEECH.samples[:length], RATE) for length in (512, 513))
    assert compare(window, SPEECH, parameters).undefined == "reference_too_short"
    assert compare(longer, SPEECH, parameters).reference_frames == 1


@each_set
@pytest.mark.parametrize("rate", [RATE, 22_050])
def test_silent(parameters: MelCepstralParameters, rate: int) -> None:
    silence = Recording(np.zeros((rate, 2)), rate)
    assert compare(silence, SPEECH, parameters).undefined == "reference_silent"
    assert compare(SPEECH, silence, parameters).undefined == "synthesized_silent"


@each_set
@pytest.mark.parametrize("rate", [RATE, 22_050])
def test_channels_that_cancel_are_not_called_silent(parameters: MelCepstralParameters, rate: int) -> None:
    left = bursts(0).samples.astype(float)
    apart = Recording(np.column_stack([left, -left]), rate)
    assert compare(apart, SPEECH, parameters).undefined == "reference_channels_cancel"
    assert compare(SPEECH, apart, parameters).undefined == "synthesized_channels_cancel"


@each_set
@pytest.mark.parametrize("rate", [1, 8, 124])
def test_a_rate_without_a_sample_in_a_hop_has_no_distance(parameters: MelCepstralParameters, rate: int) -> None:
    slow = Recording(np.sin(np.arange(900)), rate)
    for pair, reason in (((slow, SPEECH), "reference_rate_too_low"), ((SPEECH, slow), "synthesized_rate_too_low")):
        result = compare(*pair, parameters)
        assert (result.distance, result.undefined) == (None, reason)
        assert result.statistics().tolist() == [0, 0, 0, 0, 0, 1]
    assert compare(SPEECH, replace(slow, sample_rate=125), parameters).undefined != "synthesized_rate_too_low"


@each_set
def test_a_constant_and_the_faintest_sample_have_a_distance(parameters: MelCepstralParameters) -> None:
    for samples in (np.full(4000, 7), np.eye(1, 4000, 2000)[0] * 5e-324):
        distance = compare(Recording(samples, RATE), SPEECH, parameters).distance
        assert distance is not None
        assert np.isfinite(distance)


def test_every_parameter_is_in_the_signature() -> None:
    others: dict[str, Any] = {
        "name": "own",
        "sample_rate": 8_000,
        "resampler": "soxr",
        "alignment": "dtw",
        "align_on": "cepstrum",
        "decibel": True,
        "first_coefficient": 1,
        "last_coefficient": 13,
    }
    for field in fields(MelCepstralParameters):
        other = others.get(field.name) or getattr(UPSTREAM, field.name) * 2
        changed = replace(UPSTREAM, **{field.name: other})
        assert MelCepstralDistance(changed).signature() != MelCepstralDistance(UPSTREAM).signature(), field.name


def test_signature_of_the_standard_set() -> None:
    assert str(MelCepstralDistance(STANDARD).signature()) == (
        "mcd_standard|nrefs:1|sr:16000|resample:soxr|level:peak|window:hann32ms|hop:8ms|mel:40|floor:1e-06|coef:1-13|"
        "scale:dB|align:dtw|on:cepstrum|pauses:kept|mean:utterances|v:1"
    )


def test_corpus_statistics_are_sums() -> None:
    metric = MelCepstralDistance(STANDARD)
    pairs = [(glide(100, 1), glide(100, 1.3)), (glide(100, 0.3), glide(150, 0.3)), (SPEECH, SILENCE)]
    long, short = (compare(*pair, STANDARD) for pair in pairs[:2])
    statistics = utterance_statistics(metric, iter(pairs))
    score = metric.score(statistics[:1].sum(axis=0) + statistics[1:].sum(axis=0))
    assert long.distance is not None
    assert short.distance is not None
    assert long.penalty is not None
    assert short.penalty is not None
    frames = np.array([long.aligned_frames, short.aligned_frames])
    assert score.distance == pytest.approx((long.distance + short.distance) / 2)
    assert score.frame_distance == pytest.approx(frames @ [long.distance, short.distance] / frames.sum())
    assert score.frame_distance != pytest.approx(score.distance, rel=0.01)
    assert score.penalty == pytest.approx((long.penalty + short.penalty) / 2)
    assert (score.utterances, score.undefined) == (2, 1)
    assert metric.values(statistics.sum(axis=0)) == pytest.approx(score.distance)


def test_a_corpus_without_a_distance() -> None:
    metric = MelCepstralDistance(UPSTREAM)
    sums = utterance_statistics(metric, [(SPEECH, SILENCE), (SILENCE, SPEECH)]).sum(axis=0)
    assert np.isfinite(sums).all()
    assert metric.score(sums) == MelCepstralScore(None, None, None, 0, 2)
    assert np.isnan(metric.values(sums))


def test_intervals_of_resampling_fit() -> None:
    results = [MelCepstralComparison(distance, 0.1, 50, 50, 55) for distance in (4.0, 5.0, 6.0, 9.0)]
    statistics = np.stack([result.statistics() for result in results])
    estimate = bootstrap_interval(statistics, MelCepstralDistance(UPSTREAM).values, resamples=200)
    assert estimate.value == 6
    assert estimate.low < 6 < estimate.high


def test_no_utterances_are_refused() -> None:
    with pytest.raises(ValueError, match="no utterances"):
        utterance_statistics(MelCepstralDistance(UPSTREAM), [])


def test_the_position_of_a_pair_that_cannot_be_compared_is_named() -> None:
    loud: NDArray[np.float64] = np.full((4000, 2), 1.7e308)
    pairs = [(SPEECH, SPEECH), (SPEECH, Recording(loud, RATE))]
    with pytest.raises(ValueError, match=r"mcd_upstream, utterance 1: .*overflow"):
        utterance_statistics(MelCepstralDistance(UPSTREAM), pairs)
