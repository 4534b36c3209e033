"""The faults of the authors' text retrieval scripts (facts 2.4), each shown to be absent here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.schema import CORPUS_SPLIT, data_location
from healthdial.systems import corpus as corpus_module
from healthdial.systems.bm25_retriever import Bm25Retriever
from healthdial.systems.dense_retriever import DenseRetriever
from healthdial.systems.retriever import Retriever
from healthdial.systems.sentence_encoder import SentenceEncoder
from healthdial.systems.vector_cache import CACHE_VARIABLE, VectorCache
from hub.errors import BenchError
from metrics.lighteval_dialogue import ranking_answer
from tests.conformance.test_healthdial_upstream_faults import documents, results, rows
from tests.conformance.test_healthdial_upstream_faults_recognition import without_weights
from tests.healthdial_retrieval_case import rankings
from tests.tiny_encoder import save_tiny_encoder

pytest_plugins = ("tests.healthdial_text_sample",)

OTHERS = [f"no gold {number}" for number in range(10)]
INSTRUCTION = "Given a question, retrieve passages that answer it: "


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sentence_transformers")
    return save_tiny_encoder(tmp_path_factory.mktemp("encoder") / "tiny")


@dataclass
class Twins:
    """Snippets of the corpus that have one text until they part.

    Attributes:
        ids: Their ids.
        patch: Makes them alike.
    """

    ids: list[str]
    patch: pytest.MonkeyPatch

    def part(self) -> None:
        """Give each its own text again."""
        self.patch.undo()
        corpus_module._corpus.cache_clear()


@pytest.fixture
def twins(texts: Path) -> Iterator[Twins]:
    original = BuiltData.rows
    parallel = [row for row in BuiltData.rows(*_corpus()) if row["is_parallel"]]
    ids = [row["snippet_id"] for row in parallel[3:6]]
    text = {name: parallel[3][name] for name in ("topic", "title", "content")}

    def with_twins(self: BuiltData, config: str, split: str) -> list[dict[str, Any]]:
        return [row | text if row.get("snippet_id") in ids else row for row in original(self, config, split)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BuiltData, "rows", with_twins)
        corpus_module._corpus.cache_clear()
        yield Twins(ids, patch)
    corpus_module._corpus.cache_clear()


def _corpus() -> tuple[BuiltData, str, str]:
    return BuiltData(data_location()), "snippets_eng", CORPUS_SPLIT


def grounded_documents() -> list[Doc]:
    return [doc for doc in documents("retrieval") if json.loads(doc.specific["gold"])]


# Metrics


@pytest.mark.usefixtures("texts")
def test_turns_that_need_no_retrieval_are_not_asked() -> None:
    needed = {name for name, row in rows("user_turns_eng", "test").items() if row["needs_retrieval"]}
    for component in ("retrieval", "speech_retrieval"):
        asked = {doc.specific["id"] for doc in documents(component)}
        assert 0 < len(asked) < len(rows("user_turns_eng", "test"))
        assert asked <= needed


@pytest.mark.usefixtures("texts")
def test_turns_without_gold_are_in_no_average() -> None:
    docs = documents("retrieval")
    answers = [ranking_answer([*json.loads(doc.specific["gold"]), *OTHERS][:10]) for doc in docs]
    grounded = [at for at, doc in enumerate(docs) if json.loads(doc.specific["gold"])]
    found = results("retrieval", [docs[at] for at in grounded], [answers[at] for at in grounded])
    assert (found["recall@5"], found["mrr@10"]) == (100, 100)
    assert results("retrieval", docs, answers) == found


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("rank", [1, 2, 4, 10])
def test_the_reciprocal_rank_has_its_name(rank: int) -> None:
    """Not "MMR", which is maximal marginal relevance."""
    docs = grounded_documents()
    answers = [
        ranking_answer([*OTHERS[: rank - 1], json.loads(doc.specific["gold"])[0], *OTHERS[rank:]]) for doc in docs
    ]
    found = results("retrieval", docs, answers)
    assert found["mrr@10"] == pytest.approx(100 / rank)
    assert not any("mmr" in name.lower() for name in found)


@pytest.mark.usefixtures("texts")
def test_a_short_list_does_not_gain_precision() -> None:
    """Over the ids that were given it would be 100 at every k; that convention has a name of its own."""
    docs = grounded_documents()
    found = results("retrieval", docs, [ranking_answer([json.loads(doc.specific["gold"])[0]]) for doc in docs])
    for k in (1, 3, 5, 7, 10):
        assert found[f"precision@{k}"] == pytest.approx(100 / k)
        assert found[f"precision@{k}_shrinking"] == 100
    nothing = results("retrieval", docs, ["[]"] * len(docs))
    assert {value for name, value in nothing.items() if not name.endswith("_stderr")} == {0}


@pytest.mark.usefixtures("texts")
def test_an_id_given_twice_is_one_id_at_one_rank() -> None:
    docs = grounded_documents()
    golds = [json.loads(doc.specific["gold"])[0] for doc in docs]
    once = results("retrieval", docs, [ranking_answer([*OTHERS[:2], gold, *OTHERS[2:9]]) for gold in golds])
    twice = [ranking_answer([OTHERS[0], OTHERS[0], OTHERS[1], OTHERS[1], gold, gold, *OTHERS[2:9]]) for gold in golds]
    found = results("retrieval", docs, twice)
    ours = [name for name in once if "shrinking" not in name and not name.endswith("_stderr")]
    assert {name: found[name] for name in ours} == {name: once[name] for name in ours}


# Retrievers


@pytest.mark.parametrize("system", ["bm25", "dense"])
def test_snippets_of_one_text_are_all_found_by_their_ids(
    twins: Twins, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    """Looked up by text, all would be the last one, and fewer ids than ten would be left."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    retriever: Retriever = Bm25Retriever()
    if system == "dense":
        retriever = DenseRetriever(SentenceEncoder.load(str(tiny)))
    corpus = corpus_module.corpus_of("eng")
    (ranked,) = retriever.rankings("eng", [corpus.texts[corpus.ids.index(twins.ids[0])]])
    assert len(set(ranked)) == 10
    assert set(ranked[:3]) == set(twins.ids)


@pytest.mark.usefixtures("texts")
def test_dialogues_with_one_beginning_are_not_one_query(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """128 tokens from the start would hold the greeting only."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    docs = grounded_documents()[:2]
    for doc, question in zip(
        docs, ("Is a fever of 39 degrees dangerous?", "How do ticks get into gardens?"), strict=True
    ):
        doc.query = "Hello and welcome to this service. How are you today? " * 20 + question
    first, second = rankings("dense", f"dense={tiny}", docs)
    assert first != second
    for doc in docs:
        doc.query = doc.query[500:]
    assert rankings("dense", f"dense={tiny}", docs) == [first, second]


@pytest.mark.usefixtures("texts")
def test_an_instruction_of_the_model_itself_is_not_added_to_ours(tiny: Path, tmp_path: Path) -> None:
    """sentence-transformers puts a model's default prompt before every text that comes without one."""
    from sentence_transformers import SentenceTransformer

    plain = SentenceEncoder.load(str(tiny))
    instructed = SentenceTransformer(str(tiny), prompts={"query": INSTRUCTION}, default_prompt_name="query")
    instructed.save(str(tmp_path / "instructed"))
    for prefixes, text in (("none", "fever"), ("e5", "query: fever"), ("own", f"{INSTRUCTION}fever")):
        encoder = SentenceEncoder.load(str(tmp_path / "instructed"), prefixes=prefixes)
        assert encoder.model.default_prompt_name == "query"
        assert np.allclose(encoder.queries(["fever"]), plain.queries([text]), atol=1e-6)
    assert np.allclose(encoder.documents(["fever"]), plain.documents(["fever"]), atol=1e-6)
    assert not np.allclose(encoder.queries(["fever"]), plain.queries([INSTRUCTION * 2 + "fever"]), atol=1e-3)


@pytest.mark.usefixtures("texts")
def test_vectors_of_a_corpus_outlast_a_run_that_fails(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has been computed, or paid for, is kept before anything else can go wrong."""
    encoder = SentenceEncoder.load(str(tiny))
    expected = DenseRetriever(encoder, VectorCache(tmp_path / "other")).rankings("eng", ["fever"])

    def stop(self: SentenceEncoder, texts: Sequence[str]) -> Any:
        raise RuntimeError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(SentenceEncoder, "queries", stop)
        with pytest.raises(RuntimeError, match="stopped"):
            DenseRetriever(encoder, VectorCache(tmp_path)).rankings("eng", ["fever"])
    monkeypatch.setattr(SentenceEncoder, "documents", stop)
    assert DenseRetriever(encoder, VectorCache(tmp_path)).rankings("eng", ["fever"]) == expected


def test_a_corpus_of_equal_size_gets_its_own_vectors(twins: Twins, tiny: Path, tmp_path: Path) -> None:
    """Kept by model, language and size only, the vectors of another corpus would be taken for its own."""
    encoder, corpus = SentenceEncoder.load(str(tiny)), corpus_module.corpus_of("eng")
    queries = [corpus.texts[corpus.ids.index(twins.ids[0])]]
    (changed,) = DenseRetriever(encoder, VectorCache(tmp_path / "one")).rankings("eng", queries)
    twins.part()
    assert len(corpus_module.corpus_of("eng").ids) == len(corpus.ids)
    (found,) = DenseRetriever(encoder, VectorCache(tmp_path / "one")).rankings("eng", queries)
    (expected,) = DenseRetriever(encoder, VectorCache(tmp_path / "other")).rankings("eng", queries)
    assert found == expected != changed


@pytest.mark.parametrize("beside", [[], ["a much longer text " * 8]], ids=["alone", "padded"])
def test_padding_is_no_part_of_a_vector(tiny: Path, beside: list[str]) -> None:
    """The authors' mean over all positions (2.5) counts padding; here a neighbour changes nothing."""
    encoder = SentenceEncoder.load(str(tiny))
    assert np.allclose(encoder.documents(["fever", *beside])[0], encoder.documents(["fever"])[0], atol=1e-6)


def test_an_encoder_without_some_weights_is_refused(tmp_path: Path) -> None:
    """The authors' SpeechT5 (2.5) was a random network."""
    pytest.importorskip("sentence_transformers")
    folder = without_weights(save_tiny_encoder(tmp_path), "encoder.layer.0.output.dense")
    with pytest.raises(BenchError, match="weights are not in the checkpoint"):
        SentenceEncoder.load(str(folder))
