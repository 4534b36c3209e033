"""The majority baseline: answers each turn with the label that most turns of its language's training split have."""

from __future__ import annotations

from functools import lru_cache

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.schema import RETRIEVAL_LABELS, data_location
from healthdial.systems.model_string import ModelString
from hub.location import DataLocation
from metrics import lighteval_models as base


class MajorityModel(base.AnsweringModel):
    """Run with ``python -m tasks custom majority healthdial/systems/majority.py "healthdial_turn_classification|0"``.

    Of two equally frequent labels it gives yes, as the majority baseline of ``metrics.classification``; that one
    counts the labels of the test split, this one has not seen them.

    Raises:
        BenchError: The model string is not a name alone.
    """

    components = ("healthdial_turn_classification",)

    def __init__(self, config: ModelConfig) -> None:
        ModelString.parse(config.model_name, model="")
        super().__init__(config)

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return `` yes`` or `` no`` for every turn."""
        location = data_location()
        return [" yes" if majority_label(location, base.specific(doc)["language"]) else " no" for doc in docs]


@lru_cache(maxsize=4)
def majority_label(location: DataLocation, language: str) -> bool:
    """Return whether most turns of a language's training split need retrieval."""
    rows = BuiltData(location).rows(f"turn_classification_{language}", "train")
    needed = sum(row["label"] == RETRIEVAL_LABELS[1] for row in rows)
    return 2 * needed >= len(rows)
