"""The newmm word tokenizer of PyThaiNLP, loaded when first used, each text tokenized once a process."""

from __future__ import annotations

import gc
import hashlib
import re
import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Protocol

from metrics.thai_normalization import check_normalization, normalize

# Enough for the texts of both data sets and the answers of many models: about 70 MB when full of them.
_MEMO_TEXTS = 32768
_FIRST_DIFFERING_VERSION = (5, 3)


class Tokenizer(Protocol):
    """What the word-level metrics need of a tokenizer."""

    def tokenize(self, text: str) -> tuple[str, ...]:
        """Splits a text into tokens."""
        ...

    def signature_fields(self) -> Mapping[str, str]:
        """Says in a signature's fields how the tokens came about."""
        ...


@dataclass(frozen=True)
class NewmmTokenizer:
    """PyThaiNLP's `word_tokenize`, engine newmm, default options, on the raw string.

    This is the tokenizer of the paper (arXiv 2504.05898), also for English text: whitespace tokens are kept, nothing
    is stripped or lower-cased. Keeping spaces raises English scores strongly (up to 20 BLEU in Table 1).
    PyThaiNLP 5.0.4 to 5.2.0 give identical tokens on the paper's texts; 5.3.0 and later do not.

    Parameters and what they change:

    | parameter | paper | here | signature |
    |---|---|---|---|
    | keep_whitespace | True | True | ``space:kept`` or ``space:dropped`` |
    | normalization | none | ``raw`` | ``norm:raw`` |
    | lower-casing | none | none | ``case:raw`` |

    With ``keep_whitespace=False`` PyThaiNLP drops spaces only; line breaks stay tokens.

    Attributes:
        keep_whitespace: Whether tokens of spaces are kept.
        normalization: Name of a normalisation of `metrics.thai_normalization`, applied before.

    Raises:
        ValueError: If the normalisation is unknown.
    """

    keep_whitespace: bool = True
    normalization: str = "raw"
    name: ClassVar[str] = "newmm"

    def __post_init__(self) -> None:
        check_normalization(self.normalization)

    @property
    def library_version(self) -> str:
        """Version of PyThaiNLP, for instance ``5.2.0``."""
        return _pythainlp().version

    @property
    def splits_as_paper(self) -> bool:
        """Whether PyThaiNLP is older than 5.3.0, so that its tokens are those of the paper's 5.0.4."""
        return splits_as_paper(self.library_version)

    @property
    def dictionary_sha256(self) -> str:
        """SHA-256 in hexadecimal of the dictionary's words, sorted, joined by line feeds, in UTF-8."""
        return _pythainlp().dictionary_sha256

    def tokenize(self, text: str) -> tuple[str, ...]:
        """Splits a text into words.

        Args:
            text: Any text; the empty text has no tokens.

        Returns:
            The tokens; with whitespace kept they join to the normalised text again.

        Raises:
            TypeError: If the text is not a str (PyThaiNLP itself returns no tokens for None or NaN).
        """
        if not isinstance(text, str):
            raise TypeError(f"cannot tokenize a {type(text).__name__}; pass a str")
        return _segment(normalize(text, self.normalization), self.keep_whitespace)

    def signature_fields(self) -> Mapping[str, str]:
        """Tokenizer, library version, dictionary, whitespace, case and normalisation, in this order."""
        return {
            "tok": self.name,
            "pythainlp": self.library_version,
            "dict": self.dictionary_sha256[:8],
            "space": "kept" if self.keep_whitespace else "dropped",
            "case": "raw",
            "norm": self.normalization,
        }


@dataclass(frozen=True)
class _Library:
    version: str
    dictionary_sha256: str


@lru_cache(maxsize=1)
def _pythainlp() -> _Library:
    """Imports PyThaiNLP; cached, so that the warning about its version comes once."""
    # The import builds a tree of 62,000 words: the collector would walk it again and again, which takes two seconds.
    collects = gc.isenabled()
    gc.disable()
    try:
        from pythainlp import __version__ as version
        from pythainlp.corpus.common import thai_words
        from pythainlp.tokenize import word_tokenize  # noqa: F401
    finally:
        if collects:
            gc.enable()

    if not splits_as_paper(version):
        warnings.warn(
            f"PyThaiNLP {version} splits some texts otherwise than the paper's 5.0.4: up to 0.05 BLEU of difference "
            "to the paper is the tokenizer's; install pythainlp<5.3 for its exact values",
            stacklevel=2,
        )
    words = "\n".join(sorted(thai_words()))
    return _Library(version, hashlib.sha256(words.encode("utf-8")).hexdigest())


def splits_as_paper(version: str) -> bool:
    """Returns whether a version of PyThaiNLP is older than 5.3.0, so that its tokens are those of the paper's 5.0.4.

    Raises:
        ValueError: If the version does not begin with two numbers.
    """
    return _major_minor(version) < _FIRST_DIFFERING_VERSION


def _major_minor(version: str) -> tuple[int, int]:
    match = re.match(r"(\d+)\.(\d+)", version)
    if match is None:
        raise ValueError(f"cannot read PyThaiNLP's version {version!r}; expected something like 5.2.0")
    return int(match[1]), int(match[2])


@lru_cache(maxsize=_MEMO_TEXTS)
def _segment(text: str, keep_whitespace: bool) -> tuple[str, ...]:
    _pythainlp()
    from pythainlp.tokenize import word_tokenize

    # Interned, since the same few thousand words make up all texts: a tenth of the memory.
    return tuple(map(sys.intern, word_tokenize(text, engine="newmm", keep_whitespace=keep_whitespace)))
