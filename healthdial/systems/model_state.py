"""What tells two states of a model apart, so that kept answers are never those of other weights; keys of documents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lighteval.tasks.requests import Doc

from hub.fingerprint import file_sha256, fingerprint


def files_state(folders: Iterable[Path]) -> str:
    """Return the SHA-256 of the files that lie in folders, not of those below; of a file itself for a file."""
    found = (file for folder in folders for file in sorted(folder.iterdir() if folder.is_dir() else (folder,)))
    files = [file for file in found if file.is_file()]
    return fingerprint([[str(file), file_sha256(file)] for file in files])


def loaded_state(model: str, loaded: Any) -> str:
    """Return the state of a model of transformers.

    Args:
        model: Folder or Hub id that it was loaded from.
        loaded: The model.

    Returns:
        The SHA-256 of the folder's files, or the commit on the Hub; empty where the commit isn't known.
    """
    folder = Path(model).expanduser()
    return files_state([folder]) if folder.is_dir() else getattr(loaded.config, "_commit_hash", None) or ""


def turn_of(doc: Doc) -> tuple[str, int, int]:
    """Return language, dialogue number and turn: the order of the recordings in the data set."""
    place = doc.specific or {}
    return place["language"], int(place["dialogue_number"]), int(place["turn_index"])


def dialogue_of(doc: Doc) -> tuple[str, str]:
    """Return language and dialogue."""
    place = doc.specific or {}
    return place["language"], place["dialogue_id"]
