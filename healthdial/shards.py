"""Write one shard with audio: read or process its recordings, write row groups, remember that it is done."""

from __future__ import annotations

import errno
import json
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from healthdial.archives import MAX_MEMBER_BYTES, processed_from_json
from healthdial.audio import AudioFormat, ProcessedAudio, process_audio
from healthdial.parquet_files import ParquetFile, WrittenFile
from healthdial.recordings import StoredRecording
from healthdial.schema import AUDIO_ROW_GROUP
from healthdial.tables import Row, arrow_table
from hub.files import write_atomically

if TYPE_CHECKING:
    import pyarrow as pa

PLANNED_BYTES = 400 << 20
"""Audio planned for a shard, by the sizes of its files."""
MAX_FILE_BYTES = 450 << 20
"""Size after which a shard goes on in another file; a row group more stays under 500 MB for ordinary clips."""
GROUP_BYTES = 16 << 20
"""Audio after which a row group ends before it has its 50 rows."""

MISSING = ProcessedAudio(None, None, None, "missing", (), (), None, None)


@dataclass(frozen=True, slots=True)
class ShardRow:
    """One row of a shard.

    Attributes:
        row: Its columns but for the audio's.
        recording: The file, or None where there is none.
        is_suspect: Another take may have been meant.
    """

    row: Row
    recording: StoredRecording | None
    is_suspect: bool = False


@dataclass(frozen=True)
class ShardTask:
    """One shard to write.

    Attributes:
        config: Name of the config.
        split: Name of the split.
        index: Number of the shard in its split.
        rows: Its rows in order.
        out: The data set's folder.
        done: File that says that the shard is done, with its outcome.
        schema: The config's Arrow schema, serialized.
        audio_format: Format of the recordings in the shard.
        checks: Look for silence and clipping, and hash the samples.
    """

    config: str
    split: str
    index: int
    rows: tuple[ShardRow, ...]
    out: Path
    done: Path
    schema: bytes
    audio_format: AudioFormat
    checks: bool


@dataclass(frozen=True)
class ShardOutcome:
    """What became of a shard.

    Attributes:
        files: Parquet files in row order; empty where a recording could not be read.
        processed: What became of each row's recording, in the order of the task, without content.
        unreadable: Utterance ids of recordings that the disk would not give; then the shard is not done.
        was_done: It was finished by an earlier run.
    """

    files: tuple[WrittenFile, ...]
    processed: tuple[ProcessedAudio, ...]
    unreadable: tuple[str, ...] = ()
    was_done: bool = False


def plan_shards(rows: Sequence[ShardRow]) -> list[tuple[ShardRow, ...]]:
    """Cut rows into shards of at most ``PLANNED_BYTES`` of audio by the sizes of its files."""
    shards: list[list[ShardRow]] = []
    size = 0
    for row in rows:
        length = row.recording.length if row.recording else 0
        if not shards or size + length > PLANNED_BYTES:
            shards.append([])
            size = 0
        shards[-1].append(row)
        size += length
    return [tuple(shard) for shard in shards]


def write_shard(task: ShardTask) -> ShardOutcome:
    """Write a shard, or return the outcome of an earlier run that finished it.

    Raises:
        OSError: A file cannot be written, or a spool not be read.
    """
    earlier = _earlier_outcome(task)
    if earlier is not None:
        return earlier
    import pyarrow as pa

    schema = pa.ipc.read_schema(pa.py_buffer(task.schema))
    files: list[WrittenFile] = []
    processed: list[ProcessedAudio] = []
    unreadable: list[str] = []
    with ExitStack() as stack:
        current: ParquetFile | None = None
        for group in _groups(task, processed, unreadable):
            if current is not None and current.size > MAX_FILE_BYTES:
                files.append(current.finish())
                current = None
            if current is None:
                current = stack.enter_context(ParquetFile(task.out, _stem(task, len(files)), schema))
            current.write(_group_table(group, task, schema))
        if current is not None and not unreadable:
            files.append(current.finish())
    if unreadable:
        for file in files:
            (task.out / file.file).unlink()
        return ShardOutcome((), tuple(processed), tuple(unreadable))
    outcome = ShardOutcome(tuple(files), tuple(processed))
    write_atomically(task.done, json.dumps(asdict(outcome)).encode("utf-8"))
    return outcome


def _stem(task: ShardTask, files_before: int) -> str:
    more = f"-{files_before}" if files_before else ""
    return f"data/{task.config}/{task.split}-{task.index:05d}{more}"


def _earlier_outcome(task: ShardTask) -> ShardOutcome | None:
    """Return the outcome of a finished shard whose files are all there, or None."""
    if not task.done.is_file():
        return None
    value = json.loads(task.done.read_text(encoding="utf-8"))
    files = tuple(WrittenFile(**file) for file in value["files"])
    for file in files:
        place = task.out / file.file
        if not place.is_file() or place.stat().st_size != file.file_bytes:
            return None
    return ShardOutcome(files, tuple(processed_from_json(one) for one in value["processed"]), was_done=True)


def _groups(
    task: ShardTask, processed: list[ProcessedAudio], unreadable: list[str]
) -> Iterator[list[tuple[Row, ProcessedAudio]]]:
    """Yield row groups with their audio; what became of each recording is appended to ``processed``."""
    group: list[tuple[Row, ProcessedAudio]] = []
    size, is_first = 0, task.index == 0
    with ExitStack() as stack:
        spools: dict[Path, Any] = {}
        for shard_row in task.rows:
            stored = shard_row.recording
            if stored is not None and stored.processed is not None and stored.path not in spools:
                spools[stored.path] = stack.enter_context(stored.path.open("rb"))
            audio = _recording(shard_row, task, spools, unreadable)
            processed.append(replace(audio, content=None))
            group.append((shard_row.row, audio))
            size += len(audio.content or b"")
            if len(group) == AUDIO_ROW_GROUP or size >= GROUP_BYTES:
                yield _fractional_first(group) if is_first else group
                group, size, is_first = [], 0, False
    if group:
        yield _fractional_first(group) if is_first else group


def _recording(shard_row: ShardRow, task: ShardTask, spools: dict[Path, Any], unreadable: list[str]) -> ProcessedAudio:
    """Return a row's recording in its final form."""
    stored = shard_row.recording
    if stored is None:
        return MISSING
    if stored.processed is not None:
        spool = spools[stored.path]
        spool.seek(stored.offset)
        processed = replace(stored.processed, content=spool.read(stored.length) or None)
    else:
        try:
            processed = process_file(stored.path, task.audio_format, task.checks)
        except OSError:
            unreadable.append(shard_row.row["utterance_id"])
            return MISSING
    if shard_row.is_suspect and processed.content is not None:
        return replace(processed, status="suspect")
    return processed


def process_file(file: Path, audio_format: AudioFormat, checks: bool) -> ProcessedAudio:
    """Return an unpacked recording in its final form.

    Raises:
        OSError: The file cannot be read.
    """
    container = file.suffix.lower().removeprefix(".")
    state = file.stat()
    if not stat.S_ISREG(state.st_mode):
        # A pipe or device could be read for ever.
        raise OSError(errno.EINVAL, "not a regular file")
    if state.st_size > MAX_MEMBER_BYTES:
        detail = f"larger than {MAX_MEMBER_BYTES >> 20} MiB"
        return ProcessedAudio(None, None, None, "undecodable", ("undecodable",), (detail,), None, None)
    return process_audio(file.read_bytes(), audio_format=audio_format, checks=checks, expected_container=container)


def _fractional_first(group: list[tuple[Row, ProcessedAudio]]) -> list[tuple[Row, ProcessedAudio]]:
    """Return a split's first row group with a clip of fractional length first.

    The viewer drops the statistics of a split whose first clip lasts a whole number of seconds and later ones do not.
    """
    clips = [index for index, (_, audio) in enumerate(group) if audio.duration_s is not None]
    fractional = [index for index in clips if (group[index][1].duration_s or 0.0) % 1]
    if not fractional or fractional[0] == clips[0]:
        return group
    first = fractional[0]
    return [group[first], *group[:first], *group[first + 1 :]]


def _group_table(group: list[tuple[Row, ProcessedAudio]], task: ShardTask, schema: pa.Schema) -> pa.Table:
    rows = [
        {
            **row,
            "audio": None
            if audio.content is None
            else {"bytes": audio.content, "path": f"{row['utterance_id']}.{task.audio_format}"},
            "duration_s": audio.duration_s,
            "audio_sha256": audio.sample_sha256,
            "audio_status": audio.status,
        }
        for row, audio in group
    ]
    return arrow_table(rows, task.config, schema)
