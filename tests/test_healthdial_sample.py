"""The bundled sample: what its README promises, and that the source gives what is committed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import soundfile
from typer.testing import CliRunner

from healthdial.audio import process_audio
from healthdial.languages import LANGUAGES
from healthdial.recording_names import parse_recording_name
from healthdial.release import SAMPLE_FOLDER, read_release
from healthdial.sample.make_sample import app
from healthdial.sample.people import ASSISTANT_VOICES, PEOPLE
from healthdial.sample.records import read_samples, text_files
from hub.errors import BenchError

AUDIO_FOLDERS = {"user": "audio", "assistant": "system_audio"}
OUT_OF_KNOWLEDGE = {8, 27, 60}
MOST_BYTES = 6_000_000
RECORDINGS = sorted(SAMPLE_FOLDER.glob("*/*audio/*"))


def read_json(name: str) -> Any:
    return json.loads((SAMPLE_FOLDER / name).read_text(encoding="utf-8"))


DATABASE: list[dict[str, Any]] = read_json("who_database.json")


def dialogues_of(language: str) -> list[dict[str, Any]]:
    return read_json(f"{LANGUAGES[language].folder}/dialogue_list_final.json")


def turns() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield every turn with the path of its recording."""
    for language in LANGUAGES:
        for dialogue in dialogues_of(language):
            for turn in dialogue["utterance"]:
                folder = SAMPLE_FOLDER / LANGUAGES[language].folder / AUDIO_FOLDERS[turn["role"]]
                yield folder / turn["audio_name"], turn


def state(turn: dict[str, Any]) -> tuple[bool, bool, bool]:
    return turn["need_retrieval"], bool(turn["snippet"]), turn["out_of_knowledge"]


def test_the_reader_meets_no_fault() -> None:
    findings = read_release(SAMPLE_FOLDER).findings
    kinds = {finding.kind.name for finding in findings if finding.kind.policy != "note"}
    assert kinds == {"free_text_coarsened"}  # of the made-up speakers: every release has it


@pytest.mark.parametrize("language", LANGUAGES)
def test_dialogues_have_all_states(language: str) -> None:
    dialogues = dialogues_of(language)
    assert len(dialogues) >= 6
    states = set()
    for dialogue in dialogues:
        assistant, user = dialogue["utterance"][::2], dialogue["utterance"][1::2]
        assert 3 <= len(user) <= 5
        assert len(assistant) == len(user) + 1
        marks = [turn["out_of_knowledge"] for turn in user]
        assert marks == [turn["out_of_knowledge"] for turn in assistant[1:]]
        assert sum(marks) == (int(dialogue["task_id"].split("_")[1]) in OUT_OF_KNOWLEDGE)
        assert not assistant[0]["need_retrieval"]
        states |= {state(turn) for turn in assistant}
    assert states == {(False, False, False), (True, True, False), (True, False, True)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_gold_snippets_are_parallel_copies_of_the_database(language: str) -> None:
    own = {one["unique_identifier"]: one for one in DATABASE if one["language"] == LANGUAGES[language].release_code}
    gold = [
        snippet
        for dialogue in dialogues_of(language)
        for turn in dialogue["utterance"][::2]
        for snippet in turn["snippet"]
    ]
    assert gold
    for snippet in gold:
        assert snippet == own[snippet["unique_identifier"]]
        assert snippet["parallel_data"]


def test_snippets_are_enough_and_aligned() -> None:
    parallel: dict[str, list[str]] = {}
    for language in LANGUAGES.values():
        own = [snippet for snippet in DATABASE if snippet["language"] == language.release_code]
        assert len(own) >= 60
        assert {snippet["data"]["type"] for snippet in own} == {"fact_sheet", "qa_pair"}
        parallel[language.code] = [one["parallel_identifier"] for one in own if one["parallel_data"]]
        assert {one["parallel_identifier"] for one in own if not one["parallel_data"]} == {None}
    assert all(keys == parallel["eng"] and len(set(keys)) == len(keys) for keys in parallel.values())
    assert len({snippet["unique_identifier"] for snippet in DATABASE}) == len(DATABASE)


def test_languages_agree_turn_by_turn() -> None:
    def outline(language: str) -> list[Any]:
        return [
            (
                dialogue["task_id"].split("_")[1],
                [turn.get(key) for key in ("role", "out_of_knowledge", "need_retrieval")],
                [snippet["parallel_identifier"] for snippet in turn.get("snippet", [])],
            )
            for dialogue in dialogues_of(language)
            for turn in dialogue["utterance"]
        ]

    assert [language for language in LANGUAGES if outline(language) != outline("eng")] == []


def test_splits_are_the_same_everywhere_and_test_is_mixed() -> None:
    splits = read_json("splits.json")
    assert set(splits) == set(LANGUAGES)
    for language, own in splits.items():
        ids = {f"{language}-{int(dialogue['task_id'].split('_')[1]):04d}" for dialogue in dialogues_of(language)}
        listed = [name for names in own.values() for name in names]
        assert set(listed) == ids
        assert len(listed) == len(ids)
        assert {split: len(names) for split, names in own.items()} == {"train": 2, "validation": 1, "test": 3}
        assert {split: [name[-4:] for name in names] for split, names in own.items()} == {
            split: [name[-4:] for name in names] for split, names in splits["eng"].items()
        }
    numbers = {int(name[-4:]) for name in splits["eng"]["test"]}
    assert numbers & OUT_OF_KNOWLEDGE
    assert numbers - OUT_OF_KNOWLEDGE


def test_one_recording_a_turn() -> None:
    named = [path for path, _ in turns()]
    assert sorted(named) == RECORDINGS
    assert len(set(named)) == len(named)


def test_recordings_are_small() -> None:
    assert sum(file.stat().st_size for file in RECORDINGS) <= MOST_BYTES


def test_recordings_are_conforming_audible_and_of_usual_length() -> None:
    for file in RECORDINGS:
        info = soundfile.info(file)
        assert (info.format, info.subtype, info.samplerate, info.channels) == ("FLAC", "PCM_16", 16_000, 1)
        processed = process_audio(file.read_bytes(), expected_container="flac")
        assert (processed.status, processed.faults) == ("ok", ())
        samples = soundfile.read(file, dtype="int16")[0]
        assert 1.05 * 16_000 <= len(samples) <= 12 * 16_000
        assert len(samples) % 16_000
        assert 0.1 < abs(samples.astype(int)).max() / 2**15 < 0.9
        assert not samples[:1600].any()
        assert not samples[-1600:].any()


def test_recordings_last_as_long_as_their_texts() -> None:
    """A synthetic voice that skips what it can't read, or spells it out, would be far off the others."""
    for language in LANGUAGES.values():
        rates = {
            path: soundfile.info(path).duration / len(turn.get("annotated_transcription") or turn["generated_text"])
            for path, turn in turns()
            if path.parent.parent.name == language.folder
        }
        middle = sorted(rates.values())[len(rates) // 2]
        assert [path.name for path, rate in rates.items() if not middle / 2 < rate < middle * 2] == []


def test_speakers_are_made_up_and_record_one_dialogue_each() -> None:
    for language in LANGUAGES.values():
        speakers = [speaker["id"] for speaker in read_json(f"{language.folder}/user_list_final.json")]
        names = [[turn["audio_name"] for turn in one["utterance"][1::2]] for one in dialogues_of(language.code)]
        recorded = [{parse_recording_name(name).prefix for name in own} for own in names]  # type: ignore[union-attr]
        assert recorded == [{speaker} for speaker in speakers]
        assert all(len(speaker) == 24 and speaker.startswith("0" * 20) for speaker in speakers)
    everyone = [person for people in PEOPLE.values() for person in people]
    assert {person.voice.name.partition("+")[2] for person in everyone}.isdisjoint(
        voice.name.partition("+")[2] for voice in ASSISTANT_VOICES.values()
    )


def test_nothing_personal() -> None:
    for name in text_files(read_samples()):
        text = (SAMPLE_FOLDER / name).read_text(encoding="utf-8")
        assert "@" not in text
        assert not {"email", "annotator_email", "username", "password", "date_added"} & set(keys_of(json.loads(text)))


def keys_of(value: Any) -> Iterator[str]:
    """Yield the keys of all objects in a JSON value."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_of(inner)


def test_no_two_turns_in_a_row_are_the_same_recording() -> None:
    contents = [path.read_bytes() for path, _ in turns()]
    assert all(one != other for one, other in pairwise(contents))


def test_the_source_gives_the_committed_json(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["--no-audio", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    made = {str(file.relative_to(tmp_path)): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert len(made) == 2 + 2 * len(LANGUAGES)
    assert made == {name: (SAMPLE_FOLDER / name).read_bytes() for name in made}


def test_voices_give_the_committed_recordings() -> None:
    """Up to rounding, which the version of SoXR and the machine may change."""
    pytest.importorskip("espeakng_loader")
    import numpy as np

    from healthdial.sample.speech import recording, say_each

    utterances = read_samples()["spa"].utterances[2:4]
    voices = [ASSISTANT_VOICES["spa"], PEOPLE["spa"][0].voice]
    assert [utterance.speaker for utterance in utterances] == [None, 0]
    spoken = say_each((utterance.text, voice) for utterance, voice in zip(utterances, voices, strict=True))
    for utterance, (speech, sample_rate) in zip(utterances, spoken, strict=True):
        committed = soundfile.read(SAMPLE_FOLDER / utterance.file, dtype="int16")[0]
        np.testing.assert_allclose(recording(speech, sample_rate), committed, atol=2**7)


def test_a_missing_synthesizer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from healthdial.sample.speech import Synthesizer

    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    with pytest.raises(BenchError, match=r"pip install 'thai-dialect-bench\[sample\]'"):
        Synthesizer()


def test_sources_that_differ_between_languages_are_refused(tmp_path: Path) -> None:
    for file in (SAMPLE_FOLDER / "source").glob("*.json"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    damaged = tmp_path / "snippets_spa.json"
    snippets = json.loads(damaged.read_text(encoding="utf-8"))
    damaged.write_text(json.dumps(snippets[1:]), encoding="utf-8")
    with pytest.raises(BenchError, match=r"spa and eng differ in sleep::0"):
        read_samples(tmp_path)
