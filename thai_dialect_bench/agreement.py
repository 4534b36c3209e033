"""Analyse the judgements of annotators: scores, preferences, agreement, bias, and what to discuss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import combinations
from typing import cast

from metrics.agreement import (
    WEIGHTS,
    Alpha,
    Bias,
    Kappa,
    Label,
    Level,
    Weights,
    annotator_bias,
    cohen_kappa,
    disagreement,
    krippendorff_alpha,
)
from metrics.preference import (
    Comparison,
    PreferenceCounts,
    SignTest,
    Strength,
    Verdict,
    bradley_terry,
    compared_groups,
    count_verdicts,
    merge_votes,
    sign_test,
)
from metrics.resampling import holm
from thai_dialect_bench.human_scores import ModelScore, model_scores
from thai_dialect_bench.judgement_record import Judgement
from thai_dialect_bench.judgement_sheets import Answer, Sheet, label_sheets


@dataclass(frozen=True)
class PairAgreement:
    """Cohen's kappa of two annotators; of choices, which have no order, only unweighted."""

    dialect: str
    aspect: str
    annotators: tuple[str, str]
    kappa: Mapping[Weights, Kappa]


@dataclass(frozen=True)
class GroupAgreement:
    """Krippendorff's alpha (scores ordinal, choices nominal) of all annotators; None without its library."""

    dialect: str
    aspect: str
    annotators: int
    alpha: Alpha | None


@dataclass(frozen=True)
class PairPreference:
    """Verdicts on two models in a dialect, as in Table 2.

    Attributes:
        dialect: A key of ``VARIETIES``.
        aspect: ``dialect_choice`` or ``answer_choice``.
        model_a: Model A, in the paper's order where Table 2 has the pair.
        model_b: Model B.
        counts: Items by verdict.
        split: Items on which the annotators did not all choose the same.
        left_out: Items without a choice.
        test: Sign test.
        p_holm: Its p-value, corrected for all sign tests of the analysis (Holm).
    """

    dialect: str
    aspect: str
    model_a: str
    model_b: str
    counts: PreferenceCounts
    split: int
    left_out: int
    test: SignTest
    p_holm: float


@dataclass(frozen=True)
class ModelStrength:
    """Place of a model among more than two that were compared."""

    dialect: str
    aspect: str
    strength: Strength


@dataclass(frozen=True)
class AnnotatorBias:
    """Bias of an annotator in a dialect and aspect."""

    dialect: str
    aspect: str
    bias: Bias


@dataclass(frozen=True)
class Discussion:
    """An answer on which the annotators differ.

    Attributes:
        answer: The answer.
        aspect: What they differ on.
        labels: Labels by annotator.
        disagreement: Mean distance of two annotators' labels, 0-1; two choices are 1 apart.
    """

    answer: Answer
    aspect: str
    labels: Mapping[str, Label]
    disagreement: float


@dataclass(frozen=True)
class Analysis:
    """Everything that the judgements tell, in the order of the dialects."""

    judgements: int
    scores: tuple[ModelScore, ...]
    preferences: tuple[PairPreference, ...]
    strengths: tuple[ModelStrength, ...]
    pair_agreements: tuple[PairAgreement, ...]
    group_agreements: tuple[GroupAgreement, ...]
    biases: tuple[AnnotatorBias, ...]
    discussions: tuple[Discussion, ...]


def analyse(judgements: Sequence[Judgement]) -> Analysis:
    """Analyse judgements of any number of studies together.

    Where there are several studies, an annotator's code counts only within its own study.
    """
    sheets = label_sheets(judgements)
    scales = [sheet for sheet in sheets if sheet.is_scale]
    choices = [sheet for sheet in sheets if not sheet.is_scale]
    return Analysis(
        judgements=len(judgements),
        scores=tuple(model_scores(judgements, scales)),
        preferences=tuple(_corrected([pair for sheet in choices for pair in _preferences(sheet)])),
        strengths=tuple(strength for sheet in choices for strength in _strengths(sheet)),
        pair_agreements=tuple(pair for sheet in sheets for pair in _pair_agreements(sheet)),
        group_agreements=tuple(_group_agreement(sheet) for sheet in sheets if len(sheet.ratings) > 1),
        biases=tuple(
            AnnotatorBias(sheet.dialect, sheet.aspect, bias)
            for sheet in scales
            if len(sheet.ratings) > 1
            for bias in annotator_bias(_numbers(sheet), clusters=sheet.items)
        ),
        discussions=tuple(sorted(_discussions(sheets), key=lambda found: -found.disagreement)),
    )


def _verdicts(sheet: Sheet) -> dict[Answer, Verdict | None]:
    """Return the merged verdict of every compared pair of answers."""
    return {
        answer: merge_votes([cast(Verdict, label) for label in sheet.labels_of(position).values()])
        for position, answer in enumerate(sheet.answers)
    }


def _preferences(sheet: Sheet) -> Iterator[PairPreference]:
    """Yield the verdicts on each pair of models; the p-values are not corrected yet."""
    verdicts = _verdicts(sheet)
    for pair in dict.fromkeys((answer.model, answer.model_b) for answer in verdicts):
        own = {answer: verdict for answer, verdict in verdicts.items() if (answer.model, answer.model_b) == pair}
        counts = count_verdicts(list(own.values()))
        split = sum(
            len(set(sheet.labels_of(position).values())) > 1
            for position, answer in enumerate(sheet.answers)
            if answer in own
        )
        left_out = len(own) - counts.items
        yield PairPreference(
            sheet.dialect, sheet.aspect, *pair, counts, split, left_out, sign_test(counts), float("nan")
        )


def _corrected(preferences: Sequence[PairPreference]) -> list[PairPreference]:
    """Fill in the p-values corrected for all tests."""
    adjusted = holm([preference.test.p_value for preference in preferences])
    return [replace(pair, p_holm=p_value) for pair, p_value in zip(preferences, adjusted, strict=True)]


def _strengths(sheet: Sheet) -> Iterator[ModelStrength]:
    """Yield the Bradley-Terry fit of each group of more than two models that comparisons link."""
    comparisons = [
        Comparison(answer.item, answer.model, answer.model_b, verdict)
        for answer, verdict in _verdicts(sheet).items()
        if verdict is not None
    ]
    for group in compared_groups(comparisons):
        if len(group) > 2:
            own = [comparison for comparison in comparisons if comparison.system_a in group]
            yield from (ModelStrength(sheet.dialect, sheet.aspect, strength) for strength in bradley_terry(own))


def _pair_agreements(sheet: Sheet) -> Iterator[PairAgreement]:
    """Yield kappa of every two annotators who share an answer."""
    weightings = WEIGHTS if sheet.is_scale else WEIGHTS[:1]
    for first, second in combinations(sheet.ratings, 2):
        kappa: dict[Weights, Kappa] = {
            weights: cohen_kappa(
                sheet.ratings[first],
                sheet.ratings[second],
                sheet.categories,
                weights=weights,
                clusters=sheet.items,
            )
            for weights in weightings
        }
        if kappa["none"].pairs:
            yield PairAgreement(sheet.dialect, sheet.aspect, (first, second), kappa)


def _group_agreement(sheet: Sheet) -> GroupAgreement:
    """Return alpha of all annotators."""
    alpha = None
    if find_spec("krippendorff"):
        level: Level = "ordinal" if sheet.is_scale else "nominal"
        alpha = krippendorff_alpha(list(sheet.ratings.values()), sheet.categories, level=level, clusters=sheet.items)
    return GroupAgreement(sheet.dialect, sheet.aspect, len(sheet.ratings), alpha)


def _numbers(sheet: Sheet) -> dict[str, list[float | None]]:
    """Return the labels of a scale as numbers."""
    return {who: [None if x is None else float(x) for x in row] for who, row in sheet.ratings.items()}


def _discussions(sheets: Sequence[Sheet]) -> Iterator[Discussion]:
    """Yield every answer and aspect on which annotators differ."""
    for sheet in sheets:
        for position, answer in enumerate(sheet.answers):
            labels = sheet.labels_of(position)
            if (found := disagreement(list(labels.values()))) > 0:
                yield Discussion(answer, sheet.aspect, labels, found)
