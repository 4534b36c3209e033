"""Keep the results for short texts only, so that endless answers of a model do not fill the memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

LONGEST = 200
"""Letters of a text up to which its result is kept."""
MOST_TEXTS = 65536

Result = TypeVar("Result")


def short_memo(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Return the function with the results for its `MOST_TEXTS` latest texts of at most `LONGEST` letters kept."""
    kept = lru_cache(maxsize=MOST_TEXTS)(function)

    @wraps(function)
    def remembered(text: str) -> Result:
        return kept(text) if len(text) <= LONGEST else function(text)

    return remembered
