"""Checks of what a user gives to ``python -m tasks``, before lighteval and a model are loaded."""

from __future__ import annotations

import difflib
import logging
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import healthdial.schema
import thai_dialect_bench.schema
from hub.location import DataLocation
from tasks.errors import RunError
from tasks.systems import systems_there

logger = logging.getLogger(__name__)

REACH_SECONDS = 10.0


@dataclass(frozen=True)
class DataSet:
    """A data set of this project, as the checks need it.

    Attributes:
        prefix: First part of the names of its tasks.
        variable: Environment variable that says where it is.
        command: Command that builds it.
        locate: Returns where it is.
        check_built: Raises an error if a folder holds no build of it.
    """

    prefix: str
    variable: str
    command: str
    locate: Callable[[], DataLocation]
    check_built: Callable[[DataLocation], None]


DATA_SETS = (
    DataSet(
        thai_dialect_bench.schema.TASK_PREFIX,
        thai_dialect_bench.schema.DATA_VARIABLE,
        "thai-dialect-bench build",
        thai_dialect_bench.schema.data_location,
        thai_dialect_bench.schema.check_built,
    ),
    DataSet(
        healthdial.schema.TASK_PREFIX,
        healthdial.schema.DATA_VARIABLE,
        "healthdial build",
        healthdial.schema.data_location,
        healthdial.schema.check_built,
    ),
)
_PREFIXES = tuple(data_set.prefix for data_set in DATA_SETS)


def task_names(specification: str) -> list[str]:
    """Return the names in a task specification, without ``|0``.

    Args:
        specification: Names separated by commas, or a file with one on each line, ``#`` for comments.

    Raises:
        RunError: If a file is meant that is not there or not a text.
    """
    if os.path.isfile(specification):  # Path raises for a name as long as a list of tasks
        try:
            lines = Path(specification).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise RunError(f"{specification}: not a list of tasks in UTF-8 ({error})") from error
        names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    elif specification.endswith(".txt") or "/" in specification:
        raise RunError(f"{specification}: no such list of tasks; give a file, or names such as thai_dialect_qa|0")
    else:
        names = specification.split(",")
    # name, name|few-shot or, as lighteval still allows, suite|name|few-shot; the name may carry @settings.
    parts = [name.strip().split("|") for name in names]
    return [(each[1] if len(each) == 3 else each[0]).split("@")[0] for each in parts]


def own_tasks(names: Sequence[str], tasks: Sequence[str]) -> list[str]:
    """Return the names that mean tasks of this project; others are left to lighteval.

    Args:
        names: Names of tasks or groups.
        tasks: This project's tasks, such as ``thai_dialect_qa:lanna``.

    Raises:
        RunError: If a name is meant as one of them but is none.
    """
    known = list(dict.fromkeys(name for task in tasks for name in (task.split(":")[0], task)))
    stems = tuple(prefix[:-1] for prefix in _PREFIXES)
    own = [name for name in names if name.startswith(stems) or _is_meant(name, known)]
    check_tasks(own, known)
    return own


def check_tasks(names: Sequence[str], known: Sequence[str]) -> None:
    """Raise `RunError` for a name that is not known, with the most similar one.

    Args:
        names: Names of tasks or groups.
        known: Names of all tasks and groups, such as ``thai_dialect_qa:lanna`` and ``thai_dialect_qa``.
    """
    for name in names:
        if name in known:
            continue
        candidates = [prefix + name for prefix in _PREFIXES if prefix + name in known]
        similar = candidates or difflib.get_close_matches(name, known, n=1)
        groups = ", ".join(each for each in known if ":" not in each)
        advice = f"did you mean {similar[0]}?" if similar else f"there are {groups}"
        raise RunError(f"unknown task {name}: {advice}")


def check_model_folder(model_args: str) -> None:
    """Raise `RunError` if a model's arguments name a folder that is not there; lighteval would look on the Hub."""
    match = re.search(r"\bmodel_name=([^,]+)", model_args)
    if match and match[1].startswith(("/", "./", "../", "~")) and not Path(match[1]).expanduser().exists():
        raise RunError(f"model_name: no such folder {match[1]}")


def check_model_file(file: str | None) -> None:
    """Raise `RunError` if the file that defines a custom model is not there."""
    if file is not None and not os.path.isfile(file):
        raise RunError(f"{file}: no such file; a custom model is a Python file, there are {systems_there()}")


def check_data(data_set: DataSet) -> None:
    """Raise an error if a data set cannot be had.

    Args:
        data_set: One on the Hub is asked for once, but not in offline mode, where its cache counts.

    Raises:
        DataNotBuiltError: A folder holds no built data set.
        RunError: There is no such data set or revision on the Hub, or the Hub cannot be reached.
    """
    location = data_set.locate()
    data_set.check_built(location)
    if location.is_local:
        return
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import RevisionNotFoundError

    if constants.HF_HUB_OFFLINE:
        return
    logger.info(f"the data are read from the Hub: {location.path}, revision {location.revision or 'main'}")
    try:
        HfApi().dataset_info(location.path, revision=location.revision, timeout=REACH_SECONDS)
    except RevisionNotFoundError as error:
        raise RunError(
            f"{data_set.variable}={location.path}@{location.revision}: the data set has no revision "
            f"{location.revision}; give one of its tags, branches or commits"
        ) from error
    except Exception as error:
        raise RunError(
            f"{data_set.variable}={location.path}: no folder {Path(location.path).absolute()}, and no such data set "
            f"could be had from the Hub ({type(error).__name__}). Build it with `{data_set.command} --out ...`."
        ) from error


def check_offline(error: ConnectionError) -> None:
    """Raise `RunError` if an error says that a data set on the Hub is wanted in offline mode and not in the cache."""
    from huggingface_hub import constants

    if not constants.HF_HUB_OFFLINE:
        return
    for data_set in DATA_SETS:
        location = data_set.locate()
        if not location.is_local and location.path in str(error):
            raise RunError(
                f"{data_set.variable}={location.path}: no such folder, and the cache of the Hub does not have it "
                f"(HF_HUB_OFFLINE is set). Unset HF_HUB_OFFLINE, or build the data with `{data_set.command} --out "
                f"...` and set {data_set.variable} to that folder."
            ) from error


def check_config(error: ValueError) -> None:
    """Raise `RunError` if an error says that the data set lacks a config of a task, as texts without recordings do."""
    missing = re.match(r"BuilderConfig '(\w+)' not found", str(error))
    if not missing:
        return
    thai, healthdial = DATA_SETS
    data_set = thai if missing[1] in thai_dialect_bench.schema.CONFIGS else healthdial
    raise RunError(
        f"{data_set.variable}={data_set.locate().path}: no config {missing[1]}. Name a data set that holds it: one "
        "may be built in some languages only, and texts are published without recordings."
    ) from error


def _is_meant(name: str, known: Sequence[str]) -> bool:
    return any(prefix + name in known for prefix in _PREFIXES) or bool(
        difflib.get_close_matches(name, known, n=1, cutoff=0.85)
    )
