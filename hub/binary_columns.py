"""Find columns of bytes that are neither recordings nor pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Features


def binary_columns(schema: pa.Schema, features: Features | None) -> list[str]:
    """Return the top-level columns that hold bytes other than those of Audio and Image, at any depth.

    Args:
        schema: The columns.
        features: Their features; a column without one is judged by its type.
    """
    return [field.name for field in schema if _holds_bytes((features or {}).get(field.name, field.type))]


def _holds_bytes(kind: Any) -> bool:
    """Return whether a feature, or an Arrow type, is or contains bytes outside of Audio and Image."""
    import pyarrow as pa
    from datasets import Audio, Image, LargeList, List
    from datasets.features.features import get_nested_type

    if isinstance(kind, (Audio, Image)):
        return False
    if isinstance(kind, (List, LargeList)):
        return _holds_bytes(kind.feature)
    if isinstance(kind, dict):
        return any(map(_holds_bytes, kind.values()))
    found = kind if isinstance(kind, pa.DataType) else get_nested_type(kind)
    types = pa.types
    if any(is_kind(found) for is_kind in (types.is_binary, types.is_large_binary, types.is_binary_view)):
        return True
    if types.is_fixed_size_binary(found):
        return True
    return any(_holds_bytes(found.field(number).type) for number in range(found.num_fields))
