"""Content fingerprints: the SHA-256 of a value in canonical JSON, and of a file's bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def fingerprint(value: Any) -> str:
    """Return the SHA-256 (64 hex digits) of ``value`` in canonical JSON.

    Canonical: UTF-8, keys sorted, no white space, no escapes of non-ASCII characters. Equal values have equal
    fingerprints on every machine and Python version.
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def combined_fingerprint(parts: Iterable[str]) -> str:
    """Return the fingerprint of a set of fingerprints, independent of their order."""
    return fingerprint(sorted(parts))


def file_sha256(file: Path) -> str:
    """Return the SHA-256 (64 hex digits) of a file's bytes, read in blocks of 1 MiB."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
