"""`thai-dialect-bench agreement`: the tables printed and the files written for a made-up study."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import pearsonr, spearmanr
from typer.testing import CliRunner, Result

from tests.judgement_cases import GEMINI, GPT, TYPHOON, drawn_preferences, drawn_scores, preference, score
from thai_dialect_bench.cli import app
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import Judgement
from thai_dialect_bench.judgements import write_csv, write_jsonl
from thai_dialect_bench.paper_human import TABLE_2, TABLE_3, TABLE_6, paper_title, table_2_pair


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["agreement", *map(str, arguments)])


def row_of(text: str, *starts: str) -> list[str]:
    """Cells of the first printed row that begins with these cells."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("│").split("│")]
        if cells[: len(starts)] == list(starts):
            return cells
    raise AssertionError(f"no row {starts} in:\n{text}")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "study.jsonl"
    labels = {"s-0": (1, 0.5), "s-1": (1, 1), "s-2": (1, 1), "s-3": (0, 0)}
    judgements: list[Judgement] = []
    for item, pair in labels.items():
        judgements += [score(item, who, x, 1) for who, x in zip(("A1", "A2"), pair, strict=True)]
    judgements += [score("s-0", "A1", 0, 0, model="my-model"), score("s-1", "A1", 0.5, None, model="my-model")]
    for item, votes in {"f-0": ("a", "a"), "f-1": ("a", "b"), "f-2": ("a", "none"), "f-3": ("none", "none")}.items():
        judgements += [preference(item, who, vote) for who, vote in zip(("A1", "A2"), votes, strict=True)]
    write_jsonl(file, judgements)
    return file


def test_tables_worked_out_by_hand(study: Path) -> None:
    shown = run(study)
    assert shown.exit_code == 0, shown.output
    # Generation 0.75, 1, 1, 0 of four answers; Fluency 1 throughout.
    gemini = row_of(shown.output, GEMINI, "Isan")
    assert [cell.split(" ")[0] for cell in gemini[2:5]] == ["68.75", "100.00", "84.38"]
    assert gemini[5:] == ["4", "2", "0", "86.57", "82.41", "84.49"]
    own = row_of(shown.output, "my-model", "Isan")
    assert [cell.split(" ")[0] for cell in own[2:5]] == ["25.00", "0.00", "12.50"]
    assert own[5:] == ["2", "1", "1", "", "", ""]
    # Verdicts a, both, a, none; both wins are Gemini's: p = 2 / 4.
    pair = row_of(shown.output, GEMINI, TYPHOON, "Isan", "Dialect")
    assert pair[4:6] == ["2 / 0 / 1 / 1", "2"]
    assert pair[7:] == ["0.5000", "0.5000", "20 / 0 / 0 / 0"]
    # Equal 3 of 4; expected (3 * 2 + 1 * 1) / 16: kappa 5 / 9. Two answers of my-model have one label.
    kappa = row_of(shown.output, "Isan", "Generation", "A1 & A2")
    assert kappa[3:6] == ["4", "2", "75 %"]
    assert kappa[6].split(" ")[0] == "0.56"
    assert kappa[9] == "0.71"
    fluency = row_of(shown.output, "Isan", "Fluency", "A1 & A2")
    assert fluency[5:9] == ["100 %", "-", "-", "-"]
    # A1 gave 1, 1, 1, 0 and 0, 0.5 to my-model, and is above A2 by 0.5 on one of four shared answers.
    bias = row_of(shown.output, "Isan", "Generation", "A1")
    assert [bias[3], bias[4].split(" ")[0], bias[5]] == ["58.33", "+12.50", "4"]
    assert row_of(shown.output, "Isan", "Generation", "2")[3:5] == ["4", "2"]
    assert row_of(shown.output, "f-1", "Isan", f"{GEMINI} (a), {TYPHOON} (b)")[4:] == ["1.00", "A1: a, A2: b"]
    assert row_of(shown.output, "s-0", "Isan", GEMINI, "Generation")[4:] == ["0.50", "A1: 1, A2: 0.5"]


def scores_file(tmp_path: Path, judgements: list[Judgement]) -> Path:
    """An automatic score: Generation of A1, bent."""
    file = tmp_path / "scores.csv"
    lines = [
        f"{j.item},{j.model},{j.dialect},{(j.generation or 0) ** 2 + len(j.item) / 7 + int(j.item[-1]) / 50}"
        for j in judgements
        if j.model and j.annotator == "A1"
    ]
    file.write_text("\n".join(["item,model,dialect,score", *lines, f"other,{GEMINI},isan,1"]), encoding="utf-8")
    return file


def test_files_hold_the_records_of_all_tables(tmp_path: Path) -> None:
    judgements = [*drawn_scores(["A1", "A2", "A3"], items=8), *drawn_preferences(["A1", "A2", "A3"], items=8)]
    scores = scores_file(tmp_path, judgements)
    write_csv(tmp_path / "j.csv", judgements)
    out = {suffix: tmp_path / "out" / f"a.{suffix}" for suffix in ("html", "csv", "json")}
    shown = run(
        *(tmp_path / "j.csv", "--scores", scores),
        *("--html", out["html"], "--csv", out["csv"], "--json", out["json"]),
    )
    assert shown.exit_code == 0, shown.output
    content = json.loads(out["json"].read_text(encoding="utf-8"))
    signature = content.pop("signature")
    assert signature in shown.output
    assert f"judgements:{len(judgements)}|merge:half_per_system|" in signature
    assert all(content.values())
    rows = list(csv.DictReader(io.StringIO(out["csv"].read_text(encoding="utf-8"))))
    assert [row["table"] for row in rows] == [name for name, records in content.items() for _ in records]
    for row, record in zip(rows, [record for records in content.values() for record in records], strict=True):
        for name, value in record.items():
            if isinstance(value, float):
                assert float(row[name]) == value
            elif not isinstance(value, dict):
                assert row[name] == ("" if value is None else str(value))
    page = out["html"].read_text(encoding="utf-8")
    for title in ("Human scores (Table 3)", "Ranking (Bradley-Terry)", "Automatic score", "To discuss"):
        assert title in page
    assert len(content["discussions"]) > 20
    assert f"20 of {len(content['discussions'])}" in shown.output
    # Times and reasons are nobody's business.
    assert not any("2026-01-02" in text or "ธรรมชาติ" in text for text in (page, shown.output, str(content)))


def test_correlation_equals_scipy_on_the_annotators_means(tmp_path: Path) -> None:
    judgements = drawn_scores(["A1", "A2"], items=12)
    scores = scores_file(tmp_path, judgements)
    write_jsonl(tmp_path / "j.jsonl", judgements)
    out = tmp_path / "a.json"
    assert run(tmp_path / "j.jsonl", "--scores", scores, "--json", out).exit_code == 0
    automatic = {
        (row["item"], row["model"]): float(row["score"])
        for row in csv.DictReader(scores.read_text(encoding="utf-8").splitlines())
    }
    human: dict[tuple[str, str], list[float]] = {}
    for judgement in judgements:
        if judgement.generation is not None:
            human.setdefault((judgement.item, str(judgement.model)), []).append(judgement.generation)
    pairs = [(automatic[key], sum(labels) / len(labels)) for key, labels in human.items()]
    first, second = zip(*pairs, strict=True)
    found = json.loads(out.read_text(encoding="utf-8"))["correlations"]
    entry = next(e for e in found if (e["dialect"], e["aspect"], e["level"]) == ("isan", "generation", "answer"))
    assert entry["spearman"] == pytest.approx(spearmanr(first, second).statistic)
    assert entry["pearson"] == pytest.approx(pearsonr(first, second).statistic)
    assert (entry["observations"], entry["unmatched"], entry["unused"]) == (len(pairs), 0, 25 - len(pairs))
    assert {e["level"] for e in found} == {"answer"}  # two systems alone are not correlated


UNDEFINED_NOTE = "Without an interval: more than 5 % of the resamples are not defined."
SWEEP_NOTE = "Without an interval: some models of the group won, or lost, all verdicts with the others"


def written(folder: Path, judgements: list[Judgement]) -> tuple[str, dict[str, Any], list[dict[str, str]], str]:
    """What is printed, the JSON, the rows of the CSV, and the page."""
    write_jsonl(folder / "j.jsonl", judgements)
    json_file, csv_file, page = (folder / f"a.{suffix}" for suffix in ("json", "csv", "html"))
    shown = run(folder / "j.jsonl", "--json", json_file, "--csv", csv_file, "--html", page)
    assert shown.exit_code == 0, shown.output
    rows = list(csv.DictReader(csv_file.read_text(encoding="utf-8").splitlines()))
    return shown.output, json.loads(json_file.read_text(encoding="utf-8")), rows, page.read_text(encoding="utf-8")


def test_an_interval_without_many_resamples_is_not_shown_but_counted(tmp_path: Path) -> None:
    # Generation: one 1 among nineteen 0, so a third of the resamples has one label; Fluency: ten of each.
    labels = {f"s-{i:02d}": (float(i == 0), float(i % 2)) for i in range(20)}
    judgements = [score(item, who, *pair) for item, pair in labels.items() for who in ("A1", "A2")]
    printed, content, rows, page = written(tmp_path, judgements)
    assert row_of(printed, "Isan", "Generation", "A1 & A2")[6:9] == ["1.00"] * 3
    assert row_of(printed, "Isan", "Fluency", "A1 & A2")[6:9] == ["1.00 ±0.00"] * 3
    assert row_of(printed, "Isan", "Generation", "2")[5] == "1.00"
    assert row_of(printed, "Isan", "Fluency", "2")[5] == "1.00 ±0.00"
    assert printed.count(UNDEFINED_NOTE) == page.count(UNDEFINED_NOTE) == 2
    assert page.count("1.00<small>[1.00, 1.00]</small>") == 4  # Fluency: three kappas and alpha
    generation, fluency = content["pair_agreements"]
    assert [generation[f"kappa_none{end}"] for end in ("", "_low", "_high")] == [1, 1, 1]
    assert 600 < generation["kappa_none_undefined"] < 820
    assert fluency["kappa_quadratic_undefined"] == 0
    assert {record["alpha_undefined"] > 600 for record in content["group_agreements"]} == {True, False}
    row = next(row for row in rows if (row["table"], row["aspect"]) == ("pair_agreements", "generation"))
    assert row["kappa_none_undefined"] == str(generation["kappa_none_undefined"])


@pytest.mark.parametrize(("labels", "noted"), [(("a",), True), (("a", "b"), False)])
def test_the_ranking_shows_no_interval_where_a_model_sweeps(
    tmp_path: Path, labels: tuple[str, ...], noted: bool
) -> None:
    pairs = ((GEMINI, TYPHOON), (GEMINI, GPT), (TYPHOON, GPT))
    judgements = [
        preference(f"f-{i}", "A1", labels[i % len(labels)] if GEMINI in pair else "ab"[i % 2], pair)
        for i in range(12)
        for pair in pairs
    ]
    printed, content, _, page = written(tmp_path, judgements)
    for model in (GEMINI, TYPHOON, GPT):
        assert ("±" in row_of(printed, "Isan", "Dialect", model)[3]) != noted
    assert (SWEEP_NOTE in printed, SWEEP_NOTE in page) == (noted, noted)
    assert {entry["strength_undefined"] for entry in content["strengths"]} == {2000 if noted else 0}
    assert all((entry["strength_low"] is None) == noted for entry in content["strengths"])


def test_what_does_not_fit_is_one_line_and_exit_code_1(study: Path, tmp_path: Path) -> None:
    code = "from thai_dialect_bench.cli import main; main()"
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    failed = subprocess.run(
        [sys.executable, "-c", code, "agreement", str(tmp_path / "empty.jsonl")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert failed.returncode == 1
    assert failed.stderr.startswith("thai-dialect-bench: error: ")
    assert "no judgements" in failed.stderr
    assert failed.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("item,model,score\n", "line 1: no column dialect"),
        (f"item,model,dialect,score\ns-0,{GEMINI},isan,high\n", "line 2, field score: 'high' is not a finite number"),
        (f"item,model,dialect,score\ns-0,{GEMINI},isan,nan\n", "line 2, field score: 'nan'"),
        (f"item,model,dialect,score\ns-0,{GEMINI},east,1\n", "line 2, field dialect: 'east'"),
        (f"item,model,dialect,score\ns-0,{GEMINI},isan,1\ns-0,{GEMINI},isan,1\n", "line 3: a second score of s-0"),
        ("item,model,dialect,score\nx,y,isan,1\n", "no judged answer has an automatic score"),
    ],
)
def test_faults_of_the_automatic_scores_are_named(content: str, message: str, study: Path, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(content, encoding="utf-8")
    failed = run(study, "--scores", tmp_path / "scores.csv")
    assert isinstance(failed.exception, BenchError)
    assert message in str(failed.exception)


def test_models_are_known_by_title_or_file_name() -> None:
    assert paper_title("google/Gemini-2.0-flash-exp") == paper_title("gemini2") == "Gemini2"
    assert paper_title("my-model") is None
    assert table_2_pair(TYPHOON, GEMINI) == ("Gemini2", "Typhoon1.5-70b")
    assert table_2_pair(GEMINI, "my-model") is None


def test_the_papers_tables_are_as_printed() -> None:
    assert all(sum(row) == 20 for rows in TABLE_2.values() for row in rows.values())
    halves = {
        (model, dialect)
        for model, rows in TABLE_3.items()
        for dialect, row in rows.items()
        if abs((row.generation + row.fluency) / 2 - row.average) > 0.0051
    }
    assert halves == {("Gemini2", "lanna"), ("Gemini2", "dambro")}
    means = {aspect: sum(kappas.values()) / 3 for aspect, kappas in TABLE_6.items()}
    assert means == pytest.approx({"generation": 0.7969, "fluency": 0.7449}, abs=1e-4)
