"""Models of transformers with all their weights: none that transformers drew by chance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from hub.errors import BenchError

ONLY_IN_TRAINING = re.compile(r"(^|\.)(masked_spec_embed|num_batches_tracked)$")
"""Weights that no answer depends on: SpecAugment's mask, and how often a batch norm was updated."""
POOLER = re.compile(r"^pooler\.")
"""BERT's layer over the first position; what reads the outputs of all positions does not use it."""


@contextmanager
def whole_checkpoints(model: str, *, unused: re.Pattern[str] = ONLY_IN_TRAINING) -> Iterator[None]:
    """Refuse models that are loaded within from a checkpoint that lacks weights.

    transformers (5.24) fills in random ones and logs a warning; the authors' SpeechT5 had nothing else. Tied weights,
    and those that a model's class says may be absent, count as there. The pipelines of transformers and
    sentence-transformers load models themselves and keep no report, so the report is taken where all are loaded:
    ``PreTrainedModel.from_pretrained``, which is replaced within.

    Args:
        model: Folder or Hub id, for the message.
        unused: What is found in names of weights that nothing uses; ``ONLY_IN_TRAINING`` is always allowed.

    Raises:
        BenchError: Weights are absent, or of another shape than the model's.
    """
    from transformers import PreTrainedModel

    absent: set[str] = set()
    original = PreTrainedModel.__dict__["from_pretrained"]

    def reported(cls: type, *args: Any, output_loading_info: bool = False, **settings: Any) -> Any:
        loaded, report = original.__func__(cls, *args, output_loading_info=True, **settings)
        absent.update(report["missing_keys"], (name for name, *_ in report["mismatched_keys"]))
        return (loaded, report) if output_loading_info else loaded

    setattr(PreTrainedModel, original.__func__.__name__, classmethod(reported))
    try:
        yield
    finally:
        setattr(PreTrainedModel, original.__func__.__name__, original)
    require_weights(model, (name for name in absent if not ONLY_IN_TRAINING.search(name) and not unused.search(name)))


def require_weights(model: str, absent: Iterable[str]) -> None:
    """Refuse a model some of whose weights are absent.

    Args:
        model: Folder or Hub id, for the message.
        absent: Names of the weights that are needed and not in the checkpoint.

    Raises:
        BenchError: There are some.
    """
    random = sorted(absent)
    if random:
        raise BenchError(
            f"{model}: {len(random)} weights are not in the checkpoint and would be random: "
            f"{', '.join(random[:3])}; take a complete checkpoint"
        )
