"""Names of recordings and task ids: parsed from both ends, the account never shown."""

from __future__ import annotations

import pytest

from healthdial.recording_names import RecordingName, parse_recording_name, parse_task_id

ACCOUNT = "0a1b2c3d4e5f60718293a4b5"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        (f"{ACCOUNT}_ENG_50_0.wav", (ACCOUNT, "eng", 50, 0)),
        (f"{ACCOUNT}_CHN_1352_3.wav", (ACCOUNT, "zho", 1352, 3)),
        (f"{ACCOUNT}_ESP_7_12.flac", (ACCOUNT, "spa", 7, 12)),
        (f"{ACCOUNT}_ara_007_1.WAV", (ACCOUNT, "ara", 7, 1)),
        (f"{ACCOUNT}_ENG_50_0", (ACCOUNT, "eng", 50, 0)),
        ("voice_of_the_system_ENG_5_0.wav", ("voice_of_the_system", "eng", 5, 0)),
        ("ENG_50_0.wav", ("", "eng", 50, 0)),
        ("a_ENG_1_2_ESP_3_4.wav", ("a_ENG_1_2", "spa", 3, 4)),
        ("ü.x y_ENG_5_0.wav", ("ü.x y", "eng", 5, 0)),
    ],
)
def test_parts_of_a_name(name: str, parts: tuple[str, str, int, int]) -> None:
    parsed = parse_recording_name(name)
    assert parsed is not None
    assert (parsed.prefix, parsed.language, parsed.number, parsed.index) == parts
    assert parsed.turn == parts[2:]
    assert not parsed.is_final


@pytest.mark.parametrize(
    "name",
    [
        "",
        "recording.wav",
        f"{ACCOUNT}.wav",
        f"{ACCOUNT}_ENG_50.wav",
        f"{ACCOUNT}_ENG__0.wav",
        f"{ACCOUNT}_FRA_50_0.wav",
        f"{ACCOUNT}_ENG_50_0 (1).wav",
        f"{ACCOUNT}_ENG_-5_0.wav",
        f"{ACCOUNT}_ENG_²_0.wav",
        f"{ACCOUNT}\n_ENG_50_0.wav",
        f"{ACCOUNT}_ENG_{'9' * 30}_0.wav",
    ],
)
def test_other_names_are_none(name: str) -> None:
    assert parse_recording_name(name) is None


def test_the_tools_final_prefix_is_no_part_of_the_account() -> None:
    parsed = parse_recording_name(f"final_{ACCOUNT}_ENG_50_2.wav")
    assert parsed is not None
    assert parsed.is_final
    assert parsed == parse_recording_name(f"{ACCOUNT}_ENG_50_2.wav")


def test_an_ending_that_is_part_of_a_longer_number_is_another_dialogue() -> None:
    five, fifteen = parse_recording_name("x_ENG_5_0.wav"), parse_recording_name("x_ENG_15_0.wav")
    assert five is not None
    assert fifteen is not None
    assert (five.turn, fifteen.turn) == ((5, 0), (15, 0))


def test_the_account_is_not_in_the_representation() -> None:
    assert ACCOUNT not in repr(parse_recording_name(f"{ACCOUNT}_ENG_50_0.wav"))
    assert ACCOUNT not in str(RecordingName(ACCOUNT, "eng", 50, 0))


@pytest.mark.parametrize(
    ("value", "task"),
    [
        ("ENG_50", ("eng", 50)),
        ("CHN_1352", ("zho", 1352)),
        ("ESP_0007", ("spa", 7)),
        ("eng_50", ("eng", 50)),
        ("zho_0", ("zho", 0)),
        (" ARA_905 ", ("ara", 905)),
        ("ARA_٩٠٥", ("ara", 905)),
        ("FRA_50", None),
        ("ENG50", None),
        ("ENG_", None),
        ("ENG_5.0", None),
        ("ENG_-5", None),
        ("ENG_²", None),
        ("ENG_50_0", None),
        (f"ENG_{'9' * 5000}", None),
        ("", None),
        (50, None),
        (None, None),
        (["ENG_50"], None),
    ],
)
def test_task_ids(value: object, task: tuple[str, int] | None) -> None:
    assert parse_task_id(value) == task
