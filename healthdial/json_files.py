"""Read the release's JSON files: UTF-8 only, a list at the top, damage named without quoting content."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from healthdial.findings import Findings, Place
from hub.errors import ReleaseError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


def read_records(file: Path, findings: Findings, place: Place) -> list[Any]:
    """Return the JSON list in a file.

    Args:
        file: The file.
        findings: Collects ``byte_order_mark`` and ``not_utf8``.
        place: Language and kind of the file, for reports.

    Raises:
        ReleaseError: The file cannot be read, is not UTF-8 or not a JSON list. No content is quoted: it is personal.
    """
    value = read_json(file, findings, place)
    if not isinstance(value, list):
        raise ReleaseError(f"{file}: expected a JSON list of records, found {type(value).__name__}; fetch it again")
    return value


def read_json(file: Path, findings: Findings, place: Place) -> Any:
    """Return the JSON value in a file; arguments and errors as in ``read_records``, of any type."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ReleaseError(f"{file}: cannot be read ({error.strerror or type(error).__name__})") from error
    if content.startswith(BYTE_ORDER_MARK):
        findings.add("byte_order_mark", place)
        content = content[len(BYTE_ORDER_MARK) :]
    try:
        text = content.decode("utf-8")
        value = json.loads(text)
        return _without_half_characters(value) if _SURROGATE_ESCAPE.search(text) else value
    except UnicodeDecodeError as error:
        findings.add("not_utf8", place, f"byte {error.start}")
        raise ReleaseError(f"{file}: not UTF-8 (byte {error.start}); fetch it again") from None
    except (ValueError, RecursionError) as error:
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise ReleaseError(f"{file}: not valid JSON ({where}); fetch it again") from None


def _without_half_characters(value: Any) -> Any:
    """Return a JSON value with U+FFFD for every lone surrogate: escapes can spell one, UTF-8 cannot store it."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_without_half_characters(item) for item in value]
    if isinstance(value, dict):
        return {_without_half_characters(key): _without_half_characters(item) for key, item in value.items()}
    return value
