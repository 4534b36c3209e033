"""Custom models through the command line: killed and resumed, and a main process that saves last; all offline."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from tests.built_data import save_built_data
from tests.test_tasks_processes import Place, details, results

TASKS = "thai_dialect_qa|0,thai_dialect_food|0"
DOCUMENTS = 2 * 4 * 3
TWO = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]

MODEL = """
import atexit, os, time
from metrics import lighteval_models as base

class Slow(base.AnsweringModel):
    is_sharded = True
    answers_fingerprint = "weights"

    def answers(self, docs):
        for doc in docs:
            with open(os.environ["ASKED_LOG"], "a") as log:
                log.write(doc.query + chr(10))
            time.sleep(float(os.environ.get("SECONDS_EACH", 0)))
        return [doc.query.upper() for doc in docs]

if os.environ.get("SECONDS_TO_SAVE"):
    from lighteval.logging.evaluation_tracker import EvaluationTracker

    save = EvaluationTracker.save

    def slowly(self):
        time.sleep(float(os.environ["SECONDS_TO_SAVE"]))
        save(self)

    EvaluationTracker.save = slowly
    if os.environ["RANK"] != "0":
        # As PyTorch's threads do in a process that ends with its group alive, now and then.
        atexit.register(os.abort)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("custom")
    save_built_data(folder / "data")
    (folder / "slow.py").write_text(MODEL)
    return Place(folder)


def command(name: str, output: str) -> list[str]:
    return ["-m", "tasks", "custom", name, "slow.py", TASKS, "--output-dir", output]


def test_the_other_processes_stay_until_the_main_one_has_saved(place: Place) -> None:
    place.run([*TWO, *command("late", "late")], ACCELERATE_USE_CPU="true", SECONDS_TO_SAVE="3")
    assert sum(len(rows) for rows in details(place.folder / "late").values()) == DOCUMENTS
    assert not list((place.folder / "late").rglob("*.partial"))


def test_a_killed_run_goes_on_in_two_processes_with_the_same_results(place: Place) -> None:
    settings = {"THAI_DIALECT_BENCH_SAVE_EVERY": "3"}
    process = place.start(command("killed", "killed"), SECONDS_EACH="0.2", **settings)
    deadline = time.monotonic() + 120
    while len(saved(place)) < 6 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    kept, before = saved(place), len(asked(place))
    assert 6 <= len(kept) < DOCUMENTS
    assert not list((place.folder / "killed").rglob("*.json"))
    output = place.run([*TWO, *command("killed", "killed")], ACCELERATE_USE_CPU="true", **settings)
    assert f"{len(kept)} of {DOCUMENTS} answers were kept" in output.replace("\n", "")
    rest = asked(place)[before:]
    assert len(rest) == DOCUMENTS - len(kept)
    assert {query.upper() for query in rest}.isdisjoint(kept)
    place.run(command("killed", "whole"), HOME=str(place.folder / "other"), **settings)
    assert results(place.folder / "killed")["results"] == results(place.folder / "whole")["results"]
    assert details(place.folder / "killed") == details(place.folder / "whole")


def saved(place: Place) -> list[str]:
    lines = [line for file in place.folder.glob(".cache/**/killed-*/answers*.jsonl") for line in whole_lines(file)]
    return [json.loads(line)["answer"]["text"] for line in lines]


def whole_lines(file: Path) -> list[str]:
    return file.read_text().rpartition("\n")[0].splitlines()


def asked(place: Place) -> list[str]:
    return (place.folder / "asked").read_text().splitlines()
