"""Export to JSONL and CSV and back: equal records, formulas disarmed in CSV only, faults named with their place."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.annotation_studies import MODELS, PAIR, a_preference, a_score, a_store, a_study, agree
from thai_dialect_bench.annotation.export import judgements
from thai_dialect_bench.annotation.importing import Imported, import_judgements
from thai_dialect_bench.annotation.store import Store
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import Kind
from thai_dialect_bench.judgements import write_csv, write_jsonl

REASONS = ("=1+1", "+66", "-", "@ที่", "\tแท็บ", "\rกลับ", "'=1", 'บรรทัด\nสอง, "คำพูด"', "'อ้าง'", "\u2028ก")


def judged_store(folder: Path, kind: Kind) -> Store:
    store, _ = a_store(folder, kind, items=len(REASONS))
    agree(store)
    for task in store.tasks()[:-3]:
        place = task.assignment
        if kind == "dialect_score":
            store.save(place.annotator, place.position, a_score(task.answer_a))
        else:
            reason = REASONS[place.position % len(REASONS)]
            store.save(place.annotator, place.position, a_preference(reason=reason))
    return store


def fresh_store(folder: Path, kind: Kind, seed: int = 42) -> Store:
    folder.mkdir()
    return Store.create(folder / "pilot.sqlite", a_study(kind, items=len(REASONS), seed=seed))[0]


def records(store: Store) -> list[dict[str, Any]]:
    return [judgement.as_record() for judgement in judgements(store)]


@pytest.mark.parametrize("kind", ["dialect_score", "preference"])
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_round_trip_gives_equal_records(tmp_path: Path, kind: Kind, form: str) -> None:
    store = judged_store(tmp_path, kind)
    content = judgements(store)
    file = tmp_path / f"judgements.{form}"
    (write_jsonl if form == "jsonl" else write_csv)(file, content)
    # another seed: the sides in which the answers were really shown must come from the file
    other = fresh_store(tmp_path / "other", kind, seed=7)
    assert import_judgements(other, file) == Imported(len(content), 0, 0)
    assert sorted(judgements(other), key=str) == sorted(content, key=str)
    assert import_judgements(other, file) == Imported(0, len(content), 0)


def test_records_have_true_names_and_what_was_shown(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "preference")
    agree(store)
    store.save("A02", 1, a_preference("b"))
    place = store.task("A02", 1).assignment
    (record,) = records(store)
    assert {**record, "time": "now"} == {
        **{"study": "pilot", "kind": "preference", "item": place.item, "task": "food", "dialect": "lanna"},
        **{"model_a": PAIR["a"], "model_b": PAIR["b"], "shown_left": place.shown_left, "annotator": "A02"},
        **{"dialect_choice": "b", "answer_choice": "both", "reason": "คำว่า แอ่ว ถูก", "time": "now"},
    }


def test_records_of_a_dialect_score(tmp_path: Path) -> None:
    store, _ = a_store(tmp_path, "dialect_score")
    agree(store)
    task = store.task("A01", 0)
    store.save("A01", 0, a_score(task.answer_a))
    (record,) = records(store)
    assert record["model"] in MODELS
    assert (record["generation"], record["fluency"]) == (1.0, 0.5)
    assert record["units"] == [
        {"start": 0, "end": 3, "text": task.answer_a[:3], "right": True},
        {"start": 6, "end": 9, "text": task.answer_a[6:9], "right": False},
    ]


def test_formulas_are_disarmed_in_csv_only(tmp_path: Path) -> None:
    content = judgements(judged_store(tmp_path, "preference"))
    write_csv(tmp_path / "x.csv", content)
    write_jsonl(tmp_path / "x.jsonl", content)
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert "'=1+1" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert '"reason": "=1+1"' in (tmp_path / "x.jsonl").read_text(encoding="utf-8")


def changed(record: dict[str, object], **fields: object) -> str:
    return json.dumps({**record, **fields}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"annotator": "A77"}, "A77 on .*no such annotator, item and model"),
        ({"item": "food-99"}, "on food-99: this study has no such annotator, item and model"),
        ({"model_a": "other"}, r"no such annotator, item and model \(other, quokka-70b-secret\)"),
        ({"study": "another"}, "study is 'another', but of this study it is 'pilot'"),
        ({"dialect": "isan"}, "dialect is 'isan'"),
        ({"task": "qa"}, "task is 'qa'"),
        ({"shown_left": None}, "shown_left is missing"),
        ({"dialect_choice": "left"}, "line .*field dialect_choice"),
        ({"dialect_choice": None}, "both aspects need a choice"),
        ({"reason": " "}, "needs a short reason"),
        ({"reason": "อื่น"}, "another judgement is here, of .*give --replace"),
    ],
)
def test_a_faulty_record_is_named_and_nothing_is_imported(
    tmp_path: Path, fields: dict[str, object], message: str
) -> None:
    store = judged_store(tmp_path, "preference")
    content = records(store)
    store.withdraw("A02")
    agree(store)
    lines = [json.dumps(record) for record in content if record["annotator"] == "A02"]
    file = tmp_path / "judgements.jsonl"
    file.write_text("\n".join([*lines, changed(content[0], **fields)]), encoding="utf-8")
    with pytest.raises(BenchError, match=rf"judgements\.jsonl.*{message}"):
        import_judgements(store, file)
    assert store.judged_positions("A02") == []


@pytest.mark.parametrize("replace", [False, True])
def test_who_withdrew_is_not_brought_back_by_an_older_export(tmp_path: Path, replace: bool) -> None:
    store = judged_store(tmp_path, "preference")
    content = judgements(store)
    file = tmp_path / "judgements.jsonl"
    write_jsonl(file, content)
    store.withdraw("A02")
    left = records(store)
    with pytest.raises(BenchError, match=r"jsonl, A02 on .*A02 withdrew.*delete their lines.*Nothing was imported\."):
        import_judgements(store, file, replace=replace)
    assert records(store) == left
    others = [judgement for judgement in content if judgement.annotator != "A02"]
    write_jsonl(file, others)
    assert import_judgements(store, file, replace=replace) == Imported(0, len(others), 0)
    write_jsonl(file, content)
    agree(store)
    assert import_judgements(store, file).added == len(content) - len(others) > 0


def test_a_judgement_that_differs_is_replaced_only_when_asked(tmp_path: Path) -> None:
    store = judged_store(tmp_path, "preference")
    content = records(store)
    file = tmp_path / "judgements.jsonl"
    file.write_text(changed(content[0], reason="ใหม่"), encoding="utf-8")
    assert import_judgements(store, file, replace=True) == Imported(0, 0, 1)
    assert [record["reason"] for record in records(store)] == ["ใหม่", *(record["reason"] for record in content[1:])]


def test_another_kind_of_study_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "judgements.jsonl"
    write_jsonl(file, judgements(judged_store(tmp_path, "preference")))
    with pytest.raises(BenchError, match="kind is 'preference', but of this study it is 'dialect_score'"):
        import_judgements(fresh_store(tmp_path / "other", "dialect_score"), file)


def test_levels_and_units_of_a_file_are_checked(tmp_path: Path) -> None:
    store = judged_store(tmp_path, "dialect_score")
    record = records(store)[0]
    store.withdraw("A01")
    agree(store)
    file = tmp_path / "judgements.jsonl"
    unit = record["units"][0]
    for fields in (
        {"generation": None},
        {"fluency": 0.25},
        {"units": [{**unit, "end": 2}]},
        {"units": [unit, {**unit, "right": False}]},
        {"units": [{"start": 0}]},
    ):
        file.write_text(changed(record, **fields), encoding="utf-8")
        with pytest.raises(BenchError, match=r"judgements\.jsonl"):
            import_judgements(store, file)
    assert store.annotators()[0].judged == 0
