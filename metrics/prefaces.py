"""Openings that are not the answer itself ("Okay, here is ...", "คำแปล: ..."), written down as a table of patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics.thai_normalization import normalize

# Raised whenever a change of the table can change what it finds.
TABLE_VERSION = "1"
SHORT_LINE = "short line ending in a colon"

_SHORT_LINE_CHARACTERS = 80
_LEADING_MARKS = " \t\"'“”‘’*_#>"
# A colon before a list belongs to the answer, and "Turn 1:" to a conversation.
_LIST_ITEM = re.compile(r"(?:[-•–]|\*(?!\*)|\(?[0-9๐-๙]{1,2}[.)])\s*\S")
_TURN = re.compile(r"turn\b", re.IGNORECASE)

_KIND_EN = (
    "(?:translation|translated text|translated version|summary|answer|recipe|conversation|dialogue|response|text"
    "|version|sentence|rendering)"
)
_KIND_TH = "(?:คำแปล|การแปล|บทแปล|ฉบับแปล|แปล|บทสรุป|สรุป|คำตอบ|บทสนทนา|บทพูด|บทเว่า|บทเว้า|วิธี|สูตร|ข้อความ)"
_POLITE = "(?:ครับผม|ครับ|คับ|ค่ะ|คะ|จ้าว|จ้า|จ้ะ|จ่ะ|จ๊ะ|เจ้า|เด้อ|เน้อ|นะ|ฮะ|เห้อ)"


@dataclass(frozen=True)
class PrefacePattern:
    """A row of the table.

    Attributes:
        name: Name of the kind of opening.
        pattern: Matched at the start of the first line that is not blank, after quotation and emphasis marks.
        examples: Openings that it finds, made up.
    """

    name: str
    pattern: re.Pattern[str]
    examples: tuple[str, ...]


def _row(name: str, pattern: str, *examples: str) -> PrefacePattern:
    return PrefacePattern(name, re.compile(pattern, re.IGNORECASE), examples)


PREFACE_PATTERNS: tuple[PrefacePattern, ...] = (
    _row("role", r"assistant\s*(?:[:：]|$)", "assistant", "Assistant: A cow."),
    _row(
        "acknowledgement (English)",
        r"(?:ok(?:ay)?|sure(?: thing)?|certainly|of course|absolutely|al(?:l )?right|great|got it|no problem)"
        rf"[\s,.!:–-]+(?:here(?:['’]s| is| are)\b|below (?:is|are)\b|let me\b|the (?:\w+ ){{0,2}}{_KIND_EN}\b"
        r"|i(?:['’]ll| will| can)\b[^.\n]{0,30}\b(?:help|translate|summari[sz]e|answer|provide|write|give)\b)",
        "Okay, here's a literal translation:",
        "Sure! The translation is:",
        "Alright, I'll translate it.",
    ),
    _row(
        "here is (English)",
        r"(?:here(?:['’]s| is| are)|below (?:is|are)) (?:the|a|an|my|your)\b"
        rf"(?:[ ,]+[\w'’-]+){{0,4}}?[ ,]+{_KIND_EN}s?\b",
        "Here's a direct, word-for-word translation:",
        "Below is the recipe.",
    ),
    _row(
        "announcement (English)",
        r"the (?:[\w-]+ ){0,2}(?:translation|translated text|answer|summary)\b"
        r"(?: (?:of|from|in|to|into|for)\b[^\n.:]{0,80}?)?\s*(?:is\b|[:：])",
        "The translation is: A cow.",
        "the English translation of the text: A cow.",
    ),
    _row(
        "label (English)",
        rf"(?:(?:[\w-]+ ){{0,2}}{_KIND_EN}(?: (?:in|to|into) \w+)?|question|note|comment(?:ary|ator|aire)?)\s*[:：]",
        "Direct translation: A cow.",
        "Comment: A cow.",
    ),
    _row(
        "acknowledgement (Thai)",
        rf"(?:ได้เลย|แน่นอน(?!ว่า)|โอเค้?|(?:ได้|ตกลง)(?={_POLITE}))(?:\s*{_POLITE})*(?:[\s,!.:]|$)",
        "ได้เลยครับ นี่คือคำแปล",
        "แน่นอนค่ะ!",
        "โอเค จ่ะ มาเด้อ",
    ),
    _row(
        "this is (Thai)",
        rf"(?:นี่|นี้|อันนี้|ต่อไปนี้)\s*(?:คือ|เป็น|เป๋น|แม่น)[^\n]{{0,12}}{_KIND_TH}",
        "นี่คือคำแปล",
        "อันนี้เป๋นบทสรุปเน้อ",
    ),
    _row(
        "label (Thai)",
        r"(?:คำตอบ|คำถาม|คำแปล|แปล|สรุป|บทสรุป|หมายเหตุ|ข้อความ)[^\n:：]{0,60}[:：]",
        "คำตอบ: วัว",
        "คำแปลภาษาเหนือ: งัว",
    ),
    _row(
        "about the text (Thai)",
        r"ข้อความ(?:ที่ให้มา|ที่แปล|ที่ต้องการแปล|ต้นฉบับ|(?:นี้)?(?:มีลักษณะ)?(?:เป็น|ใน)ภาษา|นี้แปล|ภาษา)",
        "ข้อความที่ให้มาเป็นภาษาเหนือ",
        "ข้อความนี้แปลได้ดังนี้",
    ),
)


def opening_preface(text: str) -> str | None:
    """Finds an opening that announces, labels or comments on the answer instead of giving it.

    Looks at the first line that is not blank. Beside the table, a line of at most 80 characters that ends in a colon
    is an opening where more text follows that is not a list. A translation may well begin with "Alright, I have to":
    an English acknowledgement counts only where it goes on to announce something.

    Args:
        text: An answer.

    Returns:
        The name of the table's first row that matches, `SHORT_LINE`, or None.
    """
    lines = [line for line in normalize(text, "nfc_sara_am").splitlines() if line.strip()]
    if not lines:
        return None
    opening = lines[0].lstrip(_LEADING_MARKS)
    for row in PREFACE_PATTERNS:
        if row.pattern.match(opening):
            return row.name
    return SHORT_LINE if _is_short_line(opening, lines[1:]) else None


def _is_short_line(opening: str, following: list[str]) -> bool:
    line = opening.rstrip(" *_")
    return (
        len(line) <= _SHORT_LINE_CHARACTERS
        and line.endswith((":", "："))
        and bool(following)
        and not _TURN.match(line)
        and not _LIST_ITEM.match(following[0].strip())
    )
