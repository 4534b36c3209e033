"""The Croissant metadata has the Hub's form, passes mlcroissant, and its records are the rows of the files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from datasets import Audio, ClassLabel, Features, LargeList, List, Value

from hub import croissant_check
from hub.card import read_card
from hub.croissant import MAX_CONFIGS, croissant_of
from hub.croissant_check import check_croissant
from hub.faults import Finding, NotChecked
from hub.footers import read_footers
from tests.hub_folders import copy_of, edit_card, file_of, made_table, replace_table

pytest.importorskip("mlcroissant", reason="needs the extra `check`")


@pytest.fixture
def folder(sample_data: Path, tmp_path: Path) -> Path:
    return copy_of(sample_data, tmp_path)


def findings(folder: Path) -> list[Finding]:
    card = read_card(folder)
    return list(check_croissant(card, read_footers(card.data_files)))


def metadata(folder: Path) -> dict[str, Any]:
    card = read_card(folder)
    return croissant_of(card, read_footers(card.data_files), "org/name")


def record_set(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in metadata(folder)["recordSet"] if one["@id"] == name)
    return found


def field_of(folder: Path, feature: Any) -> dict[str, Any] | None:
    """Return the field of a column ``a`` of the config isan."""
    replace_table(folder, "isan", made_table({"a": [None]}, {"a": feature}))
    fields = record_set(folder, "isan")["field"][1:]
    return fields[0] if fields else None


def source(*path: str) -> dict[str, Any]:
    transforms = [{"jsonPath": key} for key in path]
    more = {"transform": transforms[0] if len(transforms) == 1 else transforms} if transforms else {}
    return {"fileSet": {"@id": "parquet-files-for-config-isan"}, "extract": {"column": "a"}, **more}


def test_the_sample_is_valid_and_its_records_are_its_rows(sample_data: Path) -> None:
    assert findings(sample_data) == []


def test_files_and_splits_have_the_hubs_form(sample_data: Path) -> None:
    made = metadata(sample_data)
    assert made["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    repository, first = made["distribution"][:2]
    assert (repository["@id"], repository["encodingFormat"]) == ("repo", "git+https")
    assert repository["contentUrl"] == "https://huggingface.co/datasets/org/name/tree/refs%2Fconvert%2Fparquet"
    assert first == {
        "@type": "cr:FileSet",
        "@id": "parquet-files-for-config-central",
        "containedIn": {"@id": "repo"},
        "encodingFormat": "application/x-parquet",
        "includes": "central/*/*.parquet",
    }
    splits = record_set(sample_data, "central_splits")
    assert splits["key"] == {"@id": "central_splits/split_name"}
    assert splits["data"] == [{"central_splits/split_name": "test"}]
    split = record_set(sample_data, "central")["field"][0]
    assert split["source"]["transform"] == {"regex": "central/(?:partial-)?(test)/.+parquet$"}
    assert split["references"] == {"field": {"@id": "central_splits/split_name"}}
    json.dumps(made)


@pytest.mark.parametrize(
    ("feature", "kind"),
    [
        (Value("string"), "sc:Text"),
        (Value("bool"), "sc:Boolean"),
        (Value("int32"), "cr:Int32"),
        (Value("uint8"), "cr:UInt8"),
        (Value("float32"), "cr:Float32"),
        (ClassLabel(names=["a", "b"]), "sc:Integer"),
    ],
)
def test_types_of_values(folder: Path, feature: Any, kind: str) -> None:
    assert field_of(folder, feature) == {
        "@type": "cr:Field",
        "@id": "isan/a",
        "dataType": kind,
        "source": source(),
    }


@pytest.mark.parametrize(
    ("feature", "shape"),
    [
        (List(Value("string")), "-1"),
        (LargeList(Value("string")), "-1"),
        (List(Value("string"), length=2), "2"),
        (List(List(Value("string"))), "-1,-1"),
    ],
)
def test_lists_are_arrays(folder: Path, feature: Any, shape: str) -> None:
    field = field_of(folder, feature)
    assert field is not None
    assert (field["dataType"], field["isArray"], field["arrayShape"]) == ("sc:Text", True, shape)


def test_records_have_a_field_for_each_key(folder: Path) -> None:
    field = field_of(folder, List({"b": Value("string"), "c": {"d": Value("int32")}}))
    assert field is not None
    assert (field["isArray"], "dataType" in field) == (True, False)
    first, second = field["subField"]
    assert (first["@id"], first["source"]) == ("isan/a/b", source("b"))
    assert (second["subField"][0]["@id"], second["subField"][0]["source"]) == ("isan/a/c/d", source("c", "d"))


def test_recordings_are_left_out_and_named(folder: Path) -> None:
    features = {"audio": Audio(16_000), "text": Value("string")}
    replace_table(folder, "isan", made_table({"audio": [None], "text": ["a"]}, features))
    made = record_set(folder, "isan")
    assert [field["@id"] for field in made["field"]] == ["isan/split", "isan/text"]
    assert made["description"].endswith("- 1 skipped column: audio")
    assert findings(folder) == []


def test_a_config_of_recordings_only_is_not_read(folder: Path) -> None:
    replace_table(folder, "isan", made_table({"audio": [None]}, {"audio": Audio(16_000)}))
    assert [field["@id"] for field in record_set(folder, "isan")["field"]] == ["isan/split"]
    assert findings(folder) == []


def test_a_split_without_rows_has_no_records(folder: Path) -> None:
    replace_table(folder, "isan", made_table({"text": []}, {"text": Value("string")}))
    assert findings(folder) == []


def test_values_of_all_kinds_are_read_as_they_are(folder: Path) -> None:
    turn = {"role": "user", "text": "น้ำ سكر", "flag": None, "ids": ["x", "y"]}
    columns = {
        "text": ["a", "", None, "<b>น้ำ</b>"],
        "flag": [True, False, None, True],
        "number": [0, -5, None, 2**31 - 1],
        "score": [0.1, None, 3.0, -1.5],
        "label": [0, 1, None, 1],
        "ids": [["a"], [], ["b", "c"], [""]],
        "scores": [[0.1, 2.0], [], [3.5], [0.0]],
        "turns": [[turn, turn], [turn], [turn], [{**turn, "text": None, "ids": []}]],
    }
    kinds = {"role": "string", "text": "string", "flag": "bool"}
    features = Features(
        {
            "text": Value("string"),
            "flag": Value("bool"),
            "number": Value("int32"),
            "score": Value("float32"),
            "label": ClassLabel(names=["a", "b"]),
            "ids": List(Value("string")),
            "scores": List(Value("float32")),
            "turns": List({**{name: Value(kind) for name, kind in kinds.items()}, "ids": List(Value("string"))}),
        }
    )
    replace_table(folder, "isan", made_table(columns, features))
    assert findings(folder) == []


def test_only_the_first_rows_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_table(folder, "isan", made_table({"text": [str(row) for row in range(99)]}, {"text": Value("string")}))
    counts: list[int] = []
    check = croissant_check._check_records

    def watched(data_set: Any, config: str, expected: dict[str, list[Any]]) -> Any:
        counts.extend(map(len, expected.values()))
        return check(data_set, config, expected)

    monkeypatch.setattr(croissant_check, "_check_records", watched)
    assert findings(folder) == []
    assert max(counts) == croissant_check.ROWS


def test_a_column_named_split_hides_the_hubs_own(folder: Path) -> None:
    replace_table(folder, "isan", made_table({"split": ["a"]}, {"split": Value("string")}))
    (fault,) = findings(folder)
    assert (getattr(fault, "check", ""), getattr(fault, "place", "")) == ("croissant_records", "config isan")


def test_values_that_differ_are_a_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = croissant_check._copy_first_rows

    def other(card: Any, config: str, *arguments: Any) -> dict[str, list[dict[str, Any]]]:
        rows = copy(card, config, *arguments)
        if config == "isan":
            rows["test"][0]["prompt"] = "other"
        if config == "lanna":
            rows["test"] = rows["test"][1:]
        return rows

    monkeypatch.setattr(croissant_check, "_copy_first_rows", other)
    found = findings(folder)
    assert [(one.check, one.place) for one in found if not isinstance(one, NotChecked)][:2] == [
        ("croissant_records", "config isan"),
        ("croissant_records", "config lanna"),
    ]
    assert "['prompt']" in getattr(found[0], "message", "")


def test_records_that_cannot_be_read_are_a_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = croissant_check.croissant_of

    def broken(*arguments: Any) -> dict[str, Any]:
        metadata = made(*arguments)
        field = next(one for one in metadata["recordSet"] if one["@id"] == "isan")["field"][1]
        field["source"]["extract"]["column"] = "absent"
        return metadata

    monkeypatch.setattr(croissant_check, "croissant_of", broken)
    assert [(one.check, one.place) for one in findings(folder) if not isinstance(one, NotChecked)] == [
        ("croissant_records", "config isan")
    ]


def test_metadata_that_is_not_valid_is_a_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = croissant_check.croissant_of

    def broken(*arguments: Any) -> dict[str, Any]:
        metadata = made(*arguments)
        field = next(one for one in metadata["recordSet"] if one["@id"] == "isan")["field"][1]
        del field["dataType"]
        return metadata

    monkeypatch.setattr(croissant_check, "croissant_of", broken)
    (fault,) = findings(folder)
    assert getattr(fault, "check", "") == "croissant_invalid"
    message = getattr(fault, "message", "")
    assert "dataType" in message
    assert "\n" not in message


def test_unreadable_configs_are_left_out(folder: Path) -> None:
    file = file_of(folder, "isan")
    file.write_bytes(file.read_bytes()[:-4])
    assert {one["@id"] for one in metadata(folder)["recordSet"]} & {"isan", "lanna"} == {"lanna"}
    assert findings(folder) == []


def test_damaged_rows_are_left_to_other_checkers(folder: Path) -> None:
    table = made_table({"text": ["so " * 3000]}, {"text": Value("string")})
    file = replace_table(folder, "isan", table, compression="gzip")
    content = bytearray(file.read_bytes())
    content[4:60] = bytes(56)
    file.write_bytes(content)
    assert findings(folder) == []


def test_the_hub_describes_the_first_configs(folder: Path) -> None:
    def more(card: dict[str, Any]) -> None:
        config = card["configs"][0]
        card["configs"] = [{**config, "config_name": f"c{number}"} for number in range(MAX_CONFIGS + 1)]

    edit_card(folder, more)
    assert len(metadata(folder)["recordSet"]) == 2 * MAX_CONFIGS


def test_without_mlcroissant_one_line_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    (found,) = findings(folder)
    assert isinstance(found, NotChecked)
    assert "pip install 'mlcroissant" in found.line
