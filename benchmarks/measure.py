"""Run a command and measure it: seconds to the disk, and the memory of its whole process tree at its peak."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from hub.errors import BenchError

SAMPLE_SECONDS = 0.05
SHOWN_BYTES = 2000
"""Of a failed command's output."""
MEMORY_KIND = "PSS" if Path("/proc/self/smaps_rollup").exists() else "RSS"
"""PSS counts a page that n processes share as 1/n in each, so that a sum over processes is right; RSS counts it n
times."""


@dataclass(frozen=True)
class Memory:
    """Memory of a process tree at one moment, or the peaks over moments.

    Attributes:
        total: Bytes, of the kind ``MEMORY_KIND``.
        private: Of these, bytes that are not mapped files, which the system can drop (anonymous and shared memory);
            equal to ``total`` where the system does not tell.
    """

    total: int = 0
    private: int = 0

    def __add__(self, other: Memory) -> Memory:
        return Memory(self.total + other.total, self.private + other.private)

    def peak(self, other: Memory) -> Memory:
        """Return the larger of both figures."""
        return Memory(max(self.total, other.total), max(self.private, other.private))


@dataclass(frozen=True)
class Measurement:
    """What a command took.

    Attributes:
        seconds: Wall time until it had ended and everything written was on the disk.
        peak: Peaks of its process tree, sampled every ``SAMPLE_SECONDS``.
    """

    seconds: float
    peak: Memory


def measure(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Measurement:
    """Run a command in a process of its own, then ``sync``.

    Args:
        command: Program and arguments.
        folder: Where it runs.
        environment: Variables besides those of this process.

    Raises:
        BenchError: The command failed; its last output is in the message.
    """
    os.sync()  # what was written before must not be paid for here
    with tempfile.TemporaryFile() as log:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            peak = _watch(process)
        finally:
            process.kill()
            process.wait()
        os.sync()
        seconds = time.perf_counter() - start
        if process.returncode:
            log.seek(max(0, log.seek(0, os.SEEK_END) - SHOWN_BYTES))
            raise BenchError(
                f"{' '.join(command)}: exit code {process.returncode}\n{log.read().decode(errors='replace')}"
            )
    return Measurement(seconds, peak)


def _watch(process: subprocess.Popen[bytes]) -> Memory:
    """Return the peaks of a process and its descendants, once it has ended."""
    peak = Memory()
    while not _ends(process):
        peak = peak.peak(_tree_memory(process.pid))
    return peak


def _ends(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process ends before the next sample."""
    try:
        process.wait(SAMPLE_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _tree_memory(pid: int) -> Memory:
    try:
        root = psutil.Process(pid)
        tree = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return Memory()
    return sum(map(_memory, tree), Memory())


def _memory(process: psutil.Process) -> Memory:
    """Return the memory of one process; nothing if it has just ended."""
    try:
        if MEMORY_KIND == "RSS":
            resident = process.memory_info().rss
            return Memory(resident, resident)
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    except (OSError, psutil.Error):
        return Memory()
    sizes = {name: 1024 * int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)}
    return Memory(sizes["Pss"], sizes.get("Pss_Anon", sizes["Pss"]) + sizes.get("Pss_Shmem", 0))
