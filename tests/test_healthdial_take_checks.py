"""Another take than the transcript's: rates of speech and first ASR results that cannot be."""

from __future__ import annotations

import pytest

from healthdial.dialogues import Turn
from healthdial.findings import Findings, Place
from healthdial.take_checks import report_take, spoken_characters
from tests.healthdial_builders import kinds

SAID = {
    "ara": "أشعر بألم شديد في رأسي منذ ثلاثة أيام",
    "zho": "我这三天头疼得很厉害请问该怎么办呢",
    "eng": "I have had a bad headache for three days now",
    "spa": "Tengo un dolor de cabeza fuerte desde hace tres días",
}
SECONDS = {"ara": 3.2, "zho": 4.0, "eng": 3.0, "spa": 3.4}
"""How long it takes to say them at an ordinary pace: 3 to 4 words, or 4 syllables of Chinese, a second."""


def report(
    transcription: str | None, seconds: float, language: str = "eng", recognised: str | None = None
) -> set[str]:
    findings = Findings()
    turn = Turn(1, "user", None, transcription=transcription, asr_whisper1=recognised)
    report_take(turn, language, seconds, findings, Place(language, "user audio", "ENG_50", 1))
    return kinds(findings)


@pytest.mark.parametrize("language", SAID)
def test_ordinary_speech_is_not_reported(language: str) -> None:
    for pace in (0.6, 1.0, 1.6):
        assert report(SAID[language], SECONDS[language] * pace, language, SAID[language].lower()) == set()


@pytest.mark.parametrize("language", SAID)
def test_impossible_rates_are_reported(language: str) -> None:
    assert report(SAID[language], SECONDS[language] / 10, language) == {"speech_rate"}
    assert report(SAID[language], SECONDS[language] * 10, language) == {"speech_rate"}


def test_the_rate_is_told() -> None:
    findings = Findings()
    report_take(Turn(1, "user", None, transcription="abcdefghij"), "eng", 0.25, findings, Place("eng", "user audio"))
    assert [one.detail for one in findings] == ["40.0 characters a second"]


@pytest.mark.parametrize("transcription", [None, "", "Yes, sure.", "?!...       ......."])
def test_a_few_words_say_nothing(transcription: str | None) -> None:
    assert report(transcription, 100.0, recognised="something else entirely") == set()


@pytest.mark.parametrize("recognised", [None, "", "..."])
def test_without_an_asr_result_nothing_is_compared(recognised: str | None) -> None:
    assert report(SAID["eng"], 3.0, recognised=recognised) == set()


def test_case_and_punctuation_are_no_difference() -> None:
    assert report("I have had, a bad headache!", 2.0, recognised="I HAVE HAD A BAD HEADACHE") == set()


def test_more_than_half_of_the_characters_must_differ() -> None:
    assert report("abcdefghij", 1.0, recognised="abcdeZZZZZ") == set()
    assert report("abcdefghij", 1.0, recognised="abcdZZZZZZ") == {"transcript_far_from_asr"}


def test_another_sentence_is_reported() -> None:
    other = "buy two boxes of cheap orange juice"
    assert report("My left knee hurts after long walks.", 2.2, recognised=other) == {"transcript_far_from_asr"}


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_a_recording_without_length_has_no_rate(seconds: float) -> None:
    assert report(SAID["eng"], seconds) == set()


def test_spoken_characters() -> None:
    assert spoken_characters("Straße 5, no\u00a0way!") == "strasse5noway"
    assert spoken_characters("头疼，37度。") == "头疼37度"
    assert spoken_characters(None) == ""
