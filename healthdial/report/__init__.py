"""Report lighteval results of HealthDial: tables on screen, and HTML, CSV and Markdown files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from healthdial.languages import LANGUAGES
from healthdial.report.comparison_tables import (
    CSV_COLUMNS,
    comparison_tables,
    csv_records,
    gap_tables,
    group_tables,
    signature_table,
)
from healthdial.report.context import Context, read_context
from healthdial.report.disparities import Disparity, disparities
from healthdial.report.pages import report_html
from healthdial.report.results import ResultsError, SystemResults, read_results
from healthdial.report.scores import Cell, Comparison, compare_all, score_systems
from healthdial.report.system_tables import system_tables
from healthdial.report.tables import CAVEATS, Layout, table_2, table_3
from healthdial.schema import SAMPLE_ORIGIN, TASK_PREFIX
from hub.location import DataLocation
from metrics.report_tables import Table, csv_text

__all__ = ["Report", "ResultsError", "make_report", "report_csv", "report_html", "report_markdown", "report_text"]

_SHOWN = {
    "filtering": ("candidates", "filtering were shown different candidates"),
    "response_generation": ("snippets", "response generation were given different snippets"),
}
"""Component -> the field of its documents that may vary between systems, and what to say if it does."""


@dataclass(frozen=True)
class Report:
    """Everything a report prints.

    Attributes:
        systems: Results as read.
        cells: Scores.
        comparisons: Tests between languages.
        disparities: Main measures by groups of speakers.
        context: What was looked up in the data set.
        passed_over: Components in the results that have no table here.
        origin: Origin of the data.
        k: Speakers that a group must have to be shown.
    """

    systems: list[SystemResults]
    cells: list[Cell]
    comparisons: list[Comparison]
    disparities: list[Disparity]
    context: Context
    passed_over: tuple[str, ...]
    origin: str
    k: int

    @property
    def caveats(self) -> tuple[str, ...]:
        """Why the scores are not those of the benchmark: keys of ``tables.CAVEATS``."""
        partial = any(result.partial for system in self.systems for result in system.tasks.values())
        holds = {"SAMPLE": self.origin == SAMPLE_ORIGIN, "PARTIAL": partial}
        return tuple(caveat for caveat in CAVEATS if holds[caveat])

    @property
    def notes(self) -> list[str]:
        """What a reader should know before the tables."""
        notes = []
        if self.context.missing:
            notes.append(f"No groups of speakers and no level by chance: {self.context.missing}.")
        if self.passed_over:
            names = ", ".join(f"{TASK_PREFIX}{name}" for name in self.passed_over)
            notes.append(f"In the results but in no table here: {names}.")
        for component, (column, what) in _SHOWN.items():
            if _differ(self.systems, component, column):
                notes.append(
                    f"Systems of {what} for the same items; the data fingerprints of their signatures differ."
                )
        return notes

    def layout(self, *, intervals: bool) -> Layout:
        """Return how tables are printed."""
        return Layout(self.caveats, intervals, has_paper=not self.caveats and self.origin.startswith("release@"))


def make_report(paths: Iterable[Path], location: DataLocation, k: int) -> Report:
    """Read result folders, score them and look up the speakers.

    Args:
        paths: lighteval's output folders, or ``results_*.json`` files.
        location: The data set that was run on.
        k: Speakers that a group must have to be shown.

    Raises:
        ResultsError: The results are missing, incomplete or do not belong in one table, or the data set is another.
    """
    systems, passed_over = read_results(paths)
    results = [result for system in systems for result in system.tasks.values()]
    if not results:
        raise ResultsError("no task of HealthDial in these results; run one, e.g. healthdial_retrieval|0")
    present = {result.language for result in results}
    origin = results[0].origin
    context = read_context(location, origin, [language for language in LANGUAGES if language in present])
    return Report(
        systems=systems,
        cells=score_systems(systems, context),
        comparisons=compare_all(systems),
        disparities=disparities(systems, context, k),
        context=context,
        passed_over=passed_over,
        origin=origin,
        k=k,
    )


def report_text(report: Report) -> str:
    """Return the report for a terminal: the scores."""
    tables = _score_tables(report, report.layout(intervals=False))
    parts = [f"HealthDial on data from {report.origin}", *_warnings(report)]
    more = "Tests between languages, groups of speakers, signatures: --html or --markdown."
    return "\n\n".join([*parts, *(table.as_text() for table in tables if table is not None), more])


def report_markdown(report: Report) -> str:
    """Return everything but plots and answers as Markdown, with both ends of every interval."""
    layout = report.layout(intervals=True)
    tables = (
        *_score_tables(report, layout),
        *comparison_tables(report.comparisons, layout),
        *gap_tables(report.disparities, layout),
        *group_tables(report.disparities, layout, report.k),
        signature_table(report.cells, layout),
    )
    parts = ["# HealthDial", f"Data: {report.origin}.", *_warnings(report)]
    return "\n\n".join([*parts, *(table.as_markdown() for table in tables if table is not None)]) + "\n"


def report_csv(report: Report) -> str:
    """Return one line per score, test, group and gap with full precision."""
    records = csv_records(report.cells, report.comparisons, report.disparities, report.origin, report.caveats)
    return csv_text(CSV_COLUMNS, records)


def _score_tables(report: Report, layout: Layout) -> list[Table | None]:
    return [table_2(report.cells, layout), table_3(report.cells, layout), *system_tables(report.cells, layout)]


def _warnings(report: Report) -> list[str]:
    return [*(f"{caveat}: scores {CAVEATS[caveat]}." for caveat in report.caveats), *report.notes]


def _differ(systems: list[SystemResults], component: str, column: str) -> bool:
    """Return whether two systems had different values of a field of one item, with equally many candidates."""
    seen: dict[tuple[str, int, str, str], str] = {}
    return any(
        seen.setdefault(
            (item.item_id, setting.candidates, setting.snippets_from, setting.candidates_from), item.specific[column]
        )
        != item.specific[column]
        for system in systems
        for (name, setting, _), result in system.tasks.items()
        if name == component
        for item in result.items
    )
