"""The hand-written source of the sample as records of the release: snippets, dialogues, speakers, splits."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from healthdial.languages import LANGUAGES
from healthdial.release import SAMPLE_FOLDER
from healthdial.sample.people import PEOPLE, account
from hub.errors import BenchError

SOURCE_FOLDER = SAMPLE_FOLDER / "source"

SPLIT_NUMBERS: dict[str, tuple[int, ...]] = {"train": (3, 8), "validation": (12,), "test": (27, 41, 60)}
"""Split -> numbers of its dialogues, the same in all languages; train and test have out-of-knowledge turns."""

ADDRESS = "https://example.org/healthdial-sample"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, ADDRESS)
_PATHS = {"fact_sheet": "fact-sheets/detail", "qa_pair": "questions-and-answers/item"}

Record = dict[str, Any]


@dataclass(frozen=True)
class Utterance:
    """What a voice has to say.

    Attributes:
        file: Path of the recording, relative to the sample's folder.
        text: The human transcript of a user turn, the text of an assistant turn.
        speaker: 0-based position of the speaker in ``PEOPLE``; None for the assistant.
    """

    file: Path
    text: str
    speaker: int | None


@dataclass(frozen=True)
class LanguageSample:
    """The sample of one language.

    Attributes:
        language: ISO 639-3 code.
        snippets: Its records of ``who_database.json``.
        dialogues: Records of ``dialogue_list_final.json``.
        speakers: Records of ``user_list_final.json``.
        utterances: One for each turn, in the order of the dialogues.
    """

    language: str
    snippets: list[Record]
    dialogues: list[Record]
    speakers: list[Record]
    utterances: list[Utterance]


def read_samples(source: Path = SOURCE_FOLDER) -> dict[str, LanguageSample]:
    """Return language -> sample, made from ``snippets_<language>.json`` and ``dialogues_<language>.json``.

    Raises:
        BenchError: A file is missing or not valid JSON, the languages differ in their parallel snippets or their
            dialogues, or a dialogue names a snippet that its language lacks.
    """
    snippets = {language: _read_list(source / f"snippets_{language}.json") for language in LANGUAGES}
    dialogues = {language: _read_list(source / f"dialogues_{language}.json") for language in LANGUAGES}
    _check_equal({language: [own["key"] for own in snippets[language] if own["parallel"]] for language in LANGUAGES})
    _check_equal({language: [own["number"] for own in dialogues[language]] for language in LANGUAGES})
    return {language: _language_sample(language, snippets[language], dialogues[language]) for language in LANGUAGES}


def splits(samples: Mapping[str, LanguageSample]) -> dict[str, dict[str, list[str]]]:
    """Return language -> split -> dialogue ids, the content of ``splits.json``."""
    return {
        language: {split: [f"{language}-{number:04d}" for number in own] for split, own in SPLIT_NUMBERS.items()}
        for language in samples
    }


def text_files(samples: Mapping[str, LanguageSample]) -> dict[str, str]:
    """Return path relative to the sample's folder -> content, of all its JSON files."""
    contents: dict[str, Any] = {
        "who_database.json": [snippet for sample in samples.values() for snippet in sample.snippets],
        "splits.json": splits(samples),
    }
    for language, sample in samples.items():
        folder = LANGUAGES[language].folder
        contents[f"{folder}/dialogue_list_final.json"] = sample.dialogues
        contents[f"{folder}/user_list_final.json"] = sample.speakers
    return {file: json.dumps(content, ensure_ascii=False, indent=1) + "\n" for file, content in contents.items()}


def _read_list(file: Path) -> list[Record]:
    try:
        records: list[Record] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchError(
            f"{file}: cannot be read as JSON ({error}); it is the sample's hand-written source"
        ) from error
    return records


def _check_equal(by_language: Mapping[str, Sequence[object]]) -> None:
    """Stop where the languages' keys or numbers differ, in content or order."""
    english = by_language["eng"]
    for language, own in by_language.items():
        if list(own) != list(english):
            differing = sorted(map(str, set(own) ^ set(english))) or ["their order"]
            raise BenchError(f"the sources of {language} and eng differ in {', '.join(differing)}; make them the same")


def _language_sample(language: str, snippets: list[Record], dialogues: list[Record]) -> LanguageSample:
    records = {snippet["key"]: _snippet(language, snippet) for snippet in snippets}
    made = [_dialogue(language, dialogue, position, records) for position, dialogue in enumerate(dialogues)]
    return LanguageSample(
        language,
        list(records.values()),
        made,
        [_speaker(language, position) for position in range(len(PEOPLE[language]))],
        [
            utterance
            for position, dialogue in enumerate(made)
            for utterance in _utterances(language, dialogue, position)
        ],
    )


def _snippet(language: str, source: Record) -> Record:
    """Return a record of the knowledge base."""
    key = source["key"]
    slug = key.partition("::")[0]
    return {
        "url": f"{ADDRESS}/{language}/{slug}",
        "language": LANGUAGES[language].release_code,
        "data": {field: source[field] for field in ("type", "topic", "title", "content")},
        "parallel_data": source["parallel"],
        "parallel_identifier": f"{_PATHS[source['type']]}/{key}" if source["parallel"] else None,
        "unique_identifier": str(uuid.uuid5(_NAMESPACE, f"{language}/{key}")),
    }


def _dialogue(language: str, source: Record, position: int, snippets: Mapping[str, Record]) -> Record:
    """Return a record of the dialogue list."""
    task = f"{LANGUAGES[language].release_code}_{source['number']}"
    utterances = [
        _assistant_turn(turn, f"system_{task}_{index // 2}.flac", task, snippets)
        if turn["role"] == "assistant"
        else _user_turn(turn, f"{account(language, position)}_{task}_{index // 2}.flac")
        for index, turn in enumerate(source["turns"])
    ]
    return {"task_id": task, "language": LANGUAGES[language].release_code, "utterance": utterances}


def _assistant_turn(source: Record, audio_name: str, task: str, snippets: Mapping[str, Record]) -> Record:
    unknown = [key for key in source["snippets"] if key not in snippets]
    if unknown:
        raise BenchError(f"{task}: unknown snippets {', '.join(unknown)}; add them to the language's snippets")
    return {
        "role": "assistant",
        "generated_text": source["text"],
        "need_retrieval": source["need_retrieval"],
        "out_of_knowledge": source["ook"],
        "snippet": [snippets[key] for key in source["snippets"]],
        "audio_name": audio_name,
    }


def _user_turn(source: Record, audio_name: str) -> Record:
    return {
        "role": "user",
        "generated_text": source["generated"],
        "instruction": source["prompt"],
        "out_of_knowledge": source["ook"],
        "annotated_transcription": source["human"],
        "annotated_asr_result": source["asr"],
        "audio_name": audio_name,
    }


def _speaker(language: str, position: int) -> Record:
    """Return a record of the speaker list."""
    person = PEOPLE[language][position]
    return {
        "id": account(language, position),
        "gender": person.gender,
        "age_group": person.age_group,
        "education_level": person.education_level,
        "primary_language": person.primary_language,
        "secondary_languages": person.secondary_languages,
        "country": person.country,
        "place_of_origin": "sample",
        "region_of_residence": "sample",
    }


def _utterances(language: str, dialogue: Record, position: int) -> list[Utterance]:
    """Return what has to be said in a dialogue."""
    folder = Path(LANGUAGES[language].folder)
    return [
        Utterance(folder / "audio" / turn["audio_name"], turn["annotated_transcription"], position)
        if turn["role"] == "user"
        else Utterance(folder / "system_audio" / turn["audio_name"], turn["generated_text"], None)
        for turn in dialogue["utterance"]
    ]
