"""Fixtures: the bundled sample, results of made-up systems on it, and their report; a plugin of test modules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from healthdial import plots
from healthdial.build import BuildOptions, build_sample
from healthdial.report import Report, make_report, report_html
from healthdial.schema import DATA_VARIABLE, data_location
from hub.location import DataLocation
from tests.healthdial_built import no_drawing
from tests.healthdial_toy_results import ToyRun, clear_caches, write_toy_run


@pytest.fixture(scope="session")
def built_with_audio(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built sample, every field of the speakers published."""
    folder = tmp_path_factory.mktemp("report")
    options = BuildOptions(workers=1, k=1, speaker_key=folder / "speaker.key", checks=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "draw_plots", no_drawing)
        return build_sample(folder / "healthdial", options).folder


@pytest.fixture(scope="session")
def toy_results(built_with_audio: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two made-up systems: ``good`` in all components, filtering with 5 and 3 candidates, and ``poor`` in some."""
    out = tmp_path_factory.mktemp("results")
    components = (
        *("asr", "tts", "turn_classification", "retrieval", "speech_retrieval", "filtering"),
        *("response_generation", "pipeline"),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(built_with_audio))
        clear_caches()
        write_toy_run(out, ToyRun("good", components))
        write_toy_run(out, ToyRun("poor", ("asr", "retrieval", "filtering"), is_good=False))
        patch.setenv("HEALTHDIAL_CANDIDATES", "3")
        write_toy_run(out, ToyRun("good", ("filtering",), date="2030-01-02T00-00-00.000000"))
    clear_caches()
    return out


@pytest.fixture(scope="session")
def toy_location(built_with_audio: Path) -> DataLocation:
    return data_location(str(built_with_audio))


@pytest.fixture(scope="session")
def toy_report(toy_results: Path, toy_location: DataLocation) -> Report:
    return make_report([toy_results], toy_location, k=1)


@pytest.fixture(scope="session")
def toy_html(toy_report: Report) -> str:
    return report_html(toy_report)


@pytest.fixture
def toy_data(built_with_audio: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make the tasks read the built sample."""
    monkeypatch.setenv(DATA_VARIABLE, str(built_with_audio))
    clear_caches()
    yield built_with_audio
    clear_caches()
