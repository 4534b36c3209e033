"""Fixtures of built HealthDial data sets, each made once for all tests; a plugin of the test modules that name it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.healthdial_files import Packing, write_json, write_release
from healthdial import plots
from healthdial.audio_pass import AudioPass
from healthdial.audit import audit
from healthdial.release import read_release
from tests.healthdial_built import (
    CleanRelease,
    TrappedBuild,
    build_folder,
    clean_release,
    no_drawing,
    options,
    write_splits,
)
from tests.healthdial_traps import release_with_traps


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> CleanRelease:
    """A clean release in four languages with three splits, built."""
    folder = tmp_path_factory.mktemp("clean")
    release = clean_release()
    write_release(release, folder / "release")
    write_release(release, folder / "archives", packing="tar")
    for place in ("release", "archives"):
        write_splits(release, folder / place)
    built = build_folder(folder / "release", folder / "healthdial", options(folder))
    return CleanRelease(release, folder / "release", folder / "archives", built, folder)


@pytest.fixture(scope="session")
def traps_in_folders(tmp_path_factory: pytest.TempPathFactory) -> TrappedBuild:
    """A release with every trap that combines, unpacked; built and audited."""
    return _trapped(tmp_path_factory, "folder")


@pytest.fixture(scope="session")
def traps_in_archives(tmp_path_factory: pytest.TempPathFactory) -> TrappedBuild:
    """A release with every trap that combines, in archives; built and audited."""
    return _trapped(tmp_path_factory, "tar")


@pytest.fixture(scope="session", params=["traps_in_folders", "traps_in_archives"])
def traps(request: pytest.FixtureRequest) -> TrappedBuild:
    """Both releases with every trap, one after the other."""
    found: TrappedBuild = request.getfixturevalue(request.param)
    return found


def _trapped(tmp_path_factory: pytest.TempPathFactory, packing: Packing) -> TrappedBuild:
    folder = tmp_path_factory.mktemp("traps")
    trapped = release_with_traps(folder / "release", packing=packing)
    _evaluate_the_traps(trapped.folder / "splits.json")
    # One key for both packings, so that their speaker ids are the same.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "draw_plots", no_drawing)
        built = build_folder(trapped.folder, folder / "healthdial", options(tmp_path_factory.getbasetemp()))
    outcome = audit(read_release(trapped.folder), AudioPass("wav", True, 1), 1)
    return TrappedBuild(trapped, built, outcome)


def _evaluate_the_traps(splits: Path) -> None:
    """Swap train and test: the traps stand in the first dialogues, and training has no retrieval items."""
    lists = json.loads(splits.read_text(encoding="utf-8"))
    swapped = {code: {**own, "train": own["test"], "test": own["train"]} for code, own in lists.items()}
    write_json(splits, swapped)


@pytest.fixture
def quick_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Build without drawing, which takes most of the time of a small build."""
    monkeypatch.setattr(plots, "draw_plots", no_drawing)


@pytest.fixture
def cache(tmp_path: Path) -> str:
    """A cache folder for ``load_dataset``."""
    return str(tmp_path / "cache")
