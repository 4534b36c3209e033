"""Made-up answers and studies for the tests of the annotation tool."""

from __future__ import annotations

import csv
from pathlib import Path

from thai_dialect_bench.annotation.store import Store
from thai_dialect_bench.annotation.study import Answer, Choice, Study, make_study
from thai_dialect_bench.annotation.verdict import Verdict
from thai_dialect_bench.judgement_record import Kind, Unit
from thai_dialect_bench.release import release_task

MODELS = ("zebra-9b-secret", "quokka-70b-secret")
PAIR = {"a": MODELS[0], "b": MODELS[1]}
TEXTS = {
    "zebra-9b-secret": "วันนี้เฮาจะไปแอ่วกาด 😀 บ่ไกล๋",
    "quokka-70b-secret": "วันนี้เราจะไปเที่ยวตลาด ไม่ไกล <b>จบ</b>",
}
TASK_OF: dict[Kind, str] = {"dialect_score": "translation_from_english", "preference": "food"}


def answers(kind: Kind, items: int = 3, models: tuple[str, ...] = MODELS, dialect: str = "lanna") -> list[Answer]:
    task = TASK_OF[kind]
    return [
        Answer(f"{task}-{index:02d}", task, dialect, f"คำสั่งที่ {index}", model, f"{TEXTS[model]} {index}", "made up")
        for model in models
        for index in range(items)
    ]


def a_study(kind: Kind, *, items: int = 3, annotators: int = 2, seed: int = 42) -> Study:
    choice = Choice(kind, "lanna", models=MODELS)
    return make_study(answers(kind, items), choice, name="pilot", annotators=annotators, seed=seed)


def a_store(folder: Path, kind: Kind, *, items: int = 3, annotators: int = 2) -> tuple[Store, dict[str, str]]:
    return Store.create(folder / "pilot.sqlite", a_study(kind, items=items, annotators=annotators))


def agree(store: Store) -> None:
    for annotator in store.annotators():
        store.consent(annotator.code, "lanna", "25-34")


def a_score(text: str, generation: float = 1.0, fluency: float = 0.5) -> Verdict:
    return Verdict(generation, fluency, (Unit(0, 3, text[:3], True), Unit(6, 9, text[6:9], False)))


def a_preference(dialect_choice: str = "a", reason: str = "คำว่า แอ่ว ถูก") -> Verdict:
    return Verdict(dialect_choice=dialect_choice, answer_choice="both", reason=reason)


def write_outputs(folder: Path, task: str, variety: str, release_variety: str, rows: int = 3) -> Path:
    """Write the answers of both models as CSV files in the release's layout."""
    folder.mkdir(exist_ok=True)
    for model in MODELS:
        file = folder / f"{release_task(task, variety)}_{release_variety}_0_0_{model}.csv"
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("Input", "Pred", "Pred_Latin", "Gold"))
            writer.writerows((f"คำสั่งที่ {row}", f"{TEXTS[model]} {row}", "", ".") for row in range(rows))
    return folder
