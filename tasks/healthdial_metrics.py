"""Metrics of HealthDial's tasks: the pure functions of ``metrics`` on documents and answers."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np
from lighteval.tasks.requests import Doc
from numpy.typing import NDArray

from metrics.asr import CharacterErrorRate, WordErrorRate
from metrics.classification import BinaryClassification
from metrics.lighteval_dialogue import ranking_of, turn_metric
from metrics.retrieval import Retrieval
from metrics.selection import KnowledgeSelection
from metrics.selection_parser import parse_selection
from metrics.yes_no import parse_yes_no

Vector = NDArray[np.float64]


def error_rates(language: str) -> list[Any]:
    """Return WER and CER, raw as upstream and normalised; for Chinese also upstream's CER on spaced text."""
    rates: list[WordErrorRate | CharacterErrorRate] = [
        measure(language, normalization=normalization)
        for normalization in ("raw", "normalized")
        for measure in (WordErrorRate, CharacterErrorRate)
    ]
    if language == "zho":
        rates.append(CharacterErrorRate(language, spaced=True))
    return [_error_rate(rate) for rate in rates]


def _error_rate(rate: WordErrorRate | CharacterErrorRate) -> Any:
    name = rate.name if rate.normalization == "raw" else f"{rate.name}_normalized"
    statistics = partial(_edit_statistics, rate)
    return turn_metric(name, rate.signature(), statistics, {name: rate.values}, higher_is_better=False)


def _edit_statistics(rate: WordErrorRate | CharacterErrorRate, doc: Doc, answer: str) -> Vector:
    """Return the edits of a transcript; none where there is no reference."""
    has_reference = (doc.specific or {})["has_reference"]
    return rate.statistics(answer if has_reference else "", [doc.choices[0]])


def retrieval() -> list[Any]:
    """Return the rank measures, with precision as upstream's scripts count it beside ours."""
    ours, upstream = Retrieval(), Retrieval(convention="shrinking")
    return [
        turn_metric(name, one.signature(), partial(_rank_statistics, one), _named(one, suffix))
        for name, one, suffix in (("retrieval", ours, ""), ("retrieval_shrinking", upstream, "_shrinking"))
    ]


def _rank_statistics(metric: Retrieval, doc: Doc, answer: str) -> Vector:
    return metric.statistics(ranking_of(answer), json.loads((doc.specific or {})["gold"]))


def selection() -> list[Any]:
    """Return exact match, set measures and OOK rates."""
    metric = KnowledgeSelection()
    return [turn_metric(metric.name, metric.signature(), partial(_selection_statistics, metric), _named(metric))]


def _selection_statistics(metric: KnowledgeSelection, doc: Doc, answer: str) -> Vector:
    specific = doc.specific or {}
    shown = dict(zip(json.loads(specific["shown"]), json.loads(specific["candidates"]), strict=True))
    return metric.statistics(parse_selection(answer, shown), json.loads(specific["gold"]))


def classification() -> list[Any]:
    """Return accuracy, F1 and majority baseline, with and without openings."""
    return [
        turn_metric(name, one.signature(), partial(_label_statistics, one), _named(one, suffix))
        for name, one, suffix in (
            ("classification", BinaryClassification(), ""),
            ("classification_without_opening", BinaryClassification(turns="without_opening"), "_without_opening"),
        )
    ]


def _label_statistics(metric: BinaryClassification, doc: Doc, answer: str) -> Vector:
    is_opening = (doc.specific or {})["is_opening"] == "true"
    return metric.statistics(parse_yes_no(answer), doc.gold_index == 1, is_opening=is_opening)


def _named(metric: Any, suffix: str = "") -> dict[str, Any]:
    return {f"{measure}{suffix}": metric.values_of(measure) for measure in metric.measures}
