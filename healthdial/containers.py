"""Which audio container a file is, by its first bytes and never by its name."""

from __future__ import annotations

MPEG_HEADER_BYTES = 4
RIFF_HEADER_BYTES = 12


def sniff_container(head: bytes) -> str | None:
    """Return the container of an audio file.

    Args:
        head: The first bytes of the file; 12 are enough.

    Returns:
        ``wav`` (RIFF, RIFX or RF64), ``flac``, ``ogg``, ``webm`` (any Matroska), ``mp4`` (any ISO base media file),
        ``mp3`` (an ID3v2 tag or an MPEG audio frame), or None for anything else.
    """
    if head[:4] in (b"RIFF", b"RIFX", b"RF64") and head[8:RIFF_HEADER_BYTES] == b"WAVE":
        return "wav"
    for magic, container in ((b"fLaC", "flac"), (b"OggS", "ogg"), (b"\x1a\x45\xdf\xa3", "webm"), (b"ID3", "mp3")):
        if head.startswith(magic):
            return container
    if head[4:8] == b"ftyp":
        return "mp4"
    return "mp3" if _is_mpeg_frame(head) else None


def _is_mpeg_frame(head: bytes) -> bool:
    """Whether bytes start with the header of an MPEG-1/2/2.5 audio frame (ISO/IEC 11172-3, 2.4.1.3).

    AAC in ADTS has the same sync word; its layer bits are 0, which MPEG audio reserves.
    """
    if len(head) < MPEG_HEADER_BYTES or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bit_rate, sample_rate = head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and layer != 0 and bit_rate != 15 and sample_rate != 3
