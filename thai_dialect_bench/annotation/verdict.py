"""What an annotator says about an answer or a pair of answers, and the rules that make it complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import CHOICES, SCORES, Choice, Kind, Unit

LONGEST_REASON = 2000
"""Characters of a reason that are taken."""


class VerdictError(BenchError):
    """A judgement is incomplete or does not fit the answer that it is about."""


@dataclass(frozen=True)
class Verdict:
    """What one annotator said about one answer (dialect score) or one pair (preference).

    Attributes:
        generation: How much of the answer is in the dialect, one of ``SCORES``; None for a preference.
        fluency: How right and natural the dialect is, one of ``SCORES``; None for a preference.
        units: The units marked, by position; empty for a preference.
        dialect_choice: Verdict on the use of the dialect, one of ``CHOICES``; None for a dialect score.
        answer_choice: Verdict on the answers as answers, one of ``CHOICES``; None for a dialect score.
        reason: Why; empty for a dialect score.
    """

    generation: float | None = None
    fluency: float | None = None
    units: tuple[Unit, ...] = ()
    dialect_choice: Choice | None = None
    answer_choice: Choice | None = None
    reason: str = ""


def check_verdict(verdict: Verdict, kind: Kind, answer: str) -> None:
    """Raise ``VerdictError`` unless a judgement is complete and fits.

    Args:
        verdict: What is to be stored.
        kind: Kind of the study.
        answer: The text that the units are in; not used for a preference.
    """
    if kind == "dialect_score":
        _check_levels(verdict)
        _check_units(verdict.units, answer)
        if verdict.dialect_choice or verdict.answer_choice or verdict.reason:
            raise VerdictError("a dialect score holds a choice or a reason; these belong to a preference")
        return
    if verdict.dialect_choice not in CHOICES or verdict.answer_choice not in CHOICES:
        raise VerdictError(f"both aspects need a choice, one of {', '.join(CHOICES)}")
    if not verdict.reason.strip():
        raise VerdictError("a preference needs a short reason")
    if len(verdict.reason) > LONGEST_REASON:
        raise VerdictError(f"the reason is longer than {LONGEST_REASON} characters; shorten it")
    if verdict.generation is not None or verdict.fluency is not None or verdict.units:
        raise VerdictError("a preference holds a score or units; these belong to a dialect score")


def units_from_json(content: Any) -> tuple[Unit, ...]:
    """Return units from their JSON form, sorted by position.

    Raises:
        VerdictError: It is no list of objects with ``start``, ``end``, ``text`` and ``right``.
    """
    if not isinstance(content, list):
        raise VerdictError("units are not a list")
    units = []
    for unit in content:
        if not isinstance(unit, dict) or set(unit) != {"start", "end", "text", "right"}:
            raise VerdictError(f"a unit has start, end, text and right, not {unit!r}")
        start, end, text, right = unit["start"], unit["end"], unit["text"], unit["right"]
        if type(start) is not int or type(end) is not int or not isinstance(text, str) or not isinstance(right, bool):
            raise VerdictError(f"a unit has whole start and end, a text, and right true or false, not {unit!r}")
        units.append(Unit(start, end, text, right))
    return tuple(sorted(units, key=lambda unit: unit.start))


def units_as_json(units: Sequence[Unit]) -> list[dict[str, Any]]:
    """Return units in their JSON form."""
    return [asdict(unit) for unit in units]


def level(value: Any, name: str) -> float:
    """Return a level of Generation or Fluency from what a page or a file holds.

    Raises:
        VerdictError: It is none of ``SCORES``.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or float(value) not in SCORES:
        raise VerdictError(f"{name} must be 0, 0.5 or 1, not {value!r}")
    return float(value)


def _check_levels(verdict: Verdict) -> None:
    for name in ("generation", "fluency"):
        level(getattr(verdict, name), name)


def _check_units(units: Sequence[Unit], answer: str) -> None:
    """Raise unless units are sorted, apart, not empty, and the text that stands there."""
    end = 0
    for unit in units:
        if not end <= unit.start < unit.end <= len(answer):
            raise VerdictError(
                f"the unit {unit.start}-{unit.end} is empty, overlaps another or lies outside the answer"
            )
        if answer[unit.start : unit.end] != unit.text:
            raise VerdictError(f"the unit {unit.start}-{unit.end} is not the text that stands there in the answer")
        end = unit.end
