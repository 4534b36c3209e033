"""The report as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from healthdial.report.comparison_tables import comparison_tables, gap_tables, group_tables, signature_table
from healthdial.report.examples import EXAMPLES, LENGTH, examples
from healthdial.report.plots import candidates_plot, group_plots, score_plot
from healthdial.report.system_tables import system_tables
from healthdial.report.tables import CAVEATS, table_2, table_3
from metrics.report_pages import render_page
from metrics.report_tables import Table

if TYPE_CHECKING:
    from healthdial.report import Report

LONG_TABLE = 24
"""Rows from which a table is folded."""


def report_html(report: Report) -> str:
    """Return the report as one HTML file without outside addresses."""
    layout = report.layout(intervals=True)
    return render_page(
        "report.html.j2",
        Path(__file__).resolve().parent / "templates",
        title="HealthDial" + "".join(f" ({caveat})" for caveat in report.caveats),
        origin=report.origin,
        version=version("thai-dialect-bench"),
        caveats={caveat: CAVEATS[caveat] for caveat in report.caveats},
        notes=report.notes,
        first_tables=_present([table_2(report.cells, layout), table_3(report.cells, layout)]),
        score_plot=score_plot(report.cells, layout),
        candidates_plot=candidates_plot(report.cells, layout),
        system_tables=system_tables(report.cells, layout),
        comparisons=comparison_tables(report.comparisons, layout),
        gaps=gap_tables(report.disparities, layout),
        group_plots=group_plots(report.disparities, report.cells, layout),
        groups=group_tables(report.disparities, layout, report.k),
        examples=list(examples(report.systems, report.context)),
        examples_each=EXAMPLES,
        example_length=LENGTH,
        long_table=LONG_TABLE,
        signatures=signature_table(report.cells, layout),
    )


def _present(tables: Sequence[Table | None]) -> list[Table]:
    return [table for table in tables if table is not None]
