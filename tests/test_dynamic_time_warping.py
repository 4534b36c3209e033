"""Alignments, against the enumeration of all of them and against the package fastdtw."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from metrics.dynamic_time_warping import approximate_path, exact_path

Array = NDArray[np.float64]
KINDS = ("noise", "walk", "integers")


def sequences(kind: str, seed: int, longest: int) -> tuple[Array, Array]:
    """Two sequences of vectors; those of integers have many equally cheap alignments."""
    generator = np.random.default_rng(seed)
    lengths = generator.integers(1, longest + 1, size=2)
    first, second = (generator.normal(size=(length, 3)) for length in lengths)
    if kind == "walk":
        return first.cumsum(axis=0), second.cumsum(axis=0)
    return (first.round(), second.round()) if kind == "integers" else (first, second)


def cost(first: Array, second: Array, path: NDArray[np.int64]) -> float:
    return float(np.linalg.norm(first[path[:, 0]] - second[path[:, 1]], axis=1).sum())


def all_paths(rows: int, columns: int) -> Iterator[list[tuple[int, int]]]:
    """Every alignment, from the last pair back."""
    if rows == columns == 1:
        yield [(0, 0)]
    for row, column in ((rows - 1, columns), (rows, columns - 1), (rows - 1, columns - 1)):
        if row >= 1 and column >= 1:
            yield from ([*path, (rows - 1, columns - 1)] for path in all_paths(row, column))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_exact_path_is_the_cheapest_and_of_these_the_shortest(kind: str, seed: int) -> None:
    first, second = sequences(kind, seed, longest=5)
    path = exact_path(first, second)
    costs = [(cost(first, second, np.array(other)), len(other)) for other in all_paths(len(first), len(second))]
    cheapest = min(value for value, _ in costs)
    assert cost(first, second, path) == pytest.approx(cheapest, abs=1e-12)
    assert len(path) == min(length for value, length in costs if value < cheapest + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("radius", [1, 3, 10])
def test_paths_step_by_one_from_end_to_end(kind: str, radius: int) -> None:
    first, second = sequences(kind, seed=radius, longest=90)
    for path in (exact_path(first, second), approximate_path(first, second, radius)):
        assert path[0].tolist() == [0, 0]
        assert path[-1].tolist() == [len(first) - 1, len(second) - 1]
        assert {tuple(after - before) for before, after in pairwise(path)} <= {(1, 0), (0, 1), (1, 1)}


@pytest.mark.parametrize("kind", KINDS)
def test_exact_cost_and_length_do_not_depend_on_the_order(kind: str) -> None:
    first, second = sequences(kind, seed=4, longest=80)
    path, swapped = exact_path(first, second), exact_path(second, first)
    assert len(path) == len(swapped)
    assert cost(first, second, path) == pytest.approx(cost(second, first, swapped), rel=1e-14)


def test_a_sequence_is_aligned_with_itself_along_the_diagonal() -> None:
    sequence = np.zeros((7, 2))
    assert exact_path(sequence, sequence).tolist() == [[n, n] for n in range(7)]


def test_approximation_is_exact_where_the_radius_covers_all() -> None:
    first, second = sequences("walk", seed=2, longest=60)
    approximate = approximate_path(first, second, radius=60)
    assert cost(first, second, approximate) == pytest.approx(cost(first, second, exact_path(first, second)))


def test_approximation_costs_more_where_the_radius_is_small() -> None:
    """A detour that is invisible at half the rate: without this case an exact path would pass for FastDTW's."""
    generator = np.random.default_rng(0)
    first, second = generator.normal(size=(200, 1)), generator.normal(size=(200, 1))
    exact = cost(first, second, exact_path(first, second))
    assert cost(first, second, approximate_path(first, second, 1)) > exact + 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_approximation_equals_fastdtw(kind: str, seed: int) -> None:
    reason = "fastdtw 0.3.4 is not installed (it comes with mel-cepstral-distance): its alignments are not compared"
    fastdtw = pytest.importorskip("fastdtw.fastdtw", reason=reason).fastdtw
    first, second = sequences(kind, seed, longest=120)
    for radius in (1, 4, 10):
        expected = fastdtw(first, second, radius=radius, dist=lambda a, b: np.linalg.norm(a - b))[1]
        assert approximate_path(first, second, radius).tolist() == [list(pair) for pair in expected]
