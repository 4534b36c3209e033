"""The report counts turns without a recording: left out of speech recognition, counted in the other components."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from healthdial.report import Report, ResultsError, make_report, report_csv
from healthdial.report.results import Setting, read_results
from healthdial.report.retrieval_tables import ranking_table
from healthdial.report.system_tables import pipeline_table, recognition_table, synthesis_table
from healthdial.schema import DATA_VARIABLE, data_location
from hub.location import DataLocation
from metrics.report_tables import Table
from tests.healthdial_toy_results import ToyRun, by_name, clear_caches, write_toy_run

pytest_plugins = ("tests.healthdial_report_fixtures",)

LOST, UNSAID = 2, 1
"""English test turns without a recording, and one of the others without a transcript."""


def with_values(file: Path, values: dict[str, dict[int, None]]) -> None:
    """Write a Parquet file again, with other values in some rows of some columns."""
    table = pq.read_table(file)
    for name, changes in values.items():
        column = table.schema.get_field_index(name)
        array = [changes.get(row, value) for row, value in enumerate(table[name].to_pylist())]
        table = table.set_column(column, table.schema.field(column), pa.array(array, table.schema.field(column).type))
    pq.write_table(table, file)


@pytest.fixture(scope="module")
def lossy_data(built_with_audio: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built sample, its first two English test turns without recordings, the third without a transcript."""
    folder = tmp_path_factory.mktemp("lossy")
    (folder / "data" / "user_turns_eng").mkdir(parents=True)
    for source in built_with_audio.iterdir():
        if source.name != "data":
            (folder / source.name).symlink_to(source)
    for source in (built_with_audio / "data").iterdir():
        if source.name != "user_turns_eng":
            (folder / "data" / source.name).symlink_to(source)
    for source in (built_with_audio / "data" / "user_turns_eng").iterdir():
        file = folder / "data" / "user_turns_eng" / source.name
        file.write_bytes(source.read_bytes())
        if source.name.startswith("test"):
            lost = dict.fromkeys(range(LOST))
            with_values(file, {"audio": lost, "duration_s": lost, "transcription": {LOST: None}})
    return folder


@pytest.fixture(scope="module")
def lossy_results(lossy_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(lossy_data))
        clear_caches()
        run = ToyRun("good", ("asr", "tts", "speech_retrieval", "pipeline", "retrieval"))
        out = write_toy_run(tmp_path_factory.mktemp("results"), run)
    clear_caches()
    return out


@pytest.fixture(scope="module")
def lossy_report(lossy_results: Path, lossy_data: Path) -> Report:
    return make_report([lossy_results], data_location(str(lossy_data)), k=1)


def counts(table: Table | None, language: str, query: str = "") -> dict[str, str]:
    assert table is not None
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    return next(row for row in rows if row["Language"] == language and row.get("Query", "") == query)


def test_recognition_leaves_them_out_and_says_how_many(lossy_report: Report) -> None:
    result = by_name(lossy_report)["good"].tasks["asr", Setting(), "eng"]
    assert len(result.left_out) == LOST + UNSAID
    assert set(result.left_out).isdisjoint(item.item_id for item in result.items)
    table = recognition_table(lossy_report.cells, lossy_report.layout(intervals=False))
    english, spanish = counts(table, "English"), counts(table, "Spanish")
    assert (english["Items"], english["Left out"], english["No recording"]) == ("9", "3", "2")
    assert (spanish["Items"], spanish["Left out"], spanish["No recording"]) == ("12", "0", "0")
    assert table is not None
    assert "Left out: test turns without a recording or a transcript, in no rate" in table.note


def test_synthesis_counts_them_without_blame(lossy_report: Report) -> None:
    table = synthesis_table(lossy_report.cells, lossy_report.layout(intervals=False))
    row = counts(table, "English")
    assert (row["Items"], row["CER items"], row["No recording"]) == ("11", "11", "2")
    assert "Pairs without MCD %" in row
    assert table is not None
    assert "Turns without a transcript are no items" in table.note


def test_spoken_queries_and_pipelines_count_them(lossy_report: Report) -> None:
    layout = lossy_report.layout(intervals=False)
    tables = ranking_table(lossy_report.cells, layout), pipeline_table(lossy_report.cells, layout)
    lost = lossy_report.context
    for table, component, query in zip(tables, ("speech_retrieval", "pipeline"), ("speech", ""), strict=True):
        items = by_name(lossy_report)["good"].tasks[component, Setting(), "eng"].items
        expected = sum(not lost.turns[item.item_id].has_recording for item in items)
        assert expected > 0
        assert counts(table, "English", query)["No recording"] == f"{expected}"
        assert counts(table, "Chinese", query)["No recording"] == "0"
    assert counts(tables[0], "English", "text")["No recording"] == ""


def test_the_numbers_are_in_the_csv(lossy_report: Report) -> None:
    records = list(csv.DictReader(io.StringIO(report_csv(lossy_report))))
    found = {
        (one["component"], one["left_out"], one["without_recording"])
        for one in records
        if (one["kind"], one["language"]) == ("score", "eng") and one["component"] in ("asr", "tts", "retrieval")
    }
    assert {("asr", "3", "2"), ("tts", "0", "2")} <= found
    assert {without for component, _, without in found if component == "retrieval"} == {""}


def test_without_the_data_set_only_what_was_left_out_is_known(lossy_results: Path, tmp_path: Path) -> None:
    made = make_report([lossy_results], DataLocation(str(tmp_path)), k=1)
    table = recognition_table(made.cells, made.layout(intervals=False))
    row = counts(table, "English")
    assert (row["Items"], row["Left out"]) == ("9", "3")
    assert "No recording" not in row


def test_results_of_data_without_any_recording_say_what_to_do(toy_data: Path, tmp_path: Path) -> None:
    out = write_toy_run(tmp_path, ToyRun("good", ("asr",)))
    for file in out.rglob("details_*.parquet"):
        records = pq.read_table(file).to_pylist()
        for record in records:
            record["doc"]["specific"]["has_reference"] = False
        pq.write_table(pa.Table.from_pylist(records), file)
    with pytest.raises(ResultsError, match="no turn has a reference, so none can be scored; leave this out"):
        read_results([out])
