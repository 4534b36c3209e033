"""Lay out scores as tables of text: the table in the manner of Table 1, diagnostics, signatures, CSV records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from metrics.report_tables import Table, with_interval
from metrics.signature import Signature
from metrics.thai_tokenizer import splits_as_paper
from thai_dialect_bench import paper
from thai_dialect_bench.schema import ALL_TASKS, VARIETIES
from thai_dialect_bench.scores import Cell, DiagnosedCell

COLUMN_ORDER = ("qa", "qa_v1", "summarization", "translation_from_english", "translation_to_english")
DIAGNOSTICS_HEADER = ("Wrong script", "Empty", "Cut by cap", "Prompt cut", "Preface", "Length")
CSV_COLUMNS = (
    "model",
    "is_floor",
    "variety",
    "task",
    "metric",
    "score",
    "score_low",
    "score_high",
    "items",
    "delta",
    "delta_low",
    "delta_high",
    "delta_items",
    "p_value",
    "p_holm",
    "origin",
    "caveats",
    "signature",
)
CAVEATS = {
    "SAMPLE": "on the bundled sample, which is not the benchmark; comparable with nothing",
    "PARTIAL": "of runs with --max-samples, on a part of the items; comparable with nothing",
    "MODIFIED": "on data that differs from the authors' release; not comparable with the paper",
}
DIALECT_COLUMN = "Dialect G / P"
DIALECT_COLUMN_NOTE = (
    "how much of the summaries and E-L answers is in the dialect, and how much of that is right, by a lexicon; empty "
    "where no such task was run, or before the metric was there. It says little of fluency."
)
TABLE_NOTE = (
    "Δ: drop from Central (Central minus dialect) on the items scored in both, paired bootstrap interval; ~ marks a "
    "drop that is not significant at 0.05 (approximate randomization, Holm-corrected over all drops of the models). "
    "QA and summarization: ROUGE-L; E-L and L-E: BLEU."
)


def tasks_of(cells: Sequence[Cell]) -> list[str]:
    """Return the scored tasks in the order of Table 1, QA v1 after QA."""
    present = {cell.task for cell in cells}
    return [task for task in COLUMN_ORDER if task in present]


def score_table(
    cells: Sequence[Cell],
    origin: str,
    caveats: Sequence[str],
    *,
    intervals: bool = False,
    dialect: Mapping[tuple[str, str], str] | None = None,
) -> Table:
    """Return model x variety with score and drop per task; the paper's rows follow where the data is the release.

    Args:
        cells: Scores.
        origin: Origin of the data.
        caveats: Keys of `CAVEATS`: such scores are marked and never set beside the paper.
        intervals: Print both ends of the intervals instead of their half-width.
        dialect: (model, variety) -> dialect Generation and precision as text, for a third column.
    """
    tasks = tasks_of(cells)
    header = ["Model", "Variety", *([DIALECT_COLUMN] if dialect else [])]
    for task in tasks:
        header += [ALL_TASKS[task].title, "Δ"]
    by_key = {(cell.model, cell.variety, cell.task): cell for cell in cells}
    rows = [
        [_model_title(model, cells), VARIETIES[variety].title]
        + ([dialect.get((model, variety), "")] if dialect else [])
        + [text for task in tasks for text in _cell_texts(by_key.get((model, variety, task)), intervals)]
        for model in dict.fromkeys(cell.model for cell in cells)
        for variety in VARIETIES
        if any((model, variety, task) in by_key for task in tasks)
    ]
    shown = f"Score with {'' if intervals else 'the half-width of '}its 95 % bootstrap interval over items."
    note = f"{shown} {TABLE_NOTE} Data: {origin}. Items a score: {_item_counts(cells, tasks)}."
    if not tasks:
        note = f"No task with references was run: food and conversation have diagnostics only. Data: {origin}."
    elif not caveats:
        rows += [[*row[:2], *([""] if dialect else []), *row[2:]] for row in _paper_rows(tasks)]
        note += " The paper scored its open models on QA v1; their QA stands in that column, if it was run here."
    if dialect:
        note += f" {DIALECT_COLUMN}: {DIALECT_COLUMN_NOTE}"
    title = "Scores" + "".join(f" ({caveat}: {CAVEATS[caveat]})" for caveat in caveats)
    return Table(title, tuple(header), tuple(tuple(row) for row in rows), note)


def _item_counts(cells: Sequence[Cell], tasks: Sequence[str]) -> str:
    """Return the number of items of each task, with the varieties in which it is another."""
    parts = []
    for task in tasks:
        scored = [cell for cell in cells if cell.task == task]
        usual = Counter(cell.estimate.items for cell in scored).most_common(1)[0][0]
        others = dict.fromkeys(
            f"{VARIETIES[cell.variety].title} {cell.estimate.items}" for cell in scored if cell.estimate.items != usual
        )
        parts.append(f"{ALL_TASKS[task].title} {usual}" + (f" ({', '.join(others)})" if others else ""))
    return ", ".join(parts)


def _model_title(model: str, cells: Sequence[Cell]) -> str:
    """Return the model's name, marked where it is a floor computed here."""
    return f"{model} (floor)" if any(cell.model == model and cell.is_floor for cell in cells) else model


def _cell_texts(cell: Cell | None, intervals: bool) -> tuple[str, str]:
    """Return score and drop as text."""
    if cell is None:
        return "", ""
    estimate = cell.estimate
    score = with_interval(estimate.value, estimate.low, estimate.high, intervals)
    if cell.drop is None:
        return score, ""
    difference = cell.drop.difference
    drop = with_interval(difference.value, difference.low, difference.high, intervals, sign=True)
    return score, drop if cell.drop.significant else f"~ {drop}"


def _paper_rows(tasks: Sequence[str]) -> list[list[str]]:
    """Return Table 1 as printed; the QA of the open models stands under QA v1, on which it was measured."""
    rows = []
    for model in paper.MODELS:
        printed = paper.TABLE_1[model.title]
        for variety in VARIETIES:
            row = [f"{model.title} (paper)", VARIETIES[variety].title]
            for task in tasks:
                column = "qa" if task == "qa_v1" else task
                if column == "qa" and task != model.qa_task:
                    row += ["", ""]
                    continue
                value, central = getattr(printed[variety], column), getattr(printed["central"], column)
                row += [f"{value:.2f}", "" if variety == "central" else f"{central - value:+.2f}"]
            rows.append(row)
    return rows


def diagnostics_table(cells: Sequence[DiagnosedCell]) -> Table:
    """Return what drives the scores besides skill, per model, task and variety."""
    header = ("Model", "Task", "Variety", "Items", *DIAGNOSTICS_HEADER)
    rows = tuple(
        (
            cell.model,
            ALL_TASKS[cell.task].title,
            VARIETIES[cell.variety].title,
            str(cell.summary.items),
            _share(cell.summary.wrong_script),
            _share(cell.summary.empty),
            _share(cell.summary.cut_by_token_cap),
            _share(cell.summary.prompt_cut),
            _share(cell.summary.opening_preface),
            "" if math.isnan(cell.summary.length_ratio) else f"{cell.summary.length_ratio:.2f}",
        )
        for cell in cells
    )
    note = (
        "Shares of answers: in the wrong script, empty, cut by the token cap, given to a prompt whose beginning was "
        "cut off, opening with a preface. Length: answer tokens / reference tokens. ? means not known."
    )
    return Table("What drives the scores besides skill", header, rows, note)


def _share(value: float) -> str:
    """Return a share as a whole percentage; zero stays visible as 0."""
    return "?" if math.isnan(value) else f"{100 * value:.0f} %"


def signature_table(cells: Sequence[Cell]) -> Table:
    """Return the distinct signatures with the scores that they stand for."""
    carriers: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        carriers.setdefault((cell.signature, f"{cell.task}:{cell.variety}"), []).append(cell.model)
    rows = tuple((signature, task, ", ".join(models)) for (signature, task), models in carriers.items())
    return Table("Signatures", ("Signature", "Score", "Models"), rows, _tokenizer_note(cells))


def _tokenizer_note(cells: Sequence[Cell]) -> str:
    """Return a warning if scores were made with several versions of PyThaiNLP, or with one unlike the paper's."""
    found = (Signature.parse(cell.signature).get("pythainlp") for cell in cells if cell.signature)
    versions = {version for version in found if version}
    notes = []
    if len(versions) > 1:
        notes.append(f"WARNING: made with several versions of PyThaiNLP ({', '.join(sorted(versions))}).")
    if not all(splits_as_paper(version) for version in versions):
        notes.append(
            "WARNING: PyThaiNLP 5.3 and newer splits some texts otherwise than the paper's: up to 0.05 BLEU of a "
            "difference to the paper is the tokenizer's."
        )
    return " ".join(notes)


def csv_records(cells: Sequence[Cell], origin: str, caveats: Sequence[str]) -> list[dict[str, Any]]:
    """Return one record per score, with full precision and the keys of ``CSV_COLUMNS``."""
    return [
        {
            "model": cell.model,
            "is_floor": cell.is_floor,
            "variety": cell.variety,
            "task": cell.task,
            "metric": cell.metric,
            "score": cell.estimate.value,
            "score_low": cell.estimate.low,
            "score_high": cell.estimate.high,
            "items": cell.estimate.items,
            "delta": cell.drop.difference.value if cell.drop else "",
            "delta_low": cell.drop.difference.low if cell.drop else "",
            "delta_high": cell.drop.difference.high if cell.drop else "",
            "delta_items": cell.drop.difference.items if cell.drop else "",
            "p_value": cell.drop.p_value if cell.drop else "",
            "p_holm": cell.drop.p_holm if cell.drop else "",
            "origin": origin,
            "caveats": " ".join(caveats),
            "signature": cell.signature,
        }
        for cell in cells
    ]
