"""DESIGN's import arrows: metrics and hub know nothing of the data sets, data sets nothing of tasks."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

OURS = {"metrics", "hub", "thai_dialect_bench", "healthdial", "tasks"}
ALLOWED: dict[str, set[str]] = {
    "metrics": {"metrics"},
    "hub": {"hub"},
    "thai_dialect_bench": {"thai_dialect_bench", "metrics", "hub"},
    "healthdial": {"healthdial", "metrics", "hub"},
    "tasks": {
        *("tasks", "metrics", "hub.location", "hub.fingerprint"),
        *("thai_dialect_bench.schema", "thai_dialect_bench.lexicons"),
        *("healthdial.schema", "healthdial.languages", "healthdial.data"),
    },
}


def imported_modules(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_allowed(module: str, allowed: set[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") or name.startswith(f"{module}.") for name in allowed)


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_arrows(package: str) -> None:
    files = list((REPOSITORY / package).rglob("*.py"))
    assert files
    wrong = [
        f"{file.relative_to(REPOSITORY)} imports {module}"
        for file in files
        for module in imported_modules(file)
        if module.split(".")[0] in OURS and not is_allowed(module, ALLOWED[package])
    ]
    assert wrong == []


def test_pure_metrics_do_not_import_lighteval() -> None:
    code = "import sys, metrics.thai_text, metrics.resampling, metrics.diagnostics; print('lighteval' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize("package", ["thai_dialect_bench", "healthdial"])
def test_the_command_line_starts_without_heavy_libraries(package: str) -> None:
    code = (
        f"import sys; import {package}.cli; "
        "print([name for name in ('torch', 'datasets', 'lighteval', 'pythainlp', 'pandas', 'matplotlib', 'numpy') "
        "if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
