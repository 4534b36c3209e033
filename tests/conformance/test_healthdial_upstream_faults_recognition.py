"""The faults of the authors' speech recognition scripts (facts 2.1), each shown to be absent here."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from healthdial.languages import LANGUAGES
from healthdial.systems.recognizers import load_recognizer
from hub.errors import BenchError
from tests.conformance.test_healthdial_upstream_faults import documents, results, rows
from tests.tiny_speech_models import save_tiny_ctc, save_tiny_whisper

pytest_plugins = ("tests.healthdial_text_sample", "tests.healthdial_speech_fixtures")


def without_weights(folder: Path, part: str) -> Path:
    """Take the weights whose names hold ``part`` out of a checkpoint."""
    from safetensors.torch import load_file, save_file

    file = folder / "model.safetensors"
    weights = load_file(file)
    kept = {name: weight for name, weight in weights.items() if part not in name}
    assert 0 < len(kept) < len(weights)
    save_file(kept, file, {"format": "pt"})
    return folder


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_turn_of_the_test_split_is_asked_once(language: str) -> None:
    """Cut out of the list by position twice, half of the test turns would be gone."""
    asked = [doc.specific["id"] for doc in documents("asr", language=language)]
    assert asked == sorted(rows(f"user_turns_{language}", "test"))


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("language", LANGUAGES)
def test_case_and_punctuation_cost_nothing_in_the_normalised_rates(language: str) -> None:
    """The references are one recogniser's output, edited: in the raw rates its style is the right one."""
    docs = documents("asr", language=language)
    found = results("asr", docs, [f"...{doc.choices[0].upper()}!?" for doc in docs], language)
    assert found["wer"] > 0
    assert found["cer"] > 0
    assert (found["wer_normalized"], found["cer_normalized"]) == (0, 0)


@pytest.mark.usefixtures("data")
def test_chinese_characters_are_counted_without_spaces_and_with_them_under_another_name() -> None:
    docs = documents("asr", language="zho")
    found = results("asr", docs, [doc.choices[0][:-1] for doc in docs], "zho")
    characters = sum(len("".join(doc.choices[0].split())) for doc in docs)
    assert found["cer"] == pytest.approx(100 * len(docs) / characters)
    assert found["cer_spaced"] != pytest.approx(found["cer"])
    others = documents("asr")
    assert "cer_spaced" not in results("asr", others, [doc.choices[0] for doc in others])


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("answer", ["", "有 声音", "…"])
def test_an_empty_reference_is_scored(answer: str) -> None:
    """Old versions of jiwer raise; here what was heard in silence is an insertion."""
    docs = documents("asr", language="zho")[:2]
    docs[0].choices = [""]
    found = results("asr", docs, [answer, docs[1].choices[0]], "zho")
    length = len("".join(docs[1].choices[0].split()))
    assert found["cer"] == pytest.approx(100 * len(answer.replace(" ", "")) / length)
    assert (found["cer_normalized"] > 0) == (answer == "有 声音")


@pytest.mark.usefixtures("data")
def test_scoring_leaves_documents_and_answers_as_they_are() -> None:
    """Cut into words in place, transcripts would be scored as something else by whatever reads them next."""
    docs = documents("asr", language="zho")
    answers = [doc.choices[0][1:] for doc in docs]
    before = copy.deepcopy((docs, answers))
    first = results("asr", docs, answers, "zho")
    assert (docs, answers) == before
    assert results("asr", docs, answers, "zho") == first
    assert [doc.choices for doc in documents("asr", language="zho")] == [doc.choices for doc in docs]


@pytest.mark.parametrize(("save", "part"), [(save_tiny_ctc, "lm_head"), (save_tiny_whisper, "encoder.layers.0.fc1")])
def test_a_recogniser_without_some_weights_is_refused(save: object, part: str, tmp_path: Path) -> None:
    """The authors' SpeechT5 (2.5) was a random network; a wav2vec 2.0 without its head would be one as well."""
    assert callable(save)
    save(tmp_path)
    without_weights(tmp_path, part)
    with pytest.raises(BenchError, match="weights are not in the checkpoint"):
        load_recognizer(str(tmp_path))
