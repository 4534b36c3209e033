"""Main measures by groups of speakers: gender, age group, language variety and education, and the widest gap."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from healthdial.report.context import FIELDS, Context
from healthdial.report.measures import Measure, main_measures
from healthdial.report.results import Setting, SystemResults, TaskResult
from healthdial.report.scores import combined, stacked
from metrics.resampling import Difference, Estimate, bootstrap_interval

UNKNOWN = "unknown"
"""Group of the speakers of whom a field is not known."""


@dataclass(frozen=True)
class GroupScore:
    """A measure of the turns of one group of speakers.

    Attributes:
        group: Value of the field.
        estimate: Value with its 95 % interval by whole speakers; no interval of a single speaker.
        speakers: Speakers of the scored turns.
    """

    group: str
    estimate: Estimate
    speakers: int


@dataclass(frozen=True)
class Gap:
    """The difference between the best and the worst group, in favour of the best.

    Attributes:
        best: Group with the best value.
        worst: Group with the worst value.
        difference: Value of the one minus value of the other as an amount, at least 0, with its 95 % interval by
            whole speakers. The two groups were picked by their values, so that chance alone makes a gap.
    """

    best: str
    worst: str
    difference: Difference


@dataclass(frozen=True)
class Disparity:
    """A measure of one system in one language by the groups of one field.

    Attributes:
        system: Name of the system.
        setting: How it was run.
        language: ISO 639-3 code.
        measure: What was measured.
        field: Name of the column.
        groups: Groups that have enough speakers, in the order of their names.
        hidden: Groups that have too few.
        gap: None with fewer than two groups shown.
        is_published: Whether the data set tells the field in this language.
    """

    system: str
    setting: Setting
    language: str
    measure: Measure
    field: str
    groups: tuple[GroupScore, ...]
    hidden: int
    gap: Gap | None
    is_published: bool


@dataclass(frozen=True)
class _Group:
    statistics: NDArray[np.float64]
    speakers: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(set(self.speakers))


def disparities(systems: Sequence[SystemResults], context: Context, k: int) -> list[Disparity]:
    """Return every main measure by every field of the speakers.

    Args:
        systems: Results.
        context: Who spoke the turns; nothing is returned without.
        k: Speakers of the scored turns that a group must have to be shown.
    """
    if context.missing:
        return []
    return [
        disparity
        for measure in main_measures()
        for system in systems
        for setting in system.settings(measure.component)
        for result in system.languages(measure.component, setting).values()
        for disparity in _of_result(system.name, result, measure, context, k)
    ]


def _of_result(system: str, result: TaskResult, measure: Measure, context: Context, k: int) -> Iterator[Disparity]:
    scored = result.scored(measure)
    if scored is None:
        return
    items, statistics = scored
    turns = [(row, turn) for row, turn in enumerate(map(context.turn_of, items)) if turn is not None]
    for name in FIELDS:
        is_published = name not in context.not_published.get(result.language, ())
        rows: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for row, turn in turns:
            rows[turn.groups[name] or UNKNOWN].append((row, turn.speaker_id))
        groups = {
            group: _Group(statistics[[row for row, _ in own]], tuple(speaker for _, speaker in own))
            for group, own in sorted(rows.items())
        }
        shown = {group: one for group, one in groups.items() if one.size >= k} if is_published else {}
        scores = tuple(
            GroupScore(
                group, bootstrap_interval(one.statistics, measure.values, clusters=list(one.speakers)), one.size
            )
            for group, one in shown.items()
        )
        yield Disparity(
            *(system, result.setting, result.language, measure, name, scores),
            hidden=len(groups) - len(shown) if is_published else 0,
            gap=_gap(shown, scores, measure),
            is_published=is_published,
        )


def _gap(groups: dict[str, _Group], scores: Sequence[GroupScore], measure: Measure) -> Gap | None:
    """Return the difference between the best and the worst group; speakers of unknown groups are no group."""
    known = [score for score in scores if score.group != UNKNOWN and not np.isnan(score.estimate.value)]
    if len(known) < 2:
        return None
    ranked = sorted(known, key=lambda score: score.estimate.value, reverse=not measure.lower_is_better)
    best, worst = groups[ranked[0].group], groups[ranked[-1].group]
    estimate = bootstrap_interval(
        stacked([best.statistics, worst.statistics]),
        combined(measure.values, measure.width, partial(_advantage, sign=-1 if measure.lower_is_better else 1)),
        clusters=[*best.speakers, *worst.speakers],
    )
    has_spread = min(best.size, worst.size) > 1
    low, high = (estimate.low, estimate.high) if has_spread else (float("nan"), float("nan"))
    difference = Difference(estimate.value, low, high, estimate.items, estimate.undefined)
    return Gap(ranked[0].group, ranked[-1].group, difference)


def _advantage(scores: NDArray[np.float64], sign: int) -> NDArray[np.float64]:
    """Return by how much the first of two groups is better, shape (...)."""
    return np.asarray(sign * (scores[0] - scores[1]))
