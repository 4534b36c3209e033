"""Invented records of a generated HealthDial release: plans of dialogues, snippets, speakers and dialogues."""

from __future__ import annotations

import copy
import uuid
from dataclasses import dataclass
from random import Random
from string import ascii_letters
from typing import Any

from benchmarks.healthdial_text import Language

OOK_PERIOD = 10
OOK_POSITION = 4
"""One dialogue in ``OOK_PERIOD`` has a question out of knowledge: those at positions 4, 14, 24 ..."""
SYSTEM_PREFIX = "synthetic"

Record = dict[str, Any]


@dataclass(frozen=True)
class Exchange:
    """A question and its answer, the same in all languages; ``gold`` are positions in the parallel set."""

    needs_retrieval: bool
    out_of_knowledge: bool
    gold: tuple[int, ...]


OPENING = Exchange(needs_retrieval=False, out_of_knowledge=False, gold=())


def system_file_name(task_id: str, turn: int) -> str:
    """Return the name of the recording of assistant turn ``turn`` (0-based, the opening is 0)."""
    return f"{SYSTEM_PREFIX}_{task_id}_{turn}.wav"


def dialogue_numbers(random: Random, dialogues: int) -> list[int]:
    """Return numbers from the range of positions, none at its own position, so that mixing them up goes unnoticed."""
    numbers = random.sample(range(1, dialogues + 4), dialogues)
    while any(number == position for position, number in enumerate(numbers)):
        random.shuffle(numbers)
    return numbers


def plan(random: Random, position: int, turns: int, parallel: int) -> list[Exchange]:
    """Return the exchanges of a dialogue.

    The first needs no retrieval in every third dialogue; the second is grounded; the last is out of knowledge in every
    tenth dialogue.
    """
    exchanges = []
    for turn in range(turns):
        needs_retrieval = position % 3 > 0 if turn == 0 else turn == 1 or random.random() < 0.7
        if position % OOK_PERIOD == OOK_POSITION and turn == turns - 1:
            exchanges.append(Exchange(needs_retrieval=True, out_of_knowledge=True, gold=()))
        elif needs_retrieval:
            gold = random.sample(range(parallel), min(parallel, random.randint(1, 3)))
            exchanges.append(Exchange(needs_retrieval=True, out_of_knowledge=False, gold=tuple(gold)))
        else:
            exchanges.append(OPENING)
    return exchanges


def snippet(random: Random, language: Language, index: int, *, parallel: bool) -> Record:
    """Return a snippet whose text no other has; one that is not parallel lacks a parallel id in one of three ways."""
    page, panel = divmod(index, len(language.titles))
    kind, group = ("qa_pair", "questions-and-answers/item") if page % 3 == 2 else ("fact_sheet", "fact-sheets/detail")
    paragraphs = [
        f"{language.sentence(random, 6)} {language.sentence(random, 8)} ({index})" for _ in range(random.randint(1, 3))
    ]
    record: Record = {
        "url": f"https://www.who.int/news-room/{group}/page-{page}",
        "language": language.code,
        "data": {
            "type": kind,
            "topic": f"{language.topics[page % len(language.topics)]} {page}",
            "title": language.titles[panel],
            "content": "\n\n".join(paragraphs),
        },
        "parallel_data": parallel,
        "unique_identifier": str(uuid.UUID(int=random.getrandbits(128), version=4)),
    }
    if parallel:
        record["parallel_identifier"] = f"{group}/page-{page}::{panel}"
    elif index % 3:
        record["parallel_identifier"] = None if index % 3 == 1 else ""
    return record


def account_id(random: Random) -> str:
    """Return 24 hex digits, of which the first 8 are a time."""
    return f"{0x65000000 + random.randrange(0x2000000):08x}{random.getrandbits(64):016x}"


def user(random: Random, language: Language) -> Record:
    """Return a speaker full of made-up personal data; demographics come from few values, so that people share them."""
    name = f"pebblefinch.{random.randrange(10**6):06d}"
    variety = random.randrange(len(language.varieties))
    place = f"{language.cities[variety]}, {language.countries[variety]}"
    return {
        "id": account_id(random),
        "username": name,
        "email": f"{name}@mail.example.org",
        "password": "$2b$12$" + "".join(random.choices(ascii_letters, k=53)),
        "date_added": time(random),
        "role": "user",
        "ip_address": f"203.0.113.{random.randrange(100, 255)}",
        "age_group": random.choice(("25-29", "40-44")),
        "gender": random.choice(("female", "male")),
        "country": language.countries[variety],
        "place_of_origin": place,
        "region_of_residence": place,
        "primary_language": language.varieties[variety],
        "secondary_languages": random.choice((None, "", "some Frisian, from my aunt")),
        "education_level": random.choice(("secondary", "higher-education")),
    }


def time(random: Random) -> str:
    """Return a moment in ISO format."""
    hour, minute, second = random.randrange(24), random.randrange(60), random.randrange(60)
    return f"2025-0{random.randint(1, 9)}-1{random.randrange(10)}T{hour:02d}:{minute:02d}:{second:02d}.{second:03d}Z"


def dialogue(
    random: Random,
    language: Language,
    task_id: str,
    exchanges: list[Exchange],
    snippets: list[Record],
    speaker: Record,
    seconds: list[float],
) -> Record:
    """Return a dialogue.

    Args:
        random: Source of the texts.
        language: Its language.
        task_id: Its id, code and number.
        exchanges: Its questions and answers.
        snippets: The language's snippets, the parallel ones first.
        speaker: Who speaks.
        seconds: How long each of the 2 x exchanges + 1 utterances lasts; texts are as long as it takes to say them.
    """
    utterances = [_assistant(language.sentence(random, seconds[0]), OPENING, snippets)]
    for turn, exchange in enumerate(exchanges):
        asked, answered = seconds[2 * turn + 1 : 2 * turn + 3]
        transcript = language.sentence(random, asked, ends=language.question)
        utterances.append(
            {
                "role": "user",
                "generated_text": language.sentence(random, asked, ends=language.question),
                "instruction": language.sentence(random, 3),
                "out_of_knowledge": exchange.out_of_knowledge,
                "annotated_transcription": transcript,
                "annotated_asr_result": language.as_recognised(transcript),
                "audio_name": f"{speaker['id']}_{task_id}_{turn}.wav",
            }
        )
        utterances.append(_assistant(language.sentence(random, answered), exchange, snippets))
    return {
        "task_id": task_id,
        "language": language.code,
        "annotator_email": speaker["email"],
        "start_time": time(random),
        "submission_time": time(random),
        "utterance": utterances,
    }


def _assistant(text: str, exchange: Exchange, snippets: list[Record]) -> Record:
    """Return an assistant utterance; its snippets are copies, as in the real release."""
    return {
        "role": "assistant",
        "generated_text": text,
        "instruction": "",
        "snippet": [copy.deepcopy(snippets[position]) for position in exchange.gold],
        "need_retrieval": exchange.needs_retrieval,
        "out_of_knowledge": exchange.out_of_knowledge,
    }
