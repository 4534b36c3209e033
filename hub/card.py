"""Read a data set card: its YAML block, its configs with their files, its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from hub.errors import BenchError

CARD_FILE = "README.md"
MARK = "---"


@dataclass(frozen=True)
class CardConfig:
    """A config (subset) of the card.

    Attributes:
        name: Its ``config_name``.
        is_default: Whether it is marked as the default.
        splits: Split name -> globs of its files, relative to the folder, in the card's order.
        info: Its entry in ``dataset_info``; None without one.
    """

    name: str
    is_default: bool
    splits: dict[str, tuple[str, ...]]
    info: dict[str, Any] | None


@dataclass(frozen=True)
class Card:
    """A data set card.

    Attributes:
        folder: The data set's folder.
        metadata: The YAML block.
        text: What follows the block.
        configs: Its configs in order.
    """

    folder: Path
    metadata: dict[str, Any]
    text: str
    configs: tuple[CardConfig, ...]

    def files_of(self, config: CardConfig, split: str) -> list[Path]:
        """Return the files of a split in the loader's order: glob by glob, sorted within each, none twice."""
        found = (file for glob in config.splits[split] for file in matching_files(self.folder, glob))
        return list(dict.fromkeys(found))

    @property
    def data_files(self) -> list[Path]:
        """All files of all configs, none twice."""
        found = (file for config in self.configs for split in config.splits for file in self.files_of(config, split))
        return list(dict.fromkeys(found))


def read_card(folder: Path) -> Card:
    """Read the card of a data set.

    Args:
        folder: Where its ``README.md`` lies.

    Raises:
        BenchError: There is no card or no YAML block, the block is no valid YAML (its line is named), or ``configs``
            or ``dataset_info`` have a shape that the loader cannot read.
    """
    file = folder / CARD_FILE
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise BenchError(f"{file}: there is no card. Build the data set again.") from error
    except UnicodeDecodeError as error:
        raise BenchError(f"{file}: the card is not UTF-8 (byte {error.start}). Save it as UTF-8.") from error
    if not lines or lines[0] != MARK or MARK not in lines[1:]:
        raise BenchError(
            f"{file}, line 1: the card has no YAML block. Its first line must be ---, and another --- must close it."
        )
    end = lines.index(MARK, 1)
    metadata = _parse_yaml(file, "\n".join(lines[1:end]))
    return Card(folder, metadata, "\n".join(lines[end + 1 :]), _configs(file, metadata))


def matching_files(folder: Path, glob: str) -> list[Path]:
    """Return the files below ``folder`` that match a glob of a card, sorted; hidden ones as little as the loader.

    ``*`` stops at slashes and ``**`` does not. A glob that leaves the folder matches nothing.
    """
    from fsspec.implementations.local import LocalFileSystem

    if glob.startswith("/") or ".." in Path(glob).parts or not glob:
        return []
    try:
        found = LocalFileSystem().glob(f"{escape(str(folder.resolve()))}/{glob}")
    except ValueError:  # fsspec's for `**` beside other characters, which the loader cannot read either
        return []
    asks_for_hidden = any(part.startswith((".", "__")) for part in Path(glob).parts)
    paths = sorted(Path(path).relative_to(folder.resolve()) for path in found)
    return [folder / path for path in paths if (folder / path).is_file() and (asks_for_hidden or not _is_hidden(path))]


def _is_hidden(path: Path) -> bool:
    """Return whether ``datasets`` (data_files.py, 5.2) passes a file over unless a glob names it."""
    return any(part.startswith(".") for part in path.parts) or any(part.startswith("__") for part in path.parts[:-1])


def _parse_yaml(file: Path, block: str) -> dict[str, Any]:
    """Return the YAML block; a key given twice is a fault, as it is for the Hub."""
    import yaml

    try:
        root = yaml.compose(block, Loader=yaml.SafeLoader)
        if root is not None:
            _refuse_repeated_keys(file, root)
        metadata = yaml.safe_load(block)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 2}" if mark else ""
        raise BenchError(
            f"{file}{line}: the card's YAML is not valid ({error.problem}). Correct that line."
        ) from error
    except (yaml.YAMLError, ValueError) as error:
        raise BenchError(f"{file}: the card's YAML is not valid ({error}). Correct it.") from error
    if not isinstance(metadata, dict):
        raise BenchError(f"{file}, line 2: the card's YAML must be a list of `key: value` lines.")
    return metadata


def _refuse_repeated_keys(file: Path, node: Any) -> None:
    """Raise ``BenchError`` with the line of a key that a mapping has twice, anywhere below ``node``."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        seen: set[Any] = set()
        for key, value in node.value:
            if isinstance(key.value, str) and key.value in seen:
                raise BenchError(
                    f"{file}, line {key.start_mark.line + 2}: the key {key.value!r} stands here a second time. "
                    "Remove one of the two."
                )
            seen.add(key.value if isinstance(key.value, str) else id(key))
            _refuse_repeated_keys(file, value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_repeated_keys(file, item)


def _configs(file: Path, metadata: Mapping[str, Any]) -> tuple[CardConfig, ...]:
    """Return the card's configs, each with its ``dataset_info``."""
    entries = metadata.get("configs") or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BenchError(f"{file}: `configs` must be a list with an entry for each config.")
    infos = {info.get("config_name", "default"): info for info in dataset_infos(metadata, file)}
    return tuple(_config(file, entry, infos) for entry in entries)


def _config(file: Path, entry: Mapping[str, Any], infos: Mapping[str, dict[str, Any]]) -> CardConfig:
    """Return one config of the card."""
    name = entry.get("config_name")
    if not isinstance(name, str) or not name:
        raise BenchError(f"{file}: an entry of `configs` has no `config_name` that is text. Give it one.")
    parts = entry.get("data_files")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise BenchError(f"{file}: `data_files` of config {name} must be a list of entries with `split` and `path`.")
    splits: dict[str, tuple[str, ...]] = {}
    for part in parts:
        split, path = part.get("split"), part.get("path")
        globs = [path] if isinstance(path, str) else path
        is_list = isinstance(globs, list) and all(isinstance(glob, str) for glob in globs)
        if set(part) != {"split", "path"} or not isinstance(split, str) or not is_list:
            raise BenchError(
                f"{file}: an entry of `data_files` of config {name} is not a `split` (text) with a `path` (text or a "
                "list of texts)."
            )
        if split in splits:
            raise BenchError(f"{file}: config {name} has split {split} twice. List all its paths in one entry.")
        splits[split] = tuple(globs or ())
    return CardConfig(name, entry.get("default") is True, splits, infos.get(name))


def dataset_infos(metadata: Mapping[str, Any], file: Path) -> list[dict[str, Any]]:
    """Return the entries of ``dataset_info``, which may be one mapping or a list.

    Args:
        metadata: The YAML block.
        file: The card, for the message.

    Raises:
        BenchError: It is neither.
    """
    infos = metadata.get("dataset_info") or []
    infos = [infos] if isinstance(infos, dict) else infos
    if not isinstance(infos, list) or not all(isinstance(info, dict) for info in infos):
        raise BenchError(f"{file}: `dataset_info` must be a mapping, or a list of one mapping for each config.")
    return infos
