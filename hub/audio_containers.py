"""Tell what a FLAC or WAV file holds besides its samples."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FLAC = b"fLaC"
_STREAMINFO, _PADDING, _SEEKTABLE, _VORBIS_COMMENT = 0, 1, 3, 4
_STREAMINFO_BYTES = 34
_ENCODER = re.compile(rb"(?:reference libFLAC|Xiph\.Org libFLAC|Lavf|Lavc)[\w .-]*")
_WAV_CHUNKS = frozenset({b"fmt ", b"data", b"fact"})
_TAIL_TAGS = ((128, b"TAG"), (32, b"APETAGEX"), (160, b"APETAGEX"))
"""Distance from the end and mark of ID3v1 and APE tags; APE may stand before ID3v1."""


def foreign_parts(content: bytes) -> list[str]:
    """Return the names of what a file holds besides samples and what a decoder needs; empty for a clean file.

    Allowed in FLAC (RFC 9639, section 8): STREAMINFO, empty padding, a seek table, and a comment block that holds only
    the encoder's name, which libFLAC always writes. Allowed in WAV: ``fmt``, ``data`` and ``fact``. Every other
    container is named, as it may hold tags that are not looked for.

    Args:
        content: A whole file; nothing makes this raise.
    """
    if content.startswith(_FLAC):
        return [name for kind, block in _flac_blocks(content) for name in _flac_fault(kind, block)] + _tail(content)
    if content[:4] in (b"RIFF", b"RIFX") and content[8:12] == b"WAVE":
        return [name for name, _ in _wav_chunks(content) if name.encode("latin-1") not in _WAV_CHUNKS]
    return ["a container that is neither FLAC nor WAV"]


def md5_of_samples(content: bytes) -> bytes | None:
    """Return the MD5 that a 16-bit FLAC file states of its samples; None for any other file."""
    for kind, block in _flac_blocks(content) if content.startswith(_FLAC) else ():
        if kind == _STREAMINFO and len(block) == _STREAMINFO_BYTES:
            bits = ((block[12] & 1) << 4 | block[13] >> 4) + 1
            return block[18:34] if bits == 16 and any(block[18:34]) else None
    return None


def _flac_blocks(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield type and body of the metadata blocks."""
    place, is_last = len(_FLAC), False
    while not is_last and place + 4 <= len(content):
        is_last, kind = bool(content[place] & 0x80), content[place] & 0x7F
        end = place + 4 + int.from_bytes(content[place + 1 : place + 4], "big")
        yield kind, content[place + 4 : end]
        place = end


def _flac_fault(kind: int, block: bytes) -> list[str]:
    if kind in (_STREAMINFO, _SEEKTABLE) or (kind == _PADDING and not any(block)):
        return []
    if kind == _VORBIS_COMMENT:
        end = 4 + int.from_bytes(block[:4], "little")
        is_encoder = _ENCODER.fullmatch(block[4:end]) is not None
        return [] if is_encoder and block[end:] == bytes(4) else ["comments"]
    return [f"metadata block {kind}"]


def _tail(content: bytes) -> list[str]:
    return ["a tag at the end" for distance, mark in _TAIL_TAGS if content[-distance:].startswith(mark)]


def _wav_chunks(content: bytes) -> Iterator[tuple[str, int]]:
    """Yield name and size of the chunks; what follows the end that the header states is a chunk of its own."""
    order = "little" if content.startswith(b"RIFF") else "big"
    place, end = 12, 8 + int.from_bytes(content[4:8], order)  # type: ignore[arg-type]
    while place + 8 <= min(end, len(content)):
        size = int.from_bytes(content[place + 4 : place + 8], order)  # type: ignore[arg-type]
        yield content[place : place + 4].decode("latin-1"), size
        place += 8 + size + size % 2
    if len(content) > place:
        yield "rest", len(content) - place
