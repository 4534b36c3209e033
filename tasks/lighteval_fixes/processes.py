"""Which process of a distributed run this is, how all of them agree, and how they end together."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, NoReturn, TypeVar

Value = TypeVar("Value")

SCORING_SECONDS = 12 * 3600.0
"""How long processes that are done wait for the main one, which scores and saves alone."""
FAILURE_SECONDS = 10.0
"""How long a process that failed waits, so that the others can say why they failed."""
_POLL_SECONDS = 0.1


def is_distributed() -> bool:
    """Return whether several processes were started (by torchrun or accelerate) and know each other.

    An engine such as vLLM may have a process group of its own in a run of one process: that is not meant.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) <= 1:
        return False
    import torch.distributed

    return torch.distributed.is_available() and torch.distributed.is_initialized()


def is_main_process() -> bool:
    """Return whether this process is the one that writes files."""
    return process_number() == 0


def process_number() -> int:
    """Return the rank of this process; 0 in a run of one."""
    if not is_distributed():
        return 0
    import torch.distributed

    return torch.distributed.get_rank()


def from_main_process(value: Value) -> Value:
    """Return the value that the main process has; every process must call this at the same point."""
    if not is_distributed():
        return value
    import torch.distributed

    box = [value]
    torch.distributed.broadcast_object_list(box, src=0)
    return box[0]


def leave(status: int) -> NoReturn:
    """End this process; in a distributed run not before every process is done.

    torchrun ends all processes as soon as one fails, and one can: a process that leaves with its group alive may
    abort in PyTorch's threads ("terminate called without an active exception") while the main one still saves. So all
    wait for each other, end the group, and those that have nothing to write leave without Python's cleaning up.

    The wait is bounded: by `SCORING_SECONDS`, after a failure by `FAILURE_SECONDS`. It ends early if the process that
    keeps the list is gone.

    Args:
        status: Exit status.
    """
    if not is_distributed():
        sys.exit(status)
    import torch.distributed
    from torch.distributed.distributed_c10d import _get_default_store

    number = process_number()
    seconds = SCORING_SECONDS if status == 0 else FAILURE_SECONDS
    if all_arrive(_get_default_store(), number, torch.distributed.get_world_size(), seconds):
        torch.distributed.destroy_process_group()
    if number == 0:
        sys.exit(status)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def all_arrive(store: Any, number: int, processes: int, seconds: float) -> bool:
    """Say that this process is done; return whether all of them say so within some seconds.

    The store is asked, not the process group: a barrier of NCCL or gloo blocks signals, and can't be given up.

    Args:
        store: The store of PyTorch that the processes share.
        number: Rank of this process.
        processes: How many there are.
        seconds: The longest wait.
    """
    deadline = time.monotonic() + seconds
    names = [f"left/{each}" for each in range(processes)]
    try:
        store.set(names[number], "")
        while not store.check(names):
            if time.monotonic() > deadline:
                return False
            time.sleep(_POLL_SECONDS)
    except RuntimeError:
        # The store went with the process that had it.
        return False
    return True
