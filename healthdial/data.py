"""Read a built data set, from a folder or the Hub: rows without their audio, and recordings by id."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from healthdial.schema import DATA_VARIABLE, columns_of
from hub.errors import BenchError
from hub.location import DataLocation

if TYPE_CHECKING:
    import numpy as np

    from healthdial.tables import Row

REPORT_FILE = "import_report.json"


@dataclass(frozen=True)
class BuiltData:
    """A built data set.

    Attributes:
        location: Where it lies.
    """

    location: DataLocation

    def rows(self, config: str, split: str) -> list[Row]:
        """Return the rows of a split as plain dicts, class labels by name, without the column ``audio``.

        Raises:
            BenchError: There is no such config or split, or it cannot be fetched.
        """
        import pyarrow.parquet as pq

        columns = {name: kind for name, kind in columns_of(config).items() if kind != "audio"}
        classes = {name: kind for name, kind in columns.items() if isinstance(kind, tuple)}
        rows = []
        for file in self._files(config, split):
            for row in pq.read_table(file, columns=list(columns)).to_pylist():
                named = {name: None if row[name] is None else kind[row[name]] for name, kind in classes.items()}
                rows.append(row | named)
        return rows

    def recordings(self, config: str, split: str, utterance_ids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Yield (utterance id, its FLAC or WAV file) in the order of the rows; ids without audio are left out.

        Only the row groups that hold one of the ids are read.
        """
        import pyarrow.parquet as pq

        wanted = set(utterance_ids)
        for file in self._files(config, split):
            opened = pq.ParquetFile(file)
            for group in range(opened.num_row_groups):
                ids = opened.read_row_group(group, columns=["utterance_id"])["utterance_id"].to_pylist()
                if wanted.isdisjoint(ids):
                    continue
                audio = opened.read_row_group(group, columns=["audio"])["audio"]
                for utterance_id, one in zip(ids, audio, strict=True):
                    if utterance_id in wanted and one.is_valid:
                        yield utterance_id, one["bytes"].as_py()

    def splits(self, config: str) -> tuple[str, ...]:
        """Return the splits of a config that have rows; none if there is no such config."""
        configs = {one["config_name"]: one["data_files"] for one in self._metadata()["configs"]}
        return tuple(one["split"] for one in configs.get(config, ()))

    @property
    def origin(self) -> str:
        """``sample`` or ``release@<fingerprint>``."""
        return str(json.loads(self._fetch(REPORT_FILE).read_text(encoding="utf-8"))["origin"])

    def _files(self, config: str, split: str) -> list[Path]:
        """Return the Parquet files of a split, fetched if need be."""
        configs = {one["config_name"]: one["data_files"] for one in self._metadata()["configs"]}
        if config not in configs:
            raise BenchError(f"{self.location.path}: no config {config}; there are {', '.join(configs)}")
        splits = {one["split"]: one["path"] for one in configs[config]}
        if split not in splits:
            raise BenchError(f"{self.location.path}: {config} has no split {split}; it has {', '.join(splits)}")
        paths: Sequence[str] = [splits[split]] if isinstance(splits[split], str) else splits[split]
        return [self._fetch(path) for path in paths]

    def _metadata(self) -> dict[str, Any]:
        """Return the card's YAML block."""
        card = self._fetch("README.md")
        return _card_metadata(card, card.stat().st_mtime_ns)

    def _fetch(self, file: str) -> Path:
        """Return a file of the data set on this machine."""
        if self.location.is_local:
            return Path(self.location.path) / file
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

        try:
            fetched = hf_hub_download(self.location.path, file, repo_type="dataset", revision=self.location.revision)
        except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
            raise BenchError(
                f"{self.location.path}: {file} cannot be fetched from the Hub ({type(error).__name__}); go online "
                f"without HF_HUB_OFFLINE, or set {DATA_VARIABLE} to a folder that `healthdial build` made"
            ) from error
        return Path(fetched)


@functools.lru_cache(maxsize=4)
def _card_metadata(card: Path, _modified_ns: int) -> dict[str, Any]:
    """Return a card's YAML block; a card that was written anew is read anew."""
    import yaml

    _, block, _ = card.read_text(encoding="utf-8").split("---\n", 2)
    loaded: dict[str, Any] = yaml.load(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return loaded


def decoded(content: bytes) -> np.ndarray:
    """Return the samples of a recording of the data set.

    Args:
        content: Bytes of its FLAC or WAV file.

    Returns:
        Shape (n,), float32 in [-1, 1), 16 kHz mono.
    """
    import io

    import soundfile

    samples, _ = soundfile.read(io.BytesIO(content), dtype="float32")
    return samples
