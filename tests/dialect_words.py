"""Lexicons for tests of the dialect metrics: small made-up ones, and those of the package that the tests rely on."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from metrics.dialect_lexicon import COLUMNS, Lexicon, read_lexicon
from metrics.dialect_matching import DialectMatcher
from tests.conftest import REPOSITORY

REAL_DIALECTS = ("isan", "lanna")

ISAN = (
    "เฮ็ด - ทำ exclusive",
    "เว้า เว่า พูด exclusive",
    "เฮือน เฮียน บ้าน exclusive noun",
    "บ่ - ไม่ shared",
    "เฮา - เรา shared",
    "หยัง - อะไร exclusive",
    "กะ - ก็ context",
    "คือ - เหมือน context",
    "สิ ซิ จะ context",
)
LANNA = (
    "อู้ - พูด exclusive",
    "กาด ก๊าด ตลาด exclusive noun",
    "หื้อ ฮื้อ ให้ exclusive",
    "บ่ - ไม่ shared",
    "เฮา - เรา shared",
    "เจ้า - คุณ context",
)


def made_lexicon(folder: Path, name: str, words: tuple[str, ...]) -> Lexicon:
    """Write and read a lexicon.

    A word is its form, variants (- for none), Central equivalents, certainty, and part of speech if it is no verb.
    """
    rows = [word.split() for word in words]
    lines = [
        "\t".join((form, variants.replace("-", ""), central, *(part or ["verb"]), "made up", certainty, "general"))
        for form, variants, central, certainty, *part in rows
    ]
    file = folder / f"{name}.tsv"
    file.write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n", encoding="utf-8")
    return read_lexicon(file)


def made_matcher(folder: Path, **words: tuple[str, ...]) -> DialectMatcher:
    """Return the matcher of made-up lexicons, given by dialect."""
    return DialectMatcher([made_lexicon(folder, name, each) for name, each in words.items()])


@lru_cache(maxsize=1)
def real_matcher() -> DialectMatcher:
    """Return the matcher of the package's lexicons of `REAL_DIALECTS`."""
    folder = REPOSITORY / "thai_dialect_bench" / "lexicon"
    return DialectMatcher([read_lexicon(folder / f"{name}.tsv") for name in REAL_DIALECTS])
