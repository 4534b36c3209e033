"""Speech synthesizers and the task `tts`: distances and transcripts of files, tiny VITS, espeak-ng."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from lighteval.models.abstract_model import ModelConfig
from lighteval.tasks.requests import Doc

from healthdial.audio import SAMPLE_RATE as RATE
from healthdial.data import BuiltData
from healthdial.systems import speaking
from healthdial.systems.recognition import Recognizer
from healthdial.systems.speaking import wav_file
from healthdial.systems.tts import TtsModel
from tasks.healthdial_docs import tts_doc
from tasks.healthdial_speech import synthesis
from tests.conftest import REPOSITORY
from tests.test_tasks_processes import Place, details, results

pytest_plugins = ["tests.healthdial_speech_fixtures"]

MODEL_FILE = REPOSITORY / "healthdial" / "systems" / "espeak.py"


def tts_docs(data: BuiltData, language: str = "eng") -> list[Doc]:
    docs = [tts_doc(row, "tts") for row in data.rows(f"user_turns_{language}", "test")]
    return [doc for doc in docs if doc is not None]


def score(docs: list[Doc], answers: list[str], language: str = "eng") -> dict[str, float]:
    from lighteval.metrics import apply_metric
    from lighteval.models.model_output import ModelResponse

    metrics = synthesis(language)
    responses = [ModelResponse(input=doc.query, text=[answer]) for doc, answer in zip(docs, answers, strict=True)]
    samples = apply_metric(responses, docs, metrics)
    values: dict[str, float] = {}
    for metric in metrics:
        values |= metric.corpus_level_fn.compute_corpus([sample[metric.metric_name] for sample in samples])
    return {name: value for name, value in values.items() if not name.endswith("_stderr")}


def own_recordings(data: BuiltData, folder: Path, docs: list[Doc]) -> list[str]:
    """Answer every document with the recording itself."""
    ids = [(doc.specific or {})["id"] for doc in docs]
    answers = {}
    for number, (utterance_id, content) in enumerate(data.recordings("user_turns_eng", "test", ids)):
        file = folder / f"{number}.flac"
        file.write_bytes(content)
        answers[utterance_id] = json.dumps({"file": str(file)})
    return [answers.get(utterance_id, json.dumps({"file": None})) for utterance_id in ids]


def test_a_recording_has_no_distance_from_itself(data: BuiltData, tmp_path: Path) -> None:
    docs = tts_docs(data)[::-1]
    values = score(docs, own_recordings(data, tmp_path, docs))
    # FastDTW walks off the diagonal where digital silence makes frames equal: no distance, but a penalty.
    assert 0 < values.pop("mcd_upstream_penalty") < 0.3
    names = (
        "mcd_upstream",
        "pairs_without_mcd_upstream",
        "mcd_standard",
        "mcd_standard_penalty",
        "pairs_without_mcd_standard",
    )
    assert values == dict.fromkeys(names, 0.0)


def test_pairs_go_by_id(data: BuiltData, tmp_path: Path) -> None:
    docs = tts_docs(data)
    shifted = own_recordings(data, tmp_path, docs)
    assert score(docs, [*shifted[1:], shifted[0]])["mcd_standard"] > 3


def test_pairs_without_a_distance_are_counted(data: BuiltData, tmp_path: Path) -> None:
    docs = tts_docs(data)[:4]
    good = own_recordings(data, tmp_path, docs)
    (tmp_path / "silent.wav").write_bytes(wav_file(np.zeros(RATE), RATE))
    (tmp_path / "text.wav").write_text("no sound")
    (tmp_path / "slow.wav").write_bytes(wav_file(np.sin(np.arange(RATE)), 100))
    soundfile.write(tmp_path / "loud.wav", np.full((RATE, 2), 1.7e308), RATE, subtype="DOUBLE")
    bad = ["no JSON", "[" * 200_000, "[]", '{"file": 1}', '{"file": null}', *(
        json.dumps({"file": str(tmp_path / name)})
        for name in ("nowhere.wav", "text.wav", "silent.wav", "slow.wav", "loud.wav")
    )]  # fmt: skip
    for answer in bad:
        values = score(docs, [answer, *good[1:]])
        assert (values["mcd_upstream"], values["mcd_standard"]) == (0.0, 0.0)
        assert (values["pairs_without_mcd_upstream"], values["pairs_without_mcd_standard"]) == (25.0, 25.0)
    nothing = score(docs, ['{"file": null}'] * 4)
    assert nothing == {"pairs_without_mcd_upstream": 100.0, "pairs_without_mcd_standard": 100.0}


def test_a_turn_without_recording_has_no_distance(
    one_without_recording: tuple[BuiltData, str], tmp_path: Path
) -> None:
    built, _ = one_without_recording
    docs = tts_docs(built)
    (tmp_path / "speech.wav").write_bytes(wav_file(np.sin(np.arange(RATE) / 10), RATE))
    values = score(docs[:4], [json.dumps({"file": str(tmp_path / "speech.wav")})] * 4)
    assert values["pairs_without_mcd_standard"] == 25.0


def test_transcripts_of_synthesized_speech_are_normalised_on_both_sides(data: BuiltData) -> None:
    docs = tts_docs(data, "spa")[:4]
    heard = [json.dumps({"file": None, "transcript": f"¡{doc.query.upper()}!"}) for doc in docs]
    assert score(docs, heard, "spa")["cer_synthesized_normalized"] == 0.0
    assert score(docs, heard, "spa")["transcribed"] == 100.0
    half = score(docs, [heard[0], heard[1], '{"file": null}', json.dumps({"file": None, "transcript": ""})], "spa")
    assert half["transcribed"] == 75.0
    assert 0 < half["cer_synthesized_normalized"] < 100
    accents = [json.dumps({"transcript": doc.query.translate(str.maketrans("áéíóúñ", "aeioun"))}) for doc in docs]
    assert score(docs, accents, "spa")["cer_synthesized_normalized"] > 0


# Synthesizers


def tts_model(place: Place, out: Path, **settings: str) -> TtsModel:
    more = "".join(f",{key}={value}" for key, value in settings.items())
    return TtsModel(ModelConfig(model_name=f"tiny={place.folder / 'vits'},out={out}{more}"))


def test_vits_speaks_the_same_in_any_order(place: Place, data: BuiltData, tmp_path: Path) -> None:
    docs = tts_docs(data)[:3]
    one = [json.loads(answer)["file"] for answer in tts_model(place, tmp_path / "one").answers(docs)]
    two = [json.loads(answer)["file"] for answer in tts_model(place, tmp_path / "two").answers(docs[::-1])][::-1]
    assert len(set(one)) == 3
    for first, second in zip(one, two, strict=True):
        assert Path(first).read_bytes() == Path(second).read_bytes()
        assert soundfile.info(first).samplerate == RATE
        assert soundfile.info(first).frames > RATE / 10


def test_a_file_is_made_once_for_each_model_language_and_text(
    place: Place, data: BuiltData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, docs = tts_model(place, tmp_path), tts_docs(data)[:2]
    answers = model.answers(docs)
    times = [file.stat().st_mtime_ns for file in sorted(tmp_path.iterdir())]
    assert model.answers(docs) == answers
    assert [file.stat().st_mtime_ns for file in sorted(tmp_path.iterdir())] == times
    monkeypatch.setattr(TtsModel, "identity", lambda self, language: ["another model"])
    assert set(model.answers(docs)).isdisjoint(answers)


def test_what_a_model_has_no_letters_for_is_not_spoken(place: Place, data: BuiltData, tmp_path: Path) -> None:
    model = tts_model(place, tmp_path, asr=str(place.folder / "ctc"))
    answers = [json.loads(answer) for answer in model.answers([*tts_docs(data)[:1], *tts_docs(data, "zho")[:1]])]
    assert Path(answers[0]["file"]).is_file()
    assert answers[0]["transcript"]
    assert answers[1] == {"file": None, "transcript": ""}


def test_synthesized_speech_is_heard_file_by_file(
    place: Place, data: BuiltData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a language at once would take 6 GB."""
    model = tts_model(place, tmp_path, asr=str(place.folder / "ctc"))
    docs = [*tts_docs(data)[:3], tts_docs(data)[0]]
    order: list[str] = []
    heard, transcribe = speaking._heard, Recognizer.transcribe

    def read(file: str) -> np.ndarray:
        order.append("read")
        return heard(file)

    def listen(self: Recognizer, pool: list[np.ndarray], language: str) -> list[str]:
        order.append(f"hear {len(pool)}")
        return transcribe(self, pool, language)

    whole = [json.loads(answer) for answer in model.answers(docs)]
    monkeypatch.setattr(speaking, "_heard", read)
    monkeypatch.setattr(Recognizer, "transcribe", listen)
    monkeypatch.setattr(model._recognizer, "batch_seconds", 1e-9)
    assert [json.loads(answer) for answer in model.answers(docs)] == whole
    # A pool ends when the next file does not fit; the text that stands twice is heard once.
    assert order == ["read", "read", "hear 1", "read", "hear 1", "hear 1"]
    assert whole[0] == whole[3]


def test_files_are_16_bit_and_never_clipped(tmp_path: Path) -> None:
    (tmp_path / "loud.wav").write_bytes(wav_file(np.array([0.0, 2.0, -4.0]), 8000))
    samples, rate = soundfile.read(tmp_path / "loud.wav")
    assert rate == 8000
    assert np.allclose(samples, [0, 0.5, -1], atol=1e-4)


def test_espeak_from_end_to_end(place: Place) -> None:
    command = ["-m", "tasks", "custom", "espeak=out=spoken", str(MODEL_FILE), "healthdial_tts:eng|0"]
    place.run([*command, "--max-samples", "5", "--output-dir", "tts"])
    values = results(place.folder / "tts")["results"]["healthdial_tts:eng|0"]
    assert values["pairs_without_mcd_standard"] == values["pairs_without_mcd_upstream"] == 0
    assert 2 < values["mcd_standard"] < 20
    assert "cer_synthesized_normalized" not in values
    (rows,) = details(place.folder / "tts").values()
    files = [json.loads(row["model_response"]["text"][0])["file"] for row in rows]
    assert len(set(files)) == 5
    assert all(file.startswith("spoken/") and (place.folder / file).is_file() for file in files)
    signature = results(place.folder / "tts")["config_tasks"]["healthdial_tts:eng|0"]["metrics"][0]["sample_level_fn"]
    assert signature.startswith("mcd_upstream|nrefs:1|sr:min")
