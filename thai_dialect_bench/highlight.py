"""Answers with their dialect words marked, for people who would rather look: right, shared, in context, wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.dialect_units import DialectUnit
from metrics.report_tables import shorten
from thai_dialect_bench.lexicons import dialect_counter
from thai_dialect_bench.results import Item, ModelResults
from thai_dialect_bench.schema import DIALECT_ANSWERS, DIALECTS, TASKS, VARIETIES

LEGEND: dict[str, str] = {
    "right": "word of this dialect",
    "shared": "word of this dialect and of another",
    "context": "also a Central word, but rare there or near other words of the dialect",
    "wrong": "word of another dialect only",
}
"""Kinds of a unit and what they mean, in the order of the legend."""


@dataclass(frozen=True)
class Segment:
    """A stretch of a text.

    Attributes:
        text: Its characters.
        kind: A key of `LEGEND`; empty: not marked.
        tip: What the marked word means.
    """

    text: str
    kind: str = ""
    tip: str = ""


@dataclass(frozen=True)
class MarkedText:
    """A named text of an item in segments: the reference, or a model's answer."""

    name: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class MarkedItem:
    """The reference and all answers of one item.

    Attributes:
        title: Task, dialect and item.
        texts: The prompt, the reference where there is one, and the answers.
    """

    title: str
    texts: tuple[MarkedText, ...]


def segments(text: str, dialect: str, given: str = "") -> tuple[Segment, ...]:
    """Cut a text at its dialect words; joined, the segments are the text.

    Args:
        text: An answer.
        dialect: A key of ``schema.DIALECTS``: the one asked for.
        given: The prompt: words copied from it are not marked.
    """
    found: list[Segment] = []
    end = 0
    for unit in dialect_counter(dialect).units(text, given):
        if unit.start > end:
            found.append(Segment(text[end : unit.start]))
        found.append(Segment(text[unit.start : unit.end], unit.kind, _tip(unit)))
        end = unit.end
    return (*found, Segment(text[end:])) if end < len(text) or not found else tuple(found)


def shortened(whole: Sequence[Segment], length: int) -> Iterator[Segment]:
    """Yield the segments of a text cut to a length in code points; a marked word that would be cut is left out."""
    left = length
    for segment in whole:
        if len(segment.text) > left:
            yield Segment(" ..." if segment.kind else shorten(segment.text, left))
            return
        yield segment
        left -= len(segment.text)


def _tip(unit: DialectUnit) -> str:
    """Return what a browser shows over a marked word."""
    spelled = "" if unit.text == unit.entry.form else f", spelling of {unit.entry.form}"
    central = " / ".join(unit.entry.central)
    return f"{VARIETIES[unit.dialect].title}{spelled}: {central}, {unit.entry.gloss} ({LEGEND[unit.kind]})"


def is_marked(task: str, variety: str) -> bool:
    """Return whether dialect words are marked in the answers of a task."""
    return variety in DIALECTS and task in DIALECT_ANSWERS


def marked_items(models: Sequence[ModelResults], prompt_length: int) -> Iterator[MarkedItem]:
    """Yield every item whose answers are in a dialect, with the whole answers of all models that have it.

    Args:
        models: The results.
        prompt_length: Characters from which a prompt is cut.
    """
    for task in DIALECT_ANSWERS:
        for dialect in DIALECTS:
            answers: dict[str, list[tuple[str, Item]]] = {}
            for model in models:
                if (task, dialect) in model.tasks:
                    for item in model.tasks[task, dialect].items:
                        answers.setdefault(item.item, []).append((model.name, item))
            for name in sorted(answers):
                title = f"{TASKS[task].title}, {VARIETIES[dialect].title}, {name}"
                yield MarkedItem(title, tuple(_texts(answers[name], dialect, prompt_length)))


def _texts(answers: Sequence[tuple[str, Item]], dialect: str, prompt_length: int) -> Iterator[MarkedText]:
    first = answers[0][1]
    given = first.prompt
    yield MarkedText("prompt", (Segment(shorten(given, prompt_length)),))
    if first.has_reference:
        yield MarkedText("reference", segments(first.reference, dialect, given))
    for name, item in answers:
        yield MarkedText(name, segments(item.answer, dialect, given))
