"""Scores of the report: measures, intervals, chance, tests between languages, groups of speakers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jiwer
import numpy as np
import pytest

from healthdial.languages import LANGUAGES
from healthdial.report import (
    Report,
    ResultsError,
    make_report,
    report_html,
    report_markdown,
    report_text,
)
from healthdial.report.context import FIELDS, read_context
from healthdial.report.disparities import disparities
from healthdial.report.measures import MEASURES, measure_of
from healthdial.report.results import Setting
from healthdial.report.scores import MEAN, best_run, combined, compare_all, stacked
from hub.location import DataLocation
from metrics.dialogue_items import TurnStatistics, compare_languages
from metrics.resampling import bootstrap_interval, holm
from tests.healthdial_toy_results import by_name, cell_of

pytest_plugins = ("tests.healthdial_report_fixtures",)


# Scores


def test_error_rates_equal_jiwer(toy_report: Report) -> None:
    items = by_name(toy_report)["good"].tasks["asr", Setting(), "spa"].items
    expected = 100 * jiwer.wer([item.reference for item in items], [item.answer for item in items])
    assert cell_of(toy_report, "good", "asr", "wer", "spa").estimate.value == pytest.approx(expected)


def test_every_measure_is_scored_and_counts_its_own_items(toy_report: Report) -> None:
    scored = {(cell.component, cell.measure.name) for cell in toy_report.cells}
    assert scored == {(measure.component, measure.name) for measure in MEASURES}
    counts = {
        ("turn_classification", "accuracy", 0): 15,
        ("turn_classification", "accuracy_without_opening", 0): 12,
        ("filtering", "exact_match", 5): 10,
        ("filtering", "ook_recall", 5): 2,
        ("filtering", "false_ook", 5): 8,
        ("retrieval", "recall@5", 0): 8,
        ("tts", "mcd_upstream", 0): 9,
        ("tts", "pairs_without_mcd_upstream", 0): 12,
    }
    found = {key: cell_of(toy_report, "good", key[0], key[1], k=key[2]).estimate.items for key in counts}
    assert found == counts
    assert cell_of(toy_report, "good", "tts", "pairs_without_mcd_upstream").estimate.value == pytest.approx(25)
    assert cell_of(toy_report, "good", "filtering", "ook_recall", k=5).estimate.value == 100


def test_intervals_are_drawn_by_dialogue(toy_report: Report) -> None:
    result = by_name(toy_report)["good"].tasks["asr", Setting(), "zho"]
    measure = measure_of("asr", "cer_normalized")
    expected = bootstrap_interval(
        result.statistics["cer_normalized"], measure.values, clusters=[item.dialogue_number for item in result.items]
    )
    cell = cell_of(toy_report, "good", "asr", "cer_normalized", "zho")
    assert (cell.estimate, cell.dialogues) == (expected, 3)
    assert expected.low < expected.value < expected.high


def test_the_mean_over_languages_is_the_mean_of_their_scores(toy_report: Report) -> None:
    values = [cell_of(toy_report, "good", "asr", "wer", language).estimate.value for language in LANGUAGES]
    mean = cell_of(toy_report, "good", "asr", "wer", MEAN)
    assert mean.estimate.value == pytest.approx(float(np.mean(values)))
    assert (mean.dialogues, mean.estimate.items) == (3, 48)


def test_stacked_groups_are_scored_apart_and_a_missing_one_is_nan() -> None:
    groups = [np.array([[8.0, 1, 0, 1], [1, 0, 0, 0]]), np.array([[2.0, 2, 0, 0]])]
    values = combined(measure_of("asr", "wer").values, 4, lambda scores: scores[0] - scores[1])
    rows = stacked(groups)
    assert rows.shape == (3, 10)
    assert float(values(rows.sum(axis=0))) == pytest.approx(100 * (2 / 10 - 2 / 4))
    assert np.isnan(values(rows[:2].sum(axis=0)))


def test_chance_is_that_of_a_random_ranking(toy_report: Report) -> None:
    corpus = toy_report.context.corpus_sizes["eng"]
    cell = cell_of(toy_report, "poor", "retrieval", "recall@5")
    assert cell.chance == pytest.approx(100 * 5 / corpus)
    assert cell_of(toy_report, "good", "asr", "wer").chance is None


def test_languages_are_compared_on_parallel_turns_with_holm(toy_report: Report) -> None:
    own = [c for c in toy_report.comparisons if c.system == "good" and c.measure.name == "cer_normalized"]
    assert [(c.tested.first, c.tested.second) for c in own][:3] == [("ara", "zho"), ("ara", "eng"), ("ara", "spa")]
    assert [c.tested.p_holm for c in own] == holm([c.tested.p_value for c in own])
    results = by_name(toy_report)["good"].languages("asr", Setting())
    turns = {
        code: TurnStatistics([item.key for item in result.items], result.statistics["cer_normalized"])
        for code, result in results.items()
    }
    measure = measure_of("asr", "cer_normalized")
    assert [c.tested for c in own] == compare_languages(turns, measure.values, size=measure.size)
    assert measure.size is not None


def test_only_languages_that_share_turns_are_compared(toy_report: Report) -> None:
    good = by_name(toy_report)["good"]
    tasks = {
        key: replace(
            result,
            items=tuple(
                replace(item, dialogue_number=item.dialogue_number + 1000 * (key[2] == "ara")) for item in result.items
            ),
        )
        for key, result in good.tasks.items()
    }
    compared = {(c.tested.first, c.tested.second) for c in compare_all([replace(good, tasks=tasks)])}
    assert compared == {("zho", "eng"), ("zho", "spa"), ("eng", "spa")}


def test_the_best_run_is_that_of_five_candidates_and_of_the_lower_error_rate(toy_report: Report) -> None:
    usual = Setting(candidates=5, candidates_from="data")
    assert best_run(toy_report.cells, "filtering", "exact_match") == ("good", usual)
    assert best_run(toy_report.cells, "asr", "wer") == ("good", Setting())
    assert best_run(toy_report.cells, "nothing", "wer") is None


# Groups of speakers


def test_groups_are_those_of_the_speakers_and_the_gap_is_between_best_and_worst(toy_report: Report) -> None:
    own = {
        one.field: one
        for one in toy_report.disparities
        if (one.system, one.language, one.measure.name) == ("good", "eng", "wer_normalized")
    }
    assert list(own) == list(FIELDS)
    gender = own["gender"]
    assert {score.group: score.speakers for score in gender.groups} == {"female": 2, "male": 1}
    assert sum(score.estimate.items for score in gender.groups) == 12
    assert np.isnan([score.estimate.low for score in gender.groups if score.speakers == 1]).all()
    values = {score.group: score.estimate.value for score in gender.groups}
    result = by_name(toy_report)["good"].tasks["asr", Setting(), "eng"]
    female = [row for row, item in enumerate(result.items) if item.dialogue_number in (27, 60)]
    expected = bootstrap_interval(
        result.statistics["wer_normalized"][female],
        measure_of("asr", "wer_normalized").values,
        clusters=[result.items[row].dialogue_number for row in female],
    )
    assert gender.groups[0].estimate == expected
    assert gender.gap is not None
    assert (gender.gap.best, gender.gap.worst) == tuple(sorted(values, key=lambda group: values[group]))
    assert gender.gap.difference.value == pytest.approx(max(values.values()) - min(values.values()))
    assert np.isnan(gender.gap.difference.low)


def test_a_gap_between_groups_of_several_speakers_has_an_interval(toy_report: Report) -> None:
    turns = dict(toy_report.context.turns)
    for number, (identifier, turn) in enumerate(turns.items()):
        group = "female" if number % 2 else "male"
        turns[identifier] = replace(turn, speaker_id=f"s{number % 6}", groups={**turn.groups, "gender": group})
    found = disparities(toy_report.systems, replace(toy_report.context, turns=turns), k=3)
    gaps = [one.gap for one in found if one.field == "gender" and one.measure.name == "wer_normalized"]
    assert len(gaps) == 8
    for gap in gaps:
        assert gap is not None
        assert gap.difference.low <= gap.difference.value <= gap.difference.high


def test_groups_with_too_few_speakers_are_not_shown(toy_report: Report) -> None:
    found = disparities(toy_report.systems, toy_report.context, k=2)
    shown = {score.group for one in found if one.field == "gender" for score in one.groups}
    hidden = {one.hidden for one in found if one.field == "gender"}
    assert all(score.speakers >= 2 for one in found for score in one.groups)
    assert (shown, hidden) == ({"female", "male"}, {1})
    assert all(not one.groups for one in disparities(toy_report.systems, toy_report.context, k=5))
    made = replace(toy_report, disparities=found, k=2)
    assert "(1 not shown)" in report_markdown(made)
    assert "fewer than 2 speakers" in report_markdown(made)


def test_a_field_that_was_given_up_is_said_to_be_not_published(toy_report: Report) -> None:
    context = replace(toy_report.context, not_published={"eng": ("education",)})
    found = disparities(toy_report.systems, context, k=1)
    education = [one for one in found if one.field == "education" and one.language == "eng"]
    assert education
    assert all(not one.is_published and not one.groups and one.gap is None for one in education)
    assert "not published" in report_markdown(replace(toy_report, disparities=found))
    assert "not published |" not in report_markdown(toy_report)


def test_turn_classification_belongs_to_the_speaker_of_the_turn_before(toy_report: Report) -> None:
    items = by_name(toy_report)["good"].tasks["turn_classification", Setting(), "eng"].items
    opening, first = items[0], items[1]
    assert (opening.item_id, first.item_id) == ("eng-0027-s00", "eng-0027-s02")
    assert toy_report.context.turn_of(opening) is None
    assert toy_report.context.turn_of(first) == toy_report.context.turns["eng-0027-u01"]
    with pytest.raises(ResultsError, match="eng-9999-s02 is in the results but not in the data set"):
        toy_report.context.turn_of(replace(first, item_id="eng-9999-s02", dialogue_id="eng-9999"))


def test_without_the_data_set_there_are_scores_only(toy_results: Path, tmp_path: Path) -> None:
    made = make_report([toy_results], DataLocation(str(tmp_path)), k=1)
    assert made.disparities == []
    assert "No groups of speakers and no level by chance" in report_text(made)
    assert "By groups of speakers" not in report_html(made)


def test_context_has_snippets_and_fields(toy_location: DataLocation) -> None:
    context = read_context(toy_location, "sample", ["eng"])
    assert context.corpus_sizes["eng"] == 48
    assert all(name not in fields for fields in context.not_published.values() for name in ("gender", "age_group"))
