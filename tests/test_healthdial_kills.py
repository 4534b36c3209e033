"""A build that is killed, interrupted or started twice: what is finished is kept, and the result is the same."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from hub.errors import BenchError
from tests.healthdial_case import PATIENCE_SECONDS, Case, snapshot, times, without, without_readme, work_of

pytest_plugins = ("tests.healthdial_case_fixtures",)
PROGRESS = re.compile(r"(?:read|archives|recordings|shards|texts): +\d+%\|[^\r\n]*")
KEPT = re.compile(r"(\d+) shards were finished by an earlier run")


def wait_for(pattern: str, folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a file appears; the process must still run then."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not list(folder.glob(pattern)):
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.001)


def wait_for_group_end(group: int) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < until
        time.sleep(0.01)


def said_of(out: Path) -> str:
    """Return a process' stderr without progress bars."""
    return PROGRESS.sub("", out.with_suffix(".stderr").read_text("utf-8")).replace("\r", "").strip()


@pytest.mark.parametrize(("packing", "moment"), [("tar", "*-audio.part*.json"), ("folder", "*_turns_*.json")])
def test_killed_and_started_again(packing: str, moment: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    case: Case = request.getfixturevalue(f"{packing}_case")
    out = tmp_path / "hd"
    process = case.start(out)
    wait_for(moment, work_of(out), process)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.communicate(timeout=PATIENCE_SECONDS)
    wait_for_group_end(process.pid)
    indexed = {file: file.stat().st_mtime_ns for file in work_of(out).glob("*-audio.part*.json")}
    done = len(list(work_of(out).glob("*_turns_*.json")))
    finished = times(out)
    assert not (out / "README.md").exists()

    assert _started_again(case, out, indexed) == done
    assert packing == "tar" or done >= 1
    assert snapshot(out) == case.expected
    redone = {name for name, modified in times(out).items() if finished.get(name, modified) != modified}
    assert len(finished) - len(redone) >= done
    assert not work_of(out).exists()


def _started_again(case: Case, out: Path, indexed: dict[Path, int]) -> int:
    """Run the command to its end; archives that were read are not read again. Return the shards it kept."""
    process = case.start(out)
    wait_for("*_turns_*.json", work_of(out), process)
    assert {file: file.stat().st_mtime_ns for file in indexed} == indexed
    printed, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0
    kept = KEPT.search(printed.decode())
    return int(kept[1]) if kept else 0


KILLED_BEFORE_RENAMES = (1, 2, 6, 9, 12, 13, 14)
"""In each run one more kill, before so many files got their final names: archives, shards, texts, card."""


@pytest.mark.parametrize("packing", ["folder", "tar"])
def test_killed_again_and_again(
    packing: str, request: pytest.FixtureRequest, tmp_path: Path, without_plots: None
) -> None:
    case: Case = request.getfixturevalue(f"{packing}_case")
    out = tmp_path / "hd"
    expected = without(case.expected, "plots")
    for renames in KILLED_BEFORE_RENAMES:
        process = multiprocessing.get_context("fork").Process(target=_build_until, args=(case, out, renames))
        process.start()
        process.join(PATIENCE_SECONDS)
        assert process.exitcode == -signal.SIGKILL
    assert list(out.rglob(".*.tmp"))  # what the last kill left behind
    finished, built = times(out), case.build(out)
    assert built.shards_kept == len(finished) == 6
    assert times(out) == finished
    assert without_readme(snapshot(out)) == without_readme(expected)
    assert not work_of(out).exists()


def _build_until(case: Case, out: Path, renames: int) -> None:
    """Build and kill this process before a file gets its final name, having counted the files before it."""
    remaining, rename = renames, Path.replace

    def counted(self: Path, target: Path) -> Path:
        nonlocal remaining
        remaining -= 1
        if remaining == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return rename(self, target)

    Path.replace = counted  # type: ignore[assignment, method-assign]
    case.build(out)


@pytest.mark.parametrize("moment", ["lock", "*-audio.part*.json"])
def test_interrupted(moment: str, tar_case: Case, tmp_path: Path) -> None:
    """Ctrl-C while the build begins, and while archives are read."""
    out = tmp_path / "hd"
    process = tar_case.start(out)
    wait_for(moment, work_of(out), process)
    os.killpg(process.pid, signal.SIGINT)
    printed, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130
    assert said_of(out) == "healthdial: stopped; what is finished is kept, run the same command to go on"
    assert printed == b""
    wait_for_group_end(process.pid)
    tar_case.build(out)
    assert snapshot(out) == tar_case.expected


def test_a_second_build_into_one_folder_is_refused(tar_case: Case, tmp_path: Path) -> None:
    out = tmp_path / "hd"
    first = tar_case.start(out)
    wait_for("*.spool", work_of(out), first)
    os.killpg(first.pid, signal.SIGSTOP)
    try:
        with pytest.raises(BenchError, match="another build writes there"):
            tar_case.build(out)
    finally:
        os.killpg(first.pid, signal.SIGCONT)
    first.communicate(timeout=PATIENCE_SECONDS)
    assert first.returncode == 0
    assert snapshot(out) == tar_case.expected
