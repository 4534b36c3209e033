"""The answers of one model on disk: append-only files of JSON Lines that survive a killed run."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)

FOLDER = "thai_dialect_bench"
ANSWERS = "answers.jsonl"
DESCRIPTION = "model.json"


def store_folder(cache_dir: str, model_name: str, model_key: str) -> Path:
    """Return the folder of a model's answers: always inside ``cache_dir``, also where the name is a path."""
    name = re.sub(r"[^\w.-]+", "_", model_name).strip("_")[-80:]
    return Path(cache_dir).expanduser() / FOLDER / f"{name}-{model_key[:16]}"


class AnswerStore:
    """Answers of one model by document key.

    One line an answer: ``{"key": ..., "answer": {...}}``. Lines are only ever appended, so that two runs may share
    a store; a line that a killed run left unfinished is skipped.

    Args:
        folder: Where the file lies; made if it is missing.
        description: What the model's key is made of, written beside the answers for people.
        process: Number of the process that appends, if several do; each has a file of its own and reads all.

    Raises:
        OSError: If the folder cannot be made or written.
    """

    def __init__(self, folder: Path, description: Mapping[str, Any], process: int = 0) -> None:
        self.file = folder / (f"answers-{process}.jsonl" if process else ANSWERS)
        folder.mkdir(parents=True, exist_ok=True)
        if not process:
            (folder / DESCRIPTION).write_text(
                json.dumps(description, ensure_ascii=False, indent=2, sort_keys=True, default=str), encoding="utf-8"
            )
        self._answers = self._read()

    def __len__(self) -> int:
        return len(self._answers)

    def select(self, keys: Iterable[str | int]) -> dict[str | int, dict[str, Any]]:
        """Return the answers to those documents that have one."""
        return {key: self._answers[key] for key in keys if isinstance(key, str) and key in self._answers}

    def append(self, answers: Mapping[str, dict[str, Any]]) -> None:
        """Store answers and wait until they are on the disk; the first answer to a document stays.

        Raises:
            OSError: If they cannot be written; they are known to this object nevertheless.
        """
        new = {key: answer for key, answer in answers.items() if key not in self._answers}
        self._answers.update(new)
        lines = (json.dumps({"key": key, "answer": answer}, ensure_ascii=False) + "\n" for key, answer in new.items())
        # "\ud800" and the like can stand in a model's output; JSON's escapes keep them readable.
        data = "".join(lines).encode("utf-8", "backslashreplace")
        if not data:
            return
        with self.file.open("ab", buffering=0) as stream:
            if _ends_in_torn_line(self.file):
                data = b"\n" + data
            while data:
                data = data[stream.write(data) :]
            os.fsync(stream.fileno())

    def try_append(self, answers: Mapping[str, dict[str, Any]]) -> None:
        """Store answers; log an error if they cannot be written."""
        try:
            self.append(answers)
        except OSError as error:
            logger.error(
                f"{len(answers)} answers were not saved in {self.file}: {error}. The run goes on without them."
            )

    def _read(self) -> dict[str, dict[str, Any]]:
        answers: dict[str, dict[str, Any]] = {}
        for file in sorted(self.file.parent.glob("answers*.jsonl")):
            torn = 0
            for line in file.read_bytes().split(b"\n"):
                if not line:
                    continue
                try:
                    entry = json.loads(line)
                    answers.setdefault(entry["key"], entry["answer"])
                except (ValueError, KeyError, TypeError):
                    torn += 1
            if torn:
                logger.warning(f"{torn} unfinished line(s) in {file} were skipped; their documents are asked again")
        return answers


def _ends_in_torn_line(file: Path) -> bool:
    with file.open("rb") as stream:
        if stream.seek(0, os.SEEK_END) == 0:
            return False
        stream.seek(-1, os.SEEK_END)
        return stream.read() != b"\n"
