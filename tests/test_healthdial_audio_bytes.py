"""No bytes of a recording raise: absurd headers, floods of samples, changed, cut and random files."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healthdial import decoding
from healthdial.audio import AUDIO_STATUSES, process_audio
from healthdial.findings import KINDS
from tests.healthdial_sounds import MP4, RATE, TAG, check, chunk, encoded, info, speech, wav, without_audio


@pytest.fixture(scope="module")
def no_ffmpeg() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "which", lambda name: None)
        yield


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


@pytest.mark.usefixtures("no_ffmpeg")
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


@pytest.mark.usefixtures("no_ffmpeg")
@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    head=st.sampled_from([b"", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0", b"fLaC", b"OggS", b"ID3", MP4]),
    tail=st.binary(max_size=300),
)
def test_random_bytes_never_raise(head: bytes, tail: bytes) -> None:
    never_raises(head + tail)
