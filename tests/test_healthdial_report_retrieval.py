"""The report's tables of retrieval: means over queries and over dialogues, and the rows of chance."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from healthdial.languages import LANGUAGES
from healthdial.report import Report, make_report, report_csv
from healthdial.report.measures import RANK_MEASURES, RETRIEVAL, macro_name
from healthdial.report.plots import score_plot
from healthdial.report.results import Setting
from healthdial.report.retrieval_tables import dialogue_mean_table, precision_table, ranking_table
from healthdial.report.scores import MEAN, Cell
from hub.location import DataLocation
from metrics.dialogue_items import weigh_dialogues_alike
from metrics.report_tables import Table
from metrics.resampling import bootstrap_interval
from metrics.retrieval import Retrieval
from metrics.signature import Signature
from tests.healthdial_toy_results import ToyRun, by_name, cell_of, write_toy_run

pytest_plugins = ("tests.healthdial_report_fixtures",)


def named_rows(table: Table | None, system: str, query: str = "text") -> list[dict[str, str]]:
    assert table is not None
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    return [row for row in rows if (row["System"], row["Query"]) == (system, query)]


# Means over dialogues


@pytest.mark.parametrize("measure", ["recall@3", "mrr@10", "ndcg@10"])
def test_the_mean_over_dialogues_has_its_interval_by_dialogue(toy_report: Report, measure: str) -> None:
    result = by_name(toy_report)["good"].tasks["retrieval", Setting(), "eng"]
    numbers = [item.dialogue_number for item in result.items]
    statistics = result.statistics["retrieval"]
    values = RETRIEVAL.values_of(measure)
    of_dialogues = [
        float(values(statistics[[row for row, one in enumerate(numbers) if one == number]].sum(axis=0)))
        for number in sorted(set(numbers))
    ]
    cell = cell_of(toy_report, "good", "retrieval", macro_name(measure))
    assert cell.estimate.value == pytest.approx(float(np.mean(of_dialogues)))
    expected = bootstrap_interval(weigh_dialogues_alike(statistics, numbers), values, clusters=numbers)
    assert cell.estimate == expected
    assert (cell.estimate.items, cell.dialogues) == (8, 3)


def test_dialogues_of_different_lengths_weigh_alike(toy_report: Report) -> None:
    micro, macro = (cell_of(toy_report, "good", "retrieval", name).estimate for name in ("recall@3", "recall@3_macro"))
    assert micro.value != pytest.approx(macro.value)


def test_chance_is_averaged_as_the_measure(toy_report: Report) -> None:
    items = by_name(toy_report)["good"].tasks["retrieval", Setting(), "eng"].items
    chance = np.stack([RETRIEVAL.chance_statistics(len(item.gold), 48) for item in items])
    weighed = weigh_dialogues_alike(chance, [item.dialogue_number for item in items])
    for measure in ("mrr@10", "ndcg@10", "recall@5"):
        cell = cell_of(toy_report, "good", "retrieval", macro_name(measure))
        assert cell.chance == pytest.approx(float(RETRIEVAL.values_of(measure)(weighed.sum(axis=0))))
    micro = cell_of(toy_report, "good", "retrieval", "mrr@10")
    assert micro.chance == pytest.approx(float(RETRIEVAL.values_of("mrr@10")(chance.sum(axis=0))))
    assert micro.chance != pytest.approx(cell_of(toy_report, "good", "retrieval", "mrr@10_macro").chance)


def test_both_means_are_in_the_csv_and_told_apart_by_their_signatures(toy_report: Report) -> None:
    records = list(csv.DictReader(io.StringIO(report_csv(toy_report))))
    names = {one["measure"] for one in records if one["component"] == "speech_retrieval"}
    assert {macro_name(measure) for measure in RANK_MEASURES} <= names
    for average, name in (("micro", "recall@5"), ("macro", "recall@5_macro")):
        signature = Signature.parse(cell_of(toy_report, "good", "retrieval", name).signature)
        assert (signature.get("avg"), signature.metric) == (average, "retrieval")
    assert not [one for one in toy_report.comparisons if one.measure.average == "macro"]
    assert cell_of(toy_report, "good", "retrieval", "recall@5_macro", MEAN).estimate.value == 100


def test_the_table_has_a_row_for_each_retriever_and_language_and_for_chance(toy_report: Report) -> None:
    layout = toy_report.layout(intervals=False)
    table = dialogue_mean_table(toy_report.cells, layout)
    assert table is not None
    assert table.title == "Retrieval: mean over dialogues (SAMPLE)"
    assert table.header[3:] == (*("R@1", "R@3", "R@5", "R@7", "R@10", "MRR@10", "nDCG@10"), "Items", "Dialogues")
    assert len(table.rows) == 4 * (2 + 1 + 1 + 1)  # two text retrievers, one of speech, chance of both
    row = named_rows(table, "good")[2]
    assert (row["Language"], row["Items"], row["Dialogues"]) == ("English", "8", "3")
    chance = named_rows(table, "chance")
    assert [one["Language"] for one in chance] == [language.title for language in LANGUAGES.values()]
    assert {one["R@5"] for one in chance} == {f"{100 * 5 / 48:.2f}"}


# Chance


def chance_rows(table: Table | None) -> dict[str, set[str]]:
    assert table is not None
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    names = dict.fromkeys(row["System"] for row in rows if row["System"].startswith("chance"))
    return {name: {row["MRR@10"] for row in rows if row["System"] == name} for name in names}


def test_every_different_level_of_chance_has_a_row(
    toy_results: Path, toy_location: DataLocation, toy_data: Path, tmp_path: Path
) -> None:
    short = write_toy_run(tmp_path, ToyRun("another", ("retrieval",), max_samples=2))
    made = make_report([toy_results, short], toy_location, k=1)
    layout = made.layout(intervals=False)
    levels = {
        system: f"{cell_of(made, system, 'retrieval', 'mrr@10').chance:.2f}" for system in ("good", "poor", "another")
    }
    assert levels["good"] == levels["poor"] != levels["another"]
    found = chance_rows(ranking_table(made.cells, layout))
    assert found == {
        "chance, 2 items": {levels["another"]},
        "chance, 8 items": {levels["good"]},
        "chance": {f"{cell_of(made, 'good', 'speech_retrieval', 'mrr@10').chance:.2f}"},  # the only run on speech
    }


def test_levels_of_equally_many_items_are_named_by_their_runs(toy_report: Report) -> None:
    cells = [
        replace(cell, chance=1.0) if cell.system == "poor" and cell.chance is not None else cell
        for cell in toy_report.cells
        if cell.component == "retrieval"
    ]
    found = chance_rows(ranking_table(cells, toy_report.layout(intervals=False)))
    assert list(found) == ["chance, 8 items (good)", "chance, 8 items (poor)"]
    assert found["chance, 8 items (poor)"] == {"1.00"}


def test_every_different_level_of_chance_is_drawn(toy_report: Report) -> None:
    def lines(cells: list[Cell]) -> int:
        drawn = score_plot(cells, toy_report.layout(intervals=True))
        assert drawn is not None
        return drawn.count("stroke-dasharray")

    own = [cell for cell in toy_report.cells if cell.component == "retrieval"]
    other = [replace(cell, chance=1.0) if cell.system == "poor" and cell.chance else cell for cell in own]
    assert lines(other) == lines(own) + len(LANGUAGES)


# Precision


def test_precision_equals_the_papers_wherever_rankings_are_full(toy_report: Report) -> None:
    table = precision_table(toy_report.cells, toy_report.layout(intervals=False))
    assert table is not None
    assert "the different snippets among the first k, which is the same wherever a ranking has k" in table.note
    full, short = [f"s{number}" for number in range(10)], ["s0", "s1", "s1"]
    upstream, gold = Retrieval(convention="shrinking"), ["s1", "s4"]
    assert np.array_equal(upstream.statistics(full, gold), RETRIEVAL.statistics(full, gold))
    at_5 = RETRIEVAL.measures.index("precision@5")
    assert (upstream.statistics(short, gold)[at_5], RETRIEVAL.statistics(short, gold)[at_5]) == (1 / 2, 1 / 5)
    # What the note names is in lighteval's results.
    assert "retrieval_shrinking" in by_name(toy_report)["good"].tasks["retrieval", Setting(), "eng"].statistics
