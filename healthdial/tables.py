"""Rows as plain dicts to Arrow tables of a config, class names to their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from healthdial.schema import columns_of

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]


def arrow_table(rows: Sequence[Mapping[str, Any]], config: str, schema: pa.Schema) -> pa.Table:
    """Return rows as a table.

    Args:
        rows: Rows of the config; classes by name, None where unknown.
        config: Name of the config.
        schema: ``features_of(config).arrow_schema``.

    Raises:
        KeyError: A class name is not of the column's list, or a column is missing.
    """
    import pyarrow as pa

    numbers = {
        column: {name: number for number, name in enumerate(kind)}
        for column, kind in columns_of(config).items()
        if isinstance(kind, tuple)
    }
    columns = []
    for field in schema:
        values = [row[field.name] for row in rows]
        if field.name in numbers:
            values = [None if value is None else numbers[field.name][value] for value in values]
        columns.append(pa.array(values, type=field.type))
    return pa.Table.from_arrays(columns, schema=schema)
