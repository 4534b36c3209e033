"""Gold snippets of a turn: ids checked against the knowledge base, copies compared with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from healthdial.findings import Findings, Place
from healthdial.knowledge import KnowledgeBase, snippet_id
from healthdial.published import MOST_GOLD


def read_gold(
    value: Any,
    language: str,
    knowledge: KnowledgeBase,
    knowledge_records: Mapping[str, Any],
    findings: Findings,
    place: Place,
) -> tuple[str, ...]:
    """Return the gold snippet ids of an assistant turn.

    Args:
        value: The record's ``snippet``: a list of snippet records (or ids), or nothing.
        language: Language of the dialogue.
        knowledge: The knowledge base.
        knowledge_records: Snippet id -> record of the knowledge base; copies that differ are reported.
        findings: Collects every fault.
        place: Where the turn is.
    """
    if value is None:
        return ()
    if not isinstance(value, list):
        findings.add("bad_record", place, "`snippet` is not a list")
        return ()
    kept: list[str] = []
    for record in value:
        identifier = snippet_id(record)
        snippet = knowledge.by_id.get(identifier) if identifier else None
        if identifier is None or snippet is None:
            findings.add("unknown_snippet", place)
            continue
        if snippet.language != language:
            findings.add("snippet_of_other_language", place, snippet.language)
            continue
        if identifier in kept:
            findings.add("repeated_gold", place)
            continue
        if isinstance(record, dict) and record != knowledge_records.get(identifier, record):
            findings.add("snippet_drift", place, identifier)
        if not snippet.is_parallel:
            findings.add("gold_not_parallel", place, identifier)
        kept.append(identifier)
    if len(kept) > MOST_GOLD:
        findings.add("too_many_gold", place, f"{len(kept)} snippets")
    return tuple(kept)
