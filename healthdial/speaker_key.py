"""The secret that orders speaker ids: drawn on first use, kept in a local file that only its owner reads."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from hub.errors import BenchError

_KEY_BYTES = 32


def load_or_make_key(file: Path) -> bytes:
    """Return the secret that orders the speakers; on first use draw it and write it, readable by its owner only.

    Args:
        file: A file with 64 hexadecimal digits; made with its parent folders if missing.

    Returns:
        32 bytes.

    Raises:
        BenchError: The file cannot be read or made, or holds something else.
    """
    try:
        try:
            return _read_key(file)
        except FileNotFoundError:
            return _make_key(file)
    except OSError as error:
        raise BenchError(
            f"{file}: the speaker key cannot be read or made ({error.strerror or type(error).__name__}). "
            "Make it readable, or give another file with --speaker-key."
        ) from error


def _read_key(file: Path) -> bytes:
    """Read a key; whatever else the file holds is not shown."""
    content = file.read_bytes().strip()
    if not re.fullmatch(rb"[0-9a-fA-F]{%d}" % (2 * _KEY_BYTES), content):
        raise BenchError(
            f"{file}: not a speaker key, which is {2 * _KEY_BYTES} hexadecimal digits. Give the right file with "
            "--speaker-key, or remove this one for a new key, with which all speaker ids change."
        )
    return bytes.fromhex(content.decode("ascii"))


def _make_key(file: Path) -> bytes:
    """Draw a key and write it; a file that another process has made meanwhile is read instead."""
    file.parent.mkdir(parents=True, exist_ok=True)
    key = secrets.token_bytes(_KEY_BYTES)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_key(file)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(key.hex().encode("ascii") + b"\n")
    except OSError:
        file.unlink(missing_ok=True)
        raise
    return key
