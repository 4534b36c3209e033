"""Tokenizers of BLEU and ROUGE-L for HealthDial's languages: sacrebleu's own, found by language."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, ClassVar

_MEMO_TEXTS = 32768
_NAMES = ("13a", "intl", "zh")

TOKENIZERS: Mapping[str, str] = MappingProxyType({"ara": "intl", "zho": "zh", "eng": "13a", "spa": "intl"})
"""ISO 639-3 code -> name of the tokenizer in sacrebleu."""


@dataclass(frozen=True)
class SacrebleuTokenizer:
    """A tokenizer of sacrebleu 2.6.0, on the raw text without white space at its end, as sacrebleu's BLEU calls it.

    With it, `metrics.bleu.Bleu` gives sacrebleu's value for the same ``tokenize`` and ``smooth_method="none"``.

    | name | language | cuts | why |
    |---|---|---|---|
    | ``13a`` | English | at ASCII punctuation, not at apostrophes | sacrebleu's default |
    | ``intl`` | Arabic, Spanish | at punctuation and symbols of any script | 13a leaves ، ؟ ¿ ¡ on their words |
    | ``zh`` | Chinese | every Chinese character, the rest as 13a | sacrebleu's default for Chinese |

    Case and Arabic vowel marks stay: ``ضَعه`` is not ``ضعه``. BLEU of different languages counts different tokens, so
    it is not comparable between them.

    Attributes:
        name: ``13a``, ``intl`` or ``zh``.

    Raises:
        ValueError: If the name is another.
    """

    name: str
    names: ClassVar[tuple[str, ...]] = _NAMES

    def __post_init__(self) -> None:
        if self.name not in _NAMES:
            raise ValueError(f"unknown tokenizer {self.name!r}; choose one of {', '.join(_NAMES)}")

    def tokenize(self, text: str) -> tuple[str, ...]:
        """Splits a text into tokens.

        Args:
            text: Any text; the empty text has no tokens.

        Returns:
            The tokens; none of white space.

        Raises:
            TypeError: If the text is not a str.
        """
        if not isinstance(text, str):
            raise TypeError(f"cannot tokenize a {type(text).__name__}; pass a str")
        return _split(self.name, text)

    def signature_fields(self) -> Mapping[str, str]:
        """Tokenizer, version of sacrebleu and case, in this order."""
        return {"tok": self.name, "sacrebleu": version("sacrebleu"), "case": "raw"}


def language_tokenizer(language: str) -> SacrebleuTokenizer:
    """Returns the tokenizer of a language.

    Args:
        language: ISO 639-3 code, a key of `TOKENIZERS`.

    Raises:
        ValueError: If there is none for the language.
    """
    if language not in TOKENIZERS:
        raise ValueError(f"no tokenizer for language {language!r}; there is one for {', '.join(TOKENIZERS)}")
    return SacrebleuTokenizer(TOKENIZERS[language])


@lru_cache(maxsize=len(_NAMES))
def _sacrebleu(name: str) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=name).tokenizer


@lru_cache(maxsize=_MEMO_TEXTS)
def _split(name: str, text: str) -> tuple[str, ...]:
    return tuple(map(sys.intern, _sacrebleu(name)(text.rstrip()).split()))
