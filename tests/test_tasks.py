"""The task table, its documents, and the command line's checks."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.registry import Registry

from tasks import healthdial, thai_dialect
from tasks.__main__ import main
from tasks.checks import (
    DATA_SETS,
    DataSet,
    check_data,
    check_model_file,
    check_model_folder,
    check_tasks,
    own_tasks,
    task_names,
)
from tasks.errors import RunError
from tests.built_data import MISSING, ROWS, WITHOUT_REFERENCES, save_built_data
from tests.conftest import REPOSITORY
from tests.stand_ins import CountingModel
from thai_dialect_bench.schema import (
    ALL_TASKS,
    DATA_VARIABLE,
    MAX_NEW_TOKENS_VARIABLE,
    TASKS,
    VARIETIES,
    Row,
    data_location,
)

NAMES = [config.name for config in thai_dialect.TASKS_TABLE]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_built_data(tmp_path_factory.mktemp("data"))


def located(value: str) -> DataSet:
    """Return the Thai data set as if its variable said so."""
    return replace(DATA_SETS[0], locate=lambda: data_location(value))


def loaded(task: str, variety: str, few_shot: int = 0) -> LightevalTask:
    config = thai_dialect.task_config(ALL_TASKS[task], variety)
    config.num_fewshots = few_shot
    config.full_name = f"{config.name}|{few_shot}"
    return LightevalTask(config)


# The table


def test_every_task_is_there_in_every_variety() -> None:
    assert len(NAMES) == len(set(NAMES)) == 28
    assert {name.split(":")[0] for name in NAMES} == {f"thai_dialect_{task}" for task in ALL_TASKS}
    assert {name.split(":")[1] for name in NAMES} == set(VARIETIES)


def test_the_file_for_one_run_names_every_group() -> None:
    registry = Registry.__new__(Registry)
    lines = registry._get_full_task_list_from_input_string(str(REPOSITORY / "tasks" / "thai_dialect.txt"))
    assert sorted(lines) == sorted({f"{name.split(':')[0]}|0" for name in NAMES})
    assert task_names(str(REPOSITORY / "tasks" / "thai_dialect.txt")) == [f"thai_dialect_{task}" for task in ALL_TASKS]


def test_lighteval_finds_the_table_by_path_and_by_name() -> None:
    for source in (str(REPOSITORY / "tasks" / "thai_dialect.py"), "tasks.thai_dialect"):
        module = Registry.create_custom_tasks_module(source)
        assert list(Registry._extract_configs(module)) == NAMES


def test_metrics_are_the_same_within_a_group_and_fit_the_task() -> None:
    for config in thai_dialect.TASKS_TABLE:
        task = config.name.split(":")[0].removeprefix("thai_dialect_")
        metrics = {metric.metric_name: metric for metric in config.metrics}
        scored = [] if task in WITHOUT_REFERENCES else ["bleu", "chrf", "chrf_plus_plus", "rouge_l"]
        assert [name for name in metrics if not name.startswith("dialect_")] == [*scored, "diagnostics"]
        script = "script:latin" if task == "translation_to_english" else "script:thai"
        assert script in str(metrics["diagnostics"].sample_level_fn)
        missing = [getattr(metric.corpus_level_fn, "missing_as_zero", False) for metric in config.metrics]
        assert any(missing) == task.startswith("qa")


def test_answers_in_a_dialect_are_scored_for_it() -> None:
    for config in thai_dialect.TASKS_TABLE:
        task, variety = config.name.removeprefix("thai_dialect_").split(":")
        found = [metric for metric in config.metrics if metric.metric_name.startswith("dialect_")]
        with_them = ("summarization", "translation_from_english", "food", "conversation")
        names = ["dialect_generation", "dialect_precision"] if task in with_them and variety != "central" else []
        assert [metric.metric_name for metric in found] == names
        assert all(f"|dialect:{variety}|" in str(metric.sample_level_fn) for metric in found)


# Documents


@pytest.mark.parametrize("task", ALL_TASKS)
@pytest.mark.parametrize("variety", VARIETIES)
def test_documents_are_the_rows(data: Path, monkeypatch: pytest.MonkeyPatch, task: str, variety: str) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(data))
    docs = loaded(task, variety).get_docs()
    assert sorted(doc.specific["item"] for doc in docs) == [f"{task}-{at:02d}" for at in range(ROWS)]
    for doc in docs:
        assert (doc.specific["task"], doc.specific["variety"]) == (task, variety)
        missing = (task, variety, int(doc.specific["item"][-2:])) == MISSING
        assert doc.specific["has_reference"] is (task not in WITHOUT_REFERENCES and not missing)
        assert doc.get_golds() == [""] if missing else doc.get_golds()[0]
        assert doc.query.startswith(f"{task} {variety}")
        assert (doc.generation_size, doc.stop_sequences, doc.fewshot_samples) == (512, [], [])
        types = {key: type(value) for key, value in doc.specific.items()}
        assert types == {**dict.fromkeys(doc.specific, str), "has_reference": bool}


def test_a_document_carries_the_fingerprint_of_its_row(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(data))
    task = loaded("qa", "isan")
    docs = {doc.specific["id"]: doc for doc in task.get_docs()}
    assert task.dataset is not None
    for line in task.dataset["test"]:
        if line["task"] == "qa":
            row = Row(**{name: line[name] for name in Row.__dataclass_fields__})
            assert docs[row.id].specific["row_sha256"] == row.fingerprint()


def test_rebuilt_data_are_asked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same folder, under the same names, as after a second build."""
    monkeypatch.setenv(DATA_VARIABLE, str(save_built_data(tmp_path / "data")))
    answers = []
    for edit in ("", "edited"):
        if edit:
            save_built_data(tmp_path / "data", edit=edit)
        model = CountingModel(tmp_path / "cache")
        answers.append([each.text[0] for each in model.greedy_until(loaded("qa", "lanna").get_docs())])
        assert len(model.asked) == ROWS
    assert not set(answers[0]) & set(answers[1])


def test_few_shot_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(data))
    with pytest.raises(RunError, match=r"thai_dialect_qa:lanna is zero-shot only: .* come from the test set"):
        loaded("qa", "lanna", few_shot=2).get_docs()


def test_the_cap_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MAX_NEW_TOKENS_VARIABLE, "3000")
    assert thai_dialect.task_config(TASKS["qa"], "isan").generation_size == 3000
    for text in ("0", "-1", "many", "3e3", ""):
        monkeypatch.setenv(MAX_NEW_TOKENS_VARIABLE, text)
        with pytest.raises(RunError, match=f"{MAX_NEW_TOKENS_VARIABLE} must be a positive whole number"):
            thai_dialect.max_new_tokens()


def test_the_hub_can_hold_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, "org/name@abc123")
    config = thai_dialect.task_config(TASKS["qa"], "isan")
    assert (config.hf_repo, config.hf_revision, config.hf_subset) == ("org/name", "abc123", "isan")


# The command line


@pytest.fixture
def contained(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Undo what the command line does to its process."""
    monkeypatch.setattr(Registry, "load_all_task_configs", staticmethod(Registry.load_all_task_configs))
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    logging.captureWarnings(False)
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


def test_task_specifications_are_read_as_lighteval_reads_them(tmp_path: Path) -> None:
    assert task_names("a|0,b:c|5,d,suite|e|0,f@k=1|0") == ["a", "b:c", "d", "e", "f"]
    (tmp_path / "list.txt").write_text("# comment\na|0\n\nb:c|0\n")
    assert task_names(str(tmp_path / "list.txt")) == ["a", "b:c"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("thai_dialect_qa:laana", "did you mean thai_dialect_qa:lanna"),
        ("thai_dialect_summarisation", "did you mean thai_dialect_summarization"),
        ("thai_dialect_", "did you mean|there are thai_dialect_qa, "),
    ],
)
def test_an_unknown_task_gets_a_suggestion(name: str, message: str) -> None:
    known = [*NAMES, *(f"thai_dialect_{task}" for task in ALL_TASKS)]
    with pytest.raises(RunError, match=f"unknown task {name}: ({message})"):
        check_tasks([name], known)
    check_tasks(["thai_dialect_qa", "thai_dialect_qa:lanna"], known)


def command(tmp_path: Path, *arguments: str) -> list[str]:
    (tmp_path / "model.py").write_text("")
    return ["custom", "name", str(tmp_path / "model.py"), *arguments, "--output-dir", str(tmp_path / "out")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["thai_dialct_qa|0"], "unknown task thai_dialct_qa: did you mean thai_dialect_qa?"),
        (["thai_dialect_qa:laana|0"], "unknown task thai_dialect_qa:laana: did you mean thai_dialect_qa:lanna?"),
        (["thai_dialect_qa|0"], "no built data set in"),
        ([], "Missing argument"),
        (["thai_dialect_qa|0", "--no-such-option"], "No such option: --no-such-option"),
    ],
)
@pytest.mark.usefixtures("contained")
def test_errors_are_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert main(command(tmp_path, *arguments)) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("error: ")
    assert message in error


def test_a_list_of_tasks_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"tasks/thai_dialectt\.txt: no such list of tasks"):
        task_names("tasks/thai_dialectt.txt")
    (tmp_path / "list.txt").write_bytes("งาน".encode("cp874"))
    with pytest.raises(RunError, match="not a list of tasks in UTF-8"):
        task_names(str(tmp_path / "list.txt"))


def test_a_task_without_its_prefix_gets_a_suggestion_and_others_are_left_to_lighteval() -> None:
    with pytest.raises(RunError, match="unknown task qa:lanna: did you mean thai_dialect_qa:lanna"):
        own_tasks(["qa:lanna"], NAMES)
    assert own_tasks(["gsm8k", "thai_dialect_qa"], NAMES) == ["thai_dialect_qa"]


def test_a_model_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    check_model_file(None)
    check_model_file(__file__)
    with pytest.raises(RunError, match=r"replayy\.py: no such file"):
        check_model_file(str(tmp_path / "replayy.py"))


def test_data_that_are_neither_a_folder_nor_on_the_hub_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with pytest.raises(RunError, match=r"no folder /.*out/sample, and no such data set"):
        check_data(located("out/sample"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    check_data(located("org/name@v1"))


def test_a_model_folder_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    check_model_folder("model_name=org/model,batch_size=8")
    check_model_folder(f"batch_size=8,model_name={tmp_path}")
    check_model_folder("config.yaml")
    with pytest.raises(RunError, match=r"no such folder \./nowhere$"):
        check_model_folder("model_name=./nowhere,batch_size=8")


@pytest.mark.usefixtures("contained")
def test_other_failures_have_another_status_and_debug_shows_them(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(data))
    words = command(tmp_path, "thai_dialect_food|0")
    (tmp_path / "model.py").write_text("1 / 0")
    assert main(words) == 1
    assert "error: ZeroDivisionError: division by zero" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        main([*words, "--debug"])


@pytest.mark.usefixtures("contained")
def test_help_shows_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["custom", "--help"]) == 0
    assert "tasks.all_tasks" in capsys.readouterr().out


@pytest.mark.usefixtures("contained")
def test_loggers_made_before_lighteval_stay_on() -> None:
    logger = logging.getLogger("made.before")
    logger.disabled = True
    main(["custom", "--help"])
    assert not logger.disabled


def test_a_faulty_variable_is_one_line() -> None:
    """In a process of its own: the variable is read when the tasks are imported."""
    environment = {**os.environ, MAX_NEW_TOKENS_VARIABLE: "many", "PYTHONPATH": str(REPOSITORY)}
    words: list[Any] = [sys.executable, "-m", "tasks", "custom", "name", "file.py", "thai_dialect_qa|0"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"error: {MAX_NEW_TOKENS_VARIABLE} must be")
    assert "Traceback" not in done.stderr


def test_the_file_of_healthdial_names_groups_that_a_language_model_answers() -> None:
    groups = {config.name.split(":")[0] for config in healthdial.TASKS_TABLE}
    named = task_names(str(REPOSITORY / "tasks" / "healthdial.txt"))
    assert set(named) <= groups
    assert groups - set(named) == {
        f"healthdial_{component}" for component in ("asr", "tts", "retrieval", "speech_retrieval", "pipeline")
    }
