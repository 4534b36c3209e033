"""The knowledge base: file order, ids over all languages, the parallel set, and what cannot be a snippet."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from healthdial.findings import Findings
from healthdial.knowledge import KnowledgeBase, read_knowledge, snippet_id
from tests.healthdial_builders import database, kinds, knowledge_of, snippet_record


def read(records: list[Any]) -> tuple[KnowledgeBase, Findings]:
    findings = Findings()
    return read_knowledge(records, findings), findings


def test_fields_of_a_snippet() -> None:
    snippet = knowledge_of(database("a")).by_id["a-zho"]
    assert (snippet.id, snippet.language, snippet.type) == ("a-zho", "zho", "fact_sheet")
    assert (snippet.topic, snippet.title, snippet.content) == ("Sleep", "Overview", "Text of a-zho (1).")
    assert (snippet.is_parallel, snippet.parallel_id) == (True, "fact-sheets/detail/made-up::a")
    assert snippet.document == "Sleep Overview Text of a-zho (1)."


def test_text_is_raw() -> None:
    content = " One (1).\n\n\u00a0Two\r\n• three https://www.who.int/x "
    record = snippet_record("a")
    record["data"]["content"] = content
    assert read([record])[0].by_id["a"].content == content


def test_the_corpus_is_the_parallel_set_in_file_order() -> None:
    base = database("b", "a") + [
        snippet_record("d-eng", parallel_data=False, parallel_identifier=identifier, unique_identifier=f"d{number}")
        for number, identifier in enumerate((None, "", "x::1"))
    ]
    for record in base[-3:]:
        record["data"]["content"] += record["unique_identifier"]
    del base[-1]["parallel_data"]
    knowledge, findings = read(base)
    assert not findings.counts
    assert [snippet.id for snippet in knowledge.of_language("eng")] == ["b-eng", "a-eng", "d0", "d1", "d2"]
    assert [snippet.id for snippet in knowledge.corpus("eng")] == ["b-eng", "a-eng"]
    assert [snippet.is_parallel for snippet in knowledge.of_language("eng")] == [True, True, False, False, False]
    assert knowledge.by_id["d1"].parallel_id is None


def test_parallel_sets_have_every_language_once() -> None:
    knowledge = knowledge_of(database("a", "b"))
    assert list(knowledge.parallel) == ["fact-sheets/detail/made-up::a", "fact-sheets/detail/made-up::b"]
    versions = knowledge.parallel["fact-sheets/detail/made-up::b"]
    assert {language: snippet.id for language, snippet in versions.items()} == {
        language: f"b-{language}" for language in ("ara", "zho", "eng", "spa")
    }


def test_incomplete_parallel_sets_are_reported_and_left_out() -> None:
    twice = snippet_record("b-second")
    knowledge, findings = read([*database("a")[:3], *database("b"), twice])
    assert knowledge.parallel == {}
    assert [(one.place.record[-3:], one.detail) for one in findings] == [
        ("::a", "in ara eng zho"),
        ("::b", "in ara eng eng spa zho"),
    ]
    assert kinds(findings) == {"incomplete_parallel_set"}
    assert len(knowledge.by_id) == 8


@pytest.mark.parametrize("identifier", [None, "", 7, ["x"]])
def test_a_parallel_snippet_without_a_parallel_id(identifier: object) -> None:
    knowledge, findings = read([snippet_record("a", parallel_identifier=identifier)])
    assert kinds(findings) == {"parallel_without_id"}
    assert [snippet.id for snippet in knowledge.corpus("eng")] == ["a"]


@pytest.mark.parametrize(
    ("value", "is_parallel"), [("true", True), (1, True), (1.0, True), ("False", False), (0, False), ("", False)]
)
def test_a_parallel_mark_that_is_no_boolean_is_read_and_reported(value: object, is_parallel: bool) -> None:
    knowledge, findings = read([snippet_record("a", parallel_data=value)])
    assert knowledge.by_id["a"].is_parallel is is_parallel
    assert findings.count("flag_not_boolean", "eng") == 1


def test_a_repeated_id_keeps_the_first_in_any_language() -> None:
    knowledge, findings = read([snippet_record("a"), snippet_record("a", "ESP", data={"content": "Another."})])
    assert kinds(findings) >= {"repeated_snippet_id"}
    assert [snippet.language for snippet in knowledge.by_id.values()] == ["eng"]


def test_a_repeated_text_is_kept_under_its_own_id() -> None:
    first, second, spanish = (snippet_record(name, parallel_data=False) for name in ("a", "b", "c"))
    second["data"] = copy.deepcopy(first["data"])
    spanish |= {"data": copy.deepcopy(first["data"]), "language": "ESP"}
    knowledge, findings = read([first, second, spanish])
    assert list(knowledge.by_id) == ["a", "b", "c"]
    assert findings.counts == {("repeated_snippet_text", "eng"): 1}


@pytest.mark.parametrize(
    "record",
    [
        None,
        "a",
        7,
        [],
        {},
        snippet_record("a", data=None),
        snippet_record("a", data="text"),
        snippet_record("a", data=["text"]),
        snippet_record("a", data={}),
        snippet_record("a", data={"content": None}),
        snippet_record("a", data={"content": ["text"]}),
    ],
)
def test_what_cannot_be_a_snippet_is_left_out(record: object) -> None:
    knowledge, findings = read([record, snippet_record("b", parallel_data=False)])
    assert list(knowledge.by_id) == ["b"]
    assert findings.counts == {("bad_record", ""): 1}
    assert "record 0" in str(next(iter(findings)))


@pytest.mark.parametrize("value", [None, "", " ", 54, ["a"], {"$oid": "a"}])
def test_a_url_is_no_id(value: object) -> None:
    knowledge, findings = read([snippet_record("a", unique_identifier=value)])
    assert knowledge.by_id == {}
    assert findings.counts == {("snippet_without_id", "eng"): 1}
    assert snippet_id({"url": "https://www.who.int/a"}) is None


@pytest.mark.parametrize("value", ["FRA", "", None, 1, ["ENG"]])
def test_an_unknown_language_is_left_out(value: object) -> None:
    knowledge, findings = read([snippet_record("a", language=value)])
    assert knowledge.by_id == {}
    assert kinds(findings) == {"unknown_language"}


@pytest.mark.parametrize("code", ["chn", "CHN", "zho", "chinese", "zh"])
def test_every_code_system_is_understood(code: str) -> None:
    assert read([snippet_record("a", code, parallel_data=False)])[0].by_id["a"].language == "zho"


def test_missing_headings_are_empty() -> None:
    record = snippet_record("a", url=None, data={"content": "Text.", "topic": 3, "title": None}, parallel_data=False)
    snippet = read([record])[0].by_id["a"]
    assert (snippet.type, snippet.topic, snippet.title, snippet.url) == ("", "", "", "")


def test_an_empty_list() -> None:
    knowledge, findings = read([])
    assert (knowledge.by_id, knowledge.parallel, knowledge.corpus("eng")) == ({}, {}, [])
    assert not findings.counts
