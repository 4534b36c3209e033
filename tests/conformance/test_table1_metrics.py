"""The metrics reproduce the released outputs' recomputed scores (159 files) and Table 1 of arXiv 2504.05898."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pythainlp
from numpy.typing import NDArray

from metrics.thai_text import Bleu, Chrf, CorpusMetric, RougeL, corpus_statistics

# Six decimals are printed.
PRINTED = 5.1e-7
# PyThaiNLP 5.3 and later split some texts otherwise.
PAPERS_TOKENS = tuple(int(part) for part in pythainlp.__version__.split(".")[:2]) < (5, 3)
BLEU_TOLERANCE = PRINTED if PAPERS_TOKENS else 0.05
ROUGE_TOLERANCE = PRINTED if PAPERS_TOKENS else 0.1
# ROUGE-L in print is the median of an unseeded bootstrap, so the tolerance is its noise.
TABLE_TOLERANCES = {"translation": 0.006 if PAPERS_TOKENS else 0.05, "qa": 1.0, "summarization": 0.2}
# Cells of the printed table that its own score files contradict: printed value, value to expect.
MISPRINTS = {
    ("center", "translation_eng_center", "GPT-4o"): (21.926, 21.9156),
    ("north", "summarization", "Llama-3.1-8b"): (18.05, 17.066),
}


@dataclass(frozen=True)
class Cell:
    """One released prediction file with its recomputed scores."""

    expected: dict[str, Any]
    hypotheses: list[str]
    references: list[str]

    @property
    def label(self) -> str:
        return " ".join(
            str(self.expected[key]) for key in ("dialect", "task", "model", "qa_version") if key in self.expected
        )

    def statistics(self, metric: CorpusMetric) -> NDArray[np.float64]:
        return corpus_statistics(metric, self.hypotheses, self.references)

    def score(self, metric: CorpusMetric) -> float:
        return float(metric.values(self.statistics(metric).sum(axis=0)))


def read_cell(upstream: Path, expected: dict[str, Any]) -> Cell:
    folder = upstream / "history_qa_v1" if expected.get("qa_version") == "v1" else upstream
    name = f"{expected['task']}_{expected['dialect']}_0_0_{expected['model_file']}.csv"
    with (folder / "outputs_local" / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return Cell(expected, [row["Pred"] for row in rows], [row["Gold"] for row in rows])


@pytest.fixture(scope="module")
def cells(upstream: Path) -> list[Cell]:
    csv.field_size_limit(sys.maxsize)
    reproduced = json.loads((upstream / "derived_reproduced_metrics.json").read_text(encoding="utf-8"))
    return [read_cell(upstream, expected) for expected in reproduced["cells"]]


def test_all_files_are_there(cells: list[Cell]) -> None:
    assert len(cells) == 159
    assert [cell.label for cell in cells if len(cell.hypotheses) != cell.expected["n"]] == []
    assert sum("paper_table1" in cell.expected for cell in cells) == 96


def test_bleu_of_all_files(cells: list[Cell]) -> None:
    errors = {cell.label: abs(cell.score(Bleu()) - cell.expected["pythainlp_5.0.4"]["BLEU"]) for cell in cells}
    assert {label: error for label, error in errors.items() if error > BLEU_TOLERANCE} == {}


def test_rouge_l_of_all_files(cells: list[Cell]) -> None:
    errors = {
        cell.label: abs(cell.score(RougeL()) - cell.expected["pythainlp_5.0.4"]["rougeL_mean"]) for cell in cells
    }
    assert {label: error for label, error in errors.items() if error > ROUGE_TOLERANCE} == {}


def test_rouge_l_of_all_items(cells: list[Cell]) -> None:
    worst = {
        cell.label: np.abs(cell.statistics(RougeL())[:, 0] - cell.expected["rougeL_items"]).max() for cell in cells
    }
    tolerance = PRINTED if PAPERS_TOKENS else 0.05
    assert {label: error for label, error in worst.items() if error > tolerance} == {}


@pytest.mark.parametrize(("metric", "key"), [(Chrf(0), "chrF"), (Chrf(2), "chrF++_word_order_2")])
def test_chrf_of_all_files(cells: list[Cell], metric: Chrf, key: str) -> None:
    errors = {cell.label: abs(cell.score(metric) - cell.expected[key]) for cell in cells}
    assert {label: error for label, error in errors.items() if error > PRINTED} == {}


def test_table_1(cells: list[Cell]) -> None:
    wrong = {}
    for cell in cells:
        if "paper_table1" not in cell.expected:
            continue
        task, printed = cell.expected["task"], cell.expected["paper_table1"]
        key = (cell.expected["dialect"], task, cell.expected["model"])
        if key in MISPRINTS:
            assert printed == MISPRINTS[key][0]
            printed = MISPRINTS[key][1]
        translation = task.startswith("translation")
        metric: CorpusMetric = Bleu() if translation else RougeL()
        tolerance = TABLE_TOLERANCES["translation" if translation else task]
        error = abs(cell.score(metric) - printed)
        if error > tolerance:
            wrong[cell.label] = error
    assert wrong == {}
