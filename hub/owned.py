"""Which paths a build of ours writes: the one list by which a check tells strange files and a push sends files."""

from __future__ import annotations

import re

from hub.faults import ContentRules

OWNED_BY_EVERY_DATA_SET = (r"README\.md", r"LICENSE\.md", r"data/\w+/\w+(-\d+)?-[0-9a-f]{16}\.parquet")
"""Paths that a build of any data set may write, as regular expressions: card, terms, Parquet files."""


HUBS_OWN_FILE = ".gitattributes"
"""The Hub writes it into every repository; a clone has it, and a push leaves it alone."""


def owned_patterns(rules: ContentRules) -> tuple[str, ...]:
    """Return the regular expressions of all paths that a build of a data set writes."""
    return (*OWNED_BY_EVERY_DATA_SET, *rules.owned_files)


def is_owned(path: str, rules: ContentRules) -> bool:
    """Return whether a build writes a path, which is relative to the data set's folder and has slashes."""
    return any(re.fullmatch(pattern, path) for pattern in owned_patterns(rules))
