"""BLEU, ROUGE-L and chrF for Thai text, against other tools and by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sacrebleu
from nltk.translate.bleu_score import corpus_bleu as nltk_corpus_bleu
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.scoring import BootstrapAggregator, Score

from metrics.thai_text import (
    Bleu,
    Chrf,
    CorpusMetric,
    NewmmTokenizer,
    RougeL,
    RougeScore,
    bootstrap_median,
    corpus_score,
    corpus_statistics,
)

SOMTAM = "ผมชอบกินข้าวเหนียวกับส้มตำ"
GAI_YANG = "ผมชอบกินข้าวเหนียวกับไก่ย่าง"

SENTENCES = (
    SOMTAM,
    GAI_YANG,
    "วันนี้ฝนตก แต่ผมลืมเอาร่มมา ก็เลยเปียก",
    "มื้อนี้ฝนตก แต่ข้อยลืมเอาคันฮ่มมา กะเลยเปียก",
    "แม่ไปตลาด ซื้อปลา 2 ตัว กับผัก 1,500 บาท",
    "The cow eats grass, and the dog sleeps.",
    "The dog eats rice, and the dog sleeps again and again.",
    "แกงฮังเลเป็นของดีบ้านเรา",
    "",
    "ไป",
)

METRICS: tuple[CorpusMetric, ...] = (Bleu(), RougeL(), Chrf(0), Chrf(2))
METRIC_NAMES = ("bleu", "rouge_l", "chrf", "chrf_plus_plus")


def pairs(references_an_item: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """A corpus of shuffled sentences, some of them right, empty or short."""
    generator = random.Random(seed)
    hypotheses = [generator.choice(SENTENCES) for _ in range(30)]
    references = [[generator.choice(SENTENCES) for _ in range(references_an_item)] for _ in range(30)]
    return hypotheses, references


def pretokenized(text: str) -> str:
    """Newmm tokens between spaces, the tokens that are spaces made visible."""
    return " ".join(token.replace(" ", "▁") for token in NewmmTokenizer().tokenize(text))


# The worked values of the docstrings. BLEU: nltk 3.9.1; ROUGE-L: rouge_score 0.1.2; chrF: sacrebleu 2.6.0.
@pytest.mark.parametrize(
    ("metric", "hypothesis", "reference", "value"),
    [
        (Bleu(), SOMTAM, SOMTAM, 100.0),
        (Bleu(), SOMTAM, SOMTAM + "มาก", 84.64817248906141),
        (Bleu(), SOMTAM, GAI_YANG, 75.98356856515926),
        (RougeL(), SOMTAM, SOMTAM, 100.0),
        (RougeL(), SOMTAM, GAI_YANG, 83.33333333333334),
        (RougeL(), SOMTAM, "ส้มตำกับข้าวเหนียว", 22.22222222222222),
        (Chrf(), "ผมชอบส้มตำ", "ผมชอบส้มตำ", 100.0),
        (Chrf(), "ผมชอบส้มตำ", "ผมชอบส้มตำมาก", 75.04328606776774),
        (Chrf(), "ผมชอบส้มตำ", "ผมชอบไก่ย่าง", 24.7541293226235),
        (Chrf(2), "ผมชอบส้มตำ", "ผมชอบส้มตำมาก", 64.3228166295152),
    ],
)
def test_worked_values(metric: CorpusMetric, hypothesis: str, reference: str, value: float) -> None:
    assert corpus_score(metric, [hypothesis], [reference]).value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("references_an_item", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_bleu_equals_sacrebleu_on_the_same_tokens(references_an_item: int, seed: int) -> None:
    hypotheses, references = pairs(references_an_item, seed)
    streams = [[pretokenized(item[stream]) for item in references] for stream in range(references_an_item)]
    expected = sacrebleu.corpus_bleu(
        [pretokenized(text) for text in hypotheses], streams, tokenize="none", smooth_method="none", force=True
    )
    result = corpus_score(Bleu(), hypotheses, references)
    assert result.value == pytest.approx(expected.score, abs=1e-9)
    assert result.value > 0
    score = Bleu().score(result.sums)
    assert score.precisions == pytest.approx(expected.precisions)
    assert score.brevity_penalty == pytest.approx(expected.bp)
    assert (score.hypothesis_length, score.reference_length) == (expected.sys_len, expected.ref_len)


@pytest.mark.parametrize("seed", range(5))
def test_bleu_equals_nltk(seed: int) -> None:
    hypotheses, references = pairs(1, seed)
    # nltk counts one n-gram for a text too short to have any, so leave these out.
    long_enough = [position for position, text in enumerate(hypotheses) if len(NewmmTokenizer().tokenize(text)) > 3]
    hypotheses = [hypotheses[position] for position in long_enough]
    references = [references[position] for position in long_enough]
    tokenize = NewmmTokenizer().tokenize
    expected = nltk_corpus_bleu([[tokenize(item[0])] for item in references], [tokenize(text) for text in hypotheses])
    assert corpus_score(Bleu(), hypotheses, references).value == pytest.approx(100 * expected, abs=1e-9)


@pytest.mark.parametrize("references_an_item", [1, 3])
def test_rouge_l_equals_rouge_score_with_the_same_tokenizer(references_an_item: int) -> None:
    hypotheses, references = pairs(references_an_item, 0)
    scorer = RougeScorer(["rougeL"], tokenizer=NewmmTokenizer())
    expected = [
        scorer.score_multi(item, text)["rougeL"].fmeasure for text, item in zip(hypotheses, references, strict=True)
    ]
    statistics = corpus_statistics(RougeL(), hypotheses, references)
    np.testing.assert_allclose(statistics[:, 0], expected, atol=1e-12)
    result = corpus_score(RougeL(), hypotheses, references)
    assert result.value == pytest.approx(100 * np.mean(expected))
    assert RougeL().score(result.sums) == RougeScore(score=result.value, items=30)


@pytest.mark.parametrize("seed", [0, 42])
def test_bootstrap_median_is_what_the_papers_code_reports(seed: int) -> None:
    f1_scores = np.random.default_rng(1).random(20)
    aggregator = BootstrapAggregator()
    for f1 in f1_scores:
        aggregator.add_scores({"rougeL": Score(0.0, 0.0, f1)})
    np.random.seed(seed)
    expected = 100 * aggregator.aggregate()["rougeL"].mid.fmeasure
    assert bootstrap_median(f1_scores, seed=seed) == pytest.approx(expected, abs=1e-9)
    assert bootstrap_median(f1_scores, seed=seed) != pytest.approx(100 * f1_scores.mean(), abs=1e-6)


def test_bootstrap_median_needs_items() -> None:
    with pytest.raises(ValueError, match=r"shape \(0,\)"):
        bootstrap_median([], seed=0)


@pytest.mark.parametrize("word_order", [0, 2])
@pytest.mark.parametrize("references_an_item", [1, 3])
def test_chrf_equals_sacrebleu(word_order: int, references_an_item: int) -> None:
    hypotheses, references = pairs(references_an_item, 3)
    streams = [[item[stream] for item in references] for stream in range(references_an_item)]
    expected = sacrebleu.corpus_chrf(hypotheses, streams, word_order=word_order).score
    assert corpus_score(Chrf(word_order), hypotheses, references).value == pytest.approx(expected, abs=1e-9)


def test_chrf_refuses_other_word_orders() -> None:
    with pytest.raises(ValueError, match=r"0 \(chrF\) or 2 \(chrF\+\+\), got 1"):
        Chrf(1)


@pytest.mark.parametrize("metric", METRICS, ids=METRIC_NAMES)
@pytest.mark.parametrize("text", [SOMTAM, "เสื้อ เสือ เสื่อ และ น้ำ", "The cow eats grass."])
def test_identical_text_scores_100(metric: CorpusMetric, text: str) -> None:
    assert corpus_score(metric, [text], [text]).value == pytest.approx(100)


@pytest.mark.parametrize("metric", [RougeL(), Chrf()], ids=["rouge_l", "chrf"])
@pytest.mark.parametrize(("first", "second"), [("เสื้อ", "เสือ"), ("เสือ", "เสื่อ"), ("เสื้อ", "เสื่อ")])
def test_words_that_differ_in_marks_only_are_different(metric: CorpusMetric, first: str, second: str) -> None:
    assert corpus_score(metric, [first], [second]).value < 60


@pytest.mark.parametrize("typed", ["สีดํานํ้าเเล้วไปกินข้าว"])
def test_spellings_that_look_the_same_score_100_only_under_the_named_normalisation(typed: str) -> None:
    standard = "สีดำน้ำแล้วไปกินข้าว"
    tokenizer = NewmmTokenizer(normalization="nfc_sara_am")
    for raw, normalised in (
        (Bleu(), Bleu(tokenizer)),
        (RougeL(), RougeL(tokenizer)),
        (Chrf(), Chrf(normalization="nfc_sara_am")),
    ):
        assert corpus_score(raw, [typed], [standard]).value < 90
        assert corpus_score(normalised, [typed], [standard]).value == pytest.approx(100)
        assert normalised.signature().get("norm") == "nfc_sara_am"


def test_bleu_is_not_13a() -> None:
    """13a takes unspaced Thai for one word: a sentence with one wrong word of six scores 0."""
    assert sacrebleu.corpus_bleu([SOMTAM], [[GAI_YANG]], tokenize="13a", smooth_method="none").score == 0
    assert corpus_score(Bleu(), [SOMTAM], [GAI_YANG]).value == pytest.approx(75.98, abs=0.01)
    assert Bleu().signature().get("tok") == "newmm"


@pytest.mark.parametrize(
    ("metric", "hypotheses", "references", "value"),
    [
        (Bleu(), ["", SOMTAM], [SOMTAM, SOMTAM], 100 * np.exp(1 - 12 / 6)),
        (Bleu(), ["", ""], [SOMTAM, SOMTAM], 0),
        (Bleu(), [SOMTAM, SOMTAM], ["", SOMTAM], 50),
        (Bleu(), [SOMTAM], [""], 0),
        (Bleu(), ["ไป"], ["ไป"], 0),
        (RougeL(), ["", SOMTAM], [SOMTAM, SOMTAM], 50),
        (RougeL(), [SOMTAM], [""], 0),
        (RougeL(), [""], [""], 0),
        (Chrf(), ["", ""], [SOMTAM, SOMTAM], 0),
        (Chrf(), [SOMTAM, SOMTAM], ["", SOMTAM], 100),
        (Chrf(), [""], [""], 0),
    ],
)
def test_empty_texts(metric: CorpusMetric, hypotheses: list[str], references: list[str], value: float) -> None:
    assert corpus_score(metric, hypotheses, references).value == pytest.approx(value)


def test_chrf_recall_falls_with_an_empty_hypothesis() -> None:
    # Precision 1, recall 1/2: 5 * 1 * 0.5 / (4 * 1 + 0.5).
    assert corpus_score(Chrf(), ["", SOMTAM], [SOMTAM, SOMTAM]).value == pytest.approx(100 * 2.5 / 4.5)


def test_rouge_l_of_nothing_is_undefined() -> None:
    assert np.isnan(RougeL().values(np.zeros(2)))


def test_bleu_takes_the_closest_reference_length_and_the_shorter_of_two() -> None:
    # Six tokens against references of seven and of five: equally close.
    shorter, longer = "ผมชอบกินข้าวเหนียวส้มตำ", SOMTAM + "มาก"
    assert Bleu().statistics(SOMTAM, [longer, shorter])[1] == 5
    assert Bleu().statistics(SOMTAM, [longer])[1] == 7


@pytest.mark.parametrize("metric", METRICS, ids=METRIC_NAMES)
def test_values_take_a_matrix_of_sums(metric: CorpusMetric) -> None:
    statistics = corpus_statistics(metric, *pairs(1, 7))
    sums = np.stack([statistics[:10].sum(axis=0), statistics[10:].sum(axis=0), np.zeros(statistics.shape[1])])
    one_by_one = np.array([float(metric.values(row)) for row in sums])
    np.testing.assert_array_equal(metric.values(sums), one_by_one)
    np.testing.assert_array_equal(metric.values(sums.reshape(1, 3, -1)), one_by_one[np.newaxis])


@pytest.mark.parametrize("metric", METRICS, ids=METRIC_NAMES)
def test_shards_are_merged_by_addition(metric: CorpusMetric) -> None:
    hypotheses, references = pairs(2, 8)
    first = corpus_score(metric, hypotheses[:11], references[:11]).sums
    second = corpus_score(metric, hypotheses[11:], references[11:]).sums
    whole = corpus_score(metric, hypotheses, references)
    assert float(metric.values(first + second)) == pytest.approx(whole.value)
    assert whole.items == 30


@pytest.mark.parametrize(("metric", "name"), zip(METRICS, METRIC_NAMES, strict=True), ids=METRIC_NAMES)
def test_signature_says_the_number_of_references(metric: CorpusMetric, name: str) -> None:
    one = corpus_score(metric, ["ไป", "มา"], ["ไป", ["มา"]]).signature
    assert str(one).startswith(f"{name}|nrefs:1|")
    assert one == metric.signature()
    assert corpus_score(metric, ["ไป"], [["ไป", "มา"]]).signature.get("nrefs") == "2"
    assert corpus_score(metric, ["ไป", "มา"], ["ไป", ["มา", "ไป"]]).signature.get("nrefs") == "var"


@pytest.mark.parametrize("metric", METRICS, ids=METRIC_NAMES)
def test_what_cannot_be_scored_is_refused(metric: CorpusMetric) -> None:
    with pytest.raises(ValueError, match=r"2 hypotheses but 1 references"):
        corpus_score(metric, ["ไป", "มา"], ["ไป"])
    with pytest.raises(ValueError, match="no items"):
        corpus_score(metric, [], [])
    with pytest.raises(ValueError, match="item 1: the item has no reference"):
        corpus_score(metric, ["ไป", "มา"], ["ไป", []])
    with pytest.raises(TypeError, match="item 1: the hypothesis is a float"):
        corpus_score(metric, ["ไป", float("nan")], ["ไป", "มา"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="item 0: a reference is a NoneType"):
        corpus_score(metric, ["ไป"], [[None]])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="the references are one str"):
        metric.statistics("ไป", "ไป")
