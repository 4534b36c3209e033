"""Turn a release into rows: prompts rendered, languages named, defects noted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from thai_dialect_bench.defects import PLACEHOLDER_REFERENCE, row_note
from thai_dialect_bench.release import Record, Release
from thai_dialect_bench.schema import (
    ALL_TASKS,
    ENGLISH,
    PARALLEL_TEXTS,
    QA_V1,
    TASKS,
    VARIETIES,
    Row,
    item_name,
)


def render_prompt(release: Release, variety: str, task: str, record: Record) -> str:
    """Return the prompt as the authors sent it: texts stripped, one user turn.

    Placeholders are replaced in one pass, so a text that holds ``[INPUT]`` itself stays as it is.
    """
    template = release.templates[variety][ALL_TASKS[task].template]
    own, english = release.language_names[VARIETIES[variety].release_name], release.language_names["eng"]
    source, target = (own, english) if task == "translation_to_english" else (english, own)
    values = {
        "[SOURCE]": source,
        "[TARGET]": target,
        "[INPUT]": record.get("text_1", ""),
        "[CONTEXT]": record.get("context", ""),
        "[QUESTION]": record.get("question", ""),
    }
    return _replace_all(template, {key: value.strip() for key, value in values.items()})


def _replace_all(template: str, values: dict[str, str]) -> str:
    """Replace every placeholder once, never inside a value that was put in."""
    for placeholder, value in values.items():
        if placeholder in template:
            parts = template.split(placeholder)
            return value.join(_replace_all(part, values) for part in parts)
    return template


def build_rows(release: Release) -> dict[str, list[Row]]:
    """Return the rows of the variety configs and of ``qa_v1``, in release order."""
    configs = {
        variety: [
            row
            for task in TASKS
            for row in _task_rows(
                release, variety, task, release.tables[variety][task], release.tables["central"][task]
            )
        ]
        for variety in VARIETIES
    }
    configs[QA_V1.name] = [
        row for variety in VARIETIES for row in _task_rows(release, variety, QA_V1.name, release.qa_v1, release.qa_v1)
    ]
    return configs


def _task_rows(
    release: Release, variety: str, task: str, records: list[Record], central: list[Record]
) -> Iterable[Row]:
    """Yield the rows of one task in one variety."""
    for index, (record, central_record) in enumerate(zip(records, central, strict=True)):
        row = _row(release, variety, task, index, record)
        central_row = _row(release, "central", task, index, central_record)
        row = replace(row, central_reference=central_row.reference if central_row.has_reference else None)
        yield replace(row, note=row_note(row, central_row))


def _row(release: Release, variety: str, task: str, index: int, record: Record) -> Row:
    """Return one row without note and Central reference."""
    source, target = _languages(variety, task)
    item = item_name(task, index)
    reference = record["text_2"]
    return Row(
        id=f"{variety}-{item}",
        item=item,
        variety=variety,
        task=task,
        source_language=source,
        target_language=target,
        prompt=render_prompt(release, variety, task, record),
        input=record.get("text_1", ""),
        context=record.get("context", ""),
        question=record.get("question", ""),
        reference=reference,
        has_reference=reference is not None and reference != PLACEHOLDER_REFERENCE,
        central_reference=None,
        origin=release.origin,
        note="",
    )


def _languages(variety: str, task: str) -> tuple[str, str]:
    """Return the ISO 639-3 codes of the given text and of the answer."""
    own, central = VARIETIES[variety].language, VARIETIES["central"].language
    return {
        "translation_from_english": (ENGLISH, own),
        "translation_to_english": (own, ENGLISH),
        "summarization": (central, own),
        "conversation": (central, own),
        "qa_v1": (central, own),
    }.get(task, (own, own))


def parallel_rows(configs: dict[str, list[Row]]) -> list[dict[str, Any]]:
    """Return the rows of the config ``parallel``: one item a row, the four varieties side by side."""
    return [
        {
            "item": rows[0].item,
            "task": rows[0].task,
            **{f"{text}_{row.variety}": getattr(row, text) for text in PARALLEL_TEXTS for row in rows},
            "origin": rows[0].origin,
        }
        for rows in zip(*(configs[variety] for variety in VARIETIES), strict=True)
    ]
