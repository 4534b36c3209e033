"""Where a built data set is read from: a folder on this machine, or a repository on the Hub."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DataLocation:
    """Where the built data set is: a local folder or a Hub repository.

    Attributes:
        path: An absolute folder, or ``org/name``.
        revision: Branch, tag or commit on the Hub; None for a folder.
    """

    path: str
    revision: str | None = None

    @property
    def is_local(self) -> bool:
        """True for a folder on this machine."""
        return Path(self.path).is_absolute()


class DataNotBuiltError(Exception):
    """The data set's folder holds no built data."""


def find_location(value: str | None, variable: str, default: Path) -> DataLocation:
    """Return where a data set is read from.

    Args:
        value: A folder or ``org/name[@revision]``; None or empty: the environment's variable, else the default.
        variable: Name of the environment variable.
        default: Folder where the build command writes unless told otherwise.
    """
    value = value or os.environ.get(variable) or str(default)
    folder = Path(value).expanduser()
    if folder.exists() or value.startswith((".", "/", "~")) or value.count("/") != 1:
        return DataLocation(str(folder.resolve()))
    repository, _, revision = value.partition("@")
    return DataLocation(repository, revision or None)


def require_built(location: DataLocation, variable: str, build_command: str) -> None:
    """Raise ``DataNotBuiltError`` with the command to run if a local location holds no built data set.

    Args:
        location: Where the data set is said to be.
        variable: Name of the environment variable, for the message.
        build_command: What to run, for the message.
    """
    if not location.is_local:
        return
    folder = Path(location.path)
    if not (folder / "README.md").is_file() or not any((folder / "data").glob("*/*.parquet")):
        raise DataNotBuiltError(
            f"no built data set in {folder}. Build it with {build_command}, or set {variable} to a built folder or "
            "org/name."
        )
