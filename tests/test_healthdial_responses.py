"""Response generation as a task on the bundled sample: its documents, metrics, snippets of runs, and its floor."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.prompt_manager import PromptManager
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.languages import LANGUAGES
from healthdial.systems.replies import REFUSALS, lead_reply
from hub.location import DataLocation
from metrics.lighteval_dialogue import ranking_answer
from tasks.errors import RunError
from tasks.healthdial import COMPONENTS, task_config
from tasks.healthdial_responses import responses
from tasks.healthdial_snippets import SNIPPETS_VARIABLE
from tasks.lighteval_fixes.stop_texts import end_answers
from tests.conftest import REPOSITORY
from tests.healthdial_runs import run_tasks, write_run
from tests.tiny_model import save_tiny_model

pytest_plugins = ("tests.healthdial_text_sample",)

# The floor


def test_the_lead_is_the_first_sentence_of_the_first_snippet() -> None:
    assert lead_reply(["Drink water. Rest.", "Eat."], "eng") == "Drink water."
    assert lead_reply(["38.5"], "eng") == "38.5"
    assert lead_reply([], "spa") == REFUSALS["spa"]


# The task


def documents(language: str = "eng", few_shot: int = 0) -> list[Doc]:
    config = task_config(COMPONENTS["response_generation"], language)
    config.num_fewshots = few_shot
    config.full_name = f"{config.name}|{few_shot}"
    return list(LightevalTask(config).get_docs())


def by_id(docs: list[Doc]) -> dict[str, Doc]:
    return {(doc.specific or {})["id"]: doc for doc in docs}


def scores(docs: list[Doc], answers: list[str], language: str = "eng") -> dict[str, float]:
    """Return what lighteval's tables hold."""
    found: dict[str, float] = {}
    for metric in responses(language):
        vectors = [
            metric.compute_sample(doc=doc, model_response=ModelResponse(text=[answer]))[metric.metric_name]
            for doc, answer in zip(docs, answers, strict=True)
        ]
        found |= metric.get_corpus_aggregations()[metric.metric_name](vectors)
    return found


def test_documents_are_all_answers_with_history_and_gold(texts: Path) -> None:
    docs = by_id(documents())
    assert len(docs) == 12
    assert all(not name.endswith("s00") for name in docs)
    doc = docs["eng-0027-s08"]
    specific = doc.specific or {}
    assert len(json.loads(specific["snippets"])) == len(json.loads(specific["gold"])) == 2
    assert "user: No worries." in doc.query
    assert doc.choices[0] not in doc.query
    assert {type(value) for name, value in specific.items() if name != "has_reference"} == {str}
    assert (docs["eng-0027-s06"].specific or {})["out_of_knowledge"] == "true"


def test_the_references_score_as_they_should(texts: Path) -> None:
    docs = documents()
    found = scores(docs, [doc.choices[0] for doc in docs])
    assert found["bleu"] == found["chrf"] == found["rouge_l"] == pytest.approx(100)
    assert (found["refusal_rate"], found["false_refusal_rate"]) == (100, 0)
    assert 80 < found["lexical_support"] <= 100
    silent = scores(docs, [""] * len(docs))
    assert silent["bleu"] == silent["rouge_l"] == silent["refusal_rate"] == silent["lexical_support_answers"] == 0
    assert "lexical_support" not in silent


def test_without_snippets_there_is_no_support_to_measure(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SNIPPETS_VARIABLE, "none")
    docs = documents()
    assert {(doc.specific or {})["snippets"] for doc in docs} == {"[]"}
    found = scores(docs, [doc.choices[0] for doc in docs])
    assert "lexical_support" not in found
    assert found["refusal_rate"] == 100


def test_snippets_of_a_retrieval_run(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = BuiltData(DataLocation(str(texts)))
    contents = {row["snippet_id"]: row["content"] for row in data.rows("snippets_eng", "corpus")}
    first = sorted(contents)[:7]
    queries = [row["query_id"] for row in data.rows("retrieval_eng", "test")]
    answers = {query: (ranking_answer(first), {}) for query in queries}
    write_run(tmp_path / "run", "healthdial_retrieval", "eng", answers)
    monkeypatch.setenv(SNIPPETS_VARIABLE, f"run:{tmp_path / 'run'}")
    docs = by_id(documents())
    assert json.loads((docs["eng-0027-s02"].specific or {})["snippets"]) == [contents[one] for one in first[:5]]
    assert len(json.loads((docs["eng-0027-s06"].specific or {})["snippets"])) == 5, "an OOK turn has what was found"
    assert len(docs) == 12

    examples = [one for doc in documents(few_shot=3) for one in doc.fewshot_samples]
    assert {(one.specific or {})["snippets_from"] for one in examples} == {"gold"}
    for one in examples:
        gold = json.loads((one.specific or {})["gold"])
        assert json.loads((one.specific or {})["snippets"]) == [contents[name] for name in gold]

    answers.pop(queries[0])
    write_run(tmp_path / "partial", "healthdial_retrieval", "eng", answers)
    monkeypatch.setenv(SNIPPETS_VARIABLE, f"run:{tmp_path / 'partial'}")
    with pytest.raises(RunError, match=rf"has no answer for {queries[0]}"):
        documents()


def test_snippets_of_a_filtering_run(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = BuiltData(DataLocation(str(texts))).rows("filtering_eng", "test")
    answers = {
        row["query_id"]: (
            "[]" if row["out_of_knowledge"] else "[2]",
            {"shown": json.dumps(["1", "2"]), "candidates": json.dumps(row["candidate_ids"][:2])},
        )
        for row in rows
    }
    write_run(tmp_path, "healthdial_filtering", "eng", answers)
    monkeypatch.setenv(SNIPPETS_VARIABLE, f"run:{tmp_path}")
    docs = by_id(documents())
    assert len(docs) == 12
    for row in rows:
        answer_id = f"{row['dialogue_id']}-s{row['turn_index'] + 1:02d}"
        found = json.loads((docs[answer_id].specific or {})["snippets"])
        assert len(found) == (0 if row["out_of_knowledge"] else 1)


def test_without_snippets_examples_have_none_either(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SNIPPETS_VARIABLE, "none")
    for one in (one for doc in documents(few_shot=2) for one in doc.fewshot_samples):
        assert "Snippets:\nnone\n" in one.query


@pytest.mark.parametrize("few_shot", [0, 2])
def test_an_answer_that_echoes_the_prompt_ends_before_it(texts: Path, few_shot: int) -> None:
    """Whatever comes next in the prompt's shape is cut: the dialogue that goes on, or one more example."""
    doc = documents(few_shot=few_shot)[0]
    prompt = PromptManager().prepare_prompt(doc)
    shape = prompt[len(doc.instruction or "") :].strip()
    assert shape.startswith("Snippets:")
    responses = [
        ModelResponse(text=[f"Drink water.\n\n{shape} Rest."]),
        ModelResponse(text=["Drink water.\nuser: And then?\nassistant: Rest."]),
        ModelResponse(text=["<think>\nuser: asked</think>Drink water."], text_post_processed=["Drink water."]),
        ModelResponse(text=["Snippets help: drink water."]),
    ]
    end_answers([doc] * 4, responses)
    assert [response.final_text[0].strip() for response in responses] == [
        *["Drink water."] * 3,
        "Snippets help: drink water.",
    ]
    assert "Rest." in responses[0].text[0], "what the model wrote stays in the details"


@pytest.mark.parametrize("value", ["silver", "run:", "run:/nowhere"])
def test_wrong_sources_are_refused(texts: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(SNIPPETS_VARIABLE, value)
    with pytest.raises(RunError, match=SNIPPETS_VARIABLE):
        documents()


def test_the_floor_runs_in_every_language(built_texts: Path, tmp_path: Path) -> None:
    model = REPOSITORY / "healthdial" / "systems" / "snippet_lead.py"
    arguments = ["custom", "snippet-lead", str(model), "healthdial_response_generation|0"]
    found = run_tasks(tmp_path, built_texts, arguments)["results"]
    for language in LANGUAGES:
        result = found[f"healthdial_response_generation:{language}|0"]
        assert (result["refusal_rate"], result["false_refusal_rate"], result["lexical_support"]) == (100, 0, 100)
        assert 10 < result["bleu"] < 40
        assert result["bleu_stderr"] > 0


def test_a_language_model_runs(built_texts: Path, tmp_path: Path) -> None:
    save_tiny_model(tmp_path / "tiny", end_bias=2)
    model = f"model_name={tmp_path / 'tiny'},batch_size=4,generation_parameters={{max_new_tokens:8}}"
    found = run_tasks(tmp_path, built_texts, ["accelerate", model, "healthdial_response_generation:eng|0"])
    result = found["results"]["healthdial_response_generation:eng|0"]
    assert result["bleu"] == result["refusal_rate"] == 0
    assert 0 <= result["chrf"] < 20
    (details,) = (tmp_path / "out").glob("details/**/*.parquet")
    assert pq.read_table(details).num_rows == 12


ECHO = """
from metrics import lighteval_models as base


class Echo(base.AnsweringModel):
    def answers(self, docs):
        return [f"{doc.choices[0]}\\n\\nSnippets:\\n- Sleep: Rest.\\n\\nuser: Hi.\\nassistant: Rest." for doc in docs]
"""


def test_a_model_that_goes_on_with_an_example_is_scored_up_to_it(built_texts: Path, tmp_path: Path) -> None:
    """Through the command line, with a custom model, to which no stop text is sent."""
    (tmp_path / "echo.py").write_text(ECHO, encoding="utf-8")
    arguments = ["custom", "echo", str(tmp_path / "echo.py"), "healthdial_response_generation:eng|2"]
    result = run_tasks(tmp_path, built_texts, arguments)["results"]["healthdial_response_generation:eng|2"]
    assert result["bleu"] == pytest.approx(100)
    (details,) = (tmp_path / "out").glob("details/**/*.parquet")
    (answer, *_) = pq.read_table(details).to_pylist()
    assert "Snippets:" in answer["model_response"]["text"][0]
    assert "Snippets:" not in answer["model_response"]["text_post_processed"][0]
    assert {one["specific"]["snippets_from"] for one in answer["doc"]["fewshot_samples"]} == {"gold"}
