"""Agreement of annotators: Cohen's kappa, Krippendorff's alpha, the bias of each annotator, and disagreement."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.resampling import DEFAULT_SEED, Estimate, bootstrap_interval

Label = float | str
Labels = Sequence[Label | None]
Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]

WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")
SCORE_LABELS: tuple[Label, ...] = (0.0, 0.5, 1.0)
"""The scale of Generation and Fluency in arXiv 2504.05898, in order."""
DEFAULT_RESAMPLES = 2000


@dataclass(frozen=True)
class Kappa:
    """Cohen's kappa of two annotators.

    Attributes:
        estimate: Kappa, at most 1, with its bootstrap interval; nan where it is not defined.
        agreement: Share of pairs with equal labels, 0-1, whatever the weights; nan without pairs.
        pairs: Answers with a label of both annotators; nothing else counts.
        left_out: Answers that only one of the two labelled.
    """

    estimate: Estimate
    agreement: float
    pairs: int
    left_out: int


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha of two or more annotators.

    Attributes:
        estimate: Alpha, at most 1, with its bootstrap interval; nan where it is not defined.
        answers: Answers with at least two labels; nothing else counts.
        left_out: Answers with one label.
        labels: Labels of the answers that count.
    """

    estimate: Estimate
    answers: int
    left_out: int
    labels: int


def cohen_kappa(
    first: Labels,
    second: Labels,
    categories: Sequence[Label],
    *,
    weights: Weights = "none",
    clusters: Sequence[Hashable] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Kappa:
    """Agreement of two annotators beyond chance (Cohen 1960; weighted: Cohen 1968).

    ``1 - sum(w * observed) / sum(w * expected)``, where `expected` is the product of both annotators' own label
    frequencies and w the weight of a disagreement: 1 (``none``), the distance in the scale's order (``linear``) or its
    square (``quadratic``). Equal to ``cohen_kappa_score`` of scikit-learn 1.9.1, which refuses 0, 0.5, 1 as they are
    and wants their positions in the scale instead.

    | case | value | why |
    |---|---|---|
    | both give one and the same label throughout | nan | chance alone agrees fully; read `agreement`, which is 1 |
    | one gives one label, the other several | 0 | no agreement beyond chance |
    | a label is missing | the answer is left out | counted in `left_out` if the other annotator gave one |
    | no answer has both labels | nan | a share of nothing |

    Where one label is rare, many resamples have one label throughout; `estimate.undefined` counts them, and the
    interval is that of the others only: 19 equal labels 0 and one equal label 1 give 1 [1, 1] with 712 of 2000 left
    out. Such an interval says nothing.

    Three values on the scale 0, 0.5, 1: labels ``0 0 1 1`` and ``0 1 1 1`` give 0.5; ``0 0.5 1`` and ``0.5 0.5 1``
    give 0.5 unweighted, 0.5714 linear, 0.6667 quadratic; ``1 1`` and ``1 1`` give nan.

    Args:
        first: Labels of one annotator, one an answer; None: no label.
        second: Labels of the other, of the same answers in the same order.
        categories: The whole scale, in order.
        weights: Weight of a disagreement; for labels without an order only ``none`` makes sense.
        clusters: A label an answer, for instance its item: whole clusters are resampled. None: each answer alone.
        resamples: Resamples of the interval.
        seed: Seed of the interval.

    Raises:
        ValueError: The two differ in length, a label is not in `categories`, or `weights` is unknown.
    """
    if weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {', '.join(WEIGHTS)}, got {weights!r}")
    positions = [_positions(labels, categories) for labels in (first, second)]
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} labels; give one an answer, None where there is none")
    both = [i for i, pair in enumerate(zip(*positions, strict=True)) if None not in pair]
    left_out = sum((a is None) != (b is None) for a, b in zip(*positions, strict=True))
    if not both:
        return Kappa(_nothing(), float("nan"), 0, left_out)
    size = len(categories)
    cells = [size * (positions[0][i] or 0) + (positions[1][i] or 0) for i in both]
    estimate = bootstrap_interval(
        np.eye(size * size)[cells],
        lambda sums: _kappa_values(sums, _disagreement_weights(size, weights)),
        clusters=None if clusters is None else [clusters[i] for i in both],
        resamples=resamples,
        seed=seed,
    )
    equal = sum(positions[0][i] == positions[1][i] for i in both)
    return Kappa(estimate, equal / len(both), len(both), left_out)


def krippendorff_alpha(
    labels: Sequence[Labels],
    categories: Sequence[Label],
    *,
    level: Level = "ordinal",
    clusters: Sequence[Hashable] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> Alpha:
    """Agreement of any number of annotators, with gaps (Krippendorff 2011), by the library ``krippendorff`` 0.9.0.

    | case | value | why |
    |---|---|---|
    | one label throughout | nan | nothing shows that another would have been given |
    | an answer has one label | left out | there is nothing to compare it with |
    | no answer has two labels | nan | a share of nothing |

    Args:
        labels: Labels of each annotator, shape (annotators, answers); None: no label.
        categories: The whole scale, in order.
        level: ``ordinal`` for 0, 0.5, 1; ``nominal`` for labels without an order.
        clusters: A label an answer: whole clusters are resampled. None: each answer alone.
        resamples: Resamples of the interval.
        seed: Seed of the interval.

    Raises:
        ValueError: The annotators differ in length or a label is not in `categories`.
        ImportError: The library is not installed.
    """
    if len({len(row) for row in labels}) > 1:
        raise ValueError("the annotators have different numbers of labels; give one an answer, None where none is")
    positions = [_positions(row, categories) for row in labels]
    counts = np.array(
        [[column.count(category) for category in range(len(categories))] for column in zip(*positions, strict=True)]
    ).reshape(-1, len(categories))
    paired = [i for i, given in enumerate(counts.sum(axis=1)) if given > 1]
    left_out = int((counts.sum(axis=1) == 1).sum())
    if not paired:
        return Alpha(_nothing(), 0, left_out, 0)
    used = counts[paired]
    names = [i if clusters is None else clusters[i] for i in paired]
    codes: dict[Hashable, int] = {}
    members = np.array([codes.setdefault(name, len(codes)) for name in names])
    # How often a resample drew each cluster is all that it is: the sums of an identity matrix's rows.
    estimate = bootstrap_interval(
        np.eye(len(codes)), lambda drawn: _alphas(drawn, used, members, level), resamples=resamples, seed=seed
    )
    return Alpha(estimate, len(used), left_out, int(used.sum()))


@dataclass(frozen=True)
class Bias:
    """How much higher or lower one annotator labels than the others do.

    Attributes:
        annotator: The annotator's code.
        mean: Mean of all labels of this annotator.
        estimate: Mean of own label minus the mean of the others' labels of the same answer, -1 to 1, with its
            interval; nan where no answer is shared.
        answers: Answers that somebody else labelled too.
    """

    annotator: str
    mean: float
    estimate: Estimate
    answers: int


def annotator_bias(
    ratings: Mapping[str, Sequence[float | None]],
    *,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
) -> list[Bias]:
    """Return the bias of every annotator with a label, in the given order.

    Args:
        ratings: Labels by annotator, one an answer in one order; None: no label.
        clusters: A label an answer: whole clusters are resampled. None: each answer alone.
        resamples: Resamples of the intervals.
        seed: Seed of the intervals.
    """
    table = np.array([[np.nan if x is None else x for x in row] for row in ratings.values()], dtype=np.float64)
    biases = []
    for index, annotator in enumerate(ratings):
        own, others = table[index], np.delete(table, index, axis=0)
        if np.isnan(own).all():
            continue
        labelled = (~np.isnan(others)).sum(axis=0)
        shared = [i for i, count in enumerate(labelled) if count and not np.isnan(own[i])]
        estimate = _nothing()
        if shared:
            difference = own[shared] - np.nansum(others, axis=0)[shared] / labelled[shared]
            estimate = bootstrap_interval(
                np.column_stack([difference, np.ones(len(shared))]),
                lambda sums: sums[..., 0] / sums[..., 1],
                clusters=None if clusters is None else [clusters[i] for i in shared],
                resamples=resamples,
                seed=seed,
            )
        biases.append(Bias(annotator, float(np.nanmean(own)), estimate, len(shared)))
    return biases


def disagreement(labels: Sequence[Label]) -> float:
    """Mean distance of two annotators' labels of one answer, 0-1; 0 with fewer than two labels.

    The distance of two numbers is their difference, of two names 1 if they differ.
    """
    pairs = list(combinations(labels, 2))
    return sum(_distance(a, b) for a, b in pairs) / len(pairs) if pairs else 0.0


def _distance(first: Label, second: Label) -> float:
    if isinstance(first, str) or isinstance(second, str):
        return float(first != second)
    return abs(first - second)


def _positions(labels: Labels, categories: Sequence[Label]) -> list[int | None]:
    """Position of each label in the scale; None where there is no label."""
    order = {category: position for position, category in enumerate(categories)}
    unknown = [label for label in labels if label is not None and label not in order]
    if unknown:
        raise ValueError(f"label {unknown[0]!r} is not one of {', '.join(map(str, categories))}")
    return [None if label is None else order[label] for label in labels]


def _disagreement_weights(size: int, weights: Weights) -> NDArray[np.float64]:
    """Weight of each pair of positions, shape (size, size), 0 on the diagonal."""
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    return {"none": np.minimum(distance, 1), "linear": distance, "quadratic": distance**2}[weights]


def _kappa_values(sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Kappa of tables of counts, shape (..., size * size) -> (...)."""
    tables = sums.reshape(*sums.shape[:-1], *weights.shape)
    total = tables.sum(axis=(-2, -1))
    observed = (weights * tables).sum(axis=(-2, -1)) * total
    expected = np.einsum("...i,ij,...j", tables.sum(axis=-1), weights, tables.sum(axis=-2))
    return np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1), np.nan)


def _alphas(
    drawn: NDArray[np.float64], counts: NDArray[np.int64], members: NDArray[np.int64], level: Level
) -> NDArray[np.float64]:
    """Alpha of each resample.

    Args:
        drawn: How often each cluster was drawn, shape (..., clusters).
        counts: How many annotators gave each label to each answer, shape (answers, categories).
        members: The cluster of each answer, shape (answers,).
        level: Level of measurement.
    """
    from krippendorff import alpha

    times = np.atleast_2d(drawn)[:, members].astype(np.int64)
    values = np.full(len(times), np.nan)
    with warnings.catch_warnings():
        # 0 / 0 where one label is given throughout: nan, as documented
        warnings.simplefilter("ignore", RuntimeWarning)
        for row, repeats in enumerate(times):
            values[row] = alpha(value_counts=np.repeat(counts, repeats, axis=0), level_of_measurement=level)
    return values.reshape(drawn.shape[:-1])


def _nothing() -> Estimate:
    nan = float("nan")
    return Estimate(nan, nan, nan, nan, items=0)
