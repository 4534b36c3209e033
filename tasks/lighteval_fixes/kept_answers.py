"""The answers of our own custom models, kept by everything that they depend on: a stopped run goes on from there."""

from __future__ import annotations

import hashlib
import logging
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from healthdial.schema import PACKAGE_FOLDER
from hub.location import DataLocation
from tasks.checks import DATA_SETS
from tasks.lighteval_fixes.answer_store import AnswerStore
from tasks.lighteval_fixes.fingerprints import digest, document_key, file_fingerprint, model_description
from tasks.lighteval_fixes.processes import from_main_process, is_main_process, process_number
from tasks.lighteval_fixes.response_cache import opened_store, save_every

logger = logging.getLogger(__name__)

_PACKAGES = (
    *("torch", "accelerate", "tokenizers", "sentence-transformers", "faster-whisper", "ctranslate2"),
    *("numpy", "soundfile", "soxr", "jieba", "rank-bm25"),
)
_SOURCES = tuple(PACKAGE_FOLDER.parent / name for name in ("healthdial", "hub", "metrics"))
"""Packages whose code may decide on an answer."""


@dataclass(frozen=True)
class KeptAnswers:
    """The answers of a model in this process (`metrics.lighteval_models.AnswerKeeper`).

    The main process alone says what was found, so that processes never disagree on what is left to do; each process
    appends to a file of its own.

    Attributes:
        store: The answers; None in a process that cannot write there.
        every: After how many documents a process stores its answers.
        is_writing: Whether this process stores what it answers.
    """

    store: AnswerStore | None
    every: int
    is_writing: bool = True

    def found(self, docs: Sequence[Any]) -> dict[int, str]:
        """Return position -> answer of an earlier run."""
        keys = [_key(doc) for doc in docs]
        known = self.store.select(keys) if self.store is not None else {}
        own = {index: known[key]["text"] for index, key in enumerate(keys) if key in known}
        found = from_main_process(own)
        if found and is_main_process():
            logger.info(f"{len(found)} of {len(docs)} answers were kept from an earlier run")
        return found

    def keep(self, docs: Sequence[Any], answers: Sequence[str]) -> None:
        """Store answers; an error of the disk is logged, and the run goes on."""
        if self.is_writing and self.store is not None:
            self.store.try_append({_key(doc): {"text": text} for doc, text in zip(docs, answers, strict=True)})


def keeper_of(model: Any, config: Any, docs: Iterable[Any]) -> KeptAnswers | None:
    """Return where the answers of one of our custom models are kept; None where that would not be safe.

    A model that says nothing of its weights, data whose state can't be told and a folder that can't be written are
    such cases. The main process decides for all.

    Args:
        model: The model.
        config: Its configuration with the whole model string.
        docs: What it will be asked.
    """
    description = from_main_process(_description(model, config, docs) if is_main_process() else None)
    if description is None:
        return None
    store = opened_store(config, description, process_number())
    if not from_main_process(store is not None):
        return None
    return KeptAnswers(store, save_every(), is_writing=model.is_sharded or is_main_process())


def _description(model: Any, config: Any, docs: Iterable[Any]) -> dict[str, Any] | None:
    """Return all that answers depend on besides the document; None if a part of it can't be told."""
    if not model.answers_fingerprint:
        return None
    data = _data_states(docs)
    if not all(data.values()):
        return None
    return model_description(config, model) | {
        "packages": {name: _version(name) for name in _PACKAGES} | {"python": platform.python_version()},
        "code": _code_digest(),
        "data": data,
        "device": _device(),
    }


def data_state(location: DataLocation) -> str:
    """Return what tells two states of a built data set apart; empty where that is unknown.

    Files here are known by their content (large ones by samples and time of change), the Hub's by their commit.
    """
    if location.is_local:
        folder = Path(location.path)
        files = sorted(file for file in (folder / "data").rglob("*.parquet"))
        top = sorted(file for file in folder.iterdir() if file.suffix in (".json", ".md"))
        return digest([[str(file.relative_to(folder)), file_fingerprint(file)] for file in (*top, *files)])
    from huggingface_hub import try_to_load_from_cache

    card = try_to_load_from_cache(location.path, "README.md", revision=location.revision, repo_type="dataset")
    return Path(card).parent.name if isinstance(card, str) else ""


def _key(doc: Any) -> str:
    """Return the key of a document: its request, and all that its task carries of the row."""
    return digest([document_key(doc, "GENERATIVE"), doc.task_name, doc.choices, doc.specific])


def _data_states(docs: Iterable[Any]) -> dict[str, str]:
    """Return prefix of the tasks -> state of their data set."""
    names = {doc.task_name for doc in docs}
    used = [data_set for data_set in DATA_SETS if any(name.startswith(data_set.prefix) for name in names)]
    return {data_set.prefix: data_state(data_set.locate()) for data_set in used}


def _code_digest() -> str:
    code = hashlib.sha256()
    for folder in _SOURCES:
        for file in sorted(folder.rglob("*.py")):
            code.update(f"{file.relative_to(folder.parent)}\n".encode())
            code.update(file.read_bytes())
    return code.hexdigest()


def _device() -> str:
    from accelerate import PartialState

    return str(PartialState().device.type)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
