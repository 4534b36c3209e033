"""What a browser is told: no models' names, nobody else's labels, one's own judgements as they were given."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.annotation_studies import MODELS, TEXTS, a_preference, a_score, a_store, agree
from thai_dialect_bench.annotation.session import Session
from thai_dialect_bench.annotation.store import Store
from thai_dialect_bench.judgement_record import Kind

CONSENT = {"action": "consent", "agreed": True, "dialect": "lanna", "age_band": "25-34"}


class Browser:
    """One annotator's end of a session."""

    def __init__(self, session: Session, key: str) -> None:
        self.session, self.key = session, key

    def send(self, action: str, **fields: Any) -> dict[str, Any]:
        page = self.session.respond({"key": self.key, "action": action, **fields})
        json.dumps(page)
        return page


def browsers(folder: Path, kind: Kind) -> tuple[Store, Browser, Browser]:
    store, keys = a_store(folder, kind)
    session = Session(store)
    one, other = (Browser(session, key) for key in keys.values())
    return store, one, other


def test_the_consent_comes_first_and_is_required(tmp_path: Path) -> None:
    store, one, _ = browsers(tmp_path, "preference")
    for action in ("open", "go", "save", "nonsense"):
        assert one.send(action, position=0)["page"] == "consent"
    for fields in ({"agreed": False}, {"agreed": 1}, {"dialect": "x"}, {"age_band": None}, {"dialect": ["lanna"]}):
        assert "error" in one.send(**{**CONSENT, **fields})  # type: ignore[arg-type]
    assert not store.annotators()[0].consented
    assert one.send(**CONSENT)["page"] == "preference"  # type: ignore[arg-type]
    assert (store.annotators()[0].dialect, store.annotators()[0].age_band) == ("lanna", "25-34")


@pytest.mark.parametrize("key", ["", "x", "ก", "\ud800", "x\udfff", "x" * 200, None, 5, ["x"]])
def test_a_wrong_key_is_refused_whatever_it_asks(tmp_path: Path, key: object) -> None:
    session = Session(a_store(tmp_path, "preference")[0])
    assert session.respond({"key": key, "action": "open"}) == {"page": "refused"}
    assert session.respond({"key": key, **CONSENT}) == {"page": "refused"}


def test_who_withdrew_agrees_again_through_the_link(tmp_path: Path) -> None:
    store, one, _ = browsers(tmp_path, "preference")
    store.withdraw("A01")
    assert one.send("open")["page"] == "consent"
    assert store.annotators()[0].withdrawn
    assert one.send(**CONSENT)["page"] == "preference"  # type: ignore[arg-type]
    assert not store.annotators()[0].withdrawn


def test_left_and_right_are_translated_both_ways(tmp_path: Path) -> None:
    store, one, _ = browsers(tmp_path, "preference")
    agree(store)
    for position in range(3):
        page = one.send("go", position=position)
        side = store.task("A01", position).assignment.shown_left
        left, right = (MODELS if side == "a" else MODELS[::-1])[:2]
        assert page["left"].startswith(TEXTS[left])
        assert page["right"].startswith(TEXTS[right])
        said = {"dialect_choice": "left", "answer_choice": "right", "reason": " ดี\x00\ud800 "}
        one.send("save", position=position, judgement=said)
        judgement = store.task("A01", position).verdict
        assert judgement is not None
        assert (judgement.dialect_choice, judgement.answer_choice) == (("a", "b") if side == "a" else ("b", "a"))
        assert one.send("go", position=position)["judgement"] == {**said, "reason": "ดี?"}
    assert {store.task("A01", position).assignment.shown_left for position in range(3)} == {"a", "b"}


def test_saving_goes_on_and_the_way_back_shows_what_was_said(tmp_path: Path) -> None:
    store, one, _ = browsers(tmp_path, "dialect_score")
    agree(store)
    page = one.send("open")
    assert (page["position"], page["total"], page["judged"], page["judgement"]) == (0, 6, [], None)
    units = [{"start": 0, "end": 3, "text": page["answer"][:3], "right": True}]
    said = {"generation": 0.5, "fluency": 1, "units": units}
    assert one.send("save", position=0, judgement=said)["position"] == 1
    back = one.send("go", position=0)
    assert back["judgement"] == {**said, "units": [{"start": 0, "end": 3, "right": True}]}
    assert one.send("open")["position"] == 1
    for position in range(1, 6):
        page = one.send("save", position=position, judgement={**said, "units": []})
    assert page["page"] == one.send("open")["page"] == "finished"


def test_resume_goes_to_the_first_place_that_was_skipped(tmp_path: Path) -> None:
    store, one, _ = browsers(tmp_path, "preference")
    agree(store)
    for position in (0, 2):
        store.save("A01", position, a_preference())
    assert one.send("open")["position"] == 1
    assert (one.send("go", position=3)["page"], one.send("go", position=3)["judged"]) == ("finished", [0, 2])


@pytest.mark.parametrize("position", [-1, 4, "0", 1.0, True, None])
def test_a_place_that_is_not_there_changes_nothing(tmp_path: Path, position: object) -> None:
    store, one, _ = browsers(tmp_path, "preference")
    agree(store)
    said = {"dialect_choice": "left", "answer_choice": "right", "reason": "x"}
    assert set(one.send("save", position=position, judgement=said)) == {"error"}
    assert store.annotators()[0].judged == 0


@pytest.mark.parametrize(
    "judgement",
    [None, [], {}, {"dialect_choice": "a", "answer_choice": "left", "reason": "x"}, {"dialect_choice": ["left"]}],
)
def test_what_no_page_sends_is_an_error_and_not_stored(tmp_path: Path, judgement: object) -> None:
    store, one, _ = browsers(tmp_path, "preference")
    agree(store)
    assert set(one.send("save", position=0, judgement=judgement)) == {"error"}
    assert store.annotators()[0].judged == 0


@pytest.mark.parametrize("kind", ["dialect_score", "preference"])
def test_no_page_names_a_model_the_study_or_what_another_said(tmp_path: Path, kind: Kind) -> None:
    store, one, other = browsers(tmp_path, kind)
    agree(store)
    for position in range(store.annotators()[1].total):
        text = store.task("A02", position).answer_a
        store.save("A02", position, a_score(text) if kind == "dialect_score" else a_preference(reason="ความลับ"))
    served = [one.send("open"), *(one.send("go", position=position) for position in range(7))]
    assert sum("judgement" in page for page in served) > 3
    assert all(page.get("judgement") is None and not page.get("judged") for page in served)
    text = json.dumps(served, ensure_ascii=False)
    assert not [word for word in (*MODELS, "pilot", "ความลับ", "A02", "shown_left") if word in text]
    assert other.send("go", position=0)["judgement"]


def test_suggestions_come_from_the_function_that_was_given(tmp_path: Path) -> None:
    store, keys = a_store(tmp_path, "dialect_score")
    agree(store)
    asked: list[str] = []

    def suggest(text: str, dialect: str) -> Iterable[tuple[int, int]]:
        asked.append(dialect)
        return [(text.index("ไป"), text.index("ไป") + 2)]

    one = Browser(Session(store, suggest), keys["A01"])
    page = one.send("open")
    ((start, end),) = page["suggestions"]
    assert page["answer"][start:end] == "ไป"
    assert asked == ["lanna"]
    one.send("save", position=0, judgement={"generation": 0, "fluency": 0, "units": []})
    assert one.send("go", position=0)["suggestions"] == []


def test_a_study_that_cannot_be_read_is_an_error_without_its_path(tmp_path: Path) -> None:
    store, one, _ = browsers(tmp_path, "preference")
    store.file.rename(tmp_path / "away")
    page = one.send("open")
    assert set(page) == {"error"}
    assert str(tmp_path) not in page["error"]
