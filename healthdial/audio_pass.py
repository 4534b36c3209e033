"""One pass over all recordings: read archives, index folders, find each turn's file, report what is wrong with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from tqdm import tqdm

from healthdial.archives import ArchiveIndex, ArchiveTask, read_archive
from healthdial.audio import AudioFormat, ProcessedAudio
from healthdial.dialogues import USER, Dialogue, Turn
from healthdial.findings import Findings, Place
from healthdial.languages import LANGUAGES
from healthdial.layout import AudioSources
from healthdial.parallel import run_tasks
from healthdial.recordings import RecordingIndex, Resolved, index_archives, index_folder
from healthdial.release import Release
from healthdial.schema import VERSION
from healthdial.shards import process_file
from healthdial.take_checks import report_take
from hub.errors import ReleaseError
from hub.fingerprint import fingerprint

MUCH_MISSING = 20
MUCH_MISSING_SHARE = 0.02
"""Turns without a recording, at least so many and more than this share, that mean a missing archive."""
INSPECTED_TOGETHER = 64
"""Files in one task of an inspection."""


@dataclass(frozen=True)
class AudioPass:
    """How recordings are read.

    Attributes:
        audio_format: Format in which they are kept.
        checks: Look for silence and clipping, and hash the samples.
        workers: Threads.
        work: Folder for spools of archives; None to keep nothing (audit).
    """

    audio_format: AudioFormat = "flac"
    checks: bool = True
    workers: int = 1
    work: Path | None = None


@dataclass(frozen=True, slots=True)
class TurnRecording:
    """A turn with its recording."""

    dialogue: Dialogue
    turn: Turn
    resolved: Resolved

    @property
    def place(self) -> Place:
        """Where it is, for reports: task id, utterance and kind, never the file's name."""
        kind = "user audio" if self.turn.role == USER else "system audio"
        task_id = f"{LANGUAGES[self.dialogue.language].release_code}_{self.dialogue.number}"
        return Place(self.dialogue.language, kind, task_id, self.turn.index)


Indexes = dict[tuple[str, str], RecordingIndex]
"""(language, ``user`` or ``system``) -> its recordings; a kind without files is not in it."""


def index_recordings(release: Release, how: AudioPass, findings: Findings) -> Indexes:
    """Index all recordings of a release; archives are read in parallel, one a worker.

    Args:
        release: The release.
        how: How to read.
        findings: Collects faults of folders and archives, damaged ones too.

    Raises:
        ReleaseError: An archive cannot be opened.
    """
    with_archives = [sources for sources in release.audio_sources if sources.archives]
    tasks = [_archive_task(sources, archive, how) for sources in with_archives for archive in sources.archives]
    read: list[tuple[Path, ArchiveIndex]] = []
    with tqdm(total=len(tasks), desc="archives", unit="archive", disable=not tasks) as progress:
        for task, index in run_tasks(read_archive, tasks, how.workers):
            read.append((task.spool or task.archive, index))
            progress.update()
    results = iter(read)
    indexes: Indexes = {}
    for sources in release.audio_sources:
        if sources.archives:
            parts = [next(results) for _ in sources.archives]
            indexes[sources.language, sources.kind] = index_archives(sources, parts, findings)
        elif sources.folder:
            indexes[sources.language, sources.kind] = index_folder(sources, findings)
    check_coverage(release, indexes, findings)
    return indexes


def check_coverage(release: Release, indexes: Indexes, findings: Findings) -> None:
    """Report languages and kinds of which so many recordings are missing that no fault of single turns explains it."""
    for (language, kind), index in indexes.items():
        turns = [
            (dialogue.number, turn)
            for dialogue in release.dialogues[language]
            for turn in dialogue.turns[int(kind == "user") :: 2]
        ]
        missing = sum(not index.candidates(number, turn) for number, turn in turns)
        if missing >= MUCH_MISSING and missing > MUCH_MISSING_SHARE * len(turns):
            place = Place(language, index.sources.place)
            findings.add("much_missing_audio", place, f"{missing:,} of {len(turns):,} turns")


def _archive_task(sources: AudioSources, archive: Path, how: AudioPass) -> ArchiveTask:
    """Return the task of an archive; its spool's name changes with the archive and with what is made of it."""
    if how.work is None:
        return ArchiveTask(archive, None, None, how.audio_format, how.checks)
    try:
        stat = archive.stat()
    except OSError as error:
        raise ReleaseError(f"{archive}: cannot be read ({error.strerror})") from error
    file = [os.fsencode(archive).hex(), stat.st_size, stat.st_mtime_ns]
    state = fingerprint([file, how.audio_format, how.checks, audio_tools()])[:16]
    stem = f"{sources.language}-{sources.kind}-{archive.name}-{state}"
    return ArchiveTask(archive, how.work / f"{stem}.spool", how.work / f"{stem}.json", how.audio_format, how.checks)


def audio_tools() -> list[str]:
    """Return versions of what decides the bytes of a processed recording; an ffmpeg that appears changes them too."""
    versions = [f"{name} {version(name)}" for name in ("pyarrow", "soundfile", "soxr")]
    return [VERSION, *versions, shutil.which("ffmpeg") or "no ffmpeg"]


def resolve_turns(release: Release, indexes: Indexes, language: str, kind: str) -> list[TurnRecording]:
    """Return the turns of a kind with their recordings, in the order of the list.

    Args:
        release: The release.
        indexes: Its recordings.
        language: ISO 639-3 code.
        kind: ``user`` or ``system``.
    """
    index = indexes.get((language, kind))
    parity = int(kind == "user")
    return [
        TurnRecording(dialogue, turn, index.resolve(dialogue.number, turn) if index else Resolved(None))
        for dialogue in release.dialogues[language]
        for turn in dialogue.turns[parity::2]
    ]


def report_recording(found: TurnRecording, processed: ProcessedAudio, findings: Findings) -> None:
    """Report the faults of one recording and of finding it."""
    for kind, detail in found.resolved.faults:
        findings.add(kind, found.place, detail)
    for kind, detail in zip(processed.faults, processed.details, strict=True):
        findings.add(kind, found.place, detail)
    if found.turn.role == USER and processed.duration_s is not None:
        report_take(found.turn, found.dialogue.language, processed.duration_s, findings, found.place)


def report_unused(indexes: Indexes, findings: Findings) -> None:
    """Report recordings that no turn points to, by kind and language."""
    for (language, _), index in indexes.items():
        place = Place(language, index.sources.place)
        if index.orphans():
            findings.add("orphan_audio", place, times=index.orphans())
        if index.unnamed:
            findings.add("orphan_audio", place, "names not of the documented form", index.unnamed)


@dataclass(frozen=True)
class InspectTask:
    """Files to process without keeping them."""

    files: tuple[Path, ...]
    checks: bool


def inspect_files(task: InspectTask) -> list[ProcessedAudio | None]:
    """Return what becomes of each file, without content; None for one that the disk would not give."""
    return [_inspect(file, task.checks) for file in task.files]


def _inspect(file: Path, checks: bool) -> ProcessedAudio | None:
    try:
        return replace(process_file(file, "wav", checks), content=None)
    except OSError:
        return None


def inspect_recordings(found: Sequence[TurnRecording], how: AudioPass, findings: Findings) -> list[ProcessedAudio]:
    """Process the recordings of turns without keeping them, and report their faults.

    Args:
        found: Turns with recordings or without.
        how: How to read.
        findings: Collects the faults.

    Returns:
        What became of the recordings that could be read.
    """
    files = [
        one.resolved.recording.path
        for one in found
        if one.resolved.recording is not None and one.resolved.recording.processed is None
    ]
    tasks = [
        InspectTask(tuple(files[start : start + INSPECTED_TOGETHER]), how.checks)
        for start in range(0, len(files), INSPECTED_TOGETHER)
    ]
    inspected: list[ProcessedAudio | None] = []
    with tqdm(total=len(files), desc="recordings", unit="file", disable=not files) as progress:
        for _, results in run_tasks(inspect_files, tasks, how.workers):
            inspected += results
            progress.update(len(results))
    pending = iter(inspected)
    kept = []
    for one in found:
        stored = one.resolved.recording
        if stored is None:
            for kind, detail in one.resolved.faults:
                findings.add(kind, one.place, detail)
            continue
        processed = stored.processed or next(pending)
        if processed is None:
            findings.add("unreadable_audio", one.place)
            continue
        report_recording(one, processed, findings)
        kept.append(processed)
    return kept
