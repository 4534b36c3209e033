"""The command `healthdial`: build, audit, demo, train a classifier, report, check, preview, push."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from healthdial.cli_hub import check, preview, push
from healthdial.cli_report import report
from healthdial.cli_training import train_classifier
from healthdial.languages import LANGUAGES, parse_languages
from hub.errors import BenchError

if TYPE_CHECKING:
    from healthdial.build import BuiltDataset
    from healthdial.release import ReadOptions, Release

PACKAGE_FOLDER = Path(__file__).resolve().parent
INTERRUPTED = 130
"""Exit code after an interrupt, as shells have it."""
GOES_ON = frozenset({"build", "demo", "train-classifier", "push"})
"""Commands that go on where they were stopped."""

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="HealthDial, multilingual spoken health dialogue (arXiv 2605.30107): `audit` a release, then `build` the "
    "data set from it, for `load_dataset` and the Hub's viewer. Each command has its own --help.",
)


class AudioFormatOption(str, Enum):
    """Formats of the recordings in the Parquet files."""

    flac = "flac"
    wav = "wav"


class SplitByOption(str, Enum):
    """Ways to assign splits."""

    position = "position"
    number = "number"


ReleaseOption = Annotated[
    str | None,
    typer.Option(
        help="The authors' release: the folder that holds who_database.json (or its parent), or a data set on the Hub "
        "such as cambridgeltl/HealthDial, optionally with @revision, which is downloaded (43 GB with audio)."
    ),
]
LanguagesOption = Annotated[
    str | None,
    typer.Option(help="Languages, separated by commas (ara,zho,eng,spa). Default: all that the release has."),
]
SplitByArgument = Annotated[
    SplitByOption,
    typer.Option(
        help="position: 400 / 100 / rest of each language's list, as in the authors' scripts. number: the English "
        "assignment for all languages."
    ),
]
NoAudio = Annotated[bool, typer.Option("--no-audio", help="Texts only; rows have no audio.")]
NoChecks = Annotated[
    bool, typer.Option("--no-audio-checks", help="Do not look for silence and clipping, nor hash samples: faster.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first fault that is more than a note.")]
KeepContacts = Annotated[
    bool, typer.Option("--keep-contacts", help="Leave e-mail addresses and telephone numbers in human texts.")
]
KOption = Annotated[
    int,
    typer.Option(
        "--k",
        min=1,
        help="Speakers of a language who must share each published combination of gender, age group, education and "
        "variety; fields are given up until they do.",
    ),
]
Workers = Annotated[int | None, typer.Option(min=1, help="Threads. Default: all cores that this process may use.")]


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
    languages: LanguagesOption = None,
    audio_format: Annotated[
        AudioFormatOption, typer.Option(help="flac: lossless at about half the size. wav: as it came, fastest.")
    ] = AudioFormatOption.flac,
    no_audio: NoAudio = False,
    no_audio_checks: NoChecks = False,
    split_by: SplitByArgument = SplitByOption.position,
    allow_leak: Annotated[
        bool, typer.Option("--allow-leak", help="Build although splits differ between languages.")
    ] = False,
    allow_damaged: Annotated[
        bool, typer.Option("--allow-damaged", help="Build without what is lost by damaged or missing archives.")
    ] = False,
    k: KOption = 5,
    speaker_key: Annotated[
        Path | None,
        typer.Option(
            help="File of the secret that orders speaker ids, made on first use. Keep it: the same key gives the same "
            "ids. Default: ~/.config/healthdial/speaker.key."
        ),
    ] = None,
    keep_contacts: KeepContacts = False,
    strict: Strict = False,
    workers: Workers = None,
    download: Annotated[
        Path | None, typer.Option(help="Folder for a download; default: the Hugging Face cache.")
    ] = None,
) -> None:
    """Build the data set: Parquet files, card and terms, loadable by `load_dataset("healthdial", "user_turns_eng")`.

    A build that is stopped goes on where it was when the same command is run again.
    """
    from healthdial.build import BuildOptions, build_sample, default_key_file
    from healthdial.build import build as build_data
    from healthdial.parallel import default_workers

    if sample == bool(release):
        raise BenchError("give either --release FOLDER (or a data set on the Hub), or --sample")
    for_releases = {
        "--languages": languages is not None,
        "--no-audio": no_audio,
        "--split-by": split_by != SplitByOption.position,
        "--allow-leak": allow_leak,
        "--allow-damaged": allow_damaged,
        "--speaker-key": speaker_key is not None,
        "--keep-contacts": keep_contacts,
        "--strict": strict,
        "--download": download is not None,
    }
    if sample and any(for_releases.values()):
        given = ", ".join(name for name, is_given in for_releases.items() if is_given)
        raise BenchError(f"{given} is for --release; the sample is always built whole")
    build_options = BuildOptions(
        audio_format=audio_format.value,
        checks=not no_audio_checks,
        k=k,
        speaker_key=speaker_key or default_key_file(),
        allow_leak=allow_leak,
        allow_damaged=allow_damaged,
        workers=workers or default_workers(),
    )
    if release is None:
        built = build_sample(out, build_options)
    else:
        read = _read_options(languages, split_by, no_audio=no_audio, keep_contacts=keep_contacts, strict=strict)
        built = build_data(_release(release, read, download), out, build_options)
    _print_built(built)


@app.command()
def audit(
    release: ReleaseOption = None,
    languages: LanguagesOption = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write everything found, with places.")] = None,
    no_audio: NoAudio = False,
    no_audio_checks: NoChecks = False,
    split_by: SplitByArgument = SplitByOption.position,
    k: KOption = 5,
    strict: Strict = False,
    workers: Workers = None,
    download: Annotated[
        Path | None, typer.Option(help="Folder for a download; default: the Hugging Face cache.")
    ] = None,
) -> None:
    """Check a release in one pass: expected against found, and every fault with its place.

    Exit code 1 if an invariant is broken. Nothing is written but --json; no personal data is printed.
    """
    from healthdial.audio_pass import AudioPass
    from healthdial.audit import audit as run_audit
    from healthdial.audit_text import audit_text
    from healthdial.build import write_json
    from healthdial.parallel import default_workers
    from hub.files import named_write_errors

    if release is None:
        raise BenchError("give --release FOLDER, or a data set on the Hub")
    read = _read_options(languages, split_by, no_audio=no_audio, keep_contacts=False, strict=strict)
    how = AudioPass("wav", not no_audio_checks, workers or default_workers())
    outcome = run_audit(_release(release, read, download), how, k)
    if json_file:
        with named_write_errors(json_file):
            write_json(json_file, outcome.as_json())
    print(audit_text(outcome))
    if outcome.broken:
        raise BenchError(f"invariants are broken: {', '.join(outcome.broken)}")


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the sample if healthdial/ holds a build of a release.")] = Path(
        "out/demo"
    ),
) -> None:
    """Build the bundled sample, run the baselines over every text task, and report: the whole chain in one command."""
    from healthdial import report as reports
    from healthdial.build import build_demo
    from healthdial.demo import run_baselines
    from healthdial.schema import data_location
    from hub.files import named_write_errors, write_atomically

    built = build_demo(out)
    _print_built(built)
    made = reports.make_report([run_baselines(built.folder, out)], data_location(str(built.folder)), 1)
    page = out / "healthdial.html"
    with named_write_errors(page):
        write_atomically(page, reports.report_html(made).encode("utf-8"))
    print(f"Wrote {page}")
    print(reports.report_text(made))


app.command()(train_classifier)
app.command()(report)
app.command()(check)
app.command()(preview)
app.command()(push)


def _read_options(
    languages: str | None, split_by: SplitByOption, *, no_audio: bool, keep_contacts: bool, strict: bool
) -> ReadOptions:
    """Return how a release is read."""
    from healthdial.release import ReadOptions

    return ReadOptions(
        languages=parse_languages(languages),
        split_by=split_by.value,
        keep_contacts=keep_contacts,
        audio=not no_audio,
        strict=strict,
    )


def _release(value: str, read: ReadOptions, download: Path | None) -> Release:
    """Read a release from a folder, or fetch it from the Hub first."""
    from healthdial.download import fetch_release, looks_like_repo_id
    from healthdial.release import read_release

    repo_id, _, revision = value.partition("@")
    if looks_like_repo_id(repo_id) and not Path(value).expanduser().exists():
        languages = read.languages or tuple(LANGUAGES)
        folder = fetch_release(repo_id, download, languages=languages, audio=read.audio, revision=revision or None)
        return read_release(folder, read)
    if not Path(value).expanduser().is_dir():
        raise BenchError(f"{value}: no such folder, nor of the form owner/name of a data set on the Hub")
    return read_release(Path(value).expanduser(), read)


def _print_built(built: BuiltDataset) -> None:
    """Say what was built, what was met, and how to load it."""
    from healthdial.schema import DEFAULT_CONFIG

    print(f"Built {built.folder} from {built.origin}.")
    for config in built.configs:
        splits = ", ".join(f"{split.name} {split.rows:,}" for split in config.splits)
        print(f"  {config.name}: {splits}")
    print(f"Speech: {built.hours['user']:.2f} h user, {built.hours['system']:.2f} h system.")
    kept = ", ".join(f"{language} k = {k}" for language, k in sorted(built.publication.k_reached.items()))
    print(f"Speakers: {len(built.publication.speakers)} ({kept}).")
    if built.shards_kept:
        print(f"{built.shards_kept} shards were finished by an earlier run.")
    counts = {name: built.findings.count(name) for name, _ in sorted(built.findings.counts)}
    if counts:
        print("Faults: " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
        print(f"  with their places in {built.folder / 'import_report.json'}")
    example = next((one for one in built.configs if one.name == DEFAULT_CONFIG), built.configs[0])
    print(f'Load it: load_dataset("{built.folder}", "{example.name}", split="{example.splits[-1].name}")')


def main() -> None:
    """Run the command; errors are one line and exit code 1, or a traceback with ``--debug`` anywhere in the line."""
    logging.basicConfig(format="healthdial: %(message)s", level=logging.WARNING)
    debug = "--debug" in sys.argv
    # A release is millions of objects that stay: looking for garbage among them takes a fifth of the time.
    gc.set_threshold(200_000, 50, 100)
    interrupt = signal.signal(signal.SIGINT, partial(_stop_at_once, GOES_ON & set(sys.argv[1:])))
    try:
        app(args=[argument for argument in sys.argv[1:] if argument != "--debug"], standalone_mode=True)
    except BenchError as error:
        if debug:
            raise
        print(f"healthdial: error: {error}", file=sys.stderr)
        sys.exit(1)
    finally:
        signal.signal(signal.SIGINT, interrupt)
        gc.freeze()


def _stop_at_once(goes_on: frozenset[str], *_: object) -> None:
    """End the process without waiting for threads in the middle of a file; a build recovers as from a kill."""
    kept = b"; what is finished is kept, run the same command to go on" if goes_on else b""
    os.write(sys.stderr.fileno(), b"\nhealthdial: stopped" + kept + b"\n")
    os._exit(INTERRUPTED)
