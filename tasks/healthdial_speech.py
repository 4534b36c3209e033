"""Metrics of synthesized speech: mel-cepstral distance from the user's recording, and what a recogniser heard."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod
from numpy.typing import NDArray

from healthdial.data import BuiltData
from healthdial.schema import data_location
from metrics.asr import CharacterErrorRate
from metrics.lighteval import answer_text, with_lighteval
from metrics.lighteval_dialogue import TurnValues, turn_metric
from metrics.tts import STANDARD, UPSTREAM, MelCepstralDistance, Recording

Vector = NDArray[np.float64]
SPLIT = "test"
NO_DISTANCE = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
"""Statistics of a pair of which a file is missing or of no use: as of one that is silent or too short."""


def synthesis(language: str) -> list[Any]:
    """Return the mel-cepstral distances, as upstream and in dB, and the CER of what a recogniser heard."""
    return [_distance(MelCepstralDistance(parameters)) for parameters in (UPSTREAM, STANDARD)] + [_heard(language)]


def _distance(metric: MelCepstralDistance) -> CorpusLevelMetric:
    """Return a metric whose values are the distance, the penalty and the percentage of pairs that have neither."""
    signature = metric.signature()
    values = {
        metric.name: metric.values,
        f"{metric.name}_penalty": lambda sums: _ratio(sums[..., 1], sums[..., 4]),
        f"pairs_without_{metric.name}": lambda sums: 100 * _ratio(sums[..., 5], sums[..., 4] + sums[..., 5]),
    }
    return CorpusLevelMetric(
        metric_name=metric.name,
        higher_is_better=False,
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=PairStatistics(metric),
        corpus_level_fn=TurnValues(signature, values),
        batched_compute=True,
    )


class PairStatistics(SampleLevelComputation):
    """The statistics of every pair of a recording and a synthesized file, after the number of the dialogue.

    lighteval shuffles documents; they are compared in the order of the data set, so that every group of rows is read
    once. A pair without a recording or without a readable file, or that cannot be compared, has no distance and is
    counted as such.
    """

    def __init__(self, metric: MelCepstralDistance) -> None:
        self.metric = metric

    def compute(  # type: ignore[override]  # as lighteval calls a metric with batched_compute
        self, docs: list[Doc], responses: list[ModelResponse], **_: Any
    ) -> list[list[float]]:
        """Return a vector for each document."""
        places = [doc.specific or {} for doc in docs]
        statistics = [NO_DISTANCE] * len(docs)
        for language in dict.fromkeys(place["language"] for place in places):
            position_of = {
                place["id"]: position for position, place in enumerate(places) if place["language"] == language
            }
            for utterance_id, reference in _recordings(language, list(position_of)):
                position = position_of[utterance_id]
                synthesized = _synthesized(answer_text(responses[position]))
                if synthesized is not None:
                    statistics[position] = self._statistics(reference, synthesized)
        return [[float(place["dialogue_number"]), *vector] for place, vector in zip(places, statistics, strict=True)]

    def _statistics(self, reference: Recording, synthesized: Recording) -> list[float]:
        try:
            return self.metric.statistics(reference, synthesized).tolist()
        except ValueError:  # samples that overflow: no reason to lose the scores of all other pairs
            return NO_DISTANCE

    def __str__(self) -> str:
        return str(with_lighteval(self.metric.signature()))


def _heard(language: str) -> CorpusLevelMetric:
    """Return the CER of transcripts of the synthesized speech, and the percentage of answers that have one.

    Both sides are normalised by the rules of the language (`metrics.asr_normalization`). Answers without a transcript
    are not counted; no values where none has one.
    """
    rate = CharacterErrorRate(language, normalization="normalized")

    def statistics(doc: Doc, answer: str) -> Vector:
        transcript = _answer(answer).get("transcript")
        if not isinstance(transcript, str):
            return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        return np.append(rate.statistics(transcript, [doc.choices[0]]), (1.0, 0.0))

    def values(sums: Vector) -> Vector:
        return np.where(sums[..., 4] > 0, rate.values(sums[..., :4]), np.nan)

    def share(sums: Vector) -> Vector:
        return np.where(sums[..., 4] > 0, 100 * _ratio(sums[..., 4], sums[..., 4] + sums[..., 5]), np.nan)

    signature = rate.signature().with_fields(on="synthesized")
    named = {"cer_synthesized_normalized": values, "transcribed": share}
    return turn_metric("cer_synthesized_normalized", signature, statistics, named, higher_is_better=False)


def _recordings(language: str, utterance_ids: list[str]) -> Iterator[tuple[str, Recording]]:
    data = BuiltData(data_location())
    for utterance_id, content in data.recordings(f"user_turns_{language}", SPLIT, utterance_ids):
        yield utterance_id, _read(io.BytesIO(content))


def _synthesized(answer: str) -> Recording | None:
    """Return the recording in the file that an answer names; None where it names none that can be read."""
    import soundfile

    file = _answer(answer).get("file")
    if not isinstance(file, str):
        return None
    try:
        return _read(Path(file).expanduser())
    except (OSError, ValueError, soundfile.SoundFileError):
        return None


def _read(file: Path | io.BytesIO) -> Recording:
    import soundfile

    samples, sample_rate = soundfile.read(file, dtype="float64")
    return Recording(samples, sample_rate)


def _answer(answer: str) -> dict[str, Any]:
    """Return the JSON object in an answer; empty for anything else."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _ratio(numerator: Vector, denominator: Vector) -> Vector:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(numerator / denominator)
