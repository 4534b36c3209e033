"""Copies of a built data set for tests of the check, and ways to break them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from hub.check import check_folder
from hub.faults import ContentRules
from hub.vocabulary import size_category

Metadata = dict[Any, Any]
HEALTHDIAL_RULES = ContentRules(
    owned_files=(r"splits\.json", r"import_report\.json", r"README\.text\.md", r"plots/[^/]+\.png")
)


def copy_of(source: Path, tmp_path: Path) -> Path:
    """Return a copy of a data set that a test may break."""
    return shutil.copytree(source, tmp_path / "data_set")


def faults_of(folder: Path, rules: ContentRules | None = None) -> list[tuple[str, str]]:
    """Return kind and place of everything that the whole check finds."""
    return [(fault.check, fault.place) for fault in check_folder(folder, rules or ContentRules()).faults]


def warnings_of(folder: Path) -> list[tuple[str, str]]:
    """Return kind and place of everything that costs the viewer's statistics only."""
    return [(warning.check, warning.place) for warning in check_folder(folder, ContentRules()).warnings]


def edit_card(folder: Path, edit: Callable[[Metadata], Any]) -> None:
    """Change the card's YAML block."""
    card = folder / "README.md"
    _, block, text = card.read_text(encoding="utf-8").split("---\n", 2)
    metadata = yaml.safe_load(block)
    edit(metadata)
    block = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True)
    card.write_text(f"---\n{block}---\n{text}", encoding="utf-8")


def entry(metadata: Metadata, key: str, config: str) -> Metadata:
    """Return a config's entry under ``configs`` or ``dataset_info``."""
    found: Metadata = next(one for one in metadata[key] if one["config_name"] == config)
    return found


def file_of(folder: Path, config: str) -> Path:
    """Return the only file of a config."""
    (file,) = (folder / "data" / config).glob("*.parquet")
    return file


def read_table(folder: Path, config: str) -> pa.Table:
    return pq.read_table(file_of(folder, config))


def replace_table(folder: Path, config: str, table: pa.Table, **writing: Any) -> Path:
    """Write other rows for a config in the layout of a build, and correct all that the card says of them.

    Args:
        folder: The data set.
        config: A config with the one split ``test``.
        table: Rows with the metadata of ``datasets``, which become the features in the card.
        writing: Options for ``pyarrow``, besides and before those of a build.
    """
    from datasets import Features

    file_of(folder, config).unlink()
    file = folder / "data" / config / "test-0123456789abcdef.parquet"
    options: Mapping[str, Any] = {"write_page_index": True, "row_group_size": 100, "write_batch_size": 50, **writing}
    pq.write_table(table, file, **options)

    def correct(metadata: Metadata) -> None:
        entry(metadata, "configs", config)["data_files"][0]["path"] = file.relative_to(folder).as_posix()
        info = entry(metadata, "dataset_info", config)
        info["features"] = Features.from_arrow_schema(table.schema)._to_yaml_list()
        info["splits"] = [{"name": "test", "num_bytes": table.nbytes, "num_examples": len(table)}]
        info["dataset_size"], info["download_size"] = table.nbytes, file.stat().st_size
        rows = sum(split["num_examples"] for one in metadata["dataset_info"] for split in one["splits"])
        metadata["size_categories"] = [size_category(rows)]

    edit_card(folder, correct)
    return file


def made_table(columns: Mapping[str, list[Any]], features: Mapping[str, Any]) -> pa.Table:
    """Return a table with the features of ``datasets``."""
    from datasets import Features

    return pa.table(dict(columns), schema=Features(dict(features)).arrow_schema)
