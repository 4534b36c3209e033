"""lighteval's command line with this project's tasks, the repairs and no need of internet: ``python -m tasks``."""

from __future__ import annotations

import difflib
import functools
import gc
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tasks.errors import RunError

TASK_MODULE = "tasks.thai_dialect"
TASK_PREFIX = "thai_dialect"
USER_ERROR = 2
FAILURE = 1
INTERRUPTED = 130


class InterruptedRunError(Exception):
    """Ctrl-C, in a form that typer passes on."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run lighteval's command line.

    The arguments are lighteval's own, with three differences: ``--custom-tasks`` is this project's task module
    unless given, ``--save-details`` is on unless ``--no-save-details`` is given, and ``--debug`` shows tracebacks.

    Args:
        arguments: The command line without the program's name; default: `sys.argv`.

    Returns:
        The exit status: 0, 2 for a fault of the input, 1 for any other failure, 130 after Ctrl-C.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    try:
        return _run([word for word in words if word != "--debug"])
    except (KeyboardInterrupt, InterruptedRunError):
        _tell("interrupted. Finished answers are kept: the same command goes on from there.", once=True)
        return INTERRUPTED
    except Exception as error:
        if debug:
            raise
        status = _status(error)
        if status == USER_ERROR:
            _tell(f"error: {_message(error)}", once=True)
        else:
            _tell(f"error: {type(error).__name__}: {_message(error)} (--debug shows where)", once=False)
        return status


def task_names(specification: str) -> list[str]:
    """Return the names in a task specification, without ``|0``.

    Args:
        specification: Names separated by commas, or a file with one on each line, ``#`` for comments.
    """
    if os.path.isfile(specification):  # Path raises for a name as long as a list of tasks
        lines = Path(specification).read_text(encoding="utf-8").splitlines()
        names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    else:
        names = specification.split(",")
    # name, name|few-shot or, as lighteval still allows, suite|name|few-shot; the name may carry @settings.
    parts = [name.strip().split("|") for name in names]
    return [(each[1] if len(each) == 3 else each[0]).split("@")[0] for each in parts]


def check_tasks(names: Sequence[str], known: Sequence[str]) -> None:
    """Raise `RunError` for a name that is not known, with the most similar one.

    Args:
        names: Names of tasks or groups.
        known: Names of all tasks and groups, such as ``thai_dialect_qa:lanna`` and ``thai_dialect_qa``.
    """
    for name in names:
        if name in known:
            continue
        similar = difflib.get_close_matches(name, known, n=1)
        groups = ", ".join(each for each in known if ":" not in each)
        advice = f"did you mean {similar[0]}?" if similar else f"there are {groups}"
        raise RunError(f"unknown task {name}: {advice}")


def check_model_folder(model_args: str) -> None:
    """Raise `RunError` if a model's arguments name a folder that is not there; lighteval would look on the Hub."""
    match = re.search(r"\bmodel_name=([^,]+)", model_args)
    if match and match[1].startswith(("/", "./", "../", "~")) and not Path(match[1]).expanduser().exists():
        raise RunError(f"model_name: no such folder {match[1]}")


def _run(words: list[str]) -> int:
    command = _command(uses_litellm="litellm" in words)
    for each in _commands(command):
        _adapt(each)
    result = command.main(args=words, prog_name="python -m tasks", standalone_mode=False)
    # lighteval's commands return their results; typer returns a status for --help.
    return result if isinstance(result, int) else 0


def _command(uses_litellm: bool) -> Any:
    """Import lighteval and the repairs; return its command line."""
    from tasks.lighteval_fixes import apply
    from tasks.lighteval_fixes.offline import prepare_import

    # The imports make a million objects that stay: looking for garbage among them takes a quarter of their time.
    gc.disable()
    try:
        prepare_import(uses_litellm)
        import lighteval.__main__
        import typer

        _enable_loggers()
        apply()
    finally:
        gc.freeze()
        gc.enable()
    return typer.main.get_command(lighteval.__main__.app)


def _enable_loggers() -> None:
    """Switch loggers on again that lighteval's command line switched off: all that were made before its import."""
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.disabled = False


def _commands(group: Any) -> Iterator[Any]:
    for command in getattr(group, "commands", {}).values():
        yield command
        yield from _commands(command)


def _adapt(command: Any) -> None:
    """Set the defaults of a command and check its tasks before it runs."""
    parameters = {parameter.name: parameter for parameter in command.params}
    if "custom_tasks" in parameters:
        parameters["custom_tasks"].default = TASK_MODULE
    if "save_details" in parameters:
        parameters["save_details"].default = True
    if {"custom_tasks", "tasks"} <= parameters.keys():
        command.callback = _checked(command.callback)


def _checked(run: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(run)
    def checked(**settings: Any) -> Any:
        check_model_folder(str(settings.get("model_args", "")))
        if settings["custom_tasks"] == TASK_MODULE:
            _check_own(task_names(settings["tasks"]))
        try:
            return run(**settings)
        except KeyboardInterrupt as interruption:
            # typer would make a quiet exit of it.
            raise InterruptedRunError from interruption

    return checked


def _check_own(names: Sequence[str]) -> None:
    """Check the names and the data of this project's tasks; leave lighteval's own tasks to lighteval."""
    from tasks.lighteval_fixes.offline import load_custom_tasks_only
    from tasks.thai_dialect import TASKS_TABLE
    from thai_dialect_bench.schema import check_built, data_location

    known = _with_groups([config.name for config in TASKS_TABLE])
    own = [name for name in names if name.startswith(TASK_PREFIX) or _is_misspelt(name, known)]
    check_tasks(own, known)
    if own:
        check_built(data_location())
    if len(own) == len(names):
        load_custom_tasks_only()


def _with_groups(tasks: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name for task in tasks for name in (task.split(":")[0], task)))


def _is_misspelt(name: str, known: Sequence[str]) -> bool:
    return bool(difflib.get_close_matches(name, known, n=1, cutoff=0.85))


def _status(error: Exception) -> int:
    from thai_dialect_bench.schema import DataNotBuiltError

    if isinstance(error, RunError | DataNotBuiltError):
        return USER_ERROR
    # Errors of the command line: typer brings its own copy of click, or uses click's.
    return int(getattr(error, "exit_code", FAILURE))


def _message(error: Exception) -> str:
    describe = getattr(error, "format_message", None)
    return " ".join(str(describe() if callable(describe) else error).split())


def _tell(line: str, once: bool) -> None:
    """Print a line on standard error; one that all processes have in common only in the main one."""
    rank = os.environ.get("RANK", "0")
    if rank == "0" or not once:
        print(line if rank == "0" else f"process {rank}: {line}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
