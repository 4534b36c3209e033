"""Speech recognisers on the sample's recordings, with tiny random models."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from lighteval.models.abstract_model import ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc

from healthdial.audio import SAMPLE_RATE as RATE
from healthdial.data import BuiltData
from healthdial.systems.asr import AsrModel
from healthdial.systems.ctc import CtcRecognizer, windows_of
from healthdial.systems.model_string import ModelString
from healthdial.systems.recognition import POOLED_BATCHES, Recognizer, batches_by_duration
from healthdial.systems.recognizers import PipelineRecognizer, load_recognizer
from healthdial.systems.whisper import WhisperRecognizer
from hub.errors import BenchError
from tasks.healthdial_docs import asr_doc
from tasks.healthdial_metrics import error_rates
from tests.conftest import REPOSITORY
from tests.test_tasks_processes import Place, details, results
from tests.tiny_speech_models import LANGUAGE_TOKENS

pytest_plugins = ["tests.healthdial_speech_fixtures"]

MODEL_FILE = REPOSITORY / "healthdial" / "systems" / "asr.py"
TOKENS_A_WINDOW = 20


def documents(data: BuiltData, language: str) -> list[Doc]:
    docs = [asr_doc(row, "asr") for row in data.rows(f"user_turns_{language}", "test")]
    return [doc for doc in docs if doc is not None]


# Batches and model strings


def test_batches_hold_what_fits_longest_first() -> None:
    assert batches_by_duration([2.0, 9.0, 3.0, 1.0, 3.0], 9.0) == [[1], [2, 4, 0], [3]]
    assert batches_by_duration([50.0], 9.0) == [[0]]
    assert batches_by_duration([], 9.0) == []


def test_a_model_string_is_read() -> None:
    asked = ModelString.parse("small=openai/whisper-small,batch_seconds=60", ("revision", "batch_seconds"))
    assert (asked.name, asked.model, asked.number("batch_seconds", 240.0)) == ("small", "openai/whisper-small", 60.0)
    assert ModelString.parse("espeak", ("out",), model="") == ModelString("espeak", "", {})
    assert ModelString.parse("e=out=a=b", ("out",), model="").settings == {"out": "a=b"}
    assert ModelString.parse("e=out:a=b", ("out",), model="", separator=":").settings == {"out": "a=b"}
    assert ModelString.parse("t", ("batch",), model="[MODEL]") == ModelString("t", "", {})
    assert ModelString.parse("t=m,batch=3", ("batch",), model="[MODEL]") == ModelString("t", "m", {"batch": "3"})


@pytest.mark.parametrize(
    "text",
    ["", "small", "small=", "small=,out=c", "=model", "a=b,", "a=b,out", "a=b,out=", "a=b,out=c,out=d", "a=b,x=c"],
)
def test_a_wrong_model_string_says_what_it_must_be(text: str) -> None:
    with pytest.raises(BenchError, match=r"must be NAME=MODEL\[,out=\.\.\.\]"):
        ModelString.parse(text, ("out",))


@pytest.mark.parametrize(
    ("known", "model", "separator", "shape", "wrong"),
    [
        ((), "", "=", "NAME", ("", "=", "name=", "=x", "name=x")),
        (("out", "asr"), "", "=", "NAME[=out=...,asr=...]", ("=out=a", "name=", "name=a", "name=in=a")),
        (("asr",), "", ":", "NAME[=asr:...]", ("name=asr", "name=asr=a", "name=asr:a,asr:b")),
        (("batch",), "[MODEL]", "=", "NAME[=MODEL[,batch=...]]", ("=m", "name=", "name=,batch=1", "name=m,x=1")),
    ],
)
def test_systems_without_a_model_say_what_they_take(
    known: tuple[str, ...], model: str, separator: str, shape: str, wrong: tuple[str, ...]
) -> None:
    for text in wrong:
        with pytest.raises(BenchError, match=f"{re.escape(repr(text))}; it must be {re.escape(shape)}$"):
            ModelString.parse(text, known, model=model, separator=separator)


@pytest.mark.parametrize("text", ["0", "-1", "inf", "nan", "many"])
def test_a_setting_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(BenchError, match="batch_seconds must be a number above 0"):
        ModelString("a", "b", {"batch_seconds": text}).number("batch_seconds", 1.0)


# Recognisers


@pytest.mark.parametrize("model", ["whisper", "moonshine", "ctc", "ctc_without_mask"])
def test_batch_sizes_give_equal_answers_in_order(
    place: Place, recordings: list[np.ndarray], long_recording: np.ndarray, model: str
) -> None:
    pool = [recordings[3], long_recording, np.zeros(0, np.float32), *recordings[4:7], long_recording[: 35 * RATE]]
    single = load_recognizer(str(place.folder / model), batch_seconds=1)
    batched = load_recognizer(str(place.folder / model), batch_seconds=500)
    texts = batched.transcribe(pool, "eng")
    assert texts == single.transcribe(pool, "eng")
    assert texts[2] == ""
    assert len(set(texts)) >= 4
    assert texts == [batched.transcribe([samples], "eng")[0] for samples in pool]


@pytest.mark.parametrize("model", ["whisper", "moonshine", "ctc", "ctc_without_mask"])
@pytest.mark.parametrize("length", [1, 10, 399, 400, 894, 1599, 1600])
def test_a_recording_too_short_for_a_word_has_no_transcript_beside_whatever(
    place: Place, recordings: list[np.ndarray], model: str, length: int
) -> None:
    recognizer = load_recognizer(str(place.folder / model))
    (alone,) = recognizer.transcribe([recordings[3][4000 : 4000 + length]], "eng")
    beside, _ = recognizer.transcribe([recordings[3][4000 : 4000 + length], recordings[4]], "eng")
    assert alone == beside
    assert length == 1600 or not alone


def test_recordings_are_transcribed_some_at_a_time(
    place: Place, recordings: list[np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    recognizer = load_recognizer(str(place.folder / "ctc"), batch_seconds=1)
    held: list[int] = []
    transcribe = type(recognizer).transcribe

    def counted(self: Recognizer, pool: list[np.ndarray], language: str) -> list[str]:
        held.append(len(pool))
        return transcribe(self, pool, language)

    monkeypatch.setattr(Recognizer, "transcribe", counted)
    keys = [f"key {number}" for number in range(len(recordings))]
    found = list(recognizer.transcribe_each(zip(keys, recordings, strict=True), "eng"))
    assert sum(held) == len(recordings)
    assert max(held) * 3 < POOLED_BATCHES + 3, "each takes at least 3 s"
    assert found == list(zip(keys, transcribe(recognizer, recordings, "eng"), strict=True))


def test_whisper_hears_what_comes_after_30_s(place: Place, long_recording: np.ndarray) -> None:
    whisper = load_recognizer(str(place.folder / "whisper"))
    cut, whole = whisper.transcribe([long_recording[: 30 * RATE], long_recording], "eng")
    assert (len(cut), len(whole)) == (TOKENS_A_WINDOW, 2 * TOKENS_A_WINDOW)


def test_another_seq2seq_model_hears_what_comes_after_30_s(place: Place, long_recording: np.ndarray) -> None:
    moonshine = load_recognizer(str(place.folder / "moonshine"))
    assert isinstance(moonshine, PipelineRecognizer)
    cut, whole = moonshine.transcribe([long_recording[: 30 * RATE], long_recording], "eng")
    assert 0 < len(cut) <= 12 < len(whole)


@pytest.mark.parametrize("model", ["ctc", "ctc_without_mask"])
def test_ctc_hears_what_comes_after_30_s(place: Place, long_recording: np.ndarray, model: str) -> None:
    ctc = load_recognizer(str(place.folder / model))
    other_end = np.concatenate([long_recording[: 36 * RATE], long_recording[: 4 * RATE]])
    cut, first, second = ctc.transcribe([long_recording[: 30 * RATE], long_recording, other_end], "eng")
    assert len(first) > 1.2 * len(cut)
    # The first window answers for 25 s of the 40.
    same = round(0.55 * len(first))
    assert first[:same] == second[:same] == cut[:same]
    assert first[-20:] != second[-20:]


def test_windows_answer_for_every_sample_once() -> None:
    for seconds in (0.5, 30.0, 30.1, 50.0, 50.1, 119.9):
        samples = np.arange(int(seconds * RATE))
        kept = [window.samples[window.before : len(window.samples) - window.after] for window in windows_of(samples)]
        assert np.array_equal(np.concatenate(kept), samples)
        assert max(len(window.samples) for window in windows_of(samples)) <= 30 * RATE


def first_decoder_tokens(whisper: Recognizer, samples: np.ndarray, language: str) -> list[str]:
    """Return the tokens that the decoder starts with."""
    assert isinstance(whisper, WhisperRecognizer)
    seen: list[list[int]] = []

    def keep(_: Any, __: Any, inputs: dict[str, Any]) -> None:
        seen.append(inputs["decoder_input_ids"][0].tolist())

    hook = whisper.model.register_forward_pre_hook(keep, with_kwargs=True)
    whisper.transcribe([samples], language)
    hook.remove()
    return list(whisper.tokenizer.convert_ids_to_tokens(seen[0]))


@pytest.mark.parametrize("language", LANGUAGE_TOKENS)
def test_whisper_is_told_the_language(
    place: Place, recordings: list[np.ndarray], long_recording: np.ndarray, language: str
) -> None:
    whisper = load_recognizer(str(place.folder / "whisper"))
    start = ["<|startoftranscript|>", LANGUAGE_TOKENS[language], "<|transcribe|>"]
    assert first_decoder_tokens(whisper, recordings[0], language) == [*start, "<|notimestamps|>"]
    assert first_decoder_tokens(whisper, long_recording, language) == start


def test_an_english_whisper_is_told_nothing(place: Place, recordings: list[np.ndarray]) -> None:
    whisper = load_recognizer(str(place.folder / "english_whisper"))
    tokens = first_decoder_tokens(whisper, recordings[0], "spa")
    assert tokens == ["<|startoftranscript|>", "<|notimestamps|>"]


def test_the_models_are_in_evaluation_mode(place: Place) -> None:
    for name in ("whisper", "ctc"):
        recognizer = load_recognizer(str(place.folder / name))
        assert isinstance(recognizer, WhisperRecognizer | CtcRecognizer)
        assert not recognizer.model.training


def test_a_model_that_does_not_transcribe_is_refused(place: Place) -> None:
    with pytest.raises(BenchError, match="is a vits model; needed is a speech-seq2seq or a CTC model"):
        load_recognizer(str(place.folder / "vits"))
    with pytest.raises(BenchError, match="nowhere cannot be loaded"):
        load_recognizer(str(place.folder / "nowhere"))


# Systems on documents


def asr_model(place: Place, model: str = "ctc") -> AsrModel:
    return AsrModel(ModelConfig(model_name=f"tiny={place.folder / model},batch_seconds=20"))


def test_transcripts_follow_the_documents(place: Place, data: BuiltData) -> None:
    docs = [*documents(data, "eng"), *documents(data, "spa")]
    model = asr_model(place)
    assert model.config.model_name == "tiny"
    answers = model.answers(docs)
    assert len(set(answers)) > 20
    assert model.answers(docs[::-1]) == answers[::-1]
    assert model.answers([docs[5], docs[5]]) == [answers[5], answers[5]]


def test_a_turn_without_recording_is_a_document_that_counts_in_no_rate(
    one_without_recording: tuple[BuiltData, str],
) -> None:
    built, missing = one_without_recording
    found = {(doc.specific or {})["id"]: doc for doc in documents(built, "eng")}
    assert list(found) == [row["utterance_id"] for row in built.rows("user_turns_eng", "test")]
    assert [name for name, doc in found.items() if not (doc.specific or {})["has_reference"]] == [missing]
    *rates, share = error_rates("eng")
    for metric in rates:
        vector = metric.compute_sample(doc=found[missing], model_response=ModelResponse(text=["anything"]))
        assert not any(vector[metric.metric_name][1:])
    vectors = [share.sample_level_fn.compute(doc, ModelResponse(text=["anything"])) for doc in found.values()]
    assert share.corpus_level_fn.compute_corpus(vectors)["turns_without_reference"] == pytest.approx(100 / len(found))


def test_rates_of_turns_without_reference_are_left_out_and_others_unchanged() -> None:
    def results(references: list[str | None]) -> dict[str, float]:
        found: dict[str, float] = {}
        for metric in error_rates("zho"):
            vectors = [
                metric.sample_level_fn.compute(
                    Doc(
                        query="q",
                        choices=[reference or ""],
                        gold_index=0,
                        specific={"dialogue_number": str(number), "has_reference": reference is not None},
                    ),
                    ModelResponse(text=["随便"]),
                )
                for number, reference in enumerate(references)
            ]
            found |= metric.corpus_level_fn.compute_corpus(vectors)
        return {name: value for name, value in found.items() if not name.endswith("_stderr")}

    assert results([None] * 3) == {"turns_without_reference": 100}
    half = results(["随便", "随", None, None])
    assert half.pop("turns_without_reference") == 50
    whole = results(["随便", "随"])
    assert whole.pop("turns_without_reference") == 0
    assert half == whole
    assert whole["cer"] == pytest.approx(100 / 3)
    assert set(whole) == {"wer", "cer", "wer_normalized", "cer_normalized", "cer_spaced"}


def test_a_turn_without_recording_has_an_empty_transcript(
    place: Place, data: BuiltData, one_without_recording: tuple[BuiltData, str]
) -> None:
    docs = documents(data, "eng")[:3]
    empty = asr_model(place).answers(docs)
    assert (docs[0].specific or {})["id"] == one_without_recording[1]
    assert [bool(text) for text in empty] == [False, True, True]


def test_asr_on_two_processes_gives_the_same(place: Place, data: BuiltData) -> None:
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "-m", "tasks", "custom"]
    command += [f"tiny={place.folder / 'whisper'}", str(MODEL_FILE)]
    command += ["healthdial_asr:eng|0,healthdial_asr:spa|0", "--output-dir", "asr"]
    place.run(command, ACCELERATE_USE_CPU="true")
    found = details(place.folder / "asr")
    assert len(found) == 2
    for task, rows in found.items():
        docs = documents(data, task.split(":")[1][:3])
        answers = asr_model(place, "whisper").answers(docs)
        of_id = {(doc.specific or {})["id"]: text for doc, text in zip(docs, answers, strict=True)}
        assert {row["doc"]["specific"]["id"]: row["model_response"]["text"][0] for row in rows} == of_id
        assert all(of_id.values())
    assert results(place.folder / "asr")["results"]["healthdial_asr:eng|0"]["cer"] > 0


def test_a_missing_faster_whisper_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from healthdial.systems.faster_whisper import load_faster_whisper

    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    with pytest.raises(BenchError, match=r"pip install 'thai-dialect-bench\[faster-whisper\]'"):
        load_faster_whisper("base")
