"""Containers that need ffmpeg: what it is given and gives, and what is said where it fails or is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from healthdial import decoding
from healthdial.audio import process_audio, sniff_container
from hub.errors import BenchError
from tests.healthdial_sounds import MP4, TAG, WEBM, check, info, speech, wav, without_audio


@pytest.fixture
def no_ffmpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)


@pytest.mark.usefixtures("no_ffmpeg")
@pytest.mark.parametrize(("content", "container"), [(WEBM, "webm"), (MP4, "mp4")])
def test_without_ffmpeg_the_detail_says_how_to_get_it(content: bytes, container: str) -> None:
    result = process_audio(content)
    without_audio(result, "undecodable", "other_container", "undecodable")
    assert result.details == (container, f"{container}: needs ffmpeg, e.g. `apt-get install ffmpeg`")
    assert result.container == container


def fake_ffmpeg(folder: Path, body: str) -> None:
    script = folder / "ffmpeg"
    script.write_text(f"#!{sys.executable}\nimport sys\nargs = sys.argv[1:]\n{body}\n")
    script.chmod(0o755)


needs_scripts = pytest.mark.skipif(os.name != "posix", reason="a script as ffmpeg needs a POSIX system")


@needs_scripts
@pytest.mark.parametrize(("content", "demuxer"), [(WEBM, "matroska"), (MP4, "mov")])
def test_ffmpeg_gets_a_file_and_its_samples_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, demuxer: str
) -> None:
    (tmp_path / "samples").write_bytes(speech().tobytes())
    body = f"""
import shutil, pathlib
source = pathlib.Path(args[args.index("-i") + 1])
assert source.read_bytes() == {content!r} and sys.stdin.read() == ""
assert args[args.index("-f") + 1] == {demuxer!r}
assert args[args.index("-protocol_whitelist") + 1] == "file"
pathlib.Path({str(tmp_path / "seen")!r}).write_text(str(source))
sys.stdout.buffer.write(pathlib.Path({str(tmp_path / "samples")!r}).read_bytes())"""
    fake_ffmpeg(tmp_path, body)
    monkeypatch.setenv("PATH", str(tmp_path))
    name = sniff_container(content)
    assert name is not None
    assert np.array_equal(check(content, "converted", {"other_container": name}), speech())
    assert process_audio(content).sample_rate is None
    assert not Path((tmp_path / "seen").read_text()).exists()


@needs_scripts
@pytest.mark.parametrize(
    ("body", "timeout", "detail"),
    [
        ("sys.exit('Ada Example')", 60, "webm: ffmpeg cannot decode it (exit status 1)"),
        ("import time; time.sleep(60)", 0.3, "webm: ffmpeg took more than 0.3 s"),
    ],
)
def test_failing_ffmpeg_is_undecodable(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    body: str,
    timeout: float,
    detail: str,
) -> None:
    fake_ffmpeg(tmp_path, body)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(decoding, "FFMPEG_TIMEOUT_S", timeout)
    assert process_audio(WEBM).details == ("webm", detail)
    assert capfd.readouterr() == ("", "")


@needs_scripts
def test_ffmpeg_without_samples_or_that_cannot_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_ffmpeg(tmp_path, "pass")
    monkeypatch.setenv("PATH", str(tmp_path))
    without_audio(process_audio(WEBM), "missing", "other_container", "empty_audio")
    (tmp_path / "ffmpeg").write_text("#!/nowhere/python\n")
    assert process_audio(WEBM).details[-1] == "webm: the ffmpeg on PATH cannot be run; install it again"


def test_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "which", lambda name: "/bin/true")
    monkeypatch.setattr(tempfile, "TemporaryDirectory", full)
    with pytest.raises(BenchError, match=r"No space left on device.*TMPDIR"):
        process_audio(WEBM)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="ffmpeg is not installed, e.g. `apt-get install ffmpeg`")
@pytest.mark.parametrize(("suffix", "codec", "name"), [("mka", "flac", "webm"), ("m4a", "alac", "mp4")])
def test_real_ffmpeg_decodes_lossless_codecs_exactly(tmp_path: Path, suffix: str, codec: str, name: str) -> None:
    source, target = tmp_path / "a.wav", tmp_path / f"a.{suffix}"
    source.write_bytes(wav(speech(), before=[info()]))
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(source), "-c:a", codec, str(target)]
    subprocess.run(command, check=True)
    content = target.read_bytes()
    assert TAG in content
    assert np.array_equal(check(content, "converted", {"other_container": name}), speech())
