"""Repairs of lighteval 0.13.0: each is one small function that names the fault; `apply` does them all, once."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from importlib.metadata import version

from tasks.lighteval_fixes.repair import LIGHTEVAL_VERSION, RepairNotPossibleError

logger = logging.getLogger(__name__)


@functools.cache
def apply() -> tuple[str, ...]:
    """Apply every repair; a second call does nothing.

    With another version of lighteval a warning says so, and a repair is applied only where the function that it
    replaces still exists and takes the same arguments.

    Returns:
        What could not be repaired, one line each; empty with lighteval 0.13.0.
    """
    from tasks.lighteval_fixes import (
        audio_columns,
        custom_models,
        few_shot,
        litellm_backend,
        offline,
        order,
        pipeline,
        response_cache,
        saving,
        stop_texts,
        transformers_backend,
        vllm_backend,
    )

    offline.prepare_import(uses_litellm=True)
    installed = version("lighteval")
    if installed != LIGHTEVAL_VERSION:
        logger.warning(
            f"lighteval {installed} is installed; its repairs are for {LIGHTEVAL_VERSION}. Install "
            f"lighteval=={LIGHTEVAL_VERSION} to be sure of the scores."
        )
    # The backends first: the response cache wraps what they leave behind.
    modules = (
        order,
        transformers_backend,
        vllm_backend,
        litellm_backend,
        response_cache,
        pipeline,
        custom_models,
        stop_texts,
        saving,
        audio_columns,
        few_shot,
    )
    failures = [_failure(repair) for module in modules for repair in module.REPAIRS]
    for failure in filter(None, failures):
        logger.error(f"lighteval {installed} was not repaired, {failure}")
    return tuple(filter(None, failures))


def _failure(repair: Callable[[], None]) -> str | None:
    """Apply a repair; return why that was not possible, or None."""
    try:
        repair()
    except RepairNotPossibleError as error:
        return f"{repair.__name__}: {error}"
    return None
