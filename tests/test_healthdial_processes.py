"""Every HealthDial task through the command line on one process and on two: the same answers and the same results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from healthdial.data import BuiltData
from healthdial.languages import LANGUAGES
from hub.location import DataLocation
from tasks.healthdial import COMPONENTS
from tests.test_tasks_processes import Place, details, results

pytest_plugins = ["tests.healthdial_speech_fixtures"]

# Starting the command takes longer than all the answers: one model file hands each task to its own system. Recognition
# and synthesis share the documents out over the processes; the others answer all of them in each.
SYSTEMS = """
from healthdial.systems import asr, bm25, espeak, majority, pipeline, snippet_lead, threshold
from metrics import lighteval_models as base

STRINGS = {
    "asr": (asr.AsrModel, "whisper=WHISPER,batch_seconds=20"),
    "tts": (espeak.EspeakModel, "espeak=out=speech"),
    "turn_classification": (majority.MajorityModel, "majority"),
    "retrieval": (bm25.Bm25Model, "bm25"),
    "speech_retrieval": (bm25.Bm25Model, "bm25"),
    "filtering": (threshold.ThresholdModel, "threshold"),
    "response_generation": (snippet_lead.SnippetLeadModel, "lead"),
    "pipeline": (pipeline.PipelineModel, "floor=classify:always,retrieve:bm25,filter:top1,respond:lead"),
}

class Together(base.AnsweringModel):
    def __init__(self, config):
        super().__init__(config)
        self.systems = {
            task: system(config.model_copy(update={"model_name": string}))
            for task, (system, string) in STRINGS.items()
        }
    def answers(self, docs):
        tasks = [doc.task_name.split(":")[0].removeprefix("healthdial_") for doc in docs]
        texts = {}
        for task in dict.fromkeys(tasks):
            own = [index for index, other in enumerate(tasks) if other == task]
            responses = self.systems[task].greedy_until([docs[index] for index in own])
            texts |= {index: response.text[0] for index, response in zip(own, responses, strict=True)}
        return [texts[index] for index in range(len(docs))]
"""

IS_ITEM: dict[str, Callable[[dict[str, Any]], bool]] = {
    "asr": lambda row: row["duration_s"] is not None,
    "response_generation": lambda row: row["turn_index"] > 0,
}
"""Which rows a task asks about, where not about all."""


@dataclass(frozen=True)
class Run:
    """What a finished run left: its results, its details by task, and the speech by the name of its file."""

    results: dict[str, Any]
    details: dict[str, list[dict[str, Any]]]
    speech: dict[str, bytes]

    def answers(self) -> dict[str, dict[str, list[str]]]:
        """Return task -> id of the document -> answer."""
        return {
            task: {row["doc"]["specific"]["id"]: row["model_response"]["text"] for row in rows}
            for task, rows in self.details.items()
        }


@pytest.fixture(scope="module")
def runs(place: Place, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Run]:
    """Number of processes -> a run of all tasks, in a folder of its own: neither finds the other's speech."""
    return {count: run_on(place, tmp_path_factory.mktemp("processes"), count) for count in (1, 2)}


def run_on(place: Place, folder: Path, processes: int) -> Run:
    (folder / "systems.py").write_text(SYSTEMS.replace("WHISPER", str(place.folder / "whisper")))
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(processes)]
    command = [*(launcher if processes > 1 else []), "-m", "tasks", "custom", "together", "systems.py"]
    command += [",".join(f"healthdial_{task}|0" for task in COMPONENTS), "--output-dir", "out"]
    Place(folder, place.variables).run(command, ACCELERATE_USE_CPU="true", PYTHONHASHSEED=str(processes))
    speech = {file.name: file.read_bytes() for file in (folder / "speech").iterdir()}
    return Run(results(folder / "out")["results"], details(folder / "out"), speech)


@pytest.fixture(scope="module")
def items(place: Place) -> dict[str, list[str]]:
    """Task -> ids of the rows of the test split that it asks about."""
    data = BuiltData(DataLocation(str(place.folder / "data")))
    found = {}
    for task, component in COMPONENTS.items():
        for language in LANGUAGES:
            rows = data.rows(f"{component.config}_{language}", "test")
            kept = filter(IS_ITEM.get(task, lambda _: True), rows)
            name = "query_id" if "query_id" in rows[0] else "utterance_id"
            found[f"healthdial_{task}:{language}|0"] = sorted(row[name] for row in kept)
    return found


@pytest.mark.parametrize("processes", [1, 2])
def test_every_task_scores_every_item_alike(runs: dict[int, Run], items: dict[str, list[str]], processes: int) -> None:
    run = runs[processes]
    assert len(items) == 8 * 4
    assert all(items.values())
    scored = {
        task: sorted(row["doc"]["specific"]["id"] for row in rows if row["metric"])
        for task, rows in run.details.items()
    }
    assert scored == items
    assert all(run.results[task] for task in items)
    assert run.answers() == runs[1].answers()
    assert run.speech == runs[1].speech
    assert run.details == runs[1].details
    assert run.results == runs[1].results
