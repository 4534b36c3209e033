"""A fixture: HealthDial's bundled sample, built with its recordings; a plugin of the test modules that name it."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def healthdial_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built sample, without plots."""
    from healthdial import plots
    from healthdial.build import BuildOptions, build_sample
    from tests.healthdial_built import no_drawing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "draw_plots", no_drawing)
        return build_sample(tmp_path_factory.mktemp("sample") / "healthdial", BuildOptions(workers=1)).folder
