"""Reproduce Table 1: replay the released outputs through the lighteval tasks and compare every cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.overlap import mean_word_overlap
from metrics.report_tables import Table
from metrics.thai_text import NewmmTokenizer
from thai_dialect_bench import paper
from thai_dialect_bench.release import Release
from thai_dialect_bench.results import ModelResults, read_results
from thai_dialect_bench.rows import build_rows
from thai_dialect_bench.schema import ALL_TASKS, DIALECTS, TASKS, VARIETIES
from thai_dialect_bench.scores import score_missing_as_zero

# Rounding to two decimals for BLEU; upstream's unseeded bootstrap median for ROUGE-L.
TOLERANCES = {
    "qa": 1.0,
    "summarization": 0.2,
    "translation_from_english": 0.006,
    "translation_to_english": 0.006,
}
NEWER_TOKENIZER_TOLERANCE = 0.05
"""For BLEU with PyThaiNLP 5.3 or newer, which cuts some texts into other words."""


@dataclass(frozen=True)
class Comparison:
    """One cell of Table 1 beside ours.

    Attributes:
        model: The paper's name of the model.
        variety: Name of the variety.
        column: ``qa`` or another key of ``TOLERANCES``.
        data: Task whose items were scored (``qa_v1`` or ``qa`` for the QA column).
        printed: The paper's number.
        ours: Our number; None where the released outputs are not there.
        verdict: ``agrees``, ``misprint``, ``disagrees`` or ``not checked``.
        right: For a misprint, the value in the authors' own score file.
    """

    model: str
    variety: str
    column: str
    data: str
    printed: float
    ours: float | None
    verdict: str
    right: float | None = None


@dataclass(frozen=True)
class Reproduction:
    """The outcome of a reproduction: all compared cells and the tables to print."""

    comparisons: list[Comparison]
    tables: list[Table]

    def count(self, verdict: str) -> int:
        """Return how many cells have a verdict."""
        return sum(comparison.verdict == verdict for comparison in self.comparisons)

    @property
    def agrees(self) -> bool:
        """Whether every cell that can be right is, and every cell was checked."""
        return self.count("disagrees") == 0 and self.count("not checked") == 0


def reproduce(release: Release, results: Path) -> Reproduction:
    """Compare the replayed results with Table 1 and lay out all tables.

    Args:
        release: The release that was built and replayed.
        results: lighteval's output folder of ``replay_all``.
    """
    models = {model.name: model for model in read_results([results])}
    comparisons = list(compare_table_1(models))
    tables = [
        comparison_table(comparisons),
        exceptions_table(comparisons),
        qa_table(models),
        overlap_table(release),
    ]
    return Reproduction(comparisons, tables)


def compare_table_1(models: dict[str, ModelResults]) -> Iterable[Comparison]:
    """Yield the 96 cells of Table 1 beside ours, from results by the models' file names."""
    misprints = {(entry.model, entry.variety, entry.task): entry for entry in paper.MISPRINTS}
    for model in paper.MODELS:
        for variety in VARIETIES:
            for column in TOLERANCES:
                data = model.qa_task if column == "qa" else column
                printed = getattr(paper.TABLE_1[model.title][variety], column)
                ours = paper_score(models.get(model.file_name), data, variety)
                misprint = misprints.get((model.title, variety, column))
                target = misprint.right if misprint else printed
                if ours is None:
                    verdict = "not checked"
                elif abs(ours - target) > tolerance(column):
                    verdict = "disagrees"
                else:
                    verdict = "misprint" if misprint else "agrees"
                right = misprint.right if misprint else None
                yield Comparison(model.title, variety, column, data, printed, ours, verdict, right)


def tolerance(column: str) -> float:
    """Return the tolerance of a column with the installed tokenizer."""
    if TASKS[column].metric == "bleu" and not NewmmTokenizer().splits_as_paper:
        return NEWER_TOKENIZER_TOLERANCE
    return TOLERANCES[column]


def paper_score(model: ModelResults | None, task: str, variety: str) -> float | None:
    """Return a score in the paper's way: an item whose reference is missing counts as 0."""
    result = model.tasks.get((task, variety)) if model else None
    if result is None:
        return None
    return score_missing_as_zero(result, ALL_TASKS[task].metric or "")


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """Return Table 1 with ours beside the printed numbers."""
    header = ["Model", "Variety"]
    for column in TOLERANCES:
        header += [f"{TASKS[column].title} paper", "ours"]
    header.append("QA data")
    rows = []
    by_key = {(c.model, c.variety, c.column): c for c in comparisons}
    for model in paper.MODELS:
        for variety in VARIETIES:
            cells = [by_key[model.title, variety, column] for column in TOLERANCES]
            texts = [text for cell in cells for text in (f"{cell.printed:.2f}", _ours(cell))]
            rows.append((model.title, VARIETIES[variety].title, *texts, "v1" if cells[0].data == "qa_v1" else "v2"))
    counts = {
        verdict: sum(c.verdict == verdict for c in comparisons) for verdict in ("agrees", "misprint", "disagrees")
    }
    note = (
        f"{counts['agrees']} of {len(comparisons)} cells agree, {counts['misprint']} are misprints (marked m), "
        f"{counts['disagrees']} disagree (marked !). Tolerances: BLEU {tolerance('translation_to_english')}, ROUGE-L "
        f"{TOLERANCES['summarization']} (summarization) and {TOLERANCES['qa']} (QA): upstream prints the median of an "
        "unseeded bootstrap, ours is the mean. Do not compare QA between v1 and v2."
    )
    return Table("Table 1 of arXiv 2504.05898, reproduced through lighteval", tuple(header), tuple(rows), note)


def _ours(cell: Comparison) -> str:
    """Return our number with its mark."""
    if cell.ours is None:
        return "?"
    return f"{cell.ours:.2f}" + {"agrees": "", "misprint": " m", "disagrees": " !"}[cell.verdict]


def exceptions_table(comparisons: Sequence[Comparison]) -> Table:
    """Return the cells that need a word: misprints, last-digit slips, disagreements and what could not be checked."""
    rows = []
    slips = {(entry.model, entry.variety, entry.task): entry for entry in paper.LAST_DIGIT_SLIPS}
    for cell in comparisons:
        slip = slips.get((cell.model, cell.variety, cell.column))
        if cell.verdict == "agrees" and slip is None:
            continue
        right = slip.right if slip else cell.right
        kind = f"last digit: {slip.kind}" if slip and cell.verdict == "agrees" else cell.verdict
        rows.append(
            (
                cell.model,
                VARIETIES[cell.variety].title,
                TASKS[cell.column].title,
                f"{cell.printed:g}",
                "" if right is None else f"{right:g}",
                "?" if cell.ours is None else f"{cell.ours:.4f}",
                kind,
            )
        )
    header = ("Model", "Variety", "Column", "Printed", "Authors' score file", "Ours", "Kind")
    return Table("Cells that need a word", header, tuple(rows))


def qa_table(models: dict[str, ModelResults]) -> Table:
    """Return QA on v2 for all models alike."""
    rows = []
    for model in paper.MODELS:
        scores = [paper_score(models.get(model.file_name), "qa", variety) for variety in VARIETIES]
        rows.append((model.title, *("no output" if score is None else f"{score:.2f}" for score in scores)))
    header = ("Model", *(variety.title for variety in VARIETIES.values()))
    note = (
        "Mean ROUGE-L on the QA set whose texts are really in the dialect; the missing Isan reference counts 0 as in "
        "the paper. Table 1 scores the four open models on v1, whose texts are Central Thai everywhere. Typhoon's "
        "released answers were damaged by right padding."
    )
    return Table("QA like for like (v2, all models)", header, tuple(rows), note)


def overlap_table(release: Release) -> Table:
    """Return word overlap with Central beside Table 5."""
    tokenize = NewmmTokenizer().tokenize
    configs = build_rows(release)
    columns = ("summarization", "qa", "translation_from_english")
    rows = []
    for variety in DIALECTS:
        texts = [VARIETIES[variety].title]
        for task in columns:
            pairs = [
                (tokenize(base.reference or ""), tokenize(row.reference or ""))
                for base, row in zip(configs["central"], configs[variety], strict=True)
                if row.task == task and base.has_reference and row.has_reference
            ]
            texts += [f"{paper.TABLE_5[variety][task]:.4f}", f"{mean_word_overlap(pairs):.4f}"]
        rows.append(tuple(texts))
    header = ["Variety"]
    for task in columns:
        header += [f"{TASKS[task].title} paper", "ours"]
    note = (
        "Ours: mean share of distinct Central words (newmm, white space left out) that the dialect reference has too; "
        "rows with a missing reference are left out. The numbers printed in Table 5 are not word overlap by any "
        "definition that was tried; they fit an overlap of character sets."
    )
    return Table("Word overlap with Central, beside Table 5", tuple(header), tuple(rows), note)
