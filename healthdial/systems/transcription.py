"""Transcribe the user turns that documents name: what all speech recognisers of the benchmark share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from lighteval.tasks.requests import Doc

from healthdial.audio import SAMPLE_RATE
from healthdial.data import BuiltData, decoded
from healthdial.schema import data_location
from healthdial.systems.corpus import documents_by_language
from healthdial.systems.recognition import Recognizer, Samples

SPLIT = "test"
POOLED_BATCHES = 16
"""Batches' worth of speech that is held in memory and sorted by duration at a time."""


def transcribed(recognizer: Recognizer, docs: list[Doc]) -> list[str]:
    """Return the transcript of the recording of each document, read by ``specific["id"]`` from the built data set.

    A turn whose recording is missing or could not be decoded has an empty transcript.
    """
    data = BuiltData(data_location())
    texts = [""] * len(docs)
    for language, positions in documents_by_language(docs).items():
        of_id: dict[str, list[int]] = defaultdict(list)
        for position in positions:
            of_id[(docs[position].specific or {})["id"]].append(position)
        recordings = data.recordings(f"user_turns_{language}", SPLIT, of_id.keys())
        read = ((utterance_id, decoded(content)) for utterance_id, content in recordings)
        for pool in _pools(read, recognizer.batch_seconds * POOLED_BATCHES):
            answers = recognizer.transcribe([samples for _, samples in pool], language)
            for (utterance_id, _), text in zip(pool, answers, strict=True):
                for position in of_id[utterance_id]:
                    texts[position] = text
    return texts


def _pools(recordings: Iterable[tuple[str, Samples]], seconds: float) -> Iterator[list[tuple[str, Samples]]]:
    """Yield recordings in lists of at most so many seconds, or of one."""
    pool: list[tuple[str, Samples]] = []
    left = seconds
    for utterance_id, samples in recordings:
        left -= len(samples) / SAMPLE_RATE
        if pool and left < 0:
            yield pool
            pool, left = [], seconds - len(samples) / SAMPLE_RATE
        pool.append((utterance_id, samples))
    if pool:
        yield pool
