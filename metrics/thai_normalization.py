"""Named normalisations of Thai spelling, made of small steps; their names go into the signature."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType

_NIKHAHIT_TONE_AA = re.compile("\u0e4d([\u0e48-\u0e4b]?)\u0e32")


def nfc(text: str) -> str:
    """Composes characters and puts combining marks into canonical order (Unicode NFC).

    NFC alone does not compose nikhahit and aa into sara am: Unicode gives that pair a compatibility mapping only.
    """
    return unicodedata.normalize("NFC", text)


def compose_sara_am(text: str) -> str:
    """Writes nikhahit + aa as sara am (U+0E33), also with a tone mark between: นํ้า becomes น้ำ."""
    return _NIKHAHIT_TONE_AA.sub("\\1\u0e33", text)


def compose_sara_ae(text: str) -> str:
    """Writes two sara e (U+0E40), which look the same, as sara ae (U+0E41): เเล้ว becomes แล้ว."""
    return text.replace("\u0e40\u0e40", "\u0e41")


NORMALIZATIONS: Mapping[str, tuple[Callable[[str], str], ...]] = MappingProxyType(
    {
        "raw": (),
        "nfc_sara_am": (nfc, compose_sara_am, compose_sara_ae),
    }
)


def check_normalization(name: str) -> None:
    """Refuses an unknown name.

    Args:
        name: A key of `NORMALIZATIONS`.

    Raises:
        ValueError: If there is no normalisation of this name.
    """
    if name not in NORMALIZATIONS:
        raise ValueError(f"unknown normalization {name!r}; choose one of {', '.join(NORMALIZATIONS)}")


def normalize(text: str, name: str) -> str:
    """Applies a named normalisation.

    Neither of them deletes a character that stands for a sound: vowels and tone marks stay.

    Args:
        text: Any text.
        name: ``raw`` (unchanged, what the paper scored) or ``nfc_sara_am``.

    Returns:
        The normalised text.

    Raises:
        ValueError: If there is no normalisation of this name.
    """
    check_normalization(name)
    for step in NORMALIZATIONS[name]:
        text = step(text)
    return text
