"""The command `thai-dialect-bench`: build, report, reproduce, demo, annotate, agreement, check, preview, push."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thai_dialect_bench.cli_agreement import agreement
from thai_dialect_bench.cli_annotate import app as annotate
from thai_dialect_bench.cli_hub import check, preview, push
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.schema import PACKAGE_FOLDER

if TYPE_CHECKING:
    from thai_dialect_bench.build import BuiltDataset

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Measure language models on Thai dialects (arXiv 2504.05898). First `build` the data set, then run models "
    "with `python -m tasks`, then `report`. Each command has its own --help.",
)

ReleaseOption = Annotated[
    str | None,
    typer.Option(
        help="The authors' release: a folder, a zip or tar, or an https or file URL to one. "
        "Default: their repository at the pinned commit, by https."
    ),
]
AllowModified = Annotated[
    bool, typer.Option("--allow-modified", help="Accept data that differs from the pinned commit; rows say so.")
]


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Take the options that all commands share; ``main`` reads ``--debug`` itself."""


@app.command()
def build(
    release: ReleaseOption = None,
    sample: Annotated[bool, typer.Option("--sample", help="Build the bundled sample (for a first look).")] = False,
    out: Annotated[Path, typer.Option(help="Folder of the data set.")] = PACKAGE_FOLDER,
    allow_modified: AllowModified = False,
) -> None:
    """Build the data set: Parquet files and the card, loadable by `load_dataset("thai_dialect_bench", "lanna")`."""
    from thai_dialect_bench.build import build_sample

    if sample and release:
        raise BenchError("--sample and --release exclude each other; give one")
    built = build_sample(out) if sample else _build_release(release, out, allow_modified)
    _print_built(built)


@app.command()
def report(
    results: Annotated[list[Path], typer.Argument(help="lighteval --output-dir folders, or results_*.json files.")],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML file.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write one line per score, full precision.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write Markdown tables.")] = None,
    upstream_csv: Annotated[
        Path | None,
        typer.Option(help="Folder for score files in the authors' column layout."),
    ] = None,
    answers_html: Annotated[
        Path | None, typer.Option(help="Write all answers in a dialect with their dialect words marked.")
    ] = None,
    item_scores: Annotated[
        Path | None,
        typer.Option(help="Write dialect Generation of every answer as CSV, for `agreement --scores`."),
    ] = None,
) -> None:
    """Print scores as in Table 1, with intervals and drops from Central, and write them as files."""
    from thai_dialect_bench import report as reports

    made = reports.make_report(results)
    if html:
        _write(html, reports.report_html(made))
    if csv:
        _write(csv, reports.report_csv(made))
    if markdown:
        _write(markdown, reports.report_markdown(made))
    if upstream_csv:
        for name, content in reports.upstream_csvs(made).items():
            _write(upstream_csv / name, content)
    if answers_html:
        _write(answers_html, reports.answers_html(made))
    if item_scores:
        _write(item_scores, reports.item_scores_csv(made))
    print(reports.report_text(made))


@app.command()
def reproduce(
    release: ReleaseOption = None,
    qa_v1_outputs: Annotated[
        str | None,
        typer.Option(
            help="Where the QA v1 outputs of the open models are (folder, archive or URL): `history_qa_v1` of the "
            "release by default, else the authors' repository at commit 066effe."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for data, results and the comparison.")] = Path("out/reproduce"),
    allow_modified: AllowModified = False,
) -> None:
    """Replay the released outputs through the lighteval tasks and compare all 96 cells of Table 1.

    Exit code 0 only if every cell agrees but for the two known misprints.
    """
    from hub.custom_runs import new_runs_folder
    from thai_dialect_bench.build import build as build_data
    from thai_dialect_bench.pages import render_page
    from thai_dialect_bench.release import read_release
    from thai_dialect_bench.reproduce import reproduce as compare
    from thai_dialect_bench.runs import replay_all
    from thai_dialect_bench.source import archive_url, open_source, qa_v1_outputs_folder

    with open_source(release or archive_url()) as folder:
        content = read_release(folder, allow_modified=allow_modified)
        data = build_data(content, out / "data").folder
        with qa_v1_outputs_folder(folder, qa_v1_outputs) as older:
            sources = [folder / "outputs_local", *([older] if older else [])]
            runs = new_runs_folder(out)
            replay_all(sources, data, runs)
    outcome = compare(content, runs)
    title = "Table 1 of arXiv 2504.05898, reproduced"
    _write(out / "table1.md", f"# {title}\n\n" + "\n\n".join(t.as_markdown() for t in outcome.tables) + "\n")
    paragraphs = [f"Data: {content.origin}."]
    page = render_page("tables.html.j2", title=title, paragraphs=paragraphs, page_tables=outcome.tables)
    _write(out / "table1.html", page)
    print("\n\n".join(table.as_text() for table in outcome.tables))
    print(
        f"\n{outcome.count('agrees')} cells agree, {outcome.count('misprint')} are misprints, "
        f"{outcome.count('disagrees')} disagree, {outcome.count('not checked')} could not be checked."
    )
    if not outcome.agrees:
        raise BenchError(
            "Table 1 is not reproduced: see the cells that need a word above. Cells that could not be checked lack "
            "released outputs; those of QA v1 are in commit 066effe (--qa-v1-outputs)."
        )


@app.command()
def demo(
    release: ReleaseOption = None,
    out: Annotated[Path, typer.Option(help="Folder for results and report.")] = Path("out/demo"),
) -> None:
    """Build the data set, run the baselines over all 24 subsets and report: the whole chain in one command.

    Without --release the authors' repository is tried; if it cannot be reached, the bundled sample is used.
    """
    from hub.custom_runs import new_runs_folder
    from thai_dialect_bench import report as reports
    from thai_dialect_bench.demo import build_for_demo
    from thai_dialect_bench.runs import run_baselines

    built = build_for_demo(release, out)
    _print_built(built)
    runs = new_runs_folder(out)
    run_baselines(built.folder, runs)
    made = reports.make_report([runs])
    _write(out / "report.html", reports.report_html(made))
    print(reports.report_text(made))


app.command()(agreement)
app.add_typer(annotate, name="annotate")
app.command()(check)
app.command()(preview)
app.command()(push)


def _build_release(release: str | None, out: Path, allow_modified: bool) -> BuiltDataset:
    """Build from a release given, or from the authors' repository."""
    from thai_dialect_bench.build import build as build_data
    from thai_dialect_bench.release import read_release
    from thai_dialect_bench.source import archive_url, open_source

    with open_source(release or archive_url()) as folder:
        return build_data(read_release(folder, allow_modified=allow_modified), out)


def _print_built(built: BuiltDataset) -> None:
    """Say what was built and how to load it."""
    rows = ", ".join(f"{config.name} {config.rows}" for config in built.configs)
    print(f"Built {built.folder} from {built.origin}: {rows} rows.")
    if built.modified:
        print(f"MODIFIED data, not comparable with the paper: {', '.join(built.modified)}")


def _write(file: Path, content: str) -> None:
    """Write a text file atomically and say where it is."""
    from hub.files import write_atomically

    try:
        write_atomically(file, content.encode("utf-8"))
    except OSError as error:
        raise BenchError(f"{file}: cannot be written ({error.strerror or error}); give another file") from error
    print(f"Wrote {file}")


def main() -> None:
    """Run the command; errors are one line and exit code 1, or a traceback with ``--debug`` anywhere in the line."""
    debug = "--debug" in sys.argv
    try:
        app(args=[argument for argument in sys.argv[1:] if argument != "--debug"], standalone_mode=True)
    except BenchError as error:
        if debug:
            raise
        print(f"thai-dialect-bench: error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("thai-dialect-bench: stopped; no file is half-written, run the command again", file=sys.stderr)
        sys.exit(130)
    finally:
        # Python collects once more while it exits, and would walk PyThaiNLP's tree of words for two seconds.
        gc.freeze()
