"""The dialect lexicons: the files keep their rules, and the reader names what is wrong with one."""

from __future__ import annotations

import dataclasses
import hashlib
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from metrics.dialect_lexicon import (
    CERTAINTIES,
    COLUMNS,
    PARTS_OF_SPEECH,
    SOURCES,
    Lexicon,
    LexiconError,
    read_lexicon,
)
from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "thai_dialect_bench" / "lexicon"
DIALECTS = ("isan", "lanna", "dambro")
FEWEST_ENTRIES = 300
FUNCTION_WORDS = ("particle", "pronoun", "question", "negator")
# Words that dialect_phonology.md, section 7, lists for each dialect.
KNOWN_WORDS = {
    "isan": {"เฮ็ด": "ทำ", "เว้า": "พูด", "เบิ่ง": "ดู"},
    "lanna": {"อู้": "พูด", "ผ่อ": "ดู", "ฮื้อ": "ให้", "อะหยัง": "อะไร"},
    "dambro": {"แหลง": "พูด", "หรอย": "อร่อย", "หลบ": "กลับ"},
}

HEADER = "\t".join(COLUMNS)
GOOD = ("เปิ้น", "เปิ้ล", "ฉัน|เขา", "pronoun", "I; they", "exclusive", "general")


@pytest.fixture(params=DIALECTS)
def lexicon(request: pytest.FixtureRequest) -> Lexicon:
    return read_lexicon(FOLDER / f"{request.param}.tsv")


def written(folder: Path, *lines: str, header: str = HEADER) -> Path:
    file = folder / "made_up.tsv"
    file.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return file


def row(**changed: str) -> str:
    return "\t".join((dict(zip(COLUMNS, GOOD, strict=True)) | changed).values())


def test_there_are_enough_entries(lexicon: Lexicon) -> None:
    assert len(lexicon) >= FEWEST_ENTRIES


def test_no_spelling_stands_twice(lexicon: Lexicon) -> None:
    counts = Counter(spelling for entry in lexicon.entries for spelling in entry.spellings)
    assert [spelling for spelling, count in counts.items() if count > 1] == []


def test_text_is_nfc_and_in_thai_script(lexicon: Lexicon) -> None:
    for entry in lexicon.entries:
        for word in (*entry.spellings, *entry.central):
            assert unicodedata.is_normalized("NFC", word), word
            assert all("\u0e01" <= character <= "\u0e4e" for character in word), word
        assert entry.gloss.isprintable()


def test_values_are_allowed(lexicon: Lexicon) -> None:
    for entry in lexicon.entries:
        assert entry.part_of_speech in PARTS_OF_SPEECH
        assert entry.certainty in CERTAINTIES
        assert entry.source in SOURCES


def test_only_context_words_are_their_own_central_equivalent(lexicon: Lexicon) -> None:
    same = [
        entry.form
        for entry in lexicon.entries
        if entry.certainty != "context" and set(entry.spellings) & set(entry.central)
    ]
    assert same == []


def test_function_words_stand_first(lexicon: Lexicon) -> None:
    parts = [entry.part_of_speech for entry in lexicon.entries]
    late = [entry.form for entry in lexicon.entries[parts.index("noun") :] if entry.part_of_speech in FUNCTION_WORDS]
    assert parts[0] in FUNCTION_WORDS
    assert late == []


def test_known_words_are_found(lexicon: Lexicon) -> None:
    for spelling, central in KNOWN_WORDS[lexicon.name].items():
        entry = lexicon.find(spelling)
        assert entry is not None, spelling
        assert central in entry.central


def test_ordinary_words_of_central_are_not_sure_signs(lexicon: Lexicon) -> None:
    for word in ("ไม่", "ที่", "ให้", "อะไร", "ทำ", "พูด", "มาก", "กิน", "เป็น", "จะ", "และ", "ว่า", "ไป", "มา", "บ้าน"):
        entry = lexicon.find(word)
        assert entry is None or entry.certainty == "context", word


def test_lookups(tmp_path: Path) -> None:
    file = written(tmp_path, row(), row(form="ตี้ไหน", variants="", central="ที่ไหน", source="facts8"))
    lexicon = read_lexicon(file)
    first, second = lexicon.entries
    assert lexicon.name == "made_up"
    assert first.central == ("ฉัน", "เขา")
    assert first.spellings == ("เปิ้น", "เปิ้ล")
    assert second.spellings == ("ตี้ไหน",)
    assert lexicon.find("เปิ้ล") is first
    assert lexicon.find("เขา") is None
    assert lexicon.by_spelling == {"เปิ้น": first, "เปิ้ล": first, "ตี้ไหน": second}
    assert lexicon.without_source("facts8") == (first,)
    with pytest.raises(ValueError, match="unknown source 'facts9'"):
        lexicon.without_source("facts9")


def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    file = written(tmp_path, row())
    first = read_lexicon(file)
    assert first.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert read_lexicon(written(tmp_path, row(gloss="we"))).sha256 != first.sha256


def test_entries_cannot_be_changed(tmp_path: Path) -> None:
    lexicon = read_lexicon(written(tmp_path, row()))
    with pytest.raises(dataclasses.FrozenInstanceError):
        lexicon.entries[0].form = "เรา"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        lexicon.entries = ()  # type: ignore[misc]


def test_a_context_word_may_be_its_own_central_equivalent(tmp_path: Path) -> None:
    lexicon = read_lexicon(written(tmp_path, row(form="จะ", variants="", central="จะ", certainty="context")))
    assert lexicon.entries[0].central == ("จะ",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (row(form=""), "line 2, column form: is empty"),
        (row(central=""), "line 2, column central: is empty"),
        (row(gloss=""), "line 2, column gloss: is empty"),
        (row(form="เปิ้น|เปิ้ง"), "line 2, column form: .* under variants"),
        (row(form=" เปิ้น"), "line 2, column form: .* spaces"),
        (row(variants="เปิ้ล|"), "line 2, column variants: .* empty part"),
        (row(central="ฉัน| เขา"), "line 2, column central: .* spaces"),
        (row(variants="เปิ้ล|เปิ้ล"), "line 2, column variants: .* twice"),
        (row(gloss="cafe\u0301"), "line 2, column gloss: .* not NFC"),
        (row(part_of_speech="article"), "line 2, column part_of_speech: 'article' is unknown; .*particle"),
        (row(certainty="sure"), "line 2, column certainty: 'sure' is unknown; .*exclusive"),
        (row(source="rows"), "line 2, column source: 'rows' is unknown; .*general"),
        (row(form="ฉัน"), "line 2, column form: 'ฉัน' is also its Central equivalent"),
        (row(variants="เขา"), "line 2, column variants: 'เขา' is also its Central equivalent"),
        ("", "line 2: 1 cells, expected 7"),
        (row() + "\t", "line 2: 8 cells, expected 7"),
    ],
)
def test_errors_name_line_and_column(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(LexiconError, match=rf"made_up\.tsv, {message}"):
        read_lexicon(written(tmp_path, line))


@pytest.mark.parametrize(
    ("changed", "column"),
    [
        ({"variants": ""}, "form"),
        ({"form": "เปิ้ล", "variants": ""}, "form"),
        ({"form": "เผิ้น", "variants": "เปิ้ล"}, "variants"),
        ({"form": "เผิ้น", "variants": "เปิ้น"}, "variants"),
    ],
)
def test_repeated_spellings_are_refused(tmp_path: Path, changed: dict[str, str], column: str) -> None:
    other = row(form="เฮา", variants="", central="เรา")
    with pytest.raises(LexiconError, match=f"line 4, column {column}: .* already stands in line 2"):
        read_lexicon(written(tmp_path, row(), other, row(**changed)))


def test_a_form_among_its_own_variants_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match=r"line 2, column variants: .* already stands in line 2"):
        read_lexicon(written(tmp_path, row(variants="เปิ้น")))


@pytest.mark.parametrize("header", ["", HEADER.replace("gloss", "english"), HEADER + "\r", HEADER.replace("\t", ",")])
def test_another_header_is_refused(tmp_path: Path, header: str) -> None:
    with pytest.raises(LexiconError, match="line 1: the header must be"):
        read_lexicon(written(tmp_path, row(), header=header))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match=r"none\.tsv: cannot be read \(No such file"):
        read_lexicon(tmp_path / "none.tsv")


def test_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "old.tsv"
    file.write_bytes(f"{HEADER}\n{row()}\n".encode("tis-620"))
    with pytest.raises(LexiconError, match=rf"old\.tsv: byte {len(HEADER) + 1} is not UTF-8"):
        read_lexicon(file)
