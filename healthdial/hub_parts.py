"""The part of a built data set that may be public: the configs without recordings, under their own card."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from healthdial.build import SPLITS_FILE
from healthdial.card import TERMS_FILE, TEXT_CARD_FILE
from healthdial.data import REPORT_FILE
from hub.card import CARD_FILE, read_card
from hub.errors import BenchError

_ABOUT = (TERMS_FILE, SPLITS_FILE, REPORT_FILE)


def has_recordings(folder: Path) -> bool:
    """Return whether a built data set has recordings; a build with them writes the card of its texts too."""
    return (folder / TEXT_CARD_FILE).is_file()


@contextmanager
def text_part(folder: Path, *, whole: bool = False) -> Iterator[Path]:
    """Yield a folder with the texts of a built data set alone: a copy while the block runs.

    Args:
        folder: A built data set.
        whole: Yield it as it is, with its recordings. A data set built without audio is yielded as it is anyway.

    Raises:
        BenchError: The copy cannot be written.
    """
    if whole or not has_recordings(folder):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="healthdial-texts-") as temporary:
        part = Path(temporary) / "healthdial"
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
