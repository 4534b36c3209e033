"""Does a recording belong to its transcript? Two cheap signs of another take, without a recogniser."""

from __future__ import annotations

from healthdial.dialogues import Turn
from healthdial.findings import Findings, Place

PLAUSIBLE_CHARACTERS_PER_SECOND: dict[str, tuple[float, float]] = {
    "ara": (2.5, 25.0),
    "zho": (0.8, 9.0),
    "eng": (3.0, 30.0),
    "spa": (3.0, 30.0),
}
"""Letters and digits a second, pauses included: wide bounds, about a quarter and twice of ordinary speech."""

LEAST_CHARACTERS = 8
"""Shorter transcripts say nothing about their rate."""
MOST_EDITS = 0.5
"""Share of characters that a post-edited transcript may differ from its first ASR result."""


def report_take(turn: Turn, language: str, duration_s: float, findings: Findings, place: Place) -> None:
    """Report a recording whose length or first ASR result does not fit its transcript.

    The annotation tool could keep a stale take under the name of the last one, so that audio and transcript
    differ. A first ASR result that differs from the transcript in most characters, or a rate of speech outside wide
    bounds, are signs of it; neither is proof, so the row is kept.

    Args:
        turn: A user turn.
        language: ISO 639-3 code.
        duration_s: Length of its recording in seconds.
        findings: Collects ``speech_rate`` and ``transcript_far_from_asr``.
        place: Where the recording is.
    """
    spoken = spoken_characters(turn.transcription)
    if len(spoken) < LEAST_CHARACTERS or duration_s <= 0:
        return
    low, high = PLAUSIBLE_CHARACTERS_PER_SECOND[language]
    rate = len(spoken) / duration_s
    if not low <= rate <= high:
        findings.add("speech_rate", place, f"{rate:.1f} characters a second")
    recognised = spoken_characters(turn.asr_whisper1)
    if recognised:
        from rapidfuzz.distance import Levenshtein

        edits = Levenshtein.distance(recognised, spoken) / len(spoken)
        if edits > MOST_EDITS:
            findings.add("transcript_far_from_asr", place, f"{edits:.0%} of its characters")


def spoken_characters(text: str | None) -> str:
    """Return the letters and digits of a text, case folded."""
    return "".join(character for character in (text or "").casefold() if character.isalnum())
