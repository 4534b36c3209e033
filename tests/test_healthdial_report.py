"""The report of made-up systems and of a real run on the sample: reading, refusals, output and the command."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from healthdial.cli import app
from healthdial.report import (
    Report,
    ResultsError,
    make_report,
    report_csv,
    report_html,
    report_markdown,
    report_text,
)
from healthdial.report.context import Context
from healthdial.report.measures import MEASURES, measure_of
from healthdial.report.plots import candidates_plot
from healthdial.report.results import Setting, read_results
from healthdial.report.scores import MEAN, score_systems
from hub.location import DataLocation
from metrics.signature import Signature
from tests.conftest import REPOSITORY
from tests.healthdial_toy_results import DATE, ToyRun, by_name, cell_of, with_changed_documents, write_toy_run

pytest_plugins = ("tests.healthdial_report_fixtures",)

RELEASE = "release@0123456789ab"
NO_DATA = Context(missing="no data set")


def as_release(toy_report: Report) -> Report:
    return replace(toy_report, origin=RELEASE)


# Reading


def test_every_component_setting_and_language_is_read(toy_report: Report) -> None:
    good = by_name(toy_report)["good"]
    assert good.settings("filtering") == [Setting(candidates=k, candidates_from="data") for k in (3, 5)]
    assert good.settings("asr") == [Setting()]
    assert len(good.tasks) == 4 * 9
    item = good.tasks["asr", Setting(), "eng"].items[0]
    assert (item.item_id, item.key, item.reference) == ("eng-0027-u01", (27, 1), item.answer)


def test_a_real_run_of_lighteval_is_read(toy_data: Path, toy_location: DataLocation, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tasks", "custom", "bm25", "healthdial/systems/bm25.py"]
    command += ["healthdial_retrieval:eng|0", "--output-dir", str(tmp_path)]
    subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    made = make_report([tmp_path], toy_location, k=1)
    cell = cell_of(made, "bm25", "retrieval", "recall@5")
    assert (cell.estimate.items, cell.dialogues) == (8, 3)
    assert 0 < cell.estimate.value <= 100
    assert Signature.parse(cell.signature).get("lighteval")


def test_a_newer_run_of_a_task_in_one_setting_replaces_the_older(
    toy_data: Path, toy_results: Path, tmp_path: Path
) -> None:
    out = tmp_path / "twice"
    shutil.copytree(toy_results, out)
    write_toy_run(out, ToyRun("good", ("retrieval",), date="2030-01-03T00-00-00.000000", is_good=False))
    systems, _ = read_results([out])
    assert [len(system.tasks) for system in systems] == [36, 12]
    cells = score_systems(systems, NO_DATA)
    assert {c.estimate.value for c in cells if c.component == "retrieval" and c.measure.name == "recall@5"} == {0.0}


def test_one_task_of_one_system_in_two_places_is_refused(toy_data: Path, toy_results: Path, tmp_path: Path) -> None:
    other = write_toy_run(tmp_path, ToyRun("poor", ("asr",)))
    with pytest.raises(ResultsError, match=r"healthdial_asr:\w+ of the system poor is in two places"):
        read_results([toy_results, other])


def test_sample_and_release_are_never_mixed(toy_results: Path, toy_data: Path, tmp_path: Path) -> None:
    other = write_toy_run(tmp_path / "sample", ToyRun("third", ("asr",)))
    release = with_changed_documents(other, tmp_path / "release", origin=RELEASE)
    with pytest.raises(ResultsError, match="mix the bundled sample with the release"):
        read_results([toy_results, release])


def test_two_data_fingerprints_are_refused(toy_results: Path, toy_data: Path, tmp_path: Path) -> None:
    third = write_toy_run(tmp_path / "third", ToyRun("third", ("asr", "filtering")))
    other = with_changed_documents(third, tmp_path / "other", row_sha256="0" * 64)
    with pytest.raises(ResultsError, match=r"two data fingerprints in one table: ara-0027-u01 is .* but 0{12}"):
        read_results([toy_results, other])


def test_filtering_of_other_candidates_is_told_and_of_other_gold_refused(
    toy_results: Path, toy_location: DataLocation, toy_data: Path, tmp_path: Path
) -> None:
    third = write_toy_run(tmp_path / "third", ToyRun("third", ("filtering",)))
    swapped = with_changed_documents(third, tmp_path / "swapped", candidates='["a", "b", "c", "d", "e"]')
    notes = make_report([toy_results, swapped], toy_location, k=1).notes
    assert any("different candidates" in note for note in notes)
    assert make_report([toy_results, third], toy_location, k=1).notes == []
    other = with_changed_documents(third, tmp_path / "gold", gold='["a"]')
    with pytest.raises(ResultsError, match="two data fingerprints"):
        read_results([toy_results, other])


def test_components_without_a_table_are_named(toy_data: Path, toy_location: DataLocation, tmp_path: Path) -> None:
    out = write_toy_run(tmp_path, ToyRun("good", ("asr",)))
    for file in [*out.rglob("results_*.json"), *out.rglob("details_*")]:
        if "asr:eng" in file.name:
            file.rename(file.with_name(file.name.replace("asr:eng", "dreams:eng")))
        elif file.suffix == ".json":
            file.write_text(file.read_text().replace("asr:eng", "dreams:eng"))
    made = make_report([out], toy_location, k=1)
    assert made.passed_over == ("dreams",)
    assert "in no table here: healthdial_dreams" in report_text(made)


def test_results_of_other_data_and_of_another_version_say_what_to_do(
    toy_results: Path, toy_location: DataLocation, toy_data: Path, tmp_path: Path
) -> None:
    third = write_toy_run(tmp_path / "third", ToyRun("third", ("asr",)))
    release = with_changed_documents(third, tmp_path / "release", origin=RELEASE)
    with pytest.raises(ResultsError, match=rf"on data from {RELEASE} but .* is from sample; .*--data"):
        make_report([release], toy_location, k=1)
    result = by_name(make_report([third], toy_location, k=1))["third"].tasks["asr", Setting(), "eng"]
    older = replace(result, statistics={"wer": result.statistics["wer"][:, :3]})
    with pytest.raises(ResultsError, match="wer has 3 numbers an item, this version has 4; run the task again"):
        older.scored(measure_of("asr", "wer"))


# Output


def test_the_sample_is_marked_everywhere_and_never_beside_the_paper(toy_report: Report, toy_html: str) -> None:
    for text in (report_text(toy_report), report_markdown(toy_report), toy_html):
        assert "SAMPLE" in text
        assert "(paper)" not in text
        assert "secondary source" not in text
    assert {record["caveats"] for record in csv.DictReader(io.StringIO(report_csv(toy_report)))} == {"SAMPLE"}


def test_the_paper_stands_beside_the_release_and_says_where_it_is_from(toy_report: Report) -> None:
    made = as_release(toy_report)
    text = report_markdown(made)
    assert made.caveats == ()
    assert "numbers of arXiv 2605.30107 from a secondary source" in text
    row = next(line for line in text.splitlines() if line.startswith("| English (paper)"))
    assert [cell.strip() for cell in row.strip("|").split("|")][1:] == [
        *("3.00", "1.00", "11.44", "6.00", "96.30", "", "75.72", "0.52", "44.29", "42.86"),
    ]
    assert "| gpt-4.1-nano, k=50 (paper)" in text


def test_partial_runs_are_marked_and_never_beside_the_paper(
    toy_data: Path, toy_location: DataLocation, tmp_path: Path
) -> None:
    out = write_toy_run(tmp_path, ToyRun("good", ("retrieval",), max_samples=2))
    made = make_report([out], toy_location, k=1)
    assert made.caveats == ("SAMPLE", "PARTIAL")
    assert as_release(made).caveats == ("PARTIAL",)
    assert "(paper)" not in report_text(as_release(made))
    assert "<strong>PARTIAL." in report_html(as_release(made))


def test_every_table_plot_and_record_bears_the_marks(
    toy_data: Path, toy_location: DataLocation, toy_results: Path, tmp_path: Path
) -> None:
    short = write_toy_run(tmp_path, ToyRun("short", ("retrieval",), max_samples=3))
    made = make_report([toy_results, short], toy_location, k=1)
    html, marks = report_html(made), "(SAMPLE) (PARTIAL)"
    tables = [line for line in report_markdown(made).splitlines() if line.startswith("## ")]
    assert "## Signatures (SAMPLE) (PARTIAL)" in tables
    assert all(line.endswith(marks) for line in tables)
    for svg in html.split("<svg")[1:]:
        image = svg[: svg.index("</svg>")]
        title = re.search(r"<title>(.*?)</title>", image)
        assert title is not None
        assert title[1].endswith(marks)
        # Once more as text that is drawn.
        assert image.count(title[1]) > image.count(f"title>{title[1]}</")
        assert re.search(rf"<text [^>]*>{re.escape(title[1])}</text>", image)
    assert all(marks in one for one in re.findall(r"<h2>(.*?)</h2>\n<div", html))
    assert {one["caveats"] for one in csv.DictReader(io.StringIO(report_csv(made)))} == {"SAMPLE PARTIAL"}


def test_html_is_one_deterministic_file_without_outside_addresses(toy_report: Report, toy_html: str) -> None:
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", toy_html)
    assert "<script" not in toy_html
    # Scores, candidates, and groups of every main measure.
    assert toy_html.count("<svg") == 2 + sum(measure.is_main for measure in MEASURES)
    assert '<meta name="viewport"' in toy_html
    assert toy_html == report_html(toy_report)


def test_answers_stand_side_by_side_with_their_direction(toy_html: str) -> None:
    arabic = toy_html[toy_html.index("Speech recognition, Arabic: ara-0027-u03") :]
    answer = arabic[: arabic.index("</details>")]
    assert '<dd dir="auto" lang="ar">' in answer
    assert '<dd class="alignment" dir="ltr" lang="ar">REF:' in answer
    assert "<dt>good</dt>" in answer
    assert "<dt>poor</dt>" in answer
    assert re.search(r"✓ Keeping food safe at home: \w+", toy_html)


def test_no_file_of_the_machine_is_shown(toy_report: Report, toy_html: str) -> None:
    for text in (toy_html, report_markdown(toy_report), report_csv(toy_report)):
        assert "/home/somebody" not in text


def test_answers_are_escaped_in_html(toy_report: Report) -> None:
    good = by_name(toy_report)["good"]
    key = ("turn_classification", Setting(), "ara")
    result = good.tasks[key]
    hostile = replace(result.items[0], answer="<script>alert(1)</script>")
    changed = replace(result, items=(hostile, *result.items[1:]))
    html = report_html(replace(toy_report, systems=[replace(good, tasks={key: changed})], cells=[], disparities=[]))
    assert "&lt;script&gt;alert" in html
    assert "<script>alert" not in html


def test_every_score_has_a_signature_with_data_and_settings(toy_report: Report) -> None:
    listed = report_markdown(toy_report)
    for cell in toy_report.cells:
        if cell.language != MEAN:
            assert re.fullmatch(r"[0-9a-f]{12}", Signature.parse(cell.signature).get("data") or "")
            assert cell.signature in listed.replace("\\|", "|")


def test_csv_has_full_precision_and_a_line_for_everything(toy_report: Report) -> None:
    records = list(csv.DictReader(io.StringIO(report_csv(toy_report))))
    kinds = [record["kind"] for record in records]
    assert kinds.count("score") == len(toy_report.cells)
    assert kinds.count("difference") == len(toy_report.comparisons)
    assert kinds.count("group") == sum(len(one.groups) for one in toy_report.disparities)
    assert kinds.count("gap") == sum(one.gap is not None for one in toy_report.disparities)
    assert float(records[0]["value"]) == toy_report.cells[0].estimate.value


def test_the_curve_is_drawn_for_several_numbers_of_candidates_only(toy_report: Report) -> None:
    layout = toy_report.layout(intervals=True)
    assert candidates_plot(toy_report.cells, layout) is not None
    assert candidates_plot([cell for cell in toy_report.cells if cell.setting.candidates == 5], layout) is None
    assert "good, k=3" in report_text(toy_report)


# The command


def test_the_command_writes_its_files(toy_results: Path, built_with_audio: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / f"report.{name}" for name in ("html", "csv", "markdown")}
    results = toy_results / "results" / "poor" / f"results_{DATE}.json"
    arguments = ["report", str(results), "--data", str(built_with_audio), "--k", "1"]
    for name, file in files.items():
        arguments += [f"--{name}", str(file)]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output
    assert "Best systems (as Table 2) (SAMPLE)" in outcome.output
    assert all(file.stat().st_size > 1000 for file in files.values())


@pytest.mark.parametrize("folder", ["nothing", "empty"])
def test_the_command_refuses_folders_without_results(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    outcome = CliRunner().invoke(app, ["report", str(tmp_path / folder)])
    assert isinstance(outcome.exception, ResultsError)
    assert re.search(r"no such folder|no results_\*\.json", str(outcome.exception))


def test_results_without_details_say_what_to_do(toy_results: Path, tmp_path: Path) -> None:
    shutil.copytree(toy_results / "results", tmp_path / "results")
    with pytest.raises(ResultsError, match=r"details of healthdial_\w+:\w+\|0 are missing.*--save-details"):
        read_results([tmp_path])


def test_a_results_file_is_read_alone(toy_results: Path) -> None:
    systems, _ = read_results([toy_results / "results" / "poor" / f"results_{DATE}.json"])
    assert [system.name for system in systems] == ["poor"]
