"""What a report looks up in the built data set: who spoke a turn, what was said, and the snippets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from healthdial.data import BuiltData
from healthdial.report.results import Item, ResultsError
from healthdial.schema import CORPUS_SPLIT, SPEAKERS_SPLIT, check_built
from healthdial.speakers import FIELDS_GIVEN_UP
from hub.location import DataLocation, DataNotBuiltError

FIELDS = ("gender", "age_group", "language_variety", "education")
SPLIT = "test"


@dataclass(frozen=True)
class Turn:
    """A user turn of the data set.

    Attributes:
        speaker_id: Opaque id of the speaker.
        groups: Field -> group of the speaker; None if unknown or not published.
        text: What was said; None where there is no transcript.
        has_recording: Whether the data set has a recording of it.
    """

    speaker_id: str
    groups: Mapping[str, str | None]
    text: str | None
    has_recording: bool


@dataclass(frozen=True)
class Context:
    """The parts of the data set that a report needs; empty where the data set is not at hand.

    Attributes:
        turns: Id of a user turn -> turn.
        titles: Snippet id -> topic and title.
        corpus_sizes: Language -> snippets that retrieval ranks.
        not_published: Language -> fields that no speaker has.
        missing: Why there is nothing; empty if there is.
    """

    turns: Mapping[str, Turn] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    corpus_sizes: Mapping[str, int] = field(default_factory=dict)
    not_published: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missing: str = ""

    def turn_of(self, item: Item) -> Turn | None:
        """Return the user turn that an item is about; for turn classification, the one before the system's turn.

        None for openings, and where the data set is not at hand.

        Raises:
            ResultsError: The data set has no such turn.
        """
        if self.missing:
            return None
        turn = self.turns.get(item.item_id)
        if turn is not None or item.specific.get("is_opening") == "true":
            return turn
        before = f"{item.dialogue_id}-u{item.turn_index - 1:02d}"
        if before not in self.turns:
            raise ResultsError(
                f"{item.item_id} is in the results but not in the data set; give the data set of the runs with --data"
            )
        return self.turns[before]

    def count_without_recording(self, turn_ids: Iterable[str]) -> int | None:
        """Return how many user turns have no recording; None where the data set is not at hand."""
        if self.missing:
            return None
        turns = [self.turns[one] for one in turn_ids if one in self.turns]
        return sum(not turn.has_recording for turn in turns)


def read_context(location: DataLocation, origin: str, languages: list[str]) -> Context:
    """Read what a report needs of the data set.

    Args:
        location: Where the data set lies.
        origin: Origin of the results.
        languages: ISO 639-3 codes of the results.

    Raises:
        ResultsError: It is another data set than that of the results.
    """
    try:
        check_built(location)
    except DataNotBuiltError:
        return Context(missing=f"there is no built data set at {location.path}; give it with --data")
    data = BuiltData(location)
    if data.origin != origin:
        raise ResultsError(
            f"the results are on data from {origin} but {location.path} is from {data.origin}; give the data set of "
            "the runs with --data"
        )
    turns = {
        row["utterance_id"]: Turn(
            row["speaker_id"],
            {name: row[name] for name in FIELDS},
            row["transcription"],
            has_recording=row["duration_s"] is not None,
        )
        for language in languages
        for row in data.rows(f"user_turns_{language}", SPLIT)
    }
    snippets = {language: data.rows(f"snippets_{language}", CORPUS_SPLIT) for language in languages}
    return Context(
        turns=turns,
        titles={row["snippet_id"]: f"{row['topic']}: {row['title']}" for rows in snippets.values() for row in rows},
        corpus_sizes={language: sum(row["is_parallel"] for row in rows) for language, rows in snippets.items()},
        not_published=_not_published(data),
    )


def _not_published(data: BuiltData) -> dict[str, tuple[str, ...]]:
    """Return language -> fields that are null for all its speakers."""
    published: dict[str, set[str]] = defaultdict(set)
    for speaker in data.rows("speakers", SPEAKERS_SPLIT):
        published[speaker["language"]] |= {name for name in FIELDS_GIVEN_UP if speaker[name] is not None}
    return {
        language: tuple(name for name in FIELDS_GIVEN_UP if name not in known) for language, known in published.items()
    }
