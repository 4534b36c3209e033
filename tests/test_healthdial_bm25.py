"""BM25 on a sparse matrix against rank_bm25, the library whose numbers the paper's retriever has."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

import healthdial.bm25
from healthdial.bm25 import BM25Index

CORPUS = [
    "malaria is spread by mosquitoes",
    "measles is spread by droplets and is very contagious",
    "is a vaccine against measles safe",
    "",
    "is yaws curable",
]
"""``is`` stands in four of five documents: its idf is negative before the floor."""

words = st.sampled_from(["a", "b", "c", "d", "e", "f", "g"])
texts = st.lists(words, max_size=12).map(" ".join)
filled_texts = st.lists(words, min_size=1, max_size=12).map(" ".join)


def reference_scores(documents: list[str], queries: list[str]) -> np.ndarray:
    index = BM25Okapi([document.split() for document in documents])
    return np.array([index.get_scores(query.split()) for query in queries])


@settings(deadline=None)
@given(st.lists(texts, max_size=8), filled_texts, st.lists(texts, min_size=1, max_size=4))
def test_scores_and_ranking_equal_rank_bm25(documents: list[str], last: str, queries: list[str]) -> None:
    documents = [*documents, last]
    index = BM25Index.build(documents, str.split)
    expected = reference_scores(documents, queries)
    assert index.scores(queries) == pytest.approx(expected, rel=0, abs=1e-9)
    indices, scores = index.top(queries, len(documents))
    # Python's sort is stable: equal scores stay in the order of the corpus.
    ranking = [sorted(range(len(documents)), key=lambda i, row=row: -row[i]) for row in expected]
    assert indices.tolist() == ranking
    assert scores == pytest.approx(np.take_along_axis(expected, np.array(ranking), axis=1), rel=0, abs=1e-9)


def test_scores_equal_rank_bm25_to_the_last_bit() -> None:
    generator = np.random.default_rng(7)
    words = [f"w{i}" for i in range(300)]
    weights = 1 / np.arange(1, 301)

    def text(length: int) -> str:
        return " ".join(generator.choice(words, size=length, p=weights / weights.sum()))

    documents = [text(int(generator.integers(1, 60))) for _ in range(200)]
    queries = [text(80) for _ in range(10)]
    assert np.array_equal(BM25Index.build(documents, str.split).scores(queries), reference_scores(documents, queries))


def test_worked_value() -> None:
    # By hand: N = 3, mean length 2; "x" in 1 of 3, twice in a document of 3 tokens.
    index = BM25Index.build(["x x y", "y z", "z"], str.split)
    idf = math.log(3 - 1 + 0.5) - math.log(1 + 0.5)
    expected = idf * 2 * 2.5 / (2 + 1.5 * (1 - 0.75 + 0.75 * 3 / 2))
    assert index.scores(["x"]).tolist() == [[pytest.approx(expected, abs=1e-12), 0.0, 0.0]]


def test_parameters_are_those_of_rank_bm25() -> None:
    reference = BM25Okapi([document.split() for document in CORPUS], k1=0.9, b=0.4, epsilon=0.1)
    index = BM25Index.build(CORPUS, str.split, k1=0.9, b=0.4, epsilon=0.1)
    query = "is measles contagious"
    assert index.scores([query])[0] == pytest.approx(reference.get_scores(query.split()), rel=0, abs=1e-9)


def test_a_term_in_most_documents_gets_a_share_of_the_mean_idf() -> None:
    score = BM25Index.build(CORPUS, str.split).scores(["is"])[0]
    assert score == pytest.approx(reference_scores(CORPUS, ["is"])[0], rel=0, abs=1e-9)
    assert score[0] > 0


def test_a_repeated_query_term_counts_as_often_as_it_occurs() -> None:
    once, twice = BM25Index.build(CORPUS, str.split).scores(["measles", "measles measles"])
    assert twice == pytest.approx(2 * once)
    assert once[1] > 0


def test_equal_scores_stand_in_the_order_of_the_corpus() -> None:
    indices, scores = BM25Index.build(["b", "a c", "a c", "d", "c a", "e", "f", "g"], str.split).top(["a"], 5)
    assert indices.tolist() == [[1, 2, 4, 0, 3]]
    assert scores[0, 0] == scores[0, 1] == scores[0, 2] > scores[0, 3] == 0


@pytest.mark.parametrize("query", ["", "   ", "unheard of"])
def test_a_query_without_a_known_term_gets_the_first_documents(query: str) -> None:
    index = BM25Index.build(CORPUS, str.split)
    assert index.scores([query]).tolist() == [[0.0] * 5]
    indices, scores = index.top([query], 3)
    assert (indices.tolist(), scores.tolist()) == ([[0, 1, 2]], [[0.0] * 3])


def test_an_empty_document_scores_nothing_and_counts_in_the_corpus() -> None:
    assert BM25Index.build(CORPUS, str.split).scores(["measles is spread"])[0, 3] == 0


@pytest.mark.parametrize(("n", "width"), [(0, 0), (2, 2), (5, 5), (50, 5)])
def test_n_beyond_the_corpus_ranks_it_as_a_whole(n: int, width: int) -> None:
    indices, scores = BM25Index.build(CORPUS, str.split).top(["measles", ""], n)
    assert indices.shape == scores.shape == (2, width)
    assert indices[0, :1].tolist() == [2][:width]


def test_a_negative_n_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        BM25Index.build(CORPUS, str.split).top(["measles"], -1)


@pytest.mark.parametrize("documents", [[], [""], ["", ""]])
def test_a_corpus_without_terms_scores_zero(documents: list[str]) -> None:
    index = BM25Index.build(documents, str.split)
    assert index.scores(["measles", ""]).tolist() == [[0.0] * len(documents)] * 2
    assert index.top(["measles"], 5)[0].tolist() == [list(range(len(documents)))]


def test_no_queries() -> None:
    index = BM25Index.build(CORPUS, str.split)
    assert index.scores([]).shape == (0, 5)
    assert [part.shape for part in index.top([], 3)] == [(0, 3), (0, 3)]


@pytest.mark.parametrize("cells", [1, 5, 11])
def test_batches_change_nothing(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = ["measles", "", "is yaws curable", "spread by droplets", "is is"]
    index = BM25Index.build(CORPUS, str.split)
    whole, (indices, scores) = index.scores(queries), index.top(queries, 3)
    widths = []
    one_batch = BM25Index._batch_scores

    def counting(self: BM25Index, batch: list[str]) -> np.ndarray:
        widths.append(len(batch))
        return one_batch(self, batch)

    monkeypatch.setattr(healthdial.bm25, "CELLS_PER_BATCH", cells)
    monkeypatch.setattr(BM25Index, "_batch_scores", counting)
    assert np.array_equal(index.scores(queries), whole)
    assert all(map(np.array_equal, index.top(queries, 3), (indices, scores)))
    assert max(widths) == max(1, cells // 5)
