"""HealthDial's retrievers for speech: a dual encoder without chance, and recognition followed by BM25."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soxr

from healthdial.data import BuiltData, decoded
from healthdial.schema import data_location
from healthdial.systems.audio_text_encoder import AudioTextEncoder, windows_of
from healthdial.systems.bm25_retriever import Bm25Retriever
from healthdial.systems.speech_retriever import SpeechRetriever
from healthdial.systems.spoken_queries import SpokenDialogue, spoken_dialogues
from healthdial.systems.vector_cache import VectorCache
from hub.errors import BenchError
from metrics.lighteval_dialogue import ranking_answer
from tasks import healthdial_query_recordings
from tests.conformance.test_healthdial_upstream_faults import documents as asked
from tests.conformance.test_healthdial_upstream_faults import results
from tests.healthdial_retrieval_case import built_sample, documents, rankings
from tests.healthdial_runs import write_run
from tests.tiny_clap import LONGEST_TEXT, SAMPLE_RATE, save_tiny_clap
from tests.tiny_encoder import save_tiny_encoder

__all__ = ["built_sample"]

DIALOGUE, QUERY = "eng-0027", "eng-0027-u03"


@pytest.fixture(scope="module", params=[False, True], ids=["unfused", "fused"])
def clap(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random CLAP, of both kinds."""
    return save_tiny_clap(tmp_path_factory.mktemp("clap") / "tiny", fusion=request.param)


@pytest.fixture(scope="module")
def unfused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_clap(tmp_path_factory.mktemp("clap") / "tiny")


def test_weights_are_the_checkpoints_and_dropout_is_off(clap: Path) -> None:
    from safetensors.numpy import load_file

    encoder = AudioTextEncoder.load(str(clap))
    saved = load_file(clap / "model.safetensors")
    loaded = {name: tensor.detach().numpy() for name, tensor in encoder.model.named_parameters()}
    assert loaded.keys() <= saved.keys()
    assert all(np.array_equal(loaded[name], saved[name]) for name in loaded)
    assert not any(module.training for module in encoder.model.modules())


def test_a_checkpoint_without_some_weights_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = save_tiny_clap(tmp_path)
    weights = load_file(folder / "model.safetensors")
    del weights["audio_projection.linear1.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(BenchError, match=r"1 weights are not in the checkpoint.*audio_projection.linear1.weight"):
        AudioTextEncoder.load(str(folder))


@pytest.mark.parametrize("folder", ["text", "nothing"])
def test_a_model_that_is_no_dual_encoder_is_refused(tmp_path: Path, folder: str) -> None:
    save_tiny_encoder(tmp_path / "text")
    with pytest.raises(BenchError, match=str(tmp_path / folder)):
        AudioTextEncoder.load(str(tmp_path / folder))


@pytest.mark.parametrize(
    ("end", "windows"),
    [
        (0, []),
        (4, [(0, 4)]),
        (10, [(0, 10)]),
        (20, [(0, 10), (10, 20)]),
        (23, [(0, 10), (10, 20), (13, 23)]),
    ],
)
def test_windows(end: int, windows: list[tuple[int, int]]) -> None:
    assert windows_of(end, 10) == windows


def test_two_runs_give_the_same_rankings(built_sample: Path, clap: Path) -> None:
    docs = [doc for doc in documents("eng") if (doc.specific or {})["id"] in (f"{DIALOGUE}-u01", QUERY)]
    np.random.seed(1)
    first = rankings("speech_retrieval", f"clap={clap}", docs)
    np.random.seed(2)
    assert rankings("speech_retrieval", f"clap={clap}", docs[::-1])[::-1] == first
    assert all(len(set(ranking)) == 10 for ranking in first)


def test_a_query_is_the_mean_of_the_windows_of_its_history(built_sample: Path, clap: Path, tmp_path: Path) -> None:
    encoder = AudioTextEncoder.load(str(clap))
    data = BuiltData(data_location())
    ids = [f"{DIALOGUE}-{turn}" for turn in ("s00", "u01", "s02", "u03")]
    recordings = {
        one: content
        for config in ("user_turns_eng", "system_turns_eng")
        for one, content in data.recordings(config, "test", ids)
    }
    whole = np.concatenate([soxr.resample(decoded(recordings[one]), 16_000, SAMPLE_RATE) for one in ids])
    pieces = [whole[start:end] for start, end in windows_of(len(whole), SAMPLE_RATE)]
    assert len(pieces) > 10
    mean = np.mean(np.concatenate([encoder.windows([piece]) for piece in pieces]), axis=0)

    (dialogue,) = spoken_dialogues("eng", {DIALOGUE: [f"{DIALOGUE}-u01", QUERY]}, encoder.sample_rate)
    found = SpeechRetriever(encoder, VectorCache(tmp_path)).query_vectors(dialogue)
    assert np.allclose(found[QUERY], mean / np.linalg.norm(mean), atol=1e-5)
    assert dialogue.missing == {f"{DIALOGUE}-u01": 0, QUERY: 0}


def test_every_part_of_a_query_counts(unfused: Path, tmp_path: Path) -> None:
    encoder = AudioTextEncoder.load(str(unfused))
    retriever = SpeechRetriever(encoder, VectorCache(tmp_path))
    sound = np.random.default_rng(0).normal(0, 0.1, 5 * SAMPLE_RATE + 77).astype(np.float32)

    def vector(samples: Any) -> Any:
        return retriever.query_vectors(SpokenDialogue(samples, {"q": len(samples)}, {"q": 0}))["q"]

    whole = vector(sound)
    for start in (0, 2 * SAMPLE_RATE, len(sound) - 20_000):
        changed = sound.copy()
        changed[start : start + 20_000] = 0
        assert not np.allclose(vector(changed), whole, atol=1e-6)


def test_a_long_snippet_keeps_its_start(unfused: Path) -> None:
    encoder = AudioTextEncoder.load(str(unfused))
    assert encoder.longest_text == LONGEST_TEXT
    text = "Rashes. " * 20
    one, other, short = encoder.texts([text + "one end", text + "another end", "Fever"])
    assert np.allclose(one, other, atol=1e-6)
    assert np.allclose(short, encoder.texts(["Fever"])[0], atol=1e-5)
    assert not np.allclose(one, short, atol=1e-3)


def without(monkeypatch: pytest.MonkeyPatch, lost: Collection[str]) -> None:
    """Take recordings out of the data set."""
    original = BuiltData.recordings

    def recordings(self: BuiltData, config: str, split: str, ids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        return ((one, content) for one, content in original(self, config, split, ids) if one not in lost)

    monkeypatch.setattr(BuiltData, "recordings", recordings)


def test_missing_recordings_are_counted(
    built_sample: Path, unfused: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    docs = [doc for doc in documents("eng") if (doc.specific or {})["dialogue_id"] == DIALOGUE]
    ids = [(doc.specific or {})["id"] for doc in docs]
    assert ids == [f"{DIALOGUE}-{turn}" for turn in ("u01", "u03", "u05", "u07")]
    without(monkeypatch, {f"{DIALOGUE}-s00", f"{DIALOGUE}-u01", f"{DIALOGUE}-s04"})
    with caplog.at_level(logging.WARNING, "healthdial"):
        first, *others = rankings("speech_retrieval", f"clap={unfused}", docs)
    assert (first, [len(ranking) for ranking in others]) == ([], [10, 10, 10])
    (message,) = [record.message for record in caplog.records if record.name.startswith("healthdial")]
    assert "eng: 4 of 4 queries lack recordings of 10 utterances in all; 1 have none" in message
    assert message.endswith(f"Partial: {', '.join(ids)}")


def test_queries_that_lack_recordings_are_a_share_of_the_results(
    built_sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = asked("speech_retrieval")
    answers = [ranking_answer(json.loads(doc.specific["gold"])) for doc in docs]
    healthdial_query_recordings._lost.cache_clear()
    whole = results("speech_retrieval", docs, answers)
    assert (whole["partial_queries"], whole["silent_queries"], whole["recall@10"]) == (0, 0, 100)

    original = BuiltData.rows
    lost = {f"{DIALOGUE}-s00", f"{DIALOGUE}-u01", f"{DIALOGUE}-s04"}

    def rows(self: BuiltData, config: str, split: str) -> list[dict[str, Any]]:
        return [
            row | {"duration_s": None} if row.get("utterance_id") in lost else row
            for row in original(self, config, split)
        ]

    monkeypatch.setattr(BuiltData, "rows", rows)
    healthdial_query_recordings._lost.cache_clear()
    found = results("speech_retrieval", docs, answers)
    healthdial_query_recordings._lost.cache_clear()
    # The dialogue has three of the eight queries that count, and its first has no recording at all.
    assert (found["partial_queries"], found["silent_queries"]) == pytest.approx((300 / 8, 100 / 8))
    assert found["partial_queries_stderr"] > 0
    others = whole.keys() - {"partial_queries", "silent_queries", "partial_queries_stderr", "silent_queries_stderr"}
    assert {name: found[name] for name in others} == {name: whole[name] for name in others}


def save_run(folder: Path, transcripts: dict[str, str], *, origin: str = "sample", model: str = "made") -> Path:
    """Save a run of speech recognition."""
    answers = {one: (text, {"origin": origin}) for one, text in transcripts.items()}
    return write_run(folder, "healthdial_asr", "eng", answers, model)


def gold_transcripts(built: Path) -> dict[str, str]:
    rows = BuiltData(data_location()).rows("user_turns_eng", "test")
    return {row["utterance_id"]: row["transcription"] for row in rows}


def test_a_cascade_of_a_perfect_recogniser_is_text_retrieval(built_sample: Path, tmp_path: Path) -> None:
    save_run(tmp_path, gold_transcripts(built_sample))
    docs = documents("eng")
    expected = rankings("bm25", "bm25", docs)
    assert rankings("cascade", f"cascade={tmp_path}", docs) == expected


def test_a_cascade_searches_with_what_was_heard(built_sample: Path, tmp_path: Path) -> None:
    query = f"{DIALOGUE}-u01"
    save_run(tmp_path, gold_transcripts(built_sample) | {query: "how do i avoid sunburn at the lake"})
    docs = [doc for doc in documents("eng") if (doc.specific or {})["id"] == query]
    opening = "Hello and welcome! Which health topic shall we talk about?"
    expected = Bm25Retriever().rankings("eng", [f"{opening} how do i avoid sunburn at the lake"])
    assert rankings("cascade", f"cascade={tmp_path}", docs) == expected
    assert rankings("bm25", "bm25", docs) != expected


def test_a_cascade_with_a_dense_retriever(built_sample: Path, tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    tiny = save_tiny_encoder(tmp_path / "tiny")
    save_run(tmp_path / "run", gold_transcripts(built_sample))
    docs = documents("eng")
    expected = rankings("dense", f"dense={tiny}", docs)
    assert rankings("cascade", f"cascade={tmp_path / 'run'},retriever={tiny}", docs) == expected


def test_runs_that_do_not_fit_are_named(built_sample: Path, tmp_path: Path) -> None:
    docs, transcripts = documents("eng"), gold_transcripts(built_sample)

    def refused(folder: Path, text: str) -> None:
        with pytest.raises(BenchError, match=text):
            rankings("cascade", f"cascade={folder}", docs)

    refused(tmp_path, "no results_")
    lost = {one: text for one, text in transcripts.items() if one != f"{DIALOGUE}-u05"}
    refused(save_run(tmp_path / "lost", lost), f"no answer for {DIALOGUE}-u05; run healthdial_asr:eng again")
    save_run(tmp_path / "models" / "one", transcripts)
    save_run(tmp_path / "models" / "other", transcripts, model="other")
    refused(tmp_path / "models", "healthdial_asr by made; healthdial_asr by other")
    refused(save_run(tmp_path / "release", transcripts, origin="release@1"), "release@1, but the data set is sample")


def test_of_two_runs_the_newest_counts(built_sample: Path, tmp_path: Path) -> None:
    gold = gold_transcripts(built_sample)
    old = save_run(tmp_path / "old", dict.fromkeys(gold, "sunburn"))
    for path in sorted(old.rglob("*2030*"), reverse=True):
        path.rename(path.with_name(path.name.replace("2030", "2029")))
    save_run(tmp_path / "new", gold)
    docs = documents("eng")
    assert rankings("cascade", f"cascade={tmp_path}", docs) == rankings("bm25", "bm25", docs)
