"""What a check of a built data set finds, and what its data set allows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

CARD_PLACE = "card"
"""Place of a fault of the card."""


@dataclass(frozen=True)
class Fault:
    """Something that the Hub, its viewer or the loader would refuse, or that must not be published.

    Attributes:
        check: Kind of fault, such as ``row_group_bytes``.
        place: ``card``, ``config user_turns_eng, split test``, or a path relative to the data set's folder.
        message: What would go wrong, and what to do.
        is_warning: Whether only the viewer's statistics of a split are lost, so that the data may be published as
            they are.
    """

    check: str
    place: str
    message: str
    is_warning: bool = False


@dataclass(frozen=True)
class NotChecked:
    """Something that could not be checked on this machine, which is no fault of the data set.

    Attributes:
        line: What was not checked, why, and what to do.
    """

    line: str


Finding = Fault | NotChecked
"""What a checker yields."""


@dataclass(frozen=True)
class Checked:
    """Outcome of a check.

    Attributes:
        faults: Everything found, in the order of the checkers.
        not_checked: Lines that say what could not be checked.
        configs: Number of configs of the card.
        files: Number of files that would be published.
        bytes: Their size.
        warnings: What costs the viewer's statistics and nothing else, in the order of the checkers.
    """

    faults: tuple[Fault, ...]
    not_checked: tuple[str, ...]
    configs: int
    files: int
    bytes: int
    warnings: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class AllowedContacts:
    """Texts that may hold contacts of the public, such as the telephone number of an authority.

    Attributes:
        configs: Globs of config names.
        columns: Globs of their columns; a field of a list of records is named as in ``turns.text``.
        kinds: Kinds that they may hold, such as ``telephone``; None for all.
        beside: Field of the same row or record -> values, of which it must have one, such as ``role`` -> assistant.
        known_from: Configs in whose texts a contact must stand too, where other rules allow it; for texts that join
            what is public with what people said. Empty: it may be any contact.
    """

    configs: tuple[str, ...]
    columns: tuple[str, ...]
    kinds: tuple[str, ...] | None = None
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known_from: tuple[str, ...] = ()

    def covers(self, kind: str, config: str, column: str, record: Mapping[str, Any]) -> bool:
        """Return whether a text may hold a kind of contact, whatever ``known_from`` asks.

        Args:
            kind: The kind.
            config: Config of the text.
            column: Its column.
            record: The row or record that it is a field of.
        """
        return (
            (self.kinds is None or kind in self.kinds)
            and any(fnmatchcase(config, glob) for glob in self.configs)
            and any(fnmatchcase(column, glob) for glob in self.columns)
            and all(record.get(name) in values for name, values in self.beside.items())
        )


@dataclass(frozen=True)
class ContentRules:
    """What a data set allows in its folder and its columns.

    Attributes:
        patterns: Kind, such as ``email`` or ``telephone`` -> pattern of what no text may hold.
        allowed_contacts: Which texts may hold contacts of the public.
        owned_files: Regular expressions; a path relative to the folder that one of them matches whole belongs to the
            data set beside card, licence and Parquet files.
        left_alone: The same for files that are never published and so are not checked, such as the modules of a
            Python package that shares the folder.
    """

    patterns: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    allowed_contacts: tuple[AllowedContacts, ...] = ()
    owned_files: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()

    def owns(self, path: str) -> bool:
        """Return whether a path belongs to the data set."""
        return any(re.fullmatch(pattern, path) for pattern in self.owned_files)

    def leaves_alone(self, path: str) -> bool:
        """Return whether a path is never published."""
        return any(re.fullmatch(pattern, path) for pattern in self.left_alone)


def split_place(config: str, split: str) -> str:
    """Return the place of a fault of a split."""
    return f"config {config}, split {split}"


def path_place(folder: Path, path: Path) -> str:
    """Return the place of a fault of a file: its path relative to the folder, without account ids.

    Recordings of HealthDial's release have names that start with the account id (24 hexadecimal digits) of a person.
    """
    return re.sub(
        r"(?<![0-9a-fA-F])[0-9a-fA-F]{24}(?![0-9a-fA-F])[^/]*", "(account id)", path.relative_to(folder).as_posix()
    )


def config_place(config: str) -> str:
    """Return the place of a fault of a config."""
    return f"config {config}"
