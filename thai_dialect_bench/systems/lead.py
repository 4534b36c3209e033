"""The `lead` baseline as a lighteval model: leading sentences, or the passage sentence nearest to the question."""

from __future__ import annotations

from lighteval.tasks.requests import Doc

from metrics import lighteval_models as base
from thai_dialect_bench.baselines import lead_answer
from thai_dialect_bench.schema import ALL_TASKS, TASK_PREFIX


class LeadModel(base.AnsweringModel):
    """Run it with ``python -m tasks custom lead thai_dialect_bench/systems/lead.py TASKS``."""

    components = tuple(TASK_PREFIX + task for task in ALL_TASKS)

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return an extract of the passage (QA) or of the input (all other tasks)."""
        return [lead_answer(base.specific(doc)) for doc in docs]
