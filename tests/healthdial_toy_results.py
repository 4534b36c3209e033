"""Results of made-up systems on the bundled sample, through the tasks' own documents and metrics."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.languages import LANGUAGES
from healthdial.report import Report
from healthdial.report.results import SystemResults
from healthdial.report.scores import Cell
from healthdial.schema import data_location
from metrics.pipeline import PipelineAnswer

DATE = "2030-01-01T00-00-00.000000"


@dataclass(frozen=True)
class ToyRun:
    """One run of a made-up system.

    Attributes:
        system: Its name.
        components: Components that are run, in all languages.
        date: Of the run.
        max_samples: As of ``--max-samples``.
        is_good: Whether the answers are mostly right.
    """

    system: str
    components: tuple[str, ...]
    date: str = DATE
    max_samples: int | None = None
    is_good: bool = True


def _asr(doc: Doc, is_good: bool) -> str:
    words = doc.choices[0]
    return words if is_good and int(doc.specific["turn_index"]) % 4 == 1 else words[: len(words) // 2]


def _tts(doc: Doc, is_good: bool) -> str:
    return json.dumps({"file": "/home/somebody/made.wav", "transcript": _asr(doc, is_good)})


def _classification(doc: Doc, is_good: bool) -> str:
    if doc.specific["turn_index"] == "6":
        return "hard to say"
    return "yes" if doc.specific["is_opening"] == "false" or not is_good else "no"


def _retrieval(doc: Doc, is_good: bool) -> str:
    gold = json.loads(doc.specific["gold"])
    return json.dumps(["x", "y", *gold] if is_good else ["x"])


def _filtering(doc: Doc, is_good: bool) -> str:
    gold = set(json.loads(doc.specific["gold"])) if is_good else set()
    shown = zip(json.loads(doc.specific["shown"]), json.loads(doc.specific["candidates"]), strict=True)
    return json.dumps([name for name, snippet in shown if snippet in gold])


def _response(doc: Doc, is_good: bool) -> str:
    return doc.choices[0] if is_good and doc.specific["turn_index"] != "4" else "I don't know."


def _pipeline(doc: Doc, is_good: bool) -> str:
    """Find nothing in the user's second turn, hear nothing in the third, answer nothing in the fourth."""
    turn, gold = doc.specific["turn_index"], tuple(json.loads(doc.specific["gold"]))
    answer = PipelineAnswer(
        transcript="" if turn == "5" else doc.specific["transcript"],
        needs_retrieval=doc.specific["needs_retrieval"] == "true",
        retrieved=() if turn == "3" or not is_good else gold,
        selected=gold,
        response=doc.choices[0],
    )
    return "nothing" if turn == "7" else answer.to_json()


_ANSWERS: dict[str, Callable[[Doc, bool], str]] = {
    "asr": _asr,
    "tts": _tts,
    "turn_classification": _classification,
    "retrieval": _retrieval,
    "speech_retrieval": _retrieval,
    "filtering": _filtering,
    "response_generation": _response,
    "pipeline": _pipeline,
}


def write_toy_run(folder: Path, run: ToyRun) -> Path:
    """Write a run into an ``--output-dir`` as lighteval does."""
    from tasks.healthdial import COMPONENTS

    configs = {}
    for name in run.components:
        component = COMPONENTS[name]
        for language in LANGUAGES:
            task = f"healthdial_{name}:{language}|0"
            rows = BuiltData(data_location()).rows(f"{component.config}_{language}", "test")
            docs = [doc for row in rows if (doc := component.to_doc(row, task)) is not None][: run.max_samples]
            metrics = component.metrics(language)
            records = [_record(doc, _ANSWERS[name](doc, run.is_good), metrics) for doc in docs]
            details = folder / "details" / run.system / run.date / f"details_{task}_{run.date}.parquet"
            details.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(records), details)
            configs[task] = {
                "metrics": [{"metric_name": m.metric_name, "sample_level_fn": str(m.sample_level_fn)} for m in metrics]
            }
    content = {
        "config_general": {"model_name": run.system, "max_samples": run.max_samples},
        "results": {task: {} for task in configs},
        "config_tasks": configs,
    }
    results = folder / "results" / run.system / f"results_{run.date}.json"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text(json.dumps(content), encoding="utf-8")
    return folder


def _record(doc: Doc, answer: str, metrics: list[Any]) -> dict[str, Any]:
    response = ModelResponse(text=[answer])
    number = float(doc.specific["dialogue_number"])
    # Distances need a recording: those of a silent one for the second turn, else made up.
    distance = (
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0] if doc.specific["turn_index"] == "3" else [9.0, 0.1, 900.0, 100.0, 1.0, 0.0]
    )
    return {
        "doc": {
            "query": doc.query,
            "choices": doc.choices,
            "gold_index": doc.gold_index,
            "specific": doc.specific,
        },
        "metric": {
            metric.metric_name: [number, *distance]
            if metric.metric_name.startswith("mcd")
            else metric.sample_level_fn.compute(doc=doc, model_response=response)
            for metric in metrics
        },
        "model_response": {"text": [answer], "text_post_processed": [answer]},
    }


def with_changed_documents(results: Path, out: Path, **changes: str) -> Path:
    """Copy results as if their rows had other values of some `Doc.specific` fields."""
    shutil.copytree(results, out)
    for file in out.rglob("details_*.parquet"):
        table = pq.read_table(file)
        records = table.to_pylist()
        for record in records:
            record["doc"]["specific"].update(changes)
        pq.write_table(pa.Table.from_pylist(records), file)
    return out


def clear_caches() -> None:
    """Forget the data set that the tasks' documents were made of."""
    from tasks import healthdial_docs

    for value in vars(healthdial_docs).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def cell_of(report: Report, system: str, component: str, measure: str, language: str = "eng", k: int = 0) -> Cell:
    return next(
        cell
        for cell in report.cells
        if (cell.system, cell.component, cell.measure.name, cell.language) == (system, component, measure, language)
        and cell.setting.candidates == k
    )


def by_name(report: Report) -> dict[str, SystemResults]:
    return {system.name: system for system in report.systems}
