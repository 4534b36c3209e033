"""Temporary folders that go when their command ends, also by an interrupt or by a request to terminate."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Yield a new temporary folder that only this user can read, and remove it when the block ends.

    A signal that ends the process removes it first and then does what it would have done: a handler may end the
    process at once, which no ``finally`` sees, as does the system's own for SIGTERM.

    Args:
        prefix: Beginning of its name.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        with _removed_on_signals(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _removed_on_signals(folder: Path) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING}

    def remove(number: int, frame: FrameType | None) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        handler = before[number]
        if callable(handler):
            handler(number, frame)
        elif handler == signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    replaced = [number for number, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    for number in replaced:
        signal.signal(number, remove)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, before[number])
