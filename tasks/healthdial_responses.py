"""Metrics of response generation and of the whole pipeline: the pure functions of ``metrics`` on documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from lighteval.tasks.requests import Doc
from numpy.typing import NDArray

from metrics.bleu import Bleu
from metrics.chrf import Chrf
from metrics.corpus_metric import CorpusMetric
from metrics.language_tokenizers import language_tokenizer
from metrics.lighteval_dialogue import turn_metric
from metrics.pipeline import FirstError, PipelineAnswer, PipelineReference
from metrics.response import LexicalSupport, Refusals, SupportCount
from metrics.rouge import RougeL

Vector = NDArray[np.float64]


def responses(language: str) -> list[Any]:
    """Return BLEU, chrF and ROUGE-L on all turns, refusal rates, and lexical support on grounded turns."""
    tokenizer = language_tokenizer(language)
    reference_based: tuple[CorpusMetric, ...] = (Bleu(tokenizer), Chrf(), RougeL(tokenizer))
    refusals, support = Refusals(language), LexicalSupport(language)
    return [
        *(
            turn_metric(one.name, one.signature(), partial(_reference_statistics, one), {one.name: one.values})
            for one in reference_based
        ),
        turn_metric(refusals.name, refusals.signature(), partial(_refusal_statistics, refusals), _values(refusals)),
        turn_metric(support.name, support.signature(), partial(_support_statistics, support), _values(support)),
    ]


def pipeline_errors(language: str) -> list[Any]:
    """Return the shares of turns by the first part that went wrong."""
    metric = FirstError(language)
    return [turn_metric(metric.name, metric.signature(), partial(_outcome_statistics, metric), _values(metric))]


def _reference_statistics(metric: CorpusMetric, doc: Doc, answer: str) -> Vector:
    return metric.statistics(answer, doc.get_golds())


def _refusal_statistics(metric: Refusals, doc: Doc, answer: str) -> Vector:
    """Return the counts of a turn; one with gold is grounded, whatever its OOK label says."""
    gold = bool(json.loads((doc.specific or {})["gold"]))
    is_ook = _is_true(doc, "out_of_knowledge") and not gold
    return metric.statistics(answer, out_of_knowledge=is_ook, is_grounded=gold)


def _support_statistics(metric: LexicalSupport, doc: Doc, answer: str) -> Vector:
    """Return the counts of a grounded turn; nothing of others, nor where the run gives no snippets at all."""
    specific = doc.specific or {}
    if specific["snippets_from"] == "none" or not json.loads(specific["gold"]):
        return np.zeros(len(SupportCount))
    titled = zip(json.loads(specific["snippet_titles"]), json.loads(specific["snippets"]), strict=True)
    return metric.statistics(answer, [f"{title}: {content}" for title, content in titled])


def _outcome_statistics(metric: FirstError, doc: Doc, answer: str) -> Vector:
    specific = doc.specific or {}
    reference = PipelineReference(
        transcript=specific["transcript"],
        needs_retrieval=_is_true(doc, "needs_retrieval"),
        gold=tuple(json.loads(specific["gold"])),
        out_of_knowledge=_is_true(doc, "out_of_knowledge"),
        contents=tuple(json.loads(specific["gold_contents"])),
        response=doc.choices[0],
    )
    return metric.statistics(PipelineAnswer.parse(answer), reference)


def _is_true(doc: Doc, name: str) -> bool:
    return bool((doc.specific or {})[name] == "true")


def _values(metric: Any) -> dict[str, Callable[..., Any]]:
    return {measure: metric.values_of(measure) for measure in metric.measures}
