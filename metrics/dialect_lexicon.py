"""The lexicon of a dialect: reads the tab-separated file of its words and looks words up by any spelling."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

COLUMNS = ("form", "variants", "central", "part_of_speech", "gloss", "certainty", "source")
PARTS_OF_SPEECH = (
    *("particle", "pronoun", "question", "negator", "verb", "noun", "adjective", "adverb"),
    *("preposition", "conjunction", "classifier", "numeral", "exclamation", "prefix"),
)
CERTAINTIES = ("exclusive", "shared", "context")
SOURCES = ("general", "facts8")

_SEPARATOR = "|"
_OPTIONAL = ("variants",)
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "part_of_speech": PARTS_OF_SPEECH,
    "certainty": CERTAINTIES,
    "source": SOURCES,
}


class LexiconError(ValueError):
    """A lexicon's file cannot be read: the text names the file, the line, the column and what to do."""


@dataclass(frozen=True)
class LexiconEntry:
    """One word of a dialect.

    Attributes:
        form: The dialect's word in its usual spelling.
        variants: Its other spellings; may be empty.
        central: Its Central Thai equivalents; at least one.
        part_of_speech: One of `PARTS_OF_SPEECH`.
        gloss: Its sense in English.
        certainty: ``exclusive`` (nearly only this dialect), ``shared`` (several dialects, but not Central) or
            ``context`` (also a Central string: counts beside other markers, or alone if it is rare in Central text).
        source: ``general`` (general knowledge) or ``facts8`` (known only from figures on the benchmark's own rows).
    """

    form: str
    variants: tuple[str, ...]
    central: tuple[str, ...]
    part_of_speech: str
    gloss: str
    certainty: str
    source: str

    @property
    def spellings(self) -> tuple[str, ...]:
        """The form, then its variants."""
        return (self.form, *self.variants)


@dataclass(frozen=True)
class Lexicon:
    """The words of one dialect, in the order of their file.

    Attributes:
        name: The file's name without its ending, for instance ``lanna``.
        entries: The words; no spelling stands twice.
        sha256: Hash of the file's bytes, 64 hexadecimal digits: belongs in the signature of a score.
    """

    name: str
    entries: tuple[LexiconEntry, ...]
    sha256: str = field(repr=False)

    @cached_property
    def by_spelling(self) -> Mapping[str, LexiconEntry]:
        """Form or variant -> entry."""
        return {spelling: entry for entry in self.entries for spelling in entry.spellings}

    def find(self, text: str) -> LexiconEntry | None:
        """Looks a word up.

        Args:
            text: A word in NFC.

        Returns:
            The entry that has it as its form or as a variant, or None.
        """
        return self.by_spelling.get(text)

    def without_source(self, source: str) -> tuple[LexiconEntry, ...]:
        """Returns the entries of the other sources, so that figures can be given with and without, say, ``facts8``.

        Raises:
            ValueError: If the source is none of `SOURCES`.
        """
        if source not in SOURCES:
            raise ValueError(f"unknown source {source!r}; choose one of {', '.join(SOURCES)}")
        return tuple(entry for entry in self.entries if entry.source != source)

    def __len__(self) -> int:
        return len(self.entries)


def read_lexicon(file: Path) -> Lexicon:
    """Reads a dialect's lexicon.

    Args:
        file: UTF-8, tab separated; the first line names the `COLUMNS`, every other line is an entry with several
            variants or Central equivalents separated by ``|``.

    Returns:
        The lexicon, with the hash of exactly the bytes that were read.

    Raises:
        LexiconError: If the file is missing or not UTF-8, its header differs, a line has not as many cells as there
            are columns, a cell is empty (only ``variants`` may be), has spaces around it, is not NFC or holds a value
            that is not allowed, a spelling stands twice, or a spelling is its own Central equivalent although its
            certainty is not ``context``.
    """
    try:
        content = file.read_bytes()
        text = content.decode("utf-8")
    except OSError as error:
        raise LexiconError(f"{file}: cannot be read ({error.strerror}); give the path of a lexicon's file") from error
    except UnicodeDecodeError as error:
        raise LexiconError(f"{file}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    # Not splitlines(): it would also cut at characters that are no line ends in a tab-separated file.
    header, *lines = text.removesuffix("\n").split("\n")
    if header != "\t".join(COLUMNS):
        raise LexiconError(f"{file}, line 1: the header must be the columns {', '.join(COLUMNS)}, separated by tabs")
    entries = [_entry(line, f"{file}, line {number}") for number, line in enumerate(lines, start=2)]
    _refuse_repeated_spellings(entries, file)
    return Lexicon(file.stem, tuple(entries), hashlib.sha256(content).hexdigest())


def _entry(line: str, place: str) -> LexiconEntry:
    values = line.split("\t")
    if len(values) != len(COLUMNS):
        raise LexiconError(f"{place}: {len(values)} cells, expected {len(COLUMNS)}: {', '.join(COLUMNS)}")
    cells = dict(zip(COLUMNS, values, strict=True))
    for column, value in cells.items():
        _check_cell(column, value, f"{place}, column {column}")
    entry = LexiconEntry(
        form=cells["form"],
        variants=tuple(cells["variants"].split(_SEPARATOR)) if cells["variants"] else (),
        central=tuple(cells["central"].split(_SEPARATOR)),
        part_of_speech=cells["part_of_speech"],
        gloss=cells["gloss"],
        certainty=cells["certainty"],
        source=cells["source"],
    )
    _refuse_central_spelling(entry, place)
    return entry


def _check_cell(column: str, value: str, place: str) -> None:
    if not value and column not in _OPTIONAL:
        raise LexiconError(f"{place}: is empty; fill it in or remove the line")
    if unicodedata.normalize("NFC", value) != value:
        raise LexiconError(f"{place}: {value!r} is not NFC; normalize it")
    if column == "form" and _SEPARATOR in value:
        raise LexiconError(f"{place}: {value!r} holds '{_SEPARATOR}'; write other spellings under variants")
    parts = value.split(_SEPARATOR) if value else []
    if any(not part or part != part.strip() for part in parts):
        raise LexiconError(f"{place}: {value!r} has an empty part or spaces around one; remove them")
    if len(set(parts)) != len(parts):
        raise LexiconError(f"{place}: {value!r} names something twice; keep one")
    if column in _CHOICES and value not in _CHOICES[column]:
        raise LexiconError(f"{place}: {value!r} is unknown; choose one of {', '.join(_CHOICES[column])}")


def _refuse_central_spelling(entry: LexiconEntry, place: str) -> None:
    if entry.certainty == "context":
        return
    for column, spellings in (("form", (entry.form,)), ("variants", entry.variants)):
        for spelling in set(spellings) & set(entry.central):
            raise LexiconError(
                f"{place}, column {column}: {spelling!r} is also its Central equivalent; remove it or set the "
                "certainty to context"
            )


def _refuse_repeated_spellings(entries: list[LexiconEntry], file: Path) -> None:
    first_lines: dict[str, int] = {}
    for number, entry in enumerate(entries, start=2):
        for position, spelling in enumerate(entry.spellings):
            if spelling in first_lines:
                column = "variants" if position else "form"
                raise LexiconError(
                    f"{file}, line {number}, column {column}: {spelling!r} already stands in line "
                    f"{first_lines[spelling]}; keep one"
                )
            first_lines[spelling] = number
