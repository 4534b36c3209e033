"""Whole runs of the command line: one process, two, killed and resumed, stock lighteval, an endpoint; all offline."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.built_data import save_built_data
from tests.conftest import REPOSITORY
from tests.openai_stub import openai_stub
from tests.tiny_model import save_tiny_model

TASKS = ",".join(
    f"thai_dialect_{task}|0" for task in ("qa", "summarization", "translation_to_english", "food", "qa_v1")
)
DOCUMENTS = 5 * 4 * 3

CUSTOM_MODEL = """
import os, time
from lighteval.models.abstract_model import LightevalModel as Base
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import SamplingMethod
from lighteval.utils.cache_management import SampleCache, cached

class Slow(Base):
    tokenizer, add_special_tokens, max_length = None, False, 100
    def __init__(self, config):
        self.config, self._cache = config, SampleCache(config)
    @cached(SamplingMethod.GENERATIVE)
    def greedy_until(self, docs):
        for doc in docs:
            with open(os.environ["ASKED_LOG"], "a") as log:
                log.write(doc.query + chr(10))
            time.sleep(float(os.environ.get("SECONDS_EACH", 0)))
        return [ModelResponse(text=[doc.query]) for doc in docs]
    def loglikelihood(self, docs): raise NotImplementedError
    def loglikelihood_rolling(self, docs): raise NotImplementedError
"""


@dataclass
class Place:
    """Where runs of a test happen: data, model, home, and a log of what was tried on the network."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        return {
            **kept,
            "HOME": str(self.folder),
            "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{REPOSITORY / 'tests' / 'no_network'}",
            "NETWORK_LOG": str(self.network_log),
            "OMP_NUM_THREADS": "1",
            "THAI_DIALECT_BENCH_DATA": str(self.folder / "data"),
            "THAI_DIALECT_BENCH_MAX_NEW_TOKENS": "8",
            "ASKED_LOG": str(self.folder / "asked"),
            **self.variables,
        }

    @property
    def network_log(self) -> Path:
        return self.folder / "network"

    def start(self, command: list[str], **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env={**self.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: list[str], *, status: int = 0, **variables: str) -> str:
        process = self.start(command, **variables)
        output, _ = process.communicate(timeout=300)
        assert process.returncode == status, output[-6000:]
        assert not self.network_log.exists(), self.network_log.read_text()
        return output


def results(folder: Path) -> dict[str, Any]:
    (file,) = folder.glob("results/**/results_*.json")
    return json.loads(file.read_text())


def details(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the details of a run, by task."""
    files = folder.glob("details/**/details_*.parquet")
    return {file.name.split("_20")[0].removeprefix("details_"): pq.read_table(file).to_pylist() for file in files}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("runs")
    save_built_data(folder / "data")
    save_tiny_model(folder / "tiny", end_bias=2)
    (folder / "slow.py").write_text(CUSTOM_MODEL)
    return Place(folder)


def model_arguments(place: Place, cache: str, batch_size: int = 4) -> str:
    return f"model_name={place.folder / 'tiny'},batch_size={batch_size},cache_dir={place.folder / cache}"


@pytest.fixture(scope="module")
def one_process(place: Place) -> Path:
    """The output folder of a run in one process."""
    model = sorted(file.name for file in (place.folder / "tiny").iterdir())
    output = place.run(["-m", "tasks", "accelerate", model_arguments(place, "cache1"), TASKS, "--output-dir", "one"])
    assert "thai_dialect_summarization:lanna|0: 1 of 3 prompts were too long" in output
    assert sorted(file.name for file in (place.folder / "tiny").iterdir()) == model
    assert not (place.folder / ".litellm_cache").exists()
    return place.folder / "one"


def test_the_results_are_complete(one_process: Path) -> None:
    found = results(one_process)
    assert len(details(one_process)) == len(found["versions"]) == 20
    assert set(found["versions"].values()) == {1}
    isan = found["results"]["thai_dialect_qa:isan|0"]
    assert {"bleu", "bleu_stderr", "chrf", "chrf_plus_plus", "rouge_l", "rouge_l_missing_as_zero"} <= isan.keys()
    assert {"wrong_script", "empty", "cut_by_cap", "prompt_cut", "preface", "length_ratio"} <= isan.keys()
    assert found["results"]["thai_dialect_summarization:_average|0"]["prompt_cut"] == pytest.approx(1 / 3)
    assert found["results"]["thai_dialect_food:isan|0"].keys() == {
        "wrong_script",
        "empty",
        "cut_by_cap",
        "prompt_cut",
        "preface",
        "dialect_generation",
        "dialect_generation_stderr",
    }
    assert found["summary_tasks"]["thai_dialect_summarization:isan|0"]["truncated"] == 1
    signature = found["config_tasks"]["thai_dialect_qa:isan|0"]["metrics"][0]["sample_level_fn"]
    assert signature.startswith("bleu|")
    assert signature.endswith("|lighteval:0.13.0")


def test_the_details_hold_what_the_report_needs(one_process: Path) -> None:
    rows = details(one_process)["thai_dialect_qa:isan|0"]
    by_id = {row["doc"]["specific"]["id"]: row for row in rows}
    missing = by_id["isan-qa-01"]
    assert not missing["doc"]["specific"]["has_reference"]
    assert missing["metric"]["rouge_l"] == [0.0, 0.0]
    assert by_id["isan-qa-00"]["metric"]["rouge_l"][1] == 1.0
    assert len(missing["metric"]["bleu"]) == 10
    reasons = {reason for row in rows for reason in row["model_response"]["finish_reasons"]}
    assert reasons <= {"stop", "length"}
    assert len(rows[0]["doc"]["specific"]["row_sha256"]) == 64


def test_two_processes_give_the_same(place: Place, one_process: Path) -> None:
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m", "tasks", "accelerate"]
    command += [model_arguments(place, "cache2"), TASKS, "--output-dir", "two"]
    # Some answers are there already; only the main process knows that by itself.
    (answers,) = (place.folder / "cache1").glob("**/answers.jsonl")
    some = place.folder / "cache2" / answers.relative_to(place.folder / "cache1")
    some.parent.mkdir(parents=True)
    some.write_text("\n".join(answers.read_text().splitlines()[:7]))
    output = place.run(command, ACCELERATE_USE_CPU="true", PYTHONHASHSEED="random")
    assert f"7 of {DOCUMENTS} answers were kept" in output
    two = place.folder / "two"
    assert results(two)["results"] == results(one_process)["results"]
    assert results(two)["summary_tasks"] == results(one_process)["summary_tasks"]
    assert details(two) == details(one_process)
    assert len(some.read_text().splitlines()) == DOCUMENTS


def test_stock_lighteval_runs_the_task_file(place: Place, one_process: Path) -> None:
    stub = "import sys, types; m = types.ModuleType('lighteval.tasks.tasks.tiny_benchmarks'); m.TASKS_TABLE = []; "
    stub += "sys.modules[m.__name__] = m; import nltk; nltk.download = lambda *_, **__: None; "
    stub += "from lighteval.__main__ import app; app()"
    command = [
        "-c",
        stub,
        "accelerate",
        model_arguments(place, "cache1"),
        TASKS,
        "--output-dir",
        str(place.folder / "stock"),
    ]
    command += ["--save-details", "--custom-tasks", str(REPOSITORY / "tasks" / "thai_dialect.py")]
    # Its import of litellm leaves a folder where it runs.
    (place.folder / "elsewhere").mkdir()
    output = Place(place.folder / "elsewhere", place.environment).run(command, LITELLM_LOCAL_MODEL_COST_MAP="True")
    assert f"{DOCUMENTS} of {DOCUMENTS} answers were kept" in output.replace("\n", "")
    assert results(place.folder / "stock")["results"] == results(one_process)["results"]
    assert details(place.folder / "stock") == details(one_process)


def asked(place: Place) -> list[str]:
    return (place.folder / "asked").read_text().splitlines()


def test_a_killed_run_goes_on_where_it_was(place: Place) -> None:
    command = ["-m", "tasks", "custom", "slow", "slow.py", TASKS, "--output-dir", "slow"]
    settings = {"SECONDS_EACH": "0.1", "THAI_DIALECT_BENCH_SAVE_EVERY": "5"}

    def stop_after(answers: int, how: signal.Signals) -> tuple[int, str]:
        process = place.start(command, **settings)
        deadline = time.monotonic() + 120
        while not len(saved()) >= answers and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(how)
        output, _ = process.communicate(timeout=60)
        return process.returncode, output

    def saved() -> list[str]:
        files = list((place.folder / ".cache").glob("**/answers.jsonl"))
        return [json.loads(line)["answer"]["text"][0] for line in files[0].read_text().splitlines()] if files else []

    stop_after(5, signal.SIGKILL)
    first = len(saved())
    assert first % 5 == 0
    status, output = stop_after(first + 5, signal.SIGINT)
    second = saved()
    assert status == 130
    assert output.splitlines()[-1].startswith("interrupted. Finished answers are kept")
    assert not (place.folder / "slow").exists() or not list((place.folder / "slow").glob("results/**/*.json"))
    before = len(asked(place))
    place.run(command, THAI_DIALECT_BENCH_SAVE_EVERY="5")
    assert set(asked(place)[before:]).isdisjoint(second)
    assert len(asked(place)) - before == DOCUMENTS - len(second)
    assert sum(len(rows) for rows in details(place.folder / "slow").values()) == DOCUMENTS


def test_a_custom_model_in_two_processes_is_scored_once(place: Place) -> None:
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m", "tasks", "custom"]
    command += ["pair", "slow.py", "thai_dialect_qa|0", "--output-dir", "pair"]
    output = place.run(command, ACCELERATE_USE_CPU="true", PYTHONHASHSEED="random")
    assert output.count("thai_dialect_qa:isan:0") == 1
    assert len(details(place.folder / "pair")) == 4
    assert results(place.folder / "pair")["results"]["thai_dialect_qa:isan|0"]["chrf"] > 0


def test_an_endpoint(place: Place) -> None:
    with openai_stub() as stub:
        stub.empty, stub.cut = "qa isan 0", "qa lanna 2"
        arguments = f"model_name=openai/made-up,provider=openai,base_url={stub.address},api_key=very-secret,"
        arguments += "generation_parameters={max_new_tokens:7}"
        command = ["-m", "tasks", "endpoint", "litellm", arguments, "thai_dialect_qa|0", "--output-dir", "endpoint"]
        place.run(command)
    assert len(stub.prompts()) == len(set(stub.prompts())) == 12
    assert not (place.folder / ".litellm_cache").exists()
    for file in place.folder.glob("endpoint/results/**/*.json"):
        assert "very-secret" not in file.read_text()
    for file in place.folder.glob(".cache/**/model.json"):
        assert "very-secret" not in file.read_text()
    rows = details(place.folder / "endpoint")["thai_dialect_qa:lanna|0"]
    assert (
        {request["max_tokens"] for request in stub.requests} == {row["doc"]["generation_size"] for row in rows} == {7}
    )
    found = results(place.folder / "endpoint")["results"]
    assert found["thai_dialect_qa:isan|0"]["empty"] == pytest.approx(1 / 3)
    assert found["thai_dialect_qa:lanna|0"]["cut_by_cap"] == pytest.approx(1 / 3)
    assert found["thai_dialect_qa:central|0"]["cut_by_cap"] == 0
