"""The secret that orders speaker ids: made once, private, and never shown."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from healthdial.speaker_key import load_or_make_key
from hub.errors import BenchError


def test_the_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "private" / "speakers" / "key"
    key = load_or_make_key(file)
    assert len(key) == 32
    assert file.read_text() == f"{key.hex()}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load_or_make_key(file) == key
    assert load_or_make_key(tmp_path / "other") != key


@pytest.mark.parametrize(
    "content", [b"", b"abc", b"zz" * 32, b"00" * 31, b"00" * 33, b"\xff\xfe\x00", b"00" * 32 + b" x"]
)
def test_a_file_with_something_else_is_refused_unshown_and_kept(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(BenchError, match="not a speaker key") as caught:
        load_or_make_key(file)
    assert re.search(re.escape(str(file)), str(caught.value))
    assert not content or content.decode("latin-1") not in str(caught.value)
    assert file.read_bytes() == content


@pytest.mark.parametrize("content", ["AB" * 32, "ab" * 32 + "\r\n"])
def test_case_and_line_ends_of_a_key_do_not_matter(tmp_path: Path, content: str) -> None:
    (tmp_path / "key").write_text(content)
    assert load_or_make_key(tmp_path / "key") == b"\xab" * 32


def test_a_key_that_cannot_be_read_or_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for file in (tmp_path, tmp_path / "file" / "key"):
        with pytest.raises(BenchError, match=r"cannot be read or made \(.*--speaker-key"):
            load_or_make_key(file)


def test_a_failed_write_leaves_no_half_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, mode: str) -> Any:
        os.close(descriptor)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(BenchError, match="No space left"):
        load_or_make_key(tmp_path / "key")
    assert list(tmp_path.iterdir()) == []


def test_a_key_made_meanwhile_by_another_process_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"

    def lost_race(path: Path, flags: int, mode: int) -> int:
        Path(path).write_text("ab" * 32)
        raise FileExistsError(17, "File exists", str(path))

    monkeypatch.setattr(os, "open", lost_race)
    assert load_or_make_key(file) == b"\xab" * 32
