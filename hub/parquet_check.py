"""Check Parquet files against their card and the viewer's limits, by their footers alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.binary_columns import binary_columns
from hub.card import Card, CardConfig
from hub.faults import Fault, config_place, path_place, split_place
from hub.footers import Footer, Footers

if TYPE_CHECKING:
    from datasets import DatasetInfo, Features

MAX_GROUP_BYTES = 300_000_000
"""Compressed bytes of a row group that the viewer fetches (August 2026)."""
MAX_AUDIO_GROUP_ROWS = 100
"""Rows of a row group with audio: what the viewer itself writes (dataset-viewer, libcommon/constants.py)."""
MAX_GROUP_ROWS = 1000
"""Rows of a row group without audio. This limit is ours: the viewer reads a whole row group for a page of 100 rows."""
MAX_COLUMNS = 1000
"""Columns that the viewer shows (August 2026)."""
MAX_COLUMN_NAME = 500
"""Characters of a column name that the viewer takes (libcommon/constants.py)."""
RESERVED_COLUMNS = frozenset({"__hf_index_id", "__hf_fts_score"})
"""Columns that the viewer's search adds (the same file, ROW_IDX_COLUMN and HF_FTS_SCORE)."""


def check_parquet(card: Card, footers: Footers) -> Iterator[Fault]:
    """Yield the faults of the data files.

    ``num_bytes`` of a split is the size of its rows in memory, which no footer knows: it is compared with
    ``dataset_size`` only. ``integers_differ_by_1`` is a warning.

    Args:
        card: The card that names them.
        footers: Footers of all ``card.data_files``.
    """
    yield from _check_names(card)
    for file in footers.unreadable:
        message = "no whole Parquet file: its footer cannot be read. Build the data set again."
        yield Fault("unreadable_parquet", path_place(card.folder, file), message)
    for file, footer in footers.read.items():
        for check, message in (*_check_groups(footer), *_check_columns(footer)):
            yield Fault(check, path_place(card.folder, file), message)
    for config in card.configs:
        yield from _ConfigCheck(card, config, footers).faults()


def _check_names(card: Card) -> Iterator[Fault]:
    """Yield globs without files, files named twice in a config, and data files of no config."""
    for config in card.configs:
        named: Counter[Path] = Counter()
        for split in config.splits:
            named.update(card.files_of(config, split))
            for glob in config.splits[split]:
                if not card.files_of(CardConfig(config.name, False, {split: (glob,)}, None), split):
                    message = (
                        f"no file matches {glob} (the viewer's EmptyDatasetError). Correct the path or build again."
                    )
                    yield Fault("glob_without_files", split_place(config.name, split), message)
        for file in (file for file, count in named.items() if count > 1):
            message = f"{path_place(card.folder, file)} belongs to several splits. Name it in one."
            yield Fault("file_in_two_splits", config_place(config.name), message)
    listed = set(card.data_files)
    for file in sorted((card.folder / "data").rglob("*.parquet")):
        if file not in listed and not any(part.startswith(".") for part in file.relative_to(card.folder).parts):
            message = "no config names this file, so nobody would load it. Remove it or name it in the card."
            yield Fault("file_without_config", path_place(card.folder, file), message)


def _check_groups(footer: Footer) -> Iterator[tuple[str, str]]:
    """Yield row groups that the viewer cannot fetch or cannot page through; one fault of each kind a file."""
    largest = max((group.compressed_bytes for group in footer.row_groups), default=0)
    longest = max((group.rows for group in footer.row_groups), default=0)
    limit = MAX_AUDIO_GROUP_ROWS if audio_columns(footer.features) else MAX_GROUP_ROWS
    if largest > MAX_GROUP_BYTES:
        yield (
            "row_group_bytes",
            f"a row group of {largest:,} compressed bytes; the viewer fetches {MAX_GROUP_BYTES:,}. "
            "Write smaller row groups.",
        )
    if longest > limit:
        yield (
            "row_group_rows",
            f"a row group of {longest:,} rows; the limit is {limit:,}. Write smaller row groups.",
        )
    bare = sorted({column for group in footer.row_groups if group.rows for column in group.columns_without_index})
    if bare:
        yield (
            "page_index",
            f"no page index for {', '.join(bare[:5])}{' and others' if len(bare) > 5 else ''}: the viewer would fetch "
            "whole row groups. Write with `write_page_index=True`.",
        )


def _check_columns(footer: Footer) -> Iterator[tuple[str, str]]:
    """Yield columns that the viewer refuses or that cost a split its statistics."""
    names = footer.schema.names
    if len(names) > MAX_COLUMNS:
        yield "too_many_columns", f"{len(names):,} columns; the viewer shows {MAX_COLUMNS:,}. Join or remove some."
    for name in names:
        if len(name) > MAX_COLUMN_NAME:
            yield (
                "column_name",
                f"the column {name[:40]}... has {len(name)} characters; the limit is {MAX_COLUMN_NAME}.",
            )
        if name in RESERVED_COLUMNS:
            yield "column_name", f"the viewer's search keeps the name {name} for itself. Rename the column."
    for name in binary_columns(footer.schema, footer.features):
        yield (
            "binary_column",
            f"the column {name} holds bytes, which nobody can look through for personal data and the viewer does not "
            "show. Make it text, numbers, Audio or Image.",
        )
    if footer.features is None:
        yield (
            "features_missing",
            "no features of `datasets` in the file's metadata (key huggingface), so classes and audio would be plain "
            "numbers and bytes. Write with `Features.arrow_schema`.",
        )
    elif not footer.features.arrow_schema.remove_metadata().equals(footer.schema):
        yield (
            "features_of_other_columns",
            "the features in the file's metadata (key huggingface) are not those of its columns. Build it again.",
        )


def audio_columns(features: Features | None) -> list[str]:
    """Return the top-level columns of type Audio."""
    from datasets import Audio

    return [name for name, feature in (features or {}).items() if isinstance(feature, Audio)]


@dataclass(frozen=True)
class _ConfigCheck:
    """Checks a config's files against each other and against its ``dataset_info``."""

    card: Card
    config: CardConfig
    footers: Footers

    def faults(self) -> Iterator[Fault]:
        """Yield the faults of the config."""
        files = [file for split in self.config.splits for file in self.card.files_of(self.config, split)]
        readable = [file for file in files if file in self.footers.read]
        first = self.footers.read[readable[0]] if readable else None
        yield from self._check_one_schema(readable, first)
        for split in self.config.splits:
            yield from self._check_statistics(split)
        info = self._info()
        if isinstance(info, Fault):
            yield info
        elif first is not None:
            yield from self._check_info(info, first)

    def _check_one_schema(self, files: list[Path], first: Footer | None) -> Iterator[Fault]:
        for file in files[1:]:
            other = self.footers.read[file]
            if first and (
                not other.schema.equals(first.schema)
                or (first.features and other.features and first.features != other.features)
            ):
                message = (
                    f"columns or features other than those of {path_place(self.card.folder, files[0])} in one config "
                    "(the viewer's StreamingRowsError). Build them from one schema."
                )
                yield Fault("schema_differs", path_place(self.card.folder, file), message)

    def _check_statistics(self, split: str) -> Iterator[Fault]:
        """Yield integer columns whose largest value is the smallest plus 1."""
        from datasets import Value

        found = [self.footers.read[file] for file in self._files(split) if file in self.footers.read]
        if not found or len(found) != len(self._files(split)) or found[0].features is None:
            return
        for name in found[0].ranges:
            ranges = [footer.ranges.get(name) for footer in found if footer.rows]
            if None in ranges or not isinstance(found[0].features.get(name), Value):
                continue
            low, high = min(one[0] for one in ranges if one), max(one[1] for one in ranges if one)
            if high - low == 1:
                message = (
                    f"the integers of column {name} are {low} and {high} only, at which the viewer loses the "
                    "statistics of the whole split. Make it a bool or a ClassLabel."
                )
                yield Fault("integers_differ_by_1", split_place(self.config.name, split), message, is_warning=True)

    def _info(self) -> DatasetInfo | Fault:
        """Return the config's ``dataset_info``, or why there is none."""
        from datasets.info import DatasetInfosDict
        from huggingface_hub import DatasetCardData

        place = config_place(self.config.name)
        if self.config.info is None:
            return Fault(
                "dataset_info_missing", place, "no entry in `dataset_info`. Write one with features and splits."
            )
        try:
            infos = DatasetInfosDict.from_dataset_card_data(DatasetCardData(dataset_info=[self.config.info]))
        except Exception as error:  # the loader raises whatever the malformed entry leads to
            reason = " ".join(str(error).split())[:200]
            return Fault("dataset_info_unreadable", place, f"`datasets` cannot read it ({reason}). Correct the entry.")
        found: DatasetInfo = next(iter(infos.values()))
        return found

    def _check_info(self, info: DatasetInfo, first: Footer) -> Iterator[Fault]:
        place = config_place(self.config.name)
        if first.features is not None and _columns(info.features) != _columns(first.features):
            message = (
                "features in `dataset_info` are not those of the files "
                f"({_difference(info.features, first.features)}). Write the card from the files."
            )
            yield Fault("dataset_info_features", place, message)
        splits = info.splits or {}
        if list(splits) != list(self.config.splits):
            message = (
                f"`dataset_info` has splits {', '.join(splits) or 'none'}, `configs` has "
                f"{', '.join(self.config.splits)}. Write both alike."
            )
            yield Fault("dataset_info_splits", place, message)
        for name in self.config.splits:
            rows = self._rows(name)
            if name in splits and rows is not None and splits[name].num_examples != rows:
                message = (
                    f"`dataset_info` says {splits[name].num_examples} rows, the files have {rows}; the loader "
                    "believes the card. Correct num_examples."
                )
                yield Fault("dataset_info_rows", split_place(self.config.name, name), message)
            if rows == 0:
                message = "no rows, which the viewer shows as an error. Leave the split out."
                yield Fault("empty_split", split_place(self.config.name, name), message)
        yield from self._check_sizes(info)

    def _check_sizes(self, info: DatasetInfo) -> Iterator[Fault]:
        place = config_place(self.config.name)
        sizes = [split.num_bytes or 0 for split in (info.splits or {}).values()]
        if not all(sizes) or info.dataset_size != sum(sizes):
            message = (
                f"`dataset_size` is {info.dataset_size}, the splits' num_bytes together are {sum(sizes)}. "
                "Correct them."
            )
            yield Fault("dataset_info_bytes", place, message)
        files = {file for split in self.config.splits for file in self._files(split)}
        on_disk = sum(file.stat().st_size for file in files)
        if info.download_size != on_disk:
            message = f"`download_size` is {info.download_size}, the files have {on_disk} bytes. Correct it."
            yield Fault("dataset_info_bytes", place, message)

    def _files(self, split: str) -> list[Path]:
        return self.card.files_of(self.config, split)

    def _rows(self, split: str) -> int | None:
        """Return the rows of a split; None if a file cannot be read or there is none."""
        files = self._files(split)
        if not files or any(file not in self.footers.read for file in files):
            return None
        return sum(self.footers.read[file].rows for file in files)


def _columns(features: Features | None) -> list[tuple[str, Any]]:
    """Return the columns in order, which comparing features leaves out."""
    return list((features or {}).items())


def _difference(card: Features | None, file: Features) -> str:
    """Return the first column in which the features of a card and of a file differ."""
    card = card or type(file)()
    for name in file:
        if name not in card:
            return f"{name} is missing"
        if card[name] != file[name]:
            return f"{name} is {card[name]} in the card and {file[name]} in the file"
    more = [name for name in card if name not in file]
    return f"{more[0]} is in no file" if more else "the order of the columns"
