"""The repairs of lighteval that concern order, a run as a whole and what is written."""

from __future__ import annotations

import collections
import errno
import json
import random
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.logging.info_loggers import MetricsLogger
from lighteval.models.model_output import ModelResponse
from lighteval.models.transformers.transformers_model import TransformersModelConfig
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.prompt_manager import FewShotSampler
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import SamplingMethod

import tasks.lighteval_fixes as fixes
from metrics.lighteval import ModelAnswer
from tasks.errors import RunError
from tasks.lighteval_fixes import apply, offline, order
from tasks.lighteval_fixes.pipeline import check_storable, check_writable, cut_prompts
from tasks.lighteval_fixes.repair import RepairNotPossibleError, find
from tasks.lighteval_fixes.saving import WholeFiles
from tasks.lighteval_fixes.stop_texts import end_answers
from tests.stand_ins import document

# How repairs are applied


def test_every_repair_is_possible_with_the_pinned_version() -> None:
    assert apply() == ()


def test_a_function_that_looks_otherwise_is_not_replaced() -> None:
    owner = SimpleNamespace(__name__="Owner", run=lambda self, docs: None)
    assert find(owner, "run", ("self", "docs")) is owner.run
    with pytest.raises(RepairNotPossibleError, match="Owner has no function walk"):
        find(owner, "walk", ("self",))
    with pytest.raises(RepairNotPossibleError, match=r"Owner.run takes \('self', 'docs'\), not \('self',\)"):
        find(owner, "run", ("self",))


def test_another_version_is_warned_about_and_says_what_was_not_possible(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def impossible() -> None:
        raise RepairNotPossibleError("Registry has no function f")

    from tasks.lighteval_fixes import (
        custom_models,
        litellm_backend,
        pipeline,
        response_cache,
        saving,
        transformers_backend,
        vllm_backend,
    )

    replaced = (custom_models, litellm_backend, pipeline, response_cache, saving, transformers_backend, vllm_backend)
    for module in replaced:
        monkeypatch.setattr(module, "REPAIRS", ())
    monkeypatch.setattr(order, "REPAIRS", (impossible,))
    monkeypatch.setattr(fixes, "version", lambda _: "0.14.0")
    assert apply.__wrapped__() == ("impossible: Registry has no function f",)
    assert "lighteval 0.14.0 is installed; its repairs are for 0.13.0" in caplog.text


def test_the_stub_has_no_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(offline.sys.modules, offline.TINY_BENCHMARKS, raising=False)
    offline.stub_tiny_benchmarks()
    assert Registry._extract_configs(offline.sys.modules[offline.TINY_BENCHMARKS]) == {}


# Order


def test_tasks_are_sorted() -> None:
    registry = Registry.__new__(Registry)
    registry.tasks_list = ["b|0", "c|0", "a|0"]
    registry._task_registry = {name: SimpleNamespace(name=name, metrics=()) for name in ("c", "a", "b")}  # type: ignore[assignment]
    assert list(registry._update_task_configs()) == ["a", "b", "c"]


def test_sampling_methods_are_sorted() -> None:
    metrics = [
        SimpleNamespace(category=method, sample_level_fn=None)
        for method in (SamplingMethod.PERPLEXITY, SamplingMethod.LOGPROBS, SamplingMethod.GENERATIVE)
    ]
    fields = collections.defaultdict(lambda: None, name="a", metrics=metrics, evaluation_splits=("test",))
    config = type("Config", (), {"__getattr__": lambda self, name: fields[name]})()
    assert LightevalTask(config).sampling_methods == ["GENERATIVE", "LOGPROBS", "PERPLEXITY"]


# Few-shot examples


def sampler_of(
    pool: list[str], selection: str = "random_sampling_from_train", origin: str = "release@0123456789ab"
) -> FewShotSampler:
    def fewshot_docs() -> list[Any]:
        if not pool:
            raise KeyError("train")
        return [document(query, specific={"origin": origin}) for query in pool]

    return FewShotSampler(
        SimpleNamespace(  # type: ignore[arg-type]
            name="t:eng",
            dataset_config_name="t_eng",
            fewshot_split="train",
            fewshot_selection=selection,
            evaluation_split=["test"],
            fewshot_docs=fewshot_docs,
        )
    )


def test_examples_are_drawn_where_there_are_enough() -> None:
    sampler = sampler_of(["a", "b", "c"])
    drawn = sampler.sample_fewshot_examples(3, 0, random.Random(0), document("q"))
    assert sorted(doc.query for doc in drawn) == ["a", "b", "c"]
    assert sampler.sample_fewshot_examples(0, 0, random.Random(0), document("q")) == []
    assert sampler_of([]).sample_fewshot_examples(0, 0) == []


@pytest.mark.parametrize(
    ("pool", "selection", "asked", "message"),
    [
        ("ab", "random_sampling_from_train", 3, r"t:eng\|3: split train of t_eng has only 2 .* Use \|2 or fewer"),
        ("ab", "random_sampling", 2, r"t:eng\|2: split train of t_eng has only 2 .* Use \|1 or fewer"),
        ("ab", "sequential", 9, r"has only 2 few-shot examples"),
        ("", "random_sampling_from_train", 1, r"there is no split train of t_eng .* Use \|0"),
        ("ab", "random_sampling_from_train", -1, r"t:eng\|-1: .* cannot be negative"),
    ],
)
def test_too_few_examples_are_an_error_of_one_line(pool: str, selection: str, asked: int, message: str) -> None:
    with pytest.raises(RunError, match=message):
        sampler_of(list(pool), selection).sample_fewshot_examples(asked, 0, random.Random(0), document("q"))


@pytest.mark.parametrize(("selection", "drawn"), [("random_sampling_from_train", "abc"), ("random_sampling", "ab")])
def test_a_bundled_sample_gives_the_examples_that_it_has(
    selection: str, drawn: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The tasks file asks for ten examples, as the paper does, and must run on the sample."""
    sampler = sampler_of(list("abc"), selection, origin="sample")
    for _ in range(2):
        examples = sampler.sample_fewshot_examples(10, 0, random.Random(0), document("q"))
        assert len(examples) == len(drawn)
    assert caplog.text.count(f"of the SAMPLE has only {len(drawn)} few-shot examples; all are shown") == 1


# Stop texts


def test_answers_to_own_tasks_end_at_the_first_stop_text() -> None:
    texts = ["a\nD: b\nU: c", "a\nU: b\nD: c", "no stop", ""]
    for task, expected in (("healthdial_x:eng|1", ["a", "a", "no stop", ""]), ("gsm8k|0", texts)):
        doc = document("q", task_name=task, stop_sequences=["\nD:", "\nU:"])
        responses = [ModelResponse(text=[text]) for text in texts]
        end_answers([doc] * 4, responses)
        assert [response.final_text[0] for response in responses] == expected
        assert [response.text[0] for response in responses] == texts


# Before the model loads


def test_a_folder_that_cannot_be_written_is_found_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    check_writable(EvaluationTracker(output_dir=str(tmp_path / "new")))
    assert list((tmp_path / "new").iterdir()) == []
    with pytest.raises(RunError, match=r"results cannot be written to .*file.*--output-dir"):
        check_writable(EvaluationTracker(output_dir=str(tmp_path / "file" / "new")))


def test_documents_that_make_no_table_are_found_at_the_start() -> None:
    check_storable("t|0", [document("a", specific={"x": 1}), document("b", specific={"x": 2})])
    with pytest.raises(RunError, match=r"the documents of t\|0 cannot be saved, a field has two types"):
        check_storable("t|0", [document("a", specific={"x": 1}), document("b", specific={"x": "2"})])


def test_cut_prompts_are_counted_by_task() -> None:
    docs = [document("a"), document("b"), document("c", task_name="u|0"), document("d", task_name="v|0")]
    responses = [ModelResponse(truncated_tokens_count=cut) for cut in (0, 7, 9, 0)]
    lines = cut_prompts(docs, responses)
    assert [line.split(" were")[0] for line in lines] == ["t|0: 1 of 2 prompts", "u|0: 1 of 1 prompts"]
    assert "up to 7 tokens" in lines[0]


# What is written


def tracker_of(folder: Path, specifics: dict[str, list[dict[str, Any]]], **settings: Any) -> EvaluationTracker:
    """Return a tracker at the end of a run with these documents for each task."""
    tracker = EvaluationTracker(output_dir=str(folder), **settings)
    tracker.general_config_logger.log_model_info(TransformersModelConfig(model_name="made/up"))
    for task, documents in specifics.items():
        for specific in documents:
            answer = ModelAnswer(text=["ก"], input_tokens=[1], truncated_tokens_count=2, finish_reasons=["stop"])
            tracker.details_logger.log(task, document("q", specific=specific), answer, {"m": [1.0]})
    tracker.details_logger.aggregate()
    return tracker


def test_results_and_other_details_survive_details_that_are_no_table(tmp_path: Path) -> None:
    tracker = tracker_of(tmp_path, {"bad|0": [{"x": 1}, {"x": "2"}], "good|0": [{"x": 1}]})
    with pytest.raises(RunError, match=r"the results are saved, these details are not: details_bad\|0.*answer cache"):
        tracker.save()
    (results,) = tmp_path.glob("results/made/up/*.json")
    assert "config_general" in json.loads(results.read_text())
    (details,) = tmp_path.glob("details/made/up/*/*.parquet")
    assert "good|0" in details.name
    (row,) = pq.read_table(details).to_pylist()
    assert row["model_response"]["finish_reasons"] == ["stop"]


def test_cut_prompts_are_in_the_results(tmp_path: Path) -> None:
    tracker = tracker_of(tmp_path, {"t|0": [{"x": 1}]})
    assert tracker.details_logger.compiled_details["t|0"].truncated == 1


def test_a_full_disk_leaves_no_half_file_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datasets import Dataset

    def full(self: Any, stream: Any) -> None:
        stream.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    tracker = tracker_of(tmp_path, {"t|0": [{"x": 1}]})
    monkeypatch.setattr(Dataset, "to_parquet", full)
    with pytest.raises(RunError, match=r"No space left on device: .*details_t\|0"):
        tracker.save()
    assert len(list(tmp_path.glob("results/**/*.json"))) == 1
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and "details" in str(file)]


def test_results_that_cannot_be_written_are_an_error_of_one_line(tmp_path: Path) -> None:
    tracker = tracker_of(tmp_path, {"t|0": [{"x": 1}]})
    (tmp_path / "results").write_text("a file where a folder should be")
    with pytest.raises(RunError, match=r"the results could not be written: .*answer cache"):
        tracker.save()


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    import fsspec

    files = WholeFiles(fsspec.filesystem("file"))
    target = tmp_path / "a.txt"
    with files.open(target, "w") as stream:
        stream.write("whole")
        assert not target.exists()
    assert target.read_text() == "whole"
    with files.open(target, "r") as stream:
        assert stream.read() == "whole"


def test_no_details_without_the_option(tmp_path: Path) -> None:
    tracker_of(tmp_path, {"bad|0": [{"x": 1}, {"x": "2"}]}, save_details=False).save()
    assert not list(tmp_path.glob("details/**/*.parquet"))


def test_secrets_are_not_written(tmp_path: Path) -> None:
    from lighteval.models.endpoints.litellm_model import LiteLLMModelConfig

    config = LiteLLMModelConfig(
        model_name="m", api_key="secret", base_url="https://me:word@host/v1", max_model_length=9
    )
    tracker = EvaluationTracker(output_dir=str(tmp_path))
    tracker.general_config_logger.log_model_info(config)
    written = tracker.results["config_general"]["model_config"]
    assert (written["api_key"], written["base_url"], written["max_model_length"]) == ("***", "https://***@host/v1", 9)
    assert config.api_key == "secret"


def test_averages_leave_out_what_a_subset_lacks() -> None:
    scores: dict[str, list[dict[str, float]]] = {
        "g:a|0": [{"m": 10.0, "only_a": 1.0}],
        "g:b|0": [{"m": 20.0}],
        "alone|0": [{"m": 60.0}],
    }
    logger = MetricsLogger()
    for task, (values,) in scores.items():
        logger.log(task, {"metric": values})
    aggregation = SimpleNamespace(aggregation=lambda: {"metric": lambda values: dict(values[0])})
    logger.aggregate(dict.fromkeys(scores, aggregation), bootstrap_iters=0)  # type: ignore[arg-type]
    assert logger.metric_aggregated["g:_average|0"] == {"m": 15.0}
    assert logger.metric_aggregated["g:b|0"] == {"m": 20.0}
    assert logger.metric_aggregated["all"] == {"m": 30.0, "only_a": 1.0}


# Imports without the network


def test_litellm_is_hidden_from_its_backend_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from lighteval.utils import imports

    seen: dict[str, bool] = {}

    def load(name: str) -> ModuleType:
        if name == "lighteval.utils.imports":
            return imports
        seen[name] = imports.is_package_available("litellm")
        return ModuleType(name)

    available = imports.is_package_available
    monkeypatch.setattr(offline.importlib, "import_module", load)
    offline.import_backend_without_litellm()
    assert seen.pop(offline.LITELLM_BACKEND) is False
    assert set(seen.values()) == {available("litellm")}
    assert imports.is_package_available is available
