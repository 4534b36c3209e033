"""Lay out tests between languages, scores by groups of speakers and signatures as tables, and everything as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from healthdial.languages import LANGUAGES
from healthdial.report.disparities import Disparity, Gap
from healthdial.report.measures import COMPONENT_TITLES, Measure
from healthdial.report.results import Setting
from healthdial.report.scores import Cell, Comparison
from healthdial.report.tables import Layout, frozen, run_title
from metrics.report_tables import Table, with_interval

FIELD_TITLES = {
    "gender": "Gender",
    "age_group": "Age group",
    "language_variety": "Variety",
    "education": "Education",
}
NOT_PUBLISHED = "not published"
CSV_COLUMNS = (
    *("kind", "system", "component", "shots", "candidates", "by_snippet_id", "snippets_from", "candidates_from"),
    *("language", "second_language", "measure"),
    *("field", "group", "second_group", "value", "low", "high", "items", "dialogues", "speakers", "chance"),
    *("left_out", "without_recording"),
    *("p_value", "p_holm", "origin", "caveats", "signature"),
)


def comparison_tables(comparisons: Sequence[Comparison], layout: Layout) -> list[Table]:
    """Return the difference of every two languages on their shared turns, a table for each measure."""
    note = (
        "Differences on the turns that both languages have, 95 % paired bootstrap intervals and two-sided paired "
        "randomization tests by whole dialogues; Holm over the pairs of one system and measure. ~: not significant at "
        "0.05. A difference between languages is one of these data and systems: rates on words of different languages "
        "are not of one kind."
    )
    header = ("System", "Languages", "Difference", "p", "p (Holm)", "Items", "Dialogues")
    return [
        Table(
            layout.title(f"Between languages: {measure_title(measure)}"),
            header,
            frozen([_comparison_row(one, layout) for one in comparisons if one.measure is measure]),
            note,
        )
        for measure in _measures(comparisons)
    ]


def _comparison_row(one: Comparison, layout: Layout) -> list[str]:
    tested, difference = one.tested, one.tested.difference
    text = with_interval(difference.value, difference.low, difference.high, layout.intervals, sign=True)
    return [
        run_title((one.system, one.setting)),
        f"{LANGUAGES[tested.first].title} - {LANGUAGES[tested.second].title}",
        text if one.significant else f"~ {text}",
        _p_value(tested.p_value),
        _p_value(tested.p_holm),
        f"{difference.items}",
        f"{tested.dialogues}",
    ]


def group_tables(found: Sequence[Disparity], layout: Layout, k: int) -> list[Table]:
    """Return every main measure by groups of speakers, a table for each."""
    note = (
        f"Groups with fewer than {k} speakers among the scored turns are not shown. 95 % bootstrap intervals by whole "
        "speakers, none of a single speaker. Not published: the data set gives the field up in this language, so that "
        "nobody stands out."
    )
    header = ("System", "Language", "Field", "Group", "Score", "Speakers", "Items")
    return [
        Table(
            layout.title(f"By groups of speakers: {measure_title(measure)}"),
            header,
            frozen([row for one in found if one.measure is measure for row in _group_rows(one, layout)]),
            note,
        )
        for measure in _measures(found)
    ]


def _group_rows(one: Disparity, layout: Layout) -> Iterator[list[str]]:
    start = _start(one)
    if not one.is_published:
        yield [*start, NOT_PUBLISHED, "", "", ""]
    for score in one.groups:
        estimate = score.estimate
        text = with_interval(estimate.value, estimate.low, estimate.high, layout.intervals)
        yield [*start, group_title(one.field, score.group), text, f"{score.speakers}", f"{estimate.items}"]
    if one.hidden:
        yield [*start, f"({one.hidden} not shown)", "", "", ""]


def gap_tables(found: Sequence[Disparity], layout: Layout) -> list[Table]:
    """Return the gap between the best and the worst group of every field, a table for each measure."""
    note = (
        "Between the best and the worst group shown, 95 % bootstrap interval by whole speakers. The two groups were "
        "picked by their scores: chance alone makes a gap, a larger one the more groups there are."
    )
    header = ("System", "Language", "Field", "Best", "Worst", "Gap")
    return [
        Table(
            layout.title(f"Gaps between groups of speakers: {measure_title(measure)}"),
            header,
            frozen([_gap_row(one, one.gap, layout) for one in found if one.measure is measure and one.gap]),
            note,
        )
        for measure in _measures([one for one in found if one.gap])
    ]


def _gap_row(one: Disparity, gap: Gap, layout: Layout) -> list[str]:
    difference = gap.difference
    return [
        *_start(one),
        group_title(one.field, gap.best),
        group_title(one.field, gap.worst),
        with_interval(difference.value, difference.low, difference.high, layout.intervals),
    ]


def _measures(of: Sequence[Comparison | Disparity]) -> list[Measure]:
    """Return the measures in order, each once."""
    return list({id(one.measure): one.measure for one in of}.values())


def signature_table(cells: Sequence[Cell], layout: Layout) -> Table:
    """Return the distinct signatures with the scores that they stand for."""
    carriers: dict[tuple[str, str, str], dict[str, None]] = {}
    for cell in cells:
        if cell.signature:
            place = f"{COMPONENT_TITLES[cell.component]}, {LANGUAGES[cell.language].title}"
            measures = carriers.setdefault((cell.signature, place, run_title((cell.system, cell.setting))), {})
            measures[cell.measure.title] = None
    merged: dict[tuple[str, str, str], list[str]] = {}
    for (signature, place, run), measures in carriers.items():
        merged.setdefault((signature, place, ", ".join(measures)), []).append(run)
    rows = tuple(
        (place, measures, "; ".join(runs), signature) for (signature, place, measures), runs in merged.items()
    )
    return Table(layout.title("Signatures"), ("Component", "Measures", "Systems", "Signature"), rows)


def measure_title(measure: Measure) -> str:
    """Return component and measure."""
    return f"{COMPONENT_TITLES[measure.component]}: {measure.title}"


def group_title(field: str, group: str) -> str:
    """Return a group for people."""
    return f"age {group}" if field == "age_group" and group[0].isdigit() else group


def csv_records(
    cells: Sequence[Cell],
    comparisons: Sequence[Comparison],
    found: Sequence[Disparity],
    origin: str,
    caveats: Sequence[str],
) -> Iterator[dict[str, Any]]:
    """Yield a record for every score, comparison, group and gap, with full precision and keys of ``CSV_COLUMNS``."""
    everywhere = {"origin": origin, "caveats": " ".join(caveats)}
    for cell in cells:
        yield {
            **_place("score", cell.system, cell.setting, cell.measure, cell.language),
            **_numbers(cell.estimate),
            "dialogues": cell.dialogues,
            "chance": "" if cell.chance is None else cell.chance,
            "left_out": cell.left_out,
            "without_recording": "" if cell.without_recording is None else cell.without_recording,
            "signature": cell.signature,
            **everywhere,
        }
    for one in comparisons:
        yield {
            **_place("difference", one.system, one.setting, one.measure, one.tested.first),
            "second_language": one.tested.second,
            **_numbers(one.tested.difference),
            "dialogues": one.tested.dialogues,
            "p_value": one.tested.p_value,
            "p_holm": one.tested.p_holm,
            **everywhere,
        }
    for disparity in found:
        yield from ({**record, **everywhere} for record in _disparity_records(disparity))


def _disparity_records(one: Disparity) -> Iterator[dict[str, Any]]:
    for score in one.groups:
        yield {
            **_place("group", one.system, one.setting, one.measure, one.language),
            **_numbers(score.estimate),
            "field": one.field,
            "group": score.group,
            "speakers": score.speakers,
        }
    if one.gap is not None:
        yield {
            **_place("gap", one.system, one.setting, one.measure, one.language),
            **_numbers(one.gap.difference),
            "field": one.field,
            "group": one.gap.best,
            "second_group": one.gap.worst,
        }


def _place(kind: str, system: str, setting: Setting, measure: Measure, language: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "system": system,
        "component": measure.component,
        "shots": setting.shots,
        "candidates": setting.candidates or "",
        "by_snippet_id": setting.by_snippet_id,
        "snippets_from": setting.snippets_from,
        "candidates_from": setting.candidates_from,
        "language": language,
        "measure": measure.name,
    }


def _numbers(estimate: Any) -> dict[str, Any]:
    """Return value, interval and items of an estimate or a difference."""
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "items": estimate.items}


def _start(one: Disparity) -> list[str]:
    return [run_title((one.system, one.setting)), LANGUAGES[one.language].title, FIELD_TITLES[one.field]]


def _p_value(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"
