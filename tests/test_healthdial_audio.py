"""Recordings: every trap of a WAV file, other containers, exact samples, no tags, and no bytes that raise."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr
from hypothesis import given, settings
from hypothesis import strategies as st

from healthdial import decoding
from healthdial.audio import AUDIO_STATUSES, ProcessedAudio, process_audio, sniff_container
from healthdial.findings import KINDS
from hub.errors import BenchError

TAG = b"Ada Example ada@example.org"
RATE = 16_000
PCM_GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")


def speech(seconds: float = 1.5, rate: int = RATE, seed: int = 0) -> np.ndarray:
    """Return a noisy tone, int16, far from silence and from full scale."""
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(seed).normal(0, 300, len(time))
    return (8000 * np.sin(2 * np.pi * 220 * time) + noise).astype("<i2")


def chunk(name: bytes, content: bytes, length: int | None = None, padded: bool = True) -> bytes:
    padding = b"\0" if padded and len(content) % 2 else b""
    return name + struct.pack("<I", len(content) if length is None else length) + content + padding


def info(text: bytes = TAG) -> bytes:
    return chunk(b"LIST", b"INFO" + chunk(b"IART", text))


def wav(
    samples: np.ndarray | bytes,
    *,
    tag: int = 1,
    channels: int = 1,
    rate: int = RATE,
    bits: int = 16,
    data_length: int | None = None,
    before: Iterable[bytes] = (),
    after: Iterable[bytes] = (),
    extensible: bool = False,
) -> bytes:
    """Return a WAV file with any header."""
    data = samples if isinstance(samples, bytes) else samples.tobytes()
    align = channels * bits // 8 % 2**16
    header = struct.pack("<HHIIHH", 0xFFFE if extensible else tag, channels, rate, rate * align % 2**32, align, bits)
    if extensible:
        header += struct.pack("<HHIH", 22, bits, 4, tag) + PCM_GUID_TAIL
    parts = [chunk(b"fmt ", header), *before, chunk(b"data", data, data_length), *after]
    return chunk(b"RIFF", b"WAVE" + b"".join(parts))


def encoded(samples: np.ndarray, container: str, subtype: str | None = None, rate: int = RATE, **tags: str) -> bytes:
    file = io.BytesIO()
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    with soundfile.SoundFile(file, "w", rate, channels, format=container, subtype=subtype) as sound:
        for name, value in tags.items():
            setattr(sound, name, value)
        sound.write(samples)
    return file.getvalue()


def samples_of(result: ProcessedAudio) -> np.ndarray:
    """Decode a result with libsndfile, and check that it is what every result has to be."""
    assert result.content is not None
    with soundfile.SoundFile(io.BytesIO(result.content)) as file:
        assert (file.samplerate, file.channels, file.subtype) == (RATE, 1, "PCM_16")
        assert not file.copy_metadata()
        return file.read(dtype="int16")


def check(content: bytes, status: str, faults: dict[str, str], **options: Any) -> np.ndarray:
    """Assert the status, the faults and their details, and that FLAC and WAV hold the same samples; return them."""
    flac = process_audio(content, audio_format="flac", **options)
    riff = process_audio(content, audio_format="wav", **options)
    for result in (flac, riff):
        assert result.status == status
        assert dict(zip(result.faults, result.details, strict=True)) == faults
        assert TAG not in (result.content or b"")
    samples = samples_of(flac)
    assert np.array_equal(samples, samples_of(riff))
    assert riff.content is not None
    assert riff.content == wav(samples)
    assert flac.content is not None
    assert flac.content.startswith(b"fLaC")
    assert flac.duration_s == riff.duration_s == len(samples) / RATE
    assert flac.sample_sha256 == riff.sample_sha256 == hashlib.sha256(samples.astype("<i2").tobytes()).hexdigest()
    return samples


def without_audio(result: ProcessedAudio, status: str, *faults: str) -> None:
    assert (result.status, result.faults) == (status, faults)
    assert (result.content, result.duration_s, result.sample_sha256) == (None, None, None)
    assert len(result.details) == len(faults)


@pytest.fixture
def no_ffmpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)


CONFORMING = {
    "plain": {},
    "tags before": {"before": [info(), chunk(b"bext", TAG), chunk(b"id3 ", b"ID3" + TAG)]},
    "tags after": {"after": [info(), chunk(b"cue ", bytes(4)), chunk(b"_PMX", TAG)]},
    "odd chunk": {"before": [chunk(b"JUNK", TAG[:7])]},
    "odd chunk without padding": {"before": [chunk(b"JUNK", TAG[:7], padded=False)]},
    "bytes after": {"after": [TAG]},
}


@pytest.mark.parametrize("options", CONFORMING.values(), ids=CONFORMING)
def test_conforming_samples_are_kept_bit_for_bit_without_tags(options: dict[str, Any]) -> None:
    assert np.array_equal(check(wav(speech(), **options), "ok", {}), speech())


def test_conforming_wav_is_read_without_libsndfile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundfile, "SoundFile", None)
    result = process_audio(wav(speech(), before=[info()]), audio_format="wav")
    assert result.content == wav(speech())


def test_extremes_survive() -> None:
    samples = speech()
    samples[100:104] = [-32768, 32767, -1, 0]
    assert np.array_equal(check(wav(samples), "ok", {}), samples)


def test_extensible_header_is_a_note() -> None:
    faults = {"extensible_header": "WAVE_FORMAT_EXTENSIBLE"}
    assert np.array_equal(check(wav(speech(), extensible=True), "ok", faults), speech())


def test_extensible_float_is_converted() -> None:
    content = wav((speech() / 32768).astype("<f4").tobytes(), tag=3, bits=32, extensible=True)
    faults = {"extensible_header": "WAVE_FORMAT_EXTENSIBLE", "sample_format": "32-bit float"}
    assert np.array_equal(check(content, "converted", faults), speech())


@pytest.mark.parametrize("riff", ["RF64", "RIFX"])
def test_other_riff_forms_keep_their_samples(riff: str) -> None:
    file = io.BytesIO()
    container, endian = ("RF64", "FILE") if riff == "RF64" else ("WAV", "BIG")
    soundfile.write(file, speech(), RATE, format=container, subtype="PCM_16", endian=endian)
    assert file.getvalue().startswith(riff.encode())
    assert np.array_equal(check(file.getvalue(), "ok", {}), speech())


STREAMED = {0: "data length 0", 0xFFFFFFFF: "data length 0xFFFFFFFF", 99_999: "data length 99999, 48000 bytes there"}


@pytest.mark.parametrize("length", STREAMED)
@pytest.mark.parametrize("after", [[], [info()], [info(), chunk(b"id3 ", TAG)]], ids=["nothing", "one", "two"])
def test_streamed_header_is_repaired_and_tags_behind_it_are_no_samples(length: int, after: list[bytes]) -> None:
    content = wav(speech(), data_length=length, after=after)
    assert np.array_equal(check(content, "converted", {"streamed_header": STREAMED[length]}), speech())


def test_name_of_a_chunk_among_samples_ends_nothing() -> None:
    samples = speech()
    samples[5000:5004] = np.frombuffer(b"LIST\x10\0\0\0", "<i2")
    faults = {"streamed_header": "data length 0"}
    assert np.array_equal(check(wav(samples, data_length=0), "converted", faults), samples)


def test_half_a_sample_at_the_end_is_dropped() -> None:
    content = wav(speech(), data_length=0) + b"\x55"
    assert np.array_equal(check(content, "converted", {"streamed_header": "data length 0"}), speech())


def test_streamed_stereo_is_repaired_and_mixed() -> None:
    pair = np.column_stack([speech(seed=1), speech(seed=2)])
    content = wav(pair, channels=2, data_length=0, before=[info()], after=[info()])
    mixed = check(content, "converted", {"streamed_header": "data length 0", "channels": "2 channels"})
    assert np.array_equal(mixed, np.rint(pair.mean(axis=1)))


@pytest.mark.parametrize("channels", [2, 6])
def test_channels_are_averaged(channels: int) -> None:
    frames = np.column_stack([speech(seed=seed) for seed in range(channels)])
    mixed = check(wav(frames, channels=channels), "converted", {"channels": f"{channels} channels"})
    assert np.abs(mixed - frames.mean(axis=1)).max() <= 0.5 + 1e-3


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 48_000])
def test_other_rates_are_resampled_as_soxr_does(rate: int) -> None:
    samples = speech(70, rate)
    out = check(wav(samples, rate=rate), "converted", {"sample_rate": f"{rate} Hz"})
    assert len(out) == 70 * RATE
    expected = soxr.resample(samples.astype(np.float32) / 32768, rate, RATE, "HQ")
    assert np.array_equal(out, np.rint(expected * 32768))
    assert process_audio(wav(samples, rate=rate), audio_format="wav").sample_rate == rate


@pytest.mark.parametrize(
    ("subtype", "name", "step"),
    [("PCM_U8", "8-bit", 256), ("PCM_24", "24-bit", 1), ("PCM_32", "32-bit", 1), ("DOUBLE", "64-bit float", 1)],
)
def test_other_sample_formats_are_rounded(subtype: str, name: str, step: int) -> None:
    content = encoded(speech() / 32768, "WAV", subtype, artist=TAG.decode())
    assert TAG in content
    assert np.abs(check(content, "converted", {"sample_format": name}) - speech().astype(int)).max() < step


def test_floats_are_rounded_to_nearest_and_clipped() -> None:
    values = np.array([0.5, 0.5 + 0.4 / 32768, -0.25 - 0.6 / 32768, 1.0, 1.5, -1.0, -7.0])
    content = wav(np.tile(values, 3000).astype("<f4").tobytes(), tag=3, bits=32)
    result = process_audio(content, audio_format="wav")
    assert samples_of(result)[:7].tolist() == [16384, 16384, -8193, 32767, 32767, -32768, -32768]


@pytest.mark.parametrize(
    ("container", "subtype", "name"), [("OGG", "VORBIS", "ogg"), ("OGG", "OPUS", "ogg"), ("MP3", None, "mp3")]
)
def test_lossy_containers_named_wav_are_decoded(container: str, subtype: str | None, name: str) -> None:
    content = encoded(speech(), container, subtype, artist=TAG.decode())
    assert TAG in content
    out = check(content, "converted", {"other_container": name})
    assert len(out) == pytest.approx(len(speech()), abs=2500)
    assert float(out.std()) == pytest.approx(float(speech().std()), rel=0.05)


def test_flac_is_another_container_unless_expected() -> None:
    content = encoded(speech(), "FLAC", artist=TAG.decode())
    assert TAG in content
    assert np.array_equal(check(content, "converted", {"other_container": "flac"}), speech())
    assert np.array_equal(check(content, "ok", {}, expected_container="flac"), speech())
    check(wav(speech()), "converted", {"other_container": "wav"}, expected_container="flac")


def test_flac_output_has_only_the_name_of_the_library() -> None:
    content = process_audio(wav(speech(), before=[info()])).content
    assert content is not None
    position, last, blocks = 4, 0, []
    while not last:
        last, kind, size = content[position] >> 7, content[position] & 0x7F, content[position + 1 : position + 4]
        start, position = position + 4, position + 4 + int.from_bytes(size, "big")
        blocks.append((kind, content[start:position]))
    (_, stream), (_, comments) = blocks
    assert [kind for kind, _ in blocks] == [0, 4]
    assert stream[18:] == hashlib.md5(speech().tobytes()).digest()
    assert comments[4:].startswith(b"reference libFLAC")
    assert comments[-4:] == bytes(4)
    assert content == process_audio(wav(speech())).content


def test_lengths_outside_the_usual_are_suspect() -> None:
    check(wav(speech(0.5)), "suspect", {"too_short": "0.50 s"})
    check(wav(speech(1)), "ok", {})
    check(wav(speech(120)), "ok", {})
    check(wav(speech(121)), "suspect", {"too_long": "121.0 s"})
    check(wav(speech(0.5, 8000), rate=8000), "suspect", {"sample_rate": "8000 Hz", "too_short": "0.50 s"})


def test_silence_is_suspect() -> None:
    check(wav(np.zeros(RATE, "<i2")), "suspect", {"silent": "all samples equal"})
    check(wav(np.full(RATE, 5000, "<i2")), "suspect", {"silent": "all samples equal"})
    tone = np.sin(np.arange(RATE)) * 2**0.5 * 32768
    check(wav((tone * 10 ** (-59 / 20)).round().astype("<i2")), "ok", {})
    check(wav((tone * 10 ** (-61 / 20)).round().astype("<i2")), "suspect", {"silent": "-61.0 dBFS"})


@pytest.mark.parametrize("sign", [1, -1])
def test_ten_runs_at_full_scale_are_clipping(sign: int) -> None:
    def with_runs(runs: int, length: int) -> bytes:
        samples = speech()
        for start in range(0, runs * 100, 100):
            samples[start : start + length] = sign * 32767
        return wav(samples)

    check(with_runs(10, 3), "suspect", {"clipped": "10 runs at full scale"})
    check(with_runs(9, 50), "ok", {})
    check(with_runs(100, 2), "ok", {})


def test_without_checks_only_the_length_is_judged() -> None:
    result = process_audio(wav(np.zeros(RATE // 2, "<i2")), audio_format="wav", checks=False)
    assert (result.status, result.faults, result.sample_sha256) == ("suspect", ("too_short",), None)
    assert result.content == wav(np.zeros(RATE // 2, "<i2"))
    assert process_audio(wav(np.zeros(RATE, "<i2")), checks=False).status == "ok"


def test_empty_files_are_missing() -> None:
    without_audio(process_audio(b""), "missing", "empty_audio")
    without_audio(process_audio(wav(b"")), "missing", "empty_audio")
    without_audio(process_audio(wav(b"", data_length=0, after=[info()])), "missing", "empty_audio")
    without_audio(process_audio(wav(b"", data_length=4000)), "missing", "streamed_header", "empty_audio")
    without_audio(process_audio(wav(b"", channels=2)), "missing", "channels", "empty_audio")
    without_audio(process_audio(wav(b"\x01")), "missing", "empty_audio")


ABSURD = {
    "no channels": wav(speech(), channels=0),
    "65535 channels": wav(speech(), channels=65535),
    "rate 0": wav(speech(), rate=0, channels=2),
    "rate 1": wav(speech(), rate=1),
    "rate 4294967295": wav(speech(), rate=0xFFFFFFFF),
    "0 bits": wav(speech(), bits=0),
    "tag 0": wav(speech(), tag=0),
    "no data": chunk(b"RIFF", b"WAVE" + chunk(b"fmt ", struct.pack("<HHIIHH", 1, 1, RATE, 2 * RATE, 2, 16))),
    "no fmt": chunk(b"RIFF", b"WAVE" + chunk(b"data", bytes(4000))),
    "NaN": wav(np.full(RATE, np.nan, "<f4").tobytes(), tag=3, bits=32),
    "one NaN": wav(np.append(np.zeros(RATE, "<f4"), np.float32("nan")).tobytes(), tag=3, bits=32, rate=48_000),
    "infinite": wav(np.full(RATE, np.inf, "<f4").tobytes(), tag=3, bits=32),
    "half a header": wav(speech())[:30],
    "garbage": bytes(range(256)) * 20,
    "text": TAG,
    "truncated FLAC": encoded(speech(), "FLAC")[:9000],
    "header of FLAC": encoded(speech(), "FLAC")[:60],
    "header of Ogg": encoded(speech(), "OGG")[:60],
    "ADTS": b"\xff\xf1\x50\x80" + bytes(3000),
}


@pytest.mark.usefixtures("no_ffmpeg")
@pytest.mark.parametrize("content", ABSURD.values(), ids=ABSURD)
def test_absurd_files_are_undecodable(content: bytes) -> None:
    result = process_audio(content)
    without_audio(result, "undecodable", *result.faults)
    assert result.faults[-1] == "undecodable"
    assert "example.org" not in "".join(result.details)


@pytest.mark.parametrize("bits", [0x00, 0xFF], ids=["unknown", "2**36 - 1"])
def test_number_of_samples_in_a_flac_header_is_not_believed(bits: int) -> None:
    content = bytearray(encoded(speech(), "FLAC"))
    content[21] = content[21] & 0xF0 | bits & 0x0F
    content[22:26] = bytes([bits]) * 4
    assert np.array_equal(check(bytes(content), "ok", {}, expected_container="flac"), speech())


def test_hours_of_compressed_silence_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "LONGEST_S", 3600)
    content = encoded(np.zeros(3601 * 8000, np.int16), "FLAC", rate=8000)
    assert len(content) < 1_000_000
    assert process_audio(content).details == ("flac", "longer than 1 h")


@pytest.mark.filterwarnings("error")
def test_huge_floats_warn_of_nothing() -> None:
    content = wav(np.full(2 * RATE, 3e38, "<f4").tobytes(), tag=3, bits=32, channels=2)
    without_audio(process_audio(content), "undecodable", "undecodable")


@pytest.mark.parametrize(
    ("head", "container"),
    [
        (wav(b""), "wav"),
        (b"RIFX\0\0\0\0WAVE", "wav"),
        (b"RF64\xff\xff\xff\xffWAVE", "wav"),
        (b"RIFF\0\0\0\0AVI ", None),
        (b"RIFF", None),
        (b"fLaC\0\0\0\x22", "flac"),
        (b"OggS\0\x02", "ogg"),
        (b"\x1a\x45\xdf\xa3\x01", "webm"),
        (b"\0\0\0\x20ftypM4A ", "mp4"),
        (b"ID3\x04\0", "mp3"),
        (b"\xff\xfb\x90\x64", "mp3"),
        (b"\xff\xf3\x48\xc4", "mp3"),
        (b"\xff\xf1\x50\x80", None),
        (b"\xff\xff\xff\xff", None),
        (b"\xff\xfb", None),
        (b"", None),
    ],
)
def test_container_is_told_by_its_first_bytes(head: bytes, container: str | None) -> None:
    assert sniff_container(head) == container


WEBM = b"\x1a\x45\xdf\xa3" + TAG
MP4 = b"\0\0\0\x20ftypM4A " + TAG


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


SEEDS = {
    "wav": wav(speech(0.1), before=[info()], after=[info()]),
    "24-bit": encoded(speech(0.1), "WAV", "PCM_24"),
    "stereo": wav(speech(0.1), channels=2, rate=44_100, data_length=0),
    "extensible": wav(speech(0.1), extensible=True),
    "flac": encoded(speech(0.1), "FLAC"),
    "ogg": encoded(speech(0.1), "OGG"),
}


def never_raises(content: bytes) -> None:
    result = process_audio(content, audio_format="wav")
    assert result.status in AUDIO_STATUSES
    assert set(result.faults) <= set(KINDS)
    assert len(result.faults) == len(result.details)
    assert (result.content is None) == (result.status in ("missing", "undecodable"))


@pytest.fixture(scope="module")
def no_ffmpeg_for_module() -> Iterable[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "which", lambda name: None)
        yield


@pytest.mark.usefixtures("no_ffmpeg_for_module")
@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(sorted(SEEDS)),
    cut=st.integers(0, 4000),
    edits=st.lists(st.tuples(st.integers(0, 120) | st.integers(0, 4000), st.integers(0, 255)), max_size=6),
)
def test_changed_and_cut_files_never_raise(name: str, cut: int, edits: list[tuple[int, int]]) -> None:
    content = bytearray(SEEDS[name])
    for position, value in edits:
        content[position % len(content)] = value
    never_raises(bytes(content[: len(content) - cut % len(content)]))


@pytest.mark.usefixtures("no_ffmpeg_for_module")
@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    head=st.sampled_from([b"", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0", b"fLaC", b"OggS", b"ID3", MP4]),
    tail=st.binary(max_size=300),
)
def test_random_bytes_never_raise(head: bytes, tail: bytes) -> None:
    never_raises(head + tail)
