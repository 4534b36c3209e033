"""Tasks on all cores: results in order, few in flight, errors when their turn comes."""

from __future__ import annotations

import threading
import time

import pytest

from healthdial.parallel import TASKS_AHEAD, run_tasks


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_the_order_of_the_tasks(workers: int) -> None:
    def slow_if_small(number: int) -> int:
        time.sleep(0.01 if number < 3 else 0)
        return number * number

    assert list(run_tasks(slow_if_small, range(12), workers)) == [(number, number**2) for number in range(12)]


def test_no_tasks() -> None:
    assert list(run_tasks(abs, [], 2)) == []


def test_few_tasks_are_in_flight() -> None:
    started: list[int] = []
    results = run_tasks(started.append, range(100), 2)
    next(results)
    time.sleep(0.05)
    assert len(started) <= 2 * TASKS_AHEAD
    results.close()


def test_workers_work_side_by_side() -> None:
    meeting = threading.Barrier(2, timeout=30)
    assert len(list(run_tasks(lambda _: meeting.wait(), range(2), 2))) == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_in_turn_and_starts_nothing_more(workers: int) -> None:
    started: list[int] = []

    def fail_at_two(number: int) -> int:
        started.append(number)
        if number == 2:
            raise OSError("no room")
        return number

    finished = []
    with pytest.raises(OSError, match="no room"):
        finished += [task for task, _ in run_tasks(fail_at_two, range(50), workers)]
    assert len(started) <= 3 + TASKS_AHEAD * workers
