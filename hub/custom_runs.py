"""Run lighteval custom models through this project's command, some at a time, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tqdm import tqdm

from hub.errors import BenchError


@dataclass(frozen=True)
class CustomRun:
    """One run of a custom model.

    Attributes:
        model: Model string.
        file: The file that defines the model.
        tasks: lighteval task specs.
    """

    model: str
    file: Path
    tasks: tuple[str, ...]


def run_all(runs: Sequence[CustomRun], out: Path, environment: Mapping[str, str], *, workers: int, title: str) -> None:
    """Run several custom models, some at a time, with a progress bar.

    Args:
        runs: What to run.
        out: lighteval's output folder.
        environment: Variables for the runs, such as where the data set is.
        workers: Processes at a time.
        title: What the progress bar says.

    Raises:
        BenchError: A run failed; the message has the end of its log.
    """
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(run_custom, run, out, environment) for run in runs]
        try:
            for future in tqdm(as_completed(futures), total=len(futures), desc=title, unit="model"):
                future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def new_runs_folder(out: Path) -> Path:
    """Return a folder for the runs of one command, so that those of an earlier one are never counted with them."""
    return out / "runs" / datetime.now().strftime("%Y-%m-%dT%H-%M-%S-%f")


def run_custom(run: CustomRun, out: Path, environment: Mapping[str, str]) -> None:
    """Run a custom model through this project's lighteval command in a process of its own.

    Args:
        run: What to run.
        out: lighteval's output folder.
        environment: Variables for the run, such as where the data set is.

    Raises:
        BenchError: The run failed; the message has the end of its log.
    """
    tasks = ",".join(run.tasks)
    command = [sys.executable, "-m", "tasks", "custom", run.model, str(run.file), tasks, "--output-dir", str(out)]
    finished = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if finished.returncode:
        tail = "\n".join((finished.stdout + finished.stderr).strip().splitlines()[-12:])
        raise BenchError(f"the run of {run.model} ended with exit code {finished.returncode}:\n{tail}")
