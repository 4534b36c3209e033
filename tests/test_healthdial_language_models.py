"""A language model on HealthDial's text tasks through plain lighteval: few-shot, in one process and in two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from healthdial.schema import DATA_VARIABLE
from metrics.selection_parser import parse_selection
from metrics.yes_no import parse_yes_no
from tests.test_tasks_processes import Place, details, results
from tests.tiny_model import save_tiny_model

pytest_plugins = ("tests.healthdial_text_sample",)

CLASSIFICATION, FILTERING = "healthdial_turn_classification:eng|5", "healthdial_filtering:spa|2"
EXAMPLES = {CLASSIFICATION: 5, FILTERING: 2}


@pytest.fixture(scope="module")
def place(built_texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("runs")
    save_tiny_model(folder / "tiny", end_bias=2)
    return Place(folder, {DATA_VARIABLE: str(built_texts), "HF_HUB_OFFLINE": "1"})


def command(place: Place, out: str) -> list[str]:
    model = f"model_name={place.folder / 'tiny'},batch_size=4,cache_dir={place.folder / out}_cache"
    return ["tasks", "accelerate", model, ",".join(EXAMPLES), "--output-dir", out]


@pytest.fixture(scope="module")
def one_process(place: Place) -> dict[str, list[dict[str, Any]]]:
    """The details of a run in one process."""
    place.run(["-m", *command(place, "one")])
    return details(place.folder / "one")


def test_answers_start_after_the_prompt_and_are_parsed(
    place: Place, one_process: dict[str, list[dict[str, Any]]]
) -> None:
    found = results(place.folder / "one")["results"]
    answers = [row["model_response"]["text"][0] for row in one_process[CLASSIFICATION]]
    assert not any("Answer:" in answer for answer in answers)
    unparsed = sum(parse_yes_no(answer) is None for answer in answers)
    assert found[CLASSIFICATION]["unparsed"] == pytest.approx(100 * unparsed / len(answers))
    assert unparsed > 0
    answers = [row["model_response"]["text"][0] for row in one_process[FILTERING]]
    unparsed = sum(not parse_selection(answer, [str(at) for at in range(1, 6)]).is_parsed for answer in answers)
    assert found[FILTERING]["unparsed"] == pytest.approx(100 * unparsed / len(answers))
    assert found[FILTERING]["ook_recall"] == 0.0


def test_examples_come_from_another_split(one_process: dict[str, list[dict[str, Any]]]) -> None:
    assert one_process.keys() == EXAMPLES.keys()
    for task, rows in one_process.items():
        asked = {row["doc"]["specific"]["dialogue_id"] for row in rows}
        for row in rows:
            shown = row["doc"]["fewshot_samples"]
            assert len(shown) == EXAMPLES[task]
            assert asked.isdisjoint(one["specific"]["dialogue_id"] for one in shown)


def test_the_tasks_file_runs_on_the_sample(place: Place) -> None:
    """It asks for ten examples of turn classification, which the sample has not; the run says so."""
    model, tasks = command(place, "file")[2], str(Path(__file__).parents[1] / "tasks" / "healthdial.txt")
    said = place.run(["-m", "tasks", "accelerate", model, tasks, "--output-dir", "file"])
    assert "train of turn_classification_eng of the SAMPLE has only 8 few-shot examples; all are shown" in said
    found = results(place.folder / "file")["results"]
    groups = {name.split(":")[0] for name in found if name.startswith("healthdial_")}
    assert groups == {"healthdial_turn_classification", "healthdial_filtering", "healthdial_response_generation"}


def test_two_processes_give_the_same(place: Place, one_process: dict[str, list[dict[str, Any]]]) -> None:
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m"]
    place.run([*launcher, *command(place, "two")], ACCELERATE_USE_CPU="true", PYTHONHASHSEED="random")
    assert details(place.folder / "two") == one_process
    both = [json.dumps(results(place.folder / out)["results"], sort_keys=True) for out in ("one", "two")]
    assert both[0] == both[1]
