"""Repair of lighteval's answer cache: keyed by content, safe with several processes, saved while the run goes on."""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any

from metrics.lighteval import ModelAnswer
from tasks.errors import RunError
from tasks.lighteval_fixes.answer_store import AnswerStore, store_folder
from tasks.lighteval_fixes.fingerprints import digest, document_key, model_description
from tasks.lighteval_fixes.processes import from_main_process, is_main_process
from tasks.lighteval_fixes.repair import RepairNotPossibleError, find, replace

logger = logging.getLogger(__name__)

SAVE_EVERY_VARIABLE = "THAI_DIALECT_BENCH_SAVE_EVERY"
DEFAULT_SAVE_EVERY = 100

_METHODS = {"greedy_until": "GENERATIVE", "loglikelihood": "LOGPROBS", "loglikelihood_rolling": "PERPLEXITY"}


def save_every() -> int:
    """Return after how many documents answers are saved.

    Raises:
        RunError: If ``THAI_DIALECT_BENCH_SAVE_EVERY`` is not a positive whole number.
    """
    text = os.environ.get(SAVE_EVERY_VARIABLE, str(DEFAULT_SAVE_EVERY))
    if not text.isdecimal() or int(text) < 1:
        raise RunError(f"{SAVE_EVERY_VARIABLE} must be a positive whole number (default 100), not {text!r}")
    return int(text)


def open_store(model: Any) -> AnswerStore | None:
    """Return the answers that earlier runs of a model left, or None (with a warning) where they cannot be written."""
    config = model._cache.model_config
    return opened_store(config, model_description(config, model))


def opened_store(config: Any, description: Mapping[str, Any], process: int = 0) -> AnswerStore | None:
    """Return the store of a model that is described so, or None (with a warning) where it cannot be written.

    Args:
        config: lighteval's configuration of the model.
        description: All that answers depend on besides the document.
        process: Number of the process that writes.
    """
    folder = store_folder(config.cache_dir, config.model_name or "", digest(description))
    try:
        store = AnswerStore(folder, description, process)
    except OSError as error:
        logger.warning(
            f"answers are not saved, a killed run starts again from nothing: {error}. "
            "Choose another folder with cache_dir=... in the model's arguments."
        )
        return None
    logger.info(f"answers are saved in {store.file}")
    return store


def answer_documents(
    model: Any, function: Callable[..., Any], docs: Sequence[Any], method: str, *args: Any, **kwargs: Any
) -> list[Any]:
    """Return the answers to documents: those of earlier runs, and new ones, saved chunk by chunk.

    The main process alone reads and writes the store and says which documents are missing, so that processes never
    disagree. Documents with the same key are asked once. The result does not depend on what was in the store: new
    answers pass through the same plain form as stored ones.
    """
    store = open_store(model) if is_main_process() else None
    model._cache.is_kept = store is not None
    # An image is no part of a key: such a document is known by its position, and is not stored.
    keys: list[str | int] = [at if doc.images else document_key(doc, method) for at, doc in enumerate(docs)]
    known: dict[str | int, dict[str, Any]] = from_main_process(store.select(keys) if store is not None else {})
    missing: dict[str | int, Any] = {}
    for key, doc in zip(keys, docs, strict=True):
        if key not in known:
            missing.setdefault(key, doc)
    if known and is_main_process():
        logger.info(f"{len(docs) - len(missing)} of {len(docs)} answers were kept from an earlier run")
    for chunk in _chunks(missing, save_every()):
        responses = function(model, list(chunk.values()), *args, **kwargs)
        answers = {key: plain(response) for key, response in zip(chunk, responses, strict=True)}
        known.update(answers)
        if store is not None:
            store.try_append({key: answer for key, answer in answers.items() if isinstance(key, str)})
    return [restored(known[key]) for key in keys]


def plain(response: Any) -> dict[str, Any]:
    """Return a response as JSON types; tensors and arrays become lists."""
    return {field.name: _plain(getattr(response, field.name)) for field in fields(response)}


def restored(answer: dict[str, Any]) -> Any:
    """Return a response made of its plain form."""
    from lighteval.models.model_output import ModelResponse

    return ModelAnswer(**answer) if "finish_reasons" in answer else ModelResponse(**answer)


def keep_answers() -> None:
    """Replace lighteval's cache of answers.

    Fault (0.13.0): the key of an answer is the name of the prompt function with the configuration, not the prompt,
    the data or the weights, so that old answers come back after any of these changed. All processes write the same
    Parquet file. Nothing is saved before the last document. With a path as model name the cache goes into the
    model's own folder.
    """
    from lighteval.utils import cache_management

    def make_init(original: Callable[..., Any]) -> Callable[..., Any]:
        def init(self: Any, model_config: Any) -> None:
            self.model_config = model_config
            self.registry = None

        return init

    find(cache_management, "cached", ("sampling_method",))
    replace(cache_management.SampleCache, "__init__", ("self", "model_config"), make_init)
    lighteval_file = cache_management.__file__
    for model in _model_classes():
        for name, method in _METHODS.items():
            function: Any = vars(model).get(name)
            code = getattr(function, "__code__", None)
            if code is None or code.co_filename != lighteval_file:
                continue
            if not hasattr(function, "__wrapped__"):
                raise RepairNotPossibleError(f"{model.__name__}.{name} does not tell what it wraps")
            setattr(model, name, cached(method)(function.__wrapped__))
    replace(cache_management, "cached", ("sampling_method",), lambda _: cached)


def cached(sampling_method: Any = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that keeps a method's answers; takes the place of lighteval's.

    Args:
        sampling_method: lighteval's `SamplingMethod` or its name.
    """
    method = getattr(sampling_method, "name", sampling_method)

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):
            return function

        @wraps(function)
        def answer(self: Any, docs: Any, *args: Any, **kwargs: Any) -> Any:
            docs = docs if isinstance(docs, list) else [docs]
            if getattr(self, "_cache", None) is None:
                return function(self, docs, *args, **kwargs)
            return answer_documents(self, function, docs, method, *args, **kwargs)

        return answer

    return decorator


def _chunks(missing: dict[str | int, Any], size: int) -> Iterator[dict[str | int, Any]]:
    """Yield documents in chunks: those with the same settings together, the longest first, as lighteval has them."""

    def order(item: tuple[Any, Any]) -> tuple[Any, ...]:
        doc = item[1]
        settings = (doc.num_samples, bool(doc.use_logits), tuple(doc.stop_sequences or ()), doc.generation_size or 0)
        return (*settings, -len(doc.query))

    ordered = sorted(missing.items(), key=order)
    for start in range(0, len(ordered), size):
        yield dict(ordered[start : start + size])


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _model_classes() -> Iterator[type]:
    """Yield lighteval's base class of models and every class that is made from it so far."""
    from lighteval.models.abstract_model import LightevalModel

    # Unlike the pipeline's loader, this module names all backends.
    import lighteval.models.model_loader  # noqa: F401  isort: skip

    classes: list[type] = [LightevalModel]
    while classes:
        model = classes.pop()
        yield model
        classes.extend(model.__subclasses__())


REPAIRS = (keep_answers,)
