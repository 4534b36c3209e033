"""A dialogue of another language in a list is left out, and its number's own dialogue keeps text, audio and split."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from benchmarks.healthdial_files import write_release
from benchmarks.healthdial_generator import GeneratedRelease, generate_release
from healthdial.build import build
from healthdial.release import ReadOptions, read_release
from tests.healthdial_built import Built, decoded, options, released

pytest_plugins = ("tests.healthdial_fixtures",)
pytestmark = pytest.mark.usefixtures("quick_plots")

SIZES = ReadOptions(split_sizes=(3, 2))
REPLACED, MISFILED = 1, 4
"""Positions of the English dialogue that is gone, and of the one whose Arabic version stands there."""


@pytest.fixture(scope="module")
def release() -> GeneratedRelease:
    made = generate_release(dialogues=8, seconds=(1.05, 1.2), user_turns=(2, 2))
    made.dialogues["english"][REPLACED] = copy.deepcopy(made.dialogues["arabic"][MISFILED])
    return made


@pytest.fixture
def built(release: GeneratedRelease, tmp_path: Path) -> Built:
    write_release(release, tmp_path / "release")
    return Built(build(read_release(tmp_path / "release", SIZES), tmp_path / "out", options(tmp_path)))


def test_the_own_dialogue_has_its_text_audio_and_split(release: GeneratedRelease, built: Built) -> None:
    own = release.dialogues["english"][MISFILED]
    number = int(own["task_id"].split("_")[1])
    assert own["language"] == "ENG"
    user, system = (built.of_dialogue(f"{kind}_turns_eng", number) for kind in ("user", "system"))
    assert [row["transcription"] for row in user] == [one["annotated_transcription"] for one in own["utterance"][1::2]]
    assert [row["text"] for row in system] == [one["generated_text"] for one in own["utterance"][::2]]
    for row in (*user, *system):
        assert row["audio_status"] == "ok"
        assert np.array_equal(decoded(row), released(release, row))
    shown = built.of_dialogue("parallel_turns", number)
    assert [row["text_eng"] for row in shown[1::2]] == [row["transcription"] for row in user]
    assert [row["text_ara"] for row in shown[1::2]] == [
        one["annotated_transcription"] for one in release.dialogues["arabic"][MISFILED]["utterance"][1::2]
    ]


def test_positions_count_what_was_left_out(release: GeneratedRelease, built: Built) -> None:
    read = read_release(built.folder.parent / "release", SIZES)
    numbers = [int(one["task_id"].split("_")[1]) for one in release.dialogues["spanish"]]
    expected = dict(zip(numbers, ["train"] * 3 + ["validation"] * 2 + ["test"] * 3, strict=True))
    for language in ("ara", "spa", "eng"):
        splits = {one.number: read.splits.split_of[one.id] for one in read.dialogues[language]}
        gone = {numbers[REPLACED]} if language == "eng" else set()
        assert splits == {number: split for number, split in expected.items() if number not in gone}
    assert read.splits.leaks == ()


def test_what_is_reported(release: GeneratedRelease, built: Built) -> None:
    faults = {
        (one.kind.name, str(one.place), one.detail)
        for one in built.dataset.findings
        if one.kind.name not in ("personal_field", "free_text_coarsened")
    }
    gone = int(release.dialogues["spanish"][REPLACED]["task_id"].split("_")[1])
    assert faults == {
        ("misfiled_dialogue", f"eng dialogues position {REPLACED}", "task id ara, language ara"),
        ("unequal_ids", f"dialogues {gone}", "not in eng"),
        ("unused_speaker", "eng speakers", ""),
        ("orphan_audio", "eng user audio", ""),
        ("orphan_audio", "eng system audio", ""),
    }
