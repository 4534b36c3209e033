"""What a judgement of an annotator is, and the check of one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar, cast

from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.schema import ALL_TASKS, VARIETIES

Kind = Literal["dialect_score", "preference"]
Choice = Literal["a", "b", "both", "none"]
T = TypeVar("T")

SCORE_KIND: Kind = "dialect_score"
PREFERENCE_KIND: Kind = "preference"
SCORES = (0.0, 0.5, 1.0)
CHOICES = ("a", "b", "both", "none")
COMMON_FIELDS = ("study", "kind", "item", "task", "dialect")
FIELDS: dict[str, tuple[str, ...]] = {
    SCORE_KIND: (*COMMON_FIELDS, "model", "annotator", "generation", "fluency", "units", "time"),
    PREFERENCE_KIND: (
        *(*COMMON_FIELDS, "model_a", "model_b", "shown_left"),
        *("annotator", "dialect_choice", "answer_choice", "reason", "time"),
    ),
}
"""Fields of each kind, in the order in which they are written."""


@dataclass(frozen=True)
class Unit:
    """A dialect unit that an annotator marked in an answer.

    Attributes:
        start: First code point.
        end: Code point after the last.
        text: The marked text.
        right: Whether it is right for the dialect.
    """

    start: int
    end: int
    text: str
    right: bool


@dataclass(frozen=True)
class Judgement:
    """What one annotator said of one answer (``dialect_score``) or of two answers to one item (``preference``).

    Attributes:
        study: Name of the study.
        kind: ``dialect_score`` or ``preference``.
        item: Item of the benchmark, e.g. ``qa-07``.
        task: A key of ``ALL_TASKS``.
        dialect: A key of ``VARIETIES``.
        annotator: The annotator's code.
        model: The judged model; only of a ``dialect_score``.
        generation: 0, 0.5 or 1; None: not judged.
        fluency: 0, 0.5 or 1; None: not judged.
        units: Marked dialect units.
        model_a: True name of A; only of a ``preference``.
        model_b: True name of B.
        shown_left: Which stood left, ``a`` or ``b``; None: not known.
        dialect_choice: Whose dialect is right, of the true A and B; None: not judged.
        answer_choice: Whose answer is right, of the true A and B; None: not judged.
        reason: The annotator's reason.
        time: When it was given, as the tool wrote it; no output of the analysis has it.
    """

    study: str
    kind: Kind
    item: str
    task: str
    dialect: str
    annotator: str
    model: str | None = None
    generation: float | None = None
    fluency: float | None = None
    units: tuple[Unit, ...] = ()
    model_a: str | None = None
    model_b: str | None = None
    shown_left: Literal["a", "b"] | None = None
    dialect_choice: Choice | None = None
    answer_choice: Choice | None = None
    reason: str = ""
    time: str = ""

    @property
    def subject(self) -> tuple[str, ...]:
        """What was judged, by whom: no two judgements of a file share it."""
        models = (self.model,) if self.kind == SCORE_KIND else tuple(sorted((self.model_a or "", self.model_b or "")))
        return (self.study, self.kind, self.item, self.task, self.dialect, *(str(m) for m in models), self.annotator)

    def as_record(self) -> dict[str, Any]:
        """Return the fields of its kind, ready for JSON."""
        record = asdict(self) | {"units": [asdict(unit) for unit in self.units]}
        return {name: record[name] for name in FIELDS[self.kind]}


def judgement_of(record: Mapping[str, Any], place: str) -> Judgement:
    """Check a record field by field and return the judgement; fields that are not of its kind are passed over.

    Raises:
        BenchError: A field is missing or wrong; the message begins with `place` and names it.
    """

    def checked(name: str, check: Callable[[Any], T | None], wanted: str) -> T:
        if name not in record:
            raise BenchError(f"{place}: field {name} is missing; expected {wanted}")
        if (value := check(record[name])) is None:
            raise BenchError(f"{place}, field {name}: {_shown(record[name])} is not {wanted}")
        return value

    def named(name: str, allowed: Sequence[str] | None = None) -> str:
        wanted = f"one of {', '.join(allowed)}" if allowed else "a name (text that is not empty)"
        return checked(
            name, lambda v: v if isinstance(v, str) and v.strip() and v in (allowed or [v]) else None, wanted
        )

    def optional(name: str, allowed: Sequence[object]) -> Any:
        wanted = f"one of {', '.join(f'{value:g}' if isinstance(value, float) else str(value) for value in allowed)}"
        found = checked(name, lambda v: _among(v, allowed), f"{wanted} or null")
        return found[0]

    def text(name: str) -> str:
        value = record.get(name)
        return "" if value is None else checked(name, lambda v: v if isinstance(v, str) else None, "text")

    kind = cast(Kind, named("kind", tuple(FIELDS)))
    common: dict[str, Any] = {
        "study": named("study"),
        "kind": kind,
        "item": named("item"),
        "task": named("task", tuple(ALL_TASKS)),
        "dialect": named("dialect", tuple(VARIETIES)),
        "annotator": named("annotator"),
        "reason": text("reason"),
        "time": text("time"),
    }
    if kind == SCORE_KIND:
        listed = record.get("units")
        if not (listed is None or isinstance(listed, list)):
            raise BenchError(f"{place}, field units: {_shown(listed)} is not a list of marked units or null")
        units = tuple(_unit(unit, place) for unit in listed or [])
        scores = {name: optional(name, SCORES) for name in ("generation", "fluency")}
        return Judgement(**common, model=named("model"), units=units, **scores)
    models = {"a": named("model_a"), "b": named("model_b")}
    if models["a"] == models["b"]:
        raise BenchError(
            f"{place}, field model_b: {_shown(models['b'])} is also model_a; a preference needs two models"
        )
    left = record.get("shown_left")
    side: Any = left if left in (None, "a", "b") else next((s for s, model in models.items() if model == left), "")
    if side == "":
        raise BenchError(f"{place}, field shown_left: {_shown(left)} is not a, b, one of the two models or null")
    choices = {name: optional(name, CHOICES) for name in ("dialect_choice", "answer_choice")}
    return Judgement(**common, model_a=models["a"], model_b=models["b"], shown_left=side, **choices)


def _among(value: Any, allowed: Sequence[object]) -> tuple[Any] | None:
    """Return (the value,), (None,) for null, or None where it is not allowed; True is not the number 1."""
    if value is None:
        return (None,)
    if isinstance(value, (bool, list, dict)) or value not in allowed:
        return None
    return (allowed[allowed.index(value)],)


def _unit(value: Any, place: str) -> Unit:
    """Check one marked unit."""
    wanted: dict[str, type] = {"start": int, "end": int, "text": str, "right": bool}
    if not isinstance(value, dict) or any(type(value.get(name)) is not kind for name, kind in wanted.items()):
        raise BenchError(
            f"{place}, field units: {_shown(value)} is not {{start, end, text, right}}, a span of the answer"
        )
    if not 0 <= value["start"] < value["end"]:
        raise BenchError(f"{place}, field units: {value['start']} to {value['end']} is not a span of the answer")
    return Unit(**{name: value[name] for name in wanted})


def _shown(value: Any) -> str:
    """Return a wrong value for a message, on one line and short."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
