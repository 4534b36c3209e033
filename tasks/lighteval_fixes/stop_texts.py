"""Repair of where answers end: at the task's stop texts, with every backend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from metrics.reasoning import without_reasoning
from tasks.checks import DATA_SETS
from tasks.lighteval_fixes.repair import replace


def before(stops: Sequence[str], text: str) -> str:
    """Return the text up to the first of the stop texts."""
    for stop in filter(None, stops):
        text = text.split(stop)[0]
    return text


def end_answers_at_stop_texts() -> None:
    """Score an answer up to the first of its document's stop texts.

    Fault (0.13.0): a model with a chat template gets no stop texts, some endpoints refuse or ignore them and custom
    models need not look at them, so that an answer that goes on with an example of its own is scored whole. Applies
    to this project's tasks only; the whole answer stays in the details (``text``). Reasoning is taken off first.
    """
    from lighteval.pipeline import Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def post_process_outputs(self: Any, sampling_method_responses: dict[Any, Any]) -> None:
            original(self, sampling_method_responses)
            for method, responses in sampling_method_responses.items():
                end_answers(self.sampling_docs[method], responses)

        return post_process_outputs

    replace(Pipeline, "_post_process_outputs", ("self", "sampling_method_responses"), make)


def end_answers(docs: Iterable[Any], responses: Iterable[Any]) -> None:
    """Set what is scored of each answer to this project's documents: the text before the first stop text."""
    prefixes = tuple(data_set.prefix for data_set in DATA_SETS)
    for doc, response in zip(docs, responses, strict=True):
        if not doc.stop_sequences or not doc.task_name.startswith(prefixes):
            continue
        answers = [before(doc.stop_sequences, without_reasoning(text or "")) for text in response.final_text]
        if answers != response.final_text:
            response.text_post_processed = answers


REPAIRS = (end_answers_at_stop_texts,)
