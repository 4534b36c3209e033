"""Errors of a run that the command line prints as one line instead of a traceback."""

from __future__ import annotations


class RunError(Exception):
    """A fault of the input or the machine, not of this program: its text says what, where and what to do."""


class InterruptedRunError(Exception):
    """Ctrl-C, in a form that typer passes on; its text says what is kept, if that is known."""
