"""Lengths of texts and lists that cost the viewer's statistics are warnings, counted over a whole split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from datasets import LargeList, List, Value

from hub.card import read_card
from hub.content_check import check_content
from hub.faults import ContentRules, Fault
from hub.footers import read_footers
from tests.hub_folders import copy_of, made_table, replace_table

STRING = Value("string")


@pytest.fixture
def folder(sample_data: Path, tmp_path: Path) -> Path:
    return copy_of(sample_data, tmp_path)


def warnings(folder: Path, values: list[Any], feature: Any, row_group_size: int = 4) -> list[Fault]:
    replace_table(folder, "isan", made_table({"value": values}, {"value": feature}), row_group_size=row_group_size)
    card = read_card(folder)
    return list(check_content(card, read_footers(card.data_files), ContentRules()))


def words(count: int, *lengths: int) -> list[str]:
    """Return different words with the lengths in turn."""
    return [f"{number:0{lengths[number % len(lengths)]}}" for number in range(count)]


@pytest.mark.parametrize(
    ("values", "feature", "is_warning"),
    [
        (words(11, 9, 10), STRING, True),
        (words(11, 9, 10), Value("large_string"), True),
        ([*words(10, 9, 10), None], STRING, True),
        ([word.replace("0", "ก") for word in words(11, 9, 10)], STRING, True),
        (words(10, 9, 10), STRING, False),
        (words(10, 9, 10) * 5, STRING, False),
        (words(11, 9), STRING, False),
        (words(11, 9, 11), STRING, False),
        ([*words(11, 9, 10), "a"], STRING, False),
        ([[1], [1, 2]], List(Value("int32")), True),
        ([[1], [1, 2]], LargeList(Value("int32")), True),
        ([["a"], None, []], List(STRING), True),
        ([[{"a": 1, "b": "c"}], []], List({"a": Value("int32"), "b": STRING}), True),
        ([["a"], ["b"]], List(STRING), False),
        ([[], ["a"], ["b", "c"]], List(STRING), False),
        ([None, None], List(STRING), False),
        ([None] * 12, STRING, False),
    ],
)
def test_lengths_that_differ_by_1(folder: Path, values: list[Any], feature: Any, is_warning: bool) -> None:
    found = warnings(folder, values, feature)
    assert [(fault.check, fault.place, fault.is_warning) for fault in found] == [
        ("lengths_differ_by_1", "config isan, split test", True)
    ] * is_warning


def test_the_message_says_what_was_measured(folder: Path) -> None:
    (text,) = warnings(folder, words(11, 9, 10), STRING)
    (items,) = warnings(folder, [[1], [1, 2]], List(Value("int32")))
    assert text.message.startswith("the texts of column value are 9 or 10 characters long")
    assert items.message.startswith("the lists of column value are 1 or 2 items long")


@pytest.mark.parametrize("row_group_size", [1, 3, 100])
def test_distinct_texts_and_lengths_are_counted_over_all_row_groups(folder: Path, row_group_size: int) -> None:
    assert len(warnings(folder, sorted(words(11, 9, 10), key=len), STRING, row_group_size)) == 1
