"""Repair of how lighteval loads a data set with recordings: without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tasks.lighteval_fixes.repair import replace


def load_without_audio() -> None:
    """Leave columns with audio out of what is loaded.

    Fault (0.13.0): every column of every split is copied into the cache and every row decoded, which takes gigabytes,
    needs torchcodec, and puts samples into documents that only need the id of their row.
    """
    from lighteval.tasks.lighteval_task import LightevalTask

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def download_dataset_worker(task: Any) -> Any:
            columns = columns_without_audio(task.dataset_path, task.dataset_config_name, task.dataset_revision)
            if columns is None:
                return original(task)
            from datasets import load_dataset

            return load_dataset(
                task.dataset_path, task.dataset_config_name, revision=task.dataset_revision, columns=columns
            )

        return download_dataset_worker

    replace(LightevalTask, "download_dataset_worker", ("task",), make)
    # It is called on instances too.
    worker = LightevalTask.download_dataset_worker
    LightevalTask.download_dataset_worker = staticmethod(worker)  # type: ignore[method-assign]


def columns_without_audio(path: str, config: str | None, revision: str | None) -> list[str] | None:
    """Return the columns of a config but those with audio; None where there are none with audio."""
    from datasets import Audio, load_dataset_builder

    features = load_dataset_builder(path, config, revision=revision).info.features
    if features is None or not any(isinstance(feature, Audio) for feature in features.values()):
        return None
    return [name for name, feature in features.items() if not isinstance(feature, Audio)]


REPAIRS = (load_without_audio,)
