"""Check that the Croissant metadata of a data set is valid and that its records are the rows of the files."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hub.card import Card
from hub.croissant import REPO, croissant_of, described_configs, escaped
from hub.faults import CARD_PLACE, Fault, Finding, NotChecked, config_place
from hub.footers import Footers

ROWS = 10
"""Rows of each split that are read through the metadata."""
_NOT_INSTALLED = NotChecked(
    "The Croissant metadata was not checked: mlcroissant is not installed. "
    "Run `pip install 'mlcroissant>=1.1,<2'` and check again."
)


def check_croissant(card: Card, footers: Footers) -> Iterator[Finding]:
    """Yield what mlcroissant finds wrong with the metadata that the Hub would generate, without a network.

    The first rows of each split are copied to a temporary folder in the layout of the Hub's ``refs/convert/parquet``,
    read through mlcroissant's ``mapping``, and compared with the same rows read by pyarrow. Kinds:
    ``croissant_invalid`` and ``croissant_records``.

    Args:
        card: The card.
        footers: Footers of its files; configs with unreadable files are passed over.
    """
    try:
        import mlcroissant
    except ImportError:
        yield _NOT_INSTALLED
        return
    from tqdm import tqdm

    configs = described_configs(card, footers)
    metadata = croissant_of(card, footers, f"org/{escaped(card.folder.resolve().name)}")
    columns = {name: _described_columns(metadata, name, features) for name, (_, features) in configs.items()}
    with TemporaryDirectory() as folder, _no_warnings():
        # A record set without columns, as one of recordings only, cannot be read.
        copied = {name: _copied_or_none(card, name, of, Path(folder)) for name, of in columns.items() if of}
        expected = {name: rows for name, rows in copied.items() if rows is not None}
        try:
            data_set = mlcroissant.Dataset(jsonld=metadata, mapping={REPO: folder})
        except mlcroissant.ValidationError as error:
            # Its lines: how many errors, the errors, how many warnings, the warnings.
            reason = str(error).splitlines()[1].strip(" -")
            yield Fault("croissant_invalid", CARD_PLACE, f"the Hub's Croissant metadata would not be valid: {reason}")
            return
        for name in tqdm(expected, desc="croissant", unit="config"):
            yield from _check_records(data_set, name, expected[name])


def _check_records(data_set: Any, config: str, expected: dict[str, list[dict[str, Any]]]) -> Iterator[Fault]:
    """Yield whether the two record sets of a config cannot be read or hold other values than its files."""
    name = escaped(config)
    try:
        splits = [_short(record)["split_name"] for record in data_set.records(f"{name}_splits")]
        records = [_short(record) for record in data_set.records(name)]
    except Exception as error:  # mlcroissant wraps whatever its many operations raise, and not all of it
        message = f"mlcroissant cannot read its records ({type(error).__name__}). Have plain columns and names."
        yield Fault("croissant_records", config_place(config), message)
        return
    if splits != list(expected):
        yield Fault("croissant_records", config_place(config), f"mlcroissant reads the splits {', '.join(splits)}.")
    for split, rows in expected.items():
        found = [record for record in records if record.get("split") == split]
        if len(found) != len(rows):
            message = f"mlcroissant reads {len(found)} of the first {len(rows)} rows of split {split}."
            yield Fault("croissant_records", config_place(config), message)
        different = {
            column for one, row in zip(found, rows, strict=False) for column in row if one.get(column) != row[column]
        }
        if different:
            message = f"mlcroissant reads other values of split {split} than the files have: {sorted(different)}."
            yield Fault("croissant_records", config_place(config), message)


def _described_columns(metadata: dict[str, Any], config: str, features: Any) -> list[str]:
    """Return the columns of a config that its record set describes."""
    record_set = next(one for one in metadata["recordSet"] if one["@id"] == escaped(config))
    fields = {field["@id"] for field in record_set["field"]}
    return [column for column in features if f"{escaped(config)}/{escaped(column)}" in fields]


def _copied_or_none(card: Card, config: str, columns: list[str], out: Path) -> dict[str, list[dict[str, Any]]] | None:
    """Return what ``_copy_first_rows`` does; None if rows cannot be read, which other checkers say."""
    import pyarrow as pa

    try:
        return _copy_first_rows(card, config, columns, out)
    except (pa.ArrowException, OSError):
        return None


def _copy_first_rows(card: Card, config: str, columns: list[str], out: Path) -> dict[str, list[dict[str, Any]]]:
    """Copy the first rows of each split below ``out``; return split -> rows as ``_plain`` makes them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (found,) = (one for one in card.configs if one.name == config)
    rows = {}
    for split in found.splits:
        files = card.files_of(found, split)
        if not files:
            continue
        with pq.ParquetFile(files[0]) as opened:
            batch = next(opened.iter_batches(ROWS, columns=columns), None)
            schema = pa.schema([opened.schema_arrow.field(column) for column in columns])
        table = schema.empty_table() if batch is None else pa.Table.from_batches([batch])
        file = out / config / split / "0000.parquet"
        file.parent.mkdir(parents=True)
        pq.write_table(table, file)
        rows[split] = [{escaped(column): _plain(value) for column, value in row.items()} for row in table.to_pylist()]
    return rows


def _short(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with its fields' own names, without those of the record set and the fields around them."""
    return {name.rsplit("/", 1)[-1]: _plain(value) for name, value in record.items()}


def _plain(value: Any) -> Any:
    """Return a value of mlcroissant or pyarrow in one form: text decoded, numbers Python's, nothing as None."""
    import pandas as pd

    if isinstance(value, dict):
        return {
            escaped(name) if "/" not in name else name.rsplit("/", 1)[-1]: _plain(one) for name, one in value.items()
        }
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if pd.isna(value) else value


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Keep the library's log quiet: it warns of every row's split, and of terms that the Hub does not fill."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
