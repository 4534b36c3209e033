"""Reading `dataset.pkl`: right rows from honest pickles; from any other, our errors and nothing run."""

from __future__ import annotations

import contextlib
import copyreg
import io
import json
import pickle
import re
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pytest
from datasets import Dataset, DatasetDict, concatenate_datasets
from datasets.table import ConcatenationTable, InMemoryTable
from hypothesis import given, settings
from hypothesis import strategies as st

from thai_dialect_bench.unpickle import CorruptPickleError, UnsafePickleError, read_tables

ROWS = Dataset.from_dict({"id": [4, None, -6], "text": ["ข้าวเหนียว\n", None, ""]}, split=datasets.Split.TRAIN)
OTHER = Dataset.from_list([{"text": "น้ำ", "id": 2**40}, {"text": "x" * 300, "id": 0}])
HONEST = {
    "plain": ROWS,
    "index table": ROWS.select([2, 0]),
    "repeated and shuffled": ROWS.select([1, 1, 2, 0, 0]).shuffle(seed=3),
    "slice": ROWS.select(range(1, 3)),
    "slice of a longer bitmap": Dataset.from_dict({"id": [*range(20), None]}).select(range(9, 21)),
    "concatenated": concatenate_datasets([ROWS, OTHER, ROWS.select(range(2))]),
    "missing column": concatenate_datasets([ROWS, OTHER.remove_columns("id")]),
    "side by side": ROWS.add_column("more", ["ก", "ข", "ค"]),
    "index table of concatenated": concatenate_datasets([ROWS, OTHER]).select([4, 0, 3]),
    "empty": ROWS.select([]),
    "no value at all": Dataset.from_dict({"a": [None, None]}),
    "large strings": Dataset(pa.table({"a": pa.array(["ก", None], pa.large_string())})),
    "small integers": Dataset(pa.table({"a": pa.array([200, None], pa.uint8()), "b": pa.array([-3, 1], pa.int16())})),
    "several chunks": Dataset(pa.table({"a": pa.chunked_array([["ก"], ["ข", None], []], pa.string())})),
}


def dumped(value: object, protocol: int = 4) -> bytes:
    return pickle.dumps(value, protocol)


SMALL = dumped(DatasetDict(v=DatasetDict(t=HONEST["index table"], u=HONEST["missing column"])))


def read(pickled: bytes, **limits: int) -> Any:
    return read_tables(io.BytesIO(pickled), **limits)


def test_all_tables_of_the_real_file(upstream: Path) -> None:
    tables = read_tables(upstream / "datasets" / "dataset.pkl")
    assert set(tables) == {"center", "north", "east", "south"}
    found = {f"{variety}__{task}": rows for variety, tasks in tables.items() for task, rows in tasks.items()}
    expected = {
        file.stem: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in (upstream / "datasets" / "jsonl").glob("*.jsonl")
    }
    assert len(expected) == 24
    assert found == expected


@pytest.mark.parametrize("protocol", [4, 5])
@pytest.mark.parametrize("case", HONEST)
def test_round_trip(case: str, protocol: int) -> None:
    written = DatasetDict(north=DatasetDict(task=HONEST[case], food=OTHER), south=DatasetDict())
    expected = {"north": {"task": HONEST[case].to_list(), "food": OTHER.to_list()}, "south": {}}
    assert read(dumped(written, protocol)) == expected


def test_a_data_set_loaded_into_memory_and_a_path(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"a": "ก", "b": 1}\n', encoding="utf-8")
    loaded = Dataset.from_json(str(tmp_path / "rows.jsonl"), keep_in_memory=True, cache_dir=str(tmp_path))
    (tmp_path / "file.pkl").write_bytes(dumped({"v": DatasetDict(t=loaded)}))
    assert read_tables(tmp_path / "file.pkl") == {"v": {"t": [{"a": "ก", "b": 1}]}}


def test_memory_mapped_table_is_refused(tmp_path: Path) -> None:
    ROWS.save_to_disk(str(tmp_path / "saved"))
    mapped = datasets.load_from_disk(str(tmp_path / "saved"))
    with pytest.raises(UnsafePickleError, match=r"another file \(datasets\.table\.MemoryMappedTable.*keep_in_memory"):
        read(dumped(DatasetDict(v=DatasetDict(t=mapped))))


@pytest.mark.parametrize("protocol", [2, 3])
def test_old_protocol_is_refused_with_what_to_do(protocol: int) -> None:
    with pytest.raises(UnsafePickleError, match=r"opcode GLOBAL 'datasets.*protocol 4 or 5"):
        read(dumped(DatasetDict(v=DatasetDict(t=ROWS)), protocol))


# Hostile pickles. Opcodes are written out, because pickle.dumps does not make most of them.
def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def glob(module: str, name: str) -> bytes:
    return text(module) + text(name) + b"\x93"


def call(function: bytes, *arguments: bytes) -> bytes:
    return function + b"(" + b"".join(arguments) + b"tR"


def whole(body: bytes) -> bytes:
    return b"\x80\x04" + body + b"."


def create(file: str) -> bytes:
    return text(f"open({file!r}, 'w').close()")


def touch(file: str) -> bytes:
    return text(f"touch {file}")


def nested(file: str) -> bytes:
    inner = whole(call(glob("os", "system"), touch(file)))
    return b"B" + struct.pack("<I", len(inner)) + inner


EXECUTED: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "REDUCE": ("'os.system'", lambda f: call(glob("os", "system"), touch(f))),
    "eval": ("'builtins.eval'", lambda f: call(glob("builtins", "eval"), create(f))),
    "exec": ("'builtins.exec'", lambda f: call(glob("builtins", "exec"), create(f))),
    "getattr chain": (
        "'builtins.getattr'",
        lambda f: call(
            call(glob("builtins", "getattr"), call(glob("builtins", "__import__"), text("os")), text("system")),
            touch(f),
        ),
    ),
    "dotted name": ("'os.path.os.system'", lambda f: call(glob("os", "path.os.system"), touch(f))),
    "dotted name in an allowed module": (
        "'datasets.table.os.system'",
        lambda f: call(glob("datasets.table", "os.system"), touch(f)),
    ),
    "pickle in a pickle": ("'_pickle.loads'", lambda f: call(glob("_pickle", "loads"), nested(f))),
    "GLOBAL": ("opcode GLOBAL 'os.system'", lambda f: b"cos\nsystem\n(" + touch(f) + b"tR"),
    "INST": ("opcode INST 'os.system'", lambda f: b"(" + touch(f) + b"ios\nsystem\n"),
    "OBJ": ("opcode OBJ", lambda f: b"(" + glob("os", "system") + touch(f) + b"o"),
    "EXT1": ("opcode EXT1", lambda f: b"\x82\xf0(" + touch(f) + b"tR"),
    "EXT4": ("opcode EXT4", lambda f: b"\x84\xf0\x00\x00\x00(" + touch(f) + b"tR"),
}


@pytest.mark.parametrize("case", EXECUTED)
def test_nothing_runs_and_the_culprit_is_named(case: str, tmp_path: Path) -> None:
    named, body = EXECUTED[case]
    copyreg.add_extension("os", "system", 0xF0)
    try:
        sentinel = tmp_path / "ran"
        hostile = whole(body(str(sentinel)))
        with pytest.raises(UnsafePickleError, match=re.escape(named)) as refusal:
            read(hostile)
        assert not sentinel.exists()
        assert "Nothing in the file was run" in str(refusal.value)
        pickle.loads(hostile)  # the same bytes do run in an ordinary unpickler
        assert sentinel.exists()
    finally:
        copyreg.remove_extension("os", "system", 0xF0)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (call(glob("datasets", "load_dataset"), text("x")), "'datasets.load_dataset'"),
        (call(glob("datasets.table", "MemoryMappedTable"), text("/etc/passwd")), "MemoryMappedTable"),
        (glob("datasets.table", "InMemoryTable.from_file"), "'datasets.table.InMemoryTable.from_file'"),
        (glob("builtins", "dict"), "'builtins.dict'"),
        (glob("a\x1b[2J", "b" * 999), r"'a\x1b[2J.bbb"),
        (b"Pos.system\n", "opcode PERSID 'os.system'"),
        (text("os.system") + b"Q", "opcode BINPERSID"),
        (b"}r\xff\xff\xff\xff", "opcode LONG_BINPUT"),
        (b"\x97", "opcode NEXT_BUFFER"),
        (glob("datasets.info", "DatasetInfo") + b")}\x92", "opcode NEWOBJ_EX"),
        (b"})" + b"\x85" * 150_000 + b"Ns", "5,000 tuples (byte 5004)"),  # its hash would overflow the C stack
        (b"]" * 300_000, "200,000 opcodes or 5,000 tuples (byte 200001)"),
    ],
)
def test_refused_before_use(body: bytes, named: str) -> None:
    with pytest.raises(UnsafePickleError, match=re.escape(named)) as refusal:
        read(whole(body))
    assert type(refusal.value) is UnsafePickleError
    assert len(str(refusal.value)) < 600


def test_byte_position_of_a_refused_global() -> None:
    hostile = whole(b"(" + glob("datasets.info", "DatasetInfo") + glob("os", "getcwd") + b"t")
    with pytest.raises(UnsafePickleError, match=r"'os\.getcwd' \(byte (\d+)\)") as refusal:
        read(hostile)
    position = int(re.findall(r"byte (\d+)", str(refusal.value))[0])
    assert hostile[position:] == b"\x93t."


EMPTY_DICT = glob("datasets.dataset_dict", "DatasetDict") + b")\x81"


@pytest.mark.parametrize("attribute", ["__dict__", "__class__", "__setstate__", "items", "source", "args"])
@pytest.mark.parametrize("slots", [False, True])
def test_build_only_stores(attribute: str, slots: bool) -> None:
    state = b"}" + text(attribute) + glob("builtins", "bytearray") + b"s"
    assert read(whole(EMPTY_DICT + (b"N" + state + b"\x86" if slots else state) + b"b")) == {}
    # On the stand-in class or on a plain object BUILD fails, and the next pickle is read as ever.
    for target in (glob("datasets.dataset_dict", "DatasetDict"), b"}", b"]", text("x")):
        with pytest.raises(CorruptPickleError):
            read(whole(target + state + b"b"))
    assert read(SMALL)["v"]["t"] == HONEST["index table"].to_list()


@pytest.mark.parametrize("operation", [b"NNs", b"Na", b"(NNu", b"(Ne", b"N\x81", b"NR", b"NNb"])
def test_operations_on_a_stand_in_class_fail(operation: bytes) -> None:
    with pytest.raises(CorruptPickleError, match="Nothing in the file was run"):
        read(whole(glob("datasets.dataset_dict", "DatasetDict") + operation))


class Call:
    """Pickles as a call of `function`, and a state where one is given."""

    def __init__(self, function: Any, *arguments: object, state: object = None) -> None:
        self.reduced = (function, arguments, state)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.reduced


def array(kind: object, length: object, *contents: object, offset: object = 0) -> Call:
    buffers = [
        Call(pa.py_buffer, content) if isinstance(content, bytes | Call | int) else None for content in contents
    ]
    return Call(pa.lib._restore_array, (kind, length, -1, offset, buffers, [], None))


def block(*chunks: object, names: Iterable[str] = "a") -> Call:
    columns = [Call(pa.chunked_array, list(chunks), STRING)]
    return Call(InMemoryTable, state={"table": Call(pa.lib._reconstruct_table, columns, schema(names))})


def schema(names: Iterable[str]) -> Call:
    return Call(pa.schema, [pa.field(name, pa.string()) for name in names], {})


def concatenated(*blocks: object, names: Iterable[str] = "a") -> Call:
    return Call(ConcatenationTable, state={"blocks": list(blocks), "schema": schema(names)})


def release(data: object, *, indices: object = None, tasks: Iterable[str] = "t") -> bytes:
    return dumped({"v": dict.fromkeys(tasks, Call(Dataset, state={"_data": data, "_indices": indices}))}, 5)


STRING = pa.string()
ENDS = struct.pack("<3i", 0, 3, 6)
LETTERS = "กข".encode()
GOOD = array(STRING, 2, None, ENDS, LETTERS)
NULLS = array(pa.null(), 10**6, None)
MEGABYTE = array(STRING, 1, None, struct.pack("<2i", 0, 10**6), b"x" * 10**6)


def test_made_up_array_is_read() -> None:
    """The hostile arrays below differ from this one in one thing each."""
    assert read(release(block(GOOD, GOOD))) == {"v": {"t": [{"a": "ก"}, {"a": "ข"}] * 2}}


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (array(STRING, 2**31 - 1, None, ENDS, LETTERS), "too large"),
        (array(pa.null(), 3 * 10**6, None), "too large"),
        (array(STRING, 3, None, ENDS, LETTERS), "column 'a': "),
        (array(STRING, -1, None, ENDS, LETTERS), "length -1, offset 0 or"),
        (array(STRING, "2", None, ENDS, LETTERS), "found str where int"),
        (array(STRING, 2, None, ENDS, LETTERS, offset=2**31 - 1), "column 'a': "),
        (array(STRING, 2, None, ENDS, LETTERS, offset=-1), "length 2, offset -1 or"),
        (array(STRING, 2, None, struct.pack("<3i", 0, 3, 10**9), LETTERS), "column 'a': "),
        (array(STRING, 2, None, struct.pack("<3i", 0, 9, 6), LETTERS), "column 'a': "),
        (array(STRING, 2, None, ENDS, LETTERS[1:] + b"x"), "column 'a': "),
        (array(STRING, 2, b"", ENDS, LETTERS), "column 'a': "),
        (array(STRING, 2, None, ENDS, None), "column 'a': "),
        (array(STRING, 2, None, None, LETTERS), "column 'a': "),
        (array(STRING, 2, None, ENDS), "wrong number of buffers"),
        (array(STRING, 2, None, ENDS, Call(bytearray, 10**9)), "a buffer holds int"),
        (array(STRING, 2, None, ENDS, 10**9), "a buffer holds int"),
        (array(pa.float64(), 2, None, bytes(16)), "columns of type 'double' are not read"),
        (array(Call(pa.type_for_alias, ["string"]), 2, None, ENDS, LETTERS), "columns of type list are not read"),
        (array("string", 2, None, ENDS, LETTERS), "found str where pyarrow.lib.type_for_alias"),
        (Call(pa.lib._restore_array, (STRING, 2)), "2 fields, not 7"),
        (Call(pa.lib._restore_array), "given 0 arguments, not 1"),
        (STRING, "found pyarrow.lib.type_for_alias where pyarrow.lib._restore_array"),
    ],
)
def test_allowed_globals_with_hostile_arguments(chunk: object, message: str) -> None:
    with pytest.raises(UnsafePickleError, match=re.escape(message)):
        read(release(block(chunk)))


@pytest.mark.parametrize(
    ("pickled", "message"),
    [
        (release(block(GOOD), indices=Dataset.from_dict({"indices": [0, 2]}).data), "points outside the 2 rows"),
        (release(block(GOOD), indices=Dataset.from_dict({"indices": [None]}).data), "points outside the 2 rows"),
        (release(concatenated([block(GOOD), block(GOOD, GOOD, names="b")], names="ab")), "not of one length"),
        (release(concatenated(concatenated())), "found datasets.table.ConcatenationTable where"),
        (release(block(GOOD, names="ab")), "one array for each of its 2 column names"),
        (release(block(GOOD, names="aa")), "two columns have one name"),
        (release(None), "'v', 't': found NoneType where datasets.table.InMemoryTable"),
        (dumped(DatasetDict(train=ROWS)), "'train': found Dataset where dict"),
        (dumped({1: {}}), "the top level: found int where str"),
    ],
)
def test_parts_that_do_not_fit_together(pickled: bytes, message: str) -> None:
    with pytest.raises(CorruptPickleError, match=re.escape(message)):
        read(pickled)


@pytest.mark.parametrize(
    "pickled",
    [
        release(block(MEGABYTE, MEGABYTE, MEGABYTE)),
        release(block(NULLS), tasks="tuv"),
        release(concatenated(block(NULLS), names="abc")),
        release(block(GOOD), indices=block(array(pa.int8(), 10**6, None, bytes(10**6)), names=["indices"])),
        release(concatenated(names=map(str, range(1500))), tasks=map(str, range(1500))),
    ],
)
def test_parts_named_often_do_not_multiply(pickled: bytes) -> None:
    with pytest.raises(UnsafePickleError, match="too large"):
        read(pickled, max_bytes=2 * 10**6)


def test_size_limit_of_the_file() -> None:
    assert read(SMALL, max_bytes=len(SMALL))
    with pytest.raises(UnsafePickleError, match="raise max_bytes"):
        read(SMALL, max_bytes=len(SMALL) - 1)


def test_truncated_at_any_position() -> None:
    for length in range(0, len(SMALL), 5):
        with pytest.raises(CorruptPickleError, match="cannot be read as tables"):
            read(SMALL[:length])
    with pytest.raises(CorruptPickleError, match="ends at byte"):
        read(SMALL + b"more")


FLIPS = st.lists(st.tuples(st.integers(0, len(SMALL) - 1), st.integers(0, 255)), min_size=1, max_size=4)


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(FLIPS)
def test_damaged_bytes_give_rows_or_our_errors(flips: list[tuple[int, int]]) -> None:
    damaged = bytearray(SMALL)
    for position, value in flips:
        damaged[position] = value
    with contextlib.suppress(UnsafePickleError):
        tables = read(bytes(damaged))
        assert all(isinstance(rows, list) for tasks in tables.values() for rows in tasks.values())
