"""Recordings: every trap of a WAV file, other containers, exact samples and no tags."""

from __future__ import annotations

import hashlib
import io
from typing import Any

import numpy as np
import pytest
import soundfile
import soxr

from healthdial.audio import process_audio, sniff_container
from tests.healthdial_sounds import RATE, TAG, check, chunk, encoded, info, samples_of, speech, wav, without_audio

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
