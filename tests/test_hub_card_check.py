"""The check of a card: each way of breaking it is refused with its own fault, and good data sets give none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hub.card import CardConfig, read_card
from hub.card_check import check_card
from hub.vocabulary import is_language, size_category
from tests.hub_folders import Metadata, copy_of, edit_card, entry, faults_of

ROWS = 161


@pytest.fixture
def folder(sample_data: Path, tmp_path: Path) -> Path:
    return copy_of(sample_data, tmp_path)


def setting(**values: Any) -> Callable[[Metadata], None]:
    """Return an edit that sets keys, and removes those set to None."""

    def edit(metadata: Metadata) -> None:
        for key, value in values.items():
            if value is None:
                metadata.pop(key)
            else:
                metadata[key] = value

    return edit


def card_faults(folder: Path, rows: int | None = ROWS) -> list[tuple[str, str]]:
    return [(fault.check, fault.place) for fault in check_card(read_card(folder), rows)]


@pytest.mark.parametrize(
    ("values", "check"),
    [
        ({"license": "mitt"}, "licence_unknown"),
        ({"license": ["mit", "mitt"]}, "licence_unknown"),
        ({"license": None}, "metadata_missing"),
        ({"language": None}, "metadata_missing"),
        ({"language": []}, "metadata_missing"),
        ({"language": ["th", "xx"]}, "language_unknown"),
        ({"language": ["th", "Thai"]}, "language_unknown"),
        ({"language": ["th", "TH"]}, "language_unknown"),
        ({"language": [False]}, "language_unknown"),
        ({"task_categories": ["summarisation"]}, "task_category_unknown"),
        ({"task_categories": None}, "metadata_missing"),
        ({"size_categories": None}, "metadata_missing"),
        ({"size_categories": ["1K<n<10K"]}, "size_category_wrong"),
        ({"size_categories": ["n<1K", "1K<n<10K"]}, "size_category_wrong"),
        ({"multilinguality": ["many"]}, "multilinguality_unknown"),
        ({"language_creators": ["robot"]}, "creator_unknown"),
        ({"annotations_creators": ["robot"]}, "creator_unknown"),
        ({"license": "other", "license_link": "https://example.org"}, "licence_name"),
        ({"license": "other", "license_name": "own"}, "licence_link"),
        ({"license": "other", "license_name": "own", "license_link": "LICENSE.md"}, "licence_link"),
        ({"license": "other", "license_name": "own", "license_link": "terms"}, "licence_link"),
        ({"viewer": False}, "viewer_off"),
        ({"viewer": "false"}, "viewer_no_boolean"),
        ({"viewer": "true"}, "viewer_no_boolean"),
        ({"viewer": 0}, "viewer_no_boolean"),
    ],
)
def test_metadata_outside_the_hubs_vocabulary_is_refused(folder: Path, values: Metadata, check: str) -> None:
    (folder / "LICENSE.md").unlink()
    edit_card(folder, setting(**values))
    assert faults_of(folder) == [(check, "card")]


def test_a_size_category_that_the_hub_does_not_know_is_refused(folder: Path) -> None:
    edit_card(folder, setting(size_categories=["small"]))
    assert faults_of(folder) == [("size_category_unknown", "card"), ("size_category_wrong", "card")]


@pytest.mark.parametrize(
    "values",
    [
        {"license": "cc-by-nc-sa-4.0"},
        {"language": "th"},
        {"language": ["tts", "nod", "sou", "zho", "zh", "code"]},
        {"license": "other", "license_name": "own", "license_link": "https://example.org/terms"},
        {"viewer": True},
        {"annotations_creators": ["no-annotation"]},
    ],
)
def test_metadata_of_the_hubs_vocabulary_is_taken(folder: Path, values: Metadata) -> None:
    edit_card(folder, setting(**values))
    assert faults_of(folder) == []


@pytest.mark.parametrize("link", [None, "LICENSE.md"])
def test_a_licence_of_its_own_may_lie_beside_the_card(folder: Path, link: str | None) -> None:
    (folder / "LICENSE.md").write_text("Terms.\n", encoding="utf-8")
    edit_card(folder, setting(license="other", license_name="own", **({"license_link": link} if link else {})))
    assert faults_of(folder) == []


def test_two_default_configs_are_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: entry(metadata, "configs", "isan").update(default=True))
    assert [fault for fault in faults_of(folder) if fault[0] != "configs_unreadable"] == [("default_config", "card")]


def test_no_default_config_is_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: entry(metadata, "configs", "central").pop("default"))
    assert faults_of(folder) == [("default_config", "card")]


def test_a_config_that_stands_twice_is_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: metadata["configs"].append(entry(metadata, "configs", "isan")))
    assert card_faults(folder) == [("config_repeated", "card")]


def test_a_card_without_configs_is_refused(folder: Path) -> None:
    edit_card(folder, setting(configs=None, dataset_info=None))
    assert card_faults(folder) == [("configs_missing", "card")]


def test_info_of_an_unknown_config_is_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: metadata["dataset_info"].append({"config_name": "lao"}))
    assert faults_of(folder) == [("dataset_info_unknown", "card")]


def test_info_that_stands_twice_is_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: metadata["dataset_info"].append(entry(metadata, "dataset_info", "isan")))
    assert faults_of(folder) == [("config_repeated", "card")]


@pytest.mark.parametrize(("splits", "expected"), [(30, []), (31, [("too_many_splits", "config isan")])])
def test_more_than_30_splits_are_refused(folder: Path, splits: int, expected: list[tuple[str, str]]) -> None:
    parts = [{"split": f"part_{number}", "path": f"data/{number}.parquet"} for number in range(splits)]
    edit_card(folder, lambda metadata: entry(metadata, "configs", "isan").update(data_files=parts))
    assert card_faults(folder) == expected


@pytest.mark.parametrize(("configs", "expected"), [(4000, []), (4001, [("too_many_configs", "card")])])
def test_more_than_4000_configs_are_refused(folder: Path, configs: int, expected: list[tuple[str, str]]) -> None:
    card = read_card(folder)
    more = (CardConfig(f"config_{number}", False, {"test": ("a.parquet",)}, None) for number in range(configs))
    card = replace(card, configs=(*card.configs, *more)[:configs])
    assert [(fault.check, fault.place) for fault in check_card(card, ROWS)] == expected


@pytest.mark.parametrize("split", ["all", "All", "te-st", "te st", ""])
def test_a_split_name_that_the_loader_refuses_is_refused(folder: Path, split: str) -> None:
    edit_card(folder, lambda metadata: entry(metadata, "configs", "isan")["data_files"][0].update(split=split))
    assert card_faults(folder) == [("split_name", f"config isan, split {split}")]


@pytest.mark.parametrize("name", ["north/east", "a:b", "a*"])
def test_a_config_name_that_the_loader_refuses_is_refused(folder: Path, name: str) -> None:
    def rename(metadata: Metadata) -> None:
        for key in ("configs", "dataset_info"):
            entry(metadata, key, "isan")["config_name"] = name

    edit_card(folder, rename)
    assert faults_of(folder) == [("config_name", f"config {name}")]


def test_a_config_without_files_is_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: entry(metadata, "configs", "isan").update(data_files=[]))
    assert card_faults(folder) == [("config_without_files", "config isan")]


def test_a_key_that_yaml_reads_as_true_is_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: metadata.update({True: "x"}))
    assert faults_of(folder) == [("metadata_key", "card")]


def test_config_settings_that_datasets_cannot_read_are_refused(folder: Path) -> None:
    edit_card(folder, lambda metadata: entry(metadata, "configs", "isan").update(features=[{"dtype": "string"}]))
    assert faults_of(folder) == [("configs_unreadable", "card")]


@pytest.mark.parametrize(
    ("rows", "name"),
    [
        *((0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (9_999_999, "1M<n<10M"), (10**7, "10M<n<100M")),
        *((10**12 - 1, "100B<n<1T"), (10**12, "n>1T")),
    ],
)
def test_size_categories_are_the_hubs(rows: int, name: str) -> None:
    from datasets.utils import resources

    assert size_category(rows) == name
    assert f'"{name}"' in (Path(resources.__file__).parent / "size_categories.json").read_text(encoding="utf-8")


def test_the_size_is_not_judged_by_rows_that_are_not_known(folder: Path) -> None:
    edit_card(folder, setting(size_categories=["1M<n<10M"]))
    assert card_faults(folder, None) == []


@pytest.mark.parametrize(
    ("code", "known"),
    [("th", True), ("tts", True), ("zho", True), ("xx", False), ("qqq", False), ("t", False), ("thai", False)],
)
def test_languages_are_those_of_iso_639(code: str, known: bool) -> None:
    assert is_language(code) == known
