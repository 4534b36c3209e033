"""Read saved answers: the release's CSV files of predictions, or the details of a lighteval run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from thai_dialect_bench.errors import BenchError, ReleaseError
from thai_dialect_bench.release import read_csv, release_task
from thai_dialect_bench.schema import TASK_PREFIX, TASKS, VARIETIES

CSV_COLUMNS = ("Input", "Pred", "Gold")


@dataclass(frozen=True)
class SavedAnswer:
    """One saved answer.

    Attributes:
        prompt: The prompt it was given to.
        text: The answer.
        gold: The reference as the file has it; None where the file has none.
        place: File and row, for messages.
    """

    prompt: str
    text: str
    gold: str | None
    place: str


@dataclass(frozen=True)
class OutputFile:
    """A file of predictions in the release's layout, ``{task}_{variety}_{prompt index}_{shots}_{model}.csv``."""

    path: Path
    task: str
    variety: str
    model: str


def output_files(folder: Path) -> list[OutputFile]:
    """Return the files of predictions in a folder, sorted by name; other files are passed over."""
    prefixes = {
        f"{release_task(task, variety.name)}_{variety.release_name}_0_0_": (task, variety.name)
        for variety in VARIETIES.values()
        for task in TASKS
    }
    found = []
    for path in sorted(folder.glob("*.csv")):
        for prefix, (task, variety) in prefixes.items():
            if path.name.startswith(prefix):
                found.append(OutputFile(path, task, variety, path.name.removeprefix(prefix).removesuffix(".csv")))
    return found


def read_predictions(file: Path) -> list[SavedAnswer]:
    """Read one CSV of predictions (columns ``Input``, ``Pred``, ``Gold``; others are ignored)."""
    rows = read_csv(file)
    if rows and (missing := [column for column in CSV_COLUMNS[:2] if column not in rows[0]]):
        raise ReleaseError(
            f"{file}: no column {', '.join(missing)}; a file of predictions has {', '.join(CSV_COLUMNS)}"
        )
    return [
        SavedAnswer(row["Input"], row["Pred"], row.get("Gold"), f"{file} row {index}")
        for index, row in enumerate(rows)
    ]


def read_details(file: Path) -> list[SavedAnswer]:
    """Read the answers in a lighteval details parquet of this benchmark, in item order.

    Raises:
        BenchError: The file is no such parquet.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        records = pq.read_table(file, columns=["doc", "model_response"]).to_pylist()
        records.sort(key=lambda record: record["doc"]["specific"]["id"])
        return [
            SavedAnswer(
                record["doc"]["query"], (record["model_response"]["text"] or [""])[0], None, f"{file} row {index}"
            )
            for index, record in enumerate(records)
        ]
    except (pa.ArrowException, OSError, KeyError, TypeError) as error:
        raise BenchError(f"{file}: not the details of a task of this benchmark ({error!r})") from error


def newest_details(folder: Path) -> list[Path]:
    """Return the newest details file of every task of this benchmark in a folder of one model's results.

    Raises:
        BenchError: The folder holds details of several models.
    """
    # <out>/details/<model>/<date>/details_<task>|<shots>_<date>.parquet
    files = sorted(folder.rglob(f"details_{TASK_PREFIX}*.parquet"), key=lambda file: file.name)
    models = sorted({str(file.parent.parent) for file in files})
    if len(models) > 1:
        raise BenchError(f"{folder}: details of several models; give the folder of one: {', '.join(models)}")
    return list({file.name.rsplit("_", 1)[0]: file for file in files}.values())


def read_answers(source: Path, model: str) -> list[SavedAnswer]:
    """Read all saved answers of a model.

    Args:
        source: A CSV of predictions; a details parquet; a folder of CSV files in the release's layout, of which those
            of ``model`` are taken; or a lighteval output folder with the details of one model, of which the newest
            run of each task counts.
        model: Model name as in the release's file names.

    Raises:
        BenchError: Nothing is there; a folder of CSV files names the models that it has.
    """
    if source.is_file():
        return read_details(source) if source.suffix == ".parquet" else read_predictions(source)
    if not source.is_dir():
        raise BenchError(f"{source}: no such file or folder of saved answers")
    files = output_files(source)
    chosen = [file for file in files if file.model == model]
    if chosen:
        return [answer for file in chosen for answer in read_predictions(file.path)]
    if files:
        models = ", ".join(sorted({file.model for file in files}))
        raise BenchError(f"{source}: no outputs of model {model!r}; it has: {models}")
    details = newest_details(source)
    if not details:
        raise BenchError(
            f"{source}: neither CSV files named as in the release (food_north_0_0_my-model.csv, "
            "translation_eng_north_north_0_0_my-model.csv) nor lighteval details parquets are in it"
        )
    return [answer for file in details for answer in read_details(file)]


def match_answers(prompts: Sequence[str], answers: Iterable[SavedAnswer]) -> list[str]:
    """Return the saved answer to each prompt, matched by the prompt's text.

    Items with the same prompt (Dambro's food items 3 and 5) take the answers in file order, if there are as many
    answers as items.

    Raises:
        BenchError: A prompt has no answer, or more or fewer than there are items with it; the message quotes it.
    """
    by_prompt: dict[str, list[SavedAnswer]] = defaultdict(list)
    for answer in answers:
        by_prompt[answer.prompt].append(answer)
    positions: dict[str, list[int]] = defaultdict(list)
    for position, prompt in enumerate(prompts):
        positions[prompt].append(position)
    matched = [""] * len(prompts)
    for prompt, indices in positions.items():
        found = by_prompt.get(prompt, [])
        if len(found) != len(indices):
            places = "; ".join(answer.place for answer in found) or "nowhere"
            raise BenchError(
                f"{len(found)} saved answers for {len(indices)} item(s) with the prompt {_quoted(prompt)} "
                f"(found: {places}). Each item needs exactly one; {_advice(prompt, by_prompt)}"
            )
        for index, answer in zip(indices, found, strict=True):
            matched[index] = answer.text
    return matched


def _advice(prompt: str, by_prompt: Mapping[str, Sequence[SavedAnswer]]) -> str:
    """Return what to do about a prompt without its one answer."""
    folded = " ".join(prompt.split())
    if prompt not in by_prompt and any(" ".join(other.split()) == folded for other in by_prompt):
        return "the prompt is there with other white space or line ends: save the file with the prompts as they were."
    return "run only the tasks that the files answer, on the data that they were made with."


def _quoted(prompt: str, length: int = 120) -> str:
    """Return the beginning and end of a prompt in quotes, on one line."""
    text = " ".join(prompt.split())
    return f"'{text}'" if len(text) <= length else f"'{text[: length // 2]} ... {text[-length // 2 :]}'"
