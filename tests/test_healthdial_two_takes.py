"""Two recordings of one name in a release: the first is kept, and the fault reported."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from benchmarks.healthdial_files import Packing, write_archive, write_release
from benchmarks.healthdial_generator import generate_release
from healthdial.build import BuildOptions, build
from healthdial.release import read_release
from tests.healthdial_case import Case, audio_rows, recording_of, status_names

pytest_plugins = ("tests.healthdial_case_fixtures",)


@pytest.mark.parametrize("packing", ["folder", "tar"])
def test_of_two_files_of_one_name_the_first_is_kept(packing: Packing, tmp_path: Path, without_plots: None) -> None:
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
