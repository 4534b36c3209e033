"""Make a report of result folders: tables on screen, and HTML, CSV and Markdown files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from metrics.report_tables import Table, csv_text
from thai_dialect_bench.dialect_scores import installed_metric, score_dialects
from thai_dialect_bench.dialect_tables import (
    ITEM_COLUMNS,
    WARNING,
    dialect_column,
    dialect_table,
    item_scores,
    settings_warning,
)
from thai_dialect_bench.errors import ResultsError
from thai_dialect_bench.highlight import LEGEND, MarkedText, Segment, is_marked, marked_items, segments, shortened
from thai_dialect_bench.pages import render_page
from thai_dialect_bench.release import release_task
from thai_dialect_bench.results import ModelResults, TaskResult, read_results
from thai_dialect_bench.schema import ALL_TASKS, SAMPLE_ORIGIN, TASKS, VARIETIES
from thai_dialect_bench.scores import Cell, DiagnosedCell, diagnose, score_missing_as_zero, score_models
from thai_dialect_bench.tables import (
    CAVEATS,
    CSV_COLUMNS,
    csv_records,
    diagnostics_table,
    score_table,
    signature_table,
)

EXAMPLE_LENGTH = 400
LONG_TABLE = 48
"""Rows from which a table is folded in the HTML report: one model has 24."""
_UPSTREAM_SCORES = ("BLEU", "SacreBLEU", "chrF++", "meteor", "ROUGE1", "ROUGE2", "ROUGEL", "ROUGELsum")
UPSTREAM_COLUMNS = (
    "index",
    "dataset",
    *_UPSTREAM_SCORES,
    *(f"{name}_latin" for name in _UPSTREAM_SCORES),
    "prompt_id",
)
# The released column "chrF++" holds chrF, word order 0.
UPSTREAM_METRICS = {"BLEU": "bleu", "chrF++": "chrf", "ROUGEL": "rouge_l"}


@dataclass(frozen=True)
class Report:
    """Everything a report prints.

    Attributes:
        models: Results as read.
        cells: Scores of the models and of the floors.
        diagnosed: Diagnostics of the models.
        origin: Origin of the data.
        dialect_cells: Dialect Generation and precision of the models and of the references.
    """

    models: list[ModelResults]
    cells: list[Cell]
    diagnosed: list[DiagnosedCell]
    origin: str
    dialect_cells: list[Cell] = field(default_factory=list)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Why the scores are not those of the benchmark: keys of ``tables.CAVEATS``."""
        partial = any(result.partial for model in self.models for result in model.tasks.values())
        holds = {
            "SAMPLE": self.origin == SAMPLE_ORIGIN,
            "MODIFIED": self.origin != SAMPLE_ORIGIN and not self.origin.startswith("release@"),
            "PARTIAL": partial,
        }
        return tuple(caveat for caveat in CAVEATS if holds[caveat])


@dataclass(frozen=True)
class Example:
    """One item with the answers of every model, cut; dialect words are marked where answers are in a dialect."""

    title: str
    texts: tuple[MarkedText, ...]


def make_report(paths: Iterable[Path]) -> Report:
    """Read result folders and score them.

    Raises:
        ResultsError: The results are missing, incomplete or do not belong in one table.
    """
    models = [model for model in read_results(paths) if model.tasks]
    if not models:
        raise ResultsError("no task of the Thai dialect benchmark in these results; run tasks/thai_dialect.txt")
    origin = next(iter(models[0].tasks.values())).origin
    return Report(models, score_models(models), diagnose(models), origin, score_dialects(models))


def report_text(report: Report) -> str:
    """Return the report for a terminal."""
    tables = [_score_table(report, intervals=False) if report.cells else diagnostics_table(report.diagnosed)]
    tables += _dialect_tables(report, intervals=False)
    note = signature_table(report.cells).note
    return "\n\n".join([*(table.as_text() for table in tables), *([note] if note else [])])


def report_markdown(report: Report) -> str:
    """Return the report as Markdown, with both ends of every interval."""
    tables = (
        _score_table(report, intervals=True),
        *_dialect_tables(report, intervals=True),
        diagnostics_table(report.diagnosed),
        signature_table([*report.cells, *report.dialect_cells]),
    )
    return "\n\n".join(["# Thai dialect benchmark", *(table.as_markdown() for table in tables)]) + "\n"


def report_csv(report: Report) -> str:
    """Return one line per score with full precision."""
    return csv_text(CSV_COLUMNS, csv_records([*report.cells, *report.dialect_cells], report.origin, report.caveats))


def item_scores_csv(report: Report) -> str:
    """Return Generation of every answer in a dialect, for ``agreement --scores``."""
    return csv_text(ITEM_COLUMNS, item_scores(report.models))


def answers_html(report: Report) -> str:
    """Return all answers in a dialect, whole, with their dialect words marked, as one self-contained HTML file."""
    return render_page(
        "answers.html.j2",
        title="Dialect words in the answers" + "".join(f" ({caveat})" for caveat in report.caveats),
        paragraphs=[f"Data: {report.origin}. Made with {installed_metric()}.", WARNING],
        legend=LEGEND,
        items=list(marked_items(report.models, EXAMPLE_LENGTH)),
    )


def _score_table(report: Report, *, intervals: bool) -> Table:
    """Return the main table with the dialect's column."""
    column = dialect_column(report.dialect_cells)
    table = score_table(report.cells, report.origin, report.caveats, intervals=intervals, dialect=column)
    return replace(table, note=" ".join([table.note, *settings_warning(report.dialect_cells)]))


def _dialect_tables(report: Report, *, intervals: bool) -> list[Table]:
    """Return the table of Generation and precision, if they were measured."""
    cells = report.dialect_cells
    return [dialect_table(cells, with_paper=not report.caveats, intervals=intervals)] if cells else []


def report_html(report: Report) -> str:
    """Return the report as one self-contained HTML file."""
    from thai_dialect_bench.plots import drop_plot, heat_map

    return render_page(
        "report.html.j2",
        title="Thai dialect benchmark" + "".join(f" ({caveat})" for caveat in report.caveats),
        origin=report.origin,
        caveats={caveat: CAVEATS[caveat] for caveat in report.caveats},
        data_items=len({(r.variety, i.item) for m in report.models for r in m.tasks.values() for i in r.items}),
        version=version("thai-dialect-bench"),
        scores=_score_table(report, intervals=True),
        dialect_tables=_dialect_tables(report, intervals=True),
        legend=LEGEND,
        heat_map=heat_map(report.cells) if report.cells else "",
        drops=drop_plot(report.cells),
        diagnostics=diagnostics_table(report.diagnosed),
        examples=list(examples(report.models)),
        example_length=EXAMPLE_LENGTH,
        long_table=LONG_TABLE,
        signatures=signature_table([*report.cells, *report.dialect_cells]),
    )


def examples(models: Sequence[ModelResults]) -> Iterator[Example]:
    """Yield the first item of every task and variety with the answers of every model."""
    for task in ALL_TASKS.values():
        for variety in VARIETIES.values():
            results = [
                (model.name, model.tasks[task.name, variety.name])
                for model in models
                if (task.name, variety.name) in model.tasks
            ]
            if not results:
                continue
            item = results[0][1].items[0]
            answers = [("reference", item.reference)] if item.has_reference else []
            answers += [
                (name, next((other.answer for other in result.items if other.item == item.item), ""))
                for name, result in results
            ]
            dialect = variety.name if is_marked(task.name, variety.name) else ""
            asked = "question" if item.source["question"] else "input"
            yield Example(
                f"{task.title}, {variety.title}",
                (
                    _shortened(asked, item.source[asked], ""),
                    *(_shortened(name, text, dialect, item.prompt) for name, text in answers),
                ),
            )


def _shortened(name: str, text: str, dialect: str, given: str = "") -> MarkedText:
    """Return a cut text, with the dialect words of the whole marked if there is a dialect."""
    whole = segments(text, dialect, given) if dialect else (Segment(text),)
    return MarkedText(name, tuple(shortened(whole, EXAMPLE_LENGTH)))


def upstream_csvs(report: Report) -> dict[str, str]:
    """Return file name -> content in the layout of the authors' score files; columns not computed here are empty.

    The names of files that are not scores of the benchmark begin with the caveat, e.g. ``SAMPLE_local_results_``.
    """
    marks = "".join(f"{caveat}_" for caveat in report.caveats)
    return {
        f"{marks}local_results_{VARIETIES[variety].release_name}_0_{model.name.replace('/', '_')}.csv": csv_text(
            UPSTREAM_COLUMNS,
            [_upstream_record(index, result) for index, result in enumerate(_upstream_results(model, variety))],
        )
        for model in report.models
        for variety in VARIETIES
        if _upstream_results(model, variety)
    }


def _upstream_results(model: ModelResults, variety: str) -> list[TaskResult]:
    """Return a model's results in one variety in the release's task order; QA v1 is left out."""
    return [model.tasks[task, variety] for task in TASKS if (task, variety) in model.tasks]


def _upstream_record(index: int, result: TaskResult) -> dict[str, str]:
    """Return one row of a score file; rows without a reference score zero there, as upstream does."""
    record = {"index": str(index), "dataset": release_task(result.task, result.variety), "prompt_id": "0"}
    for column, metric in UPSTREAM_METRICS.items():
        if metric in result.statistics:
            record[column] = repr(score_missing_as_zero(result, metric))
    return record
