"""Lay out the scores of all retrievers beside chance: the paper's Table 7, and means over dialogues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from healthdial.languages import LANGUAGES
from healthdial.report.measures import CUTOFFS, RANK_MEASURES, macro_name, measure_of
from healthdial.report.results import Setting
from healthdial.report.scores import Cell
from healthdial.report.tables import (
    Count,
    Layout,
    by_key,
    count_texts,
    frozen,
    interval_note,
    recordings_lacking,
    run_title,
    runs_of,
    score_texts,
    without_empty_columns,
)
from metrics.report_tables import Table

_COMPONENTS = (("retrieval", "text"), ("speech_retrieval", "speech"))


def ranking_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return recall, MRR and nDCG beside chance, as the paper's Table 7."""
    note = (
        "Means over queries, in percent. Chance: expected of a random ranking of the same corpus. No recording: "
        "spoken queries whose own turn has none; they count, searched by the rest of the dialogue."
    )
    counts = (Count("Items", RANK_MEASURES[0]), Count("No recording", RANK_MEASURES[0], recordings_lacking))
    return _table("Retrieval: recall and rank (as Table 7)", RANK_MEASURES, counts, cells, layout, note)


def dialogue_mean_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return recall, MRR and nDCG with dialogues weighed alike, beside chance."""
    note = (
        "Mean over dialogues of the mean over the queries of a dialogue (macro), in percent: long dialogues, which "
        "weigh more in the means over queries, weigh no more than short ones here. Chance is averaged in the same way."
    )
    measures = tuple(map(macro_name, RANK_MEASURES))
    counts = (Count("Items", measures[0]), Count("Dialogues", measures[0], lambda cell: cell.dialogues))
    return _table("Retrieval: mean over dialogues", measures, counts, cells, layout, note)


def precision_table(cells: Sequence[Cell], layout: Layout) -> Table | None:
    """Return precision and F1 beside chance, as the paper's Table 7."""
    note = (
        "P@k divides by k. The paper's code divides by the different snippets among the first k, which is the same "
        "wherever a ranking has k different ones and gives more where it has fewer: precision@k_shrinking in "
        "lighteval's results. F1 is taken of each query, then averaged."
    )
    measures = tuple(f"{kind}@{k}" for kind in ("precision", "f1") for k in CUTOFFS)
    counts = (Count("Items", measures[0]),)
    return _table("Retrieval: precision and F1 (as Table 7)", measures, counts, cells, layout, note)


def _table(
    title: str, measures: Sequence[str], counts: Sequence[Count], cells: Sequence[Cell], layout: Layout, note: str
) -> Table | None:
    """Return a row for each retriever and language, text and speech, and the rows of chance."""
    found = by_key(cells)
    rows = []
    for component, query in _COMPONENTS:
        for run in runs_of(cells, component):
            for language in LANGUAGES:
                texts = score_texts(run, component, language, measures, found, layout)
                if any(texts):
                    numbers = count_texts(run, component, language, counts, found)
                    rows.append([run_title(run), query, LANGUAGES[language].title, *texts, *numbers])
        by_chance = [
            [name, query, title.title, *levels, *[""] * len(counts)]
            for language, title in LANGUAGES.items()
            for name, levels in _chance_levels(
                [cell for cell in cells if (cell.component, cell.language) == (component, language)], measures
            )
        ]
        rows += sorted(by_chance, key=lambda row: row[0])
    if not rows:
        return None
    titles = (*(measure_of("retrieval", name).title for name in measures), *(count.title for count in counts))
    rows, header = without_empty_columns(rows, ("System", "Query", "Language", *titles))
    return Table(layout.title(title), header, frozen(rows), f"{note} {interval_note(layout)}")


def _chance_levels(cells: Sequence[Cell], measures: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield name and levels of chance in one language, each different level once.

    Runs on other items, as with --max-samples, have other levels; these are named by their numbers of items, and by
    the runs where that does not tell them apart.
    """
    by_run: dict[tuple[str, Setting], dict[str, Cell]] = {}
    for cell in cells:
        if cell.chance is not None:
            by_run.setdefault((cell.system, cell.setting), {})[cell.measure.name] = cell
    runs_at: dict[tuple[str, ...], list[tuple[str, Setting]]] = {}
    for run, own in by_run.items():
        runs_at.setdefault(tuple(f"{own[name].chance:.2f}" for name in measures), []).append(run)
    items = {levels: by_run[runs[0]][measures[0]].estimate.items for levels, runs in runs_at.items()}
    for levels, runs in runs_at.items():
        name = "chance" if len(runs_at) == 1 else f"chance, {items[levels]} items"
        is_ambiguous = len(set(items.values())) < len(runs_at)
        yield f"{name} ({'; '.join(map(run_title, runs))})" if is_ambiguous else name, list(levels)
