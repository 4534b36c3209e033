"""The command `healthdial report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    results: Annotated[list[Path], typer.Argument(help="lighteval --output-dir folders, or results_*.json files.")],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write one line per score, full precision.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write Markdown tables.")] = None,
    data: Annotated[
        str | None,
        typer.Option(
            help="The built data set of the runs: a folder or org/name[@revision]. Default: HEALTHDIAL_DATA."
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", min=1, help="Speakers that a group must have to be shown; as in the build.")
    ] = 5,
) -> None:
    """Print scores as in the paper's tables, with intervals, and write them with tests and groups of speakers."""
    from healthdial import report as reports
    from healthdial.schema import data_location
    from hub.errors import BenchError
    from hub.files import write_atomically

    made = reports.make_report(results, data_location(data), k)
    files = ((html, reports.report_html), (csv, reports.report_csv), (markdown, reports.report_markdown))
    for file, render in files:
        if file is None:
            continue
        try:
            write_atomically(file, render(made).encode("utf-8"))
        except OSError as error:
            raise BenchError(f"{file}: cannot be written ({error.strerror or error}); give another file") from error
        print(f"Wrote {file}")
    print(reports.report_text(made))
