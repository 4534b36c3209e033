"""Check every text of a built data set for personal data, paths of a machine and null bytes; in bounded memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.card import Card
from hub.contacts import DoubtfulContact, PublicContacts
from hub.faults import ContentRules, Fault, path_place, split_place
from hub.file_check import published_files
from hub.footers import Footers
from hub.length_check import Lengths, list_columns
from hub.personal_data import ACCOUNT_ID, EMAIL, IP_ADDRESS, contacts_in, described, kinds_in

if TYPE_CHECKING:
    import pyarrow.parquet as pq
    from tqdm import tqdm

BATCH_ROWS = 1000
"""Rows whose texts are in memory at once."""
SHOWN_POSITIONS = 5
"""Rows or lines that a fault names."""
TEXT_SUFFIXES = frozenset({".md", ".json", ".jsonl", ".txt", ".csv", ".yaml", ".yml", ".gitattributes"})
_TEXT_TYPES = frozenset({"STRING", "JSON", "ENUM"})
_ARROW_SCHEMA = b"ARROW:schema"
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass
class Positions:
    """Where one kind was found.

    Attributes:
        first: The first positions.
        count: Number of all.
    """

    first: list[int] = field(default_factory=list)
    count: int = 0

    def add(self, position: int) -> None:
        """Count a position, once."""
        if self.first[-1:] == [position]:
            return
        self.count += 1
        if len(self.first) < SHOWN_POSITIONS:
            self.first.append(position)

    def told(self, unit: str) -> str:
        """Return the positions in words, such as ``rows 3, 7 and 2 more``."""
        shown = ", ".join(map(str, self.first))
        more = f" and {self.count - len(self.first)} more" if self.count > len(self.first) else ""
        return f"{unit}{'s' if self.count > 1 else ''} {shown}{more}"


def check_content(card: Card, footers: Footers, rules: ContentRules) -> Iterator[Fault]:
    """Yield a fault for each column of a split and each kind of unwanted content in it; never the content itself.

    Also yields, as warnings, columns whose lengths cost the viewer's statistics (`hub.length_check`).

    Reads the text columns of one batch of one row group at a time, and the files' own metadata. Rows count from 0
    within the split, as in the viewer.

    Args:
        card: The card.
        footers: Footers of its files; unreadable files are passed over.
        rules: Patterns of the data set, and the texts that may hold contacts of the public.
    """
    from tqdm import tqdm

    size = sum(group.compressed_bytes for footer in footers.read.values() for group in footer.row_groups)
    public = PublicContacts(rules)
    checks: list[_SplitCheck] = []
    with tqdm(total=size, desc="texts", unit="B", unit_scale=True) as bar:
        for config in card.configs:
            for split in config.splits:
                files = [file for file in card.files_of(config, split) if file in footers.read]
                for file in files:
                    yield from _check_file_metadata(card.folder, file, rules)
                checks.append(_SplitCheck(config.name, split, rules, public, bar))
                for file in files:
                    yield from checks[-1].read(card.folder, file)
    # Only now every contact of the public is known.
    for check in checks:
        yield from check.faults()


def check_text_files(folder: Path, rules: ContentRules) -> Iterator[Fault]:
    """Yield unwanted content of the card, the licence and all other text files, and of the names of all files.

    Args:
        folder: The data set's folder.
        rules: Its patterns, and which files are left alone.
    """
    for path in published_files(folder, rules):
        name = path.relative_to(folder).as_posix()
        for kind in kinds_in(name, {EMAIL: rules.patterns[EMAIL]} if EMAIL in rules.patterns else {}):
            if kind in (EMAIL, ACCOUNT_ID):
                place = path_place(folder, path.parent)
                yield Fault(kind, place, f"the name of a file here holds {described(kind)}. Build with other names.")
        if path.is_file() and not path.is_symlink() and (path.suffix or path.name) in TEXT_SUFFIXES:
            yield from _check_text_file(folder, path, rules)


@dataclass(frozen=True)
class _Text:
    """A text of a row.

    Attributes:
        column: Its column; a field of a record is named as in ``turns.text``.
        text: The text.
        record: The row or record that it is a field of, as far as that is text.
    """

    column: str
    text: str
    record: Mapping[str, Any]


@dataclass
class _SplitCheck:
    """Collects what stands in the texts of one split."""

    config: str
    split: str
    rules: ContentRules
    public: PublicContacts
    bar: tqdm[Any]
    rows: int = 0
    found: dict[tuple[str, str], Positions] = field(default_factory=dict)
    doubtful: list[DoubtfulContact] = field(default_factory=list)
    lengths: Lengths = field(default_factory=Lengths)

    def read(self, folder: Path, file: Path) -> Iterator[Fault]:
        """Read the texts of a file; yields only whether it cannot be read."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        start = self.rows
        try:
            with pq.ParquetFile(file) as opened:
                columns = list(dict.fromkeys((*text_columns(opened), *list_columns(opened))))
                for number in range(opened.num_row_groups):
                    if columns:
                        self._read_row_group(opened, number, columns)
                    self.rows = start = start + opened.metadata.row_group(number).num_rows
                    self.bar.update(_compressed_bytes(opened.metadata.row_group(number)))
        except (pa.ArrowException, OSError):
            yield Fault("unreadable_rows", path_place(folder, file), "its rows cannot be read. Build again.")

    def faults(self) -> Iterator[Fault]:
        """Yield what was found; call it when all splits of all configs have been read."""
        place = split_place(self.config, self.split)
        for contact in self.doubtful:
            if not self.public.knows(contact):
                self._add(contact.column, contact.kind, contact.row)
        for (column, kind), positions in sorted(self.found.items()):
            where = f"{positions.told('row')}, column {column}"
            yield Fault(kind, place, f"{where}: {described(kind)}. Remove or mask it and build again.")
        yield from self.lengths.warnings(place)

    def _read_row_group(self, opened: pq.ParquetFile, number: int, columns: list[str]) -> None:
        row = self.rows
        for batch in opened.iter_batches(BATCH_ROWS, row_groups=[number], columns=columns):
            self.lengths.add(batch)
            for offset, cells in enumerate(batch.to_pylist()):
                for text in _texts("", cells):
                    self._check(text, row + offset)
            row += len(batch)

    def _check(self, text: _Text, row: int) -> None:
        for kind in kinds_in(text.text, self.rules.patterns):
            if kind == IP_ADDRESS or kind in self.rules.patterns:
                self._check_contacts(kind, text, row)
            else:
                self._add(text.column, kind, row)

    def _check_contacts(self, kind: str, text: _Text, row: int) -> None:
        """Sort the contacts of a kind in a text: public, a fault, or one or the other as other texts will show."""
        rules = [
            rule for rule in self.rules.allowed_contacts if rule.covers(kind, self.config, text.column, text.record)
        ]
        if not rules:
            self._add(text.column, kind, row)
            return
        contacts = [contact for found, contact in contacts_in(text.text, self.rules.patterns) if found == kind]
        if any(not rule.known_from for rule in rules):
            self.public.add(self.config, kind, contacts)
        else:
            known_from = tuple(name for rule in rules for name in rule.known_from)
            self.doubtful += [DoubtfulContact(text.column, row, kind, contact, known_from) for contact in contacts]

    def _add(self, column: str, kind: str, row: int) -> None:
        self.found.setdefault((column, kind), Positions()).add(row)


def text_columns(opened: pq.ParquetFile) -> list[str]:
    """Return the paths of a file's leaf columns that hold text, such as ``turns.list.element.text``."""
    columns = (opened.schema.column(number) for number in range(len(opened.schema)))
    return [column.path for column in columns if column.logical_type.type in _TEXT_TYPES]


def _compressed_bytes(group: pq.RowGroupMetaData) -> int:
    return sum(group.column(number).total_compressed_size for number in range(group.num_columns))


def _texts(column: str, value: Any, record: Mapping[str, Any] | None = None) -> Iterator[_Text]:
    """Yield the texts of a row or of a value in it."""
    if isinstance(value, str):
        yield _Text(column, value, record or {})
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(f"{column}.{key}".lstrip("."), inner, value)
    elif isinstance(value, (list, tuple)):  # a map's items are pairs
        for inner in value:
            yield from _texts(column, inner, record)


def _check_file_metadata(folder: Path, file: Path, rules: ContentRules) -> Iterator[Fault]:
    """Yield unwanted content of the keys and values in a Parquet file's footer."""
    import pyarrow.parquet as pq

    entries = pq.read_metadata(file).metadata or {}
    texts = (f"{_decoded(key)} {_decoded(value)}" for key, value in entries.items() if key != _ARROW_SCHEMA)
    for kind in sorted({kind for text in texts for kind in kinds_in(text, rules.patterns)}):
        yield Fault(kind, path_place(folder, file), f"{described(kind)} in the file's metadata. Build again.")


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _check_text_file(folder: Path, file: Path, rules: ContentRules) -> Iterator[Fault]:
    """Yield one fault for each kind of unwanted content of a text file."""
    found: dict[str, Positions] = {}
    with file.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            texts = _strings_of_json(line) if file.suffix == ".json" else [line]
            for kind in (kind for text in texts for kind in kinds_in(text, rules.patterns)):
                found.setdefault(kind, Positions()).add(number)
    for kind, positions in sorted(found.items()):
        where = positions.told("line")
        yield Fault(kind, path_place(folder, file), f"{where}: {described(kind)}. Remove it and build again.")


def _strings_of_json(line: str) -> Iterable[str]:
    """Return the strings of a line of JSON without escapes; the line itself, where they cannot be read."""
    try:
        return [json.loads(literal, strict=False) for literal in _JSON_STRING.findall(line)]
    except ValueError:
        return [line]
