"""The first rows as the viewer shows them: how many stay, which cells are cut, and what is too large even so."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from datasets import Audio, ClassLabel, Features, Value

from hub.first_rows import FirstRows, first_rows
from tests.hub_folders import copy_of, faults_of, file_of, made_table, replace_table

STRING = Value("string")
MADE = "config isan, split test"


def shown(tmp_path: Path, columns: dict[str, list[Any]], features: dict[str, Any]) -> FirstRows:
    """Return the first rows of a table in two files."""
    table = made_table(columns, features)
    half = len(table) // 2
    files = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    for file, part in zip(files, (table.slice(0, half), table.slice(half)), strict=True):
        pq.write_table(part, file, row_group_size=7)
    return first_rows(files, "config", "test")


def texts(tmp_path: Path, values: list[str]) -> FirstRows:
    return shown(tmp_path, {"text": values}, {"text": STRING})


def test_small_rows_are_all_shown(tmp_path: Path) -> None:
    found = texts(tmp_path, ["a", "b", "c"])
    assert [(row.index, row.cells, row.cut) for row in found.rows] == [
        (0, {"text": "a"}, ()),
        (1, {"text": "b"}, ()),
        (2, {"text": "c"}, ()),
    ]
    assert not found.truncated
    assert (found.config, found.split, found.features) == ("config", "test", Features({"text": STRING}))


@pytest.mark.parametrize(("rows", "truncated"), [(100, False), (101, True)])
def test_100_rows_are_shown(tmp_path: Path, rows: int, truncated: bool) -> None:
    found = texts(tmp_path, [str(number) for number in range(rows)])
    assert [row.cells["text"] for row in found.rows] == [str(number) for number in range(100)]
    assert found.truncated == truncated


def test_the_size_is_that_of_the_viewers_answer(tmp_path: Path) -> None:
    found = texts(tmp_path, ["a", "ก"])
    features = '[{"feature_idx":0,"name":"text","type":{"dtype":"string","_type":"Value"}}]'
    start = f'{{"dataset":"org/name","config":"config","split":"test","features":{features},"rows":['
    rows = (
        '{"row_idx":0,"row":{"text":"a"},"truncated_cells":[]},'
        '{"row_idx":1,"row":{"text":"ก"},"truncated_cells":[]},'  # the comma after the last row counts for the viewer
    )
    end = '],"truncated":false}'
    assert found.features_bytes == len((start + end).encode())
    assert found.bytes == len((start + rows + end).encode())


def test_large_rows_after_the_tenth_are_left_out(tmp_path: Path) -> None:
    # A row takes 10,051 bytes and its comma; 19 fit into 200,000 beside the columns, 20 would take 201,050.
    found = texts(tmp_path, ["x" * 10_000] * 30)
    assert len(found.rows) == 19
    assert found.truncated
    assert all(row.cut == () for row in found.rows)
    assert 190_000 < found.bytes < 200_000


def test_ten_rows_that_are_too_large_are_cut_from_the_last(tmp_path: Path) -> None:
    # Ten rows take 300,520 bytes. Cutting one saves 29,885, so the fourth brings them below 200,000.
    found = texts(tmp_path, ["x" * 30_000] * 12)
    assert [row.cut for row in found.rows] == [()] * 6 + [("text",)] * 4
    assert [len(row.cells["text"]) for row in found.rows] == [30_000] * 6 + [100] * 4
    assert found.rows[9].cells["text"] == '"' + "x" * 99
    assert found.truncated


def test_cells_are_cut_between_characters(tmp_path: Path) -> None:
    found = texts(tmp_path, ["a" + "ก" * 20_000] * 10)
    assert found.rows[9].cells["text"] == '"a' + "ก" * 32


def test_short_cells_of_cut_rows_stay(tmp_path: Path) -> None:
    columns = {"id": [f"{number:02d}" for number in range(10)], "text": ["x" * 30_000] * 10}
    found = shown(tmp_path, columns, {"id": STRING, "text": STRING})
    assert (found.rows[9].cells["id"], found.rows[9].cut) == ("09", ("text",))


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (b"fLaC", "audio/flac"),
        (b"RIFF....WAVE", "audio/wav"),
        (b"OggS", "audio/ogg"),
        (b"ID3", "audio/mpeg"),
        (b"\xff\xfb\x90", "audio/mpeg"),
        (b"none", "application/octet-stream"),
    ],
)
def test_recordings_are_players_and_never_cut(tmp_path: Path, content: bytes, media_type: str) -> None:
    audio = [{"bytes": content + b"\0" * 30_000, "path": "a"}] * 9 + [None]
    columns: dict[str, list[Any]] = {"audio": audio, "text": ["x" * 30_000] * 10}
    found = shown(tmp_path, columns, {"audio": Audio(16000, decode=False), "text": STRING})
    cell = found.rows[8].cells["audio"]
    assert (cell.content, cell.media_type) == (content + b"\0" * 30_000, media_type)
    assert found.rows[8].cut == ("text",)
    assert found.rows[9].cells["audio"] is None
    assert "\\x00" not in repr(found)
    assert found.bytes < 210_000  # the recording itself is behind a URL


def test_classes_are_numbers_and_dates_are_text(tmp_path: Path) -> None:
    day = datetime.datetime(2026, 2, 26)
    columns: dict[str, list[Any]] = {"label": [1], "day": [day], "raw": [b"ab"]}
    features = {"label": ClassLabel(names=["a", "b"]), "day": Value("timestamp[s]"), "raw": Value("binary")}
    found = shown(tmp_path, columns, features)
    assert found.rows[0].cells == {"label": 1, "day": day, "raw": b"ab"}
    row = '{"row_idx":0,"row":{"label":1,"day":"2026-02-26T00:00:00","raw":"YWI="},"truncated_cells":[]},'
    assert found.bytes - found.features_bytes == len(row)


def test_rows_of_the_sample_are_all_shown(sample_data: Path) -> None:
    file = file_of(sample_data, "isan")
    found = first_rows([file], "isan", "test")
    assert [row.cells for row in found.rows] == pq.read_table(file).to_pylist()
    assert not found.truncated


@pytest.mark.parametrize(("name_length", "check"), [(60, "first_rows_bytes"), (400, "features_bytes")])
def test_what_is_too_large_after_cutting_is_refused(
    sample_data: Path, tmp_path: Path, name_length: int, check: str
) -> None:
    folder = copy_of(sample_data, tmp_path)
    names = [f"{number}".rjust(name_length, "c") for number in range(700)]
    columns = {name: ["x" * 200] * 10 for name in names}
    replace_table(folder, "isan", made_table(columns, dict.fromkeys(names, STRING)))
    assert faults_of(folder) == [(check, MADE)]


def test_rows_that_cannot_be_read_are_refused(sample_data: Path, tmp_path: Path) -> None:
    folder = copy_of(sample_data, tmp_path)
    file = file_of(folder, "isan")
    content = bytearray(file.read_bytes())
    content[4:400] = b"\xff" * 396
    file.write_bytes(bytes(content))
    whole_file = ("unreadable_rows", file.relative_to(folder).as_posix())
    assert faults_of(folder) == [("unreadable_rows", MADE), whole_file]
