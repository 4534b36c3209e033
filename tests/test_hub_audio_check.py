"""Every recording is decoded, and what is wrong with it, or stands in it besides samples, is named by its row."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from datasets import Audio, List, Value

from hub.audio_check import check_audio
from hub.audio_containers import foreign_parts, md5_of_samples
from hub.card import read_card
from hub.check import check_folder
from hub.faults import ContentRules, Fault
from hub.footers import read_footers
from tests.hub_folders import copy_of, made_table, replace_table

FEATURES = {"audio": Audio(16_000, num_channels=1)}


@pytest.fixture
def folder(sample_data: Path, tmp_path: Path) -> Path:
    return copy_of(sample_data, tmp_path)


def recording(
    seconds: float = 0.5, container: str = "FLAC", rate: int = 16_000, channels: int = 1, **tags: str
) -> bytes:
    """Return a file of noise."""
    import soundfile

    shape = (int(seconds * rate), channels)
    samples = (np.random.default_rng(0).normal(size=shape) * 3000).astype(np.int16)
    stream = io.BytesIO()
    with soundfile.SoundFile(stream, "w", rate, channels, "PCM_16", format=container) as file:
        for name, value in tags.items():
            setattr(file, name, value)
        file.write(samples)
    return stream.getvalue()


def cell(content: bytes | None, path: str | None = "a.flac") -> dict[str, Any]:
    return {"bytes": content, "path": path}


def faults(folder: Path, cells: list[dict[str, Any] | None], workers: int | None = 2) -> list[Fault]:
    replace_table(folder, "isan", made_table({"audio": cells}, FEATURES), row_group_size=2)
    card = read_card(folder)
    return list(check_audio(card, read_footers(card.data_files), workers))


CLEAN = recording()


@pytest.mark.parametrize("container", ["FLAC", "WAV"])
def test_clean_recordings_have_no_fault(folder: Path, container: str) -> None:
    assert faults(folder, [cell(recording(container=container)), None, cell(None, None), cell(CLEAN, None)]) == []


def cut(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


def with_wrong_samples(content: bytes) -> bytes:
    """Return a FLAC whose stated MD5 is another's."""
    return content[:26] + bytes(15 * [7]) + content[41:]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (cell(b""), "audio_undecodable"),
        (cell(cut(CLEAN)), "audio_undecodable"),
        (cell(with_wrong_samples(CLEAN)), "audio_undecodable"),
        (cell(recording(0)), "audio_undecodable"),
        (cell(recording(rate=8000)), "audio_sample_rate"),
        (cell(recording(channels=2)), "audio_sample_rate"),
        (cell(recording(artist="Heron Wharf")), "audio_metadata"),
        (cell(recording(container="WAV", artist="Heron Wharf")), "audio_metadata"),
        (cell(recording(container="WAV") + b"more"), "audio_metadata"),
        (cell(CLEAN + b"TAG".ljust(128, b"x")), "audio_metadata"),
        (cell(recording(container="AIFF")), "audio_metadata"),
        (cell(CLEAN, "/home/heron/a.flac"), "audio_path"),
        (cell(CLEAN, r"C:\a.flac"), "audio_path"),
        (cell(CLEAN, "clips/a.flac"), "audio_path"),
        (cell(CLEAN, ".."), "audio_path"),
        (cell(None, "a.flac"), "audio_without_bytes"),
    ],
)
def test_one_recording_with_a_fault(folder: Path, value: dict[str, Any], kind: str) -> None:
    (fault,) = faults(folder, [cell(CLEAN), None, cell(CLEAN), value])
    assert (fault.check, fault.place) == (kind, "config isan, split test")
    assert fault.message.startswith("row 3, column audio: ")
    assert "heron" not in fault.message.lower()


def test_what_is_no_audio_is_undecodable_and_of_an_unknown_container(folder: Path) -> None:
    found = faults(folder, [cell(b"no audio")])
    assert [fault.check for fault in found] == ["audio_metadata", "audio_undecodable"]


@pytest.mark.parametrize("workers", [1, 3])
def test_rows_are_named_in_order_whatever_the_threads(folder: Path, workers: int) -> None:
    cells = [cell(CLEAN if row % 3 else recording(rate=8000)) for row in range(8)]
    (fault,) = faults(folder, cells, workers)
    assert fault.message.startswith("rows 0, 3, 6, column audio: ")


@pytest.mark.parametrize(
    ("seconds", "is_warning"),
    [((1, 0.5), True), ((0.5, 1), False), ((1, 1), False), ((None, 1, 1, 1.5), True), ((1.5, 1.5), False)],
)
def test_the_first_clip_of_a_split(folder: Path, seconds: tuple[float | None, ...], is_warning: bool) -> None:
    found = faults(folder, [None if one is None else cell(recording(one)) for one in seconds])
    assert [(fault.check, fault.is_warning) for fault in found] == [("audio_first_clip", True)] * is_warning


@pytest.mark.parametrize("nested", [List(FEATURES["audio"]), {"clip": FEATURES["audio"], "note": Value("string")}])
def test_audio_inside_lists_and_records_is_not_played(folder: Path, nested: Any) -> None:
    value = [cell(CLEAN)] if isinstance(nested, List) else {"clip": cell(CLEAN), "note": "a"}
    replace_table(folder, "isan", made_table({"clips": [value]}, {"clips": nested}))
    card = read_card(folder)
    (fault,) = check_audio(card, read_footers(card.data_files))
    assert (fault.check, fault.place) == ("audio_nested", "config isan")
    assert fault.message.startswith("column clips holds Audio")


def test_damaged_rows_are_a_fault(folder: Path) -> None:
    file = replace_table(folder, "isan", made_table({"audio": [cell(CLEAN)]}, FEATURES), compression="gzip")
    content = bytearray(file.read_bytes())
    content[4:60] = bytes(56)
    file.write_bytes(content)
    card = read_card(folder)
    assert [fault.check for fault in check_audio(card, read_footers(card.data_files))] == ["unreadable_rows"]


def test_the_whole_check_decodes_recordings_and_searches_texts(folder: Path) -> None:
    columns = {"audio": [cell(cut(CLEAN))], "text": ["in /home/heron/x"]}
    replace_table(folder, "isan", made_table(columns, {**FEATURES, "text": Value("string")}))
    (folder / "LICENSE.md").write_text("/home/heron/x", encoding="utf-8")
    found = [(fault.check, fault.place) for fault in check_folder(folder, ContentRules()).faults]
    place = "config isan, split test"
    assert found == [("absolute_path", "LICENSE.md"), ("absolute_path", place), ("audio_undecodable", place)]


def block(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + len(body).to_bytes(3, "big") + body


def comments(vendor: bytes, count: int = 0) -> bytes:
    return block(4, len(vendor).to_bytes(4, "little") + vendor + count.to_bytes(4, "little"))


@pytest.mark.parametrize(
    ("added", "parts"),
    [
        (block(1, bytes(9)), []),
        (block(3, bytes(18)), []),
        (block(1, b"Heron"), ["metadata block 1"]),
        (block(2, b"heron"), ["metadata block 2"]),
        (block(6, bytes(32)), ["metadata block 6"]),
        (comments(b"reference libFLAC 1.5.0 20250211"), []),
        (comments(b"Heron Wharf"), ["comments"]),
        (comments(b"Lavf61.7.100", 1), ["comments"]),
    ],
)
def test_metadata_blocks_of_flac(added: bytes, parts: list[str]) -> None:
    assert foreign_parts(CLEAN[:42] + added + CLEAN[42:]) == parts


@pytest.mark.parametrize(
    "content", [b"fLaC", b"fLaC\x00", b"RIFF", b"RIFF\xff\xff\xff\xffWAVEdata\xff\xff\xff\xff", b""]
)
def test_cut_headers_end_the_search(content: bytes) -> None:
    foreign_parts(content)
    assert md5_of_samples(content) is None


def test_chunks_of_wav() -> None:
    wav = recording(container="WAV")
    with_chunk = wav[:12] + b"LIST" + (5).to_bytes(4, "little") + b"Heron\0" + wav[12:]
    assert foreign_parts(wav) == []
    assert "LIST" in foreign_parts(with_chunk)
