"""Runs of the tasks for tests: through the command line, or as files that a finished run would have left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from healthdial.schema import DATA_VARIABLE
from tests.conftest import REPOSITORY


def write_run(
    folder: Path, task: str, language: str, answers: Mapping[str, tuple[str, dict[str, Any]]], model: str = "made"
) -> Path:
    """Write the files of a run of one task, as far as `metrics.lighteval_answers` reads them.

    Args:
        folder: The ``--output-dir``.
        task: Name without the language.
        language: ISO 639-3 code.
        answers: Id of the document -> answer, and what else the task put into the document.
        model: Name of the model.
    """
    name, date = f"{task}:{language}|0", "2030-01-01T00-00-00.000000"
    records = [
        {
            "doc": {"specific": {"id": identifier, "origin": "sample", **specific}},
            "metric": {"m": [0.0]},
            "model_response": {"text": [text], "text_post_processed": [text]},
        }
        for identifier, (text, specific) in answers.items()
    ]
    details = folder / "details" / model / date / f"details_{name}_{date}.parquet"
    details.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(records), details)
    content = {
        "config_general": {"model_name": model, "max_samples": None},
        "results": {name: {}},
        "config_tasks": {name: {}},
    }
    results = folder / "results" / model / f"results_{date}.json"
    results.parent.mkdir(parents=True)
    results.write_text(json.dumps(content), encoding="utf-8")
    return folder


def run_tasks(folder: Path, data: Path, arguments: list[str]) -> dict[str, Any]:
    """Run the command line offline; return its results file."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR", "HF_HOME") if name in os.environ}
    environment = {
        **kept,
        "HOME": str(folder),
        "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{REPOSITORY / 'tests' / 'no_network'}",
        "NETWORK_LOG": str(folder / "network"),
        "OMP_NUM_THREADS": "1",
        DATA_VARIABLE: str(data),
    }
    command = [sys.executable, "-m", "tasks", *arguments, "--output-dir", str(folder / "out")]
    process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert process.returncode == 0, process.stdout[-3000:] + process.stderr[-3000:]
    assert not (folder / "network").exists()
    (file,) = (folder / "out").glob("results/**/results_*.json")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found
