"""The repairs of lighteval's local backends: transformers on a tiny model, vLLM with a stand-in."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from lighteval.models.model_output import ModelResponse
from lighteval.models.transformers.transformers_model import TransformersModel, TransformersModelConfig

from metrics.lighteval import ModelAnswer
from tasks.lighteval_fixes.response_cache import SAVE_EVERY_VARIABLE
from tasks.lighteval_fixes.transformers_backend import (
    answer_tokens,
    effective_cap,
    prompt_tokens_cut,
    stop_token_ids,
)
from tasks.lighteval_fixes.vllm_backend import told
from tests.stand_ins import document
from tests.tiny_model import CONTEXT, save_tiny_model

# One byte is one token of the tiny model; Thai characters have three bytes.
QUERIES = [f"q{index} " + "ก" * (3 * index) for index in range(16)]
CAP = 10


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("tiny"), end_bias=2)


def load(folder: Path, cache: Path, **settings: Any) -> TransformersModel:
    return TransformersModel(
        TransformersModelConfig(model_name=str(folder), device="cpu", cache_dir=str(cache), **settings)
    )


def answers(model: TransformersModel, queries: list[str] = QUERIES, **fields: Any) -> list[Any]:
    return model.greedy_until([document(query, **{"generation_size": CAP, **fields}) for query in queries])


@pytest.fixture(scope="module")
def one_by_one(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return answers(load(tiny, tmp_path_factory.mktemp("cache"), batch_size=1))


# transformers


def test_answers_are_those_of_greedy_decoding(tiny: Path, one_by_one: list[Any], tmp_path: Path) -> None:
    """Against `generate` alone; the checkpoint's own generation config would sample."""
    model = load(tiny, tmp_path)
    for query, answer in zip(QUERIES[:10], one_by_one, strict=False):
        ids = model.tokenizer(query, return_tensors="pt")["input_ids"]
        expected = model.model.generate(ids, do_sample=False, max_new_tokens=CAP)[0, ids.shape[1] :].tolist()
        assert answer.output_tokens == [expected]
        assert answer.input_tokens == ids[0].tolist()
        assert answer.text == [model.tokenizer.decode(expected, skip_special_tokens=True)]


def test_answers_end_for_both_reasons(one_by_one: list[Any]) -> None:
    for answer in one_by_one:
        stopped = answer.output_tokens[0][-1] in (1, 2)
        assert answer.finish_reasons == ["stop" if stopped else "length"]
    reasons = [answer.finish_reasons[0] for answer in one_by_one[:14]]
    assert {"stop", "length"} <= set(reasons)
    assert {tokens[-1] for tokens in (answer.output_tokens[0] for answer in one_by_one)} >= {1, 2}


@pytest.mark.parametrize(("batch_size", "chunk"), [(4, 100), (16, 100), (4, 3)])
def test_answers_do_not_depend_on_batches(
    tiny: Path, one_by_one: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_size: int, chunk: int
) -> None:
    """Prompts of 3 to 138 tokens, of which some leave no room for the whole cap, and two do not fit."""
    monkeypatch.setenv(SAVE_EVERY_VARIABLE, str(chunk))
    assert answers(load(tiny, tmp_path, batch_size=batch_size)) == one_by_one


def test_cut_prompts_are_counted_in_tokens(one_by_one: list[Any]) -> None:
    lengths = [len(query.encode()) for query in QUERIES]
    assert [answer.truncated_tokens_count for answer in one_by_one] == [max(0, n - CONTEXT) for n in lengths]
    assert [len(answer.output_tokens[0]) for answer in one_by_one if answer.truncated_tokens_count] == [1, 1]


def test_a_cap_in_the_arguments_caps_the_answer_and_not_the_prompt(tiny: Path, tmp_path: Path) -> None:
    model = load(tiny, tmp_path, batch_size=4, generation_parameters={"max_new_tokens": 5})
    for query, answer in zip(QUERIES[:10], answers(model, QUERIES[:10]), strict=True):
        assert len(answer.input_tokens) == len(query.encode())
        assert len(answer.output_tokens[0]) <= 5
        assert answer.truncated_tokens_count == 0
    assert model.generation_config_dict["max_new_tokens"] == 5


def test_a_text_of_fewer_characters_and_more_tokens_stays_whole(tiny: Path, tmp_path: Path) -> None:
    queries = ["x" * 40, "ก" * 30]
    found = answers(load(tiny, tmp_path, batch_size=2), queries, generation_size=2)
    assert [len(answer.input_tokens) for answer in found] == [40, 90]


def test_generation_sizes_are_given_back(tiny: Path, tmp_path: Path) -> None:
    docs = [document(query, generation_size=CAP) for query in QUERIES[-3:]]
    load(tiny, tmp_path, batch_size=4).greedy_until(docs)
    assert [doc.generation_size for doc in docs] == [CAP] * 3


def test_a_prompt_in_a_chat_template_is_counted_whole(tmp_path: Path) -> None:
    model = load(save_tiny_model(tmp_path / "chat", chat=True), tmp_path)
    (answer,) = answers(model, ["x" * CONTEXT])
    assert answer.truncated_tokens_count == len("[]")


def test_stop_texts_end_answers_of_models_without_a_template(
    tiny: Path, one_by_one: list[Any], tmp_path: Path
) -> None:
    index = next(i for i, answer in enumerate(one_by_one) if answer.finish_reasons == ["length"])
    stop = one_by_one[index].text[0][3]
    (answer,) = answers(load(tiny, tmp_path), [QUERIES[index]], stop_sequences=[stop])
    assert answer.finish_reasons == ["stop"]
    assert answer.text[0] == one_by_one[index].text[0].split(stop)[0]


def test_other_weights_in_the_same_folder_answer_anew(tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "model", seed=1)
    old = answers(load(folder, tmp_path / "cache"), QUERIES[:4])
    save_tiny_model(folder, seed=2)
    new = answers(load(folder, tmp_path / "cache"), QUERIES[:4])
    assert new == answers(load(folder, tmp_path / "fresh"), QUERIES[:4])
    assert new != old
    assert not list(folder.rglob("*.jsonl"))


def test_the_batch_size_on_a_cpu_is_one(tiny: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = load(tiny, tmp_path)
    assert model._get_batch_size(100, None) == model._get_batch_size(100, None) == 1
    assert model._get_batch_size(100, 7) == 7
    assert caplog.text.count("no batch_size given: 1 on a CPU") == 1


def test_a_batch_size_is_searched_for_what_is_needed(tiny: Path, tmp_path: Path) -> None:
    """On another device; the search starts at twice what the last one found, if that was for longer inputs."""
    model = load(tiny, tmp_path)
    tried: list[tuple[int, int]] = []

    def forward(batch: torch.Tensor) -> Any:
        tried.append(tuple(batch.shape))
        if len(batch) > 4:
            raise RuntimeError("CUDA out of memory.")
        return SimpleNamespace(logits=torch.zeros(1))

    model.model = forward
    model._device = "meta"
    model._longest_sequence = 30  # type: ignore[attr-defined]
    assert model._get_batch_size(100, None, 16) == 4
    assert tried == [(16, 30), (8, 30), (4, 30)]
    tried.clear()
    model._longest_sequence = 20  # type: ignore[attr-defined]
    assert model._get_batch_size(100, None, 512) == 4
    assert tried == [(8, 20), (4, 20)]


def test_the_small_rules() -> None:
    assert [effective_cap(tokens, 10, 100) for tokens in (50, 90, 95, 99, 100, 120)] == [10, 10, 5, 1, 1, 1]
    assert effective_cap(50, None, 100) is None
    assert [prompt_tokens_cut(tokens, 100) for tokens in (99, 100, 101, 105)] == [0, 1, 1, 5]
    assert stop_token_ids(SimpleNamespace(eos_token_id=1), SimpleNamespace(eos_token_id=[1, 2])) == {1, 2}
    assert stop_token_ids(SimpleNamespace(eos_token_id=None)) == frozenset()
    assert answer_tokens([5, 6, 1, 1, 1], frozenset({1})) == ([5, 6, 1], True)
    assert answer_tokens([5, 6], frozenset({1})) == ([5, 6], False)


# vLLM


def test_what_vllm_returned_is_compared_with_what_was_asked() -> None:
    """With a stand-in: one character is one token, 0 ends an answer."""
    model: Any = SimpleNamespace(
        prompt_manager=SimpleNamespace(prepare_prompt=lambda doc: doc.query),
        tokenizer=type("T", (), {"eos_token_id": 0, "__call__": lambda self, text, **_: {"input_ids": list(text)}})(),
        add_special_tokens=False,
        config=SimpleNamespace(generation_parameters=SimpleNamespace(max_new_tokens=None)),
    )
    response = ModelResponse(text=["a", "b", "c"], input_tokens=[1, 2], output_tokens=[(5, 6), (5, 0), (5,)])  # type: ignore[list-item]
    assert told(model, document("1234", generation_size=2), response) == ModelAnswer(
        text=["a", "b", "c"],
        input_tokens=[1, 2],
        output_tokens=[[5, 6], [5, 0], [5]],
        truncated_tokens_count=2,
        finish_reasons=["length", "stop", "stop"],
    )
