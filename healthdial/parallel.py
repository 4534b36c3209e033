"""Run independent tasks on all cores, results in order, few tasks in flight so that memory stays flat."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

TASKS_AHEAD = 2
"""Tasks in flight for each worker: enough to keep it busy, few enough to hold little in memory."""


def default_workers() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_tasks(
    function: Callable[[Task], Result], tasks: Sequence[Task], workers: int
) -> Iterator[tuple[Task, Result]]:
    """Yield (task, result) in the order of the tasks.

    The workers are threads: reading, hashing, FLAC, gzip and Parquet run outside of Python's lock, and processes took
    twice the memory and half a second each to start. After an error the tasks that run are finished, no other starts.

    Args:
        function: What to do with a task.
        tasks: Its arguments.
        workers: Threads; 1 runs in the caller's.

    Raises:
        Exception: What ``function`` raises, when its task's turn comes.
    """
    if workers <= 1 or len(tasks) <= 1:
        for task in tasks:
            yield task, function(task)
        return
    pool = ThreadPoolExecutor(min(workers, len(tasks)))
    waiting: deque[tuple[Task, Future[Result]]] = deque()
    try:
        for task in tasks:
            waiting.append((task, pool.submit(function, task)))
            if len(waiting) >= TASKS_AHEAD * workers:
                yield _finished(waiting)
        while waiting:
            yield _finished(waiting)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _finished(waiting: deque[tuple[Task, Future[Result]]]) -> tuple[Task, Result]:
    """Return the oldest task with its result, when it is there."""
    task, future = waiting.popleft()
    return task, future.result()
