"""Made-up speaker records, raw and read, and what is published of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from healthdial.findings import Findings
from healthdial.speakers import FIELDS_GIVEN_UP, Publication, RawSpeaker, publish_speakers

KEY = b"k" * 32


def record(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A made-up speaker with everything that the registration form asks."""
    return {
        "id": account(number),
        "gender": "female",
        "age_group": "25-29",
        "education_level": "secondary",
        "primary_language": "British English of Leeds",
        "country": "United Kingdom",
        "place_of_origin": "5 Made Up Lane, Leeds, United Kingdom",
        "region_of_residence": "Leeds, United Kingdom",
        "secondary_languages": None,
        **changes,
    }


def account(number: int) -> str:
    return f"0a1b2c3d4e5f6071829{number:05x}"


def raw(number: int, **fields: Any) -> RawSpeaker:
    """A speaker of whom everything is known."""
    common = {
        "gender": "female",
        "age_group": "25-29",
        "education": "secondary",
        "primary_language": "British English",
    }
    return RawSpeaker(account(number), "eng", **{**common, **fields})


def publish(speakers: list[RawSpeaker], k: int = 5, key: bytes = KEY, findings: Findings | None = None) -> Publication:
    """Publish English speakers, all recorded."""
    recorded = {"eng": [speaker.account for speaker in speakers]}
    return publish_speakers(speakers, recorded, key, k, findings or Findings())


def combinations(publication: Publication) -> Counter[tuple[str | None, ...]]:
    return Counter(
        tuple(getattr(speaker, name) for name in FIELDS_GIVEN_UP) for speaker in publication.speakers.values()
    )


def details(findings: Findings, kind: str) -> list[str]:
    return [finding.detail for finding in findings if finding.kind.name == kind]
