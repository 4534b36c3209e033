"""A small built data set, made by hand: three rows for each task and variety, in the layout of the build command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thai_dialect_bench import schema

ROWS = 3
MISSING = ("qa", "isan", 1)
"""Task, variety and position of the row without a reference, as in the release."""

LONG_TASKS, LONG = ("summarization",), 6
"""The last prompts of these do not fit the tiny model."""

WITHOUT_REFERENCES = ("food", "conversation")


def made_row(task: str, position: int, variety: str, *, edit: str = "") -> dict[str, Any]:
    """Return one row; prompts differ in length, ``edit`` is added to each."""
    missing = (task, variety, position) == MISSING
    reference = "." if task in WITHOUT_REFERENCES else None if missing else f"คำตอบ {variety} ข้อ {position}"
    return {
        "id": f"{variety}-{task}-{position:02d}",
        "item": schema.item_name(task, position),
        "variety": variety,
        "task": task,
        "source_language": "tha",
        "target_language": schema.VARIETIES[variety].language,
        "prompt": f"{task} {variety} {position}{edit} "
        + "ก" * (1 + 3 * position) * (LONG if task in LONG_TASKS else 1),
        "input": f"ข้อความ {position}",
        "context": "เรื่อง" if task.startswith("qa") else "",
        "question": "ใคร" if task.startswith("qa") else "",
        "reference": reference,
        "has_reference": not missing and task not in WITHOUT_REFERENCES,
        "central_reference": None if task in WITHOUT_REFERENCES else f"คำตอบ central ข้อ {position}",
        "origin": "sample",
        "note": "",
    }


def save_built_data(folder: Path, *, edit: str = "") -> Path:
    """Write the data set to a folder.

    Args:
        folder: Where to.
        edit: Added to every prompt and, as the build command does with its content hash, to every file name.
    """
    from datasets import Dataset

    configs = {
        variety: [made_row(task, at, variety, edit=edit) for task in schema.TASKS for at in range(ROWS)]
        for variety in schema.VARIETIES
    }
    name = schema.QA_V1.name
    configs[name] = [made_row(name, at, variety, edit=edit) for variety in schema.VARIETIES for at in range(ROWS)]
    lines = ["---", "configs:"]
    for config, rows in configs.items():
        file = folder / "data" / config / f"{schema.SPLIT}-{edit or 'first'}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        Dataset.from_list(rows, features=schema.row_features()).to_parquet(file)
        path = file.relative_to(folder)
        lines += [f"- config_name: {config}", "  data_files:", f"  - split: {schema.SPLIT}", f"    path: {path}"]
    (folder / "README.md").write_text("\n".join([*lines, "---", ""]), encoding="utf-8")
    return folder
