"""Build the data set: release to Parquet, card, terms, plots, splits and import report; the same bytes each time."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from healthdial.audio import AudioFormat
from healthdial.audio_pass import AudioPass, index_recordings, report_unused
from healthdial.build_audio import write_audio_configs
from healthdial.build_text import write_text_configs
from healthdial.findings import Findings
from healthdial.languages import LANGUAGES
from healthdial.parallel import default_workers
from healthdial.release import SAMPLE_FOLDER, Release, read_release, recorded_accounts
from healthdial.schema import DEFAULT_CONFIG, PACKAGE_FOLDER, SAMPLE_ORIGIN, BuiltConfig, config_names
from healthdial.speaker_key import load_or_make_key
from healthdial.speakers import Publication, publish_speakers
from hub.errors import BenchError, ReleaseError
from hub.files import named_write_errors, write_atomically

SPLITS_FILE = "splits.json"
REPORT_FILE = "import_report.json"
SAMPLE_KEY = b"the speakers of the sample are made up"
"""Orders the speakers of the bundled sample; public, since it hides nobody."""
DEFAULT_K = 5


def default_key_file() -> Path:
    """Return where the speaker key lies unless told otherwise: the user's configuration folder."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "healthdial" / "speaker.key"


@dataclass(frozen=True)
class BuildOptions:
    """How a data set is built.

    Attributes:
        audio_format: ``flac`` or ``wav`` inside the Parquet files.
        checks: Look for silence and clipping, and hash the samples.
        k: Speakers who must share each published combination of demographic values.
        speaker_key: File of the key that orders speaker ids; made on first use.
        allow_leak: Build although dialogues are in different splits in different languages.
        allow_damaged: Build without what is lost by damaged or missing archives.
        workers: Threads.
    """

    audio_format: AudioFormat = "flac"
    checks: bool = True
    k: int = DEFAULT_K
    speaker_key: Path = field(default_factory=default_key_file)
    allow_leak: bool = False
    allow_damaged: bool = False
    workers: int = field(default_factory=default_workers)


@dataclass(frozen=True)
class BuiltDataset:
    """A built data set.

    Attributes:
        folder: Where it lies.
        origin: ``release@<fingerprint>`` or ``sample``.
        configs: Its configs in the card's order.
        findings: Every fault of the release.
        publication: What was published of the speakers.
        hours: Hours of user and system speech; 0 without audio.
        shards_kept: Shards that an earlier, stopped run had finished.
    """

    folder: Path
    origin: str
    configs: tuple[BuiltConfig, ...]
    findings: Findings
    publication: Publication
    hours: dict[str, float]
    shards_kept: int


def build_sample(out: Path, options: BuildOptions | None = None) -> BuiltDataset:
    """Build the bundled sample into ``out``; its speakers are made up, so that nothing is given up.

    Raises:
        BenchError: ``out`` holds a build of a release, which the sample never replaces.
    """
    if _holds_real_build(out):
        raise BenchError(f"{out} holds a build of a release, which the sample does not replace; give another --out")
    return build(read_release(SAMPLE_FOLDER), out, replace(options or BuildOptions(), k=1))


def build_demo(out: Path) -> BuiltDataset:
    """Build the bundled sample where ``load_dataset("healthdial", ...)`` finds it from the clone's folder.

    Args:
        out: Where it goes instead if the package's folder holds a build of a release, which it never replaces.
    """
    return build_sample(out / "healthdial" if _holds_real_build(PACKAGE_FOLDER) else PACKAGE_FOLDER)


def _holds_real_build(folder: Path) -> bool:
    """Return whether a folder holds a build of anything but the sample."""
    card = folder / "README.md"
    return card.is_file() and f"Origin of these rows: `{SAMPLE_ORIGIN}`" not in card.read_text(encoding="utf-8")


def build(release: Release, out: Path, options: BuildOptions | None = None) -> BuiltDataset:
    """Write the data set into ``out``; an earlier build there stays whole until the new card replaces its card.

    Shards are finished one by one: a run that was stopped goes on from there. What it needs for that lies in a hidden
    folder beside ``out``, which holds account ids of the release and is removed at the end.

    Args:
        release: The release.
        out: The data set's folder; made if missing.
        options: How to build.

    Raises:
        ReleaseError: The release has a fault that stops the build; everything that could be built is kept for the
            next run.
        BenchError: The folder cannot be written, the disk is full, or another build writes there.
    """
    options = options or BuildOptions()
    findings = release.findings
    _stop_on_leak(release, options)
    _stop_on_overlap(release, out, options)
    with named_write_errors(out):
        out.mkdir(parents=True, exist_ok=True)
    key = SAMPLE_KEY if release.is_sample else load_or_make_key(options.speaker_key)
    recorded = {language: recorded_accounts(own) for language, own in release.dialogues.items()}
    publication = publish_speakers(release.speakers, recorded, key, options.k, findings)
    with named_write_errors(out), _work_folder(out) as work:
        how = AudioPass(options.audio_format, options.checks, options.workers, work)
        indexes = index_recordings(release, how, findings)
        _stop_on_loss(findings, options)
        audio = write_audio_configs(release, indexes, publication, out, how)
        report_unused(indexes, findings)
        text = write_text_configs(release, publication, audio, out)
        order = {name: position for position, name in enumerate(config_names(release.languages))}
        configs = tuple(sorted((*audio.configs, *text.configs), key=lambda config: order[config.name]))
        built = BuiltDataset(out, _origin(release), configs, findings, publication, audio.hours(), audio.shards_kept)
        _write_about(release, built, {**audio.rows, **text.rows}, options, has_audio=bool(indexes))
        _remove_stale(out, {file for config in configs for split in config.splits for file in split.files})
        shutil.rmtree(work, ignore_errors=True)
    return built


def _origin(release: Release) -> str:
    return SAMPLE_ORIGIN if release.is_sample else f"release@{release.fingerprint[:12]}"


def _stop_on_leak(release: Release, options: BuildOptions) -> None:
    leaks = release.splits.leaks
    if leaks and not options.allow_leak:
        raise ReleaseError(
            f"{len(leaks)} dialogues are in different splits in different languages (the first: number {leaks[0]}): a "
            "model trained on one language would have seen test dialogues of another. Give --split-by number for the "
            "English assignment in all languages, or --allow-leak to keep the positions of each."
        )


def _stop_on_overlap(release: Release, out: Path, options: BuildOptions) -> None:
    """Keep what is personal out of the folder that is published: the release's files and the speaker key."""
    if release.is_sample:
        return
    inside = out.resolve()
    for what, path in (("the release", release.files.root), ("the speaker key", options.speaker_key)):
        if path.resolve().is_relative_to(inside):
            raise ReleaseError(
                f"{what} ({path}) lies inside the output folder {out}, which is made to be published; give another "
                "--out, outside of it"
            )


def _stop_on_loss(findings: Findings, options: BuildOptions) -> None:
    lost = [one for one in findings if one.kind.name in ("damaged_archive", "missing_part", "much_missing_audio")]
    if lost and not options.allow_damaged:
        named = "; ".join(f"{one.place}: {one.detail}" for one in lost)
        raise ReleaseError(
            f"recordings are lost: {named}. Fetch or unpack the archives again (the others are not read again), or "
            "give --allow-damaged to build without what is lost."
        )


@contextmanager
def _work_folder(out: Path) -> Iterator[Path]:
    """Yield the folder beside ``out`` for what a stopped build goes on from; one build at a time."""
    from filelock import FileLock, Timeout

    work = out.resolve().parent / f".{out.resolve().name}-work"
    work.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = FileLock(work / "lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise BenchError(f"{out}: another build writes there; wait for it or give another --out") from None
    try:
        yield work
    finally:
        lock.release()


def _write_about(
    release: Release, built: BuiltDataset, rows: dict[str, Any], options: BuildOptions, *, has_audio: bool
) -> None:
    """Write everything that is not rows: splits, report, terms, plots and, last, the card."""
    from healthdial.card import TERMS_FILE, TEXT_CARD_FILE, CardInput, render_card, render_terms, text_part
    from healthdial.plots import TITLES, draw_plots
    from healthdial.statistics import describe
    from healthdial.tokenization import word_tokenizer

    out, publication = built.folder, built.publication
    statistics = describe(rows)
    plots = draw_plots(statistics, rows, publication.given_up)
    for name, content in plots.items():
        write_atomically(out / "plots" / name, content)
    card = CardInput(
        origin=built.origin,
        languages=release.languages,
        built=built.configs,
        statistics=statistics,
        findings=built.findings,
        plots=tuple(plots),
        audio_format=options.audio_format if has_audio else None,
        split_source=release.splits.source,
        k=options.k,
        k_reached=publication.k_reached,
        given_up=publication.given_up,
        tokenizers={language: word_tokenizer(language).name for language in release.languages},
        example=_example(rows),
    )
    write_json(out / SPLITS_FILE, release.splits.manifest(release.dialogues))
    write_json(out / REPORT_FILE, {"origin": built.origin, "k": options.k, **report_of(built.findings)})
    write_atomically(out / TERMS_FILE, render_terms(card).encode("utf-8"))
    if has_audio:
        write_atomically(out / TEXT_CARD_FILE, render_card(text_part(card)).encode("utf-8"))
    else:
        (out / TEXT_CARD_FILE).unlink(missing_ok=True)
    write_atomically(out / "README.md", render_card(card).encode("utf-8"))
    for name in TITLES.keys() - plots.keys():
        (out / "plots" / name).unlink(missing_ok=True)


def _example(rows: dict[str, Any]) -> dict[str, Any]:
    """Return the first user turn of the default config that is grounded, else the first; else of another language."""
    names = sorted((name for name in rows if name.startswith("user_turns")), key=lambda name: name != DEFAULT_CONFIG)
    turns = [row for split in rows[names[0]].values() for row in split]
    return next((row for row in turns if row["gold_snippet_ids"]), turns[0])


def report_of(findings: Findings) -> dict[str, Any]:
    """Return findings as data: counts by kind and language, and the places kept."""
    return {
        "faults": [
            {
                "kind": name,
                "language": language,
                "policy": found[0].kind.policy,
                "text": found[0].kind.text,
                "count": findings.counts[name, language],
                "places": [{"place": str(one.place), "detail": one.detail} for one in found],
            }
            for (name, language), found in sorted(findings.examples.items())
        ]
    }


def write_json(file: Path, value: Any) -> None:
    """Write data as readable JSON."""
    write_atomically(file, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))


def _remove_stale(out: Path, current: Iterable[str]) -> None:
    """Remove Parquet files of earlier builds of our configs; anything else in the folder is left alone."""
    from healthdial.card import TERMS_FILE, TEXT_CARD_FILE

    keep = {out / file for file in current}
    for name in config_names(tuple(LANGUAGES)):
        folder = out / "data" / name
        for file in [*folder.glob("*.parquet"), *folder.glob(".*.tmp")]:
            if file not in keep:
                file.unlink()
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    # What a run left that was killed while it wrote one of these.
    for name in ("README.md", TEXT_CARD_FILE, TERMS_FILE, SPLITS_FILE, REPORT_FILE, "plots/*.png"):
        for file in out.glob(f"{Path(name).parent}/.{Path(name).name}.*.tmp"):
            file.unlink()
