"""What a user would write instead of ``healthdial build``: ``Dataset.from_generator``, then ``to_parquet``.

Run: ``python -m benchmarks.healthdial_plain RELEASE OUT PROCESSES``. Shards of 500 MB, recordings
as they come; no checks, splits, card or clean texts.
"""

from __future__ import annotations

import json
import shutil
import sys
import tarfile
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import datasets
from datasets import Audio, Dataset, Features, List, Value

from benchmarks.healthdial_files import DIALOGUE_LISTS
from benchmarks.healthdial_records import system_file_name

SHARD_BYTES = 500_000_000
BATCH_ROWS = 100
"""What ``datasets`` itself takes for a column of audio; its default of 1,000 rows would be half a gigabyte."""
FEATURES = Features(
    {
        # Encoding an Audio feature needs torchcodec even for bytes, so the column becomes Audio afterwards.
        "audio": {"bytes": Value("binary"), "path": Value("string")},
        "text": Value("string"),
        "transcription": Value("string"),
        "dialogue_id": Value("string"),
        "turn_index": Value("int32"),
        "needs_retrieval": Value("bool"),
        "out_of_knowledge": Value("bool"),
        "gold_snippet_ids": List(Value("string")),
    }
)

Row = dict[str, Any]


def turns(language: Path, parity: int) -> dict[str, Row]:
    """Return file name -> row without audio of the system (0) or user turns (1) of a language folder."""
    rows = {}
    for dialogue in json.loads((language / DIALOGUE_LISTS["hub"]).read_text(encoding="utf-8")):
        for index, turn in enumerate(dialogue["utterance"]):
            if index % 2 == parity:
                name = turn["audio_name"] if parity else system_file_name(dialogue["task_id"], index // 2)
                rows[name] = {
                    "text": turn["generated_text"],
                    "transcription": turn.get("annotated_transcription"),
                    "dialogue_id": dialogue["task_id"],
                    "turn_index": index,
                    "needs_retrieval": turn.get("need_retrieval"),
                    "out_of_knowledge": turn["out_of_knowledge"],
                    "gold_snippet_ids": [snippet["unique_identifier"] for snippet in turn.get("snippet", ())],
                }
    return rows


def generate(sources: list[Path], rows: dict[str, Row]) -> Iterator[Row]:
    """Yield the rows of recordings or of archives of recordings."""
    for source in sources:
        for name, content in recordings(source):
            yield {"audio": {"bytes": content, "path": name}, **rows[name]}


def recordings(source: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of a recording, or of those in an archive."""
    if source.suffix == ".wav":
        yield source.name, source.read_bytes()
        return
    with tarfile.open(source, "r|gz") as archive:
        for member in archive:
            if stream := archive.extractfile(member):
                yield member.name, stream.read()


def convert(task: tuple[Path, str, Path]) -> None:
    """Convert one kind of turns of one language; its Arrow cache is removed at once."""
    language, kind, out = task
    rows = turns(language, int(kind == "audio"))
    archives = sorted(language.glob(f"{kind}.part*.tar.gz"))
    cache = out / f".cache-{language.name}-{kind}"
    dataset = Dataset.from_generator(
        generate,
        features=FEATURES,
        cache_dir=str(cache),
        gen_kwargs={"sources": archives or [language / kind / name for name in rows], "rows": rows},
        writer_batch_size=BATCH_ROWS,
    ).cast_column("audio", Audio(16_000, decode=False))
    shards = dataset.data.nbytes // SHARD_BYTES + 1  # as push_to_hub chooses it
    for index in range(shards):
        name = f"{language.name}_{kind}-{index:05d}-of-{shards:05d}.parquet"
        dataset.shard(shards, index, contiguous=True).to_parquet(out / name)
    shutil.rmtree(cache)


def main() -> None:
    """Convert all turns, a data set a process.

    The ``num_proc`` of ``from_generator`` gives each of the eight data sets new processes and took twice as long.
    """
    release, out, processes = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    datasets.disable_progress_bars()
    out.mkdir(parents=True)
    languages = sorted(file.parent for file in release.glob(f"*/{DIALOGUE_LISTS['hub']}"))
    tasks = [(language, kind, out) for language in languages for kind in ("audio", "system_audio")]
    with get_context("fork").Pool(processes) as pool:
        pool.map(convert, tasks, chunksize=1)


if __name__ == "__main__":
    main()
