"""The threshold of the filtering baseline: best Exact Match, against a search through every threshold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lighteval.models.custom.custom_model import CustomModelConfig
from lighteval.tasks.lighteval_task import LightevalTask
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.schema import data_location
from healthdial.score_threshold import ScoredItem, best_threshold
from healthdial.systems.corpus import corpus_of
from healthdial.systems.sentence_encoder import SentenceEncoder
from healthdial.systems.threshold import ThresholdModel
from hub.errors import BenchError
from metrics.lighteval_dialogue import ranking_answer
from tasks.healthdial import COMPONENTS, task_config
from tests.healthdial_runs import write_run
from tests.tiny_encoder import save_tiny_encoder

pytest_plugins = ("tests.healthdial_text_sample",)

INFINITY = float("inf")


def exact_match(items: list[ScoredItem], threshold: float) -> float:
    """Exact Match of a threshold, 0-100, by its definition."""
    exact = [
        {one for one, score in zip(item.ids, item.scores, strict=True) if score > threshold} == set(item.gold)
        for item in items
    ]
    return 100 * sum(exact) / len(items)


@st.composite
def scored_items(draw: st.DrawFn) -> ScoredItem:
    scores = draw(st.lists(st.integers(0, 6), max_size=4))
    ids = "abcd"[: len(scores)]
    gold = draw(st.sets(st.sampled_from("abcdx"), max_size=3))
    return ScoredItem(ids, [float(score) for score in scores], gold)


@given(st.lists(scored_items(), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_no_threshold_is_better(items: list[ScoredItem]) -> None:
    found = best_threshold(items)
    # Scores are whole numbers: these thresholds give every set that any threshold gives.
    tried = [-INFINITY, *(step / 2 for step in range(-1, 14)), INFINITY]
    reached = {threshold: exact_match(items, threshold) for threshold in tried}
    assert found.exact_match == pytest.approx(max(reached.values()))
    assert exact_match(items, found.value) == pytest.approx(found.exact_match)
    # No worse ones lie between it and the highest of the best: it is in the highest stretch.
    best = max(reached.values())
    last = max(threshold for threshold, value in reached.items() if value == best)
    assert all(value == best for threshold, value in reached.items() if found.value <= threshold <= last)


@pytest.mark.parametrize(
    ("items", "threshold", "score"),
    [
        ([ScoredItem("abc", [9, 5, 1], {"a"}), ScoredItem("ab", [4, 2], set())], 7.0, 100.0),
        ([ScoredItem("ab", [9, 5], {"b"})], INFINITY, 0.0),
        ([ScoredItem("ab", [9, 5], {"a", "x"})], INFINITY, 0.0),
        ([ScoredItem("ab", [5, 5], {"a"})], INFINITY, 0.0),
        ([ScoredItem("ab", [9, 5], {"a", "b"})], -INFINITY, 100.0),
        ([ScoredItem("ab", [9, 5], set())], 9.0, 100.0),
        ([ScoredItem("", [], set())], -INFINITY, 100.0),
        # Equal: the higher stretch, 5 to 9, and not 1 to 3.
        ([ScoredItem("ab", [9, 5], {"a"}), ScoredItem("ab", [3, 1], {"a"})], 7.0, 50.0),
    ],
)
def test_worked(items: list[ScoredItem], threshold: float, score: float) -> None:
    found = best_threshold(items)
    assert (found.value, found.exact_match, found.items) == (threshold, score, len(items))


def test_no_items() -> None:
    with pytest.raises(ValueError, match="no items"):
        best_threshold([])


# The system, on candidates of a run


def filtering_docs() -> list[Doc]:
    config = task_config(COMPONENTS["filtering"], "eng")
    config.num_fewshots = 0
    return list(LightevalTask(config).get_docs())


def use_run(folder: Path, monkeypatch: pytest.MonkeyPatch, rankings: dict[str, list[str]]) -> None:
    made: dict[str, tuple[str, dict[str, Any]]] = {name: (ranking_answer(ids), {}) for name, ids in rankings.items()}
    monkeypatch.setenv("HEALTHDIAL_CANDIDATES_FROM", f"run:{write_run(folder, 'healthdial_retrieval', 'eng', made)}")


def rows(split: str) -> list[dict[str, Any]]:
    return BuiltData(data_location()).rows("filtering_eng", split)


def system(name: str) -> ThresholdModel:
    return ThresholdModel(CustomModelConfig(model_name=name, model_definition_file_path=__file__))


def test_candidates_of_a_run_need_an_encoder(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_run(tmp_path, monkeypatch, {row["query_id"]: row["candidate_ids"][:10] for row in rows("test")})
    with pytest.raises(BenchError, match="candidates of a run have no scores; name the text encoder"):
        system("threshold").answers(filtering_docs())


@pytest.mark.parametrize("of_run", [True, False])
def test_cosines_are_thresholded_as_the_paper_has_it(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_run: bool
) -> None:
    """Against cosines computed here; validation's candidates come the way that test's do."""
    pytest.importorskip("sentence_transformers")
    monkeypatch.setenv("HEALTHDIAL_CACHE", str(tmp_path / "cache"))
    encoder = SentenceEncoder.load(str(save_tiny_encoder(tmp_path / "tiny")))
    corpus = corpus_of("eng")
    snippets = encoder.documents(corpus.texts)

    def cosines(row: dict[str, Any]) -> dict[str, float]:
        return dict(zip(corpus.ids, (snippets @ encoder.queries([row["query"]])[0]).tolist(), strict=True))

    def candidates(row: dict[str, Any]) -> list[str]:
        found = cosines(row)
        ranked = sorted(found, key=lambda name: (-found[name], name)) if of_run else row["candidate_ids"]
        return list(ranked[:5])

    if of_run:
        use_run(tmp_path / "run", monkeypatch, {row["query_id"]: candidates(row) for row in rows("test")})
    # A random encoder finds no gold: let its best candidates be gold.
    validation = [
        {**row, "gold_snippet_ids": sorted(candidates(row), key=cosines(row).__getitem__)[-2:]}
        for row in rows("validation")
    ]
    tuned = best_threshold(
        [
            ScoredItem(candidates(row), [cosines(row)[one] for one in candidates(row)], row["gold_snippet_ids"])
            for row in validation
        ]
    )
    assert 0 < tuned.value < 1
    threshold = system(f"cosine={tmp_path / 'tiny'}")
    assert threshold.config.model_name == "cosine"
    docs = filtering_docs()
    original = BuiltData.rows
    monkeypatch.setattr(
        BuiltData,
        "rows",
        lambda self, config, split: validation if split == "validation" else original(self, config, split),
    )
    by_id = {row["query_id"]: row for row in rows("test")}
    answers = threshold.answers(docs)
    assert len(set(answers)) > 1
    for doc, answer in zip(docs, answers, strict=True):
        specific = doc.specific or {}
        row = by_id[specific["id"]]
        assert json.loads(specific["candidates"]) == candidates(row)
        found = [cosines(row)[one] for one in candidates(row)]
        assert json.loads(answer) == [str(at) for at, score in enumerate(found, start=1) if score > tuned.value]
