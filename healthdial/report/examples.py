"""A few items with the answers of every system side by side, for people to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from healthdial.languages import LANGUAGES
from healthdial.report.context import Context
from healthdial.report.measures import COMPONENT_TITLES
from healthdial.report.results import Item, SystemResults
from healthdial.report.tables import run_title
from metrics.asr import CharacterErrorRate, WordErrorRate
from metrics.asr_alignment import alignment_text
from metrics.pipeline import PipelineAnswer
from metrics.report_tables import shorten
from metrics.selection_parser import parse_selection

EXAMPLES = 2
"""Items shown of each component in each language."""
LENGTH = 400
SHOWN_SNIPPETS = 5
_ALIGNMENT_COLUMNS = 44
"""Fits a phone."""


@dataclass(frozen=True)
class Line:
    """A labelled text of an example.

    Attributes:
        label: What it is.
        text: The text; a list has a line each.
        language: Language code of the text for a browser; empty for ours.
        is_alignment: Whether it is laid out in columns.
    """

    label: str
    text: str
    language: str = ""
    is_alignment: bool = False


@dataclass(frozen=True)
class Example:
    """An item with the answers of every system."""

    title: str
    lines: tuple[Line, ...]


def examples(systems: Sequence[SystemResults], context: Context) -> Iterator[Example]:
    """Yield the first items of every component and language with the answers of every system."""
    for component, title in COMPONENT_TITLES.items():
        for language in LANGUAGES:
            answers = {
                run_title((system.name, setting)): {item.item_id: item for item in results[language].items}
                for system in systems
                for setting in system.settings(component)
                if language in (results := system.languages(component, setting))
            }
            for item_id in sorted({one for items in answers.values() for one in items})[:EXAMPLES]:
                answered = {run: items[item_id] for run, items in answers.items() if item_id in items}
                lines = _LINES[component](answered, language, context)
                yield Example(f"{title}, {LANGUAGES[language].title}: {item_id}", tuple(lines))


def _recognition(answered: Mapping[str, Item], language: str, _: Context) -> Iterator[Line]:
    item = next(iter(answered.values()))
    measure = (CharacterErrorRate if language == "zho" else WordErrorRate)(language, normalization="normalized")
    yield _said("reference", item.reference, language)
    for run, one in answered.items():
        yield _said(run, one.answer, language)
        if measure.units(item.reference) != measure.units(one.answer):
            aligned = alignment_text(item.reference, one.answer, measure, columns=_ALIGNMENT_COLUMNS)
            yield Line("aligned, normalized", aligned, LANGUAGES[language].hub_code, is_alignment=True)


def _synthesis(answered: Mapping[str, Item], language: str, _: Context) -> Iterator[Line]:
    yield _said("text", next(iter(answered.values())).reference, language)
    for run, one in answered.items():
        # The answer also names a file of the machine that made it, which is nobody's business.
        yield _said(f"{run}, heard as", _transcript(one.answer) or "(no transcript)", language)


def _transcript(answer: str) -> str:
    try:
        value = json.loads(answer)
    except ValueError:
        return ""
    text = value.get("transcript") if isinstance(value, dict) else None
    return text if isinstance(text, str) else ""


def _classification(answered: Mapping[str, Item], language: str, _: Context) -> Iterator[Line]:
    item = next(iter(answered.values()))
    yield _said("dialogue", item.specific["text"] or "(opening)", language)
    yield Line("needs retrieval", item.reference.strip())
    for run, one in answered.items():
        yield Line(run, shorten(one.answer.strip(), LENGTH))


def _retrieval(answered: Mapping[str, Item], language: str, context: Context) -> Iterator[Line]:
    item = next(iter(answered.values()))
    yield _question(item, language, context)
    yield _snippets("gold", item.gold, item.gold, language, context)
    for run, one in answered.items():
        ranking = _ids(one.answer)[:SHOWN_SNIPPETS]
        yield _snippets(f"{run}, first {len(ranking)}", ranking, item.gold, language, context)


def _ids(answer: str) -> list[str]:
    """Return the ids of a ranking; none of what is no list of them."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return []
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _filtering(answered: Mapping[str, Item], language: str, context: Context) -> Iterator[Line]:
    item = next(iter(answered.values()))
    yield _question(item, language, context)
    yield _snippets("gold", item.gold, item.gold, language, context)
    for run, one in answered.items():
        shown = dict(zip(json.loads(one.specific["shown"]), json.loads(one.specific["candidates"]), strict=True))
        selection = parse_selection(one.answer, shown)
        if not selection.is_parsed:
            yield Line(f"{run} (not readable)", shorten(one.answer, LENGTH))
        else:
            yield _snippets(run, list(selection.ids), item.gold, language, context)


def _response(answered: Mapping[str, Item], language: str, context: Context) -> Iterator[Line]:
    item = next(iter(answered.values()))
    yield _question(item, language, context)
    yield _said("reference", item.reference, language)
    for run, one in answered.items():
        yield _said(run, one.answer, language)


def _pipeline(answered: Mapping[str, Item], language: str, _: Context) -> Iterator[Line]:
    item = next(iter(answered.values()))
    yield _said("user", item.specific["transcript"], language)
    yield _said("reference", item.reference, language)
    for run, one in answered.items():
        answer = PipelineAnswer.parse(one.answer)
        if answer is None:
            yield Line(f"{run} (not readable)", shorten(one.answer, LENGTH))
        else:
            yield _said(f"{run}, heard", answer.transcript, language)
            yield _said(run, answer.response, language)


_LINES: dict[str, Callable[[Mapping[str, Item], str, Context], Iterator[Line]]] = {
    "asr": _recognition,
    "tts": _synthesis,
    "turn_classification": _classification,
    "retrieval": _retrieval,
    "speech_retrieval": _retrieval,
    "filtering": _filtering,
    "response_generation": _response,
    "pipeline": _pipeline,
}


def _said(label: str, text: str, language: str) -> Line:
    return Line(label, shorten(text, LENGTH), LANGUAGES[language].hub_code)


def _question(item: Item, language: str, context: Context) -> Line:
    """Return the user's turn; the end of the query where the data set is not at hand."""
    turn = context.turn_of(item)
    text = turn.text or "" if turn else item.query[-LENGTH:]
    return _said("user", text, language)


def _snippets(label: str, ids: Sequence[str], gold: Sequence[str], language: str, context: Context) -> Line:
    """Return the titles of snippets, gold ones marked."""
    titles = [f"{'✓' if one in gold else '✗'} {context.titles.get(one, one)}" for one in ids]
    return Line(label, "\n".join(titles) or "(none)", LANGUAGES[language].hub_code if titles else "")
