"""What a row is: varieties, tasks, configs, columns and where the built data set lies."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hub.fingerprint import fingerprint
from hub.location import DataLocation, find_location, require_built

if TYPE_CHECKING:
    from datasets import Features

VERSION = "1.0.0"
"""Version of the data set's layout; a card and a signature carry it."""

PACKAGE_FOLDER = Path(__file__).resolve().parent
DATA_VARIABLE = "THAI_DIALECT_BENCH_DATA"
MAX_NEW_TOKENS_VARIABLE = "THAI_DIALECT_BENCH_MAX_NEW_TOKENS"
SPLIT = "test"
TASK_PREFIX = "thai_dialect_"
"""First part of the names of lighteval's tasks."""
SAMPLE_ORIGIN = "sample"
"""Value of the column ``origin`` for the bundled sample, whose scores are compared with nothing."""


@dataclass(frozen=True)
class Variety:
    """A variety of Thai in the benchmark.

    Attributes:
        name: Our name, also the config name.
        release_name: The authors' name for it.
        language: ISO 639-3 code.
        title: English name for people.
    """

    name: str
    release_name: str
    language: str
    title: str


VARIETIES: dict[str, Variety] = {
    variety.name: variety
    for variety in (
        Variety("central", "center", "tha", "Central Thai"),
        Variety("isan", "east", "tts", "Isan"),
        Variety("lanna", "north", "nod", "Lanna"),
        Variety("dambro", "south", "sou", "Dambro"),
    )
}
DIALECTS = tuple(name for name in VARIETIES if name != "central")
ENGLISH = "eng"

Script = Literal["thai", "latin"]


@dataclass(frozen=True)
class Task:
    """A task of the benchmark.

    Attributes:
        name: Our name, the value of the column ``task``.
        title: Column title in tables, as in the paper's Table 1 where it has one.
        items: Rows per variety in the authors' release.
        metric: Name of the metric that Table 1 prints, or None where the task has no references.
        script: Script in which an answer is expected.
        template: Key of the prompt template in the release.
    """

    name: str
    title: str
    items: int
    metric: str | None
    script: Script
    template: str


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("qa", "QA", 20, "rouge_l", "thai", "qa"),
        Task("summarization", "Summarization", 20, "rouge_l", "thai", "summarization"),
        Task("translation_from_english", "E-L", 20, "bleu", "thai", "translation"),
        Task("translation_to_english", "L-E", 20, "bleu", "latin", "translation"),
        Task("food", "Food", 10, None, "thai", "food"),
        Task("conversation", "Conversation", 10, None, "thai", "conversation"),
    )
}
QA_V1 = Task("qa_v1", "QA v1", 20, "rouge_l", "thai", "qa")
"""The older QA set: Central Thai text in every variety, only the instruction differs."""

DIALECT_ANSWERS = ("summarization", "translation_from_english", "food", "conversation")
"""Tasks whose answers show whether a model has the dialect; not QA, whose answers are copied from a passage in it."""

ALL_TASKS: dict[str, Task] = {**TASKS, QA_V1.name: QA_V1}
CONFIGS = (*VARIETIES, "parallel", QA_V1.name)


@dataclass(frozen=True)
class Row:
    """One item of one variety, as it stands in the configs of the varieties and in ``qa_v1``.

    Texts are the release's, byte for byte. A field that the task does not have is an empty string.

    Attributes:
        id: Unique over the data set, e.g. ``lanna-qa-07``.
        item: The same in all varieties, e.g. ``qa-07``: rows are aligned by position.
        variety: ``central``, ``isan``, ``lanna`` or ``dambro``.
        task: A key of ``ALL_TASKS``.
        source_language: ISO 639-3 code of the text that the model is given.
        target_language: ISO 639-3 code of the answer that is asked for.
        prompt: The whole prompt, one user turn.
        input: Source text, article or topic.
        context: QA passage.
        question: QA question.
        reference: The gold answer as released; None where the release has none.
        has_reference: False where ``reference`` is missing or a placeholder.
        central_reference: The reference of the same item in Central Thai.
        origin: ``release@<commit>``, ``modified@<fingerprint>`` or ``sample``.
        note: Known defects of the row, in words.
    """

    id: str
    item: str
    variety: str
    task: str
    source_language: str
    target_language: str
    prompt: str
    input: str
    context: str
    question: str
    reference: str | None
    has_reference: bool
    central_reference: str | None
    origin: str
    note: str

    def fingerprint(self) -> str:
        """Return the SHA-256 of what is scored: prompt and reference; notes and origin may change freely."""
        return row_fingerprint(asdict(self))


FINGERPRINTED_COLUMNS = ("id", "prompt", "reference", "has_reference")


def row_fingerprint(row: dict[str, Any]) -> str:
    """Return the SHA-256 (64 hex digits) of the columns of a row that decide its score."""
    return fingerprint({column: row[column] for column in FINGERPRINTED_COLUMNS})


def item_name(task: str, index: int) -> str:
    """Return the name of an item, e.g. ``qa-07`` for index 7 (0-based position in the release)."""
    return f"{task}-{index:02d}"


PARALLEL_TEXTS = ("reference", "input", "question", "context")


def row_features() -> Features:
    """Return the ``datasets`` features of the variety configs and of ``qa_v1``, in column order."""
    from datasets import Features, Value

    kinds = {name: "bool" if name == "has_reference" else "string" for name in Row.__dataclass_fields__}
    return Features({name: Value(kind) for name, kind in kinds.items()})


def parallel_features() -> Features:
    """Return the ``datasets`` features of the config ``parallel``: one item a row, the varieties side by side."""
    from datasets import Features, Value

    columns = ["item", "task"]
    columns += [f"{text}_{variety}" for text in PARALLEL_TEXTS for variety in VARIETIES]
    return Features({**{name: Value("string") for name in columns}, "origin": Value("string")})


def data_location(value: str | None = None) -> DataLocation:
    """Return where the data set is read from.

    Args:
        value: A folder or ``org/name[@revision]``; default: the variable ``THAI_DIALECT_BENCH_DATA``, else this
            package's own folder, where ``thai-dialect-bench build`` writes.
    """
    return find_location(value, DATA_VARIABLE, PACKAGE_FOLDER)


def check_built(location: DataLocation) -> None:
    """Raise ``DataNotBuiltError`` with the command to run if a local location holds no built data set."""
    command = "`thai-dialect-bench build --release <folder, zip, tar or URL>` (or `--sample` for a first look)"
    require_built(location, DATA_VARIABLE, command)
