"""The texts of a built HealthDial alone: found by the recordings in the files, copied, and removed after."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from healthdial import cli
from healthdial.card import TEXT_CARD_FILE
from healthdial.hub_parts import files_for_recordings, has_recordings, text_part
from hub.errors import BenchError
from tests.conftest import REPOSITORY

pytest_plugins = ("tests.healthdial_built_sample", "tests.healthdial_text_sample")


def test_recordings_are_found_in_the_files_whatever_the_cards_say(
    healthdial_sample: Path, built_texts: Path, tmp_path: Path
) -> None:
    assert has_recordings(healthdial_sample)
    assert not has_recordings(built_texts)
    one = next((healthdial_sample / "data" / "system_turns_spa").glob("*.parquet"))
    shutil.copytree(built_texts, tmp_path / "planted")
    (tmp_path / "planted" / TEXT_CARD_FILE).unlink(missing_ok=True)
    shutil.copyfile(one, tmp_path / "planted" / "data" / "parallel_turns" / one.name)
    assert has_recordings(tmp_path / "planted")


def test_texts_are_a_copy_and_a_data_set_without_recordings_is_itself(
    healthdial_sample: Path, built_texts: Path
) -> None:
    with text_part(healthdial_sample) as part:
        assert part != healthdial_sample
        assert (part / "README.md").read_bytes() == (healthdial_sample / TEXT_CARD_FILE).read_bytes()
        assert not has_recordings(part)
    assert not part.exists()
    with text_part(healthdial_sample, whole=True) as part:
        assert part == healthdial_sample
    with text_part(built_texts) as part:
        assert part == built_texts


def test_recordings_without_a_card_of_the_texts_are_refused(healthdial_sample: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(healthdial_sample, tmp_path / "healthdial"))
    (folder / TEXT_CARD_FILE).unlink()
    with (
        pytest.raises(BenchError, match=rf"holds recordings but no {TEXT_CARD_FILE}.*build it again"),
        text_part(folder),
    ):
        pass


def test_the_files_for_recordings() -> None:
    paths = ["data/user_turns_eng/test-1.parquet", "data/system_turns_ara/a.parquet", "data/speakers/all-1.parquet"]
    paths += ["data/strange/a.parquet", "README.md", "data/user_turns_eng/notes.txt", "data/dialogues_eng/a.parquet"]
    assert files_for_recordings(paths) == ["data/system_turns_ara/a.parquet", "data/user_turns_eng/test-1.parquet"]


@pytest.mark.parametrize(
    ("before", "number", "status"),
    [
        ("", signal.SIGTERM, -signal.SIGTERM),
        ("", signal.SIGINT, -signal.SIGINT),
        ("signal.signal(signal.SIGINT, lambda *_: os._exit(130))", signal.SIGINT, 130),
        ("signal.signal(signal.SIGINT, signal.SIG_IGN)", signal.SIGINT, 0),
    ],
)
def test_a_copy_goes_when_the_command_is_stopped(
    before: str, number: signal.Signals, status: int, tmp_path: Path
) -> None:
    script = (
        f"import os, signal, sys; from hub.scratch import scratch_folder\n{before}\n"
        "with scratch_folder('copy-') as folder:\n"
        "    (folder / 'texts').mkdir(); (folder / 'texts' / 'a').write_text('a')\n"
        "    print(folder, flush=True); sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=REPOSITORY,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.parent == tmp_path
        assert (folder / "texts" / "a").is_file()
        process.send_signal(number)
        process.communicate()
    assert process.returncode == status
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("command", "is_kept"), [("push", True), ("build", True), ("check", False), ("preview", False)]
)
def test_only_a_command_that_goes_on_says_that_something_is_kept(command: str, is_kept: bool) -> None:
    script = (
        f"import os, signal, sys; sys.argv = ['healthdial', '{command}']; from healthdial import cli\n"
        "cli.app = lambda **_: os.kill(os.getpid(), signal.SIGINT)\n"
        "cli.main()"
    )
    outcome = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True)
    assert outcome.returncode == cli.INTERRUPTED
    assert outcome.stderr.startswith("\nhealthdial: stopped")
    assert ("what is finished is kept" in outcome.stderr) is is_kept
