"""The utterances of a dialogue up to a query: what retrievers by speech and by transcript search with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from healthdial.data import BuiltData
from healthdial.schema import data_location
from hub.errors import BenchError
from hub.location import DataLocation

SPLIT = "test"


@dataclass(frozen=True)
class Utterance:
    """An utterance of a dialogue.

    Attributes:
        utterance_id: Its id; a query has the id of the user turn that it ends with.
        is_user: Whether the user says it.
        text: What is said, the transcript for a user turn; None where the release has none.
    """

    utterance_id: str
    is_user: bool
    text: str | None


def dialogues_of(language: str) -> dict[str, tuple[Utterance, ...]]:
    """Return dialogue id -> all its utterances in order, of the test dialogues of a language."""
    return _dialogues(data_location(), language)


@lru_cache(maxsize=8)
def _dialogues(location: DataLocation, language: str) -> dict[str, tuple[Utterance, ...]]:
    return {
        row["dialogue_id"]: tuple(
            Utterance(turn["utterance_id"], turn["role"] == "user", turn["text"]) for turn in row["turns"]
        )
        for row in BuiltData(location).rows(f"dialogues_{language}", SPLIT)
    }


def history(language: str, dialogue_id: str, query_id: str) -> tuple[Utterance, ...]:
    """Return the utterances of a dialogue from its opening to the user turn of a query.

    Raises:
        BenchError: The data set has no such turn.
    """
    utterances = dialogues_of(language).get(dialogue_id, ())
    ids = [utterance.utterance_id for utterance in utterances]
    if query_id not in ids:
        raise BenchError(f"{data_location().path}: dialogues_{language} has no turn {query_id}; build the data again")
    return utterances[: ids.index(query_id) + 1]
