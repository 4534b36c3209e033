"""Run custom models through this project's lighteval command: the baselines, and the replay of released outputs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hub.custom_runs import CustomRun, run_all
from thai_dialect_bench import paper
from thai_dialect_bench.baselines import BASELINES
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.outputs import output_files
from thai_dialect_bench.schema import DATA_VARIABLE, PACKAGE_FOLDER, TASKS, VARIETIES

SYSTEMS = PACKAGE_FOLDER / "systems"


def replay_all(sources: Sequence[Path], data: Path, out: Path, *, workers: int = 2) -> None:
    """Run the replay model of all six models through ``python -m tasks custom``, a process per model.

    Args:
        sources: Folders of released outputs; in all but the first, QA is v1.
        data: The built data set.
        out: lighteval's output folder.
        workers: Processes at a time.

    Raises:
        BenchError: A run failed; the message has the end of its log.
    """
    jobs = [(model.file_name, _tasks_with_outputs(sources, model.file_name)) for model in paper.MODELS]
    if not any(tasks for _, tasks in jobs):
        raise BenchError(f"{sources[0]}: no released outputs of the paper's models in it; nothing to compare")
    runs = [
        CustomRun(_replay_string(name, sources), SYSTEMS / "replay.py", tuple(tasks)) for name, tasks in jobs if tasks
    ]
    run_all(runs, out, {DATA_VARIABLE: str(data)}, workers=workers, title="replay")


def run_baselines(data: Path, out: Path, *, workers: int = 2) -> None:
    """Run the baselines over all 24 subsets through ``python -m tasks custom``, a process per baseline.

    Raises:
        BenchError: A run failed.
    """
    tasks = tuple(f"thai_dialect_{task}:{variety}|0" for task in TASKS for variety in VARIETIES)
    runs = [CustomRun(name, SYSTEMS / f"{name}.py", tasks) for name in BASELINES]
    run_all(runs, out, {DATA_VARIABLE: str(data)}, workers=workers, title="baselines")


def _replay_string(model: str, sources: Sequence[Path]) -> str:
    """Return the model string of the replay model, with the sources that have outputs of the model."""
    used = [source for source in sources if any(file.model == model for file in output_files(source))]
    return f"{model}={os.pathsep.join(str(source) for source in used)}"


def _tasks_with_outputs(sources: Sequence[Path], model: str) -> list[str]:
    """Return the lighteval tasks that a model's released outputs answer; in all sources but the first, QA is v1."""
    tasks = []
    for index, source in enumerate(sources):
        for file in output_files(source):
            if file.model == model:
                task = "qa_v1" if index and file.task == "qa" else file.task
                tasks.append(f"thai_dialect_{task}:{file.variety}|0")
    return sorted(set(tasks))
