"""The configs with audio: rows and recordings to shards, in parallel, with what became of every recording."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from healthdial.audio import ProcessedAudio
from healthdial.audio_pass import AudioPass, Indexes, TurnRecording, audio_tools, report_recording, resolve_turns
from healthdial.dialogues import Dialogue, Turn
from healthdial.findings import Findings
from healthdial.parallel import run_tasks
from healthdial.parquet_files import WrittenFile
from healthdial.release import Release, recorded_accounts
from healthdial.rows import system_turn_row, user_turn_row
from healthdial.schema import SPLITS, BuiltConfig, BuiltSplit, features_of
from healthdial.shards import ShardOutcome, ShardRow, ShardTask, plan_shards, write_shard
from healthdial.speakers import Publication, Speaker
from healthdial.tables import Row
from hub.errors import ReleaseError
from hub.fingerprint import fingerprint


@dataclass
class AudioConfigs:
    """The built configs with audio.

    Attributes:
        configs: What lies on disk.
        rows: Config -> split -> rows, without the audio itself.
        shards_kept: Shards that an earlier run had finished.
    """

    configs: list[BuiltConfig] = field(default_factory=list)
    rows: dict[str, dict[str, list[Row]]] = field(default_factory=dict)
    shards_kept: int = 0

    def hours(self) -> dict[str, float]:
        """Return hours of ``user`` and ``system`` speech over all languages."""
        hours = {"user": 0.0, "system": 0.0}
        for config, splits in self.rows.items():
            for rows in splits.values():
                hours[config.split("_")[0]] += sum(row["duration_s"] or 0.0 for row in rows) / 3600
        return hours


@dataclass(frozen=True)
class _Part:
    """One split of one config: its turns and the shards they go to."""

    config: str
    split: str
    found: list[TurnRecording]
    tasks: list[ShardTask]


def write_audio_configs(
    release: Release, indexes: Indexes, publication: Publication, out: Path, how: AudioPass
) -> AudioConfigs:
    """Write ``user_turns_*`` and ``system_turns_*``.

    Args:
        release: The release.
        indexes: Its recordings.
        publication: What may be said of its speakers.
        out: The data set's folder.
        how: How recordings are kept; its work folder remembers finished shards.

    Raises:
        ReleaseError: Some recordings could not be read from disk; all other shards are finished and kept.
        OSError: A shard cannot be written.
    """
    parts = [
        _plan(release, publication, out, how, f"{kind}_turns_{language}", split, found)
        for kind in ("user", "system")
        for language in release.languages
        for split, found in _by_split(release, indexes, language, kind).items()
    ]
    outcomes = _run([task for part in parts for task in part.tasks], how.workers)
    built = AudioConfigs(shards_kept=sum(outcome.was_done for outcome in outcomes))
    _stop_on_unreadable(outcomes, release.findings)
    remaining = iter(outcomes)
    splits: dict[str, list[BuiltSplit]] = {}
    for part in parts:
        own = [next(remaining) for _ in part.tasks]
        processed = [one for outcome in own for one in outcome.processed]
        rows = [shard_row.row for task in part.tasks for shard_row in task.rows]
        for found, audio, row in zip(part.found, processed, rows, strict=True):
            _report(found, audio, indexes, release.findings)
            row |= {
                "duration_s": audio.duration_s,
                "audio_sha256": audio.sample_sha256,
                "audio_status": audio.status,
            }
        if rows:
            built.rows.setdefault(part.config, {})[part.split] = rows
            files = [file for outcome in own for file in outcome.files]
            splits.setdefault(part.config, []).append(built_split(part.split, files))
    built.configs = [
        BuiltConfig(config, tuple(found), features_of(config)._to_yaml_list()) for config, found in splits.items()
    ]
    return built


def built_split(split: str, files: Sequence[WrittenFile]) -> BuiltSplit:
    """Return what the card needs to know of a split's files."""
    return BuiltSplit(
        split,
        tuple(file.file for file in files),
        sum(file.rows for file in files),
        sum(file.file_bytes for file in files),
        sum(file.table_bytes for file in files),
    )


def dialogue_speaker(dialogue: Dialogue, publication: Publication) -> Speaker | None:
    """Return the speaker of a dialogue, or None if its recordings name none or several."""
    accounts = recorded_accounts([dialogue])
    return publication.speakers.get((dialogue.language, accounts[0])) if len(accounts) == 1 else None


def turn_speaker(dialogue: Dialogue, turn: Turn, publication: Publication) -> Speaker | None:
    """Return the speaker of a user turn: the one its recording names, else the dialogue's."""
    if turn.recording and turn.recording.prefix:
        return publication.speakers.get((dialogue.language, turn.recording.prefix))
    return dialogue_speaker(dialogue, publication)


def _by_split(release: Release, indexes: Indexes, language: str, kind: str) -> dict[str, list[TurnRecording]]:
    """Return the turns of each split, resolved once for all: a recording met again is a shared one."""
    found: dict[str, list[TurnRecording]] = {split: [] for split in SPLITS}
    for one in resolve_turns(release, indexes, language, kind):
        found[release.splits.split_of[one.dialogue.id]].append(one)
    return found


def _plan(
    release: Release,
    publication: Publication,
    out: Path,
    how: AudioPass,
    config: str,
    split: str,
    found: list[TurnRecording],
) -> _Part:
    """Return the turns of a split with the shards they go to."""
    kind = config.split("_")[0]
    rows = [
        ShardRow(_row(one, kind, release, publication), one.resolved.recording, one.resolved.is_suspect)
        for one in found
    ]
    schema = features_of(config).arrow_schema.serialize().to_pybytes()
    assert how.work is not None
    tasks = [
        ShardTask(
            config,
            split,
            index,
            shard,
            out,
            how.work / f"{config}-{split}-{index:05d}-{_state(shard, how)}.json",
            schema,
            how.audio_format,
            how.checks,
        )
        for index, shard in enumerate(plan_shards(rows))
    ]
    return _Part(config, split, found, tasks)


def _row(found: TurnRecording, kind: str, release: Release, publication: Publication) -> Row:
    if kind == "system":
        return system_turn_row(found.dialogue, found.turn, release.knowledge)
    speaker = turn_speaker(found.dialogue, found.turn, publication)
    voice_source = "synthetic" if release.is_sample else "human"
    return user_turn_row(found.dialogue, found.turn, release.knowledge, speaker, voice_source)


def _state(shard: Sequence[ShardRow], how: AudioPass) -> str:
    """Return a fingerprint of all that decides a shard's bytes: a build never goes on from one of other input."""
    files = [
        [os.fsencode(one.path).hex(), one.offset, one.length, one.modified_ns, one.raw_sha256]
        if (one := shard_row.recording)
        else None
        for shard_row in shard
    ]
    rows = [[shard_row.row, shard_row.is_suspect] for shard_row in shard]
    return fingerprint([rows, files, how.audio_format, how.checks, audio_tools()])[:16]


def _run(tasks: list[ShardTask], workers: int) -> list[ShardOutcome]:
    outcomes = []
    rows = sum(len(task.rows) for task in tasks)
    with tqdm(total=rows, desc="shards", unit="row", disable=not rows) as progress:
        for task, outcome in run_tasks(write_shard, tasks, workers):
            outcomes.append(outcome)
            progress.update(len(task.rows))
    return outcomes


def _stop_on_unreadable(outcomes: Sequence[ShardOutcome], findings: Findings) -> None:
    unreadable = [utterance for outcome in outcomes for utterance in outcome.unreadable]
    if unreadable:
        more = f" and {len(unreadable) - 5} more" if len(unreadable) > 5 else ""
        raise ReleaseError(
            f"recordings that cannot be read from disk: {', '.join(unreadable[:5])}{more}. Repair or remove these "
            "files and run the same command again: finished shards are kept."
        )


def _report(found: TurnRecording, audio: ProcessedAudio, indexes: Indexes, findings: Findings) -> None:
    """Report a recording's faults; where a kind has no files at all, one finding says so for all its turns."""
    kind = "user" if found.turn.index % 2 else "system"
    if (found.dialogue.language, kind) in indexes:
        report_recording(found, audio, findings)
