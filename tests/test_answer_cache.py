"""The answer cache: its keys, its file, and what a second run asks again."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from lighteval.models.model_output import ModelResponse
from lighteval.models.transformers.transformers_model import TransformersModelConfig

from metrics.lighteval import ModelAnswer
from tasks.errors import RunError
from tasks.lighteval_fixes import fingerprints
from tasks.lighteval_fixes.answer_store import AnswerStore, store_folder
from tasks.lighteval_fixes.fingerprints import digest, document_key, model_description
from tasks.lighteval_fixes.response_cache import SAVE_EVERY_VARIABLE, plain, restored, save_every
from tests.stand_ins import CountingModel, document


def model_key(config: Any, model: Any = None) -> str:
    return digest(model_description(config, model))


# What is asked again


def test_answers_are_asked_once_and_come_back_equal(tmp_path: Path) -> None:
    first, second = CountingModel(tmp_path), CountingModel(tmp_path)
    assert first.texts("a", "b", "a") == second.texts("a", "b", "a") == ["A", "B", "A"]
    assert sorted(first.asked) == ["a", "b"]
    assert second.asked == []


def test_only_an_edited_prompt_is_asked_again(tmp_path: Path) -> None:
    CountingModel(tmp_path).texts("a", "b")
    second = CountingModel(tmp_path)
    assert second.texts("a", "b, edited") == ["A", "B, EDITED"]
    assert second.asked == ["b, edited"]


def test_another_name_or_sources_of_answers_ask_again(tmp_path: Path) -> None:
    CountingModel(tmp_path).texts("a")
    other = CountingModel(tmp_path, model_name="other")
    other.texts("a")
    replay = CountingModel(tmp_path)
    replay.answers_fingerprint = "the saved outputs, version 2"  # type: ignore[attr-defined]
    replay.texts("a")
    assert other.asked == replay.asked == ["a"]


def test_an_interrupted_run_keeps_its_finished_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SAVE_EVERY_VARIABLE, "2")
    first = CountingModel(tmp_path, stop_at=3)
    with pytest.raises(KeyboardInterrupt):
        first.texts("aaaaa", "b", "ccc", "dddd", "ee")
    assert first.calls == [["aaaaa", "dddd"], ["ccc", "ee"], ["b"]]
    second = CountingModel(tmp_path)
    assert second.texts("aaaaa", "b", "ccc", "dddd", "ee") == ["AAAAA", "B", "CCC", "DDDD", "EE"]
    assert second.asked == ["b"]


def test_documents_with_images_are_not_kept(tmp_path: Path) -> None:
    model = CountingModel(tmp_path)
    docs = [document("a", images=["picture"]), document("a", images=["other picture"])]
    assert [response.text for response in model.greedy_until(docs)] == [["A"], ["A"]]
    assert model.calls == [["a", "a"]]
    model.greedy_until(docs)
    assert len(model.calls) == 2


def test_methods_have_answers_of_their_own(tmp_path: Path) -> None:
    model = CountingModel(tmp_path)
    model.texts("a")
    for choices in (["x", "yy"], ["x", "zzz"]):
        (response,) = model.loglikelihood([document("a", choices=choices)])
        assert response.logprobs == [-1.0, -float(len(choices[1]))]


def test_coroutines_are_left_alone(tmp_path: Path) -> None:
    assert asyncio.run(CountingModel(tmp_path).later([document("a")])) == 1


def test_a_cache_that_cannot_be_written_stops_no_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    assert CountingModel(tmp_path / "file").texts("a") == ["A"]
    assert "cache_dir=..." in caplog.text


@pytest.mark.parametrize("text", ["0", "-3", "ten", "1.5", ""])
def test_the_chunk_size_is_checked(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SAVE_EVERY_VARIABLE, text)
    with pytest.raises(RunError, match=f"{SAVE_EVERY_VARIABLE} must be a positive whole number"):
        save_every()


def test_the_plain_form_holds_everything() -> None:
    response = ModelResponse(text=["ก\ud800"], output_tokens=[torch.tensor([1, 2])], logprobs=[0.1])  # type: ignore[list-item]
    again = restored(json.loads(json.dumps(plain(response))))
    assert again == ModelResponse(text=["ก\ud800"], output_tokens=[[1, 2]], logprobs=[0.1])
    answer = ModelAnswer(text=["ก"], finish_reasons=["length"], truncated_tokens_count=3)
    assert restored(plain(answer)) == answer


# The file


def test_a_torn_line_is_skipped_and_does_not_spoil_the_next(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    AnswerStore(tmp_path, {}).append({"a": {"text": ["ก"]}, "b": {"text": ["ข\ud800"]}})
    file = tmp_path / "answers.jsonl"
    file.write_bytes(file.read_bytes()[:-5])
    torn = AnswerStore(tmp_path, {})
    assert torn.select(["a", "b"]) == {"a": {"text": ["ก"]}}
    assert "1 unfinished line(s)" in caplog.text
    torn.append({"b": {"text": ["ข\ud800"]}})
    assert AnswerStore(tmp_path, {}).select(["a", "b"]) == {"a": {"text": ["ก"]}, "b": {"text": ["ข\ud800"]}}


def test_the_first_answer_to_a_document_stays(tmp_path: Path) -> None:
    one, two = AnswerStore(tmp_path, {}), AnswerStore(tmp_path, {})
    one.append({"a": {"text": ["1"]}})
    two.append({"a": {"text": ["2"]}, "b": {"text": ["2"]}})
    assert AnswerStore(tmp_path, {}).select(["a", "b", 7]) == {"a": {"text": ["1"]}, "b": {"text": ["2"]}}


def test_the_store_is_inside_the_cache_folder(tmp_path: Path) -> None:
    for name in ("/models/llama", "../llama", "org/llama", "~/llama"):
        folder = store_folder(str(tmp_path), name, "0123456789abcdef0123")
        assert folder.parent == tmp_path / "thai_dialect_bench"
        assert folder.name.endswith("llama-0123456789abcdef")


# The keys


def test_a_document_key_depends_on_the_request_alone() -> None:
    key = document_key(document("q"), "GENERATIVE")
    assert key == document_key(document("q", task_name="other|0", choices=["gold"], id="7"), "GENERATIVE")
    shot = document("shot", choices=["gold"])
    changes: list[dict[str, Any]] = [
        {"instruction": "i"},
        {"generation_size": 9},
        {"stop_sequences": ["."]},
        {"num_samples": 2},
        {"use_logits": True},
        {"fewshot_samples": [shot]},
        {"fewshot_samples": [document("shot", choices=["other gold"])]},
    ]
    keys = [document_key(document("q", **change), "GENERATIVE") for change in changes]
    keys += [document_key(document("q", choices=choices), "LOGPROBS") for choices in (["a"], ["b"])]
    assert len({key, *keys}) == 1 + len(changes) + 2


def local_config(folder: Path, **settings: Any) -> TransformersModelConfig:
    return TransformersModelConfig(model_name=str(folder), **settings)


def test_a_model_key_depends_on_the_files_here(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    key = model_key(local_config(tmp_path))
    os.utime(tmp_path / "model.safetensors", (0, 0))
    (tmp_path / ".hidden").write_text("")
    (tmp_path / "checkpoint-5").mkdir()
    (tmp_path / "checkpoint-5" / "model.safetensors").write_bytes(b"older")
    assert model_key(local_config(tmp_path)) == key
    (tmp_path / "model.safetensors").write_bytes(b"Weights")
    other_weights = model_key(local_config(tmp_path))
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    other_template = model_key(local_config(tmp_path))
    assert len({key, other_weights, other_template}) == 3


def test_a_large_file_is_known_by_samples_and_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "WHOLE_FILE_BYTES", 1000)
    monkeypatch.setattr(fingerprints, "SAMPLE_BYTES", 10)
    file = tmp_path / "model.safetensors"
    file.write_bytes(bytes(4000))
    os.utime(file, ns=(0, 0))
    first = fingerprints.file_fingerprint(file)
    file.write_bytes(bytes(3999) + b"x")
    os.utime(file, ns=(0, 0))
    last_byte = fingerprints.file_fingerprint(file)
    os.utime(file, ns=(1, 1))
    assert first != last_byte != fingerprints.file_fingerprint(file)


def test_a_hub_model_is_known_by_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    config = TransformersModelConfig(model_name="org/model", tokenizer="org/absent")
    repository = tmp_path / "models--org--model"
    for commit in ("a" * 40, "b" * 40):
        snapshot = repository / "snapshots" / commit
        snapshot.mkdir(parents=True)
        (snapshot / "config.json").write_text("{}")
        (repository / "refs").mkdir(exist_ok=True)
        (repository / "refs" / "main").write_text(commit)
        assert model_description(config)["files"] == {"model_name": commit, "tokenizer": ""}


def endpoint_config(**settings: Any) -> Any:
    # Imported here: it must come after the repairs, which keep its import from the network.
    from lighteval.models.endpoints.litellm_model import LiteLLMModelConfig

    return LiteLLMModelConfig(**settings)


def test_settings_count_and_secrets_do_not() -> None:
    def key(**settings: Any) -> str:
        return model_key(endpoint_config(model_name="openai/x", **settings))

    assert key() == key(api_key="secret", cache_dir="/elsewhere", timeout=3, concurrent_requests=2)
    assert key() != key(system_prompt="Be brief.")
    assert key() != key(generation_parameters={"temperature": 0.5})
    assert key() != key(base_url="http://localhost:1/v1")
    description = json.dumps(
        model_description(endpoint_config(model_name="x", api_key="secret", base_url="http://me:word@host/v1"))
    )
    assert "secret" not in description
    assert "word" not in description


def test_the_versions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    config = endpoint_config(model_name="openai/x")
    assert model_description(config)["versions"].keys() == {"lighteval", "transformers"}
    before = model_key(config)
    monkeypatch.setattr(fingerprints, "version", lambda _: "0.0.1")
    assert model_key(config) != before
    engine = type("VLLMModelConfig", (SimpleNamespace,), {"model_dump": lambda self: {}})()
    assert "vllm" in model_description(engine)["versions"]
