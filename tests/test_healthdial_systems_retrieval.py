"""HealthDial's text retrievers: BM25 as rank_bm25, dense retrieval without the faults of the authors' scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jieba
import numpy as np
import pyarrow.parquet as pq
import pytest
import rank_bm25
from numpy.typing import NDArray

from healthdial.languages import LANGUAGES
from healthdial.systems.bm25_retriever import Bm25Retriever
from healthdial.systems.chinese_bigrams import bigrams
from healthdial.systems.corpus import Corpus, corpus_of
from healthdial.systems.dense_retriever import DenseRetriever
from healthdial.systems.sentence_encoder import SentenceEncoder
from healthdial.systems.text_prefixes import PREFIXES, Prefixes, prefixes_of
from healthdial.systems.vector_cache import VectorCache
from healthdial.systems.vector_index import VectorIndex
from hub.errors import BenchError
from tests.conftest import REPOSITORY
from tests.healthdial_retrieval_case import built_sample, documents, rankings
from tests.tiny_encoder import LONGEST, save_tiny_encoder

__all__ = ["built_sample"]

pytest.importorskip("sentence_transformers")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random encoder."""
    return save_tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@pytest.fixture(scope="module")
def encoder(tiny: Path) -> SentenceEncoder:
    return SentenceEncoder.load(str(tiny), prefixes="e5")


def ranked_by_rank_bm25(language: str, cut: Any) -> list[list[str]]:
    corpus = corpus_of(language)
    index = rank_bm25.BM25Okapi([cut(text.lower()) for text in corpus.texts])
    scores = [index.get_scores(cut(doc.query.lower())) for doc in documents(language)]
    return [[corpus.ids[best] for best in np.argsort(-one, kind="stable")[:10]] for one in scores]


@pytest.mark.parametrize("language", LANGUAGES)
def test_bm25_ranks_as_rank_bm25(built_sample: Path, language: str) -> None:
    expected = ranked_by_rank_bm25(language, jieba.lcut if language == "zho" else str.split)
    assert rankings("bm25", "bm25", documents(language)) == expected


def test_bm25_on_pairs_of_chinese_characters(built_sample: Path) -> None:
    found = rankings("bm25", "bm25-bigrams=bigrams", documents("zho"))
    assert found == ranked_by_rank_bm25("zho", bigrams)
    assert found != rankings("bm25", "bm25", documents("zho"))


def test_pairs_change_other_languages_by_nothing(built_sample: Path) -> None:
    queries = [doc.query for doc in documents("spa")]
    assert Bm25Retriever("bigrams").rankings("spa", queries) == Bm25Retriever().rankings("spa", queries)


def test_pairs() -> None:
    assert bigrams("头痛两天了，用 Vitamin-C 和药?2天") == [
        *("头痛", "痛两", "两天", "天了", "用", "vitamin", "c", "和药", "2", "天"),
    ]
    assert bigrams("") == bigrams("？ !") == []


def test_bm25_knows_no_third_way(built_sample: Path) -> None:
    with pytest.raises(BenchError, match="jieba or bigrams"):
        rankings("bm25", "bm25=trigrams", [])


@pytest.mark.parametrize("text", ["what now? " * 200 + "How long does fever last?", "头痛怎么办" * 100, "x" * LONGEST])
def test_a_long_query_keeps_its_end(encoder: SentenceEncoder, text: str) -> None:
    kept = encoder.last_part(text)
    tokens = encoder.model.tokenizer
    assert text.endswith(kept)
    assert len(kept) > 50
    assert len(tokens("query: " + kept)["input_ids"]) <= LONGEST
    longer = "query: " + text[len(text) - len(kept) - 1 :]
    assert len(tokens(longer, verbose=False)["input_ids"]) > LONGEST


def test_the_current_question_decides_on_a_long_query(encoder: SentenceEncoder) -> None:
    history = "Hello and welcome. " * 60
    fever, rash = encoder.queries([history + "What about fever?", history + "What about a rash?"])
    assert not np.allclose(fever, rash)
    early, late = encoder.queries(["Good day. " + history + "Fever?", "Good evening. " + history + "Fever?"])
    assert np.allclose(early, late)


def test_a_long_document_keeps_its_start(encoder: SentenceEncoder) -> None:
    text = "Rashes. " * 60
    one, other, third = encoder.documents([text + "one end", text + "another", "Fever. " + text])
    assert np.allclose(one, other)
    assert not np.allclose(one, third)


def test_a_short_query_is_whole(encoder: SentenceEncoder) -> None:
    assert encoder.last_part("") == ""
    assert encoder.last_part("How long?") == "How long?"


def test_prefixes_are_encoded(tiny: Path, encoder: SentenceEncoder) -> None:
    plain = SentenceEncoder.load(str(tiny))
    assert plain.prefixes == Prefixes()
    assert np.allclose(encoder.queries(["fever"]), plain.queries(["query: fever"]))
    assert np.allclose(encoder.documents(["fever"]), plain.documents(["passage: fever"]))
    assert not np.allclose(encoder.queries(["fever"]), plain.queries(["fever"]))
    assert np.allclose(np.linalg.norm(encoder.queries(["fever", ""]), axis=1), 1)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("intfloat/multilingual-e5-small", "e5"),
        ("intfloat/e5-base-v2", "e5"),
        ("intfloat/multilingual-e5-large-instruct", "instruct"),
        ("intfloat/e5-mistral-7b-instruct", "instruct"),
        ("nvidia/NV-Embed-v2", "instruct"),
        ("BAAI/bge-base-en-v1.5", "bge-eng"),
        ("BAAI/bge-large-zh-v1.5", "bge-zho"),
        ("BAAI/bge-m3", "none"),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "none"),
        ("Alibaba-NLP/gte-multilingual-base", "none"),
        ("/models/nomic-embed-text-v1.5", "nomic"),
    ],
)
def test_prefixes_by_name(model: str, name: str) -> None:
    assert prefixes_of(model, {}) == PREFIXES[name]


def test_prefixes_by_setting_and_of_the_model_itself() -> None:
    own = {"query": "Q: ", "passage": "P: "}
    assert prefixes_of("x/multilingual-e5-small", own) == Prefixes("Q: ", "P: ")
    assert prefixes_of("x/multilingual-e5-small", {"query": None}, "own") == Prefixes()
    assert prefixes_of("x/y", own, "e5") == PREFIXES["e5"]
    with pytest.raises(BenchError, match="prefixes must be one of none, e5,"):
        prefixes_of("x/y", own, "e6")


class CountingEncoder:
    """Encodes texts by their length and counts how often it is asked."""

    calls = 0

    def __call__(self, texts: Any) -> NDArray[np.float32]:
        self.calls += 1
        return np.array([[len(text), self.calls] for text in texts], dtype=np.float32)


def test_vectors_are_kept_by_text_and_key(tmp_path: Path) -> None:
    encode, cache = CountingEncoder(), VectorCache(tmp_path)
    first = cache.vectors({"weights": "1"}, ["one", "two"], encode)
    assert np.array_equal(VectorCache(tmp_path).vectors({"weights": "1"}, ["one", "two"], encode), first)
    assert encode.calls == 1
    # Upstream's cache has the size of the corpus in its name, no text.
    for key, texts in (({"weights": "1"}, ["one", "too"]), ({"weights": "2"}, ["one", "two"])):
        cache.vectors(key, texts, encode)
    assert encode.calls == 3


def test_damaged_vectors_are_made_again(tmp_path: Path) -> None:
    encode, cache = CountingEncoder(), VectorCache(tmp_path)
    cache.vectors({}, ["one"], encode)
    (file,) = tmp_path.rglob("*.npy")
    for content in (file.read_bytes()[:-3], b"", b"\x80\x04}."):
        file.write_bytes(content)
        assert cache.vectors({}, ["one"], encode)[0, 1] == encode.calls
    assert encode.calls == 4


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BenchError, match="HEALTHDIAL_CACHE"):
        VectorCache(tmp_path / "file").vectors({}, ["one"], CountingEncoder())


def test_the_key_follows_weights_prefixes_and_lengths(tmp_path: Path, tiny: Path) -> None:
    def key(folder: Path, prefixes: str = "none", longest: int = LONGEST) -> dict[str, str]:
        encoder = SentenceEncoder.load(str(folder), prefixes=prefixes)
        encoder.model.max_seq_length = longest
        return DenseRetriever(encoder, VectorCache(tmp_path)).key

    assert key(tiny) == key(tiny) == key(save_tiny_encoder(tmp_path / "copy"))
    others = [key(save_tiny_encoder(tmp_path / "other", seed=1)), key(tiny, "e5"), key(tiny, longest=100)]
    assert all(other != key(tiny) for other in others)


def test_search_is_exact_and_equal_scores_stand_by_id() -> None:
    rng = np.random.default_rng(0)
    vectors = {f"text {number}": rng.normal(size=8).astype(np.float32) for number in range(30)}
    texts = [*vectors, *list(vectors)[:10]]
    ids = [f"{number:02}" for number in rng.permutation(len(texts))]
    queries = rng.normal(size=(5, 8)).astype(np.float32)
    expected = [
        [one for _, one in sorted((-float(vectors[text] @ query), one) for one, text in zip(ids, texts, strict=True))]
        for query in queries
    ]

    def encode(some: Any) -> NDArray[np.float32]:
        return np.stack([vectors[text] for text in some])

    for order in (range(40), rng.permutation(40)):
        corpus = Corpus(tuple(ids[place] for place in order), tuple(texts[place] for place in order))
        index = VectorIndex.build(corpus, encode)
        assert index.top(queries, 40) == expected
        assert index.top(queries, 3) == [ranked[:3] for ranked in expected]
    assert len(index.vectors) == 30


def test_vectors_that_are_no_numbers_are_refused() -> None:
    index = VectorIndex.build(Corpus(("a",), ("x",)), lambda _: np.array([[np.nan]], dtype=np.float32))
    with pytest.raises(BenchError, match="nan"):
        index.top(np.ones((1, 1), dtype=np.float32), 1)


@pytest.mark.parametrize("string", ["dense", "dense=", "dense=x,batch=0", "dense=x,prefix=e5", "dense=/no/such/model"])
def test_a_wrong_model_string_is_named(built_sample: Path, string: str) -> None:
    with pytest.raises(BenchError):
        rankings("dense", string, [])


def test_without_sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(BenchError, match=r"pip install -c constraints.txt '.\[retrieval\]'"):
        SentenceEncoder.load("any/model")


def test_one_process_and_two_rank_alike(built_sample: Path, tiny: Path, tmp_path: Path) -> None:
    found = []
    for number, launcher in enumerate(([], ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"])):
        out = tmp_path / str(number)
        command = [*launcher, "-m", "tasks", "custom", f"tiny={tiny}", str(REPOSITORY / "healthdial/systems/dense.py")]
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HEALTHDIAL_DATA", "TMPDIR") if name in os.environ},
            "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{REPOSITORY / 'tests' / 'no_network'}",
            "NETWORK_LOG": str(tmp_path / "network"),
            # Answers are kept in it: neither run takes those of the other.
            "HOME": str(out),
            "HEALTHDIAL_CACHE": str(out / "cache"),
            "ACCELERATE_USE_CPU": "true",
            "OMP_NUM_THREADS": "1",
        }
        run = subprocess.run(
            [sys.executable, *command, "healthdial_retrieval|0", "--output-dir", str(out)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr[-4000:]
        (results,) = out.glob("results/tiny/*.json")
        scores = json.loads(results.read_text())["results"]
        answers = {
            (row["doc"]["task_name"], row["doc"]["specific"]["id"]): row["model_response"]["text"]
            for file in out.glob("details/tiny/*/*.parquet")
            for row in pq.read_table(file).to_pylist()
        }
        found.append((scores, answers))
        assert len(list((out / "cache" / "vectors").glob("*.npy"))) == len(LANGUAGES)
    assert not (tmp_path / "network").exists()
    assert found[0] == found[1]
    assert len(found[0][1]) == sum(len(documents(language)) for language in LANGUAGES)
