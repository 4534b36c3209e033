"""How a repair replaces a function of lighteval: only if it looks as expected, and never twice."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

LIGHTEVAL_VERSION = "0.13.0"
"""The version of lighteval whose source the repairs were written against."""


ANSWERS_VERSION = 1
"""Raised whenever a change of a repair can change a model's answers; part of the answer cache's keys."""


class RepairNotPossibleError(Exception):
    """lighteval does not have the function that a repair replaces, or it takes other arguments."""


def find(owner: Any, name: str, parameters: tuple[str, ...]) -> Callable[..., Any]:
    """Return a function of lighteval after checking its parameters.

    Args:
        owner: Class or module.
        name: Name of the function in it.
        parameters: Names of its parameters, all of them, in order.

    Raises:
        RepairNotPossibleError: If there is no such function or it takes other parameters.
    """
    where = f"{getattr(owner, '__module__', '')}.{owner.__name__}".strip(".")
    function = getattr(owner, name, None)
    if not callable(function):
        raise RepairNotPossibleError(f"{where} has no function {name}")
    found = tuple(inspect.signature(function).parameters)
    if found != parameters:
        raise RepairNotPossibleError(f"{where}.{name} takes {found}, not {parameters}")
    return function


def replace(
    owner: Any,
    name: str,
    parameters: tuple[str, ...],
    make: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> None:
    """Replace a function of lighteval by one that is made from it.

    Args:
        owner: Class or module.
        name: Name of the function in it.
        parameters: Names of its parameters as expected.
        make: Gets the original function, returns its replacement.

    Raises:
        RepairNotPossibleError: If there is no such function or it takes other parameters.
    """
    original = find(owner, name, parameters)
    setattr(owner, name, functools.wraps(original)(make(original)))
