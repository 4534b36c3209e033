"""Read the chunks of a RIFF WAVE file, whatever its lengths say, and write canonical ones."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

SAMPLE_RATE = 16_000
CHUNK_HEADER_BYTES = 8
FORMAT_BYTES = 16
EXTENSIBLE_FORMAT_BYTES = 40
PCM = 0x0001
EXTENSIBLE = 0xFFFE
SUBFORMAT_TAIL = bytes.fromhex("000000001000800000aa00389b71")
"""What follows the two bytes of the format tag in the GUID of WAVE_FORMAT_EXTENSIBLE."""

METADATA_CHUNKS = (b"LIST", b"id3 ", b"ID3 ", b"bext", b"iXML", b"_PMX", b"cue ", b"fact", b"PEAK", b"smpl", b"JUNK")
"""Chunks that programs write after the samples."""


@dataclass(frozen=True)
class WavLayout:
    """Where the parts of a RIFF WAVE file lie and what its ``fmt`` chunk says.

    Attributes:
        format_start: Offset of the ``fmt`` chunk's content, in bytes.
        format_end: Offset of its end.
        data_start: Offset of the samples.
        data_end: Offset of their end.
        format_tag: 1 for integer PCM, 3 for float; that of the GUID if the header is extensible.
        channels: Channels.
        sample_rate: Hz.
        block_align: Bytes of one sample in all channels.
        bits: Bits a sample.
        extensible: The header is WAVE_FORMAT_EXTENSIBLE.
        repair: What is wrong with the length of the ``data`` chunk; empty if nothing is.
    """

    format_start: int
    format_end: int
    data_start: int
    data_end: int
    format_tag: int
    channels: int
    sample_rate: int
    block_align: int
    bits: int
    extensible: bool
    repair: str

    @property
    def is_conforming(self) -> bool:
        """Whether the samples are 16 kHz, mono, 16-bit integers."""
        found = (self.format_tag, self.channels, self.sample_rate, self.block_align, self.bits)
        return found == (PCM, 1, SAMPLE_RATE, 2, 16)


def read_layout(content: bytes) -> WavLayout | None:
    """Find the ``fmt`` and ``data`` chunks; the length in the RIFF header is not believed.

    A ``data`` length of 0 or 0xFFFFFFFF, or beyond the end, is what a recorder leaves that could not seek back: the
    samples then go to the end of the file, or to chunks of metadata that fill the file to its end. A right length is
    followed, so chunks behind the samples are never taken for samples. An odd chunk without its padding byte is read.

    Args:
        content: The file.

    Returns:
        The layout, or None if this is not RIFF (RIFX and RF64 are not) or has no ``fmt`` chunk before its ``data``.
    """
    if content[:4] != b"RIFF":
        return None
    format_span: tuple[int, int] | None = None
    for name, start, length in _chunks(content, 12):
        if name == b"fmt " and length >= FORMAT_BYTES and format_span is None:
            format_span = start, start + length
        elif name == b"data":
            return _layout(content, format_span, start, length) if format_span else None
    return None


def _chunks(content: bytes, position: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, offset of the content and stated length of each chunk."""
    while position + CHUNK_HEADER_BYTES <= len(content):
        name, length = struct.unpack_from("<4sI", content, position)
        start = position + CHUNK_HEADER_BYTES
        yield name, start, length
        position = start + length
        if length % 2 and content[position : position + 4] not in (b"fmt ", b"data"):
            position += 1


def _layout(content: bytes, format_span: tuple[int, int], data_start: int, length: int) -> WavLayout:
    """Return the layout of a file whose chunks are found."""
    start, end = format_span
    tag, channels, sample_rate, _, block_align, bits = struct.unpack_from("<HHIIHH", content, start)
    extensible = tag == EXTENSIBLE and end - start >= EXTENSIBLE_FORMAT_BYTES
    if extensible and content[start + 26 : start + EXTENSIBLE_FORMAT_BYTES] == SUBFORMAT_TAIL:
        (tag,) = struct.unpack_from("<H", content, start + 24)
    data_end, repair = _data_end(content, data_start, length)
    return WavLayout(
        start, end, data_start, data_end, tag, channels, sample_rate, block_align, bits, extensible, repair
    )


def _data_end(content: bytes, start: int, length: int) -> tuple[int, str]:
    """Return where the samples end, and what is wrong with their stated length."""
    present = len(content) - start
    if 0 < length <= present or present == 0 == length:
        return start + length, ""
    end = _start_of_trailing_chunks(content, start)
    if length == 0:
        return end, "data length 0" if end > start else ""
    if length == 0xFFFFFFFF:
        return end, "data length 0xFFFFFFFF"
    return end, f"data length {length}, {end - start} bytes there"


def _start_of_trailing_chunks(content: bytes, start: int) -> int:
    """Return where chunks of metadata begin that fill the file to its end; the end if there are none."""
    end = len(content)
    for name in METADATA_CHUNKS:
        position = content.find(name, start, end)
        while position >= 0 and not _fills_file(content, position):
            position = content.find(name, position + 1, end)
        if position >= 0:
            end = position
    return end


def _fills_file(content: bytes, position: int) -> bool:
    """Whether chunks with printable names go from here exactly to the end of the file, give or take a padding byte."""
    end = position
    for name, start, length in _chunks(content, position):
        if not (name.isascii() and name.decode("ascii").isprintable()):
            return False
        end = start + length
    return 0 <= len(content) - end <= 1


def with_right_lengths(content: bytes, layout: WavLayout) -> bytes:
    """Return a copy of the ``fmt`` and ``data`` chunks alone, with right lengths, for libsndfile to decode."""
    view = memoryview(content)
    header = view[layout.format_start : layout.format_end]
    samples = view[layout.data_start : layout.data_end]
    padding = b"\0" * (len(header) % 2)
    riff_bytes = 4 + 2 * CHUNK_HEADER_BYTES + len(header) + len(padding) + len(samples)
    return b"".join(
        (
            struct.pack("<4sI4s4sI", b"RIFF", riff_bytes, b"WAVE", b"fmt ", len(header)),
            header,
            padding,
            struct.pack("<4sI", b"data", len(samples)),
            samples,
        )
    )


def wav_file(samples: np.ndarray, source: bytes = b"") -> bytes:
    """Return a WAV file with the canonical header of 44 bytes.

    Args:
        samples: Shape (n,), little-endian int16, 16 kHz mono.
        source: The file that they are a view into, returned itself where it is that very file; copying is what
            reading a WAV release mostly does.
    """
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", 36 + samples.nbytes, b"WAVE", b"fmt ", FORMAT_BYTES),
        *(PCM, 1, SAMPLE_RATE, 2 * SAMPLE_RATE, 2, 16),
        *(b"data", samples.nbytes),
    )
    if samples.base is source and len(source) == len(header) + samples.nbytes and source.startswith(header):
        return source
    return b"".join((header, samples.data))
