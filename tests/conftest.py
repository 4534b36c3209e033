"""Fixtures shared by all tests: the authors' release where it is present, the bundled sample everywhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session", autouse=True)
def separate_caches(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep every cache of the Hugging Face libraries in the tests' own folder, this process's and its children's."""
    os.environ["HF_HOME"] = str(tmp_path_factory.mktemp("hf_home"))


@pytest.fixture(scope="session", autouse=True)
def absl_leaves_pytests_streams_open() -> None:
    """Give absl's log handler the real stderr.

    rouge_score brings absl, whose handler keeps the stderr of the moment, one of pytest's, and closes it when
    lighteval configures logging. In a program that stream is the real one, which absl leaves open.
    """
    from absl import logging

    logging.get_absl_handler().python_handler.stream = sys.__stderr__


@pytest.fixture(scope="session")
def upstream() -> Path:
    """The folder of the authors' real release and outputs; skips the test where it is absent."""
    default = REPOSITORY.parent / "shared" / "upstream" / "thai_local_benchmark"
    folder = Path(os.environ.get("THAI_DIALECT_BENCH_UPSTREAM", default))
    if not folder.is_dir():
        pytest.skip(f"the authors' release is not at {folder}; set THAI_DIALECT_BENCH_UPSTREAM to test against it")
    return folder


@pytest.fixture(scope="session")
def sample_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled sample, built."""
    from thai_dialect_bench.build import build_sample

    return build_sample(tmp_path_factory.mktemp("sample") / "thai_dialect_bench").folder


@pytest.fixture(scope="session")
def baseline_results(sample_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of the two baselines run through lighteval on the sample."""
    from thai_dialect_bench.runs import run_baselines

    out = tmp_path_factory.mktemp("baselines")
    run_baselines(sample_data, out)
    return out
