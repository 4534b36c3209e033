"""The command `agreement` of `thai-dialect-bench`: analyse the judgements of annotators."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MOST_DISCUSSIONS = 20
"""Answers to discuss that are printed; the files have all."""


def agreement(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Judgements: JSONL, or CSV by its suffix; of any studies.")
    ],
    scores: Annotated[
        Path | None,
        typer.Option(help="An automatic score to correlate: CSV with the columns item, model, dialect, score."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write one line per record, full precision.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write all records by table, full precision.")] = None,
) -> None:
    """Print human scores, preferences, agreement, bias and what to discuss, beside the paper's Tables 2, 3 and 6."""
    from hub.files import write_atomically
    from thai_dialect_bench.agreement import analyse
    from thai_dialect_bench.agreement_records import as_csv, as_html, as_json, signature
    from thai_dialect_bench.agreement_tables import all_tables
    from thai_dialect_bench.automatic_scores import correlate_scores, read_scores
    from thai_dialect_bench.errors import BenchError
    from thai_dialect_bench.judgements import read_judgements

    judgements = read_judgements(files)
    if not judgements:
        raise BenchError(f"{', '.join(map(str, files))}: no judgements; give files that `annotate` exported")
    analysis = analyse(judgements)
    correlations = correlate_scores(judgements, read_scores(scores)) if scores else []
    for file, written in ((html, as_html), (csv, as_csv), (json, as_json)):
        if file:
            try:
                write_atomically(file, written(analysis, correlations).encode("utf-8"))
            except OSError as error:
                raise BenchError(
                    f"{file}: cannot be written ({error.strerror or error}); give another file"
                ) from error
            print(f"Wrote {file}")
    print("\n\n".join(table.as_text() for table in all_tables(analysis, correlations, most=MOST_DISCUSSIONS)))
    print(f"\n{signature(analysis)}")
