"""Splits: by list position as in the authors' code, by the English assignment, or by explicit id lists."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from healthdial.dialogues import Dialogue
from healthdial.findings import Findings, Place
from healthdial.languages import LANGUAGES
from healthdial.published import TRAIN_DIALOGUES, VALIDATION_DIALOGUES
from healthdial.schema import SPLITS
from hub.errors import ReleaseError

SplitBy = Literal["position", "number"]

SPLIT_SIZES = (TRAIN_DIALOGUES, VALIDATION_DIALOGUES)
"""Dialogues of train and validation by list position; the rest is test (the authors' scripts)."""


@dataclass(frozen=True)
class SplitAssignment:
    """Which dialogue is in which split.

    Attributes:
        source: How it was decided, in words.
        split_of: Dialogue id -> split.
        leaks: Dialogue numbers that are in different splits in different languages.
    """

    source: str
    split_of: dict[str, str]
    leaks: tuple[int, ...]

    def manifest(self, dialogues: Mapping[str, Sequence[Dialogue]]) -> dict[str, dict[str, list[str]]]:
        """Return language -> split -> dialogue ids in list order: the content of ``splits.json``."""
        return {
            language: {
                split: [dialogue.id for dialogue in own if self.split_of.get(dialogue.id) == split] for split in SPLITS
            }
            for language, own in dialogues.items()
        }


def assign_splits(
    dialogues: Mapping[str, Sequence[Dialogue]],
    findings: Findings,
    *,
    split_by: SplitBy = "position",
    named: Any = None,
    sizes: tuple[int, int] = SPLIT_SIZES,
) -> SplitAssignment:
    """Assign every dialogue to a split and look for leaks between languages.

    Args:
        dialogues: Language -> dialogues.
        findings: Collects ``split_leak``, ``unequal_ids`` and dialogues that no list names.
        split_by: ``position`` within each language, or ``number``: the English assignment for all.
        named: The parsed ``splits.json`` of the release, which then decides instead of the position.
        sizes: Dialogues of train and validation.

    Raises:
        ReleaseError: The English dialogues are needed and missing, or ``splits.json`` is not of its form.
    """
    if named is not None:
        source, split_of = "the release's splits.json", _named(named)
    else:
        source, split_of = "list position in each language", _by_position(dialogues, sizes)
    if split_by == "number":
        source, split_of = f"the English assignment ({source})", _by_number(dialogues, split_of)
    _report_unassigned(dialogues, split_of, findings)
    return SplitAssignment(source, split_of, _report_leaks(dialogues, split_of, findings))


def _by_position(dialogues: Mapping[str, Sequence[Dialogue]], sizes: tuple[int, int]) -> dict[str, str]:
    train, validation = sizes
    return {
        dialogue.id: SPLITS[(dialogue.position >= train) + (dialogue.position >= train + validation)]
        for own in dialogues.values()
        for dialogue in own
    }


def _by_number(dialogues: Mapping[str, Sequence[Dialogue]], split_of: Mapping[str, str]) -> dict[str, str]:
    """Return the English split of each number for every language; numbers that English lacks have none."""
    if "eng" not in dialogues:
        raise ReleaseError("--split-by number takes the English assignment: English is missing from this build")
    english = {dialogue.number: split_of[dialogue.id] for dialogue in dialogues["eng"] if dialogue.id in split_of}
    return {
        dialogue.id: english[dialogue.number]
        for own in dialogues.values()
        for dialogue in own
        if dialogue.number in english
    }


def _named(named: Any) -> dict[str, str]:
    """Return dialogue id -> split of a parsed ``splits.json``."""
    try:
        lists = [(split, own.get(split, [])) for own in named.values() for split in SPLITS]
        if not all(isinstance(names, list) for _, names in lists):
            raise TypeError
        pairs = [(name, split) for split, names in lists for name in names]
        split_of = dict(pairs)
    except (AttributeError, TypeError, ValueError):
        raise ReleaseError("splits.json: expected {language: {split: [dialogue ids]}}") from None
    if len(split_of) != len(pairs):
        raise ReleaseError("splits.json: a dialogue id is listed twice; name each dialogue once")
    return split_of


def _report_unassigned(
    dialogues: Mapping[str, Sequence[Dialogue]], split_of: Mapping[str, str], findings: Findings
) -> None:
    for language, own in dialogues.items():
        for dialogue in own:
            if dialogue.id not in split_of:
                task_id = f"{LANGUAGES[language].release_code}_{dialogue.number}"
                findings.add("without_split", Place(language, "dialogues", task_id))


def _report_leaks(
    dialogues: Mapping[str, Sequence[Dialogue]], split_of: Mapping[str, str], findings: Findings
) -> tuple[int, ...]:
    """Report numbers whose splits differ between languages, and numbers that a language lacks."""
    splits: dict[int, dict[str, str]] = defaultdict(dict)
    for language, own in dialogues.items():
        for dialogue in own:
            if dialogue.id in split_of:
                splits[dialogue.number][language] = split_of[dialogue.id]
    leaks = []
    for number, by_language in sorted(splits.items()):
        missing = [language for language in dialogues if language not in by_language]
        if missing:
            findings.add("unequal_ids", Place("", "dialogues", str(number)), f"not in {' '.join(missing)}")
        if len(set(by_language.values())) > 1:
            detail = ", ".join(f"{language} {split}" for language, split in by_language.items())
            findings.add("split_leak", Place("", "dialogues", str(number)), detail)
            leaks.append(number)
    return tuple(leaks)
