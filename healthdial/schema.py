"""What a row is: configs, columns and splits of the built data set, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from healthdial.audio import AUDIO_STATUSES, SAMPLE_RATE
from healthdial.languages import LANGUAGES
from healthdial.speakers import AGE_GROUPS, EDUCATION_LEVELS, GENDERS
from hub.location import DataLocation, find_location, require_built

if TYPE_CHECKING:
    from datasets import Features

VERSION = "1.0.0"
"""Version of the data set's layout; a card and a signature carry it."""

PACKAGE_FOLDER = Path(__file__).resolve().parent
DATA_VARIABLE = "HEALTHDIAL_DATA"
TASK_PREFIX = "healthdial_"
"""First part of the names of lighteval's tasks."""
DEFAULT_CONFIG = "user_turns_eng"
SAMPLE_ORIGIN = "sample"
"""Origin of the bundled sample, whose scores are compared with nothing."""

SPLITS = ("train", "validation", "test")
CORPUS_SPLIT = "corpus"
SPEAKERS_SPLIT = "speakers"

SNIPPET_TYPES = ("fact_sheet", "qa_pair")
VOICE_SOURCES = ("human", "synthetic")
RETRIEVAL_LABELS = ("no_retrieval", "retrieval")

AUDIO_CONFIGS = ("user_turns", "system_turns")
"""Configs with audio; they and ``TEXT_CONFIGS`` are followed by ``_<language>`` in their names."""
TEXT_CONFIGS = ("dialogues", "snippets", "turn_classification", "retrieval", "filtering")
SHARED_CONFIGS = ("parallel_turns", "snippets_parallel", "speakers")

AUDIO_ROW_GROUP = 50
"""Rows in a row group with audio: at most 192 MB of 120 s clips, under the viewer's 300 MB."""
TEXT_ROW_GROUP = 1000


def config_names(languages: tuple[str, ...]) -> list[str]:
    """Return the names of all configs of a build with these languages, in the card's order."""
    own = [f"{config}_{language}" for config in (*AUDIO_CONFIGS, *TEXT_CONFIGS) for language in languages]
    return own + list(SHARED_CONFIGS)


def features_of(config: str) -> Features:
    """Return the ``datasets`` features of a config, in column order.

    Args:
        config: A name as ``config_names`` gives them.
    """
    from datasets import Features

    return Features({name: _feature(kind) for name, kind in columns_of(config).items()})


def columns_of(config: str) -> dict[str, Any]:
    """Return the columns of a config: name -> type name, tuple of class names, list or record of these."""
    base, _, last = config.rpartition("_")
    return _COLUMNS[base if last in LANGUAGES else config]


def _feature(kind: Any) -> Any:
    """Return the ``datasets`` feature of a column kind: a type name, a tuple of class names, a list or a record."""
    from datasets import Audio, ClassLabel, List, Value

    if kind == "audio":
        return Audio(SAMPLE_RATE, num_channels=1)
    if isinstance(kind, tuple):
        return ClassLabel(names=list(kind))
    if isinstance(kind, list):
        return List(_feature(kind[0]))
    if isinstance(kind, dict):
        return {name: _feature(inner) for name, inner in kind.items()}
    return Value(kind)


_PLACE = {
    "utterance_id": "string",
    "dialogue_id": "string",
    "dialogue_number": "int32",
    "language": "string",
    "turn_index": "int32",
}
_LABELS = {"needs_retrieval": "bool", "out_of_knowledge": "bool"}
_GOLD = {"gold_snippet_ids": ["string"], "gold_parallel_ids": ["string"]}
_DEMOGRAPHICS = {
    "gender": GENDERS,
    "age_group": AGE_GROUPS,
    "education": EDUCATION_LEVELS,
    "language_variety": "string",
}
_RECORDING = {
    "duration_s": "float32",
    "voice_source": VOICE_SOURCES,
    "audio_sha256": "string",
    "audio_status": AUDIO_STATUSES,
}
_QUERY = {"query_id": "string", "query": "string"}
_QUERY_PLACE = {name: kind for name, kind in _PLACE.items() if name != "utterance_id"}

_COLUMNS: dict[str, dict[str, Any]] = {
    "user_turns": {
        "audio": "audio",
        "transcription": "string",
        "asr_whisper1": "string",
        "generated_alternative": "string",
        "prompt": "string",
        **_PLACE,
        "user_turn": "int32",
        "previous_system_text": "string",
        **_LABELS,
        **_GOLD,
        "speaker_id": "string",
        **_DEMOGRAPHICS,
        **_RECORDING,
    },
    "system_turns": {
        "audio": "audio",
        "text": "string",
        **_PLACE,
        "system_turn": "int32",
        **_LABELS,
        **_GOLD,
        **_RECORDING,
    },
    "dialogues": {
        "dialogue_id": "string",
        "dialogue_number": "int32",
        "language": "string",
        "speaker_id": "string",
        "topic": "string",
        "has_ook": "bool",
        "n_user_turns": "int32",
        "turns": [
            {
                "role": "string",
                "text": "string",
                "generated_alternative": "string",
                "prompt": "string",
                **_LABELS,
                "gold_snippet_ids": ["string"],
                "utterance_id": "string",
            }
        ],
    },
    "snippets": {
        "snippet_id": "string",
        "topic": "string",
        "title": "string",
        "content": "string",
        "parallel_id": "string",
        "is_parallel": "bool",
        "language": "string",
        "type": SNIPPET_TYPES,
        "url": "string",
        "crawl_date": "string",
        "licence": "string",
    },
    "turn_classification": {
        "text": "string",
        "label": RETRIEVAL_LABELS,
        "is_opening": "bool",
        **_PLACE,
    },
    "retrieval": {**_QUERY, **_GOLD, "out_of_knowledge": "bool", **_QUERY_PLACE},
    "filtering": {
        **_QUERY,
        "candidate_ids": ["string"],
        "candidate_scores": ["float32"],
        **_GOLD,
        "out_of_knowledge": "bool",
        **_QUERY_PLACE,
    },
    "parallel_turns": {
        "dialogue_number": "int32",
        "turn_index": "int32",
        "role": "string",
        **{f"text_{language}": "string" for language in LANGUAGES},
        **_LABELS,
        "gold_parallel_ids": ["string"],
        **{f"generated_{language}": "string" for language in LANGUAGES},
        **{f"utterance_id_{language}": "string" for language in LANGUAGES},
    },
    "snippets_parallel": {
        "parallel_id": "string",
        **{
            f"{field}_{language}": "string"
            for field in ("title", "content", "topic", "snippet_id")
            for language in LANGUAGES
        },
    },
    "speakers": {
        "speaker_id": "string",
        "language": "string",
        **_DEMOGRAPHICS,
        "dialogues": "int32",
        "user_turns": "int32",
        "hours": "float32",
    },
}


def data_location(value: str | None = None) -> DataLocation:
    """Return where the data set is read from.

    Args:
        value: A folder or ``org/name[@revision]``; default: the variable ``HEALTHDIAL_DATA``, else this package's own
            folder, where ``healthdial build`` writes.
    """
    return find_location(value, DATA_VARIABLE, PACKAGE_FOLDER)


def check_built(location: DataLocation) -> None:
    """Raise ``DataNotBuiltError`` with the command to run if a local location holds no built data set."""
    command = "`healthdial build --release <folder or org/name>` (or `--sample` for a first look)"
    require_built(location, DATA_VARIABLE, command)


@dataclass(frozen=True)
class BuiltSplit:
    """One split of one config on disk.

    Attributes:
        name: Name of the split.
        files: Parquet files relative to the data set's folder, with forward slashes, in row order.
        rows: Number of rows.
        file_bytes: Size of the files.
        table_bytes: Size of the Arrow tables in memory.
    """

    name: str
    files: tuple[str, ...]
    rows: int
    file_bytes: int
    table_bytes: int


@dataclass(frozen=True)
class BuiltConfig:
    """One config on disk.

    Attributes:
        name: Name of the config.
        splits: Its splits that have rows, in order.
        features: Column types in the card's YAML form.
    """

    name: str
    splits: tuple[BuiltSplit, ...]
    features: Any

    @property
    def rows(self) -> int:
        """Rows of all splits."""
        return sum(split.rows for split in self.splits)
