"""The tokenizers of BLEU and ROUGE-L by language: BLEU on them is sacrebleu's."""

from __future__ import annotations

from typing import Any

import pytest
import sacrebleu
from sacrebleu.metrics.bleu import BLEU

from metrics.bleu import Bleu
from metrics.corpus_metric import corpus_score
from metrics.language_tokenizers import TOKENIZERS, SacrebleuTokenizer, language_tokenizer
from metrics.rouge import RougeL

ANSWERS = {
    "ara": (
        ["ضعه في الثلاجة خلال ساعتين، ثم تناوله خلال يومين.", "هل تشرب ماءً كافيًا؟ اشرب 1,5 لتر كل يوم."],
        ["ضعه في الثلاجة خلال ساعتين من الطبخ، وتناوله خلال يومين.", "هل تشرب ماءً كافيًا؟ اشرب لترين كل يوم."],
    ),
    "zho": (
        ["请在两小时内放进冰箱，并在3天内吃完。", "您今天喝了多少水？每天喝 1.5 L 水。"],
        ["请在两小时内放进冰箱，并在两三天内吃完。", "您今天喝水了吗？每天喝 1.5 L 水。 "],
    ),
    "eng": (
        ["Put it in the fridge within 2.5 hours, don't wait.", 'Eat it "soon" &amp; keep the rest\nfrozen.  '],
        ["Put it into the fridge within 2.5 hours, don't wait.", 'Eat it "soon" & keep the rest frozen.'],
    ),
    "spa": (
        ["¿Bebe usted bastante agua? ¡Beba 1,5 litros!", "Guárdelo en el refrigerador antes de dos horas."],
        ["¿Bebe bastante agua? ¡Beba 1,5 litros cada día!", "Guárdelo en el refrigerador durante dos horas."],
    ),
}


@pytest.mark.parametrize("language", TOKENIZERS)
def test_bleu_is_sacrebleus(language: str) -> None:
    hypotheses, references = ANSWERS[language]
    expected = BLEU(tokenize=TOKENIZERS[language], smooth_method="none").corpus_score(hypotheses, [references])
    score = corpus_score(Bleu(language_tokenizer(language)), hypotheses, references)
    assert 20 < expected.score < 95
    assert score.value == pytest.approx(expected.score, rel=0, abs=1e-9)
    assert score.signature.get("tok") == TOKENIZERS[language]
    assert score.signature.get("sacrebleu") == sacrebleu.__version__


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [
        ("eng", "Don't wait: 2.5 hours.", ("Don't", "wait", ":", "2.5", "hours", ".")),
        ("spa", "¿Agua? ¡Sí!", ("¿", "Agua", "?", "¡", "Sí", "!")),
        ("ara", "ماءً، أليس كذلك؟", ("ماءً", "،", "أليس", "كذلك", "؟")),
        ("zho", "喝水 COVID-19。", ("喝", "水", "COVID-19", "。")),
        ("zho", "", ()),
        ("eng", " \n ", ()),
    ],
)
def test_tokens(language: str, text: str, tokens: tuple[str, ...]) -> None:
    assert language_tokenizer(language).tokenize(text) == tokens


def test_rouge_l_counts_the_tokens_of_the_language() -> None:
    metric = RougeL(language_tokenizer("zho"))
    # 6 and 4 tokens, 4 of them in common: 2 * 4 / 10.
    assert metric.values(metric.statistics("每天多喝水。", ["每天喝水"])) == pytest.approx(80)
    assert "|tok:zh|" in str(metric.signature())


def test_an_unknown_name_or_language_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown tokenizer 'flores200'; choose one of 13a, intl, zh"):
        SacrebleuTokenizer("flores200")
    with pytest.raises(ValueError, match="no tokenizer for language 'tha'"):
        language_tokenizer("tha")


@pytest.mark.parametrize("value", [None, float("nan"), 3])
def test_what_is_no_text_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="pass a str"):
        language_tokenizer("eng").tokenize(value)
