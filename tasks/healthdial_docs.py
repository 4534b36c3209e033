"""Rows of HealthDial to lighteval documents, one function a task; recordings travel as the id of their row."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any

from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.languages import LANGUAGES
from healthdial.schema import RETRIEVAL_LABELS, data_location
from hub.fingerprint import fingerprint
from hub.location import DataLocation
from tasks.errors import RunError
from tasks.healthdial_candidates import candidate_count, shown_candidates
from tasks.healthdial_prompts import (
    CLASSIFICATION_INSTRUCTION,
    RESPONSE_INSTRUCTION,
    SELECTION_INSTRUCTION,
    classification_prompt,
    response_prompt,
    selection_prompt,
)
from tasks.healthdial_snippets import given_snippets, snippets_described

IDS_VARIABLE = "HEALTHDIAL_IDS"
"""``number`` (default) shows candidates as 1 to k, ``snippet`` by the release's long ids."""

Line = dict[str, Any]


def asr_doc(line: Line, name: str) -> Doc:
    """Return the document of a recording to transcribe: the query is its id.

    A turn without a recording is asked for too, so that what is made of the transcripts has all turns; it has no
    reference, and counts in no rate.
    """
    text = line["transcription"] if line["duration_s"] is not None else None
    return _doc(line, name, line["utterance_id"], query=line["utterance_id"], choices=[text or ""], reference=text)


def tts_doc(line: Line, name: str) -> Doc | None:
    """Return the document of a transcript to speak; None where there is no transcript."""
    text = line["transcription"]
    return None if text is None else _doc(line, name, line["utterance_id"], query=text, choices=[text], reference=text)


def classification_doc(line: Line, name: str) -> Doc:
    """Return the document of an instance of turn classification; few-shot examples come from train."""
    needed = line["label"] == 1 if isinstance(line["label"], int) else line["label"] == RETRIEVAL_LABELS[1]
    doc = _doc(
        line,
        name,
        line["utterance_id"],
        query=classification_prompt(line["text"]),
        choices=["no", "yes"],
        reference=needed,
        text=line["text"],
        is_opening=str(line["is_opening"]).lower(),
    )
    doc.gold_index = int(needed)
    doc.instruction = CLASSIFICATION_INSTRUCTION
    doc.query = CLASSIFICATION_INSTRUCTION + doc.query
    return doc


def retrieval_doc(line: Line, name: str) -> Doc:
    """Return the document of a query.

    An out-of-knowledge turn is asked for too, so that what builds on the run has all turns; it has nothing to find,
    no reference, and counts in no measure.
    """
    gold = line["gold_snippet_ids"]
    return _doc(
        line,
        name,
        line["query_id"],
        query=line["query"],
        choices=[json.dumps(gold)],
        reference=gold or None,
        gold=gold,
    )


def filtering_doc(line: Line, name: str) -> Doc:
    """Return the document of a filtering item, with the best candidates in the prompt."""
    found = shown_candidates(line)
    gold, candidates = line["gold_snippet_ids"], list(found.ids)
    names = _shown_names(candidates)
    texts = _snippets(data_location(), line["language"])
    shown = {names[one]: texts[one] for one in candidates}
    answer = json.dumps([_typed(names[one]) for one in candidates if one in gold], ensure_ascii=False)
    doc = _doc(
        line,
        name,
        line["query_id"],
        query=selection_prompt(line["query"], shown),
        choices=[answer],
        reference=gold,
        gold=gold,
        candidates=json.dumps(candidates),
        candidates_from=found.source,
        scores=json.dumps([round(score, 6) for score in found.scores]),
        shown=json.dumps([names[one] for one in candidates]),
    )
    instruction = SELECTION_INSTRUCTION.format(sample=_sample_answer(len(shown)))
    doc.instruction = instruction
    doc.query = instruction + doc.query
    return doc


def response_doc(line: Line, name: str) -> Doc | None:
    """Return the document of an assistant turn to write; None for openings, and where a run has no such query."""
    if line["turn_index"] == 0 or line["text"] is None:
        return None
    language = line["language"]
    turns = _dialogues(data_location(), language)[line["dialogue_id"]][: line["turn_index"]]
    is_query = turns[-1]["utterance_id"] in _query_ids(data_location(), language)
    is_example = bool(line.get("__few_shots"))
    given = given_snippets(line, turns, candidate_count(), is_query=is_query, is_example=is_example)
    if given is None:
        return None
    snippets = [_snippets(data_location(), language)[one][1:] for one in given]
    instruction = RESPONSE_INSTRUCTION.format(language=LANGUAGES[language].title)
    history = [(turn["role"], turn["text"] or "") for turn in turns]
    doc = _doc(
        line,
        name,
        line["utterance_id"],
        query=instruction + response_prompt(history, snippets),
        choices=[line["text"]],
        reference=line["text"],
        gold=line["gold_snippet_ids"],
        snippets=json.dumps([content for _, content in snippets], ensure_ascii=False),
        snippet_titles=json.dumps([title for title, _ in snippets], ensure_ascii=False),
        snippets_from=snippets_described(language, candidate_count(), is_example=is_example),
        out_of_knowledge=_flag(line["out_of_knowledge"]),
    )
    doc.instruction = instruction
    return doc


def pipeline_doc(line: Line, name: str) -> Doc | None:
    """Return the document of a user turn that the whole pipeline answers: the query is the id of its recording.

    None where the turn has no transcript or no answer, or needs knowledge and is no item of retrieval: there is no
    telling what is right.
    """
    language, at = line["language"], line["turn_index"]
    turns = _dialogues(data_location(), language)[line["dialogue_id"]]
    answer = turns[at + 1] if at + 1 < len(turns) else None
    if line["transcription"] is None or answer is None or answer["text"] is None:
        return None
    if line["needs_retrieval"] and line["utterance_id"] not in _query_ids(data_location(), language):
        return None
    gold = line["gold_snippet_ids"]
    # The answer's mark, as for retrieval and filtering; the row's own is the question's.
    is_ook = bool(answer["out_of_knowledge"]) and not gold
    history = [(turn["role"], turn["utterance_id"], turn["text"] or "") for turn in turns[: at + 1]]
    contents = [": ".join(_snippets(data_location(), language)[one][1:]) for one in gold]
    return _doc(
        line,
        name,
        line["utterance_id"],
        query=line["utterance_id"],
        choices=[answer["text"]],
        reference=[history, gold, answer["text"]],
        gold=gold,
        transcript=line["transcription"],
        history=json.dumps(history, ensure_ascii=False),
        needs_retrieval=_flag(line["needs_retrieval"]),
        out_of_knowledge=_flag(is_ook),
        gold_contents=json.dumps(contents, ensure_ascii=False),
        answer_id=answer["utterance_id"],
    )


def _choice(variable: str, allowed: tuple[str, ...]) -> str:
    """Return the value of a variable, the first allowed one if it is not set or empty."""
    value = os.environ.get(variable) or allowed[0]
    if value not in allowed:
        raise RunError(f"{variable} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def _shown_names(candidates: list[str]) -> dict[str, str]:
    """Return snippet id -> id in the prompt: numbers are shorter and less often garbled than long ids."""
    if _shows_snippet_ids():
        return {one: one for one in candidates}
    return {one: str(number) for number, one in enumerate(candidates, start=1)}


def _sample_answer(candidates: int) -> str:
    """Return the sample in the instruction; real snippet ids would name candidates of this very item."""
    return json.dumps(["<id>", "<id>"] if _shows_snippet_ids() else [1, 2][:candidates])


def _shows_snippet_ids() -> bool:
    return _choice(IDS_VARIABLE, ("number", "snippet")) == "snippet"


def _flag(value: bool | None) -> str:
    return str(bool(value)).lower()


def _typed(shown: str) -> str | int:
    return int(shown) if shown.isdecimal() else shown


def _doc(
    line: Line, name: str, identifier: str, *, query: str, choices: list[str], reference: Any, **more: Any
) -> Doc:
    """Return a document with what every task carries, all of it text."""
    gold = more.pop("gold", [])
    return Doc(
        task_name=name,
        query=query,
        choices=choices,
        gold_index=0,
        specific={
            "id": identifier,
            "dialogue_id": line["dialogue_id"],
            "dialogue_number": str(line["dialogue_number"]),
            "turn_index": str(line["turn_index"]),
            "language": line["language"],
            "origin": _origin(data_location()),
            "has_reference": reference is not None,
            "gold": json.dumps(gold),
            "row_sha256": fingerprint([identifier, query, reference]),
            **more,
        },
    )


# What is read of the data is kept by its location: one process may see several.


@lru_cache(maxsize=4)
def _origin(location: DataLocation) -> str:
    return BuiltData(location).origin


@lru_cache(maxsize=8)
def _snippets(location: DataLocation, language: str) -> dict[str, tuple[str, str, str]]:
    """Return snippet id -> topic, title, content."""
    rows = BuiltData(location).rows(f"snippets_{language}", "corpus")
    return {row["snippet_id"]: (row["topic"], row["title"], row["content"]) for row in rows}


@lru_cache(maxsize=8)
def _dialogues(location: DataLocation, language: str) -> dict[str, list[dict[str, Any]]]:
    """Return dialogue id -> turns, of all splits: few-shot examples come from another than the test's."""
    data = BuiltData(location)
    rows = [row for split in data.splits(f"dialogues_{language}") for row in data.rows(f"dialogues_{language}", split)]
    return {row["dialogue_id"]: row["turns"] for row in rows}


@lru_cache(maxsize=8)
def _query_ids(location: DataLocation, language: str) -> frozenset[str]:
    """Return the ids of the items of retrieval, out-of-knowledge ones too, of all splits."""
    data = BuiltData(location)
    config = f"retrieval_{language}"
    return frozenset(row["query_id"] for split in data.splits(config) for row in data.rows(config, split))
