"""The pages' scripts, style and texts, put together for the one component that shows them."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SCRIPTS = (
    "elements.js",
    "consent.js",
    "marking.js",
    "judging.js",
    "dialect_score.js",
    "preference.js",
    "ends.js",
    "main.js",
)
"""In the order in which they run; each uses what those before it define."""


def script() -> str:
    """Return the JavaScript of all pages, with the texts in Thai and English inside."""
    texts = (FOLDER / "texts.json").read_text(encoding="utf-8")
    scripts = "\n".join((FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return f"const TEXTS = {texts.strip()};\n{scripts}"


def style() -> str:
    """Return the style sheet of all pages."""
    return (FOLDER / "pages.css").read_text(encoding="utf-8")
