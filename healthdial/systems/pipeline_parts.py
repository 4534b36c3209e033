"""The parts of a pipeline: which system stands in for each, and what it makes of a turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from healthdial.data import BuiltData
from healthdial.schema import CORPUS_SPLIT, TASK_PREFIX, data_location
from healthdial.systems.bm25_retriever import Bm25Retriever
from healthdial.systems.replies import floor_reply
from healthdial.systems.saved_answers import saved_answer, saved_answers
from hub.errors import BenchError
from hub.location import DataLocation
from metrics.lighteval_answers import RunAnswer
from metrics.yes_no import parse_yes_no

GOLD = "gold"
BUILT_IN: Mapping[str, tuple[str, ...]] = {
    "asr": (),
    "classify": ("always",),
    "retrieve": ("bm25",),
    "filter": ("top<k>",),
    "respond": ("lead",),
}
"""Part -> systems that are computed here; every part may also be ``gold`` or a run's folder."""

RUN_TASKS: Mapping[str, tuple[str, ...]] = {
    "asr": (f"{TASK_PREFIX}asr",),
    "classify": (f"{TASK_PREFIX}turn_classification",),
    "retrieve": (f"{TASK_PREFIX}retrieval", f"{TASK_PREFIX}speech_retrieval"),
    "filter": (f"{TASK_PREFIX}filtering",),
    "respond": (f"{TASK_PREFIX}response_generation",),
}
"""Part -> tasks whose runs can stand in for it."""


@dataclass(frozen=True)
class Turn:
    """A user turn of the task ``healthdial_pipeline``.

    Attributes:
        id: Id of its recording.
        answer_id: Id of the assistant turn after it.
        language: ISO 639-3 code.
        history: Role, utterance id and text of all turns up to this one, this one included.
        needs_retrieval: The label.
        gold: The full gold set.
        answer: The answer in the data.
    """

    id: str
    answer_id: str
    language: str
    history: tuple[tuple[str, str, str], ...]
    needs_retrieval: bool
    gold: tuple[str, ...]
    answer: str

    @classmethod
    def of(cls, specific: Mapping[str, Any], answer: str) -> Turn:
        """Return the turn of a document of the task."""
        return cls(
            id=specific["id"],
            answer_id=specific["answer_id"],
            language=specific["language"],
            history=tuple((role, name, text) for role, name, text in json.loads(specific["history"])),
            needs_retrieval=specific["needs_retrieval"] == "true",
            gold=tuple(json.loads(specific["gold"])),
            answer=answer,
        )


@dataclass(frozen=True)
class Parts:
    """The chosen system of every part.

    Attributes:
        chosen: Part, one of ``BUILT_IN`` -> ``gold``, the name of a built-in system, or the folder of a run; parts
            not named are ``gold``.

    Raises:
        BenchError: What is chosen is neither a system of the part nor a folder.
    """

    chosen: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part, choice in self.chosen.items():
            is_built_in = choice in BUILT_IN[part] or (part == "filter" and _top_count(choice) is not None)
            if choice != GOLD and not is_built_in and not Path(choice).expanduser().exists():
                known = ", ".join((GOLD, *BUILT_IN[part]))
                raise BenchError(f"pipeline: {part}:{choice} is neither one of {known} nor the folder of a run")

    def transcript(self, utterance_id: str, text: str, language: str) -> str:
        """Return what was heard of a user turn whose transcript is `text`."""
        choice = self._choice("asr")
        return text if choice == GOLD else self._required("asr", utterance_id, language).text

    def needs_retrieval(self, turn: Turn) -> bool:
        """Return whether knowledge is looked up; an answer that can't be read means yes, as upstream."""
        choice = self._choice("classify")
        if choice in (GOLD, "always"):
            return turn.needs_retrieval if choice == GOLD else True
        return parse_yes_no(self._required("classify", turn.answer_id, turn.language).text) is not False

    def rankings(self, turns: Sequence[Turn], queries: Sequence[str]) -> list[list[str]]:
        """Return what is retrieved for each turn; BM25 too where a run has no such query (see `PipelineModel`)."""
        choice = self._choice("retrieve")
        if choice == GOLD:
            return [list(turn.gold) for turn in turns]
        found = [None if choice == "bm25" else self._optional("retrieve", turn) for turn in turns]
        missing = [index for index, answer in enumerate(found) if answer is None]
        ranked = dict(zip(missing, _bm25([turns[at] for at in missing], [queries[at] for at in missing]), strict=True))
        return [ranked[index] if answer is None else answer.ranking() for index, answer in enumerate(found)]

    def selection(self, turn: Turn, retrieved: Sequence[str]) -> tuple[str, ...] | None:
        """Return which snippets are kept; None where a run's filter gave nothing that can be read."""
        choice = self._choice("filter")
        count = _top_count(choice)
        if count is not None:
            return tuple(retrieved[:count])
        if choice == GOLD:
            return tuple(one for one in retrieved if one in turn.gold)
        answer = self._optional("filter", turn)
        if answer is None:
            return ()
        selection = answer.selection()
        return selection.ids if selection.is_usable else None

    def response(self, turn: Turn, needs_retrieval: bool, selected: Sequence[str]) -> str:
        """Return what the assistant says."""
        choice = self._choice("respond")
        if choice == GOLD:
            return turn.answer
        if choice == "lead":
            contents = [_contents(data_location(), turn.language)[one] for one in selected]
            return floor_reply(contents, turn.language, needs_retrieval=needs_retrieval)
        return self._required("respond", turn.answer_id, turn.language).text

    def _choice(self, part: str) -> str:
        return self.chosen.get(part, GOLD)

    def _optional(self, part: str, turn: Turn) -> RunAnswer | None:
        """Return a run's answer to a user turn; None where such a run has no item: OOK turns, and small talk."""
        if turn.gold and turn.needs_retrieval:
            return self._required(part, turn.id, turn.language)
        return saved_answers(self._choice(part), RUN_TASKS[part], turn.language).by_id.get(turn.id)

    def _required(self, part: str, identifier: str, language: str) -> RunAnswer:
        return saved_answer(self._choice(part), RUN_TASKS[part], language, identifier)


def _top_count(choice: str) -> int | None:
    """Return k of ``top<k>``."""
    count = choice.removeprefix("top")
    return int(count) if choice != count and count.isascii() and count.isdecimal() else None


def _bm25(turns: Sequence[Turn], queries: Sequence[str]) -> list[list[str]]:
    """Return the BM25 ranking of each query, in the language of its turn."""
    rankings: list[list[str]] = [[] for _ in turns]
    for language in {turn.language for turn in turns}:
        positions = [index for index, turn in enumerate(turns) if turn.language == language]
        found = Bm25Retriever().rankings(language, [queries[index] for index in positions])
        for index, ranking in zip(positions, found, strict=True):
            rankings[index] = ranking
    return rankings


@lru_cache(maxsize=8)
def _contents(location: DataLocation, language: str) -> dict[str, str]:
    rows = BuiltData(location).rows(f"snippets_{language}", CORPUS_SPLIT)
    return {row["snippet_id"]: row["content"] for row in rows}
