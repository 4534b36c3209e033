"""A build that goes on after ffmpeg was installed gives what a fresh build gives."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.healthdial_files import Packing, write_release
from benchmarks.healthdial_generator import generate_release
from healthdial.build import BuildOptions, build
from healthdial.release import read_release
from hub.errors import ReleaseError
from tests.healthdial_case import audio_rows, snapshot, status_names
from tests.healthdial_sounds import WEBM, speech

pytest_plugins = ("tests.healthdial_case_fixtures",)
pytestmark = pytest.mark.skipif(os.name != "posix", reason="a script as ffmpeg needs a POSIX system")


@pytest.mark.parametrize("packing", ["folder", "tar"])
def test_what_could_not_be_decoded_is_decoded_once_ffmpeg_is_there(
    packing: Packing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_plots: None
) -> None:
    """The first build stops on another language, so that its finished work is there when ffmpeg comes."""
    release = generate_release(
        dialogues=2, folders=("english", "spanish"), seconds=(1.0, 1.1), user_turns=(2, 2), speakers=2
    )
    webm = next(iter(release.audio["english"]))
    release.audio["english"][webm] = lambda: WEBM
    folder, spanish = tmp_path / "release", tmp_path / "release" / "spanish"
    write_release(release, folder, packing=packing)
    broken = spanish / "audio.part1.tar.gz" if packing == "tar" else next((spanish / "audio").iterdir())
    content = broken.read_bytes()
    if packing == "tar":
        broken.write_bytes(content[: len(content) // 2])
    else:
        broken.unlink()
        os.mkfifo(broken)
    options = BuildOptions(workers=1, k=1, speaker_key=tmp_path / "key")
    tools = tmp_path / "bin"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(ReleaseError):
        build(read_release(folder), tmp_path / "out", options)
    if packing == "folder":
        assert sorted(status_names(tmp_path / "out", "user_turns_eng")) == ["ok", "ok", "ok", "undecodable"]

    broken.unlink()
    broken.write_bytes(content)
    (tmp_path / "samples").write_bytes(speech().tobytes())
    script = f"import pathlib, sys\nsys.stdout.buffer.write(pathlib.Path({str(tmp_path / 'samples')!r}).read_bytes())"
    (tools / "ffmpeg").write_text(f"#!{sys.executable}\n{script}\n")
    (tools / "ffmpeg").chmod(0o755)
    for out in ("out", "fresh"):
        build(read_release(folder), tmp_path / out, options)
    assert sorted(status_names(tmp_path / "out", "user_turns_eng")) == ["converted", "ok", "ok", "ok"]
    assert all(row["audio"] for row in audio_rows(tmp_path / "out", "user_turns_eng"))
    assert snapshot(tmp_path / "out") == snapshot(tmp_path / "fresh")
