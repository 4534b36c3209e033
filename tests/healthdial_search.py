"""A search for strings in every byte of a folder: in files, packed in their columns, samples and images, in paths."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq


def searched(names: Iterable[str]) -> dict[bytes, str]:
    """Return what to search for, in lower case, as text and as JSON would escape it -> the string."""
    forms = ((name, text) for name in names for text in {name, json.dumps(name)[1:-1]})
    return {text.lower().encode(): name for name, text in forms}


def contents(file: Path) -> Iterator[bytes]:
    """Yield the bytes of a file as they are, then all that is packed in it: columns, samples, text of images."""
    yield file.read_bytes()
    if file.suffix == ".parquet":
        table = pq.read_table(file)
        yield repr(table.schema.metadata).encode()
        for row in table.to_pylist():
            yield from _packed(row)
    elif file.suffix == ".png":
        from PIL import Image

        with Image.open(file) as image:
            image.load()
            yield repr(image.info).encode()


def _packed(value: Any) -> Iterator[bytes]:
    if isinstance(value, str):
        yield value.encode()
    elif isinstance(value, bytes):
        yield value
        yield _samples(value)
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _packed(inner)


def _samples(content: bytes) -> bytes:
    import soundfile

    samples, _ = soundfile.read(io.BytesIO(content), dtype="int16")
    return bytes(np.ascontiguousarray(samples, dtype="<i2").data)


def found_in(content: bytes, names: Iterable[str]) -> set[str]:
    """Return the strings that stand in a content, whatever their case."""
    content = content.lower()
    needles = searched(names)
    shortest = min(map(len, needles))
    # Most bytes are audio: strings of ASCII are searched in its printable runs only, which are few.
    printable = b"\n".join(re.findall(rb"[\x20-\x7e]{%d,}" % shortest, content))
    return {name for text, name in needles.items() if text in (printable if text.isascii() else content)}


def found_in_folder(folder: Path, names: Iterable[str]) -> set[str]:
    """Return the strings that stand anywhere below a folder: in a file, packed in it, or in its path."""
    return found_in(all_content(folder), names)


def all_content(folder: Path) -> bytes:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    paths = "\n".join(str(file.relative_to(folder)) for file in files).encode()
    return b"\n".join([paths, *(content for file in files for content in contents(file))])


def texts_of(folder: Path) -> bytes:
    """Return every text below a folder: all files that are text, and the strings of Parquet columns."""
    parts: list[bytes] = []
    for file in sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".png"):
        if file.suffix == ".parquet":
            columns = [name for name in pq.read_schema(file).names if name != "audio"]
            table = pq.read_table(file, columns=columns)
            parts += [text for row in table.to_pylist() for text in _packed(row)]
        else:
            parts.append(file.read_bytes())
    return b"\n".join(parts)
