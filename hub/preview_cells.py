"""What a preview shows for a cell and for a column's type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from hub.first_rows import AudioCell, FirstRow, _json

_JSON_STRING = re.compile(r'("(?:[^"\\]|\\.)*")')

SaveRecording = Callable[[AudioCell], "str | None"]
"""Writes a recording and returns the link to it; None for one that no browser plays as it is."""


@dataclass(frozen=True)
class Cell:
    """A cell of a preview.

    Attributes:
        kind: ``null``; ``blank``: a string without a visible character; ``text``; ``number``: also a truth value;
            ``class``; ``json``: a list or struct; ``audio``; ``unplayable``: a recording in a format that browsers
            may not know; ``cut``: the start of the JSON text, as the viewer cuts it.
        text: What is shown; the link of a recording.
        note: The number of a class.
        parts: Only for ``json``: its text in turn outside and inside string literals, so that each literal may have
            a direction of its own.
    """

    kind: Literal["null", "blank", "text", "number", "class", "json", "audio", "unplayable", "cut"]
    text: str = ""
    note: str = ""
    parts: tuple[str, ...] = ()


def cell_of(row: FirstRow, column: str, feature: Any, save: SaveRecording) -> Cell:
    """Return what is shown for a cell.

    Args:
        row: A row as the viewer shows it.
        column: Name of the column.
        feature: Its type in ``datasets``.
        save: What becomes of a recording.
    """
    from datasets import ClassLabel

    value = row.cells[column]
    if column in row.cut:
        return Cell("cut", value)
    if value is None:
        return Cell("null")
    if isinstance(value, AudioCell):
        return _audio(value, save)
    if isinstance(feature, ClassLabel):
        return Cell("class", _class_name(feature, value), str(value))
    return _plain(value)


def type_name(feature: Any, *, whole: bool = False) -> str:
    """Return a column's type in words.

    Args:
        feature: Type in ``datasets``.
        whole: Also the fields of a struct and the names of classes.
    """
    from datasets import Audio, ClassLabel, LargeList, List, Value

    if isinstance(feature, Value):
        return str(feature.dtype)
    if isinstance(feature, ClassLabel):
        names = ", ".join(f"{number} {name}" for number, name in enumerate(feature.names or ()))
        return f"ClassLabel: {names}" if whole else "ClassLabel"
    if isinstance(feature, Audio):
        return f"Audio, {feature.sampling_rate} Hz" if feature.sampling_rate else "Audio"
    if isinstance(feature, (List, LargeList)):
        return f"list of {type_name(feature.feature, whole=whole)}"
    if isinstance(feature, dict):
        fields = ", ".join(f"{name}: {type_name(field, whole=whole)}" for name, field in feature.items())
        return f"struct {{{fields}}}" if whole else "struct"
    return type(feature).__name__


def _audio(value: AudioCell, save: SaveRecording) -> Cell:
    link = save(value)
    return Cell("unplayable", f"{len(value.content):,} bytes") if link is None else Cell("audio", link)


def _class_name(feature: Any, value: int) -> str:
    """Return the name of a class; -1 is a row without one."""
    names = feature.names or ()
    if value == -1:
        return "no label"
    return str(names[value]) if 0 <= value < len(names) else "no such class"


def _plain(value: Any) -> Cell:
    """Return the cell of a value that is neither null nor a recording nor a class."""
    if isinstance(value, str):
        return Cell("text", value) if value.strip() else Cell("blank", json.dumps(value, ensure_ascii=False))
    text = _json(value).decode("utf-8")
    if isinstance(value, (list, dict)):
        return Cell("json", text, parts=tuple(_JSON_STRING.split(text)))
    return Cell("number" if isinstance(value, (bool, int, float)) else "text", text.strip('"'))
