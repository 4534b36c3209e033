"""What the dialect metric must reach on the authors' release, (a) to (e) of issue 6, and whether it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks import dialect_metric_figures as figures
from benchmarks.dialect_metric_data import SCORED_TASKS, ReleasedTexts
from metrics.dialect import DialectCounter
from thai_dialect_bench.schema import DIALECTS, VARIETIES

NEEDED_AUC = 0.98
HIGHEST_CENTRAL = 5.0
LARGEST_HUMAN_DIFFERENCE = 12.0
NEEDED_SPEARMAN = 0.9
NEEDED_ACCURACY = 0.95
DECISIVE = 5
"""Net items of 20 from which a pair of Table 2 has a winner; below, neither should win by as much."""


@dataclass(frozen=True)
class Target:
    """One thing the metric must reach; ``reached`` is None where it cannot be measured."""

    name: str
    value: str
    needed: str
    reached: bool | None

    def row(self) -> tuple[str, str, str, str]:
        """Return the row of the table of targets."""
        return (
            self.name,
            self.value,
            self.needed,
            {True: "reached", False: "MISSED", None: "not measured"}[self.reached],
        )


def separation_targets(texts: ReleasedTexts, counters: Sequence[DialectCounter]) -> Iterator[Target]:
    """Yield (a): per dialect over both tasks, then each task."""
    for tasks in (SCORED_TASKS, *((task,) for task in SCORED_TASKS)):
        for counter in counters:
            found = figures.separation(texts, counter, tasks)
            yield Target(
                f"(a) {counter.dialect}, {' + '.join(tasks)}",
                f"AUC {found.auc:.4f}, dialect {found.dialect:.1f}, Central {found.central:.1f}",
                f"AUC >= {NEEDED_AUC}, Central <= {HIGHEST_CENTRAL:g}",
                found.auc >= NEEDED_AUC and found.central <= HIGHEST_CENTRAL,
            )


def human_targets(cells: Sequence[figures.HumanCell]) -> Iterator[Target]:
    """Yield (b): each cell of Table 3, and the order of all."""
    from scipy.stats import spearmanr

    for cell in cells:
        yield Target(
            f"(b) {cell.model}, {cell.dialect}",
            f"{cell.fixed:.1f} (threshold of the other items' references: {cell.crossed:.1f})",
            f"{cell.human} +- {LARGEST_HUMAN_DIFFERENCE:g}",
            abs(cell.fixed - cell.human) <= LARGEST_HUMAN_DIFFERENCE,
        )
    rank = float(spearmanr([cell.human for cell in cells], [cell.fixed for cell in cells]).statistic)
    whole = len(cells) == 2 * len(DIALECTS)
    yield Target(
        f"(b) Spearman over {len(cells)} of {2 * len(DIALECTS)} cells",
        f"{rank:.3f}",
        f">= {NEEDED_SPEARMAN}",
        rank >= NEEDED_SPEARMAN if whole else None,
    )


def preference_targets(cells: Sequence[figures.PreferenceCell]) -> Iterator[Target]:
    """Yield (c): each cell of Table 2, by share and by the number of different dialect words."""
    for way in ("share", "distinct"):
        for cell in cells:
            ours = getattr(cell, way)
            decisive = abs(cell.human) >= DECISIVE
            agrees = ours * cell.human > 0 if decisive else abs(ours) < DECISIVE
            needed = f"people: {cell.human:+d}, " + ("same sign" if decisive else f"less than {DECISIVE} apart")
            yield Target(f"(c) by {way}: {' / '.join(cell.pair)}, {cell.dialect}", f"{ours:+d}", needed, agrees)


def identification_target(counts: dict[tuple[str, str], int], varieties: Sequence[str]) -> Target:
    """Return (d); measured only if all four varieties are there."""
    right = sum(counts.get((variety, variety), 0) for variety in varieties)
    accuracy = right / sum(counts.values())
    return Target(
        f"(d) variety of references, {len(varieties)} of {len(VARIETIES)}",
        f"{accuracy:.3f} ({right} of {sum(counts.values())})",
        f">= {NEEDED_ACCURACY}",
        accuracy >= NEEDED_ACCURACY if len(varieties) == len(VARIETIES) else None,
    )


def respelling_targets(texts: ReleasedTexts, counters: Sequence[DialectCounter]) -> Iterator[Target]:
    """Yield (e)."""
    for counter in counters:
        found = figures.respelling(texts, counter)
        value = (
            f"same level {found.same_level}, same counts {found.same_counts} of {found.texts} respelled texts; "
            f"largest change of a share {found.largest_change:.3f}"
        )
        yield Target(f"(e) {counter.dialect}", value, "same counts in all", found.same_counts == found.texts)


def missing_targets(dialects: Sequence[str]) -> Iterator[Target]:
    """Yield a line for each dialect that has no lexicon."""
    for dialect in DIALECTS:
        if dialect not in dialects:
            yield Target(f"(a) (b) (c) (e) {dialect}", "no lexicon", "as the others", None)


def all_targets(texts: ReleasedTexts, counters: Sequence[DialectCounter]) -> list[Target]:
    """Return (a) to (e)."""
    dialects = [counter.dialect for counter in counters]
    varieties = [variety for variety in VARIETIES if variety in ("central", *dialects)]
    return [
        *separation_targets(texts, counters),
        *human_targets([cell for counter in counters for cell in figures.human_cells(texts, counter)]),
        *preference_targets([cell for counter in counters for cell in figures.preference_cells(texts, counter)]),
        identification_target(figures.identification(texts, counters[0], varieties), varieties),
        *respelling_targets(texts, counters),
        *missing_targets(dialects),
    ]
