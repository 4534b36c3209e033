"""What a build survives: kills, interrupts, a second build, full disks, and damaged, unreadable or hostile files."""

from __future__ import annotations

import errno
import gzip
import io
import json
import multiprocessing
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchmarks.healthdial_files import write_archive
from benchmarks.healthdial_generator import GeneratedRelease, generate_release, personal_strings, write_release
from healthdial import archives, parquet_files, recordings
from healthdial.archives import ArchiveIndex, ArchiveTask, load_index, read_archive
from healthdial.build import BuildOptions, BuiltDataset, build
from healthdial.release import ReadOptions, read_release
from hub.errors import BenchError, ReleaseError
from tests.conftest import REPOSITORY
from tests.hub_stand_in import hub_stand_in

COMMAND = (sys.executable, "-c", "from healthdial.cli import main; main()")
PATIENCE_SECONDS = 60
PROGRESS = re.compile(r"(?:read|archives|recordings|shards|texts): +\d+%\|[^\r\n]*")
KEPT = re.compile(r"(\d+) shards were finished by an earlier run")


@dataclass(frozen=True)
class Case:
    """A generated release on disk, and what an undisturbed build makes of it.

    Attributes:
        release: What was written.
        folder: Where it lies.
        options: How it is built, in this process.
        expected: The data set's files and their bytes.
    """

    release: GeneratedRelease
    folder: Path
    options: BuildOptions
    expected: dict[str, bytes]

    def build(self, out: Path, **changes: Any) -> BuiltDataset:
        return build(read_release(self.folder), out, replace(self.options, **changes))

    def start(self, out: Path) -> subprocess.Popen[bytes]:
        """Start the command with two workers, in a process group of its own; stderr goes to a file beside ``out``."""
        arguments = [*COMMAND, "build", "--release", self.folder, "--out", out, "--workers", "2"]
        with out.with_suffix(".stderr").open("wb") as stderr:
            return subprocess.Popen(
                [*map(str, arguments), "--speaker-key", str(self.options.speaker_key)],
                cwd=REPOSITORY,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )


def make_case(folder: Path, packing: Any, folders: tuple[str, ...]) -> Case:
    release = generate_release(dialogues=4, folders=folders, seconds=(1.0, 1.1), user_turns=(2, 2), speakers=2)
    write_release(release, folder / "release", packing=packing)
    options = BuildOptions(workers=1, speaker_key=folder / "key")
    build(read_release(folder / "release"), folder / "undisturbed", options)
    return Case(release, folder / "release", options, snapshot(folder / "undisturbed"))


@pytest.fixture(scope="module")
def folder_case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_case(tmp_path_factory.mktemp("folder"), "folder", ("english", "arabic", "spanish"))


@pytest.fixture(scope="module")
def tar_case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_case(tmp_path_factory.mktemp("tar"), "tar", ("english", "arabic", "spanish"))


@pytest.fixture
def copied(folder_case: Case, tmp_path: Path) -> Case:
    """The case with unpacked folders, for a test that changes it."""
    return replace(folder_case, folder=shutil.copytree(folder_case.folder, tmp_path / "release"))


@pytest.fixture
def copied_tar(tar_case: Case, tmp_path: Path) -> Case:
    return replace(tar_case, folder=shutil.copytree(tar_case.folder, tmp_path / "release"))


@pytest.fixture
def without_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw nothing: plots take most of a small build's time and are the same."""
    monkeypatch.setattr("healthdial.plots.draw_plots", lambda *_: {})


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Fail a test that would otherwise never end."""

    def fail(*_: object) -> None:
        pytest.fail("still not done")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, hidden ones too: path -> bytes."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def without(files: dict[str, bytes], folder: str) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if not name.startswith(f"{folder}/")}


def work_of(out: Path) -> Path:
    return out.parent / f".{out.name}-work"


def times(out: Path) -> dict[str, int]:
    return {str(file.relative_to(out)): file.stat().st_mtime_ns for file in out.rglob("*_turns_*/*.parquet")}


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


def audio_rows(out: Path, config: str) -> list[dict[str, Any]]:
    return [row for file in sorted(out.glob(f"data/{config}/*.parquet")) for row in pq.read_table(file).to_pylist()]


def status_names(out: Path, config: str) -> list[str]:
    from healthdial.audio import AUDIO_STATUSES

    return [AUDIO_STATUSES[row["audio_status"]] for row in audio_rows(out, config)]


# Kills and interrupts.


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


def without_readme(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out the card, which shows the plots."""
    return {name: content for name, content in files.items() if name != "README.md"}


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


# Full disks.


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


# Files that cannot be read.


def recording_of(case: Case, position: int, turn: int) -> tuple[str, Path]:
    """Return the utterance id of an English user turn and its file in an unpacked release."""
    dialogue = case.release.dialogues["english"][position]
    number = int(dialogue["task_id"].split("_")[1])
    utterance = dialogue["utterance"][2 * turn + 1]
    return f"eng-{number:04d}-u{2 * turn + 1:02d}", case.folder / "english" / "audio" / utterance["audio_name"]


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


# Two files of one name.


@pytest.mark.parametrize("packing", ["folder", "tar"])
def test_of_two_files_of_one_name_the_first_is_kept(packing: Any, tmp_path: Path, without_plots: None) -> None:
    release = generate_release(dialogues=2, folders=("english",), seconds=(1.0, 1.1), user_turns=(2, 2))
    names = list(release.audio["english"])
    makers = [release.audio["english"][name] for name in names]
    write_release(release, tmp_path / "release", packing=packing, parts=1)
    folder = tmp_path / "release" / "english"
    if packing == "tar":
        write_archive(folder / "audio.part2.tar.gz", [(names[0], makers[1], "")])
    else:
        (folder / "audio" / "part2").mkdir()
        (folder / "audio" / "part2" / names[0]).write_bytes(makers[1]())
    out = tmp_path / "hd"
    built = build(read_release(tmp_path / "release"), out, BuildOptions(workers=1, k=1, speaker_key=tmp_path / "key"))
    first, second = audio_rows(out, "user_turns_eng")[:2]
    assert status_names(out, "user_turns_eng") == ["suspect", "ok", "ok", "ok"]
    assert first["duration_s"] == pytest.approx((len(makers[0]()) - 44) / 32000, abs=1e-4)
    assert first["audio_sha256"] != second["audio_sha256"]
    finding = built.findings.first("different_takes")
    assert finding is not None
    assert re.fullmatch("SHA-256 [0-9a-f]{16}, [0-9a-f]{16}", finding.detail)


def test_a_second_take_that_cannot_be_read_is_reported(copied: Case, tmp_path: Path, without_plots: None) -> None:
    utterance, file = recording_of(copied, 0, 0)
    (file.parent / "part2").mkdir()
    os.mknod(file.parent / "part2" / file.name, stat.S_IFSOCK | 0o600)
    built = copied.build(tmp_path / "hd")
    finding = built.findings.first("different_takes")
    assert finding is not None
    assert finding.detail == "one of them cannot be read"
    row = next(row for row in audio_rows(tmp_path / "hd", "user_turns_eng") if row["utterance_id"] == utterance)
    assert row["audio"] is not None


# Damaged archives.


def tar_bytes(archive: Path) -> bytes:
    return gzip.decompress(archive.read_bytes())


def member_ends(content: bytes) -> list[int]:
    """Return where each member of a tar ends, padding and all."""
    with tarfile.open(fileobj=io.BytesIO(content)) as bundle:
        return [member.offset_data + -(-member.size // 512) * 512 for member in bundle]


def zipped(content: bytes) -> bytes:
    return gzip.compress(content, 1, mtime=0)


def flipped(content: bytes, position: int) -> bytes:
    changed = bytearray(content)
    changed[position] ^= 0xFF
    return bytes(changed)


DAMAGE: dict[str, Callable[[bytes], tuple[bytes, int]]] = {
    # name -> whole tar -> (file, recordings that are whole before the damage)
    "empty": lambda tar: (b"", 0),
    "one byte": lambda tar: (b"\x1f", 0),
    "gzip header only": lambda tar: (zipped(tar)[:10], 0),
    "gzip trailer gone": lambda tar: (zipped(tar)[:-8], 4),
    "gzip trailer cut": lambda tar: (zipped(tar)[:-1], 4),
    "wrong checksum": lambda tar: (flipped(zipped(tar), -5), 4),
    "wrong length": lambda tar: (flipped(zipped(tar), -1), 4),
    "garbage after": lambda tar: (zipped(tar) + b"garbage", 4),
    "cut at the first member's end": lambda tar: (zipped(tar[: member_ends(tar)[0]]), 1),
    "cut at a member's end": lambda tar: (zipped(tar[: member_ends(tar)[1]]), 2),
    "cut at the last member's end": lambda tar: (zipped(tar[: member_ends(tar)[-1]]), 4),
    "cut in a header": lambda tar: (zipped(tar[: member_ends(tar)[1] + 100]), 2),
    "cut in a recording": lambda tar: (zipped(tar[: member_ends(tar)[2] - 5000]), 2),
    "wrong header checksum": lambda tar: (zipped(flipped(tar, member_ends(tar)[0] + 4)), 1),
    "no gzip, cut at a member's end": lambda tar: (tar[: member_ends(tar)[1]], 2),
    "no gzip, cut in a recording": lambda tar: (tar[: member_ends(tar)[2] - 5000], 2),
    "no gzip, wrong header checksum": lambda tar: (flipped(tar, member_ends(tar)[1] + 4), 2),
    "noise": lambda tar: (bytes(range(256)) * 40, 0),
    "a page of a web server": lambda tar: (b"<!DOCTYPE html><title>404</title>" * 40, 0),
    "pointer of git-lfs": lambda tar: (b"version https://git-lfs.github.com/spec/v1\nsize 3000000000\n", 0),
}


def read(archive: Path, work: Path) -> ArchiveIndex:
    return read_archive(ArchiveTask(archive, work / "spool", work / "index.json", "wav", checks=True))


@pytest.fixture
def four(tmp_path: Path) -> Path:
    """An archive of four recordings of a second."""
    release = generate_release(dialogues=2, folders=("english",), seconds=(1.0, 1.1), user_turns=(2, 2))
    archive = tmp_path / "audio.part1.tar.gz"
    write_archive(archive, [(name, maker, "") for name, maker in release.audio["english"].items()])
    return archive


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_noticed_and_what_came_before_it_kept(kind: str, four: Path, tmp_path: Path) -> None:
    whole = read(four, tmp_path)
    assert (len(whole.members), whole.damage) == (4, None)
    spool = (tmp_path / "spool").read_bytes()
    content, expected = DAMAGE[kind](tar_bytes(four))
    damaged = tmp_path / "damaged.tar.gz"
    damaged.write_bytes(content)
    (tmp_path / "again").mkdir()
    found = read(damaged, tmp_path / "again")
    assert found.damage is not None
    assert found.damage.startswith(f"after {expected} recordings: ")
    assert found.members == whole.members[:expected]
    assert spool.startswith((tmp_path / "again" / "spool").read_bytes())
    assert load_index(tmp_path / "again" / "index.json") == found


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9])
def test_a_cut_archive_gives_a_part_of_its_recordings(cut: float, four: Path, tmp_path: Path) -> None:
    whole = read(four, tmp_path)
    os.truncate(four, int(four.stat().st_size * cut))
    (tmp_path / "again").mkdir()
    found = read(four, tmp_path / "again")
    assert found.damage is not None
    assert found.members == whole.members[: len(found.members)]
    assert len(found.members) < 4


@pytest.mark.parametrize("kind", ["no gzip", "several gzip members", "zeros after", "one block of zeros at the end"])
def test_unusual_archives_that_are_whole(kind: str, four: Path, tmp_path: Path) -> None:
    whole = read(four, tmp_path)
    tar = tar_bytes(four)
    end = member_ends(tar)[-1]
    contents = {
        "no gzip": tar,
        "several gzip members": zipped(tar[:9999]) + zipped(tar[9999:]),
        "zeros after": zipped(tar) + bytes(512),
        "one block of zeros at the end": zipped(tar[:end] + bytes(512)),
    }
    four.write_bytes(contents[kind])
    (tmp_path / "again").mkdir()
    found = read(four, tmp_path / "again")
    assert (found.members, found.damage) == (whole.members, None)


def test_a_build_stops_on_damage_or_goes_on_without_what_is_lost(
    copied_tar: Case, tmp_path: Path, without_plots: None
) -> None:
    out, archive = tmp_path / "hd", copied_tar.folder / "english" / "audio.part2.tar.gz"
    tar = tar_bytes(archive)
    with tarfile.open(fileobj=io.BytesIO(tar)) as bundle:
        lost = [member.name for member in bundle][1:]
    archive.write_bytes(zipped(tar[: member_ends(tar)[0]]))
    with pytest.raises(ReleaseError, match=r"damaged or incomplete: eng audio\.part2\.tar\.gz\. .*--allow-damaged"):
        copied_tar.build(out)
    assert not out.exists()
    others = {file: file.stat().st_mtime_ns for file in work_of(out).glob("*.spool")}
    built = copied_tar.build(out, allow_damaged=True)
    assert built.findings.count("damaged_archive") == 1
    assert built.findings.count("missing_audio") == len(lost) == 3
    rows = audio_rows(out, "user_turns_eng")
    missing = [row["utterance_id"] for row in rows if row["audio"] is None]
    # <account>_ENG_<number>_<k>.wav is eng-<number>-u<2k+1>
    parts = [name.removesuffix(".wav").split("_")[2:] for name in lost]
    assert sorted(missing) == sorted(f"eng-{int(number):04d}-u{2 * int(k) + 1:02d}" for number, k in parts)
    assert sorted(set(status_names(out, "user_turns_eng"))) == ["missing", "ok"]
    assert len(others) == 15

    archive.write_bytes(zipped(tar))
    copied_tar.build(out)
    assert without_readme(snapshot(out)) == without_readme(without(copied_tar.expected, "plots"))


# Hostile archives.


def member(name: str, content: bytes = b"", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def test_hostile_members_are_never_read_nor_written(
    four: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBER_BYTES", 100_000)
    with tarfile.open(four) as bundle:
        recordings_of = [(one.name, bundle.extractfile(one).read()) for one in bundle]  # type: ignore[union-attr]
    secret = recordings_of[3][1]
    (tmp_path / "secret.wav").write_bytes(secret)
    hostile = [
        member("../up_ENG_1_0.wav", secret),
        member("audio/../../up_ENG_1_1.wav", secret),
        member(str(tmp_path / "absolute_ENG_1_2.wav"), secret),
        member("..\\windows_ENG_1_3.wav", secret),
        member("symbolic_ENG_1_4.wav", type=tarfile.SYMTYPE, linkname=str(tmp_path / "secret.wav")),
        member("hard_ENG_1_5.wav", type=tarfile.LNKTYPE, linkname="../secret.wav"),
        member("device_ENG_1_6.wav", type=tarfile.CHRTYPE, devmajor=1, devminor=5),
        member("block_ENG_1_7.wav", type=tarfile.BLKTYPE, devmajor=7, devminor=0),
        member("pipe_ENG_1_8.wav", type=tarfile.FIFOTYPE),
        member("large_ENG_1_9.wav", bytes(100_001)),
    ]
    packed = tmp_path / "in" / "audio.part1.tar.gz"
    packed.parent.mkdir()
    with tarfile.open(packed, "w:gz") as bundle:
        for info, content in [member(*recordings_of[0]), *hostile, member(*recordings_of[1])]:
            bundle.addfile(info, io.BytesIO(content))
    before = snapshot(tmp_path)
    (tmp_path / "work").mkdir()
    found = read(packed, tmp_path / "work")
    assert [one.base_name for one in found.members] == [name for name, _ in recordings_of[:2]]
    assert found.damage is None
    assert sum(found.unsafe.values()) == len(hostile)
    assert without(snapshot(tmp_path), "work") == before
    assert (tmp_path / "work" / "spool").read_bytes() == b"".join(content for _, content in recordings_of[:2])


def raw_header(name: str, size: int, kind: bytes) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize(
    ("header", "unsafe"),
    [
        (raw_header("huge_ENG_1_0.wav", 1 << 43, tarfile.REGTYPE), 1),
        (raw_header("huge", 1 << 43, tarfile.XHDTYPE), 0),
        (raw_header("huge", 1 << 43, tarfile.GNUTYPE_LONGNAME), 0),
        (raw_header("negative_ENG_1_0.wav", -512, tarfile.REGTYPE), 0),
    ],
    ids=["recording", "extended header", "long name", "negative"],
)
def test_a_size_that_cannot_be_is_damage_and_takes_no_memory(
    header: bytes, unsafe: int, four: Path, tmp_path: Path, no_hang: None
) -> None:
    tar = tar_bytes(four)
    four.write_bytes(zipped(tar[: member_ends(tar)[1]] + header + bytes(64 << 20)))
    tracemalloc.start()
    found = read(four, tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.members) == 2
    assert found.damage is not None
    assert sum(found.unsafe.values()) == unsafe
    assert peak < 8 << 20


# From the Hub.


def test_a_release_is_fetched_by_its_name_and_built(tar_case: Case, tmp_path: Path) -> None:
    out = tmp_path / "hd"
    files = snapshot(tar_case.folder)
    with hub_stand_in("made-up/HealthDial", files) as stand_in:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))},
            "HF_ENDPOINT": stand_in.address,
            "HF_HOME": str(tmp_path / "hf"),
            "HF_HUB_DISABLE_XET": "1",
            "PYTHONPATH": str(REPOSITORY / "tests" / "no_network"),
            "NETWORK_LOG": str(tmp_path / "network.log"),
        }
        arguments = ["build", "--release", "made-up/HealthDial@v1", "--languages", "eng,ara,spa", "--out", str(out)]
        done = subprocess.run(
            [*COMMAND, *arguments, "--speaker-key", str(tar_case.options.speaker_key), "--workers", "2"],
            cwd=REPOSITORY,
            env=environment,
            capture_output=True,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert stand_in.downloaded() == set(files)
    assert snapshot(out) == tar_case.expected
    assert not (tmp_path / "network.log").exists()
    assert json.loads((out / "splits.json").read_text("utf-8")).keys() == {"eng", "ara", "spa"}
