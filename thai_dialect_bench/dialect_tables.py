"""Lay out dialect Generation and precision: a column of the main table, a table of their own, scores of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics.dialect import DialectGeneration, DialectPrecision
from metrics.report_tables import Table, with_interval
from metrics.signature import Signature
from thai_dialect_bench.baselines import BASELINES
from thai_dialect_bench.dialect_scores import TOGETHER, WITH_REFERENCES
from thai_dialect_bench.paper_human import TABLE_3
from thai_dialect_bench.results import ModelResults
from thai_dialect_bench.schema import ALL_TASKS, DIALECT_ANSWERS, DIALECTS, VARIETIES
from thai_dialect_bench.scores import Cell

GENERATION, PRECISION = DialectGeneration.name, DialectPrecision.name
ITEM_COLUMNS = ("item", "model", "dialect", "task", "score", "right", "marked")
WARNING = (
    "A proxy for Generation as people judge it, by the words of a lexicon that no native speaker has checked: it says "
    "little of fluency, and near neighbours (Lao in Thai script, Phu Thai, Korat, Tai Lue, Shan) pass for the dialect."
)

_Key = tuple[str, str, str, str]


def dialect_column(cells: Sequence[Cell]) -> dict[tuple[str, str], str]:
    """Return (model, dialect) -> Generation and precision as text, over both tasks with references.

    Where only one of them was run, its title stands in brackets.
    """
    by_key = _by_key(cells)
    texts = {}
    for model, dialect in dict.fromkeys((cell.model, cell.variety) for cell in cells):
        for task in (TOGETHER, *WITH_REFERENCES):
            found = by_key.get((model, dialect, task, GENERATION))
            if found:
                precision = by_key.get((model, dialect, task, PRECISION))
                texts[model, dialect] = (
                    f"{found.estimate.value:.1f} / "
                    + (f"{precision.estimate.value:.1f}" if precision else "-")
                    + ("" if task == TOGETHER else f" ({ALL_TASKS[task].title} only)")
                )
                break
    return texts


def dialect_table(cells: Sequence[Cell], *, with_paper: bool, intervals: bool = False) -> Table:
    """Return model x dialect with Generation by task and precision.

    Args:
        cells: Scores of `dialect_scores.score_dialects`.
        with_paper: Set what people said in the paper's Table 3 beneath; for the release's data only.
        intervals: Print both ends of the intervals instead of their half-width.
    """
    by_key = _by_key(cells)
    tasks = [task for task in (*WITH_REFERENCES, TOGETHER, *DIALECT_ANSWERS[2:]) if any(c.task == task for c in cells)]
    columns = [(task, GENERATION) for task in tasks]
    whole = {(cell.model, cell.variety) for cell in cells if cell.task == TOGETHER}
    # A task alone has its precision where some model ran nothing else.
    alone = {cell.task for cell in cells if cell.task in WITH_REFERENCES and (cell.model, cell.variety) not in whole}
    columns += [(task, PRECISION) for task in tasks if task == TOGETHER or task in alone or TOGETHER not in tasks]
    rows = [
        [f"{model} (floor)" if model in BASELINES else model, VARIETIES[dialect].title]
        + [_text(by_key.get((model, dialect, *column)), intervals) for column in columns]
        for model in dict.fromkeys(cell.model for cell in cells)
        for dialect in DIALECTS
        if any((model, dialect, *column) in by_key for column in columns)
    ]
    if with_paper and TOGETHER in tasks:
        rows += [
            [f"{model} (paper, people)", VARIETIES[dialect].title]
            + [f"{row.generation:.2f}" if column == (TOGETHER, GENERATION) else "" for column in columns]
            for model, printed in TABLE_3.items()
            for dialect, row in printed.items()
        ]
    header = (
        "Model",
        "Dialect",
        *(f"{_title(task)} {'G' if metric == GENERATION else 'P'}" for task, metric in columns),
    )
    return Table(
        "Dialect Generation and precision", header, tuple(tuple(row) for row in rows), _note(cells, with_paper)
    )


def item_scores(models: Sequence[ModelResults]) -> Iterator[dict[str, Any]]:
    """Yield a record for each answer with the keys of `ITEM_COLUMNS`, for ``agreement --scores``.

    ``score`` is the answer's Generation, 0-1; ``right`` the words of the dialect, ``marked`` with those of others.
    """
    for model in models:
        for (task, variety), result in model.tasks.items():
            if GENERATION not in result.statistics or PRECISION not in result.statistics:
                continue
            rows = zip(result.items, result.statistics[GENERATION], result.statistics[PRECISION], strict=True)
            for item, (level, _), (right, marked) in rows:
                values = (item.item, model.name, variety, task, level, int(right), int(marked))
                yield dict(zip(ITEM_COLUMNS, values, strict=True))


def _by_key(cells: Sequence[Cell]) -> Mapping[_Key, Cell]:
    return {(cell.model, cell.variety, cell.task, cell.metric): cell for cell in cells}


def _text(cell: Cell | None, intervals: bool) -> str:
    if cell is None:
        return ""
    return with_interval(cell.estimate.value, cell.estimate.low, cell.estimate.high, intervals)


def _title(task: str) -> str:
    return "Both" if task == TOGETHER else ALL_TASKS[task].title


def _note(cells: Sequence[Cell], with_paper: bool) -> str:
    """Return how to read the table, and a warning where it was made in several ways."""
    parts = [
        "G: Generation, 0 no dialect, 0.5 partly, 1 fully, mean x 100. P: share of the dialect words that are right "
        "for this dialect; empty where there is none. Words copied from the prompt do not count (its dialect "
        "nouns, and others beside the same neighbour as there). QA is left out, as "
        f"its answers are copied from a passage in the dialect. {WARNING}"
    ]
    if with_paper:
        parts.append("People (Table 3) judged QA too.")
    return " ".join([*parts, *settings_warning(cells)])


def settings_warning(cells: Sequence[Cell]) -> list[str]:
    """Return a warning if the scores of the table were made in several ways."""
    signatures = [Signature.parse(cell.signature) for cell in cells if cell.metric == GENERATION and cell.signature]
    if len({_settings(signature) for signature in signatures}) <= 1:
        return []
    lexicons = sorted({signature.get("lexicon") or "" for signature in signatures})
    return [
        f"WARNING: dialect scores made with several settings (lexicons {', '.join(lexicons)}) are not comparable; "
        "replay the older answers (thai_dialect_bench/systems/replay.py)."
    ]


def _settings(signature: Signature) -> tuple[tuple[str, str], ...]:
    """Return the fields that must be equal in one table."""
    return tuple((key, value) for key, value in signature.fields if key not in ("dialect", "data", "lighteval"))
