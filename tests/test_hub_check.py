"""The whole check: good data sets have no fault, and one fault hides no other."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from datasets import Value

from hub.check import check_folder
from hub.commands import check, check_text
from hub.errors import BenchError
from hub.faults import ContentRules
from tests.hub_folders import HEALTHDIAL_RULES, copy_of, edit_card, faults_of, file_of, made_table, replace_table

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


def test_what_costs_statistics_only_is_a_warning(sample_data: Path, tmp_path: Path) -> None:
    folder = copy_of(sample_data, tmp_path)
    replace_table(folder, "isan", made_table({"value": [0, 1]}, {"value": Value("int32")}))
    checked = check_folder(folder, ContentRules())
    assert checked.faults == ()
    assert [(one.check, one.place) for one in checked.warnings] == [
        ("integers_differ_by_1", "config isan, split test")
    ]
    warning, outcome = check_text(folder, checked).splitlines()
    assert warning.startswith("Warning: config isan, split test: the integers of column value are 0 and 1 only")
    assert outcome.endswith("nothing that the viewer or the loader would refuse.")


def test_warnings_do_not_end_the_command_with_an_error(
    sample_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copy_of(sample_data, tmp_path)
    replace_table(folder, "isan", made_table({"value": [0, 1]}, {"value": Value("int32")}))
    check(folder, ContentRules())
    assert "[integers_differ_by_1]" in capsys.readouterr().out
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    with pytest.raises(BenchError, match="1 fault, so"):
        check(folder, ContentRules())


def test_without_mlcroissant_one_line_says_so_and_nothing_is_a_fault(
    sample_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    checked = check_folder(sample_data, ContentRules())
    assert checked.faults == checked.warnings == ()
    (line,) = checked.not_checked
    assert line.startswith("The Croissant metadata was not checked: mlcroissant is not installed.")


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="there is no such folder"):
        check_folder(tmp_path / "nowhere", ContentRules())
