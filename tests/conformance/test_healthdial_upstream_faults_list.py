"""The list of the authors' faults: every section is there, and every test that it names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

LIST = Path(__file__).with_name("healthdial_upstream_faults.md")
TEST = re.compile(r"`(tests/\S+\.py)::(test_\w+)`")
WITHOUT_TEST = ("no test possible: ", "no test needed: ")
OPEN, WITHOUT_TEST_YET = "**open**: ", "no test yet: "


@dataclass(frozen=True)
class Fault:
    """A row of the list.

    Attributes:
        section: Of the facts.
        text: What the fault is.
        shown_by: The tests, or why there is none.
    """

    section: str
    text: str
    shown_by: str

    @property
    def tests(self) -> list[tuple[str, str]]:
        """File and function of each test."""
        return TEST.findall(self.shown_by)


def faults() -> Iterator[Fault]:
    """Yield the rows of the list."""
    section = ""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.split()[1]
        elif line.startswith("| ") and line != "| fault | shown by |":
            _, text, shown_by, _ = line.split("|")
            yield Fault(section, text.strip(), shown_by.strip())


@cache
def functions(file: str) -> dict[str, ast.FunctionDef]:
    """Return the test functions of a file; empty if there is no such file."""
    path = REPOSITORY / file
    if not path.is_file():
        return {}
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def is_marked(function: ast.FunctionDef, *marks: str) -> bool:
    decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(f"pytest.mark.{mark}" in decorator for decorator in decorators for mark in marks)


def test_every_section_has_faults() -> None:
    assert list(dict.fromkeys(fault.section for fault in faults())) == [f"2.{number}" for number in range(1, 8)]


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: f"{fault.section} {fault.text}")
def test_every_fault_has_its_tests(fault: Fault) -> None:
    allowed = (WITHOUT_TEST_YET,) if fault.text.startswith(OPEN) else WITHOUT_TEST
    assert fault.tests or fault.shown_by.startswith(allowed)
    assert fault.shown_by.count("::") == len(fault.tests)
    for file, name in fault.tests:
        assert name in functions(file), f"{file} has no {name}; name the test that shows it now in {LIST.name}"
        assert not is_marked(functions(file)[name], "skip")


def test_what_is_expected_to_fail_is_marked_as_open() -> None:
    for fault in faults():
        named = [functions(file).get(name) for file, name in fault.tests]
        for function in filter(None, named):
            assert is_marked(function, "xfail") == fault.text.startswith(OPEN)


def test_every_test_of_faults_is_in_the_list() -> None:
    named = {test for fault in faults() for test in fault.tests}
    for path in sorted(LIST.parent.glob("test_healthdial_upstream_faults*.py")):
        file = path.relative_to(REPOSITORY).as_posix()
        if path != Path(__file__):
            assert {(file, name) for name in functions(file)} <= named
