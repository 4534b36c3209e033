"""Repairs of a run as a whole: checks before the model loads, one cap, one process that scores, what to warn about."""

from __future__ import annotations

import collections
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from tasks.errors import RunError
from tasks.lighteval_fixes.processes import SCORING_SECONDS
from tasks.lighteval_fixes.repair import replace
from tasks.lighteval_fixes.response_cache import save_every
from tasks.lighteval_fixes.saving import needs_details

logger = logging.getLogger(__name__)


def score_in_one_process() -> None:
    """Make an accelerator for a custom model that runs in several processes.

    Fault (0.13.0): for custom models there is none, so that every process takes itself for the main one: all of
    them score and write. An endpoint under torchrun would be asked everything once a process.
    """
    from lighteval.pipeline import ParallelismManager, Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def init_parallelism_manager(self: Any) -> Any:
            accelerator, parallel_context = original(self)
            if int(os.environ.get("WORLD_SIZE", "1")) > 1 and accelerator is None and parallel_context is None:
                if self.launcher_type != ParallelismManager.CUSTOM:
                    raise RunError("this kind of model runs in one process; start it without torchrun")
                from accelerate import Accelerator, InitProcessGroupKwargs

                # Shares of recordings may differ by more than PyTorch's ten minutes.
                wait = InitProcessGroupKwargs(timeout=timedelta(seconds=SCORING_SECONDS))
                accelerator = Accelerator(kwargs_handlers=[wait])
            return accelerator, parallel_context

        return init_parallelism_manager

    replace(Pipeline, "_init_parallelism_manager", ("self",), make)


def check_before_the_model_loads() -> None:
    """Find out at the start what would lose the run at its end.

    Fault (0.13.0): a folder that cannot be written and documents that cannot be saved are noticed after the last
    answer. (A variable of our own is checked here too.)
    """
    from lighteval.pipeline import Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def init_parallelism_manager(self: Any) -> Any:
            save_every()
            check_writable(self.evaluation_tracker)
            if needs_details(self.evaluation_tracker):
                for task, docs in self.documents_dict.items():
                    check_storable(task, docs)
            return original(self)

        return init_parallelism_manager

    replace(Pipeline, "_init_parallelism_manager", ("self",), make)


def write_versions_and_counts() -> None:
    """Write each task's version and number of documents into the results.

    Fault (0.13.0): ``versions`` is always empty, and both numbers of documents are always -1.
    """
    from lighteval.pipeline import Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def init_tasks_and_requests(self: Any, tasks: str) -> None:
            original(self, tasks)
            tracker = self.evaluation_tracker
            for name, task in self.tasks_dict.items():
                tracker.versions_logger.log(name, task.version)
                tracker.task_config_logger.log_num_docs(name, len(task.eval_docs()), len(self.documents_dict[name]))

        return init_tasks_and_requests

    replace(Pipeline, "_init_tasks_and_requests", ("self", "tasks"), make)


def one_cap_for_all() -> None:
    """Make ``max_new_tokens`` of the model's arguments the cap of every document.

    Fault (0.13.0): some backends prefer this setting, some the task's generation size, some send both.
    """
    from lighteval.pipeline import Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def run_model(self: Any) -> Any:
            parameters = getattr(self.model.config, "generation_parameters", None)
            cap = getattr(parameters, "max_new_tokens", None)
            for doc in (doc for docs in self.sampling_docs.values() for doc in docs):
                doc.generation_size = cap or doc.generation_size
            return original(self)

        return run_model

    replace(Pipeline, "_run_model", ("self",), make)


def warn_about_cut_prompts() -> None:
    """Say which tasks had prompts that the model did not see whole.

    Fault (0.13.0): a prompt that is longer than the context loses its start, where the instruction is, without a
    word.
    """
    from lighteval.pipeline import Pipeline

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def run_model(self: Any) -> Any:
            outputs = original(self)
            if self.is_main_process():
                for method, responses in outputs.items():
                    for line in cut_prompts(self.sampling_docs[method], responses):
                        logger.warning(line)
            return outputs

        return run_model

    replace(Pipeline, "_run_model", ("self",), make)


def check_writable(tracker: Any) -> None:
    """Raise `RunError` if a tracker's output folder, one on this machine, cannot be made or written.

    Only for a moment a file is written there.
    """
    protocol = getattr(tracker.fs, "protocol", "")
    if "file" not in ((protocol,) if isinstance(protocol, str) else protocol):
        return
    probe = Path(tracker.output_dir) / f".writable-{os.getpid()}"
    try:
        probe.parent.mkdir(parents=True, exist_ok=True)
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise RunError(f"results cannot be written to {tracker.output_dir}: {error}. Choose --output-dir.") from error


def check_storable(task: str, docs: Iterable[Any]) -> None:
    """Raise `RunError` if the documents of a task do not make a table, as the details need it.

    A field, also one inside ``specific``, must have one type in all documents.
    """
    from datasets import Dataset

    try:
        Dataset.from_list([asdict(doc) for doc in docs if not doc.images])
    except (ValueError, TypeError) as error:
        raise RunError(f"the documents of {task} cannot be saved, a field has two types: {error}") from error


def cut_prompts(docs: Iterable[Any], responses: Iterable[Any]) -> list[str]:
    """Return one line for each task of which prompts were cut."""
    prompts: collections.Counter[str] = collections.Counter()
    cut: collections.defaultdict[str, list[int]] = collections.defaultdict(list)
    for doc, response in zip(docs, responses, strict=True):
        prompts[doc.task_name] += 1
        if response.truncated_tokens_count:
            cut[doc.task_name].append(response.truncated_tokens_count)
    return [
        f"{task}: {len(tokens)} of {prompts[task]} prompts were too long for the model and lost their start, "
        f"up to {max(tokens)} tokens; their answers say little about the model"
        for task, tokens in sorted(cut.items())
    ]


REPAIRS = (
    score_in_one_process,
    check_before_the_model_loads,
    write_versions_and_counts,
    one_cap_for_all,
    warn_about_cut_prompts,
)
