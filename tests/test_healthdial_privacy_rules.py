"""HealthDial's own rules: whose contacts may be published, and what the files tell of the speakers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from healthdial.privacy_rules import CONTENT_RULES, check_speakers, stated_k
from hub.card import read_card
from hub.content_check import check_content, check_text_files
from hub.footers import read_footers
from tests.hub_folders import copy_of

CONTACT = "heron.wharf@mail.example.org or +44 20 7946 0018"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from healthdial import plots
    from healthdial.build import BuildOptions, build_sample
    from tests.healthdial_built import no_drawing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "draw_plots", no_drawing)
        return build_sample(tmp_path_factory.mktemp("sample") / "healthdial", BuildOptions(workers=1)).folder


@pytest.fixture
def folder(sample: Path, tmp_path: Path) -> Path:
    return copy_of(sample, tmp_path)


def file_of(folder: Path, config: str, split: str) -> Path:
    (file,) = (folder / "data" / config).glob(f"{split}*.parquet")
    return file


def change_rows(file: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    table = pq.read_table(file)
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, table.schema), file)


def contents(folder: Path) -> list[tuple[str, str, str]]:
    card = read_card(folder)
    faults = check_content(card, read_footers(card.data_files), CONTENT_RULES)
    return [(fault.check, fault.place, fault.message.split(":")[0]) for fault in faults]


def speakers(folder: Path, k: int | None = None) -> list[tuple[str, str]]:
    return [(fault.check, fault.place) for fault in check_speakers(read_card(folder), k)]


def test_the_sample_has_no_fault(sample: Path) -> None:
    assert contents(sample) == []
    assert list(check_text_files(sample, CONTENT_RULES)) == []
    assert speakers(sample) == []


@pytest.mark.parametrize(
    ("config", "column"),
    [
        ("snippets_eng", "title"),
        ("snippets_eng", "content"),
        ("snippets_parallel", "content_zho"),
        ("system_turns_eng", "text"),
        ("user_turns_eng", "previous_system_text"),
        ("user_turns_eng", "generated_alternative"),
    ],
)
def test_contacts_of_the_who_and_of_machines_are_allowed(folder: Path, config: str, column: str) -> None:
    split = "corpus" if config.startswith("snippets") else "test"
    change_rows(file_of(folder, config, split), lambda rows: rows[0].update({column: CONTACT}))
    assert contents(folder) == []


MIXED = [("retrieval_eng", "query"), ("filtering_eng", "query"), ("turn_classification_eng", "text")]


@pytest.mark.parametrize(("config", "column"), MIXED)
@pytest.mark.parametrize(
    ("source", "split", "field"), [("snippets_eng", "corpus", "content"), ("system_turns_eng", "train", "text")]
)
def test_texts_of_both_sides_may_repeat_what_the_who_or_the_system_says(
    folder: Path, config: str, column: str, source: str, split: str, field: str
) -> None:
    change_rows(file_of(folder, config, "test"), lambda rows: rows[0].update({column: f"{CONTACT} 3 times"}))
    change_rows(file_of(folder, source, split), lambda rows: rows[0].update({field: CONTACT}))
    assert contents(folder) == []


@pytest.mark.parametrize(("config", "column"), MIXED)
def test_other_contacts_in_texts_of_both_sides_are_faults(folder: Path, config: str, column: str) -> None:
    change_rows(file_of(folder, config, "test"), lambda rows: rows[0].update({column: CONTACT}))
    change_rows(file_of(folder, "system_turns_spa", "test"), lambda rows: rows[0].update({"text": CONTACT}))
    place = f"config {config}, split test"
    assert contents(folder) == [(kind, place, f"row 0, column {column}") for kind in ("email", "telephone")]


@pytest.mark.parametrize(
    ("config", "column"),
    [
        ("user_turns_eng", "transcription"),
        ("user_turns_eng", "asr_whisper1"),
        ("system_turns_eng", "utterance_id"),
        ("snippets_eng", "topic"),
        ("speakers", "speaker_id"),
    ],
)
def test_all_other_contacts_are_faults(folder: Path, config: str, column: str) -> None:
    split = {"snippets_eng": "corpus", "speakers": "speakers"}.get(config, "test")
    change_rows(file_of(folder, config, split), lambda rows: rows[0].update({column: CONTACT}))
    place = f"config {config}, split {split}"
    assert contents(folder) == [(kind, place, f"row 0, column {column}") for kind in ("email", "telephone")]


def test_in_dialogues_the_role_decides(folder: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        for turn in rows[1]["turns"][:2]:
            turn["text"] = f"{turn['text']} {CONTACT}"

    change_rows(file_of(folder, "dialogues_eng", "test"), change)
    place = "config dialogues_eng, split test"
    assert contents(folder) == [(kind, place, "row 1, column turns.text") for kind in ("email", "telephone")]


def test_in_parallel_turns_the_role_decides(folder: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        assert [row["role"] for row in rows[:2]] == ["assistant", "user"]
        for row in rows[:2]:
            row.update(text_spa=CONTACT, generated_spa=CONTACT)

    change_rows(file_of(folder, "parallel_turns", "test"), change)
    place = "config parallel_turns, split test"
    assert contents(folder) == [(kind, place, "row 1, column text_spa") for kind in ("email", "telephone")]


def test_k_is_read_from_the_import_report_first(folder: Path) -> None:
    report = folder / "import_report.json"
    content = json.loads(report.read_text(encoding="utf-8"))
    assert content["k"] == stated_k(read_card(folder)) == 1
    report.write_text(json.dumps({**content, "k": 7}), encoding="utf-8")
    assert stated_k(read_card(folder)) == 7
    assert ("speaker_k_stated", "config speakers") in speakers(folder)


@pytest.mark.parametrize("report", ["", "[]", "{}", '{"k": 0}', '{"k": "5"}', '{"k": true}'])
def test_a_report_without_k_leaves_it_to_the_card(folder: Path, report: str) -> None:
    (folder / "import_report.json").write_text(report, encoding="utf-8")
    card = folder / "README.md"
    card.write_text(card.read_text(encoding="utf-8").replace("At least 1 speaker of", "At least 5 speakers of"))
    assert stated_k(read_card(folder)) == 5


def test_k_is_read_from_the_card(folder: Path) -> None:
    (folder / "import_report.json").unlink()
    card = folder / "README.md"
    assert stated_k(read_card(folder)) == 1
    card.write_text(card.read_text(encoding="utf-8").replace("At least 1 speaker of", "At least 1,205 speakers of"))
    assert stated_k(read_card(folder)) == 1205
    card.write_text(card.read_text(encoding="utf-8").replace("At least 1,205", "Some"))
    assert stated_k(read_card(folder)) is None
    places = [("speaker_k", f"config speakers, language {language}") for language in ("ara", "zho", "eng", "spa")]
    assert sorted(speakers(folder)) == sorted(places)


def give_up(row: dict[str, Any], *kept: str) -> None:
    row.update({name: None for name in ("gender", "age_group", "education", "language_variety") if name not in kept})


@pytest.mark.parametrize(("genders", "is_fault"), [((0, 0, 0, 1, 1, 1), False), ((0, 0, 0, 0, 1, 1), True)])
def test_combinations_are_counted_within_a_language(folder: Path, genders: tuple[int, ...], is_fault: bool) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            give_up(row, "gender")
        for language in {row["language"] for row in rows}:
            own = [row for row in rows if row["language"] == language]
            for row, gender in zip(own, genders if language == "spa" else [None] * 6, strict=True):
                row["gender"] = gender

    change_rows(file_of(folder, "speakers", "speakers"), change)
    found = [fault for fault in speakers(folder, 3) if fault[0] == "speaker_k"]
    assert found == [("speaker_k", "config speakers, language spa")] * is_fault


@pytest.mark.parametrize("speaker_id", ["5f1e0c9ab3d27846ef015c2d", "spk_spa_07", "heron", "spk_eng_7", "spk_eng_07x"])
def test_ids_that_are_not_opaque_are_faults_and_not_told(folder: Path, speaker_id: str) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        next(row for row in rows if row["language"] == "eng")["speaker_id"] = speaker_id

    change_rows(file_of(folder, "speakers", "speakers"), change)
    found = list(check_speakers(read_card(folder)))
    assert ("speaker_id", "config speakers") in [(fault.check, fault.place) for fault in found]
    assert speaker_id not in repr(found)


def test_an_id_given_twice_is_a_fault(folder: Path) -> None:
    change_rows(file_of(folder, "speakers", "speakers"), lambda rows: rows.append(dict(rows[0])))
    assert speakers(folder) == [("speaker_id", "config speakers")]


@pytest.mark.parametrize("config", ["user_turns_eng", "dialogues_eng"])
def test_ids_of_turns_and_dialogues_must_be_listed(folder: Path, config: str) -> None:
    change_rows(file_of(folder, config, "test"), lambda rows: rows[0].update(speaker_id="spk_eng_99"))
    assert speakers(folder) == [("speaker_columns", f"config {config}, split test")]


@pytest.mark.parametrize("field", ["gender", "age_group", "education", "language_variety"])
def test_user_turns_may_not_tell_more_than_speakers(folder: Path, field: str) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row[field] = None

    change_rows(file_of(folder, "speakers", "speakers"), change)
    languages = ("ara", "eng", "spa", "zho")
    places = [f"config user_turns_{language}, split {split}" for language in languages for split in ("test", "train")]
    assert set(speakers(folder)) >= {("speaker_columns", place) for place in places}


def test_a_turn_without_a_speaker_tells_nothing(folder: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[0]["speaker_id"] = None
        rows[1]["speaker_id"] = None
        give_up(rows[1])

    change_rows(file_of(folder, "user_turns_eng", "test"), change)
    (fault,) = check_speakers(read_card(folder))
    assert fault.message.startswith("1 rows differ")


def test_damaged_files_are_passed_over(folder: Path) -> None:
    file = file_of(folder, "user_turns_eng", "test")
    file.write_bytes(file.read_bytes()[:-4])
    assert speakers(folder) == []
