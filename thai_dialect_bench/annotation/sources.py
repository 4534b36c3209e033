"""Read the answers that a study is made of: lighteval output folders and CSV files in the release's layout."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from metrics.lighteval_results import TaskRun, UnreadableResultsError, answer_of, read_records, task_runs
from thai_dialect_bench.annotation.study import Answer
from thai_dialect_bench.errors import ResultsError
from thai_dialect_bench.outputs import OutputFile, output_files, read_predictions
from thai_dialect_bench.schema import TASK_PREFIX, TASKS, item_name


def read_sources(sources: Iterable[Path], dialect: str) -> list[Answer]:
    """Return the answers in one dialect of every source.

    Args:
        sources: Output folders of lighteval or single ``results_*.json``; folders of CSV files in the release's
            layout or single ones, ``{task}_{variety}_0_0_{model}.csv``.
        dialect: A key of ``schema.VARIETIES``.

    Raises:
        ResultsError: A source is neither; it is named.
    """
    answers: list[Answer] = []
    for source in sources:
        answers.extend(_from_csv(source, dialect) if _has_csv(source) else _from_results(source, dialect))
    return answers


def _has_csv(source: Path) -> bool:
    return source.suffix == ".csv" or (source.is_dir() and bool(output_files(source)))


def _from_csv(source: Path, dialect: str) -> Iterator[Answer]:
    """Yield the answers of a file or of all files of a folder; items are named by their position."""
    for file in _csv_files(source):
        if file.variety != dialect:
            continue
        for index, saved in enumerate(read_predictions(file.path)):
            item = item_name(file.task, index)
            yield Answer(item, file.task, dialect, saved.prompt, file.model, saved.text, saved.place)


def _csv_files(source: Path) -> list[OutputFile]:
    if source.is_dir():
        return output_files(source)
    files = [file for file in output_files(source.parent) if file.path.name == source.name]
    if not files:
        raise ResultsError(
            f"{source}: no such file, or its name does not say what it answers; "
            "it must be as in the release: food_north_0_0_my-model.csv, summarization_east_0_0_my-model.csv, "
            "translation_eng_north_north_0_0_my-model.csv (east is Isan, north Lanna, south Dambro)"
        )
    return files


def _from_results(source: Path, dialect: str) -> Iterator[Answer]:
    """Yield the answers of lighteval runs; of a task that a model ran twice in one source, the newest run counts."""
    name = re.compile(rf"{TASK_PREFIX}({'|'.join(TASKS)}):{dialect}\|\d+")
    try:
        newest = {(run.model, run.name): run for run in task_runs(source, name)}
        for run in newest.values():
            yield from _of_run(run, dialect)
    except UnreadableResultsError as error:
        raise ResultsError(str(error)) from error


def _of_run(run: TaskRun, dialect: str) -> Iterator[Answer]:
    task = run.name.removeprefix(TASK_PREFIX).partition(":")[0]
    for record in read_records(run.details):
        try:
            doc = record["doc"]
            item, prompt = doc["specific"]["item"], doc["query"]
        except (KeyError, TypeError) as error:
            raise ResultsError(f"{run.details}: not the details of a {TASK_PREFIX}* task ({error!r})") from error
        yield Answer(item, task, dialect, prompt, run.model, answer_of(record), str(run.details))
