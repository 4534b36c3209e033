"""Traps in the texts of a HealthDial release and in what speakers say about themselves."""

from __future__ import annotations

from benchmarks.healthdial_generator import GeneratedRelease
from tests.healthdial_trap import Site, add_speaker, before, say

FAILED_RECOGNITION = "Failed to retrieve ASR result (invented)."
WAITING_FOR_RECOGNITION = "Loading speech recognition result (invented)."
TELEPHONE = "+44 113 496 0123"


def speech_rate(release: GeneratedRelease, site: Site) -> None:
    """Give a turn of about 1 s a transcript of 100 words."""
    transcript = " ".join(["I slept badly again and"] * 20) + "."
    site.user(0)["annotated_transcription"] = transcript
    site.user(0)["annotated_asr_result"] = site.language.as_recognised(transcript)


def transcript_far_from_asr(release: GeneratedRelease, site: Site) -> None:
    say(release, site, 0, "My left knee hurts after long walks.", recognised="buy two boxes of cheap orange juice")


def unusual_characters(release: GeneratedRelease, site: Site) -> None:
    """Say one with a non-breaking space, a direction mark and a decomposed letter, one with an Arabic ligature."""
    say(release, site, 0, "Can\u00a0I drink cafe\u0301 now\u200f?")
    say(release, site, 1, "She wrote \ufefb and \ufdf2 here.")


def traditional_characters(release: GeneratedRelease, site: Site) -> None:
    say(release, site, 0, "這個藥對頭髮還有幫助嗎？")


def placeholder_transcript(release: GeneratedRelease, site: Site) -> None:
    say(release, site, 0, FAILED_RECOGNITION, recognised=FAILED_RECOGNITION)
    say(release, site, 1, WAITING_FOR_RECOGNITION, recognised="we walk to the lake")


def empty_text(release: GeneratedRelease, site: Site) -> None:
    for turn, text in enumerate(("", "undefined")):
        site.user(turn)["annotated_transcription"] = text
    site.user(0)["generated_text"] = "null"
    site.user(1)["instruction"] = None


def missing_asr_result(release: GeneratedRelease, site: Site) -> None:
    site.user(0)["annotated_asr_result"] = None
    del site.user(1)["annotated_asr_result"]


def contact_in_text(release: GeneratedRelease, site: Site) -> None:
    email = "moth.lantern@mail.example.org"
    say(release, site, 0, f"Please write to {email} today.")
    say(release, site, 1, f"My number is {TELEPHONE} at home.")
    release.extra_personal |= {email, TELEPHONE}


def personal_field(release: GeneratedRelease, site: Site) -> None:
    """Add fields that a clean release has nowhere."""
    fields = {
        "full_name": "Harbour Quill",
        "user_email": "harbour.quill@mail.example.org",
        "client_ip": "198.51.100.77",
        "locked": "2025-12-24T01:02:03Z",
    }
    site.dialogue.update(fields)
    site.user(0)["user_agent"] = "Pocketphone 12 of Quill Harbour"
    release.extra_personal |= {*fields.values(), "Pocketphone 12 of Quill Harbour"}


def unknown_variety(release: GeneratedRelease, site: Site) -> None:
    add_speaker(
        release,
        site,
        primary_language="what we speak in my valley",
        place_of_origin="Zanthor Deep, the old mill",
        region_of_residence="Zanthor Deep",
        country="Zanthoria",
    )


def free_text_coarsened(release: GeneratedRelease, site: Site) -> None:
    """Add a speaker who gives a full address and tells where the language was learnt."""
    spoken = "British English (Wolds dialect, from my grandmother in Pocklington)"
    address = "12 Marble Row, Pocklington, United Kingdom"
    add_speaker(release, site, primary_language=spoken, place_of_origin=address, region_of_residence=address)
    release.extra_personal |= {spoken, "Pocklington", "Wolds dialect"}


TEXT_TRAPS = (
    before(speech_rate),
    before(transcript_far_from_asr),
    before(unusual_characters),
    before(traditional_characters, folder="chinese"),
    before(placeholder_transcript),
    before(empty_text),
    before(missing_asr_result),
    before(contact_in_text),
    before(personal_field),
    before(unknown_variety, also=("free_text_coarsened",)),
    before(free_text_coarsened),
)
