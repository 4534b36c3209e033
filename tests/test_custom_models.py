"""Custom models of our own: whose tasks they answer, who answers what, what is kept, and what a message says."""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.tasks.requests import Doc

from hub.location import DataLocation
from metrics import lighteval_models as base
from tasks.checks import DATA_SETS, check_model_file, check_offline
from tasks.errors import RunError
from tasks.healthdial_candidates import CANDIDATES_VARIABLE, candidate_count
from tasks.healthdial_docs import IDS_VARIABLE, _shows_snippet_ids
from tasks.healthdial_snippets import SNIPPETS_VARIABLE, snippets_source
from tasks.lighteval_fixes.custom_models import model_class, sample_line, what_is_kept
from tasks.lighteval_fixes.kept_answers import data_state, keeper_of
from tasks.lighteval_fixes.processes import all_arrive
from tasks.systems import (
    HEALTHDIAL_SYSTEMS,
    THAI_SYSTEMS,
    check_answered_by_language_models,
    check_components,
)
from tests.built_data import save_built_data
from tests.conftest import REPOSITORY
from tests.stand_ins import CountingModel, document
from thai_dialect_bench.schema import ALL_TASKS, DATA_VARIABLE, TASK_PREFIX

TASK = "thai_dialect_qa:isan|0"


class Upper(base.AnsweringModel):
    """Answers in capitals; stops in call number ``stop_at``."""

    is_sharded = True
    weights = "1"

    def __init__(self, config: CustomModelConfig, stop_at: int | None = None) -> None:
        super().__init__(config)
        self.calls: list[list[str]] = []
        self._stop_at = stop_at

    @property
    def answers_fingerprint(self) -> str:
        return self.weights

    @staticmethod
    def shard_key(doc: Doc) -> tuple[Any, ...] | None:
        return (doc.specific or {}).get("group")

    def answers(self, docs: list[Doc]) -> list[str]:
        self.calls.append([doc.query for doc in docs])
        if len(self.calls) == self._stop_at:
            raise KeyboardInterrupt
        return [doc.query.upper() for doc in docs]


def config(cache: Path, name: str = "upper=x") -> CustomModelConfig:
    return CustomModelConfig(model_name=name, model_definition_file_path=__file__, cache_dir=str(cache))


def docs_of(*queries: str, **specific: Any) -> list[Doc]:
    return [document(query, task_name=TASK, specific={"origin": "sample", **specific}) for query in queries]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_VARIABLE, str(save_built_data(tmp_path / "data")))
    monkeypatch.setenv("THAI_DIALECT_BENCH_SAVE_EVERY", "2")
    return tmp_path / "data"


def run(model: Upper, docs: list[Doc], name: str = "upper=x") -> list[str]:
    model.keeper = keeper_of(model, config(Path(model.config.cache_dir), name), docs)
    return [response.text[0] for response in model.greedy_until(docs)]


# What is kept


def test_an_interrupted_run_goes_on(data: Path, tmp_path: Path) -> None:
    docs = docs_of("a", "b", "c", "d", "e")
    first = Upper(config(tmp_path / "cache"), stop_at=2)
    with pytest.raises(KeyboardInterrupt):
        run(first, docs)
    second, third = Upper(config(tmp_path / "cache")), Upper(config(tmp_path / "cache"))
    assert run(second, docs) == ["A", "B", "C", "D", "E"]
    assert second.calls == [["c", "d"], ["e"]]
    assert run(third, docs) == ["A", "B", "C", "D", "E"]
    assert third.calls == []


def changed_model_string(docs: list[Doc], model: Upper, data: Path) -> str:
    return "upper=x,setting=1"


def changed_weights(docs: list[Doc], model: Upper, data: Path) -> None:
    model.weights = "2"


def changed_row(docs: list[Doc], model: Upper, data: Path) -> None:
    docs[0].specific = {"origin": "sample", "more": "1"}


def changed_data(docs: list[Doc], model: Upper, data: Path) -> None:
    save_built_data(data, edit="edited")


@pytest.mark.parametrize("change", [changed_model_string, changed_weights, changed_row, changed_data])
def test_whatever_changes_is_answered_anew(data: Path, tmp_path: Path, change: Callable[..., str | None]) -> None:
    docs = docs_of("a")
    run(Upper(config(tmp_path / "cache")), docs)
    model = Upper(config(tmp_path / "cache"))
    run(model, docs, change(docs, model, data) or "upper=x")
    assert model.calls == [["a"]]


def test_nothing_is_kept_of_a_model_that_cannot_tell_its_weights(data: Path, tmp_path: Path) -> None:
    model = Upper(config(tmp_path / "cache"))
    model.weights = ""
    assert run(model, docs_of("a", "b", "c")) == ["A", "B", "C"]
    assert model.keeper is None
    assert model.calls == [["a", "b", "c"]]
    assert not (tmp_path / "cache").exists()


def test_data_of_the_hub_are_known_by_their_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert data_state(DataLocation("org/data")) == ""
    repository = tmp_path / "datasets--org--data"
    (repository / "snapshots" / ("a" * 40)).mkdir(parents=True)
    (repository / "snapshots" / ("a" * 40) / "README.md").write_text("")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("a" * 40)
    assert data_state(DataLocation("org/data")) == "a" * 40


def test_the_message_after_ctrl_c_is_true(data: Path, tmp_path: Path) -> None:
    model = Upper(config(tmp_path / "cache"))
    assert what_is_kept(model).startswith("Answers of this model are not kept")
    run(model, docs_of("a"))
    assert what_is_kept(model) == "Finished answers are kept: the same command goes on from there."
    counting = CountingModel(tmp_path / "cache")
    assert what_is_kept(counting).startswith("Answers of this model are not kept")
    counting.texts("a")
    assert what_is_kept(counting).startswith("Finished answers are kept")
    speaking = importlib.import_module("healthdial.systems.speaking").SpeakingModel
    assert speaking.kept_otherwise == "Finished speech files"


# Which process answers what


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_documents_of_a_group_are_answered_by_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    docs = [document(f"{group}{turn}", specific={"group": (group,)}) for turn in range(3) for group in "cab"]
    models, gathered = [Upper(config(tmp_path)) for _ in range(processes)], []
    monkeypatch.setattr("accelerate.utils.gather_object", lambda own: gathered.extend(own) or list(gathered))
    for number, model in enumerate(models):
        state = type("State", (), {"process_index": number, "num_processes": processes})
        monkeypatch.setattr("accelerate.PartialState", state)
        own = model._answered(docs, range(len(docs)))
    assert [own[index] for index in range(len(docs))] == [doc.query.upper() for doc in docs]
    asked = [[query for call in model.calls for query in call] for model in models]
    assert [sorted({query[0] for query in queries}) for queries in asked] == [
        list("abc")[n::processes] for n in range(processes)
    ]
    assert sorted(itertools.chain(*asked)) == sorted(doc.query for doc in docs)


def test_processes_wait_for_each_other_but_not_for_ever() -> None:
    from torch.distributed import HashStore

    store = HashStore()
    assert not all_arrive(store, 1, 2, seconds=0)
    assert all_arrive(store, 0, 2, seconds=0)
    assert all_arrive(store, 1, 2, seconds=0)

    class Gone:
        def set(self, name: str, value: str) -> None:
            raise RuntimeError("Broken pipe")

    assert not all_arrive(Gone(), 0, 2, seconds=60)


# Whose tasks


def test_the_table_of_systems_is_what_they_say() -> None:
    said = {}
    for task, files in HEALTHDIAL_SYSTEMS.items():
        for file in files:
            said[file] = model_class(str(REPOSITORY / "healthdial" / "systems" / file)).components  # type: ignore[attr-defined]
            assert said[file] == (task,), file
    thai = [model_class(str(REPOSITORY / "thai_dialect_bench" / "systems" / file)) for file in THAI_SYSTEMS]
    every = tuple(f"{TASK_PREFIX}{task}" for task in ALL_TASKS)
    assert [kind.components for kind in thai] == [every, every, None]  # type: ignore[attr-defined]
    folder = REPOSITORY / "healthdial" / "systems"
    assert {file.name for file in folder.glob("*.py") if "-m tasks custom" in file.read_text()} == said.keys()


def test_a_system_on_another_task_is_refused() -> None:
    check_components("bm25", ("healthdial_retrieval",), ["healthdial_retrieval:eng|0"])
    check_components("any", None, ["gsm8k|0"])
    message = r"bm25 answers healthdial_retrieval, not healthdial_filtering; .* answered by threshold.py, top.py in"
    with pytest.raises(RunError, match=message):
        check_components(
            "bm25", ("healthdial_retrieval",), ["healthdial_retrieval:eng|0", "healthdial_filtering:eng|0"]
        )


def test_a_language_model_on_speech_is_refused_with_the_command_to_use() -> None:
    check_answered_by_language_models(["healthdial_filtering", "thai_dialect_qa:isan"])
    with pytest.raises(RunError, match=r'custom "NAME=MODEL" healthdial/systems/asr.py "healthdial_asr\|0"'):
        check_answered_by_language_models(["healthdial_filtering", "healthdial_asr:eng"])
    with pytest.raises(RunError, match=r'custom "bm25" healthdial/systems/bm25.py "healthdial_retrieval\|0"'):
        check_answered_by_language_models(["healthdial_retrieval"])


# Messages


@pytest.mark.parametrize(
    ("name", "check"), [("no_model.py", model_class), ("abstract.py", model_class), ("absent.py", check_model_file)]
)
def test_a_wrong_model_file_names_those_of_both_data_sets(
    tmp_path: Path, name: str, check: Callable[[str], Any]
) -> None:
    (tmp_path / "no_model.py").write_text("x = 1")
    (tmp_path / "abstract.py").write_text("from metrics.lighteval_models import AnsweringModel")
    message = r"asr.py, .* in healthdial/systems and copy.py, lead.py, replay.py in thai_dialect_bench/systems"
    with pytest.raises(RunError, match=message):
        check(str(tmp_path / name))


def test_the_table_is_marked_where_rows_are_of_the_sample() -> None:
    release = document("q", task_name="healthdial_asr:eng|0", specific={"origin": "release@1"})
    other = document("q", task_name="gsm8k|0", specific={"origin": "sample"})
    assert sample_line([release, other]) is None
    line = sample_line([release, *docs_of("a", "b")])
    assert line is not None
    assert line.startswith(f"SAMPLE: {TASK}: on the bundled sample")


def test_a_data_set_that_is_not_in_the_cache_is_told_in_offline_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    variable = DATA_SETS[1].variable
    monkeypatch.setenv(variable, "org/nope")
    error = ConnectionError("Couldn't reach 'org/nope' on the Hub (OfflineModeIsEnabled)")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    check_offline(error)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    check_offline(ConnectionError("a server"))
    with pytest.raises(RunError, match=f"{variable}=org/nope: .* Unset HF_HUB_OFFLINE, or build the data with"):
        check_offline(error)


def test_an_empty_variable_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (CANDIDATES_VARIABLE, IDS_VARIABLE, SNIPPETS_VARIABLE):
        monkeypatch.setenv(variable, "")
    assert os.environ[IDS_VARIABLE] == ""
    assert (candidate_count(), _shows_snippet_ids(), snippets_source(is_example=False)) == (5, False, "gold")
