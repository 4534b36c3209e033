"""What a text encoder expects before a query and before a document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hub.errors import BenchError


@dataclass(frozen=True)
class Prefixes:
    """Texts that stand before what is encoded.

    Attributes:
        query: Before a query.
        document: Before a document.
    """

    query: str = ""
    document: str = ""


_TASK = "Given a question, retrieve passages that answer the question"

PREFIXES = {
    "none": Prefixes(),
    "e5": Prefixes("query: ", "passage: "),
    "instruct": Prefixes(f"Instruct: {_TASK}\nQuery: "),
    "bge-eng": Prefixes("Represent this sentence for searching relevant passages: "),
    "bge-zho": Prefixes("为这个句子生成表示以用于检索相关文章："),
    "nomic": Prefixes("search_query: ", "search_document: "),
}
"""Name in the model string -> prefixes, from the models' own cards.

========  =======================================================================
name      models
========  =======================================================================
none      multilingual MiniLM, bge-m3, gte-multilingual-base
e5        e5 and multilingual-e5 without "instruct"
instruct  e5-mistral, multilingual-e5-large-instruct, NV-Embed
bge-eng   bge-small, -base and -large for English
bge-zho   the same for Chinese
nomic     nomic-embed-text
========  =======================================================================
"""

OWN = "own"
"""The prompts saved with the model."""

_BY_MODEL = (
    (r"e5-.*instruct|nv-embed", "instruct"),
    (r"(^|-)e5-(small|base|large)", "e5"),
    (r"^bge-(small|base|large)-en", "bge-eng"),
    (r"^bge-(small|base|large)-zh", "bge-zho"),
    (r"^nomic-embed-text", "nomic"),
)


def prefixes_of(model: str, own: Mapping[str, str | None], setting: str | None = None) -> Prefixes:
    """Return the prefixes of a model.

    Args:
        model: Folder or Hub id.
        own: The prompts saved with it, by name.
        setting: A name in ``PREFIXES``, or ``own``; None takes the model's own prompts if it has any, else those that
            go with its name, else none.

    Raises:
        BenchError: There is no such setting.
    """
    if setting not in (None, OWN, *PREFIXES):
        raise BenchError(f"prefixes must be one of {', '.join((*PREFIXES, OWN))}, not {setting!r}")
    saved = Prefixes(own.get("query") or "", own.get("document") or own.get("passage") or own.get("corpus") or "")
    if setting == OWN:
        return saved
    if setting is not None:
        return PREFIXES[setting]
    if saved != Prefixes():
        return saved
    name = Path(model).name.lower()
    return next((PREFIXES[known] for pattern, known in _BY_MODEL if re.search(pattern, name)), Prefixes())
