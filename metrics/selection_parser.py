"""Reads the list of snippet ids, or of their numbers, out of a model's answer."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.asr_normalization import unify_digits

Span = tuple[int, int]
"""Positions of an opening bracket and of its closing one."""

_QUOTES = "'\""
_CURLY_QUOTES = str.maketrans("“”„‟‘’‚‛", 4 * '"' + 4 * "'")
_COMMAS = str.maketrans("،、", ",,")
_TICK_BOX = re.compile(r"^([ \t]*(?:[-*+•]|\d+[.)])[ \t]+)\[[ xX]\](?=[ \t]+\S)", re.MULTILINE)


@dataclass(frozen=True)
class Selection:
    """What an answer selects.

    Attributes:
        ids: The candidates named, in the order of the answer, each once.
        unknown: Number of entries that name no candidate; they are dropped.
        is_parsed: Whether a list was found; without one, `ids` is empty and says nothing.

    Raises:
        ValueError: If there are ids that were not parsed.
    """

    ids: tuple[str, ...] = ()
    unknown: int = 0
    is_parsed: bool = True

    def __post_init__(self) -> None:
        if self.ids and not self.is_parsed:
            raise ValueError("a selection that is not parsed has no ids; pass is_parsed=True, or no ids")

    @property
    def is_usable(self) -> bool:
        """Whether the answer says something: candidates, or that there are none (``[]``)."""
        return self.is_parsed and (bool(self.ids) or not self.unknown)


def numbered(candidates: Sequence[str]) -> dict[str, str]:
    """Short names for candidates: ``1`` to ``k`` in their order."""
    return {str(number): candidate for number, candidate in enumerate(candidates, start=1)}


def parse_selection(answer: str, candidates: Sequence[str] | Mapping[str, str]) -> Selection:
    """Reads the last list of an answer.

    The last balanced ``[...]`` counts, whatever stands around it (prose, a code fence, a JSON object). It is read as
    JSON. Where that fails, its entries are split at commas: single quotes and a comma at the end are accepted, bare
    words only where every one of them names a candidate. An entry may be a string, a whole number (``1.0`` too) or an
    object with an ``id``. Answer and names are compared after Unicode's NFKC, with digits of any script as 0-9 and
    the Arabic and the Chinese enumeration comma as commas.

    | answer | candidates a, b (or 1, 2) | why |
    |---|---|---|
    | ``["b", "a", "b"]`` | b, a | order of the answer, once |
    | ``[]`` | none | a valid answer |
    | ``["c", "a"]`` | a, 1 unknown | dropped and counted |
    | ``[2, "1"]``, ``[2.0, {"id": 1}]`` | b, a where numbered | numbers as written by models |
    | ``['a', 'b']``, ``[a, b]``, ``[“a”, “b”]``, ``\\[a, b\\]`` | a, b | no other reading |
    | ``[1，2]``, ``［１、２］``, ``[١، ٢]`` | a, b where numbered | the same in other scripts |
    | ``["a"] as in [source]`` | not parsed | the last list is none of ids |
    | ``[] if none. Mine: ["a", "b`` | not parsed | a list cut off must not turn into an older one |
    | ``["a"] fits; otherwise [] is right`` | not parsed | none is said only where nothing else is |
    | ``{"ids": ["a"], "note": "not [b]"}`` | a | the only list of an object, whatever its texts hold |
    | ``{"ids": ["a"], "rejected": ["b"]}`` | not parsed | no telling which list is meant |
    | ``- [ ] a`` | not parsed | a tick box of Markdown is no list |
    | no ``[...]`` | not parsed | not the same as none |

    Args:
        answer: What the model wrote.
        candidates: The ids shown to the model, or a mapping of the names shown to ids (`numbered`).

    Returns:
        The selection.

    Raises:
        TypeError: If the answer is not a str, or the candidates are one.
    """
    if not isinstance(answer, str):
        raise TypeError(f"the answer is a {type(answer).__name__}, not a str; read missing answers as ''")
    if isinstance(candidates, str):
        raise TypeError("the candidates are one str; pass a list of ids")
    shown = candidates if isinstance(candidates, Mapping) else {name: name for name in candidates}
    names = {_plain(name): candidate for name, candidate in shown.items()}
    entries = _last_entries(_TICK_BOX.sub(r"\1", _plain(answer)), names)
    if entries is None:
        return Selection(is_parsed=False)
    found = [_candidate(entry, names) for entry in entries]
    known = [name for name in found if name is not None]
    return Selection(ids=tuple(dict.fromkeys(known)), unknown=len(found) - len(known))


def _plain(text: str) -> str:
    """One form of what models write in several; brackets escaped as in LaTeX are brackets."""
    unified = unify_digits(unicodedata.normalize("NFKC", text)).translate(_COMMAS)
    return unified.replace("\\[", "[").replace("\\]", "]")


def _last_entries(text: str, names: Mapping[str, str]) -> list[Any] | None:
    """The entries of the list that counts; None where there is none, or no telling which one it is."""
    lists, open_list = _spans(text, "[", "]")
    if not lists or open_list > lists[-1][1]:
        return None
    start, end = lists[-1]
    objects, open_object = _spans(text, "{", "}")
    around = next((one for one in objects if one[0] < start and end < one[1]), None)
    if around is None and -1 < open_object < start:
        around = open_object, len(text)
    if around is not None:
        inside = _lists_of_object(text[around[0] : around[1] + 1])
        if inside:
            return inside[0] if len(inside) == 1 else None
        if inside is None and sum(around[0] < one[0] for one in lists if one[1] <= end) > 1:
            return None
    entries = _entries(text[start : end + 1], names)
    is_contradicted = entries == [] and any(_entries(text[one[0] : one[1] + 1], names) for one in lists[:-1])
    return None if is_contradicted else entries


def _spans(text: str, opening: str, closing: str) -> tuple[list[Span], int]:
    """The outermost balanced pairs of brackets in their order, and where the last open one is; -1 if none is."""
    open_at: list[int] = []
    spans: list[Span] = []
    for match in re.finditer(f"[{re.escape(opening + closing)}]", text):
        if match[0] == opening:
            open_at.append(match.start())
        elif open_at:
            span = open_at.pop(), match.start()
            while spans and spans[-1][0] > span[0]:
                spans.pop()
            spans.append(span)
    return spans, open_at[-1] if open_at else -1


def _lists_of_object(text: str) -> list[list[Any]] | None:
    """The outermost lists of a JSON object; None if it is no JSON."""
    try:
        return list(_lists_in(json.loads(text)))
    except (ValueError, RecursionError):
        return None


def _lists_in(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _lists_in(one)


def _entries(text: str, names: Mapping[str, str]) -> list[Any] | None:
    straight = text.translate(_CURLY_QUOTES)
    for form in (text, straight):
        try:
            entries: list[Any] = json.loads(form)
        # A list nested too deep for the parser is no list of ids either.
        except (ValueError, RecursionError):
            continue
        return entries
    return _split_entries(straight[1:-1], names)


def _split_entries(body: str, names: Mapping[str, str]) -> list[Any] | None:
    pieces = [piece.strip() for piece in body.split(",")]
    if not pieces[-1]:
        del pieces[-1]
    entries: list[Any] = []
    for piece in pieces:
        is_quoted = len(piece) > 1 and piece[0] == piece[-1] and piece[0] in _QUOTES
        if not is_quoted and piece not in names:
            return None
        entries.append(piece[1:-1] if is_quoted else piece)
    return entries


def _candidate(entry: Any, names: Mapping[str, str]) -> str | None:
    if isinstance(entry, dict):
        entry = entry.get("id")
    if isinstance(entry, float) and entry.is_integer():
        entry = int(entry)
    return names.get(_plain(str(entry)).strip()) if isinstance(entry, (str, int)) else None
