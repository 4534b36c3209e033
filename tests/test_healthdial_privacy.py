"""No personal datum of a release reaches an output: every byte of every file, message and traceback is searched."""

from __future__ import annotations

import io
import json
import re
import shutil
import stat
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.healthdial_generator import GeneratedRelease, generate_release, personal_strings, write_release
from healthdial import cli
from healthdial.build import BuildOptions, build
from healthdial.release import read_release
from tests.healthdial_text_traps import TELEPHONE
from tests.healthdial_traps import ALL_THAT_COMBINE, STOPPING, TRAPS, TrappedRelease, release_with_traps

EMAIL = re.compile(rb"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
ACCOUNT = re.compile(rb"(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])")
NETWORK_ADDRESS = re.compile(rb"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d")
PATTERNS = {"e-mail": EMAIL, "account": ACCOUNT, "network address": NETWORK_ADDRESS, "moment": MOMENT}
CONTACTS_OF_TRAP = {"moth.lantern@mail.example.org", TELEPHONE}
STOPS_ONLY_AUDIT = frozenset({"damaged_archive", "unreadable_audio"})
"""Stopping kinds that the audit goes on from, to report them as broken invariants."""


@dataclass(frozen=True)
class Said:
    """What a command printed and how it ended.

    Attributes:
        code: Exit code; None for a traceback.
        text: stdout and stderr.
        error: Representation, text and traceback of what was raised, causes and all.
    """

    code: int | None
    text: str
    error: str

    @property
    def content(self) -> bytes:
        return f"{self.text}\n{self.error}".encode()


Run = Callable[..., Said]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command as a shell would, in this process."""

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def command(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["healthdial", *map(str, arguments), "--workers", "1"])
        capfd.readouterr()
        code, error = None, ""
        try:
            cli.main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        except Exception as raised:  # --debug lets errors through; the interpreter would print them.
            error = f"{raised!r}\n{raised}\n{''.join(traceback.format_exception(raised))}"
        out, err = capfd.readouterr()
        return Said(code, f"{out}\n{err}", error)

    return command


def searched(names: Iterable[str]) -> dict[bytes, str]:
    """Return what to search for, in lower case, as text and as JSON would escape it -> the string."""
    forms = ((name, text) for name in names for text in {name, json.dumps(name)[1:-1]})
    return {text.lower().encode(): name for name, text in forms}


def contents(file: Path) -> Iterator[bytes]:
    """Yield the bytes of a file as they are, then all that is packed in it: columns, samples, text of images."""
    yield file.read_bytes()
    if file.suffix == ".parquet":
        table = pq.read_table(file)
        yield repr(table.schema.metadata).encode()
        for row in table.to_pylist():
            yield from _packed(row)
    elif file.suffix == ".png":
        from PIL import Image

        with Image.open(file) as image:
            image.load()
            yield repr(image.info).encode()


def _packed(value: Any) -> Iterator[bytes]:
    if isinstance(value, str):
        yield value.encode()
    elif isinstance(value, bytes):
        yield value
        yield _samples(value)
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _packed(inner)


def _samples(content: bytes) -> bytes:
    import soundfile

    samples, _ = soundfile.read(io.BytesIO(content), dtype="int16")
    return bytes(np.ascontiguousarray(samples, dtype="<i2").data)


def found_in(content: bytes, names: Iterable[str]) -> set[str]:
    """Return the strings that stand in a content, whatever their case."""
    content = content.lower()
    needles = searched(names)
    shortest = min(map(len, needles))
    # Most bytes are audio: strings of ASCII are searched in its printable runs only, which are few.
    printable = b"\n".join(re.findall(rb"[\x20-\x7e]{%d,}" % shortest, content))
    return {name for text, name in needles.items() if text in (printable if text.isascii() else content)}


def found_in_folder(folder: Path, names: Iterable[str]) -> set[str]:
    """Return the strings that stand anywhere below a folder: in a file, packed in it, or in its path."""
    return found_in(all_content(folder), names)


def all_content(folder: Path) -> bytes:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    paths = "\n".join(str(file.relative_to(folder)) for file in files).encode()
    return b"\n".join([paths, *(content for file in files for content in contents(file))])


def texts_of(folder: Path) -> bytes:
    """Return every text below a folder: all files that are text, and the strings of Parquet columns."""
    parts: list[bytes] = []
    for file in sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".png"):
        if file.suffix == ".parquet":
            columns = [name for name in pq.read_schema(file).names if name != "audio"]
            table = pq.read_table(file, columns=columns)
            parts += [text for row in table.to_pylist() for text in _packed(row)]
        else:
            parts.append(file.read_bytes())
    return b"\n".join(parts)


def shown(*said: Said) -> bytes:
    return b"\n".join(one.content for one in said)


@pytest.fixture(params=["folder", "tar"])
def trapped(request: pytest.FixtureRequest, tmp_path: Path) -> TrappedRelease:
    return release_with_traps(tmp_path / "release", ALL_THAT_COMBINE, packing=request.param)


def personal(trapped: TrappedRelease) -> set[str]:
    """Return the personal strings of a release; there must be many, or nothing is tested."""
    names = personal_strings(trapped.release)
    assert len(names) > 500
    assert {"harbour.quill@mail.example.org", "198.51.100.77", "Pocklington", TELEPHONE} <= names
    return names


def test_nothing_personal_leaves_a_release_with_every_trap(trapped: TrappedRelease, tmp_path: Path, run: Run) -> None:
    names, out, report = personal(trapped), tmp_path / "hd", tmp_path / "report" / "audit.json"
    built = run("build", "--release", trapped.folder, "--out", out)
    audited = run("audit", "--release", trapped.folder, "--json", report)
    strict = run("build", "--release", trapped.folder, "--out", tmp_path / "strict", "--strict", "--debug")
    assert (built.code, audited.code, strict.code) == (0, 1, None)
    assert "--strict: " in strict.error
    assert json.loads(report.read_text("utf-8"))["broken"]
    assert (out / "README.md").is_file()
    assert len(list(out.rglob("*.parquet"))) > 40

    said = shown(built, audited, strict)
    assert found_in_folder(out, names) == set()
    assert found_in(report.read_bytes() + said, names) == set()
    texts = texts_of(out) + report.read_bytes() + said
    assert {name: pattern.findall(texts) for name, pattern in PATTERNS.items() if pattern.search(texts)} == {}
    assert not (tmp_path / ".hd-work").exists()


@pytest.mark.parametrize("kind", STOPPING)
def test_nothing_personal_leaves_a_build_that_stops(kind: str, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "release"
    trapped = release_with_traps(folder, [kind], packing=TRAPS[kind].packing or "folder")
    names, out, report = personal_strings(trapped.release), tmp_path / "hd", tmp_path / "report" / "audit.json"
    plain = run("build", "--release", folder, "--out", out)
    debug = run("--debug", "build", "--release", folder, "--out", out)
    audited = run("audit", "--release", folder, "--json", report, "--debug")
    assert plain.code == 1
    assert plain.text.count("healthdial: error: ") == 1
    assert "Traceback" not in plain.text
    assert debug.code is None
    assert "Traceback" in debug.error
    assert "ReleaseError" in debug.error
    assert kind in audited.text + audited.error or not report.exists()
    assert report.exists() or kind not in STOPS_ONLY_AUDIT
    assert found_in(shown(plain, debug, audited), names) == set()
    assert not ACCOUNT.search(shown(plain, debug, audited))
    for folder in (out, report.parent):
        assert not folder.exists() or found_in_folder(folder, names) == set()
    work = tmp_path / ".hd-work"
    assert not work.exists() or stat.S_IMODE(work.stat().st_mode) == 0o700


def test_what_a_stopped_build_needs_is_private_and_removed_by_success(tmp_path: Path, run: Run) -> None:
    """The work folder does hold accounts, which is why only its owner can read it."""
    folder, out, work = tmp_path / "release", tmp_path / "hd", tmp_path / ".hd-work"
    trapped = release_with_traps(folder, ["damaged_archive"], packing="tar")
    accounts = {name for name in personal_strings(trapped.release) if re.fullmatch("[0-9a-f]{24}", name)}
    assert run("build", "--release", folder, "--out", out).code == 1
    assert stat.S_IMODE(work.stat().st_mode) == 0o700
    assert found_in_folder(work, accounts)
    assert not out.exists()
    assert run("build", "--release", folder, "--out", out, "--allow-damaged").code == 0
    assert not work.exists()
    assert (out / "README.md").is_file()


def test_keep_contacts_keeps_them_and_nothing_else(tmp_path: Path, run: Run) -> None:
    trapped = release_with_traps(tmp_path / "release", ["contact_in_text", "personal_field"])
    names, out = personal_strings(trapped.release), tmp_path / "hd"
    said = run("build", "--release", trapped.folder, "--out", out, "--keep-contacts")
    assert found_in_folder(out, names) == CONTACTS_OF_TRAP
    assert found_in(said.content, names) == set()
    report = (out / "import_report.json").read_text("utf-8")
    assert "kept by --keep-contacts" in report
    assert not found_in(report.encode(), names)


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
