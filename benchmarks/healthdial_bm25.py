"""Text retrieval at the size of a language's test split: BM25 here against rank_bm25, and dense search.

The texts are made up: words drawn by Zipf's law, 180 a snippet and 10 to 500 a query, as histories of 1 to 15
utterances have them. rank_bm25 gets the first queries only; its time is scaled to all of them.
Run: ``python -m benchmarks.healthdial_bm25 [--queries 7000] [--snippets 1618] [--reference-queries 200]``.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import numpy as np
import rank_bm25
import typer
from numpy.typing import NDArray

from benchmarks.machine import machine
from healthdial.bm25 import BM25Index
from healthdial.systems.corpus import Corpus
from healthdial.systems.vector_index import VectorIndex

RETRIEVED = 10
DIMENSIONS = 384
"""Of the vectors of multilingual-e5-small and of the paper's MiniLM."""


def made_up_texts(snippets: int, queries: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return snippets and queries."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array([f"word{number}" for number in range(20_000)])
    weights = 1 / np.arange(1, len(vocabulary) + 1)
    lengths = np.concatenate([rng.integers(60, 300, snippets), rng.integers(10, 500, queries)])
    words = rng.choice(vocabulary, lengths.sum(), p=weights / weights.sum())
    texts = [" ".join(part) for part in np.split(words, np.cumsum(lengths)[:-1])]
    return texts[:snippets], texts[snippets:]


def processor_time(way: Callable[[], NDArray[np.int64]]) -> tuple[float, NDArray[np.int64]]:
    """Return the processor time of one call and what it returned."""
    start = time.process_time()
    result = way()
    return time.process_time() - start, result


def rank_bm25_way(snippets: list[str], queries: list[str]) -> NDArray[np.int64]:
    """Return the best snippets by rank_bm25, equal ones in the order of the corpus."""
    index = rank_bm25.BM25Okapi([text.split() for text in snippets])
    return np.array([np.argsort(-index.get_scores(text.split()), kind="stable")[:RETRIEVED] for text in queries])


def our_way(snippets: list[str], queries: list[str]) -> NDArray[np.int64]:
    """Return the best snippets by this project, equal ones in the order of the corpus."""
    best, _ = BM25Index.build(snippets, str.split).top(queries, RETRIEVED)
    return best


def peak_megabytes(way: Callable[[], object]) -> float:
    """Return the most memory that Python and numpy hold for a call, besides what they held before."""
    tracemalloc.start()
    way()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6


def main(
    queries: Annotated[int, typer.Option(help="Number of queries.", min=1)] = 7_000,
    snippets: Annotated[int, typer.Option(help="Number of snippets.", min=RETRIEVED)] = 1_618,
    reference_queries: Annotated[int, typer.Option(help="Queries that rank_bm25 gets.", min=1)] = 200,
) -> None:
    """Print the processor times of both ways, their ratio, whether they agree, and dense search's time and memory."""
    documents, asked = made_up_texts(snippets, queries)
    some = asked[:reference_queries]
    seconds, best = processor_time(lambda: our_way(documents, asked))
    index_seconds, _ = processor_time(lambda: rank_bm25_way(documents, []))
    reference, expected = processor_time(lambda: rank_bm25_way(documents, some))
    scaled = index_seconds + (reference - index_seconds) * len(asked) / len(some)
    agree = np.array_equal(best[: len(some)], expected)

    rng = np.random.default_rng(0)
    vectors, query_vectors = (rng.normal(size=(n, DIMENSIONS)).astype(np.float32) for n in (snippets, queries))
    identifiers = tuple(f"{number:05}" for number in range(snippets))
    dense = VectorIndex.build(Corpus(identifiers, identifiers), lambda _: vectors)
    dense_seconds, _ = processor_time(lambda: np.array(dense.top(query_vectors, RETRIEVED), dtype=np.int64))

    print(f"{machine()}, rank_bm25 {version('rank-bm25')}, numpy {np.__version__}")
    words = sum(len(text.split()) for text in asked) / queries
    print(f"top {RETRIEVED} of {snippets} snippets for {queries} queries of {words:.0f} words, index and queries")
    print(f"rank_bm25     {scaled:8.1f} s   {scaled / seconds:.0f} times ours; scaled from {len(some)} queries")
    print(f"this project  {seconds:8.1f} s   {peak_megabytes(lambda: our_way(documents, asked)):.0f} MB")
    print(f"rankings of the {len(some)} queries {'are identical' if agree else 'DIFFER'}")
    memory = peak_megabytes(lambda: dense.top(query_vectors, RETRIEVED))
    print(f"dense search  {dense_seconds:8.1f} s   {memory:.0f} MB, vectors of {DIMENSIONS} numbers given")


if __name__ == "__main__":
    typer.run(main)
