"""Lay judgements out as labels by answer and annotator: one sheet a dialect and aspect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from metrics.agreement import SCORE_LABELS, Label
from metrics.preference import VERDICTS, Verdict, exchanged
from thai_dialect_bench.judgement_record import PREFERENCE_KIND, SCORE_KIND, Judgement
from thai_dialect_bench.paper_human import paper_title, table_2_pair
from thai_dialect_bench.schema import VARIETIES

ASPECTS = {SCORE_KIND: ("generation", "fluency"), PREFERENCE_KIND: ("dialect_choice", "answer_choice")}


class Answer(NamedTuple):
    """What annotators label: one model's answer to an item, or the answers of two; ``model_b`` is then not empty."""

    item: str
    task: str
    dialect: str
    model: str
    model_b: str = ""


@dataclass(frozen=True)
class Sheet:
    """All labels of one aspect in one dialect.

    Attributes:
        dialect: A key of ``VARIETIES``.
        aspect: A field of ``Judgement``: ``generation``, ``fluency``, ``dialect_choice`` or ``answer_choice``.
        answers: What was labelled.
        ratings: Labels by annotator, one an answer; None: no label.
    """

    dialect: str
    aspect: str
    answers: tuple[Answer, ...]
    ratings: Mapping[str, tuple[Label | None, ...]]

    @property
    def is_scale(self) -> bool:
        """Whether the labels are 0, 0.5, 1 and not choices."""
        return self.aspect in ASPECTS[SCORE_KIND]

    @property
    def categories(self) -> tuple[Label, ...]:
        """All labels that could be given."""
        return SCORE_LABELS if self.is_scale else VERDICTS

    @property
    def items(self) -> tuple[str, ...]:
        """Item of each answer, the unit of resampling."""
        return tuple(answer.item for answer in self.answers)

    def labels_of(self, position: int) -> dict[str, Label]:
        """Return the labels given to one answer, by annotator."""
        return {who: label for who, row in self.ratings.items() if (label := row[position]) is not None}


def label_sheets(judgements: Sequence[Judgement]) -> list[Sheet]:
    """Return the labels by dialect and aspect, without aspects that nobody judged.

    The models of a preference are put in one order throughout: that of the paper's Table 2, else that of the first
    judgement of the pair.
    """
    several = len({judgement.study for judgement in judgements}) > 1
    orders: dict[frozenset[str], tuple[str, str]] = {}
    sheets = []
    for dialect in VARIETIES:
        for kind, aspects in ASPECTS.items():
            chosen = [j for j in judgements if j.dialect == dialect and j.kind == kind]
            for aspect in aspects:
                labels: dict[Answer, dict[str, Label]] = {}
                for judgement in chosen:
                    answer, label = _label(judgement, aspect, orders)
                    who = f"{judgement.study}/{judgement.annotator}" if several else judgement.annotator
                    row = labels.setdefault(answer, {})
                    if label is not None:
                        row[who] = label
                annotators = sorted({who for row in labels.values() for who in row})
                if annotators:
                    ratings = {who: tuple(row.get(who) for row in labels.values()) for who in annotators}
                    sheets.append(Sheet(dialect, aspect, tuple(labels), ratings))
    return sheets


def _label(
    judgement: Judgement, aspect: str, orders: dict[frozenset[str], tuple[str, str]]
) -> tuple[Answer, Label | None]:
    """Return what was labelled and the label, choices turned to the order of the pair."""
    label: Label | None = getattr(judgement, aspect)
    place = (judgement.item, judgement.task, judgement.dialect)
    if judgement.kind == SCORE_KIND:
        return Answer(*place, str(judgement.model)), label
    pair = (str(judgement.model_a), str(judgement.model_b))
    order = orders.setdefault(frozenset(pair), _paper_order(pair))
    if label is not None and order != pair:
        label = exchanged(cast(Verdict, label))
    return Answer(*place, *order), label


def _paper_order(pair: tuple[str, str]) -> tuple[str, str]:
    """Return two models in the order of Table 2, as they are where it does not have them."""
    printed = table_2_pair(*pair)
    return pair if printed is None or paper_title(pair[0]) == printed[0] else (pair[1], pair[0])


def answer_means(sheet: Sheet) -> dict[Answer, float]:
    """Return the mean label of each answer of a scale over the annotators who gave one, 0-1."""
    given = ((answer, sheet.labels_of(position)) for position, answer in enumerate(sheet.answers))
    return {answer: sum(map(float, labels.values())) / len(labels) for answer, labels in given if labels}
