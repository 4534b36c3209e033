"""Building the data set: wall time and peak memory of the command, and the start-up time of its --help.

What a user would use instead is ``pickle.load`` of the release (which runs its code) and ``Dataset.to_parquet`` per
config, without prompts, notes, card or checks; it runs in the same round in a process of its own. Run:
``python -m benchmarks.build [--release FOLDER] [--repeats 3]``.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.machine import machine
from benchmarks.scoring import DEFAULT_RELEASE

PLAIN_WAY = """
import json, sys
from pathlib import Path
from datasets import Dataset
for file in sorted(Path(sys.argv[1]).glob("datasets/jsonl/*.jsonl")):
    rows = [json.loads(line) for line in file.open(encoding="utf-8")]
    Dataset.from_list(rows).to_parquet(f"{sys.argv[2]}/{file.stem}.parquet")
"""
COMMAND = "import sys; from thai_dialect_bench.cli import main; sys.argv[0] = 'thai-dialect-bench'; main()"


def measure(arguments: list[str]) -> tuple[float, float]:
    """Return (seconds, peak memory in MB) of a Python process."""
    code = (
        "import resource, subprocess, sys; "
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-c", code, sys.executable, *arguments], capture_output=True, text=True, check=True
    )
    elapsed = time.perf_counter() - start
    return elapsed, int(run.stdout) / 1024


def main(
    release: Annotated[Path, typer.Option(help="The release's folder.")] = DEFAULT_RELEASE,
    repeats: Annotated[int, typer.Option(help="Rounds; all commands take turns.")] = 3,
) -> None:
    """Print seconds and peak memory of the build, of the plain way, and of --help."""
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "thai-dialect-bench build": [
                "-c",
                COMMAND,
                "build",
                "--release",
                str(release),
                "--out",
                f"{folder}/built",
            ],
            "plain Dataset.to_parquet": ["-c", PLAIN_WAY, str(release), folder],
            "thai-dialect-bench --help": ["-c", COMMAND, "--help"],
            "python -c pass": ["-c", "pass"],
        }
        rounds = [{name: measure(arguments) for name, arguments in commands.items()} for _ in range(repeats)]
    print(machine())
    for name in commands:
        wall = statistics.median(one[name][0] for one in rounds)
        memory = max(one[name][1] for one in rounds)
        print(f"{name:28} {wall:6.2f} s  {memory:6.0f} MB peak")


if __name__ == "__main__":
    typer.run(main)
