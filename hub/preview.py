"""Write a preview of a built data set: local HTML pages with the first rows as the Hub's viewer shows them."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from hub.card import Card, CardConfig, read_card
from hub.errors import BenchError
from hub.faults import split_place
from hub.files import named_write_errors
from hub.first_rows import MAX_ROWS, AudioCell, first_rows
from hub.footers import read_footer
from hub.preview_cells import cell_of, type_name
from hub.preview_pages import (
    GENERATOR,
    INDEX,
    ConfigLink,
    PreviewColumn,
    PreviewRow,
    PreviewSplit,
    Site,
    config_page,
    index_page,
)

AUDIO_FOLDER = "audio"
EXTENSIONS = {"audio/flac": "flac", "audio/mpeg": "mp3", "audio/ogg": "ogg", "audio/wav": "wav"}
"""Media types that browsers play as they are, and how their files' names end."""

_RECORDING = re.compile(rf"[0-9a-f]{{64}}\.({'|'.join(EXTENSIONS.values())})")
_STAGING = ".preview-"
"""How the name of the folder starts in which a preview is made before it takes its place."""


def write_preview(folder: Path, out: Path, *, rows: int = MAX_ROWS) -> list[Path]:
    """Write a page for each config and ``index.html``; the recordings they play lie beside them in ``audio/``.

    An earlier preview in ``out`` is replaced, and stays whole until the new one is finished.

    Args:
        folder: A built data set.
        out: Where the pages go: a new or empty folder, or one with an earlier preview.
        rows: Rows shown of a split, 1 to 100; fewer where the viewer leaves out rows.

    Returns:
        ``index.html``, then the pages in the card's order.

    Raises:
        BenchError: The card cannot be read or names no config, a split has no file or an unreadable one, ``out`` is in
            the data set's folder or holds something else, ``rows`` is out of range, or a file cannot be written.
    """
    if not 1 <= rows <= MAX_ROWS:
        raise BenchError(
            f"{rows} rows cannot be shown: the viewer shows 1 to {MAX_ROWS}. Give a number in this range."
        )
    card = read_card(folder)
    if not card.configs:
        raise BenchError(f"{folder}: the card names no config, so there is nothing to show. Build the data set again.")
    with named_write_errors(out):
        _refuse_other_folders(folder, out)
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out, prefix=_STAGING) as staging:
            names = _write_pages(card, Path(staging), rows)
            _replace_preview(Path(staging), out)
    return [out / name for name in names]


@dataclass(frozen=True)
class _Recordings:
    """Writes recordings under names made of their content, so that none is written twice."""

    folder: Path

    def save(self, recording: AudioCell) -> str | None:
        """Write a recording and return its link; None for one in a format that browsers may not play as it is."""
        extension = EXTENSIONS.get(recording.media_type)
        if extension is None:
            return None
        name = f"{sha256(recording.content).hexdigest()}.{extension}"
        file = self.folder / AUDIO_FOLDER / name
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(recording.content)
        return f"{AUDIO_FOLDER}/{name}"


def _write_pages(card: Card, staging: Path, rows: int) -> list[str]:
    """Write the pages and recordings, and return the pages' names, ``index.html`` first."""
    recordings = _Recordings(staging)
    site = Site(_name(card), tuple(_link(card, config) for config in card.configs))
    for config, link in zip(card.configs, site.links, strict=True):
        splits = [_split(card, config, split, rows, recordings) for split in config.splits]
        (staging / link.file).write_text(config_page(site, config.name, splits), encoding="utf-8")
    (staging / INDEX).write_text(index_page(site), encoding="utf-8")
    return [INDEX, *(link.file for link in site.links)]


def _name(card: Card) -> str:
    name = card.metadata.get("pretty_name")
    return name if isinstance(name, str) and name else card.folder.resolve().name


def _link(card: Card, config: CardConfig) -> ConfigLink:
    rows = {split: _row_count(card, config, split) for split in config.splits}
    return ConfigLink(config.name, config.name, config.is_default, rows)


def _row_count(card: Card, config: CardConfig, split: str) -> int:
    """Return the number of rows that the files of a split have, whatever the card says."""
    files = card.files_of(config, split)
    if not files:
        place = split_place(config.name, split)
        raise BenchError(f"{card.folder}, {place}: the card's globs match no file. Build the data set again.")
    with _named_read_errors(card, config.name, split):
        return sum(read_footer(file).rows for file in files)


def _split(card: Card, config: CardConfig, split: str, rows: int, recordings: _Recordings) -> PreviewSplit:
    """Return what the page shows of a split."""
    with _named_read_errors(card, config.name, split):
        found = first_rows(card.files_of(config, split), config.name, split)
    columns = tuple(
        PreviewColumn(name, type_name(feature), type_name(feature, whole=True))
        for name, feature in found.features.items()
    )
    shown = tuple(
        PreviewRow(row.index, tuple(cell_of(row, name, found.features[name], recordings.save) for name in row.cells))
        for row in found.rows[:rows]
    )
    return PreviewSplit(split, _row_count(card, config, split), columns, shown)


@contextmanager
def _named_read_errors(card: Card, config: str, split: str) -> Iterator[None]:
    """Turn a failed read of a split into an error that names it."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        place = split_place(config, split)
        raise BenchError(f"{card.folder}, {place}: a file cannot be read as Parquet. Build it again.") from error


def _refuse_other_folders(folder: Path, out: Path) -> None:
    """Raise ``BenchError`` unless ``out`` is outside the data set and holds nothing but an earlier preview."""
    source, place = folder.resolve(), out.resolve()
    if place == source or source in place.parents:
        raise BenchError(
            f"{out}: lies in the data set's folder, where pages would be published with it. Give another folder."
        )
    if out.exists() and not (out.is_dir() and all(_is_ours(entry) for entry in out.iterdir())):
        raise BenchError(f"{out}: holds something else than an earlier preview. Give a new or an empty folder.")


def _is_ours(entry: Path) -> bool:
    """Return whether a file or folder was written by an earlier preview, be it a broken one."""
    if entry.is_symlink():
        return False
    if entry.is_dir():
        is_audio = entry.name == AUDIO_FOLDER and all(_is_recording(file) for file in entry.iterdir())
        return is_audio or entry.name.startswith(_STAGING)
    return entry.suffix == ".html" and f'content="{GENERATOR}"'.encode() in entry.read_bytes()[:1000]


def _is_recording(file: Path) -> bool:
    return _RECORDING.fullmatch(file.name) is not None and file.is_file() and not file.is_symlink()


def _replace_preview(staging: Path, out: Path) -> None:
    """Move a finished preview into place, recordings before the pages that play them, then remove what it lacks."""
    made = sorted((file.relative_to(staging) for file in staging.rglob("*") if file.is_file()), key=_move_order)
    for name in made:
        (out / name).parent.mkdir(exist_ok=True)
        (staging / name).replace(out / name)
    for entry in (*out.glob("*.html"), *out.glob(f"{AUDIO_FOLDER}/*")):
        if entry.relative_to(out) not in made:
            entry.unlink()
    if not any(name.parent.name for name in made) and (out / AUDIO_FOLDER).exists():
        (out / AUDIO_FOLDER).rmdir()
    for left in out.glob(f"{_STAGING}*"):
        if left != staging:
            shutil.rmtree(left)


def _move_order(name: Path) -> tuple[bool, bool, str]:
    """Sort recordings first, ``index.html`` last."""
    return not name.parent.name, name.name == INDEX, name.name
