"""The first part of a spoken dialogue system that went wrong in a turn: recognition to response."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metrics.asr import CharacterErrorRate
from metrics.refusals import TABLE_VERSION, is_refusal
from metrics.resampling import Values
from metrics.response import LexicalSupport, SupportCount
from metrics.signature import DEFINITIONS_VERSION, Signature

OUTCOMES = ("unreadable", "asr", "classification", "retrieval", "filtering", "response", "none")
"""What went wrong first, in the order of the parts; ``unreadable`` is no answer of a pipeline."""

DEFAULT_MAX_CER = 10.0
"""Character error rate of a turn, in percent, up to which its transcript counts as right."""

DEFAULT_DEPTH = 10
"""Ranks among which the gold snippets must be; the depth of `metrics.retrieval`."""


@dataclass(frozen=True)
class PipelineAnswer:
    """What every part of a pipeline made of a turn.

    Attributes:
        transcript: What was heard.
        needs_retrieval: Whether knowledge is looked up.
        retrieved: Snippet ids, best first; none where nothing is looked up.
        selected: Snippet ids that the answer draws on; None where the filter's answer could not be read.
        response: What the assistant says.
    """

    transcript: str
    needs_retrieval: bool
    retrieved: tuple[str, ...]
    selected: tuple[str, ...] | None
    response: str

    def to_json(self) -> str:
        """Return the answer as a JSON object with these five fields."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> PipelineAnswer | None:
        """Read the JSON object back; None where a field is missing or of another type, or there is no object."""
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(read, dict) or not cls.__dataclass_fields__.keys() <= read.keys():
            return None
        selected = read["selected"]
        is_well_typed = (
            isinstance(read["transcript"], str)
            and isinstance(read["needs_retrieval"], bool)
            and _are_ids(read["retrieved"])
            and (selected is None or _are_ids(selected))
            and isinstance(read["response"], str)
        )
        if not is_well_typed:
            return None
        return cls(
            transcript=read["transcript"],
            needs_retrieval=read["needs_retrieval"],
            retrieved=tuple(read["retrieved"]),
            selected=None if selected is None else tuple(selected),
            response=read["response"],
        )


@dataclass(frozen=True)
class PipelineReference:
    """What would be right in a turn.

    Attributes:
        transcript: What was said.
        needs_retrieval: Whether knowledge must be looked up.
        gold: The full gold set of snippet ids.
        out_of_knowledge: Whether knowledge is needed that no snippet has.
        contents: Texts of the gold snippets, titles too.
        response: The answer in the data.
    """

    transcript: str
    needs_retrieval: bool
    gold: tuple[str, ...]
    out_of_knowledge: bool
    contents: tuple[str, ...]
    response: str


@dataclass(frozen=True)
class FirstError:
    """Attributes each turn to the first part that went wrong: percentages of turns, which add to 100.

    | part | is wrong if |
    |---|---|
    | ``asr`` | the character error rate of the turn, ``normalized``, is above `max_cer` |
    | ``classification`` | ``needs_retrieval`` is not the label |
    | ``retrieval`` | a gold snippet is not among the first `depth` retrieved; never on OOK turns, which have none |
    | ``filtering`` | the selected set is not the full gold set (OOK: not empty), or is None |
    | ``response``, OOK turn | it does not refuse (`metrics.refusals`, lexical) |
    | ``response``, grounded turn | it refuses, or not every sentence has lexical support by the gold snippets |
    | ``response``, other turn | it refuses, or is empty |
    | ``none`` | nothing of these |

    Retrieval and filtering are judged on turns that need retrieval only. Repeated ids are collapsed, then the ranking
    is cut, as in `metrics.retrieval`: without the cut, all of the corpus would always hold the gold. Filtering is
    judged where all gold is among those retrieved, so a selected id that is not among them is an error of filtering.
    A response equal to the reference is right whatever the lexical measures say: on the bundled sample they pass 93 %
    of the references of grounded turns. A part that repairs an earlier one's error is not seen, nor is a second error
    of the same turn: the shares say where to begin, not how good each part is by itself.

    Attributes:
        language: ISO 639-3 code: ``ara``, ``zho``, ``eng`` or ``spa``.
        max_cer: Percent.
        depth: Ranks of `PipelineAnswer.retrieved` that count, at least 1.

    Raises:
        ValueError: If the language is unknown, the rate negative or the depth below 1.
    """

    language: str
    max_cer: float = DEFAULT_MAX_CER
    depth: int = DEFAULT_DEPTH
    name: ClassVar[str] = "pipeline"
    measures: ClassVar[tuple[str, ...]] = (*(f"first_error_{part}" for part in OUTCOMES[:-1]), "no_error")

    def __post_init__(self) -> None:
        self._error_rate()
        if self.max_cer < 0:
            raise ValueError(f"max_cer must be at least 0, got {self.max_cer}")
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, got {self.depth}")

    def outcome(self, answer: PipelineAnswer | None, reference: PipelineReference) -> str:
        """Returns one of `OUTCOMES` for a turn; an answer of None is ``unreadable``."""
        if answer is None:
            return "unreadable"
        rate = self._error_rate()
        if float(rate.values(rate.statistics(answer.transcript, [reference.transcript]))) > self.max_cer:
            return "asr"
        if answer.needs_retrieval != reference.needs_retrieval:
            return "classification"
        retrieved = list(dict.fromkeys(answer.retrieved))[: self.depth]
        if reference.needs_retrieval and not set(reference.gold) <= set(retrieved):
            return "retrieval"
        if reference.needs_retrieval and (answer.selected is None or set(answer.selected) != set(reference.gold)):
            return "filtering"
        return "none" if self._is_right_response(answer.response, reference) else "response"

    def statistics(self, answer: PipelineAnswer | None, reference: PipelineReference) -> NDArray[np.float64]:
        """Returns a one at the turn's outcome, shape (7,), in the order of `OUTCOMES`."""
        counts = np.zeros(len(OUTCOMES))
        counts[OUTCOMES.index(self.outcome(answer, reference))] = 1
        return counts

    def values_of(self, measure: str) -> Values:
        """Returns the function from sums of statistics, shape (..., 7), to a share, 0-100, shape (...)."""
        if measure not in self.measures:
            raise ValueError(f"unknown measure {measure!r}; expected one of {', '.join(self.measures)}")
        return partial(_share, column=self.measures.index(measure))

    def signature(self) -> Signature:
        """The measure's settings."""
        support = LexicalSupport(self.language)
        return (
            Signature.of(self.name, max_cer=f"{self.max_cer:g}", depth=self.depth)
            .with_fields(**{key: value for key, value in self._error_rate().signature().fields if key != "v"})
            .with_fields(refusals=TABLE_VERSION, support=f"{support.threshold:g}", v=DEFINITIONS_VERSION)
        )

    def _error_rate(self) -> CharacterErrorRate:
        return CharacterErrorRate(self.language, normalization="normalized")

    def _is_right_response(self, response: str, reference: PipelineReference) -> bool:
        if response == reference.response:
            return True
        if is_refusal(response, self.language):
            return reference.out_of_knowledge and not reference.gold
        if reference.gold:
            counts = LexicalSupport(self.language).statistics(response, reference.contents)
            return bool(counts[SupportCount.WHOLLY_SUPPORTED])
        return not reference.out_of_knowledge and bool(response.strip())


def _are_ids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _share(sums: NDArray[np.float64], column: int) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(100 * sums[..., column] / sums.sum(axis=-1))
