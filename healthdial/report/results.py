"""Read lighteval's results of HealthDial's tasks: statistics, answers and signatures of every system and language."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from healthdial.languages import LANGUAGES
from healthdial.report.measures import COMPONENT_TITLES, Measure
from healthdial.schema import SAMPLE_ORIGIN, TASK_PREFIX
from hub.errors import BenchError
from hub.fingerprint import combined_fingerprint, fingerprint
from metrics.lighteval_results import Record, TaskRun, UnreadableResultsError, answer_of, read_records, task_runs

_TASK_NAME = re.compile(rf"{TASK_PREFIX}(?P<component>\w+):(?P<language>\w+)\|(?P<shots>\d+)")


class ResultsError(BenchError):
    """Results are missing, incomplete or do not belong together."""


def _source_label(what: str, source: str) -> str:
    """Return where snippets or candidates are from in words; nothing for the data set, the default."""
    return f"no {what}" if source == "none" else source.replace("run:", f"{what} of ") if ":" in source else ""


@dataclass(frozen=True, order=True)
class Setting:
    """How a component was run.

    Attributes:
        shots: Worked examples in the prompt.
        candidates: Candidates that a filtering item shows; 0 for other components.
        by_snippet_id: Whether they are shown by the release's ids and not by numbers.
        snippets_from: Where the snippets of a response are from (``gold``, ``none`` or ``run:TASK:MODEL``); empty for
            other components.
        candidates_from: Where the candidates of a filtering item are from (``data`` or ``run:TASK:MODEL``); empty for
            other components.
    """

    shots: int = 0
    candidates: int = 0
    by_snippet_id: bool = False
    snippets_from: str = ""
    candidates_from: str = ""

    def label(self) -> str:
        """Return the setting as it follows a system's name; empty for the usual one."""
        parts = [
            f"{self.shots} shots" if self.shots else "",
            f"k={self.candidates}" if self.candidates else "",
            "snippet ids" if self.by_snippet_id else "",
            _source_label("snippets", self.snippets_from),
            _source_label("candidates", self.candidates_from),
        ]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class Item:
    """One scored turn.

    Attributes:
        item_id: Id of the turn or query.
        dialogue_id: Id of its dialogue.
        dialogue_number: The same in all languages.
        turn_index: The same in all languages.
        query: What the system was given.
        answer: What it gave.
        reference: What is right, as text; for filtering, of the candidates shown.
        specific: What the task put into the document.
    """

    item_id: str
    dialogue_id: str
    dialogue_number: int
    turn_index: int
    query: str
    answer: str
    reference: str
    specific: Mapping[str, Any]

    @property
    def key(self) -> tuple[int, int]:
        """Dialogue number and turn, by which languages are paired."""
        return self.dialogue_number, self.turn_index

    @property
    def gold(self) -> list[str]:
        """Ids of the gold snippets."""
        return list(json.loads(self.specific["gold"]))


@dataclass(frozen=True)
class TaskResult:
    """What one system gave in one component, setting and language.

    Attributes:
        component: A key of ``COMPONENT_TITLES``.
        language: ISO 639-3 code.
        setting: How it was run.
        items: Scored items sorted by id.
        statistics: Metric -> statistics in the order of the items, shape (items, d).
        signatures: Metric -> signature.
        origin: Where the data is from.
        file: The details file.
        partial: Whether the run was cut short with ``--max-samples``.
        left_out: Ids of the documents without a reference, which count in no score.
    """

    component: str
    language: str
    setting: Setting
    items: tuple[Item, ...]
    statistics: dict[str, NDArray[np.float64]]
    signatures: dict[str, str]
    origin: str
    file: Path
    partial: bool
    left_out: tuple[str, ...] = ()

    def scored(self, measure: Measure) -> tuple[list[Item], NDArray[np.float64]] | None:
        """Return the items that a measure is about and their statistics; None where there are none."""
        statistics = self.statistics.get(measure.metric)
        if statistics is None:
            return None
        if statistics.shape[1] != measure.width:
            raise ResultsError(
                f"{self.file}: {measure.metric} has {statistics.shape[1]} numbers an item, this version has "
                f"{measure.width}; run the task again"
            )
        if measure.counted is None:
            return list(self.items), statistics
        counted = measure.counted(statistics)
        items = [item for item, is_counted in zip(self.items, counted, strict=True) if is_counted]
        return (items, statistics[counted]) if items else None


@dataclass(frozen=True)
class SystemResults:
    """All results of one system.

    Attributes:
        name: Name in tables.
        tasks: (component, setting, language) -> result.
    """

    name: str
    tasks: dict[tuple[str, Setting, str], TaskResult] = field(default_factory=dict)

    def settings(self, component: str) -> list[Setting]:
        """Return the settings in which a component was run, in order."""
        return sorted({setting for name, setting, _ in self.tasks if name == component})

    def languages(self, component: str, setting: Setting) -> dict[str, TaskResult]:
        """Return language -> result, in the project's order of languages."""
        return {
            language: self.tasks[component, setting, language]
            for language in LANGUAGES
            if (component, setting, language) in self.tasks
        }


def read_results(paths: Iterable[Path]) -> tuple[list[SystemResults], tuple[str, ...]]:
    """Read result folders (lighteval's ``--output-dir``) or single ``results_*.json`` files.

    Several runs of one system in one folder are put together; of a task that was run twice there in one setting the
    newest run counts.

    Args:
        paths: Folders or files.

    Returns:
        The systems, and the components that are not in these tables.

    Raises:
        ResultsError: Nothing there, details missing, one task of one system in two of the paths, or results that do
            not belong in one table (sample and release, or different data).
    """
    systems: dict[str, SystemResults] = {}
    passed_over: set[str] = set()
    for path in paths:
        for (name, *_), result in _newest(path, passed_over).items():
            tasks = systems.setdefault(name, SystemResults(name)).tasks
            place = (result.component, result.setting, result.language)
            if place in tasks:
                raise ResultsError(
                    f"{TASK_PREFIX}{result.component}:{result.language} of the system {name} is in two places, "
                    f"{tasks[place].file} and {result.file}. Give one of them, or run the other under another name."
                )
            tasks[place] = result
    found = [systems[name] for name in sorted(systems)]
    check_same_data(found)
    return found, tuple(sorted(passed_over))


def check_same_data(systems: list[SystemResults]) -> None:
    """Raise ``ResultsError`` if the systems were not all run on the same items."""
    first: dict[tuple[str, str], tuple[str, TaskResult]] = {}
    origins: dict[str, Path] = {}
    for system in systems:
        for result in system.tasks.values():
            origins.setdefault(result.origin, result.file)
            for item in result.items:
                own = _identity(item, result.component)
                known, other = first.setdefault((result.component, item.item_id), (own, result))
                if known != own and other.origin == result.origin:
                    raise ResultsError(
                        f"two data fingerprints in one table: {item.item_id} is {known[:12]} in {other.file} but "
                        f"{own[:12]} in {result.file}. Run both systems on one build."
                    )
    if len(origins) > 1:
        places = "; ".join(f"{origin} in {file}" for origin, file in origins.items())
        kind = "the bundled sample with the release" if SAMPLE_ORIGIN in origins else "different data"
        raise ResultsError(f"these results mix {kind}: {places}. Report them apart.")


def _identity(item: Item, component: str) -> str:
    """Return what must be equal in all systems: prompt and reference; without the prompt where its snippets vary."""
    if component == "filtering":
        return fingerprint([item.item_id, item.specific["gold"]])
    if component == "response_generation":
        return fingerprint([item.item_id, item.specific["gold"], item.reference])
    return str(item.specific["row_sha256"])


def _newest(path: Path, passed_over: set[str]) -> dict[tuple[Any, ...], TaskResult]:
    """Return the newest result of every system, component, setting and language under a path."""
    newest = {}
    try:
        for run in task_runs(path, _TASK_NAME):
            match = _TASK_NAME.fullmatch(run.name)
            if match is None or match["component"] not in COMPONENT_TITLES or match["language"] not in LANGUAGES:
                passed_over.add(run.name.removeprefix(TASK_PREFIX).split(":")[0])
                continue
            result = _task_result(run, match["component"], match["language"], int(match["shots"]))
            newest[run.model, result.component, result.setting, result.language] = result
    except UnreadableResultsError as error:
        raise ResultsError(str(error)) from error
    return newest


def _task_result(run: TaskRun, component: str, language: str, shots: int) -> TaskResult:
    """Read the details of one task; items without a reference are left out."""
    try:
        read = read_records(run.details)
        records = [one for one in read if one["doc"]["specific"]["has_reference"]]
        left_out = tuple(one["doc"]["specific"]["id"] for one in read if not one["doc"]["specific"]["has_reference"])
        if not records:
            raise ResultsError(f"{run.details}: no turn has a reference, so none can be scored; leave this out")
        items = tuple(_item(record) for record in records)
        # The first number of a vector is that of the dialogue.
        statistics = {
            metric: np.array([record["metric"][metric][1:] for record in records], dtype=np.float64)
            for metric in records[0]["metric"]
        }
        origins = {item.specific["origin"] for item in items}
        setting = _setting(items, shots)
        data = combined_fingerprint(item.specific["row_sha256"] for item in items)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ResultsError(
            f"{run.details}: not the details of a {TASK_PREFIX}* task of this version ({error!r})"
        ) from error
    if len(origins) > 1:
        raise ResultsError(f"{run.details}: rows of several origins: {', '.join(sorted(origins))}")
    return TaskResult(
        component=component,
        language=language,
        setting=setting,
        items=items,
        statistics=statistics,
        signatures=run.signatures(data=data[:12]),
        origin=origins.pop(),
        file=run.details,
        partial=run.partial,
        left_out=left_out,
    )


def _item(record: Record) -> Item:
    """Return one record of the details as an item."""
    doc = record["doc"]
    specific = doc["specific"]
    return Item(
        item_id=specific["id"],
        dialogue_id=specific["dialogue_id"],
        dialogue_number=int(specific["dialogue_number"]),
        turn_index=int(specific["turn_index"]),
        query=doc["query"],
        answer=answer_of(record),
        reference=doc["choices"][doc["gold_index"]],
        specific=specific,
    )


def _setting(items: tuple[Item, ...], shots: int) -> Setting:
    """Return the setting that the documents show."""
    candidates = [json.loads(item.specific["candidates"]) for item in items if "candidates" in item.specific]
    shown = [json.loads(item.specific["shown"]) for item in items if "shown" in item.specific]
    sources = [items[0].specific.get(name, "") if items else "" for name in ("snippets_from", "candidates_from")]
    return Setting(shots, max(map(len, candidates), default=0), bool(candidates) and shown == candidates, *sources)
