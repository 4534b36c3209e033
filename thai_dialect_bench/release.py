"""Read the authors' release: tables, prompt templates and QA v1, without running any of its code."""

from __future__ import annotations

import ast
import csv
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.fingerprint import file_sha256, fingerprint
from thai_dialect_bench import pinned
from thai_dialect_bench.errors import ReleaseError
from thai_dialect_bench.schema import SAMPLE_ORIGIN, TASKS, VARIETIES
from thai_dialect_bench.source import COMMIT, REPOSITORY

Record = dict[str, Any]
Tables = dict[str, dict[str, list[Record]]]
Templates = dict[str, dict[str, str]]

PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    "summarization": ("[INPUT]",),
    "translation": ("[SOURCE]", "[TARGET]", "[INPUT]"),
    "qa": ("[CONTEXT]", "[QUESTION]"),
    "food": ("[INPUT]",),
    "conversation": ("[INPUT]",),
}
# The authors' code names the languages outside TASK_TO_PROMPT; with prompts.json they come from that file.
LANGUAGE_NAMES = {
    "center": "ภาษาไทย",
    "north": "ภาษาเหนือ",
    "east": "ภาษาอีสาน",
    "south": "ภาษาใต้",
    "eng": "ภาษาอังกฤษ",
}
QA_FIELDS = ("question", "context", "text_2")
TEXT_FIELDS = ("text_1", "text_2")


@dataclass(frozen=True)
class Release:
    """The authors' release in our names.

    Attributes:
        tables: Variety -> task -> rows as released, in release order.
        qa_v1: Rows of the older, Central-only QA.
        templates: Variety -> template key (``qa``, ``translation``, ...) -> template text.
        language_names: Language names put for ``[SOURCE]`` and ``[TARGET]``, by release name (``eng`` for English).
        origin: ``release@<commit>``, ``modified@<fingerprint>`` or ``sample``.
        modified: Files or tables that differ from the pinned commit; empty unless modified ones were allowed.
    """

    tables: Tables
    qa_v1: list[Record]
    templates: Templates
    language_names: dict[str, str]
    origin: str
    modified: tuple[str, ...] = ()


def release_task(task: str, variety: str) -> str:
    """Return the release's name of a task, e.g. ``translation_eng_north`` for E-L in Lanna."""
    name = VARIETIES[variety].release_name
    return {
        "translation_from_english": f"translation_eng_{name}",
        "translation_to_english": f"translation_{name}_eng",
        "qa_v1": "qa",
    }.get(task, task)


def read_release(root: Path, *, sample: bool = False, allow_modified: bool = False) -> Release:
    """Read a release's folder.

    ``datasets/jsonl/*.jsonl`` is read where present, else ``datasets/dataset.pkl`` by ``unpickle.read_tables``.

    Args:
        root: The folder that holds ``datasets/``.
        sample: The folder is the bundled sample: it is not compared with the pinned commit.
        allow_modified: Accept content that differs from the pinned commit; the rows then say so.

    Raises:
        ReleaseError: A part is missing, malformed, unsafe or (unless allowed) modified.
    """
    tables = _read_tables(root)
    qa_v1 = _read_qa_v1(root / "datasets" / "qa.csv")
    templates, language_names = _read_templates(root)
    if sample:
        return Release(tables, qa_v1, templates, language_names, SAMPLE_ORIGIN)
    modified = _modified_parts(root, tables, qa_v1, templates, language_names)
    if modified and not allow_modified:
        raise ReleaseError(
            f"{root}: differs from commit {COMMIT[:7]} of {REPOSITORY} in: {', '.join(modified)}. Restore them, or "
            "give --allow-modified to build from them all the same (the rows then say so)."
        )
    content = fingerprint([tables, qa_v1, templates, language_names])
    origin = f"modified@{content[:12]}" if modified else f"release@{COMMIT[:7]}"
    return Release(tables, qa_v1, templates, language_names, origin, tuple(modified))


def _read_tables(root: Path) -> Tables:
    """Read all tables in our names and check that they are whole and aligned."""
    folder = root / "datasets"
    if (folder / "jsonl").is_dir():
        tables = _tables_from_jsonl(folder / "jsonl")
    elif (folder / "dataset.pkl").is_file():
        tables = _tables_from_pickle(folder / "dataset.pkl")
    else:
        raise ReleaseError(f"{folder}: neither dataset.pkl nor jsonl/ is there; the release is incomplete")
    for task in TASKS:
        counts = {variety: len(tables[variety][task]) for variety in VARIETIES}
        if len(set(counts.values())) > 1 or not all(counts.values()):
            raise ReleaseError(f"{folder}: task {task} has unequal or no rows {counts}; rows align by position")
    return tables


def _tables_from_jsonl(folder: Path) -> Tables:
    """Read ``{variety}__{task}.jsonl`` for every variety and task."""
    files = {
        (variety.name, task): folder / f"{variety.release_name}__{release_task(task, variety.name)}.jsonl"
        for variety in VARIETIES.values()
        for task in TASKS
    }
    missing = [file.name for file in files.values() if not file.is_file()]
    if missing:
        raise ReleaseError(f"{folder}: the release is incomplete, missing: {', '.join(missing)}")
    tables: Tables = {variety: {} for variety in VARIETIES}
    for (variety, task), file in files.items():
        tables[variety][task] = [_checked(record, task, where) for where, record in _jsonl_records(file)]
    return tables


def _jsonl_records(file: Path) -> list[tuple[str, Any]]:
    """Return (place, record) of every line of a JSON Lines file."""
    records = []
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append((f"{file} line {number}", json.loads(line.decode("utf-8"))))
        except ValueError as error:
            raise ReleaseError(f"{file} line {number}: not valid JSON in UTF-8 ({error})") from error
    return records


def _tables_from_pickle(file: Path) -> Tables:
    """Read the pickle through the allow-list reader."""
    from thai_dialect_bench.unpickle import UnsafePickleError, read_tables

    try:
        raw = read_tables(file)
    except UnsafePickleError as error:
        raise ReleaseError(f"{file}: {error}") from error
    tables: Tables = {}
    for variety in VARIETIES.values():
        tables[variety.name] = {}
        for task in TASKS:
            name = release_task(task, variety.name)
            rows = raw.get(variety.release_name, {}).get(name)
            if rows is None:
                raise ReleaseError(f"{file}: the release is incomplete, missing: {variety.release_name} {name}")
            place = f"{file} {variety.release_name} {name} row"
            tables[variety.name][task] = [_checked(row, task, f"{place} {i}") for i, row in enumerate(rows)]
    return tables


def _checked(record: Any, task: str, where: str) -> Record:
    """Return a record whose fields have the types that the task needs; ``text_2`` may be null."""
    if not isinstance(record, dict):
        raise ReleaseError(f"{where}: not a record of named fields")
    for field in QA_FIELDS if task.startswith("qa") else TEXT_FIELDS:
        value = record.get(field)
        if not isinstance(value, str) and not (field == "text_2" and field in record and value is None):
            raise ReleaseError(f"{where}: field {field!r} is {type(value).__name__}, a text is needed")
    return record


def _read_qa_v1(file: Path) -> list[Record]:
    """Read ``qa.csv`` as strings."""
    if not file.is_file():
        raise ReleaseError(f"{file}: missing; it holds QA v1, which Table 1 used for the open models")
    return [_checked(record, "qa", f"{file} row {index}") for index, record in enumerate(read_csv(file))]


def read_csv(file: Path) -> list[dict[str, str]]:
    """Read a CSV file as UTF-8 strings: quoted line breaks and empty fields are kept as they are.

    Raises:
        ReleaseError: The file is not UTF-8 or a row has more or fewer fields than the header.
    """
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        # A spreadsheet's byte-order mark is no part of the first column's name.
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream)
            header = next(reader, None)
            rows = [row for row in reader if row]  # a blank line is no row, as in the csv module
    except (UnicodeDecodeError, csv.Error) as error:
        raise ReleaseError(f"{file}: not a CSV file in UTF-8 ({error})") from error
    if header is None:
        raise ReleaseError(f"{file}: empty file")
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise ReleaseError(f"{file} row {number}: {len(row)} fields, the header has {len(header)}")
    return [dict(zip(header, row, strict=True)) for row in rows]


def _read_templates(root: Path) -> tuple[Templates, dict[str, str]]:
    """Return (templates by variety and key, language names), from the authors' code or from prompts.json."""
    code, exported = root / "evaluation" / "prompt_utils.py", root / "prompts.json"
    if code.is_file():
        file, raw, names = code, _literal_assignment(code, "TASK_TO_PROMPT"), LANGUAGE_NAMES
    elif exported.is_file():
        try:
            content = json.loads(exported.read_bytes().decode("utf-8-sig"))
        except ValueError as error:
            raise ReleaseError(f"{exported}: not valid JSON in UTF-8 ({error})") from error
        try:
            file, raw, names = exported, content["templates"], dict(content["language_names"])
        except (ValueError, KeyError, TypeError) as error:
            raise ReleaseError(f"{exported}: no `templates` and `language_names` in it ({error!r})") from error
    else:
        raise ReleaseError(f"{root}: neither evaluation/prompt_utils.py nor prompts.json is there")
    if wrong := [name for name in LANGUAGE_NAMES if not isinstance(names.get(name), str)]:
        raise ReleaseError(f"{file}: `language_names` has no text for {', '.join(wrong)}")
    templates = {
        variety.name: {key: _template(raw, variety.release_name, key, file) for key in PLACEHOLDERS}
        for variety in VARIETIES.values()
    }
    return templates, dict(names)


def _template(raw: Any, variety: str, key: str, file: Path) -> str:
    """Return one template after checking that it is a single text with its placeholders."""
    value = raw.get(variety, {}).get(key) if isinstance(raw, Mapping) else None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        raise ReleaseError(f"{file}: no single template for variety {variety!r}, task {key!r}")
    for placeholder in PLACEHOLDERS[key]:
        if placeholder not in value:
            raise ReleaseError(f"{file}: the template of variety {variety!r}, task {key!r} lacks {placeholder}")
    return value


def _literal_assignment(file: Path, name: str) -> Any:
    """Return the value of one module-level assignment of literals, without running the file."""
    try:
        module = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise ReleaseError(f"{file}: not a Python file in UTF-8 ({error})") from error
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            try:
                return ast.literal_eval(node.value)  # type: ignore[attr-defined]
            except (ValueError, TypeError, RecursionError) as error:
                raise ReleaseError(f"{file}: {name} is not only literals ({error}); nothing was run") from error
    raise ReleaseError(f"{file}: no assignment to {name}")


def _modified_parts(
    root: Path, tables: Tables, qa_v1: list[Record], templates: Templates, language_names: dict[str, str]
) -> list[str]:
    """Return the files, tables and templates that differ from the pinned commit."""
    modified = [
        name for name, digest in pinned.FILES.items() if (root / name).is_file() and file_sha256(root / name) != digest
    ]
    for variety in VARIETIES.values():
        for task in TASKS:
            name = f"{variety.release_name}__{release_task(task, variety.name)}"
            if fingerprint(tables[variety.name][task]) != pinned.TABLES[name]:
                modified.append(f"table {name}")
        if fingerprint(templates[variety.name]) != pinned.TEMPLATES[variety.release_name]:
            modified.append(f"templates of {variety.release_name}")
    if fingerprint(qa_v1) != pinned.QA_V1 and "datasets/qa.csv" not in modified:
        modified.append("datasets/qa.csv")
    if language_names != LANGUAGE_NAMES:
        modified.append("language names")
    return modified
