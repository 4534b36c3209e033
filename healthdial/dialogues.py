"""Dialogues of one language: records to typed turns, with every check of their structure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from healthdial.findings import Findings, Place
from healthdial.flags import read_flag
from healthdial.gold import read_gold
from healthdial.knowledge import KnowledgeBase
from healthdial.languages import LANGUAGES, language_code
from healthdial.recording_names import AUDIO_SUFFIXES, RecordingName, parse_recording_name, parse_task_id
from healthdial.speakers import is_personal, is_plain
from healthdial.texts import masked_contacts, note_characters, text_or_none

FILE = "dialogues"
ASSISTANT, USER = "assistant", "user"
ROLES = {"assistant": ASSISTANT, "user": USER, "patient": USER}
"""Role names of the release and of the annotation tool, in lower case."""

DOCUMENTED_KEYS = frozenset(
    {"task_id", "language", "utterance", "role", "generated_text", "instruction", "out_of_knowledge", "snippet"}
    | {"annotated_transcription", "annotated_asr_result", "audio_name", "need_retrieval", "in_knowledge"}
)
"""Keys of dialogues and utterances that are read; any other is counted, and its value never looked at."""

_ORGANISATION = re.compile(r"\b(?!AI\b|OK\b|FAQ\b|IA\b)[A-Z]{2,6}\b")


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance.

    Attributes:
        index: 0-based utterance index in the dialogue; even for the assistant.
        role: ``assistant`` or ``user``.
        text: Generated text: what the assistant says, or the written alternative of a user turn.
        transcription: Human transcript of a user turn.
        asr_whisper1: The first ASR result of a user turn.
        prompt: Improvisational prompt of a user turn.
        needs_retrieval: Label of an assistant turn.
        out_of_knowledge: The turn's own mark.
        in_knowledge: False where the release says so.
        gold_snippet_ids: Gold snippets of an assistant turn, of the knowledge base and language.
        recording: Name of the recording that the record points to, if any.
    """

    index: int
    role: str
    text: str | None
    transcription: str | None = None
    asr_whisper1: str | None = None
    prompt: str | None = None
    needs_retrieval: bool = False
    out_of_knowledge: bool = False
    in_knowledge: bool = True
    gold_snippet_ids: tuple[str, ...] = ()
    recording: RecordingName | None = None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue.

    Attributes:
        language: ISO 639-3 code.
        number: The number in its task id; the same in all languages.
        position: 0-based position in the release's list, which decides the split.
        turns: Its utterances, from the assistant's opening on.
    """

    language: str
    number: int
    position: int
    turns: tuple[Turn, ...]

    @property
    def id(self) -> str:
        """``eng-0050``."""
        return f"{self.language}-{self.number:04d}"

    def utterance_id(self, index: int) -> str:
        """Return the id of an utterance: ``eng-0050-u03``, ``eng-0050-s04``."""
        return f"{self.id}-{'us'[index % 2 == 0]}{index:02d}"

    @property
    def user_turns(self) -> list[Turn]:
        """Its user turns."""
        return [turn for turn in self.turns if turn.role == USER]

    def answer(self, turn: Turn) -> Turn | None:
        """Return the assistant turn after a user turn; None at the end."""
        return self.turns[turn.index + 1] if turn.index + 1 < len(self.turns) else None


@dataclass
class DialogueReader:
    """Reads the dialogues of one language.

    Attributes:
        language: ISO 639-3 code.
        knowledge: The knowledge base.
        knowledge_records: Snippet id -> record of the knowledge base, to compare copies with.
        findings: Collects every fault.
        keep_contacts: Leave e-mail addresses and telephone numbers in human texts.
        keys: Counts of (role or "dialogue", key) over the records, for the audit.
    """

    language: str
    knowledge: KnowledgeBase
    knowledge_records: Mapping[str, Any]
    findings: Findings
    keep_contacts: bool = False
    keys: Counter[tuple[str, str]] = field(default_factory=Counter)

    def read(self, records: list[Any]) -> list[Dialogue]:
        """Return the dialogues of a parsed list; what cannot be one is left out and reported."""
        dialogues: dict[int, Dialogue] = {}
        for position, record in enumerate(records):
            dialogue = self._dialogue(record, position)
            if dialogue is None:
                continue
            if dialogue.number in dialogues:
                self.findings.add("repeated_task_id", self._place(dialogue.number), f"position {position}")
                continue
            dialogues[dialogue.number] = dialogue
        return list(dialogues.values())

    def _place(self, number: int, utterance: int | None = None) -> Place:
        return Place(self.language, FILE, f"{LANGUAGES[self.language].release_code}_{number}", utterance)

    def _dialogue(self, record: Any, position: int) -> Dialogue | None:
        place = Place(self.language, FILE, f"position {position}")
        utterances = record.get("utterance") if isinstance(record, dict) else None
        if not isinstance(utterances, list) or not utterances:
            self.findings.add("bad_record", place, "no list `utterance`")
            return None
        self._count_keys("dialogue", record, place)
        task = parse_task_id(record.get("task_id"))
        if task is None:
            self.findings.add("missing_task_id", place)
            return None
        code, number = task
        said = language_code(record.get("language", code))
        if self.language not in (code, said):
            self.findings.add("misfiled_dialogue", place, f"task id {code}, language {said or 'unknown'}")
            return None
        if {code, said} != {self.language}:
            self.findings.add(
                "language_mismatch", self._place(number), f"task id {code}, language {said or 'unknown'}"
            )
        roles = self._roles(utterances, number)
        if any(role != (ASSISTANT, USER)[index % 2] for index, role in enumerate(roles)):
            self.findings.add("not_alternating", self._place(number))
            return None
        turns = tuple(self._turn(utterance, index, number) for index, utterance in enumerate(utterances))
        self._check_dialogue(turns, number)
        return Dialogue(self.language, number, position, turns)

    def _roles(self, utterances: list[Any], number: int) -> list[str | None]:
        """Return the role of every utterance, None where there is none."""
        roles = []
        for index, utterance in enumerate(utterances):
            value = utterance.get("role") if isinstance(utterance, dict) else None
            role = ROLES.get(value.strip().lower()) if isinstance(value, str) else None
            if role is not None and value != role:
                self.findings.add("tool_role", self._place(number, index))
            roles.append(role)
        return roles

    def _turn(self, record: dict[str, Any], index: int, number: int) -> Turn:
        place = self._place(number, index)
        role = (ASSISTANT, USER)[index % 2]
        self._count_keys(role, record, place)
        text = text_or_none(record.get("generated_text"), self.findings, place, "generated_text")
        out_of_knowledge = read_flag(record.get("out_of_knowledge"), self.findings, place, "out_of_knowledge")
        recording = self._recording(record, role, number, place)
        if role == USER:
            return Turn(
                index,
                role,
                text,
                transcription=self._transcription(record, place),
                asr_whisper1=self._asr_result(record, place),
                prompt=text_or_none(record.get("instruction"), self.findings, place, "instruction"),
                out_of_knowledge=out_of_knowledge,
                recording=recording,
            )
        if index == 0 and text and _ORGANISATION.search(text):
            self.findings.add("opening_with_name", place)
        if record.get("need_retrieval") is None:
            self.findings.add("need_retrieval_absent", place)
        return Turn(
            index,
            role,
            text,
            needs_retrieval=read_flag(record.get("need_retrieval"), self.findings, place, "need_retrieval"),
            out_of_knowledge=out_of_knowledge,
            in_knowledge=read_flag(record.get("in_knowledge"), self.findings, place, "in_knowledge", default=True),
            gold_snippet_ids=read_gold(
                record.get("snippet"), self.language, self.knowledge, self.knowledge_records, self.findings, place
            ),
            recording=recording,
        )

    def _transcription(self, record: dict[str, Any], place: Place) -> str | None:
        text = text_or_none(record.get("annotated_transcription"), self.findings, place, "annotated_transcription")
        if text is None:
            return None
        note_characters(text, self.language, self.findings, place)
        return masked_contacts(text, self.findings, place, keep=self.keep_contacts)

    def _asr_result(self, record: dict[str, Any], place: Place) -> str | None:
        value = record.get("annotated_asr_result")
        if value is None:
            self.findings.add("missing_asr_result", place)
            return None
        text = text_or_none(value, self.findings, place, "annotated_asr_result")
        return None if text is None else masked_contacts(text, self.findings, place, keep=self.keep_contacts)

    def _recording(self, record: dict[str, Any], role: str, number: int, place: Place) -> RecordingName | None:
        """Return the recording that a record points to, if it is one of this dialogue."""
        value = record.get("audio_name") if role == USER else _audio_value(record)
        if value is None and role == ASSISTANT:
            return None
        name = parse_recording_name(value.rsplit("/", 1)[-1]) if isinstance(value, str) else None
        if name is None or (name.language, name.number) != (self.language, number):
            self.findings.add("audio_name", place, "absent" if value is None else "")
            return None
        if name.is_final:
            self.findings.add("final_prefix", place)
        expected = (place.utterance or 0) // 2
        if name.index != expected:
            self.findings.add("audio_index", place, f"{name.index} instead of {expected}")
        return name

    def _check_dialogue(self, turns: tuple[Turn, ...], number: int) -> None:
        """Report the dialogue's illegal states."""
        if turns[-1].role == USER:
            self.findings.add("trailing_user_turn", self._place(number, turns[-1].index))
        for question, answer in zip(turns[1::2], turns[2::2], strict=False):
            if question.out_of_knowledge != answer.out_of_knowledge:
                self.findings.add("ook_mismatch", self._place(number, answer.index))
        for turn in turns[::2]:
            for kind in _illegal_states(turn):
                self.findings.add(kind, self._place(number, turn.index))
        accounts = {turn.recording.prefix for turn in turns[1::2] if turn.recording}
        if len(accounts) > 1:
            self.findings.add("several_speakers", self._place(number), f"{len(accounts)} accounts")

    def _count_keys(self, role: str, record: dict[str, Any], place: Place) -> None:
        """Count the keys of a record; the values of personal ones are never looked at."""
        for key in record:
            self.keys[role, key] += 1
            if key not in DOCUMENTED_KEYS and is_personal(key):
                self.findings.add("personal_field", place, key if is_plain(key) else "")


def _illegal_states(turn: Turn) -> list[str]:
    """Return the kinds of fault of an assistant turn's labels: only three states are legal."""
    has_gold, needs, ook = bool(turn.gold_snippet_ids), turn.needs_retrieval, turn.out_of_knowledge
    states = {
        "snippets_without_retrieval": has_gold and not needs,
        "retrieval_without_snippets": needs and not has_gold and not ook,
        "ook_with_snippets": ook and has_gold,
        "ook_without_retrieval": ook and not needs,
        "not_in_knowledge": not turn.in_knowledge,
    }
    return [kind for kind, holds in states.items() if holds]


def _audio_value(record: dict[str, Any]) -> str | None:
    """Return the first value of an assistant record that looks like the name of a recording."""
    values = (value for value in record.values() if isinstance(value, str))
    return next((value for value in values if value.lower().endswith(AUDIO_SUFFIXES) and " " not in value), None)
