"""What a report prints of each component: every measure, the statistics it is read off, and the items it counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metrics.asr import WordErrorRate
from metrics.bleu import Bleu
from metrics.chrf import Chrf
from metrics.classification import BinaryClassification
from metrics.language_tokenizers import language_tokenizer
from metrics.pipeline import OUTCOMES, FirstError
from metrics.resampling import Values
from metrics.response import LexicalSupport, RefusalCount, Refusals, SupportCount
from metrics.retrieval import Retrieval
from metrics.rouge import RougeL
from metrics.selection import Count, KnowledgeSelection
from metrics.tts import STANDARD, UPSTREAM, MelCepstralDistance

Average = Literal["", "micro", "macro"]
Mask = Callable[[NDArray[np.float64]], NDArray[np.bool_]]

COMPONENT_TITLES = {
    "asr": "Speech recognition",
    "tts": "Speech synthesis",
    "turn_classification": "Turn classification",
    "retrieval": "Text retrieval",
    "speech_retrieval": "Speech retrieval",
    "filtering": "Knowledge filtering",
    "response_generation": "Response generation",
    "pipeline": "Pipeline",
}
"""Components of the tables, in their order."""
RETRIEVAL = Retrieval()
CUTOFFS = RETRIEVAL.cutoffs
UPSTREAM_MCD = MelCepstralDistance(UPSTREAM)
RANK_MEASURES = tuple(one for one in RETRIEVAL.measures if one.startswith(("recall", "mrr", "ndcg")))
PIPELINE_MEASURES = FirstError.measures
_AVERAGED: tuple[tuple[Average, tuple[str, ...]], ...] = (("micro", RETRIEVAL.measures), ("macro", RANK_MEASURES))
_HEARD = "cer_synthesized_normalized"


@dataclass(frozen=True)
class Measure:
    """A measure of a component.

    Attributes:
        component: A key of ``COMPONENT_TITLES``.
        name: Name in the results and in CSV files.
        title: Name in tables.
        metric: Name of its statistics in the details.
        width: Length of the statistics of an item.
        values: Turns sums of statistics, shape (..., width), into values, shape (...).
        counted: Which items the measure is about, of their statistics; None: all.
        lower_is_better: Whether a smaller value is a better one.
        is_main: Whether it is tested between languages and shown by groups of speakers.
        average: Of rank measures: ``micro`` over queries, ``macro`` over dialogues of the mean over their queries.
        size: Of error rates, which divide by units of the references: turns sums into their number, shape (...).
    """

    component: str
    name: str
    title: str
    metric: str
    width: int
    values: Values
    counted: Mask | None = None
    lower_is_better: bool = False
    is_main: bool = False
    average: Average = ""
    size: Values | None = None


def _reference_length(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(sums[..., :3].sum(axis=-1))


def _error_rate(name: str, title: str, *, is_main: bool = False) -> Measure:
    # The value is a function of the counts alone: one language's metric reads those of all.
    values = WordErrorRate("eng").values
    return Measure(
        *("asr", name, title, name, 4, values), lower_is_better=True, is_main=is_main, size=_reference_length
    )


def _with_a_value(statistics: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Of the statistics of speech synthesis: which items have a distance, or a transcript."""
    return np.asarray(statistics[:, 4] > 0)


def _share(sums: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * sums[..., column] / sums[..., 4:6].sum(axis=-1))


def _distance(metric: MelCepstralDistance, title: str, *, is_main: bool = False) -> Measure:
    return Measure(
        *("tts", metric.name, title, metric.name, 6, metric.values),
        counted=_with_a_value,
        lower_is_better=True,
        is_main=is_main,
    )


def _synthesis(name: str, title: str, metric: str, column: int, *, lower_is_better: bool) -> Measure:
    return Measure("tts", name, title, metric, 6, partial(_share, column=column), lower_is_better=lower_is_better)


def _heard(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Error rate of transcripts of synthesized speech: edits, then 1 where there is a transcript and 1 where not."""
    return np.where(sums[..., 4] > 0, WordErrorRate("eng").values(sums[..., :4]), np.nan)


def _follows_the_opening(statistics: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(statistics[:, :6].sum(axis=1) > 0)


def _classification(measure: str, title: str, *, without_opening: bool, is_main: bool = False) -> Measure:
    suffix = "_without_opening" if without_opening else ""
    metric = BinaryClassification(turns="without_opening" if without_opening else "all")
    return Measure(
        *("turn_classification", f"{measure}{suffix}", title, f"classification{suffix}"),
        *(12, metric.values_of(measure)),
        counted=_follows_the_opening if without_opening else None,
        is_main=is_main,
    )


def _ranked(component: str, measure: str, average: Average) -> Measure:
    kind, k = measure.split("@")
    short = {"recall": "R", "precision": "P", "f1": "F1", "mrr": "MRR", "ndcg": "nDCG"}[kind]
    return Measure(
        *(component, macro_name(measure) if average == "macro" else measure, f"{short}@{k}"),
        *(RETRIEVAL.name, len(RETRIEVAL.measures) + 1, RETRIEVAL.values_of(measure)),
        is_main=(measure, average) == ("recall@5", "micro"),
        average=average,
    )


def macro_name(measure: str) -> str:
    """Return the name of a rank measure averaged over dialogues."""
    return f"{measure}_macro"


def _of_kind(count: Count | RefusalCount | SupportCount) -> Mask:
    return lambda statistics: np.asarray(statistics[:, count] > 0)


def _selection(measure: str, title: str, *, counted: Mask | None = None, is_main: bool = False) -> Measure:
    metric = KnowledgeSelection()
    return Measure(
        *("filtering", measure, title, metric.name, len(Count), metric.values_of(measure)),
        counted=counted,
        is_main=is_main,
    )


def _overlap(metric: Bleu | Chrf | RougeL, title: str, width: int) -> Measure:
    # These values too are functions of the counts alone.
    return Measure("response_generation", metric.name, title, metric.name, width, metric.values)


def _refusals(measure: str, title: str, count: RefusalCount, *, lower_is_better: bool) -> Measure:
    metric = Refusals("eng")
    return Measure(
        *("response_generation", measure, title, metric.name, len(RefusalCount), metric.values_of(measure)),
        counted=_of_kind(count),
        lower_is_better=lower_is_better,
    )


def _support(measure: str, title: str) -> Measure:
    metric = LexicalSupport("eng")
    return Measure(
        *("response_generation", measure, title, metric.name, len(SupportCount), metric.values_of(measure)),
        counted=_of_kind(SupportCount.ANSWERS),
    )


def _first_error(measure: str) -> Measure:
    metric = FirstError("eng")
    is_right = measure == "no_error"
    return Measure(
        *(
            "pipeline",
            measure,
            measure.removeprefix("first_error_").replace("_", " ").capitalize().replace("Asr", "ASR"),
        ),
        *(metric.name, len(OUTCOMES), metric.values_of(measure)),
        lower_is_better=not is_right,
        is_main=is_right,
    )


MEASURES: tuple[Measure, ...] = (
    _error_rate("wer", "WER"),
    _error_rate("cer", "CER"),
    _error_rate("wer_normalized", "WER, normalized", is_main=True),
    _error_rate("cer_normalized", "CER, normalized", is_main=True),
    _error_rate("cer_spaced", "CER, spaced"),
    _distance(UPSTREAM_MCD, "MCD"),
    _distance(MelCepstralDistance(STANDARD), "MCD, dB", is_main=True),
    Measure(
        *("tts", _HEARD, "CER", _HEARD, 6, _heard),
        counted=_with_a_value,
        lower_is_better=True,
        is_main=True,
        size=_reference_length,
    ),
    _synthesis("pairs_without_mcd_upstream", "Pairs without MCD %", UPSTREAM_MCD.name, 5, lower_is_better=True),
    _synthesis("transcribed", "Heard %", _HEARD, 4, lower_is_better=False),
    _classification("accuracy", "Accuracy", without_opening=False),
    _classification("accuracy", "Accuracy w/o opening", without_opening=True, is_main=True),
    _classification("majority_accuracy", "Majority", without_opening=False),
    _classification("majority_accuracy", "Majority w/o opening", without_opening=True),
    _classification("f1", "F1", without_opening=False),
    _classification("f1", "F1 w/o opening", without_opening=True),
    _classification("unparsed", "Unread", without_opening=False),
    *(
        _ranked(component, name, average)
        for component in ("retrieval", "speech_retrieval")
        for average, names in _AVERAGED
        for name in names
    ),
    _selection("exact_match", "Exact match", is_main=True),
    _selection("micro_precision", "Precision"),
    _selection("micro_recall", "Recall"),
    _selection("micro_f1", "F1"),
    _selection("ook_recall", "OOK recall", counted=_of_kind(Count.OOK)),
    _selection("false_ook", "False OOK", counted=_of_kind(Count.NOT_OOK)),
    _selection("unparsed", "Unread"),
    _overlap(Bleu(language_tokenizer("eng")), "BLEU", 10),
    _overlap(Chrf(), "chrF", 18),
    _overlap(RougeL(language_tokenizer("eng")), "ROUGE-L", 2),
    _refusals("refusal_rate", "OOK refused", RefusalCount.OOK, lower_is_better=False),
    _refusals("false_refusal_rate", "False refusals", RefusalCount.GROUNDED, lower_is_better=True),
    _support("lexical_support", "Support"),
    _support("lexical_support_answers", "Answers supported"),
    *(_first_error(name) for name in PIPELINE_MEASURES),
)


def measures_of(component: str) -> list[Measure]:
    """Return the measures of a component."""
    return [measure for measure in MEASURES if measure.component == component]


def main_measures() -> list[Measure]:
    """Return the measures that are tested between languages and shown by groups of speakers."""
    return [measure for measure in MEASURES if measure.is_main]


def measure_of(component: str, name: str) -> Measure:
    """Return a measure by its name."""
    return next(measure for measure in measures_of(component) if measure.name == name)
