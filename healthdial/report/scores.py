"""Scores of a report: every measure with its interval by whole dialogues, means over languages, paired tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from healthdial.languages import LANGUAGES
from healthdial.report.context import Context
from healthdial.report.measures import COMPONENT_TITLES, RETRIEVAL, Measure, main_measures, measures_of
from healthdial.report.results import Item, Setting, SystemResults, TaskResult
from metrics.dialogue_items import LanguageComparison, TurnStatistics, compare_languages, weigh_dialogues_alike
from metrics.resampling import Estimate, Values, bootstrap_interval
from metrics.signature import Signature

SIGNIFICANCE_LEVEL = 0.05
MEAN = "mean"
"""Stands for a language: the mean of the scores in all four."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """One score.

    Attributes:
        system: Name of the system.
        component: A key of ``COMPONENT_TITLES``.
        setting: How it was run.
        language: ISO 639-3 code, or ``MEAN``.
        measure: What was measured.
        estimate: Value with its 95 % interval, and the number of items that the measure is about.
        dialogues: Dialogues with such an item.
        chance: Value of a random ranking of the corpus; None where there is none.
        signature: How the value came about; empty for a mean.
        left_out: Turns that were run but have no reference, and count in no score.
        without_recording: Turns without a recording where the component hears them: for recognition of those left
            out, else of all items; None where that is not known.
    """

    system: str
    component: str
    setting: Setting
    language: str
    measure: Measure
    estimate: Estimate
    dialogues: int
    chance: float | None = None
    signature: str = ""
    left_out: int = 0
    without_recording: int | None = None


@dataclass(frozen=True)
class Comparison:
    """A measure of one system compared between two languages."""

    system: str
    setting: Setting
    measure: Measure
    tested: LanguageComparison

    @property
    def significant(self) -> bool:
        """Whether the corrected p-value is below 0.05."""
        return self.tested.p_holm < SIGNIFICANCE_LEVEL


def score_systems(systems: Sequence[SystemResults], context: Context) -> list[Cell]:
    """Return every measure of every system in every language, each followed by its mean over the four languages.

    Args:
        systems: Results.
        context: The data set; without it there is no level by chance, nor is it known what has no recording.
    """
    return [
        cell
        for component in COMPONENT_TITLES
        for system in systems
        for setting in system.settings(component)
        for measure in measures_of(component)
        for cell in _cells(system.name, system.languages(component, setting), measure, context)
    ]


def _cells(system: str, results: dict[str, TaskResult], measure: Measure, context: Context) -> Iterable[Cell]:
    """Yield a measure in every language, then its mean."""
    scored = {language: result.scored(measure) for language, result in results.items()}
    found = {language: (one[0], _averaged(measure, *one)) for language, one in scored.items() if one is not None}
    for language, (items, statistics) in found.items():
        dialogues = [item.dialogue_number for item in items]
        result = results[language]
        yield Cell(
            *(system, measure.component, result.setting, language, measure),
            estimate=bootstrap_interval(statistics, measure.values, clusters=dialogues),
            dialogues=len(set(dialogues)),
            chance=_chance(items, measure, context.corpus_sizes.get(language)),
            signature=_signature(result, measure),
            left_out=len(result.left_out),
            without_recording=_without_recording(result, context),
        )
    if len(found) == len(LANGUAGES):
        setting = next(iter(results.values())).setting
        every = [item.dialogue_number for items, _ in found.values() for item in items]
        estimate = bootstrap_interval(
            stacked([statistics for _, statistics in found.values()]),
            combined(measure.values, measure.width, lambda scores: scores.mean(axis=0)),
            clusters=every,
        )
        yield Cell(system, measure.component, setting, MEAN, measure, estimate, len(set(every)))


def _averaged(measure: Measure, items: Sequence[Item], statistics: Matrix) -> Matrix:
    """Return the statistics as the measure averages them."""
    if measure.average != "macro":
        return statistics
    return weigh_dialogues_alike(statistics, [item.dialogue_number for item in items])


def _signature(result: TaskResult, measure: Measure) -> str:
    text = result.signatures.get(measure.metric, "")
    return str(Signature.parse(text).with_fields(avg=measure.average)) if text and measure.average else text


def _without_recording(result: TaskResult, context: Context) -> int | None:
    """Return how many turns of a task that hears them have no recording."""
    if result.component == "asr":
        return context.count_without_recording(result.left_out)
    if result.component in ("tts", "speech_retrieval", "pipeline"):
        return context.count_without_recording(item.item_id for item in result.items)
    return None


def stacked(groups: Sequence[Matrix]) -> Matrix:
    """Return the statistics of several groups of items with columns of its own for each group.

    A resample of these rows resamples all groups at once, so that dialogues which are parallel in the groups are drawn
    together.

    Args:
        groups: Statistics, shape (items, d) each.

    Returns:
        Shape (all items, groups * (d + 1)); the last column of a group counts its items.
    """
    width = groups[0].shape[1] + 1
    rows = np.zeros((sum(map(len, groups)), len(groups) * width))
    start = 0
    for number, statistics in enumerate(groups):
        block = slice(start, start + len(statistics)), slice(number * width, (number + 1) * width)
        rows[block] = np.column_stack([statistics, np.ones(len(statistics))])
        start += len(statistics)
    return rows


def combined(values: Values, width: int, combine: Callable[[Matrix], Matrix]) -> Values:
    """Return a function of the scores of several groups, for `stacked` statistics.

    Args:
        values: Turns sums of statistics of a group into scores.
        width: Length of the statistics, d.
        combine: Turns the scores of the groups, shape (groups, ...), into one, shape (...).

    Returns:
        Turns sums of stacked statistics into combined scores; nan where a group has no item.
    """

    def of_sums(sums: Matrix) -> Matrix:
        blocks = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, width + 1), -2, 0)
        return combine(np.where(blocks[..., -1] > 0, values(blocks[..., :-1]), np.nan))

    return of_sums


def _chance(items: Sequence[Item], measure: Measure, corpus_size: int | None) -> float | None:
    """Return the expected value of a random ranking for the queries that were scored."""
    if measure.metric != RETRIEVAL.name or corpus_size is None:
        return None
    statistics = np.stack([_chance_statistics(len(item.gold), corpus_size) for item in items])
    return float(measure.values(_averaged(measure, items, statistics).sum(axis=0)))


@lru_cache(maxsize=1024)
def _chance_statistics(gold_count: int, corpus_size: int) -> Matrix:
    return RETRIEVAL.chance_statistics(gold_count, corpus_size)


def compare_all(systems: Sequence[SystemResults]) -> list[Comparison]:
    """Test every main measure of every system between each two languages, on the turns that both have.

    Holm's correction covers the pairs of languages of one system and measure.
    """
    return [
        Comparison(system.name, setting, measure, tested)
        for measure in main_measures()
        for system in systems
        for setting in system.settings(measure.component)
        for tested in _compare(system.languages(measure.component, setting), measure)
    ]


def _compare(results: dict[str, TaskResult], measure: Measure) -> list[LanguageComparison]:
    """Compare the languages on the turns that they share; runs with --max-samples may share none."""
    languages = {}
    for language, result in results.items():
        scored = result.scored(measure)
        if scored is not None:
            languages[language] = TurnStatistics([item.key for item in scored[0]], scored[1])
    return compare_languages(languages, measure.values, size=measure.size)


def best_run(cells: Sequence[Cell], component: str, lead: str) -> tuple[str, Setting] | None:
    """Return the system and setting that is best in a component.

    Best is the one with most languages; among those, the one with the best mean of a measure. Filtering with five
    candidates, the paper's main setting, goes before other numbers of candidates.

    Args:
        cells: Scores.
        component: A key of ``COMPONENT_TITLES``.
        lead: Name of the measure.
    """
    values: dict[tuple[str, Setting], list[float]] = {}
    sign = 1.0
    for cell in cells:
        if cell.component == component and cell.measure.name == lead and cell.language != MEAN:
            values.setdefault((cell.system, cell.setting), []).append(cell.estimate.value)
            sign = -1.0 if cell.measure.lower_is_better else 1.0
    if not values:
        return None
    main = {run: found for run, found in values.items() if run[1].candidates == 5} or values
    return max(main, key=lambda run: (len(main[run]), sign * float(np.mean(main[run]))))
