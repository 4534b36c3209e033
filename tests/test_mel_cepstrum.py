"""Mel cepstra and what they are made from: the meaning of their scale, and input that is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from metrics.mel_cepstrum import STANDARD, UPSTREAM, Recording, cepstra, log_mel_energies, prepare
from metrics.tts import compare

RATE = 16_000


def noise(seed: int) -> Recording:
    generator = np.random.default_rng(seed)
    return Recording(np.convolve(generator.normal(size=6000), generator.normal(size=16)), RATE)


SPEECH = noise(2)


def test_the_standard_scale_is_decibels() -> None:
    """A ripple of 3 dB over the mel scale differs from a flat spectrum by 3 / sqrt(2) dB, root mean square."""
    centres = np.arange(STANDARD.filters) + 0.5
    ripple = 0.3 * np.cos(4 * centres * np.pi / STANDARD.filters)
    difference = cepstra(ripple[None], STANDARD) - cepstra(np.zeros((1, STANDARD.filters)), STANDARD)
    assert np.linalg.norm(difference) == pytest.approx(3 / np.sqrt(2))


def test_all_coefficients_give_the_difference_of_the_whole_spectra() -> None:
    """Parseval: with c_1 to c_39 a frame's distance is the spread of the filters' differences in dB."""
    parameters = replace(STANDARD, last_coefficient=39, alignment="pad")
    first, second = noise(0), noise(1)
    energies = [log_mel_energies(prepare(one, RATE, "soxr"), RATE, parameters) for one in (first, second)]
    expected = (10 * (energies[0] - energies[1])).std(axis=1).mean()
    assert compare(first, second, parameters).distance == pytest.approx(expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="NaN or infinite"):
        Recording(np.array([0.0, bad]), RATE)


def test_samples_that_overflow_are_refused() -> None:
    with pytest.raises(ValueError, match="overflow"):
        compare(Recording(np.full((4000, 2), 1.7e308), RATE), SPEECH, STANDARD)


@pytest.mark.parametrize("samples", [[0.0, 1.0], np.array(["a"]), np.zeros(9, np.uint8), np.zeros(9, complex)])
def test_other_types_are_refused(samples: Any) -> None:
    with pytest.raises(TypeError, match="floating point numbers or signed integers"):
        Recording(samples, RATE)


@pytest.mark.parametrize("shape", [(), (2, 0), (2, 2, 2)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"expected \(n,\)"):
        Recording(np.zeros(shape), RATE)


@pytest.mark.parametrize("rate", [0, -1, 16_000.0])
def test_rates_that_are_no_rates_are_refused(rate: Any) -> None:
    with pytest.raises(ValueError, match="sample rate"):
        Recording(np.zeros(9), rate)


def test_a_rate_without_a_sample_in_a_hop_is_refused() -> None:
    with pytest.raises(ValueError, match="less than one sample at 100 Hz"):
        log_mel_energies(np.ones(900), 100, UPSTREAM)
    with pytest.raises(ValueError, match="less than one sample at 100 Hz"):
        compare(SPEECH, SPEECH, replace(UPSTREAM, sample_rate=100))


@pytest.mark.parametrize(
    "change",
    [
        {"resampler": "linear"},
        {"alignment": "none"},
        {"align_on": "mfcc"},
        {"first_coefficient": -1},
        {"first_coefficient": 17},
        {"last_coefficient": 20},
        {"hop_ms": 0},
        {"energy_floor": 0},
        {"radius": 0},
        {"sample_rate": 0},
    ],
)
def test_parameters_out_of_range_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be|needed is"):
        replace(UPSTREAM, **change)
