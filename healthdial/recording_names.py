"""Names of recordings: ``<account>_<LANG>_<number>_<k>.wav``, parsed from both ends and never printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from healthdial.languages import language_code

FINAL_PREFIX = "final_"
AUDIO_SUFFIXES = (".wav", ".flac")

_NAME = re.compile(
    r"(?:(?P<prefix>.*)_)?(?P<language>[A-Za-z]{2,8})_(?P<number>\d{1,9})_(?P<index>\d{1,6})(?:\.[A-Za-z0-9]{1,5})?"
)
_TASK_ID = re.compile(r"(?P<language>[A-Za-z]{2,8})_(?P<number>\d{1,9})")


@dataclass(frozen=True, slots=True)
class RecordingName:
    """A recording's name in parts.

    Attributes:
        prefix: What stands before the task id: the account for user speech. Personal, so not in the representation.
        language: ISO 639-3 code.
        number: Number of the dialogue.
        index: 0-based count of user turns (user speech) or of assistant turns (system speech).
        is_final: The name had the annotation tool's prefix ``final_``, which is not part of ``prefix``.
    """

    prefix: str = field(repr=False)
    language: str
    number: int
    index: int
    is_final: bool = field(default=False, compare=False)

    @property
    def turn(self) -> tuple[int, int]:
        """Number of the dialogue and index in it."""
        return self.number, self.index


def parse_recording_name(name: str) -> RecordingName | None:
    """Return the parts of a base name, or None if it is not of the documented form."""
    match = _NAME.fullmatch(name)
    code = language_code(match["language"]) if match else None
    if match is None or code is None:
        return None
    prefix = match["prefix"] or ""
    is_final = prefix.startswith(FINAL_PREFIX)
    return RecordingName(
        prefix.removeprefix(FINAL_PREFIX), code, int(match["number"]), int(match["index"]), is_final=is_final
    )


def parse_task_id(value: object) -> tuple[str, int] | None:
    """Return (ISO 639-3 code, number) of a task id such as ``ENG_50``, or None."""
    match = _TASK_ID.fullmatch(value.strip()) if isinstance(value, str) else None
    code = language_code(match["language"]) if match else None
    return (code, int(match["number"])) if match and code else None
