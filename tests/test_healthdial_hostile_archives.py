"""Archives made to harm: members that point elsewhere are never read nor written, and sizes take no memory."""

from __future__ import annotations

import io
import tarfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from healthdial import archives
from tests.healthdial_archive_bytes import member_ends, read, tar_bytes, zipped
from tests.healthdial_case import snapshot, without

pytest_plugins = ("tests.healthdial_case_fixtures",)


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
