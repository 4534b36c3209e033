"""Mel-cepstral distance of synthesized speech: this project against mel-cepstral-distance 0.0.4, in one run.

Both read the same WAV files of synthetic voices. Run: ``python -m benchmarks.tts_distance [--pairs 4]``.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from random import Random
from typing import Annotated, Literal

import soundfile
import typer

from benchmarks.healthdial_signal import VOICES, random_clip, wav_bytes
from benchmarks.machine import machine
from hub.errors import BenchError
from metrics.tts import STANDARD, UPSTREAM, MelCepstralParameters, Recording, compare

LIBRARY = "mel-cepstral-distance"
LIBRARY_VERSION = "0.0.4"

Pair = tuple[Path, Path]
Way = Callable[[Pair], float]


def library_way(aligning: Literal["dtw", "pad"]) -> Way:
    """Return the library's distance of two files.

    Raises:
        BenchError: It is not installed, or in another version.
    """
    try:
        found = version(LIBRARY)
    except PackageNotFoundError:
        found = "missing"
    if found != LIBRARY_VERSION:
        raise BenchError(f"{LIBRARY} is {found}: install it with `pip install {LIBRARY}=={LIBRARY_VERSION}`")
    from mel_cepstral_distance import compare_audio_files

    return lambda pair: float(compare_audio_files(*pair, aligning=aligning)[0])


def our_way(parameters: MelCepstralParameters) -> Way:
    """Return our distance of two files."""

    def distance(pair: Pair) -> float:
        reference, synthesized = (Recording(*soundfile.read(path, dtype="int16")) for path in pair)
        return compare(reference, synthesized, parameters).distance or 0.0

    return distance


def write_pairs(folder: Path, count: int, seconds: float) -> list[Pair]:
    """Write pairs of recordings of two voices, the second up to a tenth shorter."""
    random = Random(0)
    pairs = []
    for number in range(count):
        first, second = folder / f"{number}a.wav", folder / f"{number}b.wav"
        first.write_bytes(wav_bytes(random_clip(random, seconds, number % VOICES).samples()))
        length = seconds * random.uniform(0.9, 1)
        second.write_bytes(wav_bytes(random_clip(random, length, (number + 1) % VOICES).samples()))
        pairs.append((first, second))
    return pairs


def timed(way: Way, pair: Pair) -> tuple[float, float]:
    """Return seconds and distance of one pair."""
    start = time.perf_counter()
    distance = way(pair)
    return time.perf_counter() - start, distance


def main(
    pairs: Annotated[int, typer.Option(help="Pairs of recordings; the ways take turns on each.")] = 4,
    seconds: Annotated[float, typer.Option(help="Length of a recording.")] = 15,
) -> None:
    """Print the time of one pair by every way, the ratios, and the largest difference in value."""
    try:
        library, library_padded = library_way("dtw"), library_way("pad")
    except BenchError as error:
        typer.echo(error, err=True)
        raise typer.Exit(2) from error
    ways = {
        "library, its alignment": library,
        "library, no alignment": library_padded,
        "ours, equal to the library": our_way(UPSTREAM),
        "ours, no alignment": our_way(replace(UPSTREAM, alignment="pad")),
        "ours, library's parameters, exact DTW": our_way(replace(UPSTREAM, alignment="dtw")),
        "ours, standard parameters, exact DTW": our_way(STANDARD),
    }
    with tempfile.TemporaryDirectory() as folder:
        warm_up = write_pairs(Path(folder), 1, 1)[0]
        # so that the first pair pays neither for numba's compiler nor for imports
        cold = {name: timed(way, warm_up)[0] for name, way in ways.items()}
        files = write_pairs(Path(folder), pairs, seconds)
        measured = {name: [timed(way, pair) for pair in files] for name, way in ways.items()}
    medians = {name: statistics.median(time for time, _ in rows) for name, rows in measured.items()}
    print(machine())
    print(f"{pairs} pairs of {seconds:g} s, median for one pair")
    aligned, padded = medians["library, its alignment"], medians["library, no alignment"]
    print(f"{'way':38} {'ms':>8}  library aligned / way  library not aligned / way")
    for name, median in medians.items():
        print(f"{name:38} {1000 * median:8.1f} {aligned / median:22.1f} {padded / median:26.1f}")
    for name, reference in (
        ("ours, equal to the library", "library, its alignment"),
        ("ours, no alignment", "library, no alignment"),
    ):
        gap = max(abs(a[1] - b[1]) for a, b in zip(measured[name], measured[reference], strict=True))
        print(f"largest difference, {name}: {gap:.1e}")
    print(f"first call, with the compiler and imports: {cold['ours, equal to the library']:.1f} s")


if __name__ == "__main__":
    typer.run(main)
