"""Count what the rows hold, by language: turns, hours, labels, speakers and their groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from healthdial.languages import LANGUAGES
from healthdial.schema import SPLITS
from healthdial.speakers import AGE_GROUPS, EDUCATION_LEVELS, GENDERS
from healthdial.tokenization import word_tokenizer
from healthdial.word_statistics import WordStatistics, WordTokenizer, describe_words

Row = Mapping[str, Any]
Rows = Mapping[str, Mapping[str, Sequence[Row]]]
"""Config name -> split -> rows: plain records with the schema's columns but ``audio``, class labels as their names."""

NOT_GIVEN = "not given"
DEMOGRAPHICS: dict[str, tuple[str, ...]] = {
    "gender": tuple(GENDERS),
    "age_group": tuple(AGE_GROUPS),
    "education": tuple(EDUCATION_LEVELS),
    "language_variety": (),
}
"""Demographic columns -> the order of their values; values that are not in it follow by name, nulls come last."""


@dataclass(frozen=True)
class TurnCounts:
    """Turns, by what may be called a turn.

    Attributes:
        user: User turns.
        system: System turns, the opening counted.
        answers: System turns without the opening: exchanges of a user turn and its answer.
    """

    user: int
    system: int
    answers: int

    @property
    def utterances(self) -> int:
        """User and system turns together."""
        return self.user + self.system


@dataclass(frozen=True)
class SpeakerGroup:
    """The speakers of one language with the same value of one demographic column.

    Attributes:
        value: The value, or ``NOT_GIVEN``.
        speakers: Speakers with at least one user turn.
        user_turns: Their user turns.
        hours: Hours of their recordings; None without audio.
        speaker_share: Share of the language's speakers (0 to 1).
        turn_share: Share of its user turns.
        hour_share: Share of its hours; None without audio.
    """

    value: str
    speakers: int
    user_turns: int
    hours: float | None
    speaker_share: float
    turn_share: float
    hour_share: float | None


@dataclass(frozen=True)
class LanguageStatistics:
    """Counts of one language.

    Attributes:
        language: ISO 639-3 code.
        dialogues: Split -> dialogues.
        turns: Turns by definition.
        user_hours: Hours of user recordings; None without audio.
        system_hours: Hours of system recordings; None without audio.
        retrieval_share: Share of system turns that need retrieval, the opening counted; None without turns.
        retrieval_share_without_opening: The same without openings.
        turn_states: Name of a state as in ``turn_state`` -> system turns.
        out_of_knowledge_dialogues: Dialogues with an out-of-knowledge question.
        out_of_knowledge_turns: User turns marked out of knowledge.
        mean_user_turns: User turns per dialogue; None without dialogues.
        max_gold: Most gold snippets of a system turn.
        audio_status: ``user`` and ``system`` -> audio status -> turns; empty without audio.
        speakers: Speakers with at least one user turn.
        speakers_in_train_and_test: Those of them who speak in both.
        groups: Demographic column -> its groups, in order.
        words: Word statistics of the user turns.
    """

    language: str
    dialogues: dict[str, int]
    turns: TurnCounts
    user_hours: float | None
    system_hours: float | None
    retrieval_share: float | None
    retrieval_share_without_opening: float | None
    turn_states: dict[str, int]
    out_of_knowledge_dialogues: int
    out_of_knowledge_turns: int
    mean_user_turns: float | None
    max_gold: int
    audio_status: dict[str, dict[str, int]]
    speakers: int
    speakers_in_train_and_test: int
    groups: dict[str, tuple[SpeakerGroup, ...]]
    words: WordStatistics


def describe(rows: Rows, tokenizers: Mapping[str, WordTokenizer] | None = None) -> dict[str, LanguageStatistics]:
    """Return the statistics of every language that has user turns.

    Args:
        rows: Rows of at least ``user_turns_*``, ``system_turns_*`` and ``dialogues_*``.
        tokenizers: ISO 639-3 code -> text to words, with a ``name``; by default those of
            ``healthdial.tokenization.word_tokenizer``.
    """
    languages = [language for language in LANGUAGES if f"user_turns_{language}" in rows]
    words = describe_words(
        {code: rows_of(rows, f"user_turns_{code}") for code in languages},
        tokenizers or {code: word_tokenizer(code) for code in languages},
    )
    return {code: _describe_language(code, rows, words[code]) for code in languages}


def rows_of(rows: Rows, config: str) -> list[Row]:
    """Return the rows of all splits of a config; none if there is no such config."""
    return [row for split in rows.get(config, {}).values() for row in split]


def turn_state(row: Row) -> str:
    """Return the state of a system turn.

    Returns:
        ``no_retrieval`` (no retrieval, no gold), ``grounded`` (retrieval and gold), ``out_of_knowledge`` (retrieval,
        no gold, marked), or ``contradictory`` for any other combination of the labels.
    """
    labels = (bool(row["needs_retrieval"]), bool(row["gold_snippet_ids"]), bool(row["out_of_knowledge"]))
    return {
        (False, False, False): "no_retrieval",
        (True, True, False): "grounded",
        (True, False, True): "out_of_knowledge",
    }.get(labels, "contradictory")


def _describe_language(language: str, rows: Rows, words: WordStatistics) -> LanguageStatistics:
    """Return the counts of one language."""
    user, system = rows_of(rows, f"user_turns_{language}"), rows_of(rows, f"system_turns_{language}")
    answers = [row for row in system if row["system_turn"] > 0]
    dialogues = {split: len(found) for split, found in rows.get(f"dialogues_{language}", {}).items()}
    speakers = {
        split: {row["speaker_id"] for row in found} - {None} for split, found in rows[f"user_turns_{language}"].items()
    }
    return LanguageStatistics(
        language=language,
        dialogues={split: dialogues.get(split, 0) for split in SPLITS},
        turns=TurnCounts(len(user), len(system), len(answers)),
        user_hours=_hours(user),
        system_hours=_hours(system),
        retrieval_share=_share(bool(row["needs_retrieval"]) for row in system),
        retrieval_share_without_opening=_share(bool(row["needs_retrieval"]) for row in answers),
        turn_states=dict(Counter(map(turn_state, system))),
        out_of_knowledge_dialogues=len({row["dialogue_id"] for row in user if row["out_of_knowledge"]}),
        out_of_knowledge_turns=sum(bool(row["out_of_knowledge"]) for row in user),
        mean_user_turns=len(user) / sum(dialogues.values()) if sum(dialogues.values()) else None,
        max_gold=max((len(row["gold_snippet_ids"]) for row in system), default=0),
        audio_status={
            side: dict(Counter(row["audio_status"] for row in found if row["audio_status"]))
            for side, found in (("user", user), ("system", system))
            if any(row["audio_status"] for row in found)
        },
        speakers=len(set().union(*speakers.values())),
        speakers_in_train_and_test=len(speakers.get("train", set()) & speakers.get("test", set())),
        groups={column: _groups(user, column) for column in DEMOGRAPHICS},
        words=words,
    )


def _share(values: Iterable[bool]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def _hours(rows: Iterable[Row]) -> float | None:
    """Return the hours of all recordings, or None if there is none."""
    durations = [row["duration_s"] for row in rows if row["duration_s"] is not None]
    return sum(durations) / 3600 if durations else None


def _groups(user: Sequence[Row], column: str) -> tuple[SpeakerGroup, ...]:
    """Return the groups of one demographic column, in the order of ``DEMOGRAPHICS``."""
    members: dict[str, list[Row]] = {}
    for row in user:
        members.setdefault(NOT_GIVEN if row[column] is None else row[column], []).append(row)
    order = {value: position for position, value in enumerate(DEMOGRAPHICS[column])}
    values = sorted(members, key=lambda value: (value == NOT_GIVEN, order.get(value, len(order)), value))
    all_speakers, all_hours = len(_speakers(user)), _hours(user)
    groups = []
    for value in values:
        found, hours = members[value], _hours(members[value])
        groups.append(
            SpeakerGroup(
                value=value,
                speakers=len(_speakers(found)),
                user_turns=len(found),
                hours=None if all_hours is None else hours or 0.0,
                speaker_share=len(_speakers(found)) / all_speakers if all_speakers else 0.0,
                turn_share=len(found) / len(user),
                hour_share=(hours or 0.0) / all_hours if all_hours else None,
            )
        )
    return tuple(groups)


def _speakers(rows: Iterable[Row]) -> set[str]:
    return {row["speaker_id"] for row in rows} - {None}
