"""`healthdial demo`: build the bundled sample, run the baselines through lighteval, report: the whole chain."""

from __future__ import annotations

from pathlib import Path

from healthdial.languages import LANGUAGES
from healthdial.schema import DATA_VARIABLE, PACKAGE_FOLDER
from hub.custom_runs import CustomRun, new_runs_folder, run_all

SYSTEMS = PACKAGE_FOLDER / "systems"
BASELINES = {
    "bm25": ("bm25", "retrieval"),
    "majority": ("majority", "turn_classification"),
    "threshold": ("threshold", "filtering"),
    "top1=1": ("top", "filtering"),
    "snippet_lead": ("snippet_lead", "response_generation"),
    "floor=classify:always,retrieve:bm25,filter:top1,respond:lead": ("pipeline", "pipeline"),
}
"""Model string -> file of the system, component that it answers."""


def run_baselines(data: Path, out: Path, *, workers: int = 2) -> Path:
    """Run the baselines over all languages through ``python -m tasks custom``, a process per baseline.

    Args:
        data: The built data set.
        out: Folder for the results.
        workers: Processes at a time.

    Returns:
        The folder with the results of these runs.

    Raises:
        BenchError: A run failed.
    """
    runs = [
        CustomRun(model, SYSTEMS / f"{file}.py", tuple(f"healthdial_{component}:{code}|0" for code in LANGUAGES))
        for model, (file, component) in BASELINES.items()
    ]
    folder = new_runs_folder(out / "healthdial")
    run_all(runs, folder, {DATA_VARIABLE: str(data.resolve())}, workers=workers, title="baselines")
    return folder
