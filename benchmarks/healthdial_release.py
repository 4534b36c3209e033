"""A made-up HealthDial release of some gigabytes: build and audit against copying it and ``from_generator``."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from tabulate import tabulate

from benchmarks.healthdial_generator import generate_sized
from benchmarks.healthdial_signal import SAMPLE_RATE
from benchmarks.machine import machine
from benchmarks.measure import MEMORY_KIND, Measurement, measure
from hub.errors import BenchError

ROOT = Path(__file__).resolve().parents[1]
HEALTHDIAL = (sys.executable, "-c", "from healthdial.cli import main; main()")
COPY, UNPACK, PLAIN, FASTEST = "cp -r", "tar xzf", "Dataset.from_generator, to_parquet", "build wav, no checks"
COPY_SHARE = 0.6
PEAK_BYTES = 1e9
USER_TURNS, SHORT_USER_TURNS = (5, 9), (2, 2)
LONG_DIALOGUE_GIGABYTES = 15
"""From here on dialogues of the real length fill all three splits; below, short ones fill as many as they can, so that
no work of the build is skipped: 4 GB are 417 dialogues a language, of which 17 are for validation."""
DISK_FACTOR = 3
"""Releases that must fit on the disk at once: itself, the Arrow cache of ``from_generator`` and its Parquet files."""
DROP_CACHES = Path("/proc/sys/vm/drop_caches")


class PackingOption(str, Enum):
    """How the recordings lie in the release."""

    folder = "folder"
    tar = "tar"


class PageCache(str, Enum):
    """What the page cache holds of the release before each measurement."""

    warm = "warm"
    cold = "cold"


@dataclass(frozen=True)
class SizedRelease:
    """A generated release; all its WAV files have ``audio_bytes`` bytes."""

    folder: Path
    audio_bytes: int

    @property
    def hours(self) -> float:
        """Hours of speech; the headers of the files count as a thousandth of a second each."""
        return self.audio_bytes / (2 * SAMPLE_RATE) / 3600


@dataclass(frozen=True)
class Taken:
    """What one way took in one round: its measurement, and the bytes that it left in its output folder."""

    measurement: Measurement
    output_bytes: int


def make_release(gigabytes: float, packing: PackingOption, folder: Path) -> SizedRelease:
    """Return the release of this size and packing in a folder, made if it is not there yet."""
    release = folder / f"healthdial-{gigabytes:g}GB-{packing.value}"
    size = release.with_name(f"{release.name}.json")
    if not size.exists():
        if shutil.disk_usage(folder).free < DISK_FACTOR * gigabytes * 1e9:
            raise BenchError(f"{folder}: needs {DISK_FACTOR * gigabytes:g} GB; free space or give another --folder")
        shutil.rmtree(release, ignore_errors=True)
        turns = USER_TURNS if gigabytes >= LONG_DIALOGUE_GIGABYTES else SHORT_USER_TURNS
        total = generate_sized(release, gigabytes, packing=packing.value, user_turns=turns)
        size.write_text(json.dumps({"audio_bytes": total}), encoding="utf-8")
    return SizedRelease(release, json.loads(size.read_text(encoding="utf-8"))["audio_bytes"])


def ways(release: Path, work: Path, packing: PackingOption, cores: int) -> dict[str, list[str]]:
    """Return name -> command; each writes into ``work``/out and nowhere else."""
    out = str(work / "out")
    build = [*HEALTHDIAL, "build", "--release", str(release), "--out", out, "--speaker-key", str(work / "key")]
    commands = {COPY: ["cp", "-r", str(release), out]}
    if packing is PackingOption.tar:
        unpack = 'for archive in "$1"/*/*.tar.gz; do echo "$archive"; done | xargs -P "$3" -I @ tar xzf @ -C "$2"'
        commands[UNPACK] = ["sh", "-c", f'mkdir "$2" && {unpack}', "sh", str(release), out, str(cores)]
    return commands | {
        FASTEST: [*build, "--audio-format", "wav", "--no-audio-checks"],
        "build wav": [*build, "--audio-format", "wav"],
        "build (flac)": build,
        PLAIN: [sys.executable, "-m", "benchmarks.healthdial_plain", str(release), out, str(cores)],
        "audit": [*HEALTHDIAL, "audit", "--release", str(release)],
    }


def take(command: list[str], work: Path, release: Path, page_cache: PageCache) -> Taken:
    """Measure a command from the same state of the page cache, and remove what it wrote."""
    work.mkdir()
    prepare(release, page_cache)
    environment = {"HF_HOME": str(work / "huggingface"), "HF_HUB_OFFLINE": "1"}
    try:
        measurement = measure(command, ROOT, environment)
        written = sum(file.stat().st_size for file in (work / "out").rglob("*") if file.is_file())
    finally:
        shutil.rmtree(work)
    return Taken(measurement, written)


def prepare(release: Path, page_cache: PageCache) -> None:
    """Bring the page cache into its state: everything read once, or everything dropped."""
    if page_cache is PageCache.cold:
        os.sync()
        DROP_CACHES.write_text("3\n", encoding="ascii")
        return
    block = bytearray(1 << 20)
    for file in sorted(release.rglob("*")):
        if file.is_file():
            with file.open("rb", buffering=0) as stream:
                while stream.readinto(block):
                    pass


def table(rounds: list[dict[str, Taken]], release: SizedRelease) -> str:
    """Return the medians of all ways with their ratios, and the highest peaks of memory."""
    seconds = median_seconds(rounds)
    rows = [
        (
            name,
            f"{took:.2f}",
            f"{release.audio_bytes / 1e6 / took:,.0f}",
            f"{100 * seconds[COPY] / took:.0f} %",
            f"{seconds[PLAIN] / took:.2f}",
            f"{release.hours / took:.1f}",
            f"{max(one[name].measurement.peak.total for one in rounds) / 1e6:,.0f}",
            f"{max(one[name].measurement.peak.private for one in rounds) / 1e6:,.0f}",
            f"{rounds[-1][name].output_bytes / 1e6:,.0f}",
        )
        for name, took in seconds.items()
    ]
    headers = (
        "way",
        "seconds",
        "MB/s",
        "speed of\ncopying",
        "times from_\ngenerator",
        "h speech\n/ s",
        f"peak MB\n({MEMORY_KIND})",
        "thereof\nprivate",
        "output\nMB",
    )
    return tabulate(rows, headers, disable_numparse=True, colalign=("left", *("right",) * (len(headers) - 1)))


def median_seconds(rounds: list[dict[str, Taken]]) -> dict[str, float]:
    """Return the median wall time of each way."""
    return {name: statistics.median(one[name].measurement.seconds for one in rounds) for name in rounds[0]}


def targets(rounds: list[dict[str, Taken]]) -> str:
    """Return the project's two targets with what was reached."""
    seconds = median_seconds(rounds)
    share = seconds[COPY] / seconds[FASTEST]
    ours = [name for name in seconds if name not in (COPY, UNPACK, PLAIN)]
    peak, worst = max((one[name].measurement.peak.total, name) for one in rounds for name in ours)
    memory = (
        f"target: peak memory under {PEAK_BYTES / 1e6:,.0f} MB: {peak / 1e6:,.0f} MB ({worst}), "
        f"{_met(peak < PEAK_BYTES)}"
    )
    if UNPACK in seconds:  # copying compressed files says nothing about reading them
        return memory
    speed = f"{FASTEST}: at least {COPY_SHARE:.0%} of the speed of copying: {share:.0%}, {_met(share >= COPY_SHARE)}"
    return f"target: {speed}\n{memory}"


def _met(reached: bool) -> str:
    return "met" if reached else "MISSED"


def run(
    gigabytes: float, folder: Path, repeats: int, packing: PackingOption, page_cache: PageCache
) -> tuple[SizedRelease, list[dict[str, Taken]]]:
    """Make the release and measure all ways in turns."""
    cores = len(os.sched_getaffinity(0))
    release = make_release(gigabytes, packing, folder)
    with tempfile.TemporaryDirectory(prefix="outputs-", dir=folder) as outputs:
        work = Path(outputs) / "work"
        commands = ways(release.folder, work, packing, cores)
        if page_cache is PageCache.warm:  # the libraries too
            sample = [*HEALTHDIAL, "build", "--sample", "--out", str(work / "out")]
            take(sample, work, release.folder, page_cache)
        rounds: list[dict[str, Taken]] = []
        for number in range(repeats):
            rounds.append({})
            for name, command in commands.items():
                rounds[-1][name] = take(command, work, release.folder, page_cache)
                took = rounds[-1][name].measurement.seconds
                print(f"round {number + 1} of {repeats}: {name}: {took:.2f} s", file=sys.stderr)
    return release, rounds


def main(
    gigabytes: Annotated[
        float,
        typer.Option(
            min=0.01, help="Size of all WAV files, in 10^9 bytes; the real release has 43. Needs 3 times as much disk."
        ),
    ] = 4.0,
    folder: Annotated[
        Path | None,
        typer.Option(
            help="Where the release is made and kept for the next run, and where outputs lie while they are measured. "
            "Default: a temporary folder, removed at the end (TMPDIR chooses the disk)."
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Rounds; in each, all ways take turns. Times are medians.")] = 1,
    packing: Annotated[
        PackingOption,
        typer.Option(
            help="folder: unpacked recordings. tar: archives as on the Hub; copying then copies the compressed bytes, "
            "so unpacking is measured too."
        ),
    ] = PackingOption.folder,
    page_cache: Annotated[
        PageCache,
        typer.Option(
            help="warm: the release is read once before each measurement, which shows the programs rather than the "
            "disk (it must fit in memory beside the output). cold: the page cache is dropped (root only)."
        ),
    ] = PageCache.warm,
) -> None:
    """Measure `healthdial build` and `audit` on a made-up release, against copying and `Dataset.from_generator`.

    Recordings last 10 to 20 s, as in the real release. From 15 GB on dialogues have 5 to 9 user turns, as there;
    below, 2, so that there are more dialogues and more splits have rows. Each way runs in a process of its own from
    the same state of the page cache; its time ends when all it wrote is on the disk (sync), and its output is removed
    at once. Nothing else should run meanwhile.

    Columns: MB/s of the release's WAV bytes; speed in % of copying; how many times as fast as from_generator; hours of
    speech a second; peak memory of the whole process tree, and how much of it is private (mapped files, such as
    libraries, are not).

    Example: python -m benchmarks.healthdial_release --gigabytes 0.2 --repeats 3
    """
    if page_cache is PageCache.cold and os.geteuid():
        sys.exit("error: --page-cache cold drops the page cache, which needs root")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory() if folder is None else nullcontext(str(folder.resolve())) as place:
            release, rounds = run(gigabytes, Path(place), repeats, packing, page_cache)
    except BenchError as error:
        sys.exit(f"error: {error}")
    libraries = ", ".join(f"{name} {version(name)}" for name in ("datasets", "pyarrow", "soundfile"))
    print(f"{machine()}, {libraries}")
    print(
        f"release: {release.audio_bytes / 1e9:.2f} GB of WAV, {release.hours:.1f} h, {packing.value}; page cache "
        f"{page_cache.value}; rounds: {repeats}\n"
    )
    print(table(rounds, release))
    print(f"\n{targets(rounds)}")


if __name__ == "__main__":
    typer.run(main)
