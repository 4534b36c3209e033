"""Tables of text that print for a terminal, as Markdown and as CSV, and the numbers and texts in their cells."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table ready to be printed in any format.

    Attributes:
        title: Heading.
        header: Column titles.
        rows: Cells as text.
        note: How to read it.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def as_text(self) -> str:
        """Return the table for a terminal."""
        return self._formatted("simple_outline")

    def as_markdown(self) -> str:
        """Return the table in GitHub's Markdown."""
        return self._formatted("github", heading="## ")

    def _formatted(self, style: str, heading: str = "") -> str:
        from tabulate import tabulate

        body = tabulate(self.rows, headers=self.header, tablefmt=style, disable_numparse=True)
        return "\n\n".join(part for part in (heading + self.title, body, self.note) if part)


def with_interval(value: float, low: float, high: float, both_ends: bool, *, sign: bool = False) -> str:
    """Return a number with its interval, both ends of it or its half-width; without it where an end is nan."""
    number = f"{value:+.2f}" if sign else f"{value:.2f}"
    if math.isnan(low) or math.isnan(high):
        return number
    return f"{number} [{low:.2f}, {high:.2f}]" if both_ends else f"{number} ±{(high - low) / 2:.1f}"


def shorten(text: str, length: int) -> str:
    """Return a text cut to a length in code points, the cut marked, never before a combining mark."""
    if len(text) <= length:
        return text
    while length and unicodedata.category(text[length])[0] == "M":
        length -= 1
    return text[:length] + " ..."


def csv_text(columns: Sequence[str], records: Iterable[Mapping[str, object]]) -> str:
    """Return records as CSV; columns that a record lacks are empty."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return stream.getvalue()
