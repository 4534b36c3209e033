"""Correlate an automatic score with the annotators': read the scores, match them by answer, per answer and system."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics.correlation import Correlation, correlate, correlate_systems
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import Judgement
from thai_dialect_bench.judgement_sheets import answer_means, label_sheets
from thai_dialect_bench.schema import VARIETIES

COLUMNS = ("item", "model", "dialect", "score")
ASPECTS = ("generation", "fluency", "average")
FEWEST_SYSTEMS = 3
"""Systems from which a correlation over systems says something: of two it is always 1 or -1."""

Key = tuple[str, str, str]
"""Item, model, dialect."""


@dataclass(frozen=True)
class ScoreCorrelation:
    """Correlation of the automatic score with the annotators' mean.

    Attributes:
        dialect: A key of ``VARIETIES``; empty: all dialects together.
        aspect: ``generation``, ``fluency`` or ``average``, of the answers that have both.
        level: ``answer``, or ``system`` for the means of each model in each dialect.
        correlation: The correlation, its intervals resampled by item.
        unmatched: Judged answers without an automatic score.
        unused: Automatic scores of answers that nobody judged.
    """

    dialect: str
    aspect: str
    level: str
    correlation: Correlation
    unmatched: int
    unused: int


def read_scores(file: Path) -> dict[Key, float]:
    """Read automatic scores from a CSV with the columns ``item``, ``model``, ``dialect``, ``score``.

    Raises:
        BenchError: The file cannot be read, a column is missing, a score is no number, or an answer stands twice.
    """
    try:
        reader = csv.DictReader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline=""), strict=True)
        rows = [(reader.line_num, row) for row in reader]
    except OSError as error:
        raise BenchError(f"{file}: cannot be read ({error.strerror or error})") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BenchError(f"{file}: not a CSV file in UTF-8 ({error})") from error
    if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
        raise BenchError(f"{file} line 1: no column {', '.join(missing)}; expected {', '.join(COLUMNS)}")
    scores: dict[Key, float] = {}
    for line, row in rows:
        key, score = (row["item"], row["model"], row["dialect"]), _number(row["score"])
        if score is None:
            raise BenchError(f"{file} line {line}, field score: {row['score']!r} is not a finite number")
        if row["dialect"] not in VARIETIES:
            raise BenchError(
                f"{file} line {line}, field dialect: {row['dialect']!r} is not one of {', '.join(VARIETIES)}"
            )
        if key in scores:
            raise BenchError(f"{file} line {line}: a second score of {', '.join(key)}; keep one")
        scores[key] = score
    return scores


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def correlate_scores(judgements: Sequence[Judgement], scores: Mapping[Key, float]) -> list[ScoreCorrelation]:
    """Correlate per dialect and over all dialects, per answer and, from three systems on, per system.

    Raises:
        BenchError: No judged answer has a score.
    """
    human = _human_means(judgements)
    matched = {key for means in human.values() for key in means if key in scores}
    if not matched:
        judged = next((key for means in human.values() for key in means), None)
        raise BenchError(
            "no judged answer has an automatic score; (item, model, dialect) of a judged one: "
            f"{judged}, of a scored one: {next(iter(scores), None)}. Give the same names"
        )
    return list(_correlations(human, scores))


def _correlations(human: Mapping[str, Mapping[Key, float]], scores: Mapping[Key, float]) -> Iterator[ScoreCorrelation]:
    for dialect in (*VARIETIES, ""):
        for aspect in ASPECTS:
            judged = {key: mean for key, mean in human[aspect].items() if dialect in ("", key[2])}
            keys = [key for key in judged if key in scores]
            unmatched = len(judged) - len(keys)
            unused = sum(dialect in ("", key[2]) for key in scores) - len(keys)
            if len(keys) < 2:
                continue
            first, second = [scores[key] for key in keys], [judged[key] for key in keys]
            items, systems = [key[0] for key in keys], [key[1:] for key in keys]
            found = correlate(first, second, clusters=items)
            yield ScoreCorrelation(dialect, aspect, "answer", found, unmatched, unused)
            if len(set(systems)) >= FEWEST_SYSTEMS:
                found = correlate_systems(first, second, systems, clusters=items)
                yield ScoreCorrelation(dialect, aspect, "system", found, unmatched, unused)


def _human_means(judgements: Sequence[Judgement]) -> dict[str, dict[Key, float]]:
    """Return the annotators' means by aspect and answer, 0-1."""
    means: dict[str, dict[Key, float]] = {aspect: {} for aspect in ASPECTS}
    for sheet in label_sheets(judgements):
        if sheet.is_scale:
            for answer, mean in answer_means(sheet).items():
                means[sheet.aspect][answer.item, answer.model, answer.dialect] = mean
    fluency = means["fluency"]
    means["average"] = {key: (mean + fluency[key]) / 2 for key, mean in means["generation"].items() if key in fluency}
    return means
