"""The commands `annotate new, serve, status, link, withdraw, export, import` of `thai-dialect-bench`."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thai_dialect_bench.errors import BenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from thai_dialect_bench.annotation.store import Annotator

app = typer.Typer(
    no_args_is_help=True,
    help="Let native speakers judge answers in a browser. Make a study with `new`, send each annotator the link "
    "that it prints, `serve` it, then `export` the judgements.",
)


class StudyKind(str, Enum):
    """The two kinds of study."""

    dialect_score = "dialect-score"
    preference = "preference"


StudyArgument = Annotated[Path, typer.Argument(metavar="STUDY.sqlite", help="A study made with `annotate new`.")]
AddressOption = Annotated[
    str, typer.Option("--address", help="Address at which annotators reach `annotate serve`, for the links.")
]
CodeArgument = Annotated[str, typer.Argument(metavar="CODE", help="Code of the annotator, e.g. A01.")]
DEFAULT_ADDRESS = "http://127.0.0.1:7860"


@app.command()
def new(
    study: Annotated[Path, typer.Argument(metavar="STUDY.sqlite", help="The file to make.")],
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="Answers: lighteval --output-dir folders or results_*.json, or CSV files named as in the release "
            "(food_north_0_0_my-model.csv; east is Isan, north Lanna, south Dambro), or folders of them."
        ),
    ],
    kind: Annotated[
        StudyKind,
        typer.Option(help="dialect-score: mark units, rate each answer. preference: compare the models in pairs."),
    ],
    dialect: Annotated[str, typer.Option(help="isan, lanna or dambro.")],
    annotators: Annotated[int, typer.Option(help="How many annotators, a link for each.")] = 2,
    model: Annotated[list[str] | None, typer.Option(help="Model to take; repeat it. Default: all.")] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            help="Task to take; repeat it. Default, as in the paper: qa, summarization and translation_from_english "
            "for a dialect score, food and conversation for a preference."
        ),
    ] = None,
    item: Annotated[
        list[str] | None, typer.Option(help="Item to take, e.g. food-03; repeat it. Default: all.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name in the export. Default: the file's.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the annotators' orders and sides.")] = 42,
    address: AddressOption = DEFAULT_ADDRESS,
) -> None:
    """Make a study and print one secret link per annotator. The links are stored nowhere: keep them."""
    from thai_dialect_bench.annotation.sources import read_sources
    from thai_dialect_bench.annotation.store import Store
    from thai_dialect_bench.annotation.study import Choice, make_study

    choice = Choice(
        "preference" if kind is StudyKind.preference else "dialect_score",
        dialect,
        models=tuple(model or ()),
        tasks=tuple(task or ()),
        items=tuple(item or ()),
    )
    made = make_study(
        read_sources(sources, dialect), choice, name=name or study.stem, annotators=annotators, seed=seed
    )
    store, keys = Store.create(study, made)
    each = store.annotators()[0].total
    print(
        f"Made {study}: {len(made.items)} items, {len(made.models)} models ({', '.join(made.models)}), "
        f"{each} judgements for each of {annotators} annotators."
    )
    _print_links(keys, address)


@app.command()
def serve(
    study: StudyArgument,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all of this machine's.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port.")] = 7860,
    contact: Annotated[str, typer.Option(help="Whom annotators can ask; shown with the consent.")] = "",
    suggest: Annotated[
        bool, typer.Option(help="Highlight words of the dialects' lexicons for the annotators to judge.")
    ] = True,
) -> None:
    """Serve a study to annotators' browsers until stopped with Ctrl-C. Nothing is lost when it is."""
    from thai_dialect_bench.annotation.app import serve as serve_study
    from thai_dialect_bench.annotation.session import no_suggestions
    from thai_dialect_bench.lexicons import suggested_units

    serve_study(
        study,
        suggest=suggested_units if suggest else no_suggestions,
        host=host,
        port=port,
        contact=contact,
        started=lambda: print(f"Serving {study} on http://{host}:{port}; stop with Ctrl-C.", flush=True),
    )


@app.command()
def status(study: StudyArgument) -> None:
    """Print how far each annotator is."""
    from tabulate import tabulate

    from thai_dialect_bench.annotation.store import Store

    store = Store(study)
    info = store.info()
    rows = [
        (who.code, who.dialect or "-", who.age_band or "-", _agreed(who), who.judged, who.total)
        for who in store.annotators()
    ]
    print(f"{info.name}: {info.kind}, {info.dialect}, seed {info.seed}")
    print(tabulate(rows, headers=("annotator", "dialect", "age band", "agreed", "judged", "of")))


@app.command()
def link(study: StudyArgument, code: CodeArgument, address: AddressOption = DEFAULT_ADDRESS) -> None:
    """Make a new link for an annotator who lost theirs; the old one stops working, the judgements stay."""
    from thai_dialect_bench.annotation.store import Store

    _print_links({code: Store(study).renew_key(code)}, address)


@app.command()
def withdraw(
    study: StudyArgument,
    code: CodeArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all that an annotator said, with dialect and age band. `import` refuses theirs until they agree again."""
    from thai_dialect_bench.annotation.store import Store

    if not yes and not typer.confirm(f"Delete all judgements of {code} in {study}?"):
        raise BenchError("nothing was deleted")
    print(f"Deleted {Store(study).withdraw(code)} judgements of {code}. Delete them in exported files too.")


@app.command("export")
def export_judgements(
    study: StudyArgument,
    jsonl: Annotated[Path | None, typer.Option(help="Write one judgement a line as JSON.")] = None,
    csv: Annotated[
        Path | None,
        typer.Option(help="Write CSV; a cell that a spreadsheet would run as a formula begins with an apostrophe."),
    ] = None,
    annotators: Annotated[
        Path | None, typer.Option(help="Write code, dialect and age band of the annotators as CSV.")
    ] = None,
) -> None:
    """Write the judgements, with the models' names, for `thai-dialect-bench agreement`."""
    from hub.files import write_atomically
    from thai_dialect_bench.annotation import export
    from thai_dialect_bench.annotation.store import Store
    from thai_dialect_bench.judgements import write_csv, write_jsonl

    if not (jsonl or csv or annotators):
        raise BenchError("give --jsonl FILE, --csv FILE or --annotators FILE")
    store = Store(study)
    content = export.judgements(store)
    if jsonl:
        _write(jsonl, lambda: write_jsonl(jsonl, content))
    if csv:
        _write(csv, lambda: write_csv(csv, content))
    if annotators:
        known = export.annotators_csv(store.annotators()).encode("utf-8-sig")
        _write(annotators, lambda: write_atomically(annotators, known))
    print(f"{len(content)} judgements.")


@app.command("import")
def import_file(
    study: StudyArgument,
    file: Annotated[Path, typer.Argument(help="JSONL or CSV of `annotate export`.")],
    replace: Annotated[bool, typer.Option("--replace", help="Take the file's where a judgement differs.")] = False,
) -> None:
    """Put exported judgements into a study with the same items, models and annotators: all of the file or nothing."""
    from thai_dialect_bench.annotation.importing import import_judgements
    from thai_dialect_bench.annotation.store import Store

    done = import_judgements(Store(study), file, replace=replace)
    print(f"{done.added} judgements added, {done.replaced} replaced, {done.same} were there already.")


def _agreed(who: Annotator) -> str:
    if who.withdrawn:
        return "withdrawn"
    return "yes" if who.consented else "no"


def _print_links(keys: Mapping[str, str], address: str) -> None:
    for code, key in keys.items():
        print(f"{code}  {address.rstrip('/')}/?key={key}")


def _write(file: Path, write: Callable[[], None]) -> None:
    """Call what writes a file, say where it is, or name a failure."""
    try:
        write()
    except OSError as error:
        raise BenchError(f"{file}: cannot be written ({error.strerror or error}); give another file") from error
    print(f"Wrote {file}")
