"""The command line: help that teaches, one-line errors with exit codes, nothing lost, the demo's choice of data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from thai_dialect_bench import demo as demo_module
from thai_dialect_bench.build import SAMPLE_FOLDER, build_sample
from thai_dialect_bench.demo import build_for_demo
from thai_dialect_bench.errors import BenchError, ReleaseError

COMMAND = [sys.executable, "-c", "from thai_dialect_bench.cli import main; main()"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", [[], ["build"], ["report"], ["reproduce"], ["demo"]])
def test_help_of_every_command(command: list[str]) -> None:
    shown = run(*command, "--help")
    assert shown.returncode == 0
    assert "--help" in shown.stdout


def test_build_sample_and_report_of_nothing(tmp_path: Path) -> None:
    built = run("build", "--sample", "--out", str(tmp_path / "data"))
    assert (built.returncode, built.stderr) == (0, "")
    assert "from sample: central 29" in built.stdout
    failed = run("report", str(tmp_path / "data"))
    assert failed.returncode == 1
    assert failed.stderr.startswith("thai-dialect-bench: error: ")
    assert "no results_*.json" in failed.stderr
    assert failed.stderr.count("\n") == 1


def test_debug_shows_the_traceback_wherever_it_stands(tmp_path: Path) -> None:
    words = ["build", "--release", str(tmp_path / "nowhere")]
    for arguments in (["--debug", *words], [*words, "--debug"]):
        failed = run(*arguments)
        assert failed.returncode == 1
        assert "Traceback" in failed.stderr
        assert "ReleaseError" in failed.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "--sample", "--release", "x"], "exclude each other"),
        (["build", "--release", "/nowhere"], "/nowhere: no such folder, archive or URL"),
        (["reproduce", "--release", "/nowhere"], "/nowhere: no such folder, archive or URL"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(arguments: list[str], message: str) -> None:
    failed = run(*arguments)
    assert failed.returncode == 1
    assert message in failed.stderr
    assert "Traceback" not in failed.stderr


def test_unwritable_output_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    failed = run("build", "--sample", "--out", str(blocked / "data"))
    assert failed.returncode == 1
    assert "cannot be written" in failed.stderr


def test_a_hostile_pickle_runs_nothing_and_names_the_global(tmp_path: Path) -> None:
    import pickle

    class Hostile:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            import os

            return os.system, (f"touch {tmp_path / 'ran'}",)

    folder = tmp_path / "release" / "datasets"
    folder.mkdir(parents=True)
    (folder / "dataset.pkl").write_bytes(pickle.dumps(Hostile()))
    failed = run("build", "--release", str(folder.parent), "--out", str(tmp_path / "data"))
    assert failed.returncode == 1
    assert "system" in failed.stderr
    assert not (tmp_path / "ran").exists()


@pytest.fixture
def package_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "package"
    monkeypatch.setattr(demo_module, "PACKAGE_FOLDER", folder)
    return folder


def test_demo_falls_back_to_the_sample_with_one_plain_line(
    package_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = build_for_demo(None, tmp_path / "out")
    assert (built.origin, built.folder) == ("sample", package_folder)
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert len(lines) == 1
    assert "bundled SAMPLE" in lines[0]


def test_demo_never_replaces_a_real_build_by_the_sample(package_folder: Path, tmp_path: Path) -> None:
    build_sample(package_folder)
    card = package_folder / "README.md"
    card.write_text(card.read_text(encoding="utf-8").replace("`sample`", "`release@b5597ba`"), encoding="utf-8")
    before = card.read_bytes()
    built = build_for_demo(None, tmp_path / "out")
    assert built.folder == tmp_path / "out" / "thai_dialect_bench"
    assert card.read_bytes() == before


def test_a_fault_of_a_given_release_is_an_error_not_a_reason_for_the_sample(
    package_folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(ReleaseError, match="no such folder"):
        build_for_demo(str(tmp_path / "nowhere"), tmp_path / "out")
    assert not package_folder.exists()


def test_a_fault_of_what_was_fetched_is_an_error_too(
    package_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data that is not the pinned commit's must not end in a demo on the sample that blames the network."""
    monkeypatch.setattr(demo_module, "archive_url", lambda: SAMPLE_FOLDER.as_uri())
    with pytest.raises(ReleaseError, match="differs from commit"):
        build_for_demo(None, tmp_path / "out")
    assert not package_folder.exists()


def test_a_failed_run_tells_the_end_of_its_log(tmp_path: Path, sample_data: Path) -> None:
    from hub.custom_runs import CustomRun, run_custom
    from thai_dialect_bench.runs import SYSTEMS
    from thai_dialect_bench.schema import DATA_VARIABLE

    unknown = CustomRun("copy", SYSTEMS / "copy.py", ("thai_dialect_qa:laana|0",))
    with pytest.raises(BenchError, match="thai_dialect_qa:lanna"):
        run_custom(unknown, tmp_path, {DATA_VARIABLE: str(sample_data)})
