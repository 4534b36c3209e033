"""What one annotator's browser is told: pages without models' names and without what others said."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from typing import Any

from thai_dialect_bench.annotation.store import Annotator, Store, Task
from thai_dialect_bench.annotation.verdict import (
    LONGEST_REASON,
    Verdict,
    VerdictError,
    level,
    units_from_json,
)
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.judgement_record import Choice, Kind

Page = dict[str, Any]
"""What a page shows, as JSON; ``page`` names it: ``consent``, the kind of study, ``finished`` or ``refused``."""
Suggest = Callable[[str, str], Iterable[tuple[int, int]]]
"""Text and dialect -> start and end, in code points, of what may be a dialect unit."""

SPOKEN = ("isan", "lanna", "dambro", "central", "other")
AGE_BANDS = ("18-24", "25-34", "35-44", "45-54", "55+", "unsaid")
LONGEST_KEY = 100
_log = logging.getLogger(__name__)


def no_suggestions(text: str, dialect: str) -> list[tuple[int, int]]:
    """Suggest nothing."""
    return []


class Session:
    """Answers the messages of annotators' browsers. Keeps nothing between messages, so a restart loses nothing.

    Args:
        store: The study.
        suggest: Finds what may be a dialect unit.
        contact: Whom an annotator can ask, shown with the consent.
    """

    def __init__(self, store: Store, suggest: Suggest = no_suggestions, contact: str = "") -> None:
        self.store = store
        self.suggest = suggest
        self.contact = contact
        self.info = store.info()

    def respond(self, message: Any) -> Page:
        """Return the page after a message, or what is wrong with it as ``{"error": ...}``.

        Args:
            message: ``key`` of the link and ``action``: ``open``; ``consent`` with ``agreed``, ``dialect`` and
                ``age_band``; ``go`` with ``position``; ``save`` with ``position`` and ``judgement``.
        """
        if not isinstance(message, dict):
            return {"error": "a message is an object"}
        key = message.get("key")
        try:
            annotator = self.store.annotator_of_key(key) if isinstance(key, str) and len(key) <= LONGEST_KEY else None
            return self._act(annotator, message) if annotator else {"page": "refused"}
        except VerdictError as error:
            return {"error": str(error)}
        except BenchError as error:
            # its text names the file, which is no annotator's business
            _log.error("%s", error)
            return {"error": "the study cannot be reached just now; try again in a moment"}

    def _act(self, annotator: Annotator, message: Page) -> Page:
        action = message.get("action")
        if action == "consent":
            self._consent(annotator.code, message)
            return self._resume(annotator)
        if not annotator.consented:
            return {"page": "consent", "spoken": SPOKEN, "age_bands": AGE_BANDS, "contact": self.contact}
        if action == "open":
            return self._resume(annotator)
        position = message.get("position")
        if type(position) is not int or not 0 <= position <= annotator.total:
            raise VerdictError("there is no such place")
        if action == "go":
            return self._page(annotator, position)
        if action == "save":
            task = self.store.task(annotator.code, position)
            self.store.save(
                annotator.code, position, verdict_from_page(message.get("judgement"), self.info.kind, task)
            )
            return self._page(annotator, position + 1)
        raise VerdictError("there is no such action")

    def _consent(self, code: str, message: Page) -> None:
        dialect, age_band = message.get("dialect"), message.get("age_band")
        if message.get("agreed") is not True or dialect not in SPOKEN or age_band not in AGE_BANDS:
            raise VerdictError("please choose your dialect and age band, and agree")
        self.store.consent(code, str(dialect), str(age_band))

    def _resume(self, annotator: Annotator) -> Page:
        """Return the first page without a judgement."""
        judged = set(self.store.judged_positions(annotator.code))
        first = next((place for place in range(annotator.total) if place not in judged), annotator.total)
        return self._page(annotator, first)

    def _page(self, annotator: Annotator, position: int) -> Page:
        """Return the page of a place, or the last page after the last place."""
        judged = self.store.judged_positions(annotator.code)
        head = {"annotator": annotator.code, "position": position, "total": annotator.total, "judged": judged}
        if position >= annotator.total:
            return {"page": "finished", **head}
        task = self.store.task(annotator.code, position)
        return {"page": self.info.kind, "dialect": self.info.dialect, **head, **self._shown(task)}

    def _shown(self, task: Task) -> Page:
        """Return the texts of a place as they stand on the page, and the annotator's own judgement."""
        said = task.verdict
        if self.info.kind == "dialect_score":
            suggestions = [] if said else [list(span) for span in self.suggest(task.answer_a, self.info.dialect)]
            return {
                "prompt": task.prompt,
                "answer": task.answer_a,
                "suggestions": suggestions,
                "judgement": said and _dialect_score_on_page(said),
            }
        left, right = task.answer_a, task.answer_b
        if task.assignment.shown_left == "b":
            left, right = right or "", left
        return {
            "prompt": task.prompt,
            "left": left,
            "right": right,
            "longest_reason": LONGEST_REASON,
            "judgement": said and _preference_on_page(said, task),
        }


def verdict_from_page(content: Any, kind: Kind, task: Task) -> Verdict:
    """Return what a page sent as a judgement; ``left`` and ``right`` become ``a`` and ``b``.

    Raises:
        VerdictError: It is not what the page of this kind sends.
    """
    if not isinstance(content, dict):
        raise VerdictError("a judgement is an object")
    if kind == "dialect_score":
        return Verdict(
            generation=level(content.get("generation"), "Generation"),
            fluency=level(content.get("fluency"), "Fluency"),
            units=units_from_json(content.get("units")),
        )
    choices, reason = _choices(task), content.get("reason")
    return Verdict(
        dialect_choice=choices.get(str(content.get("dialect_choice"))),
        answer_choice=choices.get(str(content.get("answer_choice"))),
        reason=_clean(reason) if isinstance(reason, str) else "",
    )


def _choices(task: Task) -> dict[str, Choice]:
    """Return a choice as the page names it -> as it is stored."""
    if task.assignment.shown_left == "b":
        return {"left": "b", "right": "a", "both": "both", "none": "none"}
    return {"left": "a", "right": "b", "both": "both", "none": "none"}


def _preference_on_page(said: Verdict, task: Task) -> Page:
    names = {stored: on_page for on_page, stored in _choices(task).items()}
    return {
        "dialect_choice": said.dialect_choice and names[said.dialect_choice],
        "answer_choice": said.answer_choice and names[said.answer_choice],
        "reason": said.reason,
    }


def _dialect_score_on_page(said: Verdict) -> Page:
    units = [{"start": unit.start, "end": unit.end, "right": unit.right} for unit in said.units]
    return {"generation": said.generation, "fluency": said.fluency, "units": units}


def _clean(reason: str) -> str:
    """Return a reason without control characters and halves of surrogate pairs, which no file can hold."""
    text = reason.encode("utf-8", "replace").decode()
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text).strip()
