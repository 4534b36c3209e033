"""The floor of response generation: the first sentence of the first snippet given, a refusal without one."""

from __future__ import annotations

import json

from lighteval.tasks.requests import Doc

from healthdial.systems.replies import lead_reply
from metrics import lighteval_models as base


class SnippetLeadModel(base.AnsweringModel):
    """Reads no dialogue, so it refuses greetings and thanks too, which come without snippets.

    Run it with ``python -m tasks custom snippet-lead healthdial/systems/snippet_lead.py
    "healthdial_response_generation|0"``.
    """

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the reply of every document."""
        given = [base.specific(doc) for doc in docs]
        return [lead_reply(json.loads(one["snippets"]), one["language"]) for one in given]
