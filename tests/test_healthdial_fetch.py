"""A release is fetched from a stand-in Hub by its name and built, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.fake_hub import fake_hub
from tests.healthdial_case import COMMAND, PATIENCE_SECONDS, Case, snapshot
from tests.healthdial_downloads import downloaded

pytest_plugins = ("tests.healthdial_case_fixtures",)


def test_a_release_is_fetched_by_its_name_and_built(tar_case: Case, tmp_path: Path) -> None:
    out = tmp_path / "hd"
    files = snapshot(tar_case.folder)
    with fake_hub(tmp_path / "hub") as hub:
        hub.add_repository("made-up/HealthDial", files, tags=["v1"])
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))},
            **hub.environment(),
            "PYTHONPATH": str(REPOSITORY / "tests" / "no_network"),
            "NETWORK_LOG": str(tmp_path / "network.log"),
        }
        arguments = ["build", "--release", "made-up/HealthDial@v1", "--languages", "eng,ara,spa", "--out", str(out)]
        done = subprocess.run(
            [*COMMAND, *arguments, "--speaker-key", str(tar_case.options.speaker_key), "--workers", "2"],
            cwd=REPOSITORY,
            env=environment,
            capture_output=True,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert downloaded(hub) == set(files)
    assert snapshot(out) == tar_case.expected
    assert not (tmp_path / "network.log").exists()
    assert json.loads((out / "splits.json").read_text("utf-8")).keys() == {"eng", "ara", "spa"}
