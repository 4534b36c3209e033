"""Repairs of runs of custom models: errors of one line, kept answers, what Ctrl-C leaves, the mark of the sample."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from metrics import lighteval_models as base
from tasks.checks import DATA_SETS
from tasks.errors import InterruptedRunError, RunError
from tasks.lighteval_fixes.kept_answers import keeper_of
from tasks.lighteval_fixes.repair import replace
from tasks.systems import check_components, systems_there

SAMPLE = "sample"
"""Value of ``origin`` in documents of a bundled sample."""


def load_custom_models() -> None:
    """Check a custom model's file and tasks before it loads, and keep its answers if it is one of ours.

    Faults (0.13.0): a file without a model gives a bare ValueError. A model answers tasks that are not its own and is
    scored. Its answers are lost when the run is stopped.
    """
    from lighteval.models.custom.custom_model import CustomModelConfig
    from lighteval.pipeline import Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def init_model(self: Any, model_config: Any, model: Any) -> Any:
            if model is not None or not isinstance(model_config, CustomModelConfig):
                return original(self, model_config, model)
            file = model_config.model_definition_file_path
            kind = model_class(file)
            check_components(Path(file).stem, getattr(kind, "components", None), list(self.tasks_dict))
            loaded = kind(model_config)
            if isinstance(loaded, base.AnsweringModel):
                docs = (doc for own in self.documents_dict.values() for doc in own)
                loaded.keeper = keeper_of(loaded, model_config, docs)
            return original(self, None, loaded)

        return init_model

    replace(Pipeline, "_init_model", ("self", "model_config", "model"), make)


def tell_what_an_interrupted_run_keeps() -> None:
    """Say after Ctrl-C whether the same command goes on or starts again.

    Fault (0.13.0): typer makes a quiet exit of it.
    """
    from lighteval.pipeline import Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def evaluate(self: Any) -> None:
            try:
                original(self)
            except KeyboardInterrupt as interruption:
                raise InterruptedRunError(what_is_kept(self.model)) from interruption

        return evaluate

    replace(Pipeline, "evaluate", ("self",), make)


def mark_the_sample() -> None:
    """Say before and after the table which of its scores are on a bundled sample.

    The table is lighteval's, and looks the same for a sample of a few dialogues as for the benchmark.
    """
    from lighteval.pipeline import Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def show_results(self: Any) -> None:
            line = sample_line(doc for docs in self.documents_dict.values() for doc in docs)
            is_shown = line is not None and self.is_main_process()
            if is_shown:
                print(line)
            original(self)
            if is_shown:
                print(line)

        return show_results

    replace(Pipeline, "show_results", ("self",), make)


def model_class(file: str) -> type:
    """Return the model that a file defines: the first subclass of `LightevalModel` by name, as in lighteval.

    lighteval takes an abstract one too, so that a file that only imports our base class ends in a TypeError.

    Raises:
        RunError: It defines none.
    """
    from lighteval.models.abstract_model import LightevalModel

    spec = importlib.util.spec_from_file_location("custom_model_module", file)
    if spec is None or spec.loader is None:
        raise RunError(f"{file}: no Python file; there are {systems_there()}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in dir(module):
        found = getattr(module, name)
        if isinstance(found, type) and issubclass(found, LightevalModel) and not inspect.isabstract(found):
            return found
    raise RunError(f"{file}: defines no model (a subclass of LightevalModel); there are {systems_there()}")


def what_is_kept(model: Any) -> str:
    """Return what an interrupted run of a model leaves, as a sentence."""
    if isinstance(model, base.AnsweringModel):
        kept = "Finished answers" if model.keeper is not None else model.kept_otherwise
    else:
        kept = "Finished answers" if getattr(model._cache, "is_kept", False) else ""
    if kept:
        return f"{kept} are kept: the same command goes on from there."
    return "Answers of this model are not kept: the same command starts from the beginning."


def sample_line(docs: Iterable[Any]) -> str | None:
    """Return a line that names the tasks on a bundled sample; None if there are none."""
    prefixes = tuple(data_set.prefix for data_set in DATA_SETS)
    own = (doc for doc in docs if doc.task_name.startswith(prefixes))
    tasks = sorted({doc.task_name for doc in own if (doc.specific or {}).get("origin") == SAMPLE})
    if not tasks:
        return None
    return f"SAMPLE: {', '.join(tasks)}: on the bundled sample, which is not the benchmark; comparable with nothing"


REPAIRS = (load_custom_models, tell_what_an_interrupted_run_keeps, mark_the_sample)
