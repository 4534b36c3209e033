"""A build whose disk is full: the data set that was there stays whole, and the next build goes on."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from healthdial import archives, parquet_files
from healthdial.build import build
from healthdial.release import ReadOptions, read_release
from hub.errors import BenchError
from tests.healthdial_case import Case, snapshot, without, without_readme

pytest_plugins = ("tests.healthdial_case_fixtures",)


def mount(folder: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return shutil.which("mount") is not None and subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mount(disk, "size=512k"):
        pytest.skip("no file system can be mounted here; the other test of a full disk pretends one")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path, tar_case: Case, without_plots: None) -> None:
    out = small_disk / "hd"
    texts = read_release(tar_case.folder, ReadOptions(audio=False, languages=("eng",)))
    build(texts, out, replace(tar_case.options, k=1))
    earlier = snapshot(out)
    with pytest.raises(BenchError, match=r"hd: cannot be written \(the disk is full\).* still whole; free space"):
        tar_case.build(out)
    assert {name: content for name, content in snapshot(out).items() if name in earlier} == earlier
    assert not list(out.rglob(".*.tmp"))
    assert subprocess.run(["mount", "-o", "remount,size=50m", str(small_disk)]).returncode == 0
    tar_case.build(out)
    assert without_readme(snapshot(out)) == without_readme(without(tar_case.expected, "plots"))


def full_disk(*_: object, **__: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


FULL_AT: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "shard": lambda patch: patch.setattr(parquet_files.HashedFile, "write", _from_call(40)),
    "end of shard": lambda patch: patch.setattr(parquet_files.HashedFile, "close", full_disk),
    "spool": lambda patch: patch.setattr(archives, "_processed_member", full_disk),
    "shard's mark": lambda patch: patch.setattr("healthdial.shards.write_atomically", full_disk),
    "texts": lambda patch: patch.setattr("healthdial.build_text.write_table", full_disk),
    "card": lambda patch: patch.setattr("healthdial.build.write_atomically", full_disk),
}


def _from_call(first: int) -> Callable[[Any, Any], int]:
    calls, write = 0, parquet_files.HashedFile.write

    def limited(self: parquet_files.HashedFile, content: Any) -> int:
        nonlocal calls
        calls += 1
        return write(self, content) if calls < first else full_disk()

    return limited


@pytest.mark.parametrize("where", FULL_AT)
def test_a_full_disk(
    where: str, tar_case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_plots: None
) -> None:
    out = tmp_path / "hd"
    texts = read_release(tar_case.folder, ReadOptions(audio=False, languages=("eng",)))
    build(texts, out, replace(tar_case.options, k=1))
    earlier = snapshot(out)
    with monkeypatch.context() as patch:
        FULL_AT[where](patch)
        with pytest.raises(BenchError, match=r"the disk is full"):
            tar_case.build(out)
    assert {name: content for name, content in snapshot(out).items() if name in earlier} == earlier
    assert not list(out.rglob(".*.tmp"))
    built = tar_case.build(out)
    assert without_readme(snapshot(out)) == without_readme(without(tar_case.expected, "plots"))
    assert built.shards_kept == (6 if where in ("texts", "card") else 0)
