"""A fixture: HealthDial's bundled sample, built without recordings; a plugin of the test modules that name it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from healthdial import plots
from healthdial.build import SAMPLE_FOLDER, build
from healthdial.release import ReadOptions, read_release
from healthdial.schema import DATA_VARIABLE
from tests.healthdial_built import no_drawing, options


@pytest.fixture(scope="session")
def built_texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built texts."""
    folder = tmp_path_factory.mktemp("texts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "draw_plots", no_drawing)
        release = read_release(SAMPLE_FOLDER, ReadOptions(audio=False))
        return build(release, folder / "healthdial", options(folder)).folder


@pytest.fixture
def texts(built_texts: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The built texts as the data set that tasks and systems read."""
    from tasks import healthdial_docs

    caches = [value for value in vars(healthdial_docs).values() if hasattr(value, "cache_clear")]
    for cached in caches:
        cached.cache_clear()
    monkeypatch.setenv(DATA_VARIABLE, str(built_texts))
    yield built_texts
    for cached in caches:
        cached.cache_clear()
