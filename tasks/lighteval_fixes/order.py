"""Repairs of the order in which lighteval runs tasks: it must be the same on every process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tasks.lighteval_fixes.repair import replace


def same_task_order_on_every_process() -> None:
    """Sort the list of tasks.

    Fault (0.13.0): `Registry` passes the tasks through a `set`. With Python's random string hashes each process has
    another order, documents are sharded by position, and scores of several tasks in one run are wrong.
    """
    from lighteval.tasks.registry import Registry

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def update_task_configs(self: Any) -> Any:
            self.tasks_list = sorted(self.tasks_list)
            return original(self)

        return update_task_configs

    replace(Registry, "_update_task_configs", ("self",), make)


def same_method_order_on_every_process() -> None:
    """Sort the sampling methods of a task.

    Fault (0.13.0): a task with generative and log-probability metrics gets its methods from a `set`, so processes
    may start with different ones and wait for each other for ever.
    """
    from lighteval.tasks.lighteval_task import LightevalTask

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def init(self: Any, config: Any) -> None:
            original(self, config)
            self.sampling_methods = sorted(self.sampling_methods)

        return init

    replace(LightevalTask, "__init__", ("self", "config"), make)


REPAIRS = (same_task_order_on_every_process, same_method_order_on_every_process)
