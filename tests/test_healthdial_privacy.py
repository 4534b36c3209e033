"""No personal datum of a release reaches an output: every byte of every file, message and traceback is searched."""

from __future__ import annotations

import json
import re
import stat
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.healthdial_generator import personal_strings
from healthdial import cli
from tests.healthdial_search import found_in, found_in_folder, texts_of
from tests.healthdial_text_traps import TELEPHONE
from tests.healthdial_traps import ALL_THAT_COMBINE, STOPPING, TRAPS, TrappedRelease, release_with_traps

EMAIL = re.compile(rb"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
ACCOUNT = re.compile(rb"(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])")
NETWORK_ADDRESS = re.compile(rb"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d")
PATTERNS = {"e-mail": EMAIL, "account": ACCOUNT, "network address": NETWORK_ADDRESS, "moment": MOMENT}
CONTACTS_OF_TRAP = {"moth.lantern@mail.example.org", TELEPHONE}
STOPS_ONLY_AUDIT = frozenset({"missing_part", "much_missing_audio", "damaged_archive", "unreadable_audio"})
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
    assert [*out.iterdir()] == []
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
