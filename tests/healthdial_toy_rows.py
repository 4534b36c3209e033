"""A handful of made-up HealthDial rows in the schema's columns, for the tests of statistics, plots and the card."""

from __future__ import annotations

from typing import Any

from healthdial.speakers import AGE_GROUPS, EDUCATION_LEVELS, GENDERS

Rows = dict[str, dict[str, list[dict[str, Any]]]]

ALL_LANGUAGES = ("ara", "zho", "eng", "spa")
SPLIT_OF_NUMBER = {1: "train", 2: "train", 3: "validation", 4: "test", 5: "test"}
TRANSCRIPTION = "well so I would like to know whether water is good for me"
GENERATED = "is water good for me is it"


def toy_rows(languages: tuple[str, ...] = ALL_LANGUAGES, audio: bool = True) -> Rows:
    """Return five dialogues a language: an opening and two exchanges each; the last one's question is unanswerable.

    Speaker 0 speaks in train and test, speaker 1 in the other dialogues and without a variety.
    """
    rows: Rows = {}
    for language in languages:
        for number, split in SPLIT_OF_NUMBER.items():
            for config, found in _dialogue(language, number, audio).items():
                rows.setdefault(f"{config}_{language}", {}).setdefault(split, []).extend(found)
    return rows


def _dialogue(language: str, number: int, audio: bool) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of one dialogue by config."""
    turns = [_turn(language, number, index, audio) for index in range(5)]
    return {
        "user_turns": turns[1::2],
        "system_turns": turns[::2],
        "dialogues": [{"dialogue_id": f"{language}-{number:04d}", "dialogue_number": number, "has_ook": number == 5}],
    }


def _turn(language: str, number: int, index: int, audio: bool) -> dict[str, Any]:
    """Return the row of one utterance; question and answer have the same marks."""
    is_user, exchange = index % 2 == 1, (index + 1) // 2
    unanswerable, opening = number == 5 and exchange == 2, index == 0
    gold = [] if opening or unanswerable or exchange == 2 else ["s1", "s2"]
    common = {
        "utterance_id": f"{language}-{number:04d}-{'u' if is_user else 's'}{index:02d}",
        "dialogue_id": f"{language}-{number:04d}",
        "dialogue_number": number,
        "language": language,
        "turn_index": index,
        "needs_retrieval": bool(gold) or unanswerable,
        "out_of_knowledge": unanswerable,
        "gold_snippet_ids": gold,
        "gold_parallel_ids": [],
        "duration_s": (3.5 + number + 7 * (not is_user)) if audio else None,
        "voice_source": "human" if is_user else "synthetic",
        "audio_sha256": None,
        "audio_status": ("ok" if number < 4 else "converted") if audio else "missing",
    }
    if not is_user:
        return {**common, "text": "Hello, what is it?", "system_turn": index // 2}
    return {
        **common,
        "user_turn": index // 2,
        "transcription": None if (number, index) == (3, 1) else TRANSCRIPTION,
        "asr_whisper1": None,
        "generated_alternative": GENERATED,
        "prompt": "Ask about water.",
        "previous_system_text": "Hello, what is it?",
        **_speaker(language, 0 if number in (1, 4) else 1),
    }


def _speaker(language: str, position: int) -> dict[str, Any]:
    """Return the columns of one of the two speakers of a language."""
    return {
        "speaker_id": f"spk_{language}_{position:02d}",
        "gender": GENDERS[position],
        "age_group": AGE_GROUPS[position],
        "education": EDUCATION_LEVELS[0],
        "language_variety": f"{language} of the valley" if position == 0 else None,
    }
