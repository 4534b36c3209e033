"""Repair of generation with vLLM: count what is cut from a prompt, say how each answer ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metrics.lighteval import ModelAnswer
from tasks.lighteval_fixes.repair import replace
from tasks.lighteval_fixes.transformers_backend import stop_token_ids


def tell_how_vllm_answers_ended() -> None:
    """Compare each prompt with what was sent, and each answer with its cap.

    Faults (0.13.0): all prompts of a run are cut to the room that the first leaves, and none is counted. Nothing
    tells an answer that was cut by the cap. Read in the source, not run: vLLM does not install here.
    """
    from lighteval.models.vllm.vllm_model import VLLMModel

    if not hasattr(VLLMModel, "_greedy_until"):
        return  # vLLM is not installed, and lighteval has put a placeholder here.

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def greedy_until(self: Any, docs: list[Any]) -> list[Any]:
            return [told(self, doc, response) for doc, response in zip(docs, original(self, docs), strict=True)]

        return greedy_until

    replace(VLLMModel, "_greedy_until", ("self", "docs"), make)


def told(model: Any, doc: Any, response: Any) -> ModelAnswer:
    """Return vLLM's response with the tokens cut from its prompt and the reason why each of its answers ended."""
    prompt = model.prompt_manager.prepare_prompt(doc)
    tokens = len(model.tokenizer(prompt, add_special_tokens=model.add_special_tokens)["input_ids"])
    cap = model.config.generation_parameters.max_new_tokens or doc.generation_size
    stops = stop_token_ids(model.tokenizer)
    rows = [list(row) for row in response.output_tokens]
    reasons = ["length" if cap and len(row) >= cap and row[-1] not in stops else "stop" for row in rows]
    return ModelAnswer.of(
        response,
        output_tokens=rows,
        truncated_tokens_count=max(0, tokens - len(response.input_tokens)),
        finish_reasons=reasons,
    )


REPAIRS = (tell_how_vllm_answers_ended,)
