"""lighteval's command line with this project's tasks, the repairs and no need of internet: ``python -m tasks``."""

from __future__ import annotations

import functools
import gc
import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from tasks.checks import (
    DATA_SETS,
    check_config,
    check_data,
    check_model_file,
    check_model_folder,
    check_offline,
    own_tasks,
    task_names,
)
from tasks.errors import InterruptedRunError, RunError
from tasks.lighteval_fixes.processes import leave
from tasks.systems import check_answered_by_language_models

TASK_MODULE = "tasks.all_tasks"
USER_ERROR = 2
FAILURE = 1
INTERRUPTED = 130
_MODEL_ARGUMENTS = {"model_args", "model_config_path"}
"""Parameters of the commands that run a language model; custom models have a file instead."""


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
    except (KeyboardInterrupt, InterruptedRunError) as interruption:
        _tell(f"interrupted. {interruption}".strip(), once=True)
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
        if settings["custom_tasks"] == TASK_MODULE:
            own = _check_own(task_names(settings["tasks"]))
            if settings.keys() & _MODEL_ARGUMENTS:
                check_answered_by_language_models(own)
        check_model_folder(str(settings.get("model_args", "")))
        check_model_file(settings.get("model_definition_file_path"))
        try:
            return run(**settings)
        except KeyboardInterrupt as interruption:
            # typer would make a quiet exit of it.
            raise InterruptedRunError from interruption
        except ConnectionError as error:
            check_offline(error)
            raise
        except ValueError as error:
            check_config(error)
            raise

    return checked


def _check_own(names: Sequence[str]) -> list[str]:
    """Check the names and the data of this project's tasks and return them; leave lighteval's own to lighteval."""
    from tasks.all_tasks import TASKS_TABLE
    from tasks.lighteval_fixes.offline import load_custom_tasks_only

    own = own_tasks(names, [config.name for config in TASKS_TABLE])
    for data_set in DATA_SETS:
        if any(name.startswith(data_set.prefix) for name in own):
            check_data(data_set)
    if len(own) == len(names):
        load_custom_tasks_only()
    return own


def _status(error: Exception) -> int:
    from hub.location import DataNotBuiltError

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


def _run_to_the_end() -> NoReturn:
    """Run the command line of this process, then leave together with those of the same run."""
    try:
        status = main()
    except Exception:
        # --debug
        traceback.print_exc()
        status = FAILURE
    leave(status)


if __name__ == "__main__":
    _run_to_the_end()
