"""The released texts that the dialect metric is measured on: references, articles, answers, and respelled copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.dialect import DialectCounter
from metrics.dialect_lexicon import LexiconEntry
from thai_dialect_bench import paper
from thai_dialect_bench.outputs import output_files, read_predictions
from thai_dialect_bench.release import read_release
from thai_dialect_bench.rows import build_rows
from thai_dialect_bench.schema import VARIETIES

SCORED_TASKS = ("summarization", "translation_from_english")
"""Answers in the dialect with references; in question answering the context is in dialect too, and is copied."""
PASSAGE_LENGTH = 120
PREFERENCE_TASKS = ("food", "conversation")


@dataclass(frozen=True)
class Answer:
    """An answer or a reference, and the prompt that it answers."""

    text: str
    given: str


@dataclass(frozen=True)
class ReleasedTexts:
    """Texts of a release.

    Attributes:
        references: By variety and task, in the order of the items.
        answers: By the paper's title of the model, variety and task.
        articles: The Central articles, the same for every variety, as if they were answers.
        passages: All Central articles, contexts and texts to translate, cut at white space after 120 characters.
    """

    references: Mapping[tuple[str, str], Sequence[Answer]]
    answers: Mapping[tuple[str, str, str], Sequence[Answer]]
    articles: Sequence[Answer]
    passages: Sequence[str]


def read_texts(folder: Path) -> ReleasedTexts:
    """Read references, inputs and answers of the tasks whose answers are in the dialect."""
    rows = build_rows(read_release(folder))
    thai = [row for row in rows["central"] if row.source_language == VARIETIES["central"].language]
    central = {text for row in thai for text in (row.input, row.context)} - {""}
    tasks = (*SCORED_TASKS, *PREFERENCE_TASKS)
    kept = {(v, t): [row for row in rows[v] if row.task == t] for v in VARIETIES for t in tasks}
    titles = {model.file_name: model.title for model in paper.MODELS}
    files = [file for file in output_files(folder / "outputs_local") if file.task in tasks]
    return ReleasedTexts(
        references={
            key: [Answer(row.reference or "", row.prompt) for row in of_task] for key, of_task in kept.items()
        },
        answers={
            (titles[file.model], file.variety, file.task): [
                Answer(answer.text, row.prompt)
                for answer, row in zip(read_predictions(file.path), kept[file.variety, file.task], strict=True)
            ]
            for file in files
        },
        articles=[Answer(row.input, "") for row in kept["central", "summarization"]],
        passages=[passage for text in sorted(central) for passage in _passages(text)],
    )


def _passages(text: str) -> Iterator[str]:
    passage = ""
    for stretch in text.split():
        passage += f"{stretch} "
        if len(passage) > PASSAGE_LENGTH:
            yield passage
            passage = ""


def respelled(answer: Answer, counter: DialectCounter, step: int) -> Answer:
    """Return the answer with each dialect word that has several spellings in the next but `step` of them."""
    text = answer.text
    pieces: list[str] = []
    end = 0
    for unit in counter.units(text, answer.given):
        if unit.exact and unit.kind != "wrong":
            pieces += [text[end : unit.start], _other_spelling(unit.text, unit.entry, step)]
            end = unit.end
    return Answer("".join([*pieces, text[end:]]), answer.given)


def _other_spelling(text: str, entry: LexiconEntry, step: int) -> str:
    spellings = entry.spellings
    return spellings[(spellings.index(text) + step) % len(spellings)] if text in spellings else text
