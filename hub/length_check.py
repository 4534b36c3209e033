"""Warn of columns whose lengths of texts or lists cost a split the viewer's statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hub.faults import Fault

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAX_CLASSES = 10
"""Distinct texts, null among them, up to which the viewer counts texts instead of their lengths (August 2026)."""


@dataclass
class _Column:
    """Lengths of the values of a column.

    Attributes:
        what: ``texts`` or ``lists``.
        shortest: The shortest length in characters or items; None without any value.
        longest: The longest.
        texts: Some distinct texts, at most one more than ``MAX_CLASSES``.
    """

    what: str
    shortest: int | None = None
    longest: int | None = None
    texts: set[str | None] = field(default_factory=set)

    def add(self, values: pa.Array) -> None:
        import pyarrow.compute as pc

        lengths = pc.utf8_length(values) if self.what == "texts" else pc.list_value_length(values)
        found = pc.min_max(lengths).as_py()
        if found["min"] is not None:
            self.shortest = found["min"] if self.shortest is None else min(self.shortest, found["min"])
            self.longest = found["max"] if self.longest is None else max(self.longest, found["max"])
        if self.what == "texts" and len(self.texts) <= MAX_CLASSES:
            self.texts.update(values.unique()[: MAX_CLASSES + 1].to_pylist())

    @property
    def costs_statistics(self) -> bool:
        if self.shortest is None or self.longest is None or self.longest - self.shortest != 1:
            return False
        return self.what == "lists" or len(self.texts) > MAX_CLASSES


@dataclass
class Lengths:
    """Measures the top-level columns of texts and lists of one split.

    The viewer fails on lengths of which the largest is the smallest plus 1, and then has no statistics of the split.
    """

    columns: dict[str, _Column] = field(default_factory=dict)

    def add(self, batch: pa.RecordBatch) -> None:
        """Measure some rows."""
        for column in batch.schema:
            what = _measured(column.type)
            if what:
                self.columns.setdefault(column.name, _Column(what)).add(batch.column(column.name))

    def warnings(self, place: str) -> Iterator[Fault]:
        """Yield the columns that cost the statistics."""
        for name, column in self.columns.items():
            if column.costs_statistics:
                message = (
                    f"the {column.what} of column {name} are {column.shortest} or {column.longest} "
                    f"{'characters' if column.what == 'texts' else 'items'} long, at which the viewer loses the "
                    "statistics of the whole split. Pad them to one length, or order or split the rows in another way."
                )
                yield Fault("lengths_differ_by_1", place, message, is_warning=True)


def list_columns(opened: pq.ParquetFile) -> list[str]:
    """Return the path of one leaf of every top-level list, such as ``scores.list.element``; its texts come besides."""
    lists = {column.name for column in opened.schema_arrow if _measured(column.type) == "lists"}
    paths = (opened.schema.column(number).path for number in range(len(opened.schema)))
    first: dict[str, Any] = {}
    for path in paths:
        first.setdefault(path.split(".")[0], path)
    return [path for name, path in first.items() if name in lists]


def _measured(kind: pa.DataType) -> str | None:
    """Return what the values of a type are, if the viewer measures them."""
    import pyarrow as pa

    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "texts"
    return "lists" if pa.types.is_list(kind) or pa.types.is_large_list(kind) else None
