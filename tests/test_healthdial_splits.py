"""Splits: 400 / 100 / rest by list position, the English assignment, id lists, and leaks between languages."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from healthdial.dialogues import Dialogue
from healthdial.findings import Findings
from healthdial.splits import SplitAssignment, assign_splits
from hub.errors import ReleaseError
from tests.healthdial_builders import dialogue_record, kinds, read_dialogues

LANGUAGES = ("ara", "zho", "eng", "spa")
SIZES = (2, 1)


def listed(language: str, numbers: list[int]) -> list[Dialogue]:
    """Dialogues without turns, numbered in list order."""
    return [Dialogue(language, number, position, ()) for position, number in enumerate(numbers)]


def assign(dialogues: dict[str, list[Dialogue]], **options: Any) -> tuple[SplitAssignment, Findings]:
    findings = Findings()
    return assign_splits(dialogues, findings, **options), findings


def test_the_authors_sizes() -> None:
    numbers = list(reversed(range(1500)))
    splits, findings = assign({language: listed(language, numbers) for language in LANGUAGES})
    assert not findings.counts
    assert Counter(splits.split_of.values()) == {"train": 1600, "validation": 400, "test": 4000}
    by_position = [splits.split_of[f"spa-{number:04d}"] for number in numbers]
    assert by_position == ["train"] * 400 + ["validation"] * 100 + ["test"] * 1000


def test_the_number_in_a_task_id_does_not_decide() -> None:
    splits, _ = assign({"eng": listed("eng", [1352, 3, 905, 0])}, sizes=SIZES)
    assert splits.split_of == {
        "eng-1352": "train",
        "eng-0003": "train",
        "eng-0905": "validation",
        "eng-0000": "test",
    }


def test_records_that_are_left_out_keep_their_positions() -> None:
    records = [None, dialogue_record(10), {"task_id": "ENG_11"}, dialogue_record(12), dialogue_record(13)]
    dialogues, _ = read_dialogues(records)
    splits, _ = assign({"eng": dialogues}, sizes=SIZES)
    assert splits.split_of == {"eng-0010": "train", "eng-0012": "test", "eng-0013": "test"}


def test_a_shorter_list_has_no_test_split() -> None:
    splits, findings = assign({"eng": listed("eng", list(range(150)))})
    assert set(splits.split_of.values()) == {"train"}
    assert not findings.counts


def test_a_leak_is_a_number_in_two_splits() -> None:
    dialogues = {"ara": listed("ara", [1, 2, 3, 4]), "eng": listed("eng", [1, 4, 3, 2])}
    splits, findings = assign(dialogues, sizes=SIZES)
    assert splits.leaks == (2, 4)
    assert kinds(findings) == {"split_leak"}
    assert [(one.place.record, one.detail) for one in findings] == [
        ("2", "ara train, eng test"),
        ("4", "ara test, eng train"),
    ]


def test_another_order_within_a_split_is_no_leak() -> None:
    splits, findings = assign({"ara": listed("ara", [2, 1, 3]), "eng": listed("eng", [1, 2, 3])}, sizes=SIZES)
    assert splits.leaks == ()
    assert not findings.counts


def test_numbers_that_a_language_lacks() -> None:
    dialogues = {"ara": listed("ara", [1, 2]), "eng": listed("eng", [1]), "spa": listed("spa", [1])}
    _, findings = assign(dialogues, sizes=SIZES)
    assert [(one.kind.name, one.place.record, one.detail) for one in findings] == [
        ("unequal_ids", "2", "not in eng spa")
    ]


def test_the_english_assignment_for_all_languages() -> None:
    dialogues = {"ara": listed("ara", [4, 3, 2, 1, 9]), "eng": listed("eng", [1, 2, 3, 4])}
    splits, findings = assign(dialogues, split_by="number", sizes=SIZES)
    assert splits.leaks == ()
    assert [splits.split_of[f"ara-000{number}"] for number in (1, 2, 3, 4)] == ["train", "train", "validation", "test"]
    assert "ara-0009" not in splits.split_of
    assert [(one.kind.name, one.place.record) for one in findings] == [("without_split", "ARA_9")]


def test_the_english_assignment_needs_english() -> None:
    with pytest.raises(ReleaseError, match="English"):
        assign({"ara": listed("ara", [1])}, split_by="number")


NAMED = {
    "ara": {"train": ["ara-0001"], "validation": [], "test": ["ara-0002"]},
    "eng": {"train": ["eng-0001"], "test": ["eng-0002"]},
}


def test_named_splits_decide() -> None:
    dialogues = {"ara": listed("ara", [1, 2]), "eng": listed("eng", [2, 1])}
    splits, findings = assign(dialogues, named=NAMED)
    assert splits.source == "the release's splits.json"
    assert splits.split_of == {"ara-0001": "train", "ara-0002": "test", "eng-0001": "train", "eng-0002": "test"}
    assert not findings.counts


def test_by_number_the_named_english_splits_decide_for_all() -> None:
    named = {"ara": {"test": ["ara-0001"]}, "eng": {"train": ["eng-0001"]}}
    dialogues = {"ara": listed("ara", [1]), "eng": listed("eng", [1])}
    assert assign(dialogues, named=named)[0].leaks == (1,)
    splits, _ = assign(dialogues, named=named, split_by="number")
    assert splits.source == "the English assignment (the release's splits.json)"
    assert splits.split_of == {"ara-0001": "train", "eng-0001": "train"}
    assert splits.leaks == ()


def test_named_splits_can_leak_and_can_leave_dialogues_out() -> None:
    named = {"ara": {"train": ["ara-0001"]}, "eng": {"test": ["eng-0001"]}}
    splits, findings = assign({"ara": listed("ara", [1, 2]), "eng": listed("eng", [1])}, named=named)
    assert splits.leaks == (1,)
    assert {(one.kind.name, one.place.record) for one in findings} == {
        ("split_leak", "1"),
        ("without_split", "ARA_2"),
    }


@pytest.mark.parametrize(
    "named",
    [
        [],
        "eng",
        7,
        True,
        {"eng": None},
        {"eng": []},
        {"eng": "eng-0001"},
        {"eng": {"train": None}},
        {"eng": {"train": "eng-0001"}},
        {"eng": {"train": {"eng-0001": 1}}},
        {"eng": {"train": [["eng-0001"]]}},
        {"eng": {"train": [{"id": "eng-0001"}]}},
    ],
)
def test_named_splits_of_another_form(named: object) -> None:
    with pytest.raises(ReleaseError, match=r"splits\.json: expected"):
        assign({"eng": listed("eng", [1])}, named=named)


@pytest.mark.parametrize(
    "named",
    [{"eng": {"train": ["eng-0001", "eng-0001"]}}, {"eng": {"train": ["eng-0001"], "test": ["eng-0001"]}}],
)
def test_a_dialogue_named_twice(named: object) -> None:
    with pytest.raises(ReleaseError, match="listed twice"):
        assign({"eng": listed("eng", [1])}, named=named)


@pytest.mark.parametrize("named", [{}, {"eng": {}}, {"eng": {"train": []}}, {"eng": {"train": [None, 7]}}])
def test_lists_that_name_no_dialogue(named: object) -> None:
    _, findings = assign({"eng": listed("eng", [1])}, named=named)
    assert findings.counts == {("without_split", "eng"): 1}


def test_the_manifest_lists_ids_in_list_order() -> None:
    dialogues = {"eng": listed("eng", [5, 3, 4, 1]), "spa": listed("spa", [5])}
    splits, _ = assign(dialogues, sizes=SIZES)
    assert splits.manifest(dialogues) == {
        "eng": {"train": ["eng-0005", "eng-0003"], "validation": ["eng-0004"], "test": ["eng-0001"]},
        "spa": {"train": ["spa-0005"], "validation": [], "test": []},
    }
    again, _ = assign(dialogues, named=splits.manifest(dialogues))
    assert again.split_of == splits.split_of
