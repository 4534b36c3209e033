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
from metrics.signature import DEFINITIONS_VERSION, Signature
from metrics.yes_no import parse_yes_no

Vector = NDArray[np.float64]


def error_rates(language: str) -> list[Any]:
    """Return WER and CER, raw as upstream and normalised; for Chinese also upstream's CER on spaced text.

    The last is the percentage of turns without a reference, which count in no rate. Where it is 100, there are no
    rates: silence about nothing is no perfect score.
    """
    rates: list[WordErrorRate | CharacterErrorRate] = [
        measure(language, normalization=normalization)
        for normalization in ("raw", "normalized")
        for measure in (WordErrorRate, CharacterErrorRate)
    ]
    if language == "zho":
        rates.append(CharacterErrorRate(language, spaced=True))
    return [*map(_error_rate, rates), _without_reference()]


def _error_rate(rate: WordErrorRate | CharacterErrorRate) -> Any:
    name = rate.name if rate.normalization == "raw" else f"{rate.name}_normalized"
    statistics = partial(_edit_statistics, rate)
    values = {name: partial(_rate_of_any, rate)}
    return turn_metric(name, rate.signature(), statistics, values, higher_is_better=False)


def _rate_of_any(rate: WordErrorRate | CharacterErrorRate, sums: Vector) -> Vector:
    """Return the rate; nan where nothing was counted."""
    return np.where(sums.any(axis=-1), rate.values(sums), np.nan)


def _edit_statistics(rate: WordErrorRate | CharacterErrorRate, doc: Doc, answer: str) -> Vector:
    """Return the edits of a transcript; none where there is no reference."""
    return rate.statistics(answer if _has_reference(doc) else "", [doc.choices[0]])


def _without_reference() -> Any:
    signature = Signature.of("turns_without_reference", v=DEFINITIONS_VERSION)
    values = {"turns_without_reference": lambda sums: 100 * sums[..., 1] / sums.sum(axis=-1)}
    return turn_metric("turns_without_reference", signature, _reference_statistics, values, higher_is_better=False)


def _reference_statistics(doc: Doc, _: str) -> Vector:
    """Return 1, 0 where there is a reference, else 0, 1."""
    return np.array([_has_reference(doc), not _has_reference(doc)], dtype=np.float64)


def _has_reference(doc: Doc) -> bool:
    return bool((doc.specific or {})["has_reference"])


def retrieval() -> list[Any]:
    """Return the rank measures, with precision as upstream's scripts count it beside ours."""
    ours, upstream = Retrieval(), Retrieval(convention="shrinking")
    return [
        turn_metric(name, one.signature(), partial(_rank_statistics, one), _named(one, suffix))
        for name, one, suffix in (("retrieval", ours, ""), ("retrieval_shrinking", upstream, "_shrinking"))
    ]


def _rank_statistics(metric: Retrieval, doc: Doc, answer: str) -> Vector:
    """Return the statistics of a query; nothing of an out-of-knowledge one."""
    gold = json.loads((doc.specific or {})["gold"])
    return metric.statistics(ranking_of(answer), gold) if gold else np.zeros(len(metric.measures) + 1)


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
