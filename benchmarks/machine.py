"""One line that says on what machine a benchmark ran."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path


def machine() -> str:
    """Return processor, cores, Python and PyThaiNLP version."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor()
    python, pythainlp = platform.python_version(), version("pythainlp")
    return f"{processor}, {os.cpu_count()} cores, Python {python}, PyThaiNLP {pythainlp}"
