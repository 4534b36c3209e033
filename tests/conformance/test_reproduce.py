"""Table 1 of arXiv 2504.05898 through the whole chain: build, replay in lighteval, report, compare."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from thai_dialect_bench.reproduce import compare_table_1, exceptions_table
from thai_dialect_bench.results import read_results

Reproduced = tuple[subprocess.CompletedProcess[str], Path]
COMMAND = [sys.executable, "-c", "from thai_dialect_bench.cli import main; main()"]


@pytest.fixture(scope="module")
def reproduced(upstream: Path, tmp_path_factory: pytest.TempPathFactory) -> Reproduced:
    out = tmp_path_factory.mktemp("reproduce")
    command = [*COMMAND, "reproduce", "--release", str(upstream), "--out", str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=False), out


def test_94_cells_agree_and_the_two_misprints_are_named(reproduced: Reproduced) -> None:
    run, out = reproduced
    assert run.returncode == 0, run.stderr[-2000:]
    assert "94 cells agree, 2 are misprints, 0 disagree, 0 could not be checked." in run.stdout
    exceptions = [
        re.sub(r"\s+", " ", line) for line in run.stdout.splitlines() if line.rstrip(" │").endswith("misprint")
    ]
    assert exceptions == [
        "│ Llama-3.1-8b │ Lanna │ Summarization │ 18.05 │ 17.055 │ 17.0662 │ misprint │",
        "│ GPT-4o │ Central Thai │ E-L │ 21.926 │ 21.9156 │ 21.9156 │ misprint │",
    ]
    assert "last digit: truncation" in run.stdout
    assert "last digit: rounding" in run.stdout
    assert "94 of 96 cells agree" in (out / "table1.md").read_text(encoding="utf-8")
    assert "94 of 96 cells agree" in (out / "table1.html").read_text(encoding="utf-8")


def test_like_for_like_qa_equals_the_measured_values(reproduced: Reproduced) -> None:
    markdown = (reproduced[1] / "table1.md").read_text(encoding="utf-8")
    rows = [re.sub(r"\s+", " ", line) for line in markdown.splitlines()]
    # Measured on the released predictions with other code.
    for row in (
        "| Llama-3.1-8b | 48.02 | 33.90 | 34.18 | 34.54 |",
        "| Llama-3.1-70b | 48.06 | 37.76 | no output | 44.75 |",
        "| Gemini2 | 53.81 | 40.52 | 40.90 | 47.87 |",
    ):
        assert row in rows


def test_results_of_an_earlier_run_are_not_counted(reproduced: Reproduced, upstream: Path, tmp_path: Path) -> None:
    release = tmp_path / "release"
    shutil.copytree(upstream / "datasets", release / "datasets")
    shutil.copy(upstream / "prompts.json", release)
    (release / "outputs_local").mkdir()
    shutil.copy(upstream / "outputs_local" / "qa_center_0_0_gpt-4o-2024-05-13.csv", release / "outputs_local")
    command = [*COMMAND, "reproduce", "--release", str(release), "--out", str(reproduced[1])]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "1 cells agree, 0 are misprints, 0 disagree, 95 could not be checked." in run.stdout


def test_a_wrong_cell_and_a_missing_one_are_told(reproduced: Reproduced) -> None:
    runs = min((reproduced[1] / "runs").iterdir())
    models = {model.name: model for model in read_results([runs])}
    tasks = models["gpt-4o-2024-05-13"].tasks
    result = tasks["translation_to_english", "isan"]
    tasks["translation_to_english", "isan"] = replace(
        result, statistics={**result.statistics, "bleu": result.statistics["bleu"][:-1]}, items=result.items[:-1]
    )
    del tasks["summarization", "lanna"]
    comparisons = list(compare_table_1(models))
    assert sorted({c.verdict for c in comparisons}) == ["agrees", "disagrees", "misprint", "not checked"]
    kinds = {(row[0], row[1], row[2]): row[-1] for row in exceptions_table(comparisons).rows}
    assert kinds["GPT-4o", "Isan", "L-E"] == "disagrees"
    assert kinds["GPT-4o", "Lanna", "Summarization"] == "not checked"
