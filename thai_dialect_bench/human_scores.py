"""Generation and Fluency of each model in each dialect from the annotators' labels, as in the paper's Table 3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from metrics.resampling import Estimate, bootstrap_interval
from thai_dialect_bench.judgement_record import SCORE_KIND, Judgement
from thai_dialect_bench.judgement_sheets import Answer, Sheet, answer_means
from thai_dialect_bench.schema import VARIETIES


@dataclass(frozen=True)
class ModelScore:
    """Generation and Fluency of a model in a dialect, as in Table 3, 0-100: mean over annotators, then over answers.

    Attributes:
        model: The model.
        dialect: A key of ``VARIETIES``.
        generation: With interval, resampled by item.
        fluency: The same.
        average: Mean of the two.
        answers: Answers with a label.
        annotators: Annotators who gave one.
        left_out: Labels that are missing, of an annotator who judged the answer.
    """

    model: str
    dialect: str
    generation: Estimate
    fluency: Estimate
    average: Estimate
    answers: int
    annotators: int
    left_out: int


def model_scores(judgements: Sequence[Judgement], scales: Sequence[Sheet]) -> Iterator[ModelScore]:
    """Yield the scores of each model, by dialect.

    Args:
        judgements: All judgements, of which missing labels are counted.
        scales: Their labels.
    """
    scored = [judgement for judgement in judgements if judgement.kind == SCORE_KIND]
    for dialect in VARIETIES:
        sheets = {sheet.aspect: sheet for sheet in scales if sheet.dialect == dialect}
        means = {aspect: answer_means(sheet) for aspect, sheet in sheets.items()}
        answers = dict.fromkeys(answer for sheet in sheets.values() for answer in sheet.answers)
        for model in dict.fromkeys(answer.model for answer in answers):
            own = [answer for answer in answers if answer.model == model]
            statistics = np.array([_sums(answer, means) for answer in own])
            estimates = {
                name: bootstrap_interval(
                    statistics, partial(_score_of, columns=columns), clusters=[answer.item for answer in own]
                )
                for name, columns in {"generation": (0,), "fluency": (2,), "average": (0, 2)}.items()
            }
            labelled = {
                who
                for sheet in sheets.values()
                for who, row in sheet.ratings.items()
                if any(a.model == model and label is not None for a, label in zip(sheet.answers, row, strict=True))
            }
            nulls = sum(
                (j.generation is None) + (j.fluency is None)
                for j in scored
                if (j.model, j.dialect) == (model, dialect)
            )
            answered = int((statistics[:, 1] + statistics[:, 3] > 0).sum())
            yield ModelScore(model, dialect, **estimates, answers=answered, annotators=len(labelled), left_out=nulls)


def _sums(answer: Answer, means: Mapping[str, Mapping[Answer, float]]) -> list[float]:
    """Return Generation and whether there is one, Fluency and whether there is one."""
    values = [means.get(aspect, {}).get(answer) for aspect in ("generation", "fluency")]
    return [number for value in values for number in (value or 0.0, float(value is not None))]


def _score_of(sums: NDArray[np.float64], columns: Sequence[int]) -> NDArray[np.float64]:
    """Mean of the named means, 0-100; nan where one has no labels."""
    counts = sums[..., [column + 1 for column in columns]]
    means = 100 * sums[..., list(columns)] / np.where(counts > 0, counts, np.nan)
    return np.asarray(means.mean(axis=-1))
