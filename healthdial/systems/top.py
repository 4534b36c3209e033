"""The filter that keeps the first candidates whatever they are."""

from __future__ import annotations

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.systems.candidates import Candidates, selection_answer
from healthdial.systems.model_string import ModelString
from hub.errors import BenchError
from metrics import lighteval_models as base


class TopModel(base.AnsweringModel):
    """Keeps the first k candidates.

    The model string is ``NAME=K``: NAME stands in the results. Run it with
    ``python -m tasks custom top-1=1 healthdial/systems/top.py "healthdial_filtering|0"``.

    Raises:
        BenchError: K is missing or no whole number from 0.
    """

    components = ("healthdial_filtering",)

    def __init__(self, config: ModelConfig) -> None:
        asked = ModelString.parse(config.model_name, model="K")
        if not (asked.model.isascii() and asked.model.isdecimal()):
            raise BenchError(f"the model string is {config.model_name!r}; it must be NAME=K, such as top-1=1")
        self._count = int(asked.model)
        super().__init__(config.model_copy(update={"model_name": asked.name}))

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the first k ids of every item."""
        return [selection_answer(Candidates.of(doc).shown[: self._count]) for doc in docs]
