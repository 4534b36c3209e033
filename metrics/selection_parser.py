"""Reads the list of snippet ids, or of their numbers, out of a model's answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_QUOTES = "'\""


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
    words only where every one of them names a candidate. An entry may be a string or a whole number.

    | answer | candidates a, b (or 1, 2) | why |
    |---|---|---|
    | ``["b", "a", "b"]`` | b, a | order of the answer, once |
    | ``[]`` | none | a valid answer |
    | ``["c", "a"]`` | a, 1 unknown | dropped and counted |
    | ``[2, "1"]`` | b, a where numbered | numbers as written by models |
    | ``['a', 'b']``, ``[a, b]`` | a, b | no other reading |
    | ``["a"] as in [source]`` | not parsed | the last list is none of ids |
    | ``[] if none. Mine: ["a", "b`` | not parsed | a list cut off must not turn into an older one |
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
    names = candidates if isinstance(candidates, Mapping) else {name: name for name in candidates}
    text = _last_list(answer)
    entries = None if text is None else _entries(text, names)
    if entries is None:
        return Selection(is_parsed=False)
    found = [_candidate(entry, names) for entry in entries]
    known = [name for name in found if name is not None]
    return Selection(ids=tuple(dict.fromkeys(known)), unknown=len(found) - len(known))


def _last_list(answer: str) -> str | None:
    """The last balanced ``[...]`` with its brackets; None where there is none or a later list is left open."""
    open_at: list[int] = []
    last: tuple[int, int] | None = None
    for position, character in enumerate(answer):
        if character == "[":
            open_at.append(position)
        elif character == "]" and open_at:
            last = open_at.pop(), position
    if last is None or (open_at and open_at[-1] > last[1]):
        return None
    return answer[last[0] : last[1] + 1]


def _entries(text: str, names: Mapping[str, str]) -> list[object] | None:
    try:
        entries: list[object] = json.loads(text)
    # A list nested too deep for the parser is no list of ids either.
    except (ValueError, RecursionError):
        return _split_entries(text[1:-1], names)
    return entries


def _split_entries(body: str, names: Mapping[str, str]) -> list[object] | None:
    pieces = [piece.strip() for piece in body.split(",")]
    if not pieces[-1]:
        del pieces[-1]
    entries: list[object] = []
    for piece in pieces:
        is_quoted = len(piece) > 1 and piece[0] == piece[-1] and piece[0] in _QUOTES
        if not is_quoted and piece not in names:
            return None
        entries.append(piece[1:-1] if is_quoted else piece)
    return entries


def _candidate(entry: object, names: Mapping[str, str]) -> str | None:
    return names.get(str(entry).strip()) if isinstance(entry, (str, int)) else None
