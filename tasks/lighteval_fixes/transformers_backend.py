"""Repairs of generation with transformers: the whole prompt, one cap, and how each answer ended."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from metrics.lighteval import ModelAnswer
from tasks.lighteval_fixes.repair import replace
from tasks.lighteval_fixes.stop_texts import before

logger = logging.getLogger(__name__)


def effective_cap(prompt_tokens: int, cap: int | None, context: int) -> int | None:
    """Return how many tokens an answer may have: the cap, or less where the context ends before; at least 1."""
    return None if cap is None else max(1, min(cap, context - prompt_tokens))


def prompt_tokens_cut(prompt_tokens: int, context: int) -> int:
    """Return how many tokens of a prompt are lost; at least 1 for a prompt that fills the context exactly.

    Such a prompt is whole, but leaves no room for an answer; lighteval generates one token.
    """
    return max(prompt_tokens - context, 1) if prompt_tokens >= context else 0


def stop_token_ids(tokenizer: Any, generation_config: Any = None) -> frozenset[int]:
    """Return the tokens that end an answer: the tokenizer's and those of the model's generation config."""
    found: set[int] = set()
    for ids in (tokenizer.eos_token_id, getattr(generation_config, "eos_token_id", None)):
        found.update(ids if isinstance(ids, list | tuple) else [] if ids is None else [ids])
    return frozenset(found)


def answer_tokens(tokens: Sequence[int], stops: frozenset[int]) -> tuple[list[int], bool]:
    """Return the tokens of an answer up to its stop token, and whether it has one.

    Generated rows are padded with the end-of-sequence token to the longest of their batch.
    """
    for position, token in enumerate(tokens):
        if token in stops:
            return list(tokens[: position + 1]), True
    return list(tokens), False


def keep_prompts_whole() -> None:
    """Cut a prompt only where the model's context ends, count what was cut, and give each answer its own cap.

    Faults (0.13.0): with ``generation_parameters={max_new_tokens:N}`` the prompt is cut to N tokens from the left,
    and the task's generation size is used all the same. Prompts are sorted by characters and cut to the tokens of
    the first plus the generation size, which can cut a text of fewer characters and more tokens (Thai beside
    English). `truncated_tokens_count` compares characters with tokens. A long prompt that leaves little room also
    shortens the other answers of its batch.

    Remedy: the limit is the model's context; documents are grouped by the cap that their own prompt leaves them.
    """
    from lighteval.models.transformers.transformers_model import TransformersModel

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def padded_greedy_until(self: Any, docs: list[Any]) -> list[Any]:
            lengths = [_prompt_tokens(self, doc) for doc in docs]
            own_cap = self.config.generation_parameters.max_new_tokens
            caps = [
                effective_cap(length, own_cap or doc.generation_size, self.max_length)
                for length, doc in zip(lengths, docs, strict=True)
            ]
            needed = (
                min(self.max_length, length + (cap if cap is not None else self.max_length))
                for length, cap in zip(lengths, caps, strict=True)
            )
            longest = max(needed, default=self.max_length)
            with _generation_sizes(docs, caps), _prompt_limit(self, self.max_length, longest):
                responses = original(self, docs)
            for response, length in zip(responses, lengths, strict=True):
                response.truncated_tokens_count = prompt_tokens_cut(length, self.max_length)
            return responses

        return padded_greedy_until

    replace(TransformersModel, "_padded_greedy_until", ("self", "docs"), make)


def tell_how_answers_ended() -> None:
    """Stop at every end token of the model, and say of each answer whether it ended by itself.

    Faults (0.13.0): only the tokenizer's end token stops generation, not those that the model's own generation
    config adds (Gemma's end of turn), so that such a model writes on up to the cap. Nothing tells an answer that
    was cut by the cap. Tokens are returned with the padding of their batch, so that details depend on the batch.
    """
    from lighteval.models.transformers.transformers_model import TransformersModel

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def generate_padded(
            self: Any,
            batch: Any,
            max_new_tokens: int,
            stop_tokens: list[str],
            returns_logits: bool | None = False,
            num_samples: int = 1,
        ) -> list[Any]:
            stops = stop_token_ids(self.tokenizer, getattr(self.model, "generation_config", None))
            with _all_stop_tokens(self.model, stops):
                responses = original(self, batch, max_new_tokens, stop_tokens, returns_logits, num_samples)
            return [_settled(self, response, stops, max_new_tokens, stop_tokens) for response in responses]

        return generate_padded

    replace(
        TransformersModel,
        "_generate_padded",
        ("self", "batch", "max_new_tokens", "stop_tokens", "returns_logits", "num_samples"),
        make,
    )


def choose_batch_size() -> None:
    """Take batch size 1 on a CPU where none is given, and search no larger batch than needed elsewhere.

    Faults (0.13.0): without ``batch_size`` a forward pass of 512 times the longest input is tried first, which on a
    CPU runs for minutes or takes all memory. The search starts again from 512 in every call.
    """
    from lighteval.models.transformers.transformers_model import TransformersModel

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def get_batch_size(
            self: Any, max_input_length: int, override_bs: int | None, starting_batch_size: int = 512
        ) -> int:
            import torch

            if override_bs is not None:
                return override_bs
            if torch.device(self.device).type == "cpu":
                if not getattr(self, "_told_batch_size", False):
                    logger.warning("no batch_size given: 1 on a CPU; set batch_size=... in the model's arguments")
                    self._told_batch_size = True
                return 1
            length = min(max_input_length, getattr(self, "_longest_sequence", None) or max_input_length)
            found_for, found = getattr(self, "_found_batch_size", (0, starting_batch_size))
            if length <= found_for:
                starting_batch_size = min(starting_batch_size, 2 * found)
            size: int = original(self, length, None, starting_batch_size)
            self._found_batch_size = (length, size)
            return size

        return get_batch_size

    replace(
        TransformersModel,
        "_get_batch_size",
        ("self", "max_input_length", "override_bs", "starting_batch_size"),
        make,
    )


def _prompt_tokens(model: Any, doc: Any) -> int:
    prompt = model.prompt_manager.prepare_prompt(doc)
    return len(model.tokenizer(prompt, add_special_tokens=model.add_special_tokens)["input_ids"])


@contextmanager
def _generation_sizes(docs: Sequence[Any], sizes: Sequence[int | None]) -> Iterator[None]:
    """Let documents have other generation sizes for a while: lighteval batches those of one size together."""
    before = [doc.generation_size for doc in docs]
    try:
        for doc, size in zip(docs, sizes, strict=True):
            doc.generation_size = size
        yield
    finally:
        for doc, size in zip(docs, before, strict=True):
            doc.generation_size = size


@contextmanager
def _prompt_limit(model: Any, tokens: int, longest: int) -> Iterator[None]:
    """Make ``tokens`` the length to which prompts are cut, ``longest`` the one for which a batch size is searched.

    `TransformersModel` takes the setting ``max_new_tokens`` for both, and for nothing else: generation itself gets
    the documents' generation size.
    """
    before = model.generation_config_dict
    model.generation_config_dict = {**before, "max_new_tokens": tokens}
    model._longest_sequence = longest
    try:
        yield
    finally:
        model.generation_config_dict = before
        model._longest_sequence = None


@contextmanager
def _all_stop_tokens(model: Any, stops: frozenset[int]) -> Iterator[None]:
    """Let `generate` stop at all the given tokens instead of the one that lighteval passes."""
    generate, is_own = model.generate, "generate" in vars(model)

    def generate_with_all_stops(*args: Any, **settings: Any) -> Any:
        return generate(*args, **{**settings, "eos_token_id": sorted(stops) or None})

    model.generate = generate_with_all_stops
    try:
        yield
    finally:
        if is_own:
            model.generate = generate
        else:
            del model.generate


def _settled(model: Any, response: Any, stops: frozenset[int], cap: int, stop_texts: Sequence[str]) -> ModelAnswer:
    """Return a response without the padding of its batch, and with the reason why each of its answers ended."""
    texts, rows, reasons = [], [], []
    for text, generated in zip(response.text, response.output_tokens, strict=True):
        tokens, stopped = answer_tokens([int(token) for token in generated], stops)
        if stopped and model.tok_decode([tokens[-1:]])[0]:
            # The stop token is no special token of the tokenizer, so that it stands in the text.
            text = before(stop_texts, model.tok_decode([tokens[:-1]])[0])
        elif not stopped and len(tokens) >= cap:
            whole = model.tok_decode([tokens])[0]
            stopped = before(stop_texts, whole) != whole
        texts.append(text)
        rows.append(tokens)
        reasons.append("stop" if stopped or len(tokens) < cap else "length")
    return ModelAnswer.of(
        response,
        text=texts,
        output_tokens=rows,
        input_tokens=[int(token) for token in response.input_tokens[response.padded_tokens_count :]],
        padded_tokens_count=0,
        finish_reasons=reasons,
    )


REPAIRS = (keep_prompts_whole, tell_how_answers_ended, choose_batch_size)
