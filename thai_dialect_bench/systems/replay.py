"""The `replay` model: gives saved answers, so that outputs made elsewhere are scored by the same tasks."""

from __future__ import annotations

import os
from pathlib import Path

from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from metrics import lighteval_models as base
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.outputs import match_answers, read_answers


class ReplayModel(base.AnsweringModel):
    """Answers from files, matched by prompt text.

    The model string is ``NAME=SOURCE``: NAME stands in the results (and picks the files of a release folder), SOURCE
    is what ``outputs.read_answers`` takes, or several of them with ``:`` between (as in PATH). Run it with
    ``python -m tasks custom "gpt-4o-2024-05-13=outputs_local" thai_dialect_bench/systems/replay.py TASKS``.

    Raises:
        BenchError: The model string has no source, or a prompt has no answer or too many.
    """

    def __init__(self, config: ModelConfig) -> None:
        name, separator, source = config.model_name.partition("=")
        if not separator or not name or not source:
            raise BenchError(f"replay: the model string is {config.model_name!r}, it must be NAME=FILE_OR_FOLDER")
        # lighteval's own file names hold the separator.
        parts = [source] if Path(source).expanduser().exists() else source.split(os.pathsep)
        self._sources = [Path(part).expanduser() for part in parts]
        super().__init__(config.model_copy(update={"model_name": name}))

    def answers(self, docs: list[Doc]) -> list[str]:
        """Return the saved answer of every document."""
        saved = [answer for source in self._sources for answer in read_answers(source, self.config.model_name)]
        # lighteval shuffles documents; answers to equal prompts stand in the files in item order.
        order = sorted(range(len(docs)), key=lambda index: base.specific(docs[index])["id"])
        matched = match_answers([docs[index].query for index in order], saved)
        texts = dict(zip(order, matched, strict=True))
        return [texts[index] for index in range(len(docs))]
