"""Read and write the judgements of annotators as JSONL and CSV."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hub.files import write_atomically
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import COMMON_FIELDS, Judgement, judgement_of

CSV_COLUMNS = (
    *(*COMMON_FIELDS, "model", "model_a", "model_b", "shown_left", "annotator", "generation", "fluency"),
    *("units", "dialect_choice", "answer_choice", "reason", "time"),
)
# What a spreadsheet takes for a formula, after the apostrophes that earlier escapes put there.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def read_judgements(files: Path | Iterable[Path]) -> list[Judgement]:
    """Read judgements in file order, from JSONL (one record a line) or CSV (by its suffix ``.csv``).

    Fields that are not of the format are passed over. In CSV an empty cell is null and ``units`` is JSON.

    Raises:
        BenchError: A file cannot be read, a field is missing or wrong (the message names file, line and field), or an
            annotator judged the same thing twice in one study.
    """
    judgements: list[Judgement] = []
    places: dict[tuple[str, ...], str] = {}
    for file in [files] if isinstance(files, Path) else files:
        for place, record in _csv_records(file) if file.suffix.lower() == ".csv" else _json_records(file):
            judgement = judgement_of(record, place)
            if judgement.subject in places:
                raise BenchError(
                    f"{place}: annotator {judgement.annotator!r} has judged this before, in "
                    f"{places[judgement.subject]}; keep one of the two"
                )
            places[judgement.subject] = place
            judgements.append(judgement)
    return judgements


def write_jsonl(file: Path, judgements: Iterable[Judgement]) -> None:
    """Write judgements as JSONL, atomically."""
    lines = (json.dumps(judgement.as_record(), ensure_ascii=False) + "\n" for judgement in judgements)
    write_atomically(file, "".join(lines).encode("utf-8"))


def write_csv(file: Path, judgements: Iterable[Judgement]) -> None:
    """Write judgements as CSV for a spreadsheet, atomically.

    With a byte-order mark, by which Excel knows UTF-8. Cells that a spreadsheet would run as formulas get an
    apostrophe in front, which `read_judgements` takes away again.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, CSV_COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for judgement in judgements:
        record = judgement.as_record()
        if "units" in record:
            record["units"] = json.dumps(record["units"], ensure_ascii=False)
        writer.writerow({name: escaped_cell(value) for name, value in record.items() if value is not None})
    write_atomically(file, stream.getvalue().encode("utf-8-sig"))


def escaped_cell(value: object) -> object:
    """Return a cell that no spreadsheet runs as a formula: text that begins like one gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def unescaped_cell(text: str) -> str:
    """Return the text that `escaped_cell` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _json_records(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (place, record) of a JSONL file; blank lines are none."""
    for number, line in enumerate(_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{file} line {number}"
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise BenchError(f"{place}: not a JSON record ({error}); one record stands on each line") from error
        if not isinstance(record, dict):
            raise BenchError(f"{place}: expected a JSON object with the fields of a judgement")
        yield place, record


def _csv_records(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (place, record) of a CSV file, its cells turned into what the JSONL would hold."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    reader = csv.DictReader(io.StringIO(_text(file), newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            # A cell with line breaks spreads a record over several lines: its first is named.
            place, line = f"{file} line {line + 1}", reader.line_num
            if None in row or None in row.values():
                raise BenchError(f"{place}: the number of cells differs from the header's")
            yield place, {name: _from_cell(name, cell, place) for name, cell in row.items()}
    except csv.Error as error:
        raise BenchError(f"{file} line {reader.line_num}: not CSV ({error})") from error


def _from_cell(name: str, cell: str, place: str) -> Any:
    """Return the JSON value of a CSV cell; a number that is none stays text, for the check of the field."""
    if name in ("generation", "fluency"):
        try:
            return float(cell) if cell else None
        except ValueError:
            return cell
    if name == "units":
        try:
            return json.loads(cell) if cell else []
        except json.JSONDecodeError as error:
            raise BenchError(f"{place}, field units: not JSON ({error})") from error
    text = unescaped_cell(cell)
    return text if text or name in ("reason", "time") else None


def _text(file: Path) -> str:
    try:
        # A spreadsheet's byte-order mark is no part of the first column's name.
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BenchError(f"{file}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise BenchError(f"{file}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
