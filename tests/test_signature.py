"""Signatures: the text form, reading it back, adding fields."""

from __future__ import annotations

import pytest

from metrics.signature import Signature

LINE = "bleu|nrefs:1|order:4|smooth:none|tok:newmm|pythainlp:5.2.0|dict:1a2b3c4d|space:kept|case:raw|norm:raw|v:1"


def test_text_form_is_sacrebleus() -> None:
    assert str(Signature.of("chrf", nrefs=1, case="mixed", nc=6)) == "chrf|nrefs:1|case:mixed|nc:6"


def test_a_metric_without_settings_is_its_name() -> None:
    assert str(Signature("exact_match")) == "exact_match"
    assert Signature.parse("exact_match") == Signature("exact_match")


def test_parse_reads_the_text_form_back() -> None:
    signature = Signature.parse(LINE)
    assert str(signature) == LINE
    assert signature.metric == "bleu"
    assert signature.get("pythainlp") == "5.2.0"
    assert signature.get("lighteval") is None


def test_a_value_may_hold_a_colon() -> None:
    signature = Signature.of("bleu", data="release@b5597ba:test")
    assert Signature.parse(str(signature)).get("data") == "release@b5597ba:test"


def test_with_fields_appends_and_replaces_in_place() -> None:
    signature = Signature.of("bleu", nrefs=1, order=4)
    assert (
        str(signature.with_fields(data="abc", lighteval="0.13.0")) == "bleu|nrefs:1|order:4|data:abc|lighteval:0.13.0"
    )
    assert str(signature.with_fields(nrefs="var")) == "bleu|nrefs:var|order:4"
    assert str(signature) == "bleu|nrefs:1|order:4"


@pytest.mark.parametrize(
    ("metric", "fields", "message"),
    [
        ("", (), "must not be empty"),
        ("bl:eu", (), "must not be empty or hold"),
        ("bleu|4", (), "remove it"),
        ("bleu", (("tok", "a|b"),), "remove it"),
        ("bleu", (("tok", "a\nb"),), "remove it"),
        ("bleu", (("", "a"),), "rename it"),
        ("bleu", (("a:b", "c"),), "rename it"),
        ("bleu", (("a", "1"), ("a", "2")), "more than once"),
    ],
)
def test_what_could_not_be_read_back_is_refused(
    metric: str, fields: tuple[tuple[str, str], ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Signature(metric, fields)


def test_parse_names_the_part_without_a_colon() -> None:
    with pytest.raises(ValueError, match="'order4' has no ':'"):
        Signature.parse("bleu|order4")
