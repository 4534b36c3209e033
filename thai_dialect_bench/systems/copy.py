"""The `copy` baseline as a lighteval model: answers with the input itself."""

from __future__ import annotations

from lighteval.tasks.requests import Doc

from metrics import lighteval_models as base
from thai_dialect_bench.baselines import copy_answer
from thai_dialect_bench.schema import ALL_TASKS, TASK_PREFIX


class CopyModel(base.AnsweringModel):
    """Run it with ``python -m tasks custom copy thai_dialect_bench/systems/copy.py TASKS``."""

    components = tuple(TASK_PREFIX + task for task in ALL_TASKS)

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the question of a QA item, else the input text."""
        return [copy_answer(base.specific(doc)) for doc in docs]
