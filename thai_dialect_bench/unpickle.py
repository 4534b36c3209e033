"""Reads the authors' `dataset.pkl` (variety -> task -> table) without running any code that the pickle chooses.

Three walls, each enough to keep foreign code out:

1. every opcode is read first and must be on `_OPCODES` (no GLOBAL, INST, OBJ, EXT, PERSID, NEWOBJ_EX, PUT);
2. every global must be on `_GLOBALS`, by exact module and name, and is answered with a class of ours that only stores
   what it is given, whatever the pickle calls it with (REDUCE, NEWOBJ) or puts into it (BUILD, SETITEMS);
3. what was stored is plain data, checked type by type; Arrow builds the columns from the raw buffers and validates
   them in full before a value is read.

Sizes are limited too: bytes of the file, opcodes, tuples, cells and bytes of text made from it.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, ClassVar, TypeVar

import pyarrow as pa

Value = str | int | None
Columns = dict[str, list[Value]]
Tables = dict[str, dict[str, list[dict[str, Value]]]]
T = TypeVar("T")

# fmt: off
_OPCODES = frozenset((
    "PROTO", "FRAME", "STOP", "MARK", "MEMOIZE", "BINGET", "LONG_BINGET", "NONE", "NEWTRUE", "NEWFALSE", "BININT",
    "BININT1", "BININT2", "SHORT_BINUNICODE", "BINUNICODE", "SHORT_BINBYTES", "BINBYTES", "BYTEARRAY8",
    "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_LIST", "APPEND", "APPENDS", "EMPTY_DICT", "SETITEM",
    "SETITEMS", "STACK_GLOBAL", "REDUCE", "NEWOBJ", "BUILD",
))
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
# fmt: on
_TUPLES = frozenset({"TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"})
# What the authors' file holds (datasets 2, numpy 1), what datasets 5 writes, and numpy's other names for the same.
_GLOBALS: Mapping[str, str] = MappingProxyType(
    {
        "datasets.dataset_dict": "DatasetDict",
        "datasets.arrow_dataset": "Dataset",
        "datasets.info": "DatasetInfo",
        "datasets.features.features": "Features Value",
        "datasets.splits": "NamedSplit SplitDict SplitInfo",
        "datasets.utils.version": "Version",
        "datasets.table": "InMemoryTable ConcatenationTable",
        "pyarrow.lib": "_reconstruct_table _reconstruct_record_batch _restore_array chunked_array field py_buffer"
        " schema type_for_alias",
        "builtins": "bytearray",
        "numpy": "dtype ndarray",
        "numpy.core.multiarray": "_reconstruct",
        "numpy._core.multiarray": "_reconstruct",
        "numpy.core.numeric": "_frombuffer",
        "numpy._core.numeric": "_frombuffer",
    }
)
_ARROW_TYPES: Mapping[str, pa.DataType] = MappingProxyType(
    {name: pa.type_for_alias(name) for name in ("string", "large_string", "null", *_INTEGERS)}
)
_MAX_OPCODES = 200_000  # the authors' file has 15,942
_MAX_TUPLES = 5_000  # theirs: 1,712. Hashing a tuple nested 200,000 deep (as a dictionary key) overflows the C stack.
_MAX_CELLS = 2_000_000
_ADVICE = (
    "Nothing in the file was run. Check where it comes from: the authors' own dataset.pkl, and any DatasetDict of text"
    " and integer columns held in memory and pickled with protocol 4 or 5, can be read"
)


class UnsafePickleError(Exception):
    """The pickle asks for something that this reader refuses; nothing of the pickle was run."""


class CorruptPickleError(UnsafePickleError):
    """The file is cut short, damaged, or does not hold tables; nothing of it was run."""


class _Inert:
    """Stands in for a global of the pickle: stores what the pickle hands over and does nothing with it."""

    __slots__ = ("args", "items", "state")
    source: ClassVar[str]
    args: tuple[object, ...]
    items: dict[object, object]
    state: object

    def __new__(cls, *args: object) -> _Inert:
        stand_in = super().__new__(cls)
        stand_in.args, stand_in.items, stand_in.state = args, {}, None
        return stand_in

    # Without this method BUILD would set attributes of the pickle's choosing.
    def __setstate__(self, state: object) -> None:
        self.state = state

    def __setitem__(self, key: object, value: object) -> None:
        self.items[key] = value


_STAND_INS: Mapping[tuple[str, str], type[_Inert]] = MappingProxyType(
    {
        (module, name): type(name, (_Inert,), {"__slots__": (), "source": f"{module}.{name}"})
        for module, names in _GLOBALS.items()
        for name in names.split()
    }
)


class _InertUnpickler(pickle.Unpickler):
    def __init__(self, pickled: bytes, positions: Iterable[int]) -> None:
        super().__init__(io.BytesIO(pickled))
        self._positions = iter(positions)

    def find_class(self, module: str, name: str, /) -> Any:
        # One call for each STACK_GLOBAL, in the order of the file.
        position = next(self._positions)
        if (module, name) == ("datasets.table", "MemoryMappedTable"):
            raise UnsafePickleError(
                f"the pickle has no rows, only the path of another file (datasets.table.MemoryMappedTable, byte"
                f" {position}), which is not opened. Load the data set with keep_in_memory=True and pickle it again"
            )
        stand_in = _STAND_INS.get((module, name))
        if stand_in is None:
            raise UnsafePickleError(f"the pickle asks for {_shown(f'{module}.{name}')} (byte {position}). {_ADVICE}")
        return stand_in


class _Budget:
    """Counts what is made from a file, which may name one buffer or table many times over."""

    def __init__(self, cells: int, text_bytes: int) -> None:
        self.cells, self.text_bytes = cells, text_bytes

    def spend(self, cells: int, text_bytes: int = 0) -> None:
        """Takes from what is left; empty parts cost one cell, so that naming them very often costs too."""
        self.cells -= cells + 1
        self.text_bytes -= text_bytes
        if self.cells < 0 or self.text_bytes < 0:
            raise UnsafePickleError(
                f"the tables are too large: over {_MAX_CELLS:,} cells, or more bytes of values than a file may have"
                f" (max_bytes). {_ADVICE}"
            )


def read_tables(file: Path | BinaryIO, *, max_bytes: int = 200_000_000) -> Tables:
    """Reads the rows of every table in a pickled two-level mapping of `datasets.Dataset`.

    The layout is that of the authors' release and of `datasets` 5.2 with pyarrow 26: tables held
    in memory, concatenated tables, and an index table (`Dataset.select`), which is applied. A format set on a data set
    (`with_format`) is not: all columns are returned.

    Args:
        file: The pickle, as a path or open for reading in binary. Protocol 4 or 5.
        max_bytes: Size limit of the file, and of all column values together, in bytes.

    Returns:
        variety -> task -> rows in order; each row maps column name to text, integer or None. Text is as stored.

    Raises:
        UnsafePickleError: The file asks for a global, an opcode or a size that is refused, or a column is neither
            text nor integer. The message names it.
        CorruptPickleError: The file is cut short or damaged or has another layout. Subclass of the former.
        OSError: The file cannot be opened or read.
    """
    pickled = _read(file, max_bytes)
    root = _load(pickled, _check_opcodes(pickled))
    budget = _Budget(_MAX_CELLS, max_bytes)
    return {
        variety: {
            task: _rows(dataset, f"{_shown(variety)}, {_shown(task)}", budget)
            for task, dataset in _mapping(tasks, _shown(variety))
        }
        for variety, tasks in _mapping(root, "the top level")
    }


def _read(file: Path | BinaryIO, max_bytes: int) -> bytes:
    if isinstance(file, Path):
        with file.open("rb") as opened:
            return _read(opened, max_bytes)
    pickled = file.read(max_bytes + 1)
    if len(pickled) > max_bytes:
        raise UnsafePickleError(f"the pickle is larger than {max_bytes:,} bytes; raise max_bytes if that is expected")
    return pickled


def _check_opcodes(pickled: bytes) -> list[int]:
    """Walks the opcodes without executing them; returns the byte position of each STACK_GLOBAL."""
    positions: list[int] = []
    tuples = end = 0
    try:
        for count, (opcode, argument, position) in enumerate(pickletools.genops(pickled), 1):
            end = position or 0
            if opcode.name not in _OPCODES:
                # GLOBAL and INST carry "module name".
                what = f" {_shown(argument.replace(' ', '.'))}" if isinstance(argument, str) else ""
                raise UnsafePickleError(f"the pickle uses the opcode {opcode.name}{what} (byte {end}). {_ADVICE}")
            if opcode.name == "STACK_GLOBAL":
                positions.append(end)
            tuples += opcode.name in _TUPLES
            if count > _MAX_OPCODES or tuples > _MAX_TUPLES:
                raise UnsafePickleError(
                    f"the pickle has over {_MAX_OPCODES:,} opcodes or {_MAX_TUPLES:,} tuples (byte {end}). {_ADVICE}"
                )
    except ValueError as error:
        raise _corrupt(f"after byte {end} of {len(pickled)}: {error}") from error
    if end + 1 != len(pickled):
        raise _corrupt(f"the pickle ends at byte {end}, but the file has {len(pickled)} bytes")
    return positions


def _load(pickled: bytes, positions: Iterable[int]) -> object:
    try:
        return _InertUnpickler(pickled, positions).load()
    except UnsafePickleError:
        raise
    # A damaged stream makes the unpickler raise almost any built-in error.
    except Exception as error:
        raise _corrupt(f"{type(error).__name__}: {error}") from error


def _rows(dataset: object, where: str, budget: _Budget) -> list[dict[str, Value]]:
    state = _state(dataset, "datasets.arrow_dataset.Dataset", where)
    columns = _table_columns(state.get("_data"), where, budget)
    rows = range(_length(columns, where))
    order: Iterable[int] = rows
    if state.get("_indices") is not None:
        indices = _table_columns(state["_indices"], f"{where}, index table", budget).get("indices", [])
        order = [index for index in indices if isinstance(index, int) and index in rows]
        if len(order) != len(indices):
            raise _corrupt(f"{where}: the index table points outside the {len(rows)} rows")
        budget.spend(len(order) * len(columns))
    return [{name: values[index] for name, values in columns.items()} for index in order]


def _table_columns(table: object, where: str, budget: _Budget) -> Columns:
    if not isinstance(table, _Inert) or table.source != "datasets.table.ConcatenationTable":
        return _block_columns(table, where, budget)
    state = _state(table, table.source, where)
    columns: Columns = {name: [] for name in _field_names(state.get("schema"), where, budget)}
    for row_block in _expect(state.get("blocks"), list, where):
        block: Columns = {}
        for part in row_block if isinstance(row_block, list) else [row_block]:
            block |= _block_columns(part, where, budget)
        length = _length(block, where)
        budget.spend(length * len(columns))
        for name, column in columns.items():
            column.extend(block.get(name, [None] * length))
    return columns


def _block_columns(table: object, where: str, budget: _Budget) -> Columns:
    state = _state(table, "datasets.table.InMemoryTable", where)
    arrays, schema = _arguments(state.get("table"), "pyarrow.lib._reconstruct_table", 2, where)
    columns: Columns = {name: [] for name in _field_names(schema, where, budget)}
    if len(_expect(arrays, list, where)) != len(columns):
        raise _corrupt(f"{where}: the table does not have one array for each of its {len(columns)} column names")
    for name, array in zip(columns, _expect(arrays, list, where), strict=True):
        chunks, _ = _arguments(array, "pyarrow.lib.chunked_array", 2, where)
        for chunk in _expect(chunks, list, where):
            columns[name].extend(_array_values(chunk, f"{where}, column {_shown(name)}", budget))
    _length(columns, where)
    return columns


def _array_values(array: object, where: str, budget: _Budget) -> list[Value]:
    (stored,) = _arguments(array, "pyarrow.lib._restore_array", 1, where)
    fields = _expect(stored, tuple, where)
    if len(fields) != 7:
        raise _corrupt(f"{where}: an array has {len(fields)} fields, not 7")
    # Arrow counts the nulls itself; a text or integer array has no children and no dictionary.
    kind, length, _, offset, buffers, _, _ = fields
    (alias,) = _arguments(kind, "pyarrow.lib.type_for_alias", 1, where)
    arrow_type = _ARROW_TYPES.get(alias) if isinstance(alias, str) else None
    if arrow_type is None:
        raise UnsafePickleError(f"{where}: columns of type {_shown(alias)} are not read, only text and integers")
    length, offset = _expect(length, int, where), _expect(offset, int, where)
    if length < 0 or offset < 0 or len(_expect(buffers, list, where)) != arrow_type.num_buffers:
        raise _corrupt(f"{where}: an array has length {length}, offset {offset} or the wrong number of buffers")
    budget.spend(length)
    raw = [_buffer(buffer, where) for buffer in _expect(buffers, list, where)]
    try:
        values = pa.Array.from_buffers(arrow_type, length, raw, offset=offset)
        values.validate(full=True)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise _corrupt(f"{where}: {error}") from error
    budget.spend(0, values.nbytes)
    return list(values.to_pylist())


def _buffer(buffer: object, where: str) -> pa.Buffer | None:
    if buffer is None:
        return None
    (content,) = _arguments(buffer, "pyarrow.lib.py_buffer", 1, where)
    if isinstance(content, _Inert):  # protocol 4 spells a bytearray as bytearray(b"..."), an empty one as bytearray()
        content = (*_made_by(content, "builtins.bytearray", where).args, b"")[0]
    if isinstance(content, bytes | bytearray):
        return pa.py_buffer(content)
    raise _corrupt(f"{where}: a buffer holds {type(content).__name__}, not bytes")


def _field_names(schema: object, where: str, budget: _Budget) -> list[str]:
    fields, _ = _arguments(schema, "pyarrow.lib.schema", 2, where)
    described = [_arguments(field, "pyarrow.lib.field", 4, where) for field in _expect(fields, list, where)]
    budget.spend(len(described))
    names = [_expect(name, str, where) for name, *_ in described]
    if len(set(names)) != len(names):
        raise _corrupt(f"{where}: two columns have one name")
    return names


def _length(columns: Columns, where: str) -> int:
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise _corrupt(f"{where}: the columns are not of one length")
    return max(lengths, default=0)


def _mapping(value: object, where: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, _Inert) and value.source == "datasets.dataset_dict.DatasetDict":
        value = value.items
    for key, item in _expect(value, dict, where).items():
        yield _expect(key, str, where), item


def _state(value: object, source: str, where: str) -> dict[object, object]:
    return _expect(_made_by(value, source, where).state, dict, where)


def _arguments(value: object, source: str, count: int, where: str) -> tuple[object, ...]:
    args = _made_by(value, source, where).args
    if len(args) != count:
        raise _corrupt(f"{where}: {source} is given {len(args)} arguments, not {count}")
    return args


def _made_by(value: object, source: str, where: str) -> _Inert:
    if isinstance(value, _Inert) and value.source == source:
        return value
    found = value.source if isinstance(value, _Inert) else type(value).__name__
    raise _corrupt(f"{where}: found {found} where {source} should be")


def _expect(value: object, kind: type[T], where: str) -> T:
    if isinstance(value, kind):
        return value
    raise _corrupt(f"{where}: found {type(value).__name__} where {kind.__name__} should be")


def _shown(text: object) -> str:
    """The start of a text from the file, with control characters escaped; of anything else only its type."""
    return repr(text[:100]) if isinstance(text, str) else type(text).__name__


def _corrupt(what: str) -> CorruptPickleError:
    return CorruptPickleError(
        f"the pickle cannot be read as tables: {what[:300]}. Nothing in the file was run. Fetch it again; if that does"
        " not help, it is not a DatasetDict (variety -> task) pickled by the datasets library"
    )
