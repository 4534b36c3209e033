"""The knowledge base: snippets keyed by id, the parallel set, and the checks of both."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from healthdial.findings import Findings, Place
from healthdial.flags import read_flag
from healthdial.languages import LANGUAGES, language_code

FILE = "snippets"


@dataclass(frozen=True, slots=True)
class Snippet:
    """One collapsible panel of a page.

    Attributes:
        id: Unique over all languages.
        language: ISO 639-3 code.
        type: ``fact_sheet``, ``qa_pair``, or whatever the release says.
        topic: Page heading.
        title: Panel heading.
        content: Panel text, raw.
        url: Address of the page; shared by its snippets.
        is_parallel: Marked as aligned in all four languages.
        parallel_id: The same for the four versions; None where there is none.
    """

    id: str
    language: str
    type: str
    topic: str
    title: str
    content: str
    url: str
    is_parallel: bool
    parallel_id: str | None

    @property
    def document(self) -> str:
        """Text of the snippet in the retrieval corpus: topic, title and content (the authors' scripts)."""
        return f"{self.topic} {self.title} {self.content}"


@dataclass(frozen=True)
class KnowledgeBase:
    """All snippets in file order, which is the order of the retrieval corpus and breaks ties.

    Attributes:
        by_id: Snippet id -> snippet, of all languages.
        parallel: Parallel id -> language -> snippet, only sets that have each language once.
    """

    by_id: dict[str, Snippet]
    parallel: dict[str, dict[str, Snippet]]

    def of_language(self, language: str) -> list[Snippet]:
        """Return the snippets of a language in file order."""
        return [snippet for snippet in self.by_id.values() if snippet.language == language]

    def corpus(self, language: str) -> list[Snippet]:
        """Return the retrieval corpus of a language: its parallel snippets in file order."""
        return [snippet for snippet in self.of_language(language) if snippet.is_parallel]


def read_knowledge(records: list[Any], findings: Findings) -> KnowledgeBase:
    """Return the knowledge base of ``who_database.json``.

    Args:
        records: The parsed list.
        findings: Collects every fault.
    """
    by_id: dict[str, Snippet] = {}
    texts: set[tuple[str, str, str]] = set()
    for position, record in enumerate(records):
        snippet = read_snippet(record, findings, Place("", FILE, f"record {position}"))
        if snippet is None:
            continue
        place = Place(snippet.language, FILE, snippet.id)
        if snippet.id in by_id:
            findings.add("repeated_snippet_id", place)
            continue
        text = (snippet.language, snippet.title, snippet.content)
        if text in texts:
            findings.add("repeated_snippet_text", place)
        texts.add(text)
        by_id[snippet.id] = snippet
    return KnowledgeBase(by_id, _parallel_sets(by_id, findings))


def read_snippet(record: Any, findings: Findings, place: Place) -> Snippet | None:
    """Return the snippet of a record, or None where it cannot be one (reported)."""
    data = record.get("data") if isinstance(record, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("content"), str):
        findings.add("bad_record", place)
        return None
    language = language_code(record.get("language"))
    if language is None:
        findings.add("unknown_language", place)
        return None
    identifier = snippet_id(record)
    if identifier is None:
        findings.add("snippet_without_id", Place(language, place.file, place.record, place.utterance))
        return None
    own_place = Place(language, place.file, identifier)
    parallel_id = record.get("parallel_identifier")
    return Snippet(
        id=identifier,
        language=language,
        type=_text(data.get("type")),
        topic=_text(data.get("topic")),
        title=_text(data.get("title")),
        content=data["content"],
        url=_text(record.get("url")),
        is_parallel=read_flag(record.get("parallel_data"), findings, own_place, "parallel_data"),
        parallel_id=parallel_id if isinstance(parallel_id, str) and parallel_id else None,
    )


def snippet_id(record: Any) -> str | None:
    """Return the id of a snippet record, or None; never its URL, which all snippets of a page share."""
    value = record.get("unique_identifier") if isinstance(record, dict) else record
    return value if isinstance(value, str) and value.strip() else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _parallel_sets(by_id: dict[str, Snippet], findings: Findings) -> dict[str, dict[str, Snippet]]:
    """Return the complete parallel sets; incomplete ones and parallel snippets without an id are reported."""
    members: dict[str, list[Snippet]] = defaultdict(list)
    for snippet in by_id.values():
        if snippet.is_parallel and snippet.parallel_id is None:
            findings.add("parallel_without_id", Place(snippet.language, FILE, snippet.id))
        elif snippet.is_parallel and snippet.parallel_id is not None:
            members[snippet.parallel_id].append(snippet)
    complete = {}
    for parallel_id, snippets in members.items():
        versions = {snippet.language: snippet for snippet in snippets}
        if len(snippets) == len(versions) == len(LANGUAGES):
            complete[parallel_id] = versions
        else:
            found = " ".join(sorted(snippet.language for snippet in snippets))
            findings.add("incomplete_parallel_set", Place("", FILE, parallel_id), f"in {found}")
    return complete
