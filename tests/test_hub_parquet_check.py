"""The check of Parquet files: each way of breaking them, or the card's account of them, is refused with its fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import Audio, ClassLabel, Features, Image, List, Value, Video

from hub.binary_columns import binary_columns
from hub.card import read_card
from hub.footers import Footers, RowGroup, read_footers
from hub.parquet_check import check_parquet
from tests.hub_folders import (
    Metadata,
    copy_of,
    edit_card,
    entry,
    faults_of,
    file_of,
    made_table,
    read_table,
    replace_table,
    warnings_of,
)

ISAN = ("config isan", "config isan, split test")
MADE = "data/isan/test-0123456789abcdef.parquet"
STRING = Value("string")


@pytest.fixture
def folder(sample_data: Path, tmp_path: Path) -> Path:
    return copy_of(sample_data, tmp_path)


def edit_info(folder: Path, edit: Callable[[Metadata], Any]) -> None:
    edit_card(folder, lambda metadata: edit(entry(metadata, "dataset_info", "isan")))


def edit_paths(folder: Path, paths: list[str]) -> None:
    edit_card(folder, lambda metadata: entry(metadata, "configs", "isan")["data_files"][0].update(path=paths))


def test_a_rewritten_table_has_no_fault(folder: Path) -> None:
    replace_table(folder, "isan", read_table(folder, "isan"))
    assert faults_of(folder) == []


def test_a_glob_without_files_is_refused(folder: Path) -> None:
    path = file_of(folder, "isan").relative_to(folder).as_posix()
    edit_paths(folder, [path, "data/isan/train-*.parquet"])
    assert faults_of(folder) == [("glob_without_files", ISAN[1])]


def test_a_data_file_that_is_not_there_is_refused(folder: Path) -> None:
    file_of(folder, "isan").unlink()
    assert faults_of(folder) == [("glob_without_files", ISAN[1])]


def test_a_data_file_of_no_config_is_refused(folder: Path) -> None:
    (folder / "data/isan/test-aabbccddeeff0011.parquet").write_bytes(file_of(folder, "isan").read_bytes())
    assert faults_of(folder) == [("file_without_config", "data/isan/test-aabbccddeeff0011.parquet")]


def test_a_file_in_two_splits_is_refused(folder: Path) -> None:
    def repeat(metadata: Metadata) -> None:
        files = entry(metadata, "configs", "isan")["data_files"]
        files.append({"split": "train", "path": files[0]["path"]})
        splits = entry(metadata, "dataset_info", "isan")["splits"]
        splits.append({**splits[0], "name": "train"})
        entry(metadata, "dataset_info", "isan")["dataset_size"] *= 2

    edit_card(folder, repeat)
    assert faults_of(folder) == [("file_in_two_splits", ISAN[0])]


@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: b"", lambda content: b"PAR1"])
def test_a_file_that_is_cut_is_refused(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    file = file_of(folder, "isan")
    file.write_bytes(damage(file.read_bytes()))
    assert faults_of(folder) == [("unreadable_parquet", file.relative_to(folder).as_posix())]


@pytest.mark.parametrize("rows", [0, 28, 30])
def test_another_number_of_rows_in_the_card_is_refused(folder: Path, rows: int) -> None:
    edit_info(folder, lambda info: info["splits"][0].update(num_examples=rows))
    assert faults_of(folder) == [("dataset_info_rows", ISAN[1])]


@pytest.mark.parametrize("key", ["dataset_size", "download_size"])
def test_another_size_in_the_card_is_refused(folder: Path, key: str) -> None:
    edit_info(folder, lambda info: info.update({key: info[key] + 1}))
    assert faults_of(folder) == [("dataset_info_bytes", ISAN[0])]


@pytest.mark.parametrize("size", [0, 1])
def test_another_num_bytes_in_the_card_is_refused(folder: Path, size: int) -> None:
    edit_info(folder, lambda info: info["splits"][0].update(num_bytes=size))
    card = read_card(folder)
    found = [(fault.check, fault.place) for fault in check_parquet(card, read_footers(card.data_files))]
    assert found == [("dataset_info_bytes", ISAN[0])]


@pytest.mark.parametrize(
    "edit",
    [
        lambda features: features.pop(),
        lambda features: features.reverse(),
        lambda features: features[0].update(dtype="int64"),
        lambda features: features[0].update(name="other"),
        lambda features: features.append({"name": "more", "dtype": "string"}),
        lambda features: features[0].update(dtype={"class_label": {"names": {"0": "a"}}}),
    ],
)
def test_other_features_in_the_card_are_refused(folder: Path, edit: Callable[[list[Metadata]], Any]) -> None:
    edit_info(folder, lambda info: edit(info["features"]))
    assert faults_of(folder) == [("dataset_info_features", ISAN[0])]


def test_other_splits_in_the_card_are_refused(folder: Path) -> None:
    edit_info(folder, lambda info: info["splits"][0].update(name="train"))
    assert faults_of(folder) == [("dataset_info_splits", ISAN[0])]


def test_a_config_without_info_is_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: metadata["dataset_info"].remove(entry(metadata, "dataset_info", "isan")))
    assert faults_of(folder) == [("dataset_info_missing", ISAN[0])]


@pytest.mark.parametrize("features", [["id"], [{"name": "id", "dtype": "strong"}], 3])
def test_info_that_datasets_cannot_read_is_refused(folder: Path, features: Any) -> None:
    edit_info(folder, lambda info: info.update(features=features))
    assert faults_of(folder) == [("dataset_info_unreadable", ISAN[0])]


def add_shard(folder: Path, table: pa.Table) -> None:
    """Give the config isan a second file."""
    first = file_of(folder, "isan")
    second = folder / MADE
    pq.write_table(table, second, write_page_index=True)

    def correct(info: Metadata) -> None:
        info["splits"][0]["num_examples"] += len(table)
        info["download_size"] += second.stat().st_size

    edit_paths(folder, [first.relative_to(folder).as_posix(), MADE])
    edit_info(folder, correct)


def relabelled(table: pa.Table) -> pa.Table:
    """Return the same columns with another class in the metadata of ``datasets``."""
    features = Features.from_arrow_schema(table.schema)
    features["item"] = Value("string", id="other")
    content = {"info": {"features": features.to_dict()}}
    content["info"]["features"]["item"]["dtype"] = "large_string"
    return table.replace_schema_metadata({"huggingface": json.dumps(content)})


def test_two_files_of_one_schema_are_taken(folder: Path) -> None:
    add_shard(folder, read_table(folder, "isan"))
    assert faults_of(folder) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.drop_columns(["note"]),
        lambda table: table.select(table.column_names[::-1]),
        lambda table: table.set_column(0, "id", table["id"].cast(pa.large_string())),
    ],
)
def test_two_schemas_in_a_config_are_refused(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    table = change(read_table(folder, "isan"))
    features = Features.from_arrow_schema(table.replace_schema_metadata(None).schema)
    add_shard(folder, table.replace_schema_metadata(features.arrow_schema.metadata))
    assert faults_of(folder) == [("schema_differs", MADE)]


def test_features_that_differ_between_files_of_equal_columns_are_refused(folder: Path) -> None:
    columns = {"label": [0, 3, 5]}
    replace_table(folder, "isan", made_table(columns, {"label": ClassLabel(names=list("abcdef"))}))
    file = file_of(folder, "isan").rename(folder / "data/isan/test-00112233445566aa.parquet")
    edit_paths(folder, [file.relative_to(folder).as_posix()])
    add_shard(folder, made_table(columns, {"label": ClassLabel(names=list("fedcba"))}))
    assert faults_of(folder) == [("schema_differs", MADE)]


def test_features_of_other_columns_are_refused(folder: Path) -> None:
    table = read_table(folder, "isan")
    replace_table(folder, "isan", table)
    pq.write_table(relabelled(table), folder / MADE, write_page_index=True)
    faults = faults_of(folder)
    assert ("features_of_other_columns", MADE) in faults
    assert {check for check, _ in faults} <= {
        "features_of_other_columns",
        "dataset_info_features",
        "dataset_info_bytes",
    }


def test_a_file_without_features_is_refused(folder: Path) -> None:
    replace_table(folder, "isan", read_table(folder, "isan").replace_schema_metadata(None))
    assert faults_of(folder) == [("features_missing", MADE)]


@pytest.mark.parametrize("statistics", [True, False])
def test_a_file_without_page_index_is_refused(folder: Path, statistics: bool) -> None:
    table = read_table(folder, "isan")
    replace_table(folder, "isan", table, write_page_index=False, write_statistics=statistics)
    assert faults_of(folder) == [("page_index", MADE)]


@pytest.mark.parametrize(("rows", "expected"), [(1000, []), (1001, [("row_group_rows", MADE)])])
def test_too_many_rows_in_a_row_group_are_refused(folder: Path, rows: int, expected: list[tuple[str, str]]) -> None:
    table = made_table({"text": ["a"] * rows}, {"text": STRING})
    replace_table(folder, "isan", table, row_group_size=rows)
    assert faults_of(folder) == expected


@pytest.mark.parametrize(("rows", "expected"), [(100, []), (101, [("row_group_rows", MADE)])])
def test_too_many_recordings_in_a_row_group_are_refused(
    folder: Path, rows: int, expected: list[tuple[str, str]]
) -> None:
    table = made_table({"audio": [None] * rows}, {"audio": Audio(16000, decode=False)})
    replace_table(folder, "isan", table, row_group_size=rows)
    assert faults_of(folder) == expected


@pytest.mark.parametrize(("size", "expected"), [(300_000_000, []), (300_000_001, [("row_group_bytes", "data/isan/")])])
def test_a_row_group_larger_than_the_viewer_fetches_is_refused(
    folder: Path, size: int, expected: list[tuple[str, str]]
) -> None:
    card = read_card(folder)
    footers = read_footers(card.data_files)
    file = file_of(folder, "isan")
    groups = (RowGroup(9, 5, ()), RowGroup(20, size, ()))
    changed = Footers({**footers.read, file: replace(footers.read[file], row_groups=groups)})
    found = [(fault.check, fault.place) for fault in check_parquet(card, changed)]
    assert [(check, place.removesuffix(file.name)) for check, place in found] == expected


def test_the_size_of_a_row_group_is_that_of_its_compressed_columns(folder: Path) -> None:
    file = file_of(folder, "isan")
    (group,) = read_footers([file]).read[file].row_groups
    chunks = pq.ParquetFile(file).metadata.row_group(0)
    sizes = [chunks.column(number).total_compressed_size for number in range(chunks.num_columns)]
    assert group.compressed_bytes == sum(sizes)
    assert 0 < group.compressed_bytes < file.stat().st_size


@pytest.mark.parametrize(
    ("values", "feature", "expected"),
    [
        ([3, 4, 3], Value("int32"), [("integers_differ_by_1", ISAN[1])]),
        ([0, None, 1], Value("int64"), [("integers_differ_by_1", ISAN[1])]),
        ([3, 3, 3], Value("int32"), []),
        ([3, 5, 4], Value("int32"), []),
        ([None, None, None], Value("int32"), []),
        ([0, 1, 0], ClassLabel(names=["no", "yes"]), []),
        ([False, True, True], Value("bool"), []),
        ([0.0, 1.0, 0.0], Value("float32"), []),
        ([[0], [1], [3]], List(Value("int32")), []),
    ],
)
def test_integers_that_differ_by_1_are_a_warning(
    folder: Path, values: list[Any], feature: Any, expected: list[tuple[str, str]]
) -> None:
    replace_table(folder, "isan", made_table({"value": values}, {"value": feature}), row_group_size=2)
    assert warnings_of(folder) == expected
    assert faults_of(folder) == []


def test_integers_are_judged_over_all_row_groups(folder: Path) -> None:
    table = made_table({"value": [3, 3, 4, 9]}, {"value": Value("int32")})
    replace_table(folder, "isan", table, row_group_size=1)
    assert warnings_of(folder) == []


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([f"c{number}" for number in range(1000)], []),
        ([f"c{number}" for number in range(1001)], [("too_many_columns", MADE)]),
        (["c" * 500], []),
        (["c" * 501], [("column_name", MADE)]),
        (["__hf_index_id"], [("column_name", MADE)]),
    ],
)
def test_columns_that_the_viewer_does_not_show_are_refused(
    folder: Path, columns: list[str], expected: list[tuple[str, str]]
) -> None:
    replace_table(folder, "isan", made_table({name: ["a"] for name in columns}, dict.fromkeys(columns, STRING)))
    assert faults_of(folder) == expected


@pytest.mark.parametrize(
    ("value", "feature"),
    [
        (b"a", Value("binary")),
        (b"a", Value("large_binary")),
        ([b"a"], List(Value("binary"))),
        ([{"name": "a", "content": b"a"}], List({"name": STRING, "content": Value("binary")})),
        ({"bytes": b"a", "path": None}, Video(decode=False)),
        ({"bytes": b"a", "path": None}, {"bytes": Value("binary"), "path": STRING}),
    ],
)
def test_bytes_that_are_neither_audio_nor_image_are_refused(folder: Path, value: Any, feature: Any) -> None:
    replace_table(folder, "isan", made_table({"value": [value]}, {"value": feature}))
    assert ("binary_column", MADE) in faults_of(folder)


def test_bytes_without_features_are_refused(folder: Path) -> None:
    table = pa.table({"value": [b"a"], "fixed": pa.array([b"ab"], pa.binary(2)), "text": ["a"]})
    assert binary_columns(table.schema, None) == ["value", "fixed"]


def test_audio_and_images_may_be_bytes(folder: Path) -> None:
    features = Features({"audio": Audio(16000, decode=False), "image": Image(decode=False), "texts": List(STRING)})
    assert binary_columns(features.arrow_schema, features) == []


def test_a_split_without_rows_is_refused(folder: Path) -> None:
    table = made_table({"text": []}, {"text": STRING})
    replace_table(folder, "isan", table)
    edit_info(folder, lambda info: (info["splits"][0].update(num_bytes=1), info.update(dataset_size=1)))
    assert faults_of(folder) == [("empty_split", ISAN[1])]
