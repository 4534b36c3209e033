"""Recordings, archives and folders that cannot be read are named without personal data, and nothing else is lost."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.healthdial_generator import personal_strings
from healthdial import recordings
from hub.errors import ReleaseError
from tests.healthdial_case import Case, recording_of, snapshot, times, without, without_readme

pytest_plugins = ("tests.healthdial_case_fixtures",)


def _failing_read(file: Path) -> Callable[[Path], bytes]:
    read = Path.read_bytes

    def failing(self: Path) -> bytes:
        if self == file:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(file))
        return read(self)

    return failing


@pytest.mark.parametrize("how", ["input/output error", "socket", "pipe"])
def test_an_unreadable_recording_is_named_and_only_its_shard_done_again(
    how: str, copied: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_plots: None, no_hang: None
) -> None:
    out = tmp_path / "hd"
    utterance, file = recording_of(copied, 2, 1)
    content = file.read_bytes()
    with monkeypatch.context() as patch:
        if how == "input/output error":
            patch.setattr(Path, "read_bytes", _failing_read(file))
        else:
            file.unlink()
            os.mknod(file, (stat.S_IFSOCK if how == "socket" else stat.S_IFIFO) | 0o600)
        with pytest.raises(ReleaseError, match=f"cannot be read from disk: {utterance}. ") as caught:
            copied.build(out)
    assert not any(name in str(caught.value) for name in personal_strings(copied.release))
    finished = times(out)
    assert len(finished) == 5
    assert not [name for name in finished if "user_turns_eng" in name]
    file.unlink(missing_ok=True)
    file.write_bytes(content)
    built = copied.build(out)
    assert built.shards_kept == 5
    assert {name: modified for name, modified in times(out).items() if name in finished} == finished
    assert without_readme(snapshot(out)) == without_readme(without(copied.expected, "plots"))


def test_an_unreadable_archive_is_named(copied_tar: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = copied_tar.folder / "spanish" / "audio.part1.tar.gz"
    open_file = Path.open

    def failing(self: Path, *arguments: Any, **options: Any) -> Any:
        if self == archive:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(self))
        return open_file(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", failing)
    with pytest.raises(ReleaseError, match=r"spanish/audio.part1.tar.gz: cannot be read \(Input/output error\)"):
        copied_tar.build(tmp_path / "hd")


def test_a_folder_that_cannot_be_listed_is_named(
    copied: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, file = recording_of(copied, 0, 0)

    def failing(folder: Path) -> Any:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(file))

    monkeypatch.setattr(recordings, "_walk", failing)
    with pytest.raises(ReleaseError, match=r"audio: cannot be listed \(Input/output error\); repair it") as caught:
        copied.build(tmp_path / "hd")
    assert file.name not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
