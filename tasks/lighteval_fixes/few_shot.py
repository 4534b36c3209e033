"""Repair of how lighteval draws few-shot examples: too few of them is an error of one line."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

from tasks.errors import RunError
from tasks.lighteval_fixes.repair import replace
from thai_dialect_bench.schema import SAMPLE_ORIGIN

logger = logging.getLogger(__name__)


def enough_examples() -> None:
    """Compare the number of examples that is asked for with the split that they come from.

    Fault (0.13.0): a split with too few gives a bare ``Sample larger than population``, a missing one a KeyError;
    selections that don't sample take what there is, so that ``|10`` in the results may mean 3.
    """
    from lighteval.tasks.prompt_manager import FewShotSampler

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def sample_fewshot_examples(
            self: Any, num_fewshot: int, variance_seed: int, sampler: Any = None, formatted_doc: Any = None
        ) -> Any:
            drawn = check_examples(self, num_fewshot) if num_fewshot else 0
            return original(self, drawn, variance_seed, sampler, formatted_doc)

        return sample_fewshot_examples

    replace(
        FewShotSampler,
        "sample_fewshot_examples",
        ("self", "num_fewshot", "variance_seed", "sampler", "formatted_doc"),
        make,
    )


def check_examples(sampler: Any, asked: int) -> int:
    """Return how many examples are drawn: as many as are asked for, of a bundled sample at most what it has.

    Args:
        sampler: lighteval's `FewShotSampler`.
        asked: Number of examples, not 0.

    Raises:
        RunError: There are fewer, or the split is missing.
    """
    task = sampler.task
    where = f"split {task.fewshot_split or '+'.join(task.evaluation_split)} of {task.dataset_config_name}"
    if asked < 0:
        raise RunError(f"{task.name}|{asked}: the number of few-shot examples cannot be negative")
    try:
        documents = task.fewshot_docs()
    except KeyError as error:
        if error.args != (task.fewshot_split,):
            raise
        raise RunError(f"{task.name}|{asked}: there is no {where} to take few-shot examples from. Use |0.") from error
    selection = sampler.few_shots_select.value
    # From the evaluation split one more is drawn, in case the document itself is among them.
    spare = int(selection.with_sampling and not selection.fewshotpool_unique)
    there = max(0, len(documents) - spare)
    if asked <= there:
        return asked
    if there and _are_of_a_sample(documents):
        _warn_once(f"{task.name}|{asked}: {where} of the SAMPLE has only {there} few-shot examples; all are shown")
        return there
    raise RunError(f"{task.name}|{asked}: {where} has only {len(documents)} few-shot examples. Use |{there} or fewer.")


def _are_of_a_sample(documents: list[Any]) -> bool:
    """Return whether a data set is the bundled sample, whose scores are marked and compared with nothing."""
    return all((document.specific or {}).get("origin") == SAMPLE_ORIGIN for document in documents)


@functools.lru_cache
def _warn_once(text: str) -> None:
    logger.warning(text)


REPAIRS = (enough_examples,)
