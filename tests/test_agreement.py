"""Kappa, alpha and bias against scikit-learn, krippendorff and values worked out by hand; the analysis of a file."""

from __future__ import annotations

import math
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from metrics.agreement import (
    SCORE_LABELS,
    WEIGHTS,
    Label,
    Weights,
    annotator_bias,
    cohen_kappa,
    disagreement,
    krippendorff_alpha,
)
from tests.judgement_cases import (
    GEMINI,
    GPT,
    TYPHOON,
    drawn_preferences,
    drawn_scores,
    preference,
    score,
)
from thai_dialect_bench import agreement as analysis_module
from thai_dialect_bench.agreement import analyse
from thai_dialect_bench.judgement_sheets import Sheet, label_sheets

SKLEARN_WEIGHTS = {"none": None, "linear": "linear", "quadratic": "quadratic"}


def drawn(seed: int, count: int = 80) -> list[list[Label | None]]:
    generator = np.random.default_rng(seed)
    first = generator.choice(SCORE_LABELS, count)
    second = np.where(generator.random(count) < 0.6, first, generator.choice(SCORE_LABELS, count))
    rows = [[float(x) for x in row] for row in (first, second)]
    return [[None if generator.random() < 0.1 else x for x in row] for row in rows]


def ordinals(labels: list[Label | None]) -> list[int]:
    return [SCORE_LABELS.index(label) for label in labels if label is not None]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_kappa_equals_scikit_learn_on_the_pairs_with_both_labels(weights: Weights, seed: int) -> None:
    first, second = drawn(seed)
    both = [i for i in range(80) if first[i] is not None and second[i] is not None]
    kappa = cohen_kappa(first, second, SCORE_LABELS, weights=weights, resamples=100)
    expected = cohen_kappa_score(
        ordinals([first[i] for i in both]), ordinals([second[i] for i in both]), weights=SKLEARN_WEIGHTS[weights]
    )
    assert kappa.estimate.value == pytest.approx(expected)
    assert kappa.pairs == len(both)
    assert kappa.left_out == sum((a is None) != (b is None) for a, b in zip(first, second, strict=True)) > 0
    assert kappa.agreement == pytest.approx(np.mean([first[i] == second[i] for i in both]))
    assert kappa.estimate.low < expected < kappa.estimate.high


def test_kappa_worked_out_by_hand() -> None:
    # Observed disagreement 1/4; expected 1/2 * 3/4 + 1/2 * 1/4 = 1/2.
    assert cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1], SCORE_LABELS).estimate.value == pytest.approx(0.5)
    values = [cohen_kappa([0, 0.5, 1], [0.5, 0.5, 1], SCORE_LABELS, weights=w).estimate.value for w in WEIGHTS]
    assert values == pytest.approx([1 / 2, 4 / 7, 2 / 3])
    choices = cohen_kappa(["a", "b", "both", "none"], ["a", "b", "none", "none"], ("a", "b", "both", "none"))
    # Observed 3/4; expected (1 + 1 + 0 + 2) / 16.
    assert choices.estimate.value == pytest.approx((3 / 4 - 1 / 4) / (1 - 1 / 4))


def test_one_label_throughout_is_not_defined_but_agreement_is() -> None:
    for weights in WEIGHTS:
        kappa = cohen_kappa([1, 1, 1], [1, 1, 1], SCORE_LABELS, weights=weights)
        assert math.isnan(kappa.estimate.value)
        assert (kappa.agreement, kappa.pairs) == (1.0, 3)
    assert cohen_kappa([1, 1, 1], [1, 0, 1], SCORE_LABELS).estimate.value == 0
    alpha = krippendorff_alpha([[1, 1], [1, 1]], SCORE_LABELS)
    assert math.isnan(alpha.estimate.value)
    assert (alpha.answers, alpha.labels) == (2, 4)


def test_resamples_with_one_label_throughout_are_counted() -> None:
    labels: list[Label | None] = [*[0] * 19, 1]
    kappa = cohen_kappa(labels, labels, SCORE_LABELS).estimate
    # (19 / 20)^20 of the resamples do not hold the one other label
    assert kappa.undefined == pytest.approx(2000 * (19 / 20) ** 20, abs=60)
    alpha = krippendorff_alpha([labels, labels], SCORE_LABELS, resamples=200).estimate
    assert alpha.undefined == pytest.approx(200 * (19 / 20) ** 20, abs=25)


def test_without_a_shared_answer_nothing_is_defined() -> None:
    kappa = cohen_kappa([1, None], [None, 0], SCORE_LABELS)
    assert math.isnan(kappa.estimate.value)
    assert math.isnan(kappa.agreement)
    assert (kappa.pairs, kappa.left_out) == (0, 2)
    alpha = krippendorff_alpha([[1, None], [None, 0]], SCORE_LABELS)
    assert math.isnan(alpha.estimate.value)
    assert (alpha.answers, alpha.left_out) == (0, 2)


def test_wrong_labels_are_refused() -> None:
    with pytest.raises(ValueError, match=r"label 0\.7 is not one of 0\.0, 0\.5, 1\.0"):
        cohen_kappa([0.7], [1], SCORE_LABELS)
    with pytest.raises(ValueError, match="2 and 1 labels"):
        cohen_kappa([1, 1], [1], SCORE_LABELS)
    with pytest.raises(ValueError, match="different numbers of labels"):
        krippendorff_alpha([[1, 1], [1]], SCORE_LABELS)


@pytest.mark.parametrize("level", ["ordinal", "nominal", "interval"])
def test_alpha_equals_the_library_with_three_annotators_and_gaps(level: str) -> None:
    rows = [*drawn(3), drawn(4)[0]]
    alpha = krippendorff_alpha(rows, SCORE_LABELS, level=level, resamples=50)  # type: ignore[arg-type]
    table = [[np.nan if label is None else SCORE_LABELS.index(label) for label in row] for row in rows]
    assert alpha.estimate.value == pytest.approx(krippendorff.alpha(table, level_of_measurement=level))
    labelled = np.sum(~np.isnan(table), axis=0)
    assert (alpha.answers, alpha.left_out) == (int((labelled > 1).sum()), int((labelled == 1).sum()))
    assert alpha.labels == labelled[labelled > 1].sum()
    assert alpha.estimate.low < alpha.estimate.value < alpha.estimate.high


def test_alpha_of_krippendorffs_own_example() -> None:
    # Krippendorff (2011), four observers, twelve units: nominal 0.743, ordinal 0.815.
    rows: list[list[Label | None]] = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    nominal, ordinal = (krippendorff_alpha(rows, (1, 2, 3, 4, 5), level=level) for level in ("nominal", "ordinal"))  # type: ignore[arg-type]
    assert nominal.estimate.value == pytest.approx(0.743, abs=5e-4)
    assert ordinal.estimate.value == pytest.approx(0.815, abs=5e-4)


def test_intervals_resample_whole_clusters() -> None:
    first, second = ([label for label in row for _ in range(4)] for row in ([0, 1, 1, 0.5], [0, 1, 0.5, 0.5]))
    items = [item for item in "abcd" for _ in range(4)]
    for resampled in (items, None):
        kappa = cohen_kappa(first, second, SCORE_LABELS, clusters=resampled).estimate
        alpha = krippendorff_alpha([first, second], SCORE_LABELS, clusters=resampled).estimate
        if resampled:
            clustered = (kappa.high - kappa.low, alpha.high - alpha.low)
    assert clustered[0] > 1.3 * (kappa.high - kappa.low)
    assert clustered[1] > 1.3 * (alpha.high - alpha.low)


def test_bias_is_own_label_minus_the_others() -> None:
    ratings = {"A1": [1, 1, 0.5, None], "A2": [0.5, 1, 0, 1], "A3": [None, 0, None, None], "A4": [None] * 4}
    first, second, third = annotator_bias(ratings)
    # A1: 0.5, 1 - 0.5, 0.5; A2: -0.5, 1 - 0.5, -0.5; A3: -1.
    assert [entry.annotator for entry in (first, second, third)] == ["A1", "A2", "A3"]
    assert [entry.estimate.value for entry in (first, second, third)] == pytest.approx([0.5, -1 / 6, -1])
    assert [entry.answers for entry in (first, second, third)] == [3, 3, 1]
    assert [entry.mean for entry in (first, second, third)] == pytest.approx([2.5 / 3, 2.5 / 4, 0])
    assert (first.estimate.low, first.estimate.high) == (0.5, 0.5)
    assert math.isnan(third.estimate.low)


def test_disagreement() -> None:
    assert disagreement([0, 0.5, 1]) == pytest.approx((0.5 + 1 + 0.5) / 3)
    assert disagreement(["a", "b", "a"]) == pytest.approx(2 / 3)
    assert disagreement([1]) == disagreement([]) == disagreement(["a", "a"]) == 0


def sheet_of(sheets: list[Sheet], aspect: str) -> Sheet:
    return next(sheet for sheet in sheets if sheet.aspect == aspect)


def test_analysis_of_two_annotators_agrees_with_scikit_learn_and_krippendorff() -> None:
    judgements = drawn_scores(["A1", "A2"])
    found = analyse(judgements)
    for entry, group in zip(found.pair_agreements, found.group_agreements, strict=True):
        labels = {(j.item, j.model, j.annotator): getattr(j, entry.aspect) for j in judgements}
        table = [[labels[item, model, who] for item, model, _ in labels if _ == "A1"] for who in ("A1", "A2")]
        both = [pair for pair in zip(*table, strict=True) if None not in pair]
        first, second = ordinals([a for a, _ in both]), ordinals([b for _, b in both])
        for weights in WEIGHTS:
            expected = cohen_kappa_score(first, second, weights=SKLEARN_WEIGHTS[weights])
            assert entry.kappa[weights].estimate.value == pytest.approx(expected)
        assert entry.kappa["none"].pairs == len(both) < 60
        assert group.alpha is not None
        expected = krippendorff.alpha(np.array([first, second]), level_of_measurement="ordinal")
        assert group.alpha.estimate.value == pytest.approx(expected)
    assert [entry.aspect for entry in found.pair_agreements] == ["generation", "fluency"]


def test_scores_are_means_over_annotators_then_answers() -> None:
    found = analyse(
        [
            score("s-0", "A1", 1, 0.5),
            score("s-0", "A2", 0.5, None),
            score("s-1", "A1", 0, 0),
            score("s-1", "A2", 0.5, 1),
            score("s-2", "A1", 1, 1),
            score("s-0", "A1", 0, None, model=TYPHOON),
        ]
    )
    gemini, typhoon = found.scores
    # Generation: 0.75, 0.25, 1; Fluency: 0.5, 0.5, 1.
    assert gemini.generation.value == pytest.approx(100 * 2 / 3)
    assert gemini.fluency.value == pytest.approx(100 * 2 / 3)
    assert gemini.average.value == pytest.approx(100 * 2 / 3)
    assert (gemini.answers, gemini.annotators, gemini.left_out) == (3, 2, 1)
    assert gemini.generation.low < gemini.generation.value < gemini.generation.high
    assert (typhoon.model, typhoon.generation.value, typhoon.left_out) == (TYPHOON, 0, 1)
    assert math.isnan(typhoon.fluency.value)
    assert math.isnan(typhoon.average.value)
    assert math.isnan(typhoon.generation.low)


def test_discussions_begin_with_the_largest_disagreement() -> None:
    labels = {"s-0": (0, 0.5), "s-1": (1, 0), "s-2": (1, 1)}
    found = analyse(
        [score(item, who, x, 1) for item, pair in labels.items() for who, x in zip(("A1", "A2"), pair, strict=True)]
    )
    assert [(entry.answer.item, entry.disagreement, dict(entry.labels)) for entry in found.discussions] == [
        ("s-1", 1, {"A1": 1, "A2": 0}),
        ("s-0", 0.5, {"A1": 0, "A2": 0.5}),
    ]


def test_preferences_are_merged_counted_and_turned_to_the_papers_order() -> None:
    found = analyse(
        [
            preference("f-0", "A1", "a"),
            preference("f-0", "A2", "b", (TYPHOON, GEMINI)),  # Gemini again
            preference("f-1", "A1", "a", (TYPHOON, GEMINI)),  # Typhoon
            preference("f-1", "A2", "a"),  # Gemini: both are good to half
            preference("f-2", "A1", "none"),
            preference("f-3", "A1", None),
        ]
    )
    (entry,) = found.preferences
    assert (entry.aspect, entry.model_a, entry.model_b) == ("dialect_choice", GEMINI, TYPHOON)
    assert (entry.counts.a, entry.counts.b, entry.counts.both, entry.counts.none) == (1, 0, 1, 1)
    assert (entry.split, entry.left_out) == (1, 1)
    assert entry.test.p_value == entry.p_holm == 1


def test_three_annotators_give_three_pairs_one_alpha_and_a_ranking() -> None:
    found = analyse(drawn_preferences(["A1", "A2", "A3"]))
    assert len(found.pair_agreements) == 6
    assert all(list(entry.kappa) == ["none"] for entry in found.pair_agreements)
    assert [(entry.annotators, entry.aspect) for entry in found.group_agreements] == [
        (3, "dialect_choice"),
        (3, "answer_choice"),
    ]
    sheet = sheet_of(label_sheets(drawn_preferences(["A1", "A2", "A3"])), "dialect_choice")
    table = [[sheet.categories.index(label) for label in row if label is not None] for row in sheet.ratings.values()]
    alpha = found.group_agreements[0].alpha
    assert alpha is not None
    assert alpha.estimate.value == pytest.approx(krippendorff.alpha(table, level_of_measurement="nominal"))
    assert found.strengths[0].strength.system == GEMINI
    assert {entry.strength.system for entry in found.strengths} == {GEMINI, TYPHOON, GPT}
    assert all(pair.p_holm >= pair.test.p_value for pair in found.preferences)


def test_codes_of_two_studies_are_two_annotators() -> None:
    one = [score("s-0", "A1", 1, 1), score("s-1", "A1", 0, 1)]
    found = analyse([*one, *(replace(judgement, study="other") for judgement in one)])
    assert found.scores[0].annotators == 2
    assert found.pair_agreements[0].annotators == ("other/A1", "toy/A1")


def test_without_the_library_alpha_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_module, "find_spec", lambda name: None)
    assert [entry.alpha for entry in analyse(drawn_scores(["A1", "A2"], items=3)).group_agreements] == [None, None]
