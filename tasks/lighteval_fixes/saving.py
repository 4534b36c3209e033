"""Repairs of what lighteval writes: nothing half-written, nothing lost, no secrets, honest averages."""

from __future__ import annotations

import collections
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any

from metrics.lighteval import prompt_tokens_cut
from tasks.errors import RunError
from tasks.lighteval_fixes.fingerprints import without_secrets
from tasks.lighteval_fixes.repair import replace

logger = logging.getLogger(__name__)


class WholeFiles:
    """A file system of fsspec on which a file appears under its name only when it is complete.

    Args:
        files: The file system.
    """

    PARTIAL = ".partial"

    def __init__(self, files: Any) -> None:
        self._files = files

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)

    @contextmanager
    def open(self, path: Any, mode: str = "rb", **settings: Any) -> Iterator[Any]:
        """Open a file; one that is written gets its name at the end, and is removed if writing fails."""
        if "w" not in mode:
            with self._files.open(str(path), mode, **settings) as stream:
                yield stream
            return
        partial = f"{path}{self.PARTIAL}"
        try:
            with self._files.open(partial, mode, **settings) as stream:
                yield stream
        except BaseException as error:
            if self._files.exists(partial):
                self._files.rm_file(partial)
            if isinstance(error, OSError) and error.filename is None:
                error.filename = str(path)
            raise
        self._files.mv(partial, str(path))


def needs_details(tracker: Any) -> bool:
    """Return whether a tracker's run writes its details anywhere."""
    return bool(tracker.should_save_details or tracker.should_push_to_hub or tracker.use_wandb)


def details_table(details: list[Any]) -> Any:
    """Return the details of a task as a `datasets.Dataset`, columns sorted, as lighteval writes them."""
    from datasets import Dataset

    table = Dataset.from_list([asdict(detail) for detail in details])
    return table.select_columns(sorted(name for name in table.column_names if name != "id"))


def save_results_first() -> None:
    """Write the scores before the details, each file whole or not at all.

    Fault (0.13.0): the tables of details are made first, so that one value of another type, or a full disk, loses
    scores and details of the whole run.
    """
    from lighteval.logging.evaluation_tracker import EvaluationTracker

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def save(self: Any) -> None:
            date = datetime.now().isoformat().replace(":", "-")
            results = self.results
            if not isinstance(self.fs, WholeFiles):
                self.fs = WholeFiles(self.fs)
            try:
                self.save_results(date, results)
            except OSError as error:
                raise RunError(f"the results could not be written: {error}. {_KEPT}") from error
            tables = {}
            if needs_details(self):
                tables = _save_details(self, date)
            if self.should_push_to_hub:
                self.push_to_hub(date_id=date, details=tables, results_dict=results)
            if self.use_wandb:
                self.push_to_wandb(results_dict=results, details_datasets=tables)
            if self.should_push_results_to_tensorboard:
                self.push_to_tensorboard(
                    results=self.metrics_logger.metric_aggregated, details=self.details_logger.compiled_details
                )

        return save

    replace(EvaluationTracker, "save", ("self",), make)


def write_no_secrets() -> None:
    """Keep keys and passwords out of the results file.

    Fault (0.13.0): the whole configuration of the model is written, ``api_key`` with it.
    """
    from lighteval.logging.info_loggers import GeneralConfigLogger

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def log_model_info(self: Any, model_config: Any) -> None:
            if model_config is not None:
                model_config = model_config.model_copy(update=without_secrets(_shallow(model_config)))
            original(self, model_config)

        return log_model_info

    replace(GeneralConfigLogger, "log_model_info", ("self", "model_config"), make)


def average_what_all_have() -> None:
    """Average a metric over the subsets of a task only where each has it.

    Fault (0.13.0): a metric that a subset lacks counts as 0 in ``_average``, and the 0 is written into the subset's
    own results. (An average's ``_stderr`` is the mean of the subsets' errors: an upper bound, not an estimate.)
    """
    from lighteval.logging.info_loggers import MetricsLogger

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def aggregate(self: Any, task_dict: dict[str, Any], bootstrap_iters: int = 1000) -> None:
            self.metric_aggregated = collections.defaultdict(_Scores, self.metric_aggregated)
            original(self, task_dict, bootstrap_iters)
            for name, scores in self.metric_aggregated.items():
                if ":_average|" in name:
                    # Only a metric that a subset lacks is not equal to itself here.
                    self.metric_aggregated[name] = {key: value for key, value in scores.items() if value == value}

        return aggregate

    replace(MetricsLogger, "aggregate", ("self", "task_dict", "bootstrap_iters"), make)


def count_cut_prompts() -> None:
    """Write into the results how many prompts of each task were cut.

    Fault (0.13.0): ``truncated`` and ``non_truncated`` of ``summary_tasks`` are always 0.
    """
    from lighteval.logging.info_loggers import DetailsLogger

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def aggregate(self: Any) -> None:
            original(self)
            for task, details in self.details.items():
                cut = [prompt_tokens_cut(each.model_response) for each in details]
                self.compiled_details[task].non_truncated = cut.count(0)
                self.compiled_details[task].truncated = len(cut) - cut.count(0) - cut.count(None)

        return aggregate

    replace(DetailsLogger, "aggregate", ("self",), make)


class _Scores(dict[str, float]):
    """The scores of a task; one that it lacks is nan, and is not added."""

    def __missing__(self, metric: str) -> float:
        return float("nan")


_KEPT = "Free or change the place and run the same command again; it takes what the answer cache has."


def _save_details(tracker: Any, date: str) -> dict[str, Any]:
    """Write the details, one file a task; a task whose details are no table does not keep those of the others."""
    from datasets.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    made = {task: _table_or_problem(details) for task, details in tracker.details_logger.details.items()}
    tables = {task: table for task, table in made.items() if not isinstance(table, Exception)}
    problems = [f"details_{task}_{date}.parquet: {made[task]}" for task in made if task not in tables]
    silent = are_progress_bars_disabled()
    disable_progress_bars()
    try:
        if tracker.should_save_details:
            tracker.save_details(date, tables)
    except OSError as error:
        problems.append(str(error))
    finally:
        if not silent:
            enable_progress_bars()
    if problems:
        raise RunError(f"the results are saved, these details are not: {'; '.join(problems)}. {_KEPT}")
    return tables


def _table_or_problem(details: list[Any]) -> Any:
    try:
        return details_table(details)
    except (ValueError, TypeError) as error:
        # The errors of Arrow are of these types.
        return error


def _shallow(config: Any) -> dict[str, Any]:
    return {name: getattr(config, name) for name in type(config).model_fields}


REPAIRS = (save_results_first, write_no_secrets, average_what_all_have, count_cut_prompts)
