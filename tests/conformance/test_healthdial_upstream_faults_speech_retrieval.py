"""The faults of the authors' speech retrieval scripts (facts 2.5), each shown to be absent here."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lighteval.tasks.requests import Doc

from healthdial.data import BuiltData
from healthdial.findings import Findings
from healthdial.layout import AudioSources
from healthdial.recordings import index_folder
from healthdial.systems.audio_text_encoder import AudioTextEncoder
from healthdial.systems.speech_retriever import SpeechRetriever
from healthdial.systems.spoken_queries import SpokenDialogue, spoken_dialogues
from healthdial.systems.vector_cache import CACHE_VARIABLE, VectorCache
from hub.errors import BenchError
from tests.conformance.test_healthdial_upstream_faults import documents
from tests.healthdial_retrieval_case import rankings
from tests.tiny_clap import SAMPLE_RATE, save_tiny_clap

pytest_plugins = ("tests.healthdial_speech_fixtures",)

DIALOGUE = "eng-0027"


@pytest.fixture(scope="module")
def clap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_clap(tmp_path_factory.mktemp("clap") / "tiny")


@pytest.fixture
def queries(data: BuiltData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Doc]:
    """The queries of one dialogue that have gold, with a cache of their own."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    docs = [doc for doc in documents("speech_retrieval") if doc.specific["dialogue_id"] == DIALOGUE]
    grounded = [doc for doc in docs if json.loads(doc.specific["gold"])]
    assert len(grounded) == 3
    return grounded


def test_the_end_of_a_history_over_a_minute_counts(
    clap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first 60 s would seldom hold the current question; 10 s drawn by chance hardly ever."""
    monkeypatch.setattr(AudioTextEncoder, "windows", lambda _, waveforms: np.stack([one[:64] for one in waveforms]))
    retriever = SpeechRetriever(AudioTextEncoder.load(str(clap)), VectorCache(tmp_path))
    sound = np.random.default_rng(0).normal(0, 0.1, 150 * SAMPLE_RATE + 99).astype(np.float32)

    def vector(samples: Any) -> Any:
        return retriever.query_vectors(SpokenDialogue(samples, {"q": len(samples)}, {"q": 0}))["q"]

    whole = vector(sound)
    assert np.array_equal(vector(sound), whole)
    for start in (0, 62 * SAMPLE_RATE, 149 * SAMPLE_RATE):
        changed = sound.copy()
        changed[start : start + SAMPLE_RATE + 99] = 0
        assert not np.allclose(vector(changed), whole, atol=1e-6)


def test_a_failed_encoding_ends_the_run(clap: Path, queries: list[Doc], monkeypatch: pytest.MonkeyPatch) -> None:
    """As an empty list, it would be a query that found nothing."""

    def fail(self: AudioTextEncoder, waveforms: Any) -> Any:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(AudioTextEncoder, "windows", fail)
    with pytest.raises(RuntimeError, match="out of memory"):
        rankings("speech_retrieval", f"clap={clap}", queries)
    monkeypatch.setattr(AudioTextEncoder, "windows", lambda _, waveforms: np.full((len(waveforms), 16), np.nan, "f4"))
    with pytest.raises(BenchError, match="nan"):
        rankings("speech_retrieval", f"clap={clap}", queries)


def test_a_recording_that_cannot_be_decoded_ends_the_run(
    clap: Path, queries: list[Doc], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = BuiltData.recordings

    def damaged(self: BuiltData, config: str, split: str, ids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        return ((one, content[:3]) for one, content in original(self, config, split, ids))

    monkeypatch.setattr(BuiltData, "recordings", damaged)
    with pytest.raises(RuntimeError, match="Format not recognised"):
        rankings("speech_retrieval", f"clap={clap}", queries)


def test_recordings_are_read_once_for_all_queries_of_a_dialogue(
    queries: list[Doc], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the folder again for every turn of every query."""
    read: list[str] = []
    original = BuiltData.recordings

    def counted(self: BuiltData, config: str, split: str, ids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        read.append(config)
        return original(self, config, split, ids)

    monkeypatch.setattr(BuiltData, "recordings", counted)
    ids = [(doc.specific or {})["id"] for doc in queries]
    (dialogue,) = spoken_dialogues("eng", {DIALOGUE: ids}, SAMPLE_RATE)
    assert list(dialogue.ends) == ids
    assert sorted(read) == ["system_turns_eng", "user_turns_eng"]


def test_a_folder_of_recordings_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"speech_ENG_{number}_{turn}.wav" for number in range(1, 6) for turn in range(8)]
    for name in names:
        (tmp_path / name).write_bytes(b"RIFF")
    listed: list[str] = []
    scandir = os.scandir

    def counted(path: Any) -> Any:
        listed.append(str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    monkeypatch.setattr(os, "listdir", None)
    index = index_folder(AudioSources("eng", "system", tmp_path, ()), Findings())
    assert sum(len(index.by_turn[number, turn]) for number in range(1, 6) for turn in range(8)) == len(names)
    assert listed == [str(tmp_path)]


def test_torchaudio_is_not_needed(clap: Path, queries: list[Doc], monkeypatch: pytest.MonkeyPatch) -> None:
    """The function that the authors' script calls is gone from it."""
    monkeypatch.setitem(sys.modules, "torchaudio", None)
    (ranking,) = rankings("speech_retrieval", f"clap={clap}", queries[:1])
    assert len(set(ranking)) == 10
