"""The file of a study: what is stored, what is refused, keys, consent, withdrawal."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.annotation_studies import a_preference, a_score, a_store, a_study, agree
from thai_dialect_bench.annotation.store import Store
from thai_dialect_bench.annotation.verdict import Verdict, VerdictError
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import Unit


def test_a_judgement_is_stored_and_can_be_changed(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "dialect_score")
    agree(store)
    judgement = a_score(store.task("A01", 2).answer_a)
    store.save("A01", 2, judgement)
    assert Store(store.file).task("A01", 2).verdict == judgement
    assert store.task("A02", 2).verdict is None
    changed = Verdict(0.0, 0.0)
    store.save("A01", 2, changed)
    assert store.task("A01", 2).verdict == changed
    assert store.judged_positions("A01") == [2]
    assert [(who.code, who.judged, who.total) for who in store.annotators()] == [("A01", 1, 6), ("A02", 0, 6)]


def test_nothing_is_stored_before_consent(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference")
    with pytest.raises(VerdictError, match="A01 has not agreed"):
        store.save("A01", 0, a_preference())
    assert store.judged_positions("A01") == []


@pytest.mark.parametrize(
    "judgement",
    [
        Verdict(0.7, 1.0),
        Verdict(1.0, None),
        Verdict(1.0, 1.0, (Unit(0, 3, "xyz", True),)),
        Verdict(1.0, 1.0, (Unit(5, 5, "", True),)),
        Verdict(1.0, 1.0, (Unit(0, 99, "วัน", True),)),
        Verdict(1.0, 1.0, (Unit(0, 3, "วัน", True), Unit(2, 4, "นน", True))),
        Verdict(1.0, 1.0, reason="why"),
        a_preference(),
    ],
)
def test_an_incomplete_or_false_dialect_score_is_refused(tmp_path: Path, judgement: Verdict) -> None:
    store, _ = a_store(tmp_path, "dialect_score")
    agree(store)
    with pytest.raises(VerdictError):
        store.save("A01", 0, judgement)
    assert store.judged_positions("A01") == []


@pytest.mark.parametrize(
    "judgement",
    [
        a_preference(reason="  "),
        a_preference(reason="ย" * 2001),
        a_preference("left"),
        Verdict(dialect_choice="a", reason="x"),
        Verdict(1.0, 1.0, dialect_choice="a", answer_choice="a", reason="x"),
    ],
)
def test_an_incomplete_preference_is_refused(tmp_path: Path, judgement: Verdict) -> None:
    store, _ = a_store(tmp_path, "preference")
    agree(store)
    with pytest.raises(VerdictError):
        store.save("A01", 0, judgement)
    assert store.judged_positions("A01") == []


def test_a_place_that_is_not_there_is_refused(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference")
    agree(store)
    with pytest.raises(VerdictError, match="A01 has no place 3"):
        store.save("A01", 3, a_preference())


def test_keys_are_stored_hashed_and_lead_to_their_annotator(tmp_path: Path) -> None:
    store, keys = a_store(tmp_path, "preference")
    assert len(set(keys.values())) == 2
    for code, key in keys.items():
        found = store.annotator_of_key(key)
        assert found is not None
        assert found.code == code
        assert key.encode() not in store.file.read_bytes()
    assert store.annotator_of_key("") is store.annotator_of_key("\ud800") is None


def test_a_renewed_key_replaces_the_old_one(tmp_path: Path) -> None:
    store, keys = a_store(tmp_path, "preference")
    agree(store)
    store.save("A01", 0, a_preference())
    fresh = store.renew_key("A01")
    assert store.annotator_of_key(keys["A01"]) is None
    found = store.annotator_of_key(fresh)
    assert found is not None
    assert (found.code, found.judged) == ("A01", 1)
    with pytest.raises(BenchError, match="no annotator 'A09'"):
        store.renew_key("A09")


def test_who_withdraws_leaves_nothing(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference")
    agree(store)
    for code in ("A01", "A02"):
        store.save(code, 0, a_preference(reason=f"reason of {code}"))
    assert store.withdraw("A01") == 1
    one, other = store.annotators()
    assert (one.dialect, one.age_band, one.consented, one.judged) == (None, None, False, 0)
    assert (other.consented, other.judged) == (True, 1)
    assert (one.withdrawn, other.withdrawn) == (True, False)
    assert b"reason of A01" not in store.file.read_bytes()
    with pytest.raises(BenchError, match="no annotator"):
        store.withdraw("A09")


def test_who_agrees_again_has_no_longer_withdrawn(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference")
    store.withdraw("A01")
    assert [who.withdrawn for who in store.annotators()] == [True, False]
    agree(store)
    assert [(who.consented, who.withdrawn) for who in store.annotators()] == [(True, False)] * 2


def test_only_code_dialect_and_age_band_are_stored_of_a_person(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference")
    with closing(sqlite3.connect(store.file)) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(annotator)")]
    assert columns == ["code", "key_sha256", "dialect", "age_band", "consented", "withdrawn"]


def test_an_existing_file_is_never_replaced(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference")
    before = store.file.read_bytes()
    with pytest.raises(BenchError, match="exists already"):
        Store.create(store.file, a_study("dialect_score"))
    assert store.file.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["pilot.sqlite"]


def test_a_file_that_is_no_study_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"none\.sqlite: no such study"):
        Store(tmp_path / "none.sqlite").info()
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to be looked at as one" * 20)
    with pytest.raises(BenchError, match=r"text\.sqlite: not a study"):
        Store(tmp_path / "text.sqlite").info()
    with closing(sqlite3.connect(tmp_path / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE study (name TEXT)")
    with pytest.raises(BenchError, match="an SQLite file, but not a study"):
        Store(tmp_path / "other.sqlite").info()
