"""Which process of a distributed run this is, and how all of them agree."""

from __future__ import annotations

import os
from typing import TypeVar

Value = TypeVar("Value")


def is_distributed() -> bool:
    """Return whether several processes were started (by torchrun or accelerate) and know each other.

    An engine such as vLLM may have a process group of its own in a run of one process: that is not meant.
    """
    import torch.distributed

    launched = int(os.environ.get("WORLD_SIZE", "1")) > 1
    return launched and torch.distributed.is_available() and torch.distributed.is_initialized()


def is_main_process() -> bool:
    """Return whether this process is the one that writes files."""
    import torch.distributed

    return torch.distributed.get_rank() == 0 if is_distributed() else True


def from_main_process(value: Value) -> Value:
    """Return the value that the main process has; every process must call this at the same point."""
    if not is_distributed():
        return value
    import torch.distributed

    box = [value]
    torch.distributed.broadcast_object_list(box, src=0)
    return box[0]
