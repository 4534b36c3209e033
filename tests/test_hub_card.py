"""Reading a data set card: its YAML with the line of a fault, its configs, the files that its globs match."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.card import matching_files, read_card
from hub.errors import BenchError

CONFIGS = """
- config_name: first
  data_files:
  - split: train
    path: data/first/*.parquet
  - split: test
    path:
    - data/b.parquet
    - data/a.parquet
- config_name: second
  default: true
  data_files:
  - split: test
    path: data/a.parquet"""
INFO = """
dataset_info:
- config_name: second
  dataset_size: 3"""


def write_card(folder: Path, block: str) -> Path:
    (folder / "README.md").write_text(f"---\n{block}\n---\n\n# Title\n", encoding="utf-8")
    return folder


def write_files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_configs_are_read_in_order_with_their_splits_and_info(tmp_path: Path) -> None:
    card = read_card(write_card(tmp_path, f"license: mit\nconfigs:{CONFIGS}{INFO}"))
    first, second = card.configs
    assert first.splits == {"train": ("data/first/*.parquet",), "test": ("data/b.parquet", "data/a.parquet")}
    assert (first.name, first.is_default, first.info) == ("first", False, None)
    assert (second.name, second.is_default) == ("second", True)
    assert second.info == {"config_name": "second", "dataset_size": 3}
    assert card.metadata["license"] == "mit"
    assert card.text.strip() == "# Title"


def test_one_dataset_info_may_be_a_mapping(tmp_path: Path) -> None:
    configs = "\n- config_name: default\n  data_files:\n  - split: test\n    path: a.parquet"
    card = read_card(write_card(tmp_path, f"configs:{configs}\ndataset_info:\n  dataset_size: 3"))
    assert card.configs[0].info == {"dataset_size": 3}


def test_files_keep_the_order_of_the_globs_and_come_once(tmp_path: Path) -> None:
    write_files(tmp_path, "data/a.parquet", "data/b.parquet", "data/first/2.parquet", "data/first/1.parquet")
    card = read_card(write_card(tmp_path, f"configs:{CONFIGS}"))
    names = [file.name for file in card.files_of(card.configs[0], "test")]
    assert names == ["b.parquet", "a.parquet"]
    assert [file.name for file in card.data_files] == ["1.parquet", "2.parquet", "b.parquet", "a.parquet"]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("data/*.parquet", ["data/a.parquet"]),
        ("data/**/*.parquet", ["data/a.parquet", "data/deep/er/b.parquet"]),
        ("data/deep/**", ["data/deep/er/b.parquet"]),
        ("data/**.parquet", []),
        ("data/.hidden.parquet", ["data/.hidden.parquet"]),
        ("data/__special__/*", ["data/__special__/c.parquet"]),
        ("data", []),
        ("nothing/*", []),
        ("../*.parquet", []),
        ("", []),
    ],
)
def test_globs_match_what_the_loader_matches(tmp_path: Path, glob: str, expected: list[str]) -> None:
    folder = tmp_path / "a [b] folder"
    write_files(
        folder,
        *("data/a.parquet", "data/deep/er/b.parquet", "data/.hidden.parquet", "data/__special__/c.parquet"),
        "../outside.parquet",
    )
    assert [file.relative_to(folder).as_posix() for file in matching_files(folder, glob)] == expected


@pytest.mark.parametrize("glob", ["data/*.parquet", "data/**/*.parquet", "data/deep/**", "data/.hidden.parquet"])
def test_globs_match_as_in_datasets(tmp_path: Path, glob: str) -> None:
    from datasets.data_files import resolve_pattern

    write_files(tmp_path, "data/a.parquet", "data/deep/er/b.parquet", "data/.hidden.parquet")
    theirs = resolve_pattern(glob, str(tmp_path))
    assert [str(file) for file in matching_files(tmp_path, glob)] == sorted(theirs)


def test_an_absolute_glob_matches_nothing(tmp_path: Path) -> None:
    write_files(tmp_path, "a.parquet")
    assert matching_files(tmp_path, str(tmp_path / "a.parquet")) == []


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("license: mit\nlanguage: [th", "line 3: the card's YAML is not valid"),
        ("license: mit\n\tlanguage: th", "line 3: the card's YAML is not valid"),
        ("license: mit\nlanguage: th\nlicense: other", "line 4: the key 'license' stands here a second time"),
        ("configs:\n- config_name: a\n  config_name: b", "line 4: the key 'config_name'"),
        ("date: 2026-13-45", "YAML is not valid"),
        ("- a list", "line 2: .* list of `key: value` lines"),
        ("configs: data/*.parquet", "`configs` must be a list"),
        ("configs:\n- data_files: []", "no `config_name`"),
        ("configs:\n- config_name: a\n  data_files: '*.parquet'", "`data_files` of config a must be a list"),
        ("configs:\n- config_name: a\n  data_files: ['*.parquet']", "`data_files` of config a must be a list"),
        ("configs:\n- config_name: a\n  data_files:\n  - split: test", "an entry of `data_files` of config a"),
        (
            "configs:\n- config_name: a\n  data_files:\n  - split: 1\n    path: a",
            "an entry of `data_files` of config a",
        ),
        (
            "configs:\n- config_name: a\n  data_files:\n  - {split: t, path: a}\n  - {split: t, path: b}",
            "config a has split t twice",
        ),
        ("dataset_info: 3", "`dataset_info` must be a mapping, or a list"),
    ],
)
def test_a_card_that_cannot_be_read_is_refused_with_the_reason(tmp_path: Path, block: str, message: str) -> None:
    with pytest.raises(BenchError, match=message):
        read_card(write_card(tmp_path, block))


@pytest.mark.parametrize("text", ["", "# Title\n", "---\nlicense: mit\n", "\n---\nlicense: mit\n---\n"])
def test_a_card_without_a_yaml_block_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    with pytest.raises(BenchError, match="line 1: the card has no YAML block"):
        read_card(tmp_path)


def test_a_missing_card_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="there is no card"):
        read_card(tmp_path)


def test_a_card_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(b"---\nlicense: m\xedt\n---\n")
    with pytest.raises(BenchError, match="not UTF-8"):
        read_card(tmp_path)
