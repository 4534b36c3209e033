"""Results, scores and report of real lighteval runs on the sample, and refusals of what does not belong together."""

from __future__ import annotations

import csv
import io
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sacrebleu

from hub.custom_runs import CustomRun, run_custom
from metrics.report_tables import shorten
from metrics.resampling import holm
from metrics.signature import Signature
from metrics.thai_text import Bleu, NewmmTokenizer
from thai_dialect_bench import report as reports
from thai_dialect_bench.build import build_sample
from thai_dialect_bench.errors import BenchError, ResultsError
from thai_dialect_bench.outputs import read_answers
from thai_dialect_bench.report import Report, make_report
from thai_dialect_bench.results import ModelResults, read_results
from thai_dialect_bench.runs import SYSTEMS
from thai_dialect_bench.schema import DATA_VARIABLE, TASKS, VARIETIES
from thai_dialect_bench.scores import (
    Cell,
    diagnose,
    drop_from_central,
    score,
    score_missing_as_zero,
    score_models,
)
from thai_dialect_bench.tables import CAVEATS


@pytest.fixture(scope="module")
def replayed(sample_data: Path, baseline_results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lead baseline's answers replayed from its details under another name."""
    out = tmp_path_factory.mktemp("replayed")
    tasks = tuple(f"thai_dialect_{task}:{variety}|0" for task in TASKS for variety in VARIETIES)
    source = baseline_results / "details" / "lead"
    run_custom(CustomRun(f"again={source}", SYSTEMS / "replay.py", tasks), out, {DATA_VARIABLE: str(sample_data)})
    return out


@pytest.fixture(scope="module")
def report(baseline_results: Path, replayed: Path) -> Report:
    return make_report([baseline_results, replayed])


def by_name(models: list[ModelResults]) -> dict[str, ModelResults]:
    return {model.name: model for model in models}


def test_all_24_subsets_are_read_with_their_items(baseline_results: Path) -> None:
    models = by_name(read_results([baseline_results]))
    assert sorted(models) == ["copy", "lead"]
    for model in models.values():
        assert len(model.tasks) == 24
        for (task, variety), result in model.tasks.items():
            assert [item.item for item in result.items] == [f"{task}-{i:02d}" for i in range(len(result.items))]
            assert len(result.items) >= 3
            assert (result.variety, result.origin) == (variety, "sample")


def test_replayed_details_score_as_the_original_run(report: Report) -> None:
    scores = {(cell.model, cell.task, cell.variety): cell.estimate for cell in report.cells}
    compared = [
        (scores["again", task, variety], estimate)
        for (model, task, variety), estimate in scores.items()
        if model == "lead"
    ]
    assert len(compared) == 16
    assert all(again == lead for again, lead in compared)


def test_scores_equal_other_tools_on_the_answers(report: Report) -> None:
    numbers: dict[str, int] = {}

    def as_numbers(text: str) -> str:
        tokens = NewmmTokenizer().tokenize(text)
        return " ".join(str(numbers.setdefault(token, len(numbers))) for token in tokens)

    result = by_name(report.models)["again"].tasks["summarization", "isan"]
    hypotheses = [as_numbers(item.answer) for item in result.items]
    references = [as_numbers(item.reference) for item in result.items]
    expected = sacrebleu.corpus_bleu(hypotheses, [references], tokenize="none", smooth_method="none", force=True).score
    sums = result.statistics["bleu"].sum(axis=0)
    assert float(Bleu().values(sums)) == pytest.approx(expected, abs=1e-9)


def test_drop_is_central_minus_dialect_with_its_interval(report: Report) -> None:
    cells = {(c.model, c.task, c.variety): c for c in report.cells}
    central, lanna = cells["again", "qa", "central"], cells["again", "qa", "lanna"]
    assert lanna.drop is not None
    assert lanna.drop.difference.value == pytest.approx(central.estimate.value - lanna.estimate.value)
    assert lanna.drop.difference.low <= lanna.drop.difference.value <= lanna.drop.difference.high
    assert central.drop is None
    for is_floor in (False, True):
        drops = [c.drop for c in report.cells if c.drop is not None and c.is_floor == is_floor]
        assert [drop.p_holm for drop in drops] == holm([drop.p_value for drop in drops])
        assert len(drops) == (24 if is_floor else 12)


def test_floors_are_computed_from_the_rows_where_they_were_not_run(baseline_results: Path, replayed: Path) -> None:
    def floor_scores(cells: list[Cell]) -> dict[tuple[str, str, str], float]:
        return {(c.model, c.task, c.variety): c.estimate.value for c in cells if c.is_floor}

    run = floor_scores(score_models(read_results([baseline_results])))
    computed = floor_scores(score_models(read_results([replayed])))
    assert len(run) == 32
    assert computed == pytest.approx(run)


def test_every_score_carries_a_signature_with_data_and_lighteval(report: Report) -> None:
    for cell in report.cells:
        signature = Signature.parse(cell.signature)
        assert signature.metric == cell.metric
        assert signature.get("tok") == "newmm"
        assert re.fullmatch(r"[0-9a-f]{12}", signature.get("data") or "")
        assert signature.get("lighteval") or cell.is_floor


def test_the_table_tells_the_number_of_items(report: Report) -> None:
    text = reports.report_text(report)
    assert "Items a score: QA 5, Summarization 4, E-L 6, L-E 6." in text
    fewer = [
        replace(c, estimate=replace(c.estimate, items=4)) if c.variety == "isan" and c.task == "qa" else c
        for c in report.cells
    ]
    assert "Items a score: QA 5 (Isan 4), Summarization 4" in reports.report_text(replace(report, cells=fewer))


def test_the_sample_is_marked_everywhere_and_never_beside_the_paper(report: Report) -> None:
    for text in (reports.report_text(report), reports.report_markdown(report), reports.report_html(report)):
        assert "SAMPLE" in text
        assert "(paper)" not in text
    assert {record["origin"] for record in csv.DictReader(io.StringIO(reports.report_csv(report)))} == {"sample"}


def test_partial_runs_and_modified_data_are_marked_and_never_beside_the_paper(report: Report) -> None:
    model = report.models[0]
    key, result = next(iter(model.tasks.items()))
    partial = replace(model, tasks={**model.tasks, key: replace(result, partial=True)})
    modified = "modified@0123456789ab"
    for made, marks in (
        (replace(report, origin="release@b5597ba"), ()),
        (replace(report, origin="release@b5597ba", models=[partial]), ("PARTIAL",)),
        (replace(report, origin=modified), ("MODIFIED",)),
        (replace(report, origin=modified, models=[partial]), ("PARTIAL", "MODIFIED")),
    ):
        assert made.caveats == marks
        assert ("(paper)" in reports.report_text(made)) == (not marks)
        html = reports.report_html(made)
        assert [mark for mark in CAVEATS if f"<strong>{mark}." in html] == list(marks)
        records = list(csv.DictReader(io.StringIO(reports.report_csv(made))))
        assert {record["caveats"] for record in records} == {" ".join(marks)}
        prefix = "".join(f"{mark}_" for mark in marks)
        assert all(name.startswith(f"{prefix}local_results_") for name in reports.upstream_csvs(made))


def test_html_is_one_file_without_outside_addresses(report: Report) -> None:
    html = reports.report_html(report)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", html)
    assert "<script" not in html
    assert html.count("<svg") == 2
    assert (
        reports.report_html(replace(report, models=[], cells=[c for c in report.cells if c.is_floor])).count("<svg")
        == 2
    )
    assert '<meta name="viewport"' in html
    assert reports.report_html(report) == html


def test_answers_are_escaped_in_html(replayed: Path) -> None:
    made = make_report([replayed])
    tasks = made.models[0].tasks
    result = tasks["qa", "central"]
    hostile = replace(result.items[0], answer="<script>alert(1)</script>")
    tasks["qa", "central"] = replace(result, items=(hostile, *result.items[1:]))
    assert "&lt;script&gt;alert" in reports.report_html(made)
    assert "<script>alert" not in reports.report_html(made)


def test_csv_has_full_precision_and_one_line_per_score(report: Report) -> None:
    records = list(csv.DictReader(io.StringIO(reports.report_csv(report))))
    assert len(records) == len(report.cells) + len(report.dialect_cells)
    assert float(records[0]["score"]) == report.cells[0].estimate.value
    assert records[0]["items"] == str(report.cells[0].estimate.items)


def test_upstream_layout_has_a_file_per_variety_and_a_row_per_task(report: Report) -> None:
    files = reports.upstream_csvs(report)
    assert sorted(files)[:2] == ["SAMPLE_local_results_center_0_again.csv", "SAMPLE_local_results_center_0_copy.csv"]
    rows = list(csv.DictReader(io.StringIO(files["SAMPLE_local_results_north_0_again.csv"])))
    assert [row["dataset"] for row in rows] == [
        "qa",
        "summarization",
        "translation_eng_north",
        "translation_north_eng",
        "food",
        "conversation",
    ]
    assert float(rows[0]["ROUGEL"]) > 0
    assert rows[0]["meteor"] == ""


def test_one_task_of_one_model_in_two_places_is_refused_in_any_order(replayed: Path, tmp_path: Path) -> None:
    """Else the one given last would silently hide the other, also a release behind a sample."""
    other = with_changed_rows(replayed, tmp_path / "other", origin="release@b5597ba")
    for paths in ([replayed, other], [other, replayed]):
        with pytest.raises(ResultsError, match=r"of the model again is in two places, .* and .*Give one of them"):
            read_results(paths)


def test_results_are_found_from_inside_their_folder(replayed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = next((replayed / "results").rglob("results_*.json"))
    monkeypatch.chdir(file.parent)
    assert len(read_results([Path()])[0].tasks) == 24
    assert len(read_results([Path(file.name)])[0].tasks) == 24


def test_a_single_details_file_and_a_folder_with_other_tasks_and_older_runs_are_replayed(
    sample_data: Path, replayed: Path, tmp_path: Path
) -> None:
    source = tmp_path / "a:b" / "details" / "again"
    shutil.copytree(replayed / "details" / "again", source)
    file = next(source.rglob("details_thai_dialect_qa:lanna*.parquet"))
    answers = read_answers(file, "m")
    older = source / "2000-01-01T00-00-00.000000"
    older.mkdir()
    shutil.copy(file, older / f"{file.name.rsplit('_', 1)[0]}_{older.name}.parquet")
    shutil.copy(file, older / f"details_gsm8k|0_{older.name}.parquet")
    assert [answer.prompt for answer in read_answers(source, "m")].count(answers[0].prompt) == 1
    for given in (file, source):
        run = CustomRun(f"m={given}", SYSTEMS / "replay.py", ("thai_dialect_qa:lanna|0",))
        run_custom(run, tmp_path / "out", {DATA_VARIABLE: str(sample_data)})
    with pytest.raises(BenchError, match="not the details of a task"):
        read_answers(next(sample_data.rglob("*.parquet")), "m")


def test_details_of_several_models_are_not_mixed(baseline_results: Path) -> None:
    several = r"details of several models; give the folder of one: .*(copy|lead), .*(copy|lead)"
    with pytest.raises(BenchError, match=several):
        read_answers(baseline_results, "m")


def test_a_report_without_references_shows_the_diagnostics(replayed: Path) -> None:
    model = make_report([replayed]).models[0]
    food = replace(model, tasks={key: result for key, result in model.tasks.items() if key[0] == "food"})
    made = Report([food], [], diagnose([food]), "release@b5597ba")
    assert "Wrong script" in reports.report_text(made)
    assert "(paper)" not in reports.report_text(made)
    assert reports.report_csv(made).startswith("model,is_floor,")
    assert "No task with references was run" in reports.report_html(made)


def test_scores_of_several_tokenizer_versions_are_warned_about(report: Report) -> None:
    newer = [
        replace(report.cells[0], signature=report.cells[0].signature.replace("5.2.0", "5.4.0")),
        *report.cells[1:],
    ]
    text = reports.report_text(replace(report, cells=newer))
    assert "several versions of PyThaiNLP (5.2.0, 5.4.0)" in text
    assert "up to 0.05 BLEU" in text
    assert "WARNING" not in reports.report_text(report)


def test_results_without_details_say_what_to_do(baseline_results: Path, tmp_path: Path) -> None:
    shutil.copytree(baseline_results / "results", tmp_path / "results")
    with pytest.raises(ResultsError, match=r"details of thai_dialect_\w+:\w+\|0 are missing.*--save-details"):
        read_results([tmp_path])


@pytest.mark.parametrize("content", ["{", "[]", '{"config_general": {}}'])
def test_other_json_files_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "results_x.json").write_text(content)
    with pytest.raises(ResultsError, match=r"results_x\.json: not a results file of lighteval"):
        read_results([tmp_path])
    with pytest.raises(ResultsError, match="no such folder or file"):
        read_results([tmp_path / "nowhere"])


def with_changed_rows(results: Path, out: Path, **changes: str) -> Path:
    """Copy results as if their rows had other values of some `Doc.specific` fields."""
    shutil.copytree(results, out)
    for file in out.rglob("details_*.parquet"):
        table = pq.read_table(file)
        records = table.to_pylist()
        for record in records:
            record["doc"]["specific"].update(changes)
        pq.write_table(pa.Table.from_pylist(records, schema=table.schema), file)
    return out


def test_sample_and_release_are_never_mixed(replayed: Path, baseline_results: Path, tmp_path: Path) -> None:
    release = with_changed_rows(replayed, tmp_path / "release", origin="release@b5597ba")
    with pytest.raises(ResultsError, match="mix the bundled sample with the release"):
        read_results([baseline_results, release])


def test_two_data_fingerprints_are_refused_and_named(replayed: Path, baseline_results: Path, tmp_path: Path) -> None:
    other = with_changed_rows(replayed, tmp_path / "other", row_sha256="0" * 64)
    with pytest.raises(ResultsError, match=r"two data fingerprints in one table: \w+-\w+-00 is .* but 0{12}"):
        read_results([baseline_results, other])


def test_a_newer_run_of_a_task_replaces_the_older(sample_data: Path, replayed: Path, tmp_path: Path) -> None:
    out = tmp_path / "twice"
    shutil.copytree(replayed, out)
    before = by_name(read_results([out]))["again"].tasks["qa", "lanna"].file
    source = replayed / "details" / "again"
    run = CustomRun(f"again={source}", SYSTEMS / "replay.py", ("thai_dialect_qa:lanna|0",))
    run_custom(run, out, {DATA_VARIABLE: str(sample_data)})
    tasks = by_name(read_results([out]))["again"].tasks
    assert tasks["qa", "lanna"].file != before
    assert len(tasks) == 24


def test_replay_errors_reach_the_user(sample_data: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.csv"
    file.write_text("Input,Pred,Gold\nx,y,z\n", encoding="utf-8")
    run = CustomRun(f"m={file}", SYSTEMS / "replay.py", ("thai_dialect_qa:lanna|0",))
    with pytest.raises(BenchError, match="0 saved answers for 1 item"):
        run_custom(run, tmp_path / "out", {DATA_VARIABLE: str(sample_data)})


def test_drop_leaves_out_items_without_a_reference_in_either(replayed: Path) -> None:
    tasks = make_report([replayed]).models[0].tasks
    central, lanna = tasks["qa", "central"], tasks["qa", "lanna"]
    items = (replace(lanna.items[0], has_reference=False), *lanna.items[1:])
    drop = drop_from_central(central, replace(lanna, items=items), "rouge_l")
    assert drop is not None
    assert drop.difference.items == len(items) - 1
    f1 = [result.statistics["rouge_l"][1:, 0].mean() for result in (central, lanna)]
    assert drop.difference.value == pytest.approx(100 * (f1[0] - f1[1]))
    assert (
        drop_from_central(
            central, replace(lanna, items=tuple(replace(i, has_reference=False) for i in items)), "rouge_l"
        )
        is None
    )


def test_missing_reference_counts_zero_in_the_papers_way_and_is_left_out_in_ours(replayed: Path) -> None:
    result = make_report([replayed]).models[0].tasks["qa", "lanna"]
    items = (replace(result.items[0], has_reference=False), *result.items[1:])
    statistics = result.statistics["rouge_l"].copy()
    statistics[0] = 0
    missing = replace(result, items=items, statistics={"rouge_l": statistics})
    assert score(missing, "rouge_l").value == pytest.approx(100 * statistics[1:, 0].mean())
    assert score_missing_as_zero(missing, "rouge_l") == pytest.approx(100 * statistics[:, 0].mean())


def test_shorten_never_ends_before_a_combining_mark() -> None:
    # ล and its mark ั stand together
    assert shorten("กำลัง", 3) == "กำ ..."
    assert shorten("กำลัง", 2) == "กำ ..."
    assert shorten("ab", 2) == "ab"


def test_rebuilt_sample_gives_the_same_fingerprints(sample_data: Path, tmp_path: Path, report: Report) -> None:
    build_sample(tmp_path)
    assert sorted(p.name for p in tmp_path.rglob("*.parquet")) == sorted(
        p.name for p in sample_data.rglob("*.parquet")
    )
    assert np.isfinite([cell.estimate.value for cell in report.cells]).all()
