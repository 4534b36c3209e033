"""Read texts of the release: what counts as no text, contacts to mask, characters to note."""

from __future__ import annotations

import re
import unicodedata

from healthdial.findings import Findings, Place

NO_TEXT = frozenset({"", "undefined", "null", "none", "nan"})
PLACEHOLDERS = ("Failed to retrieve ASR result", "Loading speech recognition result")
"""How the annotation tool's two notices begin; a speaker could submit them in place of a transcript."""

CONTACT_MASK = "[contact]"
# Written without spaces, as Chinese is, a contact touches the letters around it: only Latin ones, digits and, in
# addresses, Arabic ones are taken as its part.
_LATIN = r"A-Za-z0-9_\u00c0-\u024f"
_ADDRESS = rf"{_LATIN}\u0620-\u064a\u0660-\u0669.+%-"
EMAIL = re.compile(
    rf"(?<![{_ADDRESS}])[{_ADDRESS}]+\s?[@＠]\s?[{_ADDRESS}]+\.[{_ADDRESS}]*[A-Za-z\u00c0-\u024f\u0620-\u064a]{{2}}"
)
_GAP = r"[-.\u2010\u2011\s]"
_ZERO = "[0０٠۰]"
# Thousands written with spaces or dots (10 000 000) are none of these.
_TELEPHONE_FORMS = (
    rf"(?:[+＋]|{_ZERO}{{2}})\d[\d\s().-]{{6,17}}\d",  # country code
    rf"\((?!(?:19|20)\d\d\))\d{{2,4}}\)\s?\d{{3,4}}{_GAP}?\d{{3,4}}",  # area code in brackets, not a year
    rf"\d{{3}}{_GAP}\d{{3,4}}{_GAP}\d{{4}}",
    rf"{_ZERO}\d{{2,4}}{_GAP}\d{{3,4}}{_GAP}?\d{{3,4}}",  # area code with its zero
    rf"(?<!\d\s)[6-9]\d\d{_GAP}\d{{3}}{_GAP}(?!\d[05]0)\d{{3}}(?!{_GAP}\d)",  # Spain; round ones are quantities
    rf"[6-9]\d\d(?:{_GAP}\d\d){{3}}",
    rf"9\d{_GAP}\d{{3}}(?:{_GAP}\d\d){{2}}",
    rf"(?!\d*{_ZERO}{{6}})\d{{9,13}}",  # in one piece
)
TELEPHONE = re.compile(rf"(?<![\d{_LATIN}])(?<!\d[.,])(?:{'|'.join(_TELEPHONE_FORMS)})(?![\d{_LATIN}])")

_TRADITIONAL = frozenset("這個們來時會對說國過還沒為與點樣實發經問題醫療藥飲頭體關應該讓覺現種類間題嗎幾運動檢")
_DIRECTION_MARKS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def text_or_none(value: object, findings: Findings, place: Place, field: str) -> str | None:
    """Return a text as it stands, or None where it says that there is none (reported).

    Args:
        value: What the record holds.
        findings: Collects ``empty_text`` and ``placeholder_transcript``.
        place: Where it was met.
        field: Name of the field, for the report.
    """
    if not isinstance(value, str) or value.strip().lower() in NO_TEXT:
        findings.add("empty_text", place, field)
        return None
    if value.strip().startswith(PLACEHOLDERS):
        findings.add("placeholder_transcript", place, field)
        return None
    return value


def masked_contacts(text: str, findings: Findings, place: Place, *, keep: bool) -> str:
    """Return a text with e-mail addresses and telephone numbers replaced by ``[contact]``.

    Args:
        text: A transcript.
        findings: Collects ``contact_in_text`` with the number of contacts, never the contact.
        place: Where it was met.
        keep: Report only.
    """
    masked, emails = EMAIL.subn(CONTACT_MASK, text)
    masked, telephones = TELEPHONE.subn(CONTACT_MASK, masked)
    if emails or telephones:
        findings.add("contact_in_text", place, "kept by --keep-contacts" if keep else "", emails + telephones)
    return text if keep else masked


def note_characters(text: str, language: str, findings: Findings, place: Place) -> None:
    """Report characters that make equal-looking texts differ; the text itself stays raw."""
    sorts = []
    if "\u00a0" in text or "\u202f" in text:
        sorts.append("non-breaking spaces")
    if _DIRECTION_MARKS & set(text):
        sorts.append("direction marks")
    if any("\ufb50" <= character <= "\ufdff" or "\ufe70" <= character <= "\ufefe" for character in text):
        sorts.append("Arabic presentation forms")
    if not unicodedata.is_normalized("NFC", text):
        sorts.append("not NFC")
    if "\ufffd" in text:
        sorts.append("replacement characters")
    if sorts:
        findings.add("unusual_characters", place, ", ".join(sorts))
    if language == "zho" and _TRADITIONAL & set(text):
        findings.add("traditional_characters", place)
