"""Texts: what is no text, contacts masked in four languages, unusual characters reported and kept."""

from __future__ import annotations

import pytest

from healthdial.findings import Findings, Place
from healthdial.texts import masked_contacts, note_characters, text_or_none
from tests.healthdial_builders import kinds

PLACE = Place("eng", "dialogues", "ENG_50", 1)


def mask(text: str, *, keep: bool = False) -> tuple[str, int]:
    findings = Findings()
    return masked_contacts(text, findings, PLACE, keep=keep), findings.count("contact_in_text")


@pytest.mark.parametrize(
    "number",
    [
        # international, in any grouping
        "+44 113 496 0123",
        "+44 (0)113 496-0123",
        "+34 612 345 678",
        "+8613812345678",
        "0044 113 496 0123",
        "+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧",
        "٠٠٩٦٦٥٠١٢٣٤٥٦٧",
        # English
        "0113 496 0123",
        "(0113) 496 0123",
        "07700 900123",
        "07700900123",
        "(202) 555-0123",
        "555-555-0123",
        # Arabic
        "٠٥٠١٢٣٤٥٦٧",
        "٠٥٠ ١٢٣ ٤٥٦٧",
        "050-123-4567",
        "0100 123 4567",
        # Chinese
        "13812345678",
        "138 1234 5678",
        "138-1234-5678",
        "010-12345678",
        "0571-12345678",
        "400-123-4567",
        "１３８１２３４５６７８",
        # Spanish
        "612 345 678",
        "612345678",
        "612 34 56 78",
        "91 123 45 67",
        "900-123-456",
        "612\u00a0345\u00a0678",
    ],
)
def test_telephone_numbers_are_masked_whole(number: str) -> None:
    assert mask(number) == ("[contact]", 1)
    assert mask(f"Call {number}, please.") == ("Call [contact], please.", 1)
    assert mask(f"رقمي هو {number} شكرا") == ("رقمي هو [contact] شكرا", 1)
    assert mask(f"我的电话是{number}，谢谢") == ("我的电话是[contact]，谢谢", 1)
    assert mask(f"我的电话是{number}请打给我") == ("我的电话是[contact]请打给我", 1)


@pytest.mark.parametrize(
    "text",
    [
        "10 000 000",
        "10.000.000",
        "100 000 000",
        "850 000 000 personas",
        "1 850 123 456 people",
        "1.850.123.456",
        "7,794,798,739",
        "1000000000",
        "١٠٠٠٠٠٠٠٠٠",
        "١٠ ٠٠٠ ٠٠٠",
        "2019",
        "1990 2000 2010",
        "2019-2020",
        "٢٠١٩-٢٠٢٠",
        "2020-01-15",
        "05.06.2020 10:00",
        "2019年12月31日",
        "(2020) 100000",
        "08:30-09:30",
        "18-24 25-29 30-34",
        "500-1000 mg",
        "٥٠٠-١٠٠٠ ملغ",
        "每次500-1000毫克",
        "0.0005 mg",
        "3.141592653589",
        "600 650 700 calories",
        "120/80",
        "1 2 3 4 5 6 7 8 9 10",
        "10 20 30 40 50",
        "COVID19123456789",
        "112",
        "911",
    ],
)
def test_quantities_years_ranges_and_doses_are_no_telephone(text: str) -> None:
    assert mask(text) == (text, 0)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Write to moth.lantern+1@mail.example.org.", "Write to [contact]."),
        ("Write to moth @ example.org today", "Write to [contact] today"),
        ("peña_2@correo.ejemplo.es", "[contact]"),
        ("我的邮箱是moth88@example.com谢谢", "我的邮箱是[contact]谢谢"),
        ("بريدي moth@example.com، شكرا", "بريدي [contact]، شكرا"),
        ("محمد@example.com", "[contact]"),
        ("MOTH＠EXAMPLE.COM", "[contact]"),
    ],
)
def test_e_mail_addresses_are_masked_and_nothing_around_them(text: str, masked: str) -> None:
    assert mask(text) == (masked, 1)


@pytest.mark.parametrize("text", ["See you @ home.", "Twice @ 5.30", "@", "a@b", "at example dot org", "WHO.int"])
def test_what_is_no_e_mail_address(text: str) -> None:
    assert mask(text) == (text, 0)


def test_every_contact_is_counted_and_kept_on_request() -> None:
    text = "a@example.org, b@example.org or +44 113 496 0123"
    assert mask(text) == ("[contact], [contact] or [contact]", 3)
    assert mask(text, keep=True) == (text, 3)


def test_a_report_holds_no_contact() -> None:
    findings = Findings()
    masked_contacts("moth@example.org 0113 496 0123", findings, PLACE, keep=False)
    (finding,) = findings
    assert "moth" not in repr(finding)
    assert "496" not in repr(finding)


@pytest.mark.parametrize("text", ["", " ", "\n\u00a0", "undefined", " Undefined ", "null", "NULL", "None", "NaN"])
def test_words_for_no_text(text: str) -> None:
    findings = Findings()
    assert text_or_none(text, findings, PLACE, "generated_text") is None
    assert findings.counts == {("empty_text", "eng"): 1}


@pytest.mark.parametrize("value", [None, 0, 5.0, float("nan"), False, [], ["a"], {"text": "a"}])
def test_what_is_not_text_is_none(value: object) -> None:
    findings = Findings()
    assert text_or_none(value, findings, PLACE, "instruction") is None
    assert kinds(findings) == {"empty_text"}


@pytest.mark.parametrize("text", ["Failed to retrieve ASR result, type it", " Loading speech recognition result..."])
def test_the_tools_placeholders(text: str) -> None:
    findings = Findings()
    assert text_or_none(text, findings, PLACE, "annotated_transcription") is None
    assert kinds(findings) == {"placeholder_transcript"}


@pytest.mark.parametrize(
    "text", [" I feel ill.\u00a0", "The result is undefined.", "null hypothesis", "Cafe\u0301", "0"]
)
def test_texts_stay_as_they_stand(text: str) -> None:
    findings = Findings()
    assert text_or_none(text, findings, PLACE, "generated_text") == text
    assert not findings.counts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\u00a0b", "non-breaking spaces"),
        ("¿Qué\u202f?", "non-breaking spaces"),
        ("\u200fنعم", "direction marks"),
        ("\u202bنعم\u202c", "direction marks"),
        ("\ufefb", "Arabic presentation forms"),
        ("\ufdf2", "Arabic presentation forms"),
        ("cafe\u0301", "not NFC"),
        ("caf\ufffd", "replacement characters"),
        ("e\u0301\u00a0\u200f", "non-breaking spaces, direction marks, not NFC"),
    ],
)
def test_unusual_characters_are_reported(text: str, said: str) -> None:
    findings = Findings()
    note_characters(text, "ara", findings, PLACE)
    assert [(one.kind.name, one.detail) for one in findings] == [("unusual_characters", said)]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Café, “naïve” – it’s 37 °C.", "eng"),
        ("¿Cuántos años? ¡Cárdigan, pingüino!", "spa"),
        ("هَلْ تَشْعُرُ بِالأَلَمِ؟ ١٢٪", "ara"),
        ("我头疼，该怎么办？这个药对我没有帮助。", "zho"),
    ],
)
def test_ordinary_texts_are_not_reported(text: str, language: str) -> None:
    findings = Findings()
    note_characters(text, language, findings, PLACE)
    assert not findings.counts


def test_traditional_characters_are_of_chinese_only() -> None:
    for language, expected in (("zho", {"traditional_characters"}), ("eng", set())):
        findings = Findings()
        note_characters("這個藥對頭髮有幫助嗎？", language, findings, PLACE)
        assert kinds(findings) == expected
