"""Who judges what in which order: random for each annotator, from the study's seed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from thai_dialect_bench.annotation.study import Study

Side = Literal["a", "b"]


@dataclass(frozen=True)
class Assignment:
    """One place in an annotator's order.

    Attributes:
        annotator: Code of the annotator.
        position: Place in the order, from 0.
        item: Name of the item.
        model_a: The model that answered; the first of the pair in the study's order for a preference.
        model_b: The other model of the pair; None for a dialect score.
        shown_left: Which of the pair stands left or on top, ``a`` or ``b``; None for a dialect score.
    """

    annotator: str
    position: int
    item: str
    model_a: str
    model_b: str | None
    shown_left: Side | None


def make_assignments(study: Study) -> list[Assignment]:
    """Return what every annotator judges: all answers, or all pairs of models on every item.

    The order is a shuffle for each annotator. Left and right are balanced over an annotator's places and shuffled, so
    that a liking for one side cannot favour a model. The same study and seed give the same assignments.
    """
    return [assignment for annotator in study.annotators for assignment in _of_annotator(study, annotator)]


def _of_annotator(study: Study, annotator: str) -> Iterator[Assignment]:
    # A string seed is hashed with SHA-512 by `random`, so neighbouring seeds and codes give unrelated orders.
    generator = random.Random(f"{study.seed}/{annotator}")
    places = list(_places(study))
    generator.shuffle(places)
    sides: list[Side] = ["b" if index % 2 else "a" for index in range(len(places))]
    generator.shuffle(sides)
    for position, ((item, model_a, model_b), side) in enumerate(zip(places, sides, strict=True)):
        yield Assignment(annotator, position, item, model_a, model_b, side if model_b else None)


def _places(study: Study) -> Iterator[tuple[str, str, str | None]]:
    """Yield item, model and other model of every answer or pair, in the study's order."""
    for item in study.items:
        if study.kind == "preference":
            yield from ((item.item, *pair) for pair in itertools.combinations(study.models, 2))
        else:
            yield from ((item.item, model, None) for model in study.models)
