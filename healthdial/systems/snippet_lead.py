"""The floor of response generation: the first sentence of the first snippet, or a fixed reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.systems.model_string import ModelString
from healthdial.systems.replies import floor_reply
from metrics import lighteval_models as base


class SnippetLeadModel(base.AnsweringModel):
    """Replies as ``respond:lead`` of the pipeline does where its classifier is right: see `floor_reply`.

    It reads no dialogue: whether a turn needs knowledge is the label, that there is gold or none can be.

    Run it with ``python -m tasks custom snippet-lead healthdial/systems/snippet_lead.py
    "healthdial_response_generation|0"``.

    Raises:
        BenchError: The model string is not a name alone.
    """

    components = ("healthdial_response_generation",)

    def __init__(self, config: ModelConfig) -> None:
        ModelString.parse(config.model_name, model="")
        super().__init__(config)

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the reply of every document."""
        return [_reply(base.specific(doc)) for doc in docs]


def _reply(given: Mapping[str, Any]) -> str:
    needs_retrieval = bool(json.loads(given["gold"])) or given["out_of_knowledge"] == "true"
    return floor_reply(json.loads(given["snippets"]), given["language"], needs_retrieval=needs_retrieval)
