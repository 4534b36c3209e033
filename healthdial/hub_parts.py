"""The part of a built data set that may be public: the configs without recordings, under their own card."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from healthdial.build import SPLITS_FILE
from healthdial.card import TERMS_FILE, TEXT_CARD_FILE
from healthdial.data import REPORT_FILE
from healthdial.languages import LANGUAGES
from healthdial.schema import columns_of, config_names
from hub.card import CARD_FILE, read_card
from hub.errors import BenchError
from hub.scratch import scratch_folder

_ABOUT = (TERMS_FILE, SPLITS_FILE, REPORT_FILE)


def has_recordings(folder: Path) -> bool:
    """Return whether any Parquet file of a built data set holds a recording, whatever its cards say."""
    from hub.publish_recordings import files_with_recordings

    return bool(files_with_recordings(sorted((folder / "data").rglob("*.parquet"))))


def files_for_recordings(paths: Iterable[str]) -> list[str]:
    """Return those of the paths in a data set whose configs have a column for recordings, in order."""
    configs = {name for name in config_names(tuple(LANGUAGES)) if "audio" in columns_of(name)}
    found = ((path, re.fullmatch(r"data/(\w+)/[^/]+\.parquet", path)) for path in sorted(paths))
    return [path for path, match in found if match and match.group(1) in configs]


@contextmanager
def text_part(folder: Path, *, whole: bool = False) -> Iterator[Path]:
    """Yield a folder with the texts of a built data set alone: a copy while the block runs.

    Args:
        folder: A built data set.
        whole: Yield it as it is, with its recordings. A data set built without audio is yielded as it is anyway.

    Raises:
        BenchError: It has recordings but no card of its texts, or the copy cannot be written.
    """
    if whole or not has_recordings(folder):
        yield folder
        return
    if not (folder / TEXT_CARD_FILE).is_file():
        raise BenchError(
            f"{folder}: holds recordings but no {TEXT_CARD_FILE}, the card under which its texts go alone; build it "
            "again"
        )
    with scratch_folder("healthdial-texts-") as temporary:
        part = temporary / "healthdial"
        try:
            part.mkdir()
            shutil.copyfile(folder / TEXT_CARD_FILE, part / CARD_FILE)
            card = read_card(part)
            files = [file for config in card.configs for globs in config.splits.values() for file in globs]
            plots = [path.relative_to(folder).as_posix() for path in sorted(folder.glob("plots/*.png"))]
            for name in (*_ABOUT, *plots, *files):
                (part / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(folder / name, part / name)
        except OSError as error:
            raise BenchError(
                f"{folder}: its texts cannot be copied to {temporary} ({error.strerror or error}); build again, or "
                "make room there (TMPDIR names another place)"
            ) from error
        yield part
