"""The search for personal data finds what is planted, and what a build leaks whose scrubbers are switched off."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.healthdial_files import write_release
from benchmarks.healthdial_generator import GeneratedRelease, generate_release, personal_strings
from healthdial.build import BuildOptions, build
from healthdial.release import read_release
from tests.healthdial_search import found_in_folder


@dataclass(frozen=True)
class SmallRelease:
    """A small release in one language, with a contact in a transcript, and what was built of it."""

    release: GeneratedRelease
    folder: Path
    built: Path
    options: BuildOptions


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallRelease:
    folder = tmp_path_factory.mktemp("small")
    release = generate_release(dialogues=3, folders=("english",), seconds=(1.0, 1.1), user_turns=(2, 2))
    turn = release.dialogues["english"][0]["utterance"][1]
    turn["annotated_transcription"] += " Write to heron.wharf@mail.example.org."
    release.extra_personal.add("heron.wharf@mail.example.org")
    write_release(release, folder / "release")
    options = BuildOptions(workers=1, k=1, speaker_key=folder / "key")
    build(read_release(folder / "release"), folder / "hd", options)
    return SmallRelease(release, folder / "release", folder / "hd", options)


@pytest.mark.parametrize(
    "what", ["tag.wav", "vorbis comment", "compressed column", "report", "image", "file name", "upper case"]
)
def test_the_search_finds_what_is_planted(what: str, small: SmallRelease, tmp_path: Path) -> None:
    names = personal_strings(small.release)
    out = shutil.copytree(small.built, tmp_path / "copy")
    assert found_in_folder(out, names) == set()
    name = next(iter(sorted(one for one in names if "@" in one)))
    _plant(what, out, name)
    assert found_in_folder(out, names) >= {name}


def _plant(what: str, out: Path, name: str) -> None:
    """Put a string where only this kind of search finds it."""
    shard = next(out.glob("data/user_turns_eng/*.parquet"))
    if what in ("tag.wav", "vorbis comment"):
        _write_column(shard, "audio", {"bytes": _tagged(name, "WAV" if what == "tag.wav" else "FLAC"), "path": "a"})
    elif what == "compressed column":
        _write_column(shard, "prompt", f"{'so ' * 99}{name}")
        assert name.encode() not in shard.read_bytes()
    elif what in ("report", "upper case"):
        (out / "import_report.json").write_text(json.dumps({"place": name.upper() if what == "upper case" else name}))
    elif what == "file name":
        (out / name).touch()
    else:
        from PIL import Image, PngImagePlugin

        info = PngImagePlugin.PngInfo()
        info.add_text("Author", name, zip=True)
        Image.new("L", (1, 1)).save(out / "plots" / "one.png", pnginfo=info)


def _write_column(shard: Path, column: str, value: object) -> None:
    """Give a column one value in all rows, compressed, without statistics or dictionary that would show it."""
    table = pq.read_table(shard)
    field = table.schema.field(column)
    values = pa.array([value] * len(table), field.type)
    table = table.set_column(table.schema.get_field_index(column), field, values)
    pq.write_table(table, shard, compression="gzip", write_statistics=False, use_dictionary=False)


def _tagged(name: str, container: str) -> bytes:
    import soundfile

    stream = io.BytesIO()
    with soundfile.SoundFile(stream, "w", 16_000, 1, "PCM_16", format=container) as file:
        file.artist = name
        file.write(np.zeros(160, dtype=np.int16))
    return stream.getvalue()


def _accounts_as_ids(language: str, accounts: Sequence[str], key: bytes) -> dict[str, str]:
    return {account: account for account in accounts}


def _raw_text(text: str, *_: object, **__: object) -> str:
    return text


def _place_as_variety(language: str, spoken: str | None, country: str | None, place: str | None) -> str | None:
    return place


@pytest.mark.parametrize(
    ("scrubber", "replacement", "leaks"),
    [
        ("healthdial.dialogues.masked_contacts", _raw_text, lambda name: name == "heron.wharf@mail.example.org"),
        ("healthdial.speakers._opaque_ids", _accounts_as_ids, lambda name: re.fullmatch("[0-9a-f]{24}", name)),
        ("healthdial.speakers.language_variety", _place_as_variety, lambda name: ", " in name),
    ],
)
def test_a_scrubber_switched_off_is_noticed(
    scrubber: str,
    replacement: Callable[..., Any],
    leaks: Callable[[str], object],
    small: SmallRelease,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scrubber, replacement)
    build(read_release(small.folder), tmp_path / "hd", small.options)
    found = found_in_folder(tmp_path / "hd", personal_strings(small.release))
    assert found
    assert any(leaks(name) for name in found)


def test_an_unread_tag_would_have_leaked(small: SmallRelease) -> None:
    """Samples are kept, and only they: a FLAC in the data set has no comment but the library's name."""
    shard = next(small.built.glob("data/user_turns_eng/*.parquet"))
    contents = [audio["bytes"] for audio in pq.read_table(shard)["audio"].to_pylist()]
    comments = [_comments(content) for content in contents]
    assert comments
    assert all(comment == [] for comment in comments)
    assert _comments(_tagged("a name", "FLAC")) == [b"artist=a name"]


def _comments(flac: bytes) -> list[bytes]:
    """Return the comments of a FLAC file (format specification, RFC 9639, section 8.6)."""
    assert flac[:4] == b"fLaC"
    position, is_last = 4, False
    found: list[bytes] = []
    while not is_last:
        is_last, kind = bool(flac[position] & 0x80), flac[position] & 0x7F
        length = int.from_bytes(flac[position + 1 : position + 4], "big")
        block = flac[position + 4 : position + 4 + length]
        position += 4 + length
        if kind == 4:
            offset = 4 + int.from_bytes(block[:4], "little")
            count, offset = int.from_bytes(block[offset : offset + 4], "little"), offset + 4
            for _ in range(count):
                size = int.from_bytes(block[offset : offset + 4], "little")
                found.append(block[offset + 4 : offset + 4 + size])
                offset += 4 + size
    return found
