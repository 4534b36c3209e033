"""The whole check: good data sets have no fault, and one fault hides no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.check import check_folder
from hub.errors import BenchError
from hub.faults import ContentRules
from tests.hub_folders import HEALTHDIAL_RULES, copy_of, edit_card, faults_of, file_of

pytest_plugins = ("tests.healthdial_built_sample",)


def test_the_thai_sample_has_no_fault(sample_data: Path) -> None:
    checked = check_folder(sample_data, ContentRules())
    assert checked.faults == ()
    assert (checked.configs, checked.files) == (6, 8)
    assert checked.bytes == sum(file.stat().st_size for file in sample_data.rglob("*") if file.is_file())


def test_the_healthdial_sample_has_no_fault(healthdial_sample: Path) -> None:
    checked = check_folder(healthdial_sample, HEALTHDIAL_RULES)
    assert checked.faults == ()
    assert checked.configs == 31


def test_the_thai_release_has_no_fault(upstream: Path, tmp_path: Path) -> None:
    from thai_dialect_bench.build import build
    from thai_dialect_bench.release import read_release

    folder = build(read_release(upstream), tmp_path).folder
    assert faults_of(folder) == []


def test_faults_of_all_checkers_are_found_in_one_run(sample_data: Path, tmp_path: Path) -> None:
    folder = copy_of(sample_data, tmp_path)
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    edit_card(folder, lambda metadata: metadata.update(license="mitt"))
    broken = file_of(folder, "isan")
    broken.write_bytes(broken.read_bytes()[:-4])
    assert faults_of(folder) == [
        ("unknown_file", "notes.txt"),
        ("licence_unknown", "card"),
        ("unreadable_parquet", broken.relative_to(folder).as_posix()),
    ]


def test_files_are_checked_although_the_card_cannot_be_read(sample_data: Path, tmp_path: Path) -> None:
    folder = copy_of(sample_data, tmp_path)
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    (folder / "README.md").write_text("---\nlicense: [mit\n---\n", encoding="utf-8")
    checked = check_folder(folder, ContentRules())
    assert [(fault.check, fault.place) for fault in checked.faults] == [
        ("unknown_file", "notes.txt"),
        ("card_unreadable", "card"),
    ]
    assert "README.md, line 2" in checked.faults[1].message
    assert checked.configs == 0


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="there is no such folder"):
        check_folder(tmp_path / "nowhere", ContentRules())
