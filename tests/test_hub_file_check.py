"""The check of a data set's folder: code, pickles, links, hidden and foreign files are each refused with one fault."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from hub import file_check
from hub.faults import ContentRules
from hub.file_check import check_files
from tests.hub_folders import copy_of, faults_of, file_of

OWNED = ContentRules(owned_files=(r"splits\.json", r"plots/[^/]+\.png", r"notes.*"))
VALUES = {"words": ["a", "b"], "number": 3}


@pytest.fixture
def folder(sample_data: Path, tmp_path: Path) -> Path:
    return copy_of(sample_data, tmp_path)


def write(folder: Path, name: str, content: bytes) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def zipped(name: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, b"x")
    return stream.getvalue()


def picture(*chunks: tuple[bytes, bytes]) -> bytes:
    """Return a PNG of one grey pixel with more chunks after the first."""
    header = (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    parts = (header, *chunks, (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts
    )


@pytest.mark.parametrize(
    ("content", "check"),
    [
        (picture((b"tEXt", b"Author\0Heron Wharf")), "image_metadata"),
        (picture((b"zTXt", b"Author\0\0" + zlib.compress(b"Heron Wharf"))), "image_metadata"),
        (picture((b"iTXt", b"Author\0\0\0\0\0Heron Wharf")), "image_metadata"),
        (picture((b"eXIf", b"MM")), "image_metadata"),
        (picture((b"tIME", bytes(7))), "image_metadata"),
        (picture((b"heRn", b"Heron Wharf")), "image_metadata"),
        (picture() + b"Heron Wharf", "image_metadata"),
        (picture()[:-1], "image_damaged"),
        (picture()[:20], "image_damaged"),
        (picture()[:8], "image_damaged"),
        (b"Heron Wharf", "image_damaged"),
        (b"", "image_damaged"),
    ],
)
def test_a_png_that_holds_more_or_less_than_a_picture_is_refused(folder: Path, content: bytes, check: str) -> None:
    write(folder, "plots/words.png", content)
    (fault,) = check_files(folder, OWNED)
    assert (fault.check, fault.place) == (check, "plots/words.png")
    assert "Heron" not in fault.message


def test_a_png_under_another_name_is_looked_through_too(folder: Path) -> None:
    write(folder, "notes.jpg", picture((b"tEXt", b"Author\0Heron Wharf")))
    assert [fault.check for fault in check_files(folder, OWNED)] == ["image_metadata"]


def test_plots_as_matplotlib_writes_them_are_taken_without_their_software(folder: Path) -> None:
    from matplotlib.figure import Figure

    for name, metadata in (("plain", {"Software": None}), ("signed", {})):
        stream = io.BytesIO()
        Figure(figsize=(1, 1)).savefig(stream, format="png", metadata=metadata)
        write(folder, f"plots/{name}.png", stream.getvalue())
    assert [fault.place for fault in check_files(folder, OWNED)] == ["plots/signed.png"]


@pytest.mark.parametrize(
    ("name", "content", "check"),
    [
        ("data_set.py", b"x = 1\n", "loading_script"),
        ("notes.py", b"x = 1\n", "code"),
        ("data/isan/load.PY", b"x = 1\n", "code"),
        ("notes.ipynb", b"{}", "code"),
        ("notes.html", b"<p>", "code"),
        ("notes", b"#!/bin/sh\necho\n", "code"),
        ("notes.txt", b"MZ\x90\x00", "code"),
        ("notes.txt", b"\x7fELF\x02", "code"),
        ("notes.pkl", b"no pickle", "pickle"),
        ("data/isan/model.safetensors.bin", b"x", "pickle"),
        *((f"notes_{protocol}.txt", pickle.dumps(VALUES, protocol), "pickle") for protocol in range(6)),
        ("notes.json", pickle.dumps(list(range(100_000)), 0), "pickle"),
        ("data/isan/more.parquet", pickle.dumps(VALUES), "pickle"),
        ("notes.txt", zipped("archive/data.pkl"), "pickle"),
        ("foreign.txt", b"x", "unknown_file"),
        ("sub/README.md", b"x", "unknown_file"),
        ("data/isan/rows.csv", b"a,b\n", "unknown_file"),
        ("isan.parquet", b"PAR1", "unknown_file"),
        ("data/isan/rows.parquet", b"PAR1", "unknown_file"),
        ("LICENSE", b"Terms.\n", "unknown_file"),
        ("plots/deep/a.png", b"x", "unknown_file"),
        (".DS_Store", b"x", "hidden_file"),
        ("data/isan/.test.parquet.tmp", b"x", "hidden_file"),
    ],
)
def test_a_file_that_has_no_place_in_a_data_set_is_refused(
    folder: Path, name: str, content: bytes, check: str
) -> None:
    write(folder, name, content)
    assert [(fault.check, fault.place) for fault in check_files(folder, OWNED)] == [(check, name)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("LICENSE.md", b"Terms.\n"),
        (".gitattributes", b"*.parquet filter=lfs\n"),
        ("splits.json", b"{}"),
        ("plots/words.png", picture()),
        ("plots/words.png", picture((b"pHYs", bytes(9)), (b"tRNS", b"\0\0"))),
        ("notes.txt", b"Version 1\n. and more\n"),
        ("notes.txt", b""),
        ("notes.txt", b"."),
        ("notes.txt", "ก".encode() * 40_000),
        ("notes.txt", b"PK\x03\x04 cut"),
        ("notes.zip", zipped("a.txt")),
    ],
)
def test_files_of_the_data_set_are_taken(folder: Path, name: str, content: bytes) -> None:
    write(folder, name, content)
    assert list(check_files(folder, OWNED)) == []


def test_account_ids_in_file_names_are_not_told(folder: Path) -> None:
    write(folder, "audio/0123456789abcdef01234567_eng_1.wav", b"x")
    assert faults_of(folder) == [("unknown_file", "audio/(account id)"), ("account_id", "audio")]


def test_a_hidden_folder_is_refused_once(folder: Path) -> None:
    write(folder, ".cache/huggingface/a", b"x")
    write(folder, ".cache/huggingface/b.py", b"x")
    assert faults_of(folder) == [("hidden_file", ".cache")]


def test_a_link_to_a_file_is_refused(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside.json", b"{}")
    (folder / "splits.json").symlink_to(tmp_path / "outside.json")
    assert faults_of(folder, OWNED) == [("link", "splits.json")]


def test_a_data_file_that_is_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    file = file_of(folder, "isan")
    moved = file.rename(tmp_path / "moved.parquet")
    file.symlink_to(moved)
    assert faults_of(folder) == [("link", file.relative_to(folder).as_posix())]


def test_links_to_folders_and_to_nothing_are_refused(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside/a.png", b"x")
    (folder / "plots").symlink_to(tmp_path / "outside")
    (folder / "splits.json").symlink_to(tmp_path / "nothing")
    assert faults_of(folder, OWNED) == [("link", "plots"), ("link", "splits.json")]


def test_a_file_larger_than_the_hub_takes_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    largest = max(sizes, key=lambda path: sizes[path])
    monkeypatch.setattr(file_check, "MAX_FILE_BYTES", sizes[largest])
    assert faults_of(folder) == []
    monkeypatch.setattr(file_check, "MAX_FILE_BYTES", sizes[largest] - 1)
    assert faults_of(folder) == [("file_bytes", largest.relative_to(folder).as_posix())]


def test_the_hub_takes_50_gb() -> None:
    assert file_check.MAX_FILE_BYTES == 50 * 10**9


def test_modules_of_a_package_that_shares_the_folder_are_left_alone_but_not_a_loading_script(folder: Path) -> None:
    for name in ("__init__.py", "build.py", "data_set.py"):
        write(folder, name, b"x = 1\n")
    rules = ContentRules(left_alone=(r".*\.py",))
    assert faults_of(folder, rules) == [("loading_script", "data_set.py")]
