"""Fixtures for builds of a small release that is disturbed; a plugin of the test modules that name it."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.healthdial_files import write_archive
from benchmarks.healthdial_generator import generate_release
from tests.healthdial_case import PATIENCE_SECONDS, Case, make_case


@pytest.fixture(scope="session")
def folder_case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_case(tmp_path_factory.mktemp("folder"), "folder", ("english", "arabic", "spanish"))


@pytest.fixture(scope="session")
def tar_case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return make_case(tmp_path_factory.mktemp("tar"), "tar", ("english", "arabic", "spanish"))


@pytest.fixture
def copied(folder_case: Case, tmp_path: Path) -> Case:
    """The case with unpacked folders, for a test that changes it."""
    return replace(folder_case, folder=shutil.copytree(folder_case.folder, tmp_path / "release"))


@pytest.fixture
def copied_tar(tar_case: Case, tmp_path: Path) -> Case:
    return replace(tar_case, folder=shutil.copytree(tar_case.folder, tmp_path / "release"))


@pytest.fixture
def without_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw nothing: plots take most of a small build's time and are the same."""
    monkeypatch.setattr("healthdial.plots.draw_plots", lambda *_: {})


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Fail a test that would otherwise never end."""

    def fail(*_: object) -> None:
        pytest.fail("still not done")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def four(tmp_path: Path) -> Path:
    """An archive of four recordings of a second."""
    release = generate_release(dialogues=2, folders=("english",), seconds=(1.0, 1.1), user_turns=(2, 2))
    archive = tmp_path / "audio.part1.tar.gz"
    write_archive(archive, [(name, maker, "") for name, maker in release.audio["english"].items()])
    return archive
