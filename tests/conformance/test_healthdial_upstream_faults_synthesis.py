"""The faults of the authors' speech synthesis scripts (facts 2.2), each shown to be absent here."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soxr
from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.audio import SAMPLE_RATE
from healthdial.data import BuiltData, decoded
from healthdial.schema import columns_of
from healthdial.systems.recognizers import load_recognizer
from healthdial.systems.speaking import Speech
from healthdial.systems.tts import TtsModel
from hub.errors import BenchError
from tests.conformance.test_healthdial_upstream_faults_recognition import without_weights
from tests.healthdial_sounds import wav
from tests.test_healthdial_systems_synthesis import own_recordings, score, tts_docs
from tests.test_tasks_processes import Place
from tests.tiny_speech_models import save_tiny_vits

pytest_plugins = ("tests.healthdial_speech_fixtures",)


def streamed(content: bytes) -> bytes:
    """Return a WAV file as a server sends it that does not know its end: both sizes are 0xFFFFFFFF."""
    at = content.index(b"data") + 4
    unknown = struct.pack("<I", 0xFFFFFFFF)
    return content[:4] + unknown + content[8:at] + unknown + content[at + 4 :]


def spoken_copies(data: BuiltData, folder: Path, docs: list[Doc], rate: int) -> list[str]:
    """Answer every document with a streamed copy of its recording at some rate."""
    ids = [(doc.specific or {})["id"] for doc in docs]
    answers = {}
    for number, (utterance_id, content) in enumerate(data.recordings("user_turns_eng", "test", ids)):
        samples = soxr.resample(decoded(content), SAMPLE_RATE, rate)
        file = folder / f"{number}.wav"
        file.write_bytes(streamed(wav(np.rint(samples * 32767).astype("<i2"), rate=rate)))
        answers[utterance_id] = json.dumps({"file": str(file)})
    return [answers[utterance_id] for utterance_id in ids]


@pytest.mark.parametrize("rate", [SAMPLE_RATE, 24_000])
def test_streamed_files_are_read_whole_and_compared_at_16_khz(data: BuiltData, tmp_path: Path, rate: int) -> None:
    docs = tts_docs(data)[:3]
    values = score(docs, spoken_copies(data, tmp_path, docs, rate))
    assert (values["pairs_without_mcd_upstream"], values["pairs_without_mcd_standard"]) == (0, 0)
    assert values["mcd_standard"] < 0.5
    assert values["mcd_standard_penalty"] == pytest.approx(0, abs=0.01)
    others = score(docs, [*spoken_copies(data, tmp_path, docs, rate)[1:], json.dumps({"file": None})])
    assert others["mcd_standard"] > 3


def test_a_mean_distance_survives_a_silent_file(data: BuiltData, tmp_path: Path) -> None:
    """As nan, one would make the mean of all of them nan."""
    docs = tts_docs(data)[:4]
    answers = own_recordings(data, tmp_path, docs)
    (tmp_path / "silent.wav").write_bytes(wav(np.zeros(SAMPLE_RATE, "<i2")))
    values = score(docs, [*answers[:3], json.dumps({"file": str(tmp_path / "silent.wav")})])
    assert (values["mcd_standard"], values["mcd_upstream"]) == (0, 0)
    assert (values["pairs_without_mcd_standard"], values["pairs_without_mcd_upstream"]) == (25, 25)


@pytest.mark.parametrize(
    ("language", "said", "heard"),
    [
        ("spa", "el año que viene", "el ano que viene"),
        ("spa", "sí, él está", "si, el esta"),
        ("eng", "twenty drops", "20 drops"),
        ("eng", "uh, twice a day", "twice a day"),
        ("ara", "هذا على الطاولة", "هذا علي الطاولة"),
        ("zho", "三片", "3片"),
    ],
)
def test_what_the_english_rules_would_make_equal_is_an_error(
    data: BuiltData, language: str, said: str, heard: str
) -> None:
    (doc, *_) = tts_docs(data, language)
    doc.choices = [said]
    scores = [score([doc], [json.dumps({"transcript": text})], language) for text in (heard, said, f"{said} !")]
    rates = [found["cer_synthesized_normalized"] for found in scores]
    assert rates[0] > 0
    assert rates[1:] == [0, 0]


@pytest.mark.parametrize(("language", "said", "heard"), [("ara", "مُؤلم", "مؤلم"), ("eng", "Don’t.", "don't")])
def test_both_sides_are_normalised(data: BuiltData, language: str, said: str, heard: str) -> None:
    """With raw references, what the rules take out of the transcript would count as deleted."""
    (doc, *_) = tts_docs(data, language)
    for reference, transcript in ((said, heard), (heard, said)):
        doc.choices = [reference]
        found = score([doc], [json.dumps({"transcript": transcript})], language)
        assert found["cer_synthesized_normalized"] == 0


# Systems


def tts_model(place: Place, out: Path | str, **settings: str) -> TtsModel:
    more = "".join(f",{key}={value}" for key, value in settings.items())
    return TtsModel(ModelConfig(model_name=f"tiny={place.folder / 'vits'},out={out}{more}"))


def speaking(monkeypatch: pytest.MonkeyPatch, samples: np.ndarray, rate: int) -> None:
    """Let every text sound alike."""

    def speak(_: TtsModel, texts: list[str], language: str) -> Iterator[Speech | None]:
        return iter([(samples, rate)] * len(texts))

    monkeypatch.setattr(TtsModel, "speak", speak)


@pytest.mark.parametrize("rate", [SAMPLE_RATE, 24_000])
def test_the_recogniser_hears_all_of_a_long_turn_at_its_rate(
    place: Place,
    data: BuiltData,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    long_recording: np.ndarray,
    rate: int,
) -> None:
    """40 s: cut at 30 s, the last words would count as deleted."""
    speaking(monkeypatch, soxr.resample(long_recording, SAMPLE_RATE, rate), rate)
    whisper = load_recognizer(str(place.folder / "whisper"))
    cut, _ = whisper.transcribe([long_recording[: 30 * SAMPLE_RATE], long_recording], "eng")
    model = tts_model(place, tmp_path, asr=str(place.folder / "whisper"))
    seconds: list[float] = []
    transcribe = type(whisper).transcribe_batch

    def listened(self: Any, recordings: list[np.ndarray], language: str) -> list[str]:
        seconds.extend(len(samples) / SAMPLE_RATE for samples in recordings)
        return transcribe(self, recordings, language)

    monkeypatch.setattr(type(whisper), "transcribe_batch", listened)
    (answer,) = model.answers(tts_docs(data)[:1])
    assert seconds == pytest.approx([len(long_recording) / SAMPLE_RATE], abs=0.001)
    assert len(json.loads(answer)["transcript"]) == 2 * len(cut)


def test_other_files_in_the_folder_of_the_speech_disturb_no_second_run(
    place: Place, data: BuiltData, tmp_path: Path
) -> None:
    docs = tts_docs(data)[:2]
    model = tts_model(place, tmp_path, asr=str(place.folder / "ctc"))
    first = model.answers(docs)
    for name in ("transcripts.json", "notes.wav.json", "cut off.wav"):
        (tmp_path / name).write_text('{"heard": "something"}')
    assert model.answers(docs) == first
    assert score(docs, model.answers(docs)) == score(docs, first)


def test_one_run_gives_distances_and_error_rate(place: Place, data: BuiltData, tmp_path: Path) -> None:
    """No file between the scripts that none of them writes."""
    docs = tts_docs(data)[:3]
    values = score(docs, tts_model(place, tmp_path, asr=str(place.folder / "ctc")).answers(docs))
    assert values["mcd_standard"] > 0
    assert values["mcd_upstream"] > 0
    assert values["cer_synthesized_normalized"] > 0
    assert values["transcribed"] == 100


def test_a_run_works_alike_in_any_folder(
    place: Place, data: BuiltData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = tts_docs(data)[:2]
    found = []
    for name in ("here", "somewhere/else"):
        (tmp_path / name).mkdir(parents=True)
        monkeypatch.chdir(tmp_path / name)
        found.append(score(docs, tts_model(place, "spoken").answers(docs)))
        assert len(list((tmp_path / name / "spoken").iterdir())) == 2
    assert found[0] == found[1]
    assert found[0]["pairs_without_mcd_standard"] == 0


def test_nothing_of_the_speaker_is_in_a_document(data: BuiltData) -> None:
    """The authors ask for a voice by age, place and education of the person."""
    personal = {"speaker_id", "gender", "age_group", "language_variety", "education"}
    assert personal <= columns_of("user_turns_eng").keys()
    speakers = {row["utterance_id"]: row["speaker_id"] for row in data.rows("user_turns_eng", "test")}
    for doc in tts_docs(data):
        specific = doc.specific or {}
        assert personal.isdisjoint(specific)
        assert speakers[specific["id"]] not in json.dumps([doc.query, specific])


def test_a_voice_without_some_weights_is_refused(data: BuiltData, tmp_path: Path) -> None:
    """The authors' SpeechT5 (2.5) was a random network."""
    save_tiny_vits(tmp_path / "vits")
    without_weights(tmp_path / "vits", "text_encoder.embed_tokens")
    model = TtsModel(ModelConfig(model_name=f"tiny={tmp_path / 'vits'},out={tmp_path / 'out'}"))
    with pytest.raises(BenchError, match="weights are not in the checkpoint"):
        model.answers(tts_docs(data)[:1])
