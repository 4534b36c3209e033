"""Check a built data set before it is published: everything that the Hub, its viewer or the loader would refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hub.audio_check import check_audio
from hub.card import Card, read_card
from hub.card_check import check_card
from hub.content_check import check_content, check_text_files
from hub.croissant_check import check_croissant
from hub.errors import BenchError
from hub.faults import CARD_PLACE, Checked, ContentRules, Fault, Finding, NotChecked
from hub.file_check import check_files, published_files
from hub.first_rows import check_first_rows
from hub.footers import Footers, read_footers
from hub.parquet_check import check_parquet

__all__ = ["Checked", "ContentRules", "Fault", "check_folder"]


def check_folder(
    folder: Path, rules: ContentRules, more_checks: Sequence[Callable[[Card], Iterator[Finding]]] = ()
) -> Checked:
    """Run every checker on a built data set; none stops at a fault.

    Args:
        folder: The data set's folder.
        rules: What the data set allows in it.
        more_checks: Checkers that only this data set has.

    Raises:
        BenchError: There is no such folder.
    """
    from tqdm import tqdm

    if not folder.is_dir():
        raise BenchError(f"{folder}: there is no such folder. Build the data set first, or give its folder.")
    files = published_files(folder, rules)
    findings: list[Fault | NotChecked] = [*check_files(folder, rules), *check_text_files(folder, rules)]
    card = _card_of(folder)
    if isinstance(card, Fault):
        findings.append(card)
    else:
        footers = read_footers(tqdm(card.data_files, desc="footers", unit="file"))
        checkers = (
            check_card(card, _rows(card, footers)),
            check_parquet(card, footers),
            check_first_rows(card, footers),
            check_content(card, footers, rules),
            check_audio(card, footers),
            check_croissant(card, footers),
            *(check(card) for check in more_checks),
        )
        for checker in tqdm(checkers, desc="checks", unit="check"):
            findings.extend(checker)
    return Checked(
        faults=tuple(finding for finding in findings if isinstance(finding, Fault) and not finding.is_warning),
        not_checked=tuple(finding.line for finding in findings if isinstance(finding, NotChecked)),
        configs=0 if isinstance(card, Fault) else len(card.configs),
        files=len(files),
        bytes=sum(file.lstat().st_size for file in files),
        warnings=tuple(finding for finding in findings if isinstance(finding, Fault) and finding.is_warning),
    )


def _card_of(folder: Path) -> Card | Fault:
    """Return the card, or why it cannot be read."""
    try:
        return read_card(folder)
    except BenchError as error:
        return Fault("card_unreadable", CARD_PLACE, str(error))


def _rows(card: Card, footers: Footers) -> int | None:
    """Return the rows of all configs together; None if a file cannot be read."""
    if footers.unreadable:
        return None
    files = (file for config in card.configs for split in config.splits for file in card.files_of(config, split))
    return sum(footers.read[file].rows for file in files)
