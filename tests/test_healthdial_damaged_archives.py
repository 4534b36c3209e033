"""Archives that are cut or changed: damage is noticed, what came before it kept, and a build stops or goes on."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from healthdial.archives import load_index
from hub.errors import ReleaseError
from tests.healthdial_archive_bytes import member_ends, read, tar_bytes, zipped
from tests.healthdial_case import Case, audio_rows, snapshot, status_names, without, without_readme, work_of

pytest_plugins = ("tests.healthdial_case_fixtures",)


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
    with pytest.raises(ReleaseError, match=r"are lost: eng audio\.part2\.tar\.gz: after .*--allow-damaged"):
        copied_tar.build(out)
    assert [*out.iterdir()] == []
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
