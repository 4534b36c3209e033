"""Transcribe the user turns that documents name: what all speech recognisers of the benchmark share."""

from __future__ import annotations

from collections import defaultdict

from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData, decoded
from healthdial.schema import data_location
from healthdial.systems.corpus import documents_by_language
from healthdial.systems.recognition import Recognizer

SPLIT = "test"


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
        for utterance_id, text in recognizer.transcribe_each(read, language):
            for position in of_id[utterance_id]:
                texts[position] = text
    return texts
