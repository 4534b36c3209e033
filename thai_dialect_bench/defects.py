"""Known defects of a row, in words: found by rule where a rule can find them, else listed with their evidence."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from thai_dialect_bench.schema import SAMPLE_ORIGIN, Row

PLACEHOLDER_REFERENCE = "."
NIKHAHIT_SARA_AA = "\u0e4d\u0e32"
NO_BREAK_SPACE = "\u00a0"


@dataclass(frozen=True)
class ListedDefect:
    """A defect that only a reader can see.

    Attributes:
        varieties: Where it stands.
        item: Item name without the direction of translation.
        evidence: Text that must be in the row for the note to be given, so that a corrected row loses it.
        note: The defect in words.
    """

    varieties: tuple[str, ...]
    item: str
    evidence: str
    note: str


ALL = ("central", "isan", "lanna", "dambro")
LISTED_DEFECTS = (
    ListedDefect(("central", "lanna", "dambro"), "translation-06", "หอมเแดง", "typing error: เแ for แ in หอมเแดง"),
    ListedDefect(("isan",), "translation-01", "ไปรถไปรถ", "repeated word: ไปรถไปรถ"),
    ListedDefect(("central", "isan"), "translation-14", "กับ กับ", "repeated word: กับ กับ"),
    ListedDefect(("isan",), "translation-04", "[ซุม]", "square brackets left in: [ซุม]"),
    ListedDefect(("isan",), "translation-15", "ไม่", "partly Central: keeps the negator ไม่"),
    ListedDefect(ALL, "summarization-04", "นี้่", "doubled tone mark in the article: ปีนี้่มี"),
    ListedDefect(("isan",), "summarization-08", "ไตัหวัง", "misspelling in the reference: ไตัหวัง"),
    ListedDefect(("isan",), "summarization-00", "ฮิวาตัน", "misspelling in the reference: ฮิวาตัน"),
    ListedDefect(("dambro",), "summarization-13", "หนวย", "misspellings in the reference: ใหม, หนวย"),
    ListedDefect(("dambro",), "summarization-04", "หหลบ", "misspelling in the reference: หหลบ"),
    ListedDefect(("dambro",), "summarization-16", "ฟิลิปปินส์", "the reference drops 'instead of' before Philippines"),
    ListedDefect(("lanna",), "summarization-03", "ไม่", "the reference keeps a Central negator"),
    ListedDefect(("lanna",), "summarization-06", "ไม่", "the reference keeps a Central negator"),
    ListedDefect(("dambro",), "qa-16", "พันธ์ุ", "mis-ordered mark in the passage: พันธ์ุ"),
)


def row_note(row: Row, central: Row) -> str:
    """Return the known defects of a row, joined by semicolons; an empty string where none is known.

    Args:
        row: The row, its own ``note`` not read.
        central: The same item in Central Thai.
    """
    return "; ".join([*_reference_defects(row), *_central_text(row, central), *_text_defects(row), *_listed(row)])


def _reference_defects(row: Row) -> Iterator[str]:
    """Yield what is wrong with the reference itself."""
    if row.reference is None:
        yield "the reference is missing in the release"
    elif row.reference == PLACEHOLDER_REFERENCE:
        yield "no reference: the release has the placeholder '.'"
    elif row.task.startswith("qa") and row.reference not in row.context:
        yield "the reference is not a literal span of the passage, which the prompt asks for"
    if row.reference is not None and row.reference != row.reference.strip():
        yield "the reference begins or ends with white space, which counts as a token"


def _central_text(row: Row, central: Row) -> Iterator[str]:
    """Yield which texts of a dialect row are the Central text unchanged."""
    if row.variety == "central":
        return
    if row.task == "qa_v1":
        yield "passage, question and reference are Central Thai, only the instruction is in the variety"
        return
    if row.task == "summarization":
        yield "the article is the Central text"
    if row.question and row.question == central.question:
        yield "the question is identical to Central"
    if row.has_reference and row.task != "translation_to_english" and row.reference == central.reference:
        yield "the reference is identical to Central"
    if row.task == "translation_to_english" and row.input == central.input:
        yield "the source text is identical to Central"


def _text_defects(row: Row) -> Iterator[str]:
    """Yield faults of encoding and spacing in the texts."""
    texts = {"input": row.input, "passage": row.context, "question": row.question, "reference": row.reference or ""}
    for name, text in texts.items():
        if NIKHAHIT_SARA_AA in text:
            yield f"{name}: nikhahit and sara aa stand for sara am"
        if unicodedata.normalize("NFC", text) != text:
            yield f"{name}: not in Unicode NFC"
        if NO_BREAK_SPACE in text:
            yield f"{name}: no-break space"
        if name != "reference" and text != text.strip():
            yield f"{name}: white space at an end (stripped in the prompt)"


def _listed(row: Row) -> Iterator[str]:
    """Yield the listed defects whose evidence is in the row; they were listed for the release, not for the sample."""
    if row.origin == SAMPLE_ORIGIN:
        return
    item = row.item.replace("translation_from_english", "translation").replace("translation_to_english", "translation")
    for defect in LISTED_DEFECTS:
        if defect.item == item and row.variety in defect.varieties:
            texts = (row.input, row.context, row.question, row.reference or "")
            if any(defect.evidence in text for text in texts):
                yield defect.note
