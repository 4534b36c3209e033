"""Lay out scores as the paper's Tables 2 (the best systems) and 3 (filtering by the number of candidates)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from healthdial.languages import LANGUAGES
from healthdial.report import paper
from healthdial.report.results import Setting
from healthdial.report.scores import MEAN, Cell, best_run
from metrics.report_tables import Table, with_interval

CAVEATS = {
    "SAMPLE": "on the bundled sample, which is not the benchmark; comparable with nothing",
    "PARTIAL": "of runs with --max-samples, on a part of the items; comparable with nothing",
}
LEADS = {
    "asr": "wer",
    "tts": "mcd_upstream",
    "turn_classification": "accuracy",
    "retrieval": "recall@5",
    "speech_retrieval": "recall@5",
    "filtering": "exact_match",
}
"""Component -> the measure by which its best system is chosen for Table 2."""
_TABLE_2_COLUMNS = (
    ("asr", "wer", "WER"),
    ("asr", "cer", "CER"),
    ("tts", "mcd_upstream", "MCD"),
    ("tts", "cer_synthesized_normalized", "TTS CER"),
    ("turn_classification", "accuracy", "Turn acc."),
    ("turn_classification", "accuracy_without_opening", "w/o opening"),
    ("retrieval", "recall@5", "R@5 text"),
    ("speech_retrieval", "recall@5", "R@5 speech"),
    ("filtering", "exact_match", "Filter EM"),
    ("filtering", "ook_recall", "OOK recall"),
)


@dataclass(frozen=True)
class Layout:
    """How tables are printed.

    Attributes:
        caveats: Keys of ``CAVEATS``; tables with one are never set beside the paper.
        intervals: Both ends of the intervals, not their half-width.
        has_paper: Whether the paper's numbers stand beside.
    """

    caveats: tuple[str, ...]
    intervals: bool
    has_paper: bool

    def text(self, cell: Cell | None) -> str:
        """Return a score with its interval; empty without a score, ``-`` where it is undefined."""
        if cell is None:
            return ""
        estimate = cell.estimate
        if estimate.value != estimate.value:
            return "-"
        return with_interval(estimate.value, estimate.low, estimate.high, self.intervals)

    def title(self, title: str) -> str:
        """Return a title with the caveats."""
        return title + "".join(f" ({caveat})" for caveat in self.caveats)


Key = tuple[str, Setting, str, str, str]


def by_key(cells: Sequence[Cell]) -> dict[Key, Cell]:
    """Return (system, setting, component, language, measure) -> score."""
    return {(c.system, c.setting, c.component, c.language, c.measure.name): c for c in cells}


def table_2(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return the best system of each component in every language, as the paper's Table 2."""
    best = {component: best_run(cells, component, lead) for component, lead in LEADS.items()}
    columns = [column for column in _TABLE_2_COLUMNS if best[column[0]] is not None]
    if not columns:
        return None
    found = by_key(cells)
    rows = []
    for language, title in _languages(cells):
        row = [title]
        for component, measure, _ in columns:
            run = best[component]
            row.append(layout.text(found.get((*run, component, language, measure))) if run else "")
        rows.append(row)
    rows.append(["System", *(run_title(best[component]) for component, _, _ in columns)])
    if layout.has_paper:
        rows += _paper_rows(columns)
    counts = _item_counts([c for c in cells if (c.system, c.setting) == best.get(c.component)], columns)
    note = (
        "Best system of each component by the mean of its first column over languages; of filtering, with 5 "
        f"candidates if run. {interval_note(layout)} In percent but MCD, which is on the scale of the library that "
        "the paper used; WER and CER on raw texts, Chinese CER without spaces; TTS CER on normalized texts. Mean: "
        f"over the four languages, whose parallel dialogues are drawn together. Items a score: {counts}."
    )
    header = ("Language", *(title for _, _, title in columns))
    return Table(layout.title("Best systems (as Table 2)"), header, frozen(rows), _with_paper(note, layout))


def _paper_rows(columns: Sequence[tuple[str, str, str]]) -> list[list[str]]:
    """Return the paper's systems and numbers under the same columns."""
    rows = []
    for language in LANGUAGES:
        values = [paper.TABLE_2.get((component, measure), {}).get(language) for component, measure, _ in columns]
        texts = ["" if value is None else f"{value:.2f}" for value in values]
        rows.append([f"{LANGUAGES[language].title} (paper)", *texts])
    return [*rows, ["System (paper)", *(paper.TABLE_2_SYSTEMS.get(column[:2], "") for column in columns)]]


def table_3(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return exact match of filtering by the number of candidates, as the paper's Table 3."""
    runs = runs_of(cells, "filtering")
    if not runs:
        return None
    found, languages = by_key(cells), _languages(cells)
    rows = [
        [
            run_title(run),
            *(layout.text(found.get((*run, "filtering", code, "exact_match"))) for code, _ in languages),
        ]
        for run in runs
    ]
    if layout.has_paper:
        for system, values in paper.TABLE_3.items():
            texts = [f"{values[code]:.2f}" if code in values else "" for code, _ in languages]
            rows.append([f"{system} (paper)", *texts])
    header = ("System", *(title for _, title in languages))
    note = f"Share of items whose chosen set equals the complete gold set, in percent. {interval_note(layout)}"
    title = layout.title("Filtering: exact match by number of candidates (as Table 3)")
    return Table(title, header, frozen(rows), _with_paper(note, layout))


def _item_count(cell: Cell) -> int:
    return cell.estimate.items


def recordings_lacking(cell: Cell) -> int | None:
    """Return how many turns have no recording; None where that is not known, or nobody hears them."""
    return cell.without_recording


@dataclass(frozen=True)
class Count:
    """A column of numbers of items.

    Attributes:
        title: Column title.
        measure: Name of the measure whose items are counted.
        of: What is counted of a score; None leaves the cell empty.
    """

    title: str
    measure: str
    of: Callable[[Cell], int | None] = _item_count


def score_texts(
    run: tuple[str, Setting],
    component: str,
    language: str,
    measures: Sequence[str],
    found: dict[Key, Cell],
    layout: Layout,
) -> list[str]:
    """Return the scores of a system in a language; all empty if it was not run."""
    return [layout.text(found.get((*run, component, language, name))) for name in measures]


def count_texts(
    run: tuple[str, Setting], component: str, language: str, counts: Sequence[Count], found: dict[Key, Cell]
) -> list[str]:
    """Return the numbers of items of a system in a language; a measure without a score has none."""
    cells = [(count, found.get((*run, component, language, count.measure))) for count in counts]
    numbers = [0 if cell is None else count.of(cell) for count, cell in cells]
    return ["" if number is None else f"{number}" for number in numbers]


def without_empty_columns(rows: list[list[str]], header: tuple[str, ...]) -> tuple[list[list[str]], tuple[str, ...]]:
    """Return rows and header without the columns in which no row has a text."""
    kept = [column for column in range(len(header)) if any(row[column] for row in rows)]
    return [[row[column] for column in kept] for row in rows], tuple(header[column] for column in kept)


def runs_of(cells: Sequence[Cell], component: str) -> list[tuple[str, Setting]]:
    """Return the systems and settings of a component."""
    return list(dict.fromkeys((cell.system, cell.setting) for cell in cells if cell.component == component))


def run_title(run: tuple[str, Setting] | None) -> str:
    """Return the name of a system with its setting."""
    if run is None:
        return ""
    system, setting = run
    return ", ".join(part for part in (system, setting.label()) if part)


def _languages(cells: Sequence[Cell]) -> list[tuple[str, str]]:
    """Return code and title of the languages that were run, then of the mean if there is one."""
    present = {cell.language for cell in cells}
    titles = {code: language.title for code, language in LANGUAGES.items()} | {MEAN: "Mean"}
    return [(code, title) for code, title in titles.items() if code in present]


def _item_counts(cells: Sequence[Cell], columns: Sequence[tuple[str, str, str]]) -> str:
    """Return the number of items of each column, with the languages in which it is another."""
    parts = []
    for component, measure, title in columns:
        counts = {
            cell.language: cell.estimate.items
            for cell in cells
            if (cell.component, cell.measure.name) == (component, measure) and cell.language != MEAN
        }
        if not counts:
            continue
        usual = Counter(counts.values()).most_common(1)[0][0]
        others = [f"{LANGUAGES[code].title} {count}" for code, count in counts.items() if count != usual]
        parts.append(f"{title} {usual}" + (f" ({', '.join(others)})" if others else ""))
    return ", ".join(parts)


def interval_note(layout: Layout) -> str:
    """Return what the intervals of a table are."""
    ends = "in brackets" if layout.intervals else "half-width after ±"
    return f"95 % bootstrap intervals by whole dialogues, {ends}."


def _with_paper(note: str, layout: Layout) -> str:
    return f"{note} {paper.PAPER_NOTE}" if layout.has_paper else note


def frozen(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """Return rows as a table holds them."""
    return tuple(tuple(row) for row in rows)
