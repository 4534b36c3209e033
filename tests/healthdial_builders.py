"""Small HealthDial records of the documented form (made-up content), and dialogues read from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from healthdial.dialogues import Dialogue, DialogueReader, Turn
from healthdial.findings import Findings
from healthdial.knowledge import KnowledgeBase, read_knowledge

Record = dict[str, Any]

ACCOUNT = "0a1b2c3d4e5f60718293a4b5"
OTHER_ACCOUNT = "ffee2c3d4e5f60718293a4b5"
CODES = {"ara": "ARA", "zho": "CHN", "eng": "ENG", "spa": "ESP"}


def snippet_record(identifier: str, code: str = "ENG", **changes: Any) -> Record:
    """A snippet that is in the parallel set; the part of its id before ``-`` names the set."""
    return {
        "url": "https://www.who.int/news-room/fact-sheets/detail/made-up",
        "language": code,
        "data": {"type": "fact_sheet", "topic": "Sleep", "title": "Overview", "content": f"Text of {identifier} (1)."},
        "parallel_data": True,
        "parallel_identifier": f"fact-sheets/detail/made-up::{identifier.split('-')[0]}",
        "unique_identifier": identifier,
        **changes,
    }


def database(*names: str) -> list[Record]:
    """Snippets ``<name>-<language>`` in all four languages."""
    return [snippet_record(f"{name}-{iso}", code) for iso, code in CODES.items() for name in names]


def assistant(text: str, **changes: Any) -> Record:
    """An assistant turn that needs no retrieval."""
    return {"role": "assistant", "generated_text": text, "snippet": [], "need_retrieval": False, **changes}


def grounded(text: str, *gold: Record, **changes: Any) -> Record:
    """An assistant turn with gold snippets."""
    return assistant(text, **{"need_retrieval": True, "snippet": list(gold), **changes})


def ook(text: str, **changes: Any) -> Record:
    """The refusal of a question that is out of knowledge."""
    return assistant(text, **{"need_retrieval": True, "out_of_knowledge": True, **changes})


def user(text: str, name: str, **changes: Any) -> Record:
    """A user turn; ``name`` is its recording's."""
    return {
        "role": "user",
        "generated_text": f"Written: {text}",
        "instruction": "Ask.",
        "out_of_knowledge": False,
        "annotated_transcription": text,
        "annotated_asr_result": text.lower(),
        "audio_name": name,
        **changes,
    }


def dialogue_record(number: int = 50, *, answers: Sequence[Record] | None = None, code: str = "ENG") -> Record:
    """A dialogue ``s0 u1 s1 u2 s2 ...``, named so that no text is a part of another."""
    answers = [assistant("s1"), assistant("s2")] if answers is None else answers
    utterances = [assistant("s0")]
    for turn, answer in enumerate(answers):
        question = user(f"u{turn + 1}", f"{ACCOUNT}_{code}_{number}_{turn}.wav")
        utterances += [question | {"out_of_knowledge": answer.get("out_of_knowledge", False)}, answer]
    return {"task_id": f"{code}_{number}", "language": code, "utterance": utterances}


def read_dialogues(
    records: list[Any], *, language: str = "eng", base: list[Record] | None = None, keep_contacts: bool = False
) -> tuple[list[Dialogue], Findings]:
    """The dialogues of a list, and what was found wrong."""
    findings = Findings()
    base = base or []
    by_id = {record["unique_identifier"]: record for record in base}
    reader = DialogueReader(language, read_knowledge(base, Findings()), by_id, findings, keep_contacts)
    return reader.read(records), findings


def knowledge_of(base: list[Record]) -> KnowledgeBase:
    """The knowledge base of records without faults."""
    findings = Findings()
    knowledge = read_knowledge(base, findings)
    assert not findings.counts
    return knowledge


def kinds(findings: Findings) -> set[str]:
    """Names of the kinds of fault that were met."""
    return {kind for kind, _ in findings.counts}


SIX_SNIPPETS = database("a", "b", "c", "d", "e", "f")
SIX_GOLD = [record for record in SIX_SNIPPETS if record["language"] == "ENG"]
"""The English ones: one more than a turn may have."""


def read_one(record: Record, *, keep_contacts: bool = False) -> tuple[tuple[Turn, ...], Findings]:
    """The turns of an English dialogue over ``SIX_SNIPPETS``."""
    (dialogue,), findings = read_dialogues([record], base=SIX_SNIPPETS, keep_contacts=keep_contacts)
    return dialogue.turns, findings


def changed(utterance: int, **changes: Any) -> Record:
    """A clean dialogue, its first answer grounded, with a change in one utterance."""
    record = dialogue_record(answers=[grounded("s1", SIX_GOLD[0]), assistant("s2")])
    record["utterance"][utterance].update(changes)
    return record
