"""Alignment of two sequences of vectors: exact dynamic time warping, and its approximation FastDTW.

Import it inside functions: numba takes a third of a second to load and compiles the kernels on their first use.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Path = NDArray[np.int64]

_FIRST, _SECOND, _BOTH = 0, 1, 2


def exact_path(first: NDArray[np.float64], second: NDArray[np.float64]) -> Path:
    """The cheapest alignment, with Euclidean distances and steps (1, 0), (0, 1), (1, 1) of equal weight.

    Of equally cheap alignments it is one of the shortest. So cost and length do not depend on the order of the two
    sequences, and a sequence is aligned with itself along the diagonal.

    Args:
        first: Shape (n, d), n at least 1, finite.
        second: Shape (m, d), m at least 1, finite.

    Returns:
        Aligned pairs of row numbers, shape (length, 2), from (0, 0) to (n - 1, m - 1). Time and memory grow with
        n * m; memory is one byte for each pair.
    """
    rows = len(first)
    return _path(first, second, np.zeros(rows, np.int64), np.full(rows, len(second), np.int64), shortest=True)


def approximate_path(first: NDArray[np.float64], second: NDArray[np.float64], radius: int) -> Path:
    """The alignment that FastDTW finds (Salvador and Chan 2007), equal to that of the package fastdtw 0.3.4.

    Sequences of half the length (means of neighbours, an odd last row left out) are aligned first, in turn by this
    function. Their alignment, widened by `radius` rows and columns and scaled back, bounds the search. Of equally
    cheap steps into a pair the first of (1, 0), (0, 1), (1, 1) is taken.

    Args:
        first: Shape (n, d), n at least 1, finite.
        second: Shape (m, d), m at least 1, finite.
        radius: At least 1. A sequence of fewer than `radius` + 2 rows is aligned exactly.

    Returns:
        Aligned pairs of row numbers, shape (length, 2), from (0, 0) to (n - 1, m - 1). Time and memory grow with
        (n + m) * radius.
    """
    rows, columns = len(first), len(second)
    if min(rows, columns) < radius + 2:
        starts, stops = np.zeros(rows, np.int64), np.full(rows, columns, np.int64)
    else:
        starts, stops = _window(approximate_path(_halved(first), _halved(second), radius), rows, columns, radius)
    return _path(first, second, starts, stops, shortest=False)


def _halved(sequence: NDArray[np.float64]) -> NDArray[np.float64]:
    even = len(sequence) - len(sequence) % 2
    return (sequence[0:even:2] + sequence[1:even:2]) / 2


def _window(coarse: Path, rows: int, columns: int, radius: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row the first column searched and the one after the last."""
    last = int(coarse[-1, 0])
    coarse_rows = np.arange(rows) // 2
    first_pairs = np.searchsorted(coarse[:, 0], np.maximum(coarse_rows - radius, 0), side="left")
    last_pairs = np.searchsorted(coarse[:, 0], np.minimum(coarse_rows + radius, last), side="right") - 1
    starts = np.maximum(2 * (coarse[first_pairs, 1] - radius), 0)
    stops = np.minimum(2 * (coarse[last_pairs, 1] + radius + 1), columns)
    return starts, stops


def _path(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    *,
    shortest: bool,
) -> Path:
    steps = _best_steps(np.ascontiguousarray(first), np.ascontiguousarray(second.T), starts, stops, shortest)
    return np.asarray(_trace(steps, starts, len(second)))


@njit(nogil=True)
def _best_steps(first, second, starts, stops, shortest):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Best step into each pair inside the window, shape (n, widest row of the window); `second` is (d, m).

    Starts and stops must not fall from one row to the next: only then do the two buffers hold no left-over value
    where a row reads them. Index 0 of a buffer stands before the first column.
    """
    rows, (dimensions, columns) = len(first), second.shape
    steps = np.zeros((rows, np.max(stops - starts)), dtype=np.uint8)
    above, here = np.full(columns + 1, np.inf), np.full(columns + 1, np.inf)
    above_length, here_length = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    distances = np.empty(columns)
    above[0] = 0.0
    for row in range(rows):
        start, stop = starts[row], stops[row]
        distances[start:stop] = 0.0
        for dimension in range(dimensions):
            for column in range(start, stop):
                difference = first[row, dimension] - second[dimension, column]
                distances[column] += difference * difference
        here[start] = np.inf
        for column in range(start, stop):
            distance = np.sqrt(distances[column])
            step, cost, length = _FIRST, above[column + 1] + distance, above_length[column + 1]
            candidate = here[column] + distance
            if candidate < cost or (shortest and candidate == cost and here_length[column] < length):
                step, cost, length = _SECOND, candidate, here_length[column]
            candidate = above[column] + distance
            if candidate < cost or (shortest and candidate == cost and above_length[column] < length):
                step, cost, length = _BOTH, candidate, above_length[column]
            steps[row, column - start] = step
            here[column + 1], here_length[column + 1] = cost, length + 1
        above, here = here, above
        above_length, here_length = here_length, above_length
    return steps


@njit(nogil=True)
def _trace(steps, starts, columns):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Follows the best steps back from the last pair."""
    row, column = len(steps) - 1, columns - 1
    path = np.empty((row + column + 1, 2), dtype=np.int64)
    position = len(path)
    while row >= 0 and column >= 0:
        position -= 1
        path[position, 0], path[position, 1] = row, column
        step = steps[row, column - starts[row]]
        if step != _SECOND:
            row -= 1
        if step != _FIRST:
            column -= 1
    return path[position:]
