"""Build the data set: rows to Parquet and a card, the same bytes for the same input."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.files import named_write_errors, write_atomically
from thai_dialect_bench.release import Release, read_release
from thai_dialect_bench.rows import build_rows, parallel_rows
from thai_dialect_bench.schema import CONFIGS, PACKAGE_FOLDER, SPLIT, parallel_features, row_features

if TYPE_CHECKING:
    from datasets import Features

SAMPLE_FOLDER = PACKAGE_FOLDER / "sample"


@dataclass(frozen=True)
class BuiltConfig:
    """One config on disk.

    Attributes:
        name: Name of the config.
        file: Parquet file relative to the data set's folder, with forward slashes.
        rows: Number of rows.
        file_bytes: Size of the Parquet file.
        table_bytes: Size of the Arrow table in memory.
        features: Column types in the card's YAML form.
    """

    name: str
    file: str
    rows: int
    file_bytes: int
    table_bytes: int
    features: Any


@dataclass(frozen=True)
class BuiltDataset:
    """A built data set.

    Attributes:
        folder: Where it lies.
        origin: ``release@<commit>``, ``modified@<fingerprint>`` or ``sample``.
        configs: Its configs in order.
        modified: Parts that differ from the pinned commit.
    """

    folder: Path
    origin: str
    configs: tuple[BuiltConfig, ...]
    modified: tuple[str, ...]


def build_sample(out: Path) -> BuiltDataset:
    """Build the bundled sample into ``out``."""
    return build(read_release(SAMPLE_FOLDER, sample=True), out)


def build(release: Release, out: Path) -> BuiltDataset:
    """Write Parquet files and the card into ``out``; what was there before stays whole until the new is complete.

    Every file is written under a temporary name and renamed. File names carry the content's hash, so a reader that
    caches by name never serves older rows.

    Args:
        release: The release to build from.
        out: The data set's folder; made if missing.

    Raises:
        BenchError: The folder cannot be written or the disk is full.
    """
    from thai_dialect_bench.card import TERMS_FILE, render_card, render_terms

    configs = build_rows(release)
    with named_write_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        built = tuple(
            _write_config(name, _config_rows(name, configs), _config_features(name), out) for name in CONFIGS
        )
        write_atomically(out / TERMS_FILE, render_terms(release).encode("utf-8"))
        write_atomically(out / "README.md", render_card(release, configs, built).encode("utf-8"))
        _remove_stale(out, {config.file for config in built})
    return BuiltDataset(out, release.origin, built, release.modified)


def _config_rows(name: str, configs: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a config as plain records."""
    return parallel_rows(configs) if name == "parallel" else [asdict(row) for row in configs[name]]


def _config_features(name: str) -> Features:
    """Return the column types of a config."""
    return parallel_features() if name == "parallel" else row_features()


def _write_config(name: str, rows: list[dict[str, Any]], features: Features, out: Path) -> BuiltConfig:
    """Write one config as one Parquet file with a page index."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(rows, schema=features.arrow_schema)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_index=True, write_batch_size=50, row_group_size=100)
    content = sink.getvalue().to_pybytes()
    file = f"data/{name}/{SPLIT}-{hashlib.sha256(content).hexdigest()[:16]}.parquet"
    write_atomically(out / file, content)
    return BuiltConfig(name, file, len(rows), len(content), table.nbytes, features._to_yaml_list())


def _remove_stale(out: Path, current: set[str]) -> None:
    """Remove Parquet files of earlier builds of our configs; anything else in the folder is left alone."""
    for name in CONFIGS:
        for file in (out / "data" / name).glob(f"{SPLIT}-*.parquet"):
            if file.relative_to(out).as_posix() not in current:
                file.unlink()
