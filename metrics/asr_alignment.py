"""The alignment behind an error rate, as text for a person: reference over hypothesis, edits marked."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from rapidfuzz.distance import Levenshtein

from metrics.asr import CharacterErrorRate, WordErrorRate

_MARKS = {"equal": "", "replace": "S", "delete": "D", "insert": "I"}
_LABELS = ("REF", "HYP", "")
_LABEL_WIDTH = 5
_SPACE = "␣"
_DOTTED_CIRCLE = "\u25cc"
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"
_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))


@dataclass(frozen=True)
class _Column:
    cells: tuple[str, str, str]
    width: int


def alignment_text(
    reference: str, hypothesis: str, metric: WordErrorRate | CharacterErrorRate, *, columns: int = 100
) -> str:
    """Shows how a transcript was aligned with its reference: the very units and edits that the metric counts.

    ::

        REF: 我 今天 有点 头疼 啊
        HYP: 我 今天 有点 头疼 **
                               D

    S marks a substitution, D a deletion, I an insertion; the missing side is filled with ``*``. Chinese characters
    take two columns. A space that is counted shows as ``␣``, a combining mark that is a unit of its own on a dotted
    circle. Columns run from left to right in the order of speech, in Arabic too: each Arabic unit is a directional
    isolate (U+2068, U+2069), so that a terminal or browser that reorders text does so within the unit only.

    Args:
        reference: The reference.
        hypothesis: The transcript of the system.
        metric: Says what is aligned (words or characters), and its language and normalisation.
        columns: Width in columns at which lines break; a wider unit has lines of its own.

    Returns:
        Blocks of reference, hypothesis and, where there are edits, marks; an empty line between blocks, none at the
        end. Lines end without spaces. Of two empty texts the two labels.

    Raises:
        ValueError: If `columns` leaves no room beside the labels.
    """
    if columns <= _LABEL_WIDTH:
        raise ValueError(f"columns must be more than {_LABEL_WIDTH}, the width of the labels; got {columns}")
    aligned = list(_columns(metric.units(reference), metric.units(hypothesis)))
    blocks = _blocks(aligned, columns - _LABEL_WIDTH) or [[]]
    return "\n\n".join("\n".join(_line(block, row) for row in range(len(_LABELS))).rstrip() for block in blocks)


def display_width(text: str) -> int:
    """Returns the columns that a text takes in a terminal: wide characters two, marks and format characters none.

    By Unicode's East Asian width; ambiguous characters count one.
    """
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _columns(reference: Sequence[str], hypothesis: Sequence[str]) -> Iterator[_Column]:
    for edit in Levenshtein.opcodes(reference, hypothesis):
        pairs = zip_longest(
            reference[edit.src_start : edit.src_end], hypothesis[edit.dest_start : edit.dest_end], fillvalue=""
        )
        for said, heard in pairs:
            yield _column(_visible(said), _visible(heard), _MARKS[edit.tag])


def _column(said: str, heard: str, mark: str) -> _Column:
    width = max(display_width(said), display_width(heard), 1)
    return _Column((said or "*" * width, heard or "*" * width, mark), width)


def _visible(unit: str) -> str:
    if unit.isspace():
        return _SPACE
    if unit and unicodedata.category(unit[0])[0] == "M":
        unit = _DOTTED_CIRCLE + unit
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in unit):
        return _FIRST_STRONG_ISOLATE + unit + _POP_ISOLATE
    return unit


def _blocks(aligned: Sequence[_Column], width: int) -> list[list[_Column]]:
    blocks: list[list[_Column]] = []
    used = 0
    for column in aligned:
        if not blocks or used + column.width > width:
            blocks.append([])
            used = 0
        blocks[-1].append(column)
        used += column.width + 1
    return blocks


def _line(block: Sequence[_Column], row: int) -> str:
    label = f"{_LABELS[row]}:" if _LABELS[row] else ""
    cells = (column.cells[row] + " " * (column.width - display_width(column.cells[row])) for column in block)
    return (label.ljust(_LABEL_WIDTH) + " ".join(cells)).rstrip()
