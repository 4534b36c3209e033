"""The made-up speakers of the sample and the synthetic voices that stand for them and for the assistant."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Voice:
    """Settings of espeak-ng for one voice.

    Attributes:
        name: Language file and voice variant, such as ``en-US+m3``.
        words_per_minute: Speech rate, 80 to 450.
        pitch: Base pitch, 0 to 99; 50 is the variant's own.
    """

    name: str
    words_per_minute: int
    pitch: int


@dataclass(frozen=True)
class Person:
    """A made-up speaker, who records one dialogue.

    Attributes:
        gender: A value of the registration form, like the next two.
        age_group: Five-year band.
        education_level: Highest level.
        primary_language: Language with its variety, as the form asks for.
        country: English name of a country.
        voice: The voice that stands for the person.
        secondary_languages: As the form asks for; None where there are none.
    """

    gender: str
    age_group: str
    education_level: str
    primary_language: str
    country: str
    voice: Voice
    secondary_languages: str | None = None


PEOPLE: dict[str, tuple[Person, ...]] = {
    "ara": (
        Person(
            "male", "25-29", "higher-education", "Saudi Arabic", "Saudi Arabia", Voice("ar+m3", 185, 50), "English"
        ),
        Person("female", "40-44", "secondary", "Egyptian Arabic", "Egypt", Voice("ar+f1", 190, 55)),
        Person(
            "female", "30-34", "higher-education", "Jordanian Arabic", "Jordan", Voice("ar+linda", 190, 40), "English"
        ),
        Person("female", "35-39", "secondary", "Saudi Arabic", "Saudi Arabia", Voice("ar+f4", 185, 40)),
        Person("male", "65-69", "primary", "Saudi Arabic", "Saudi Arabia", Voice("ar+m7", 180, 35)),
        Person("male", "50-54", "higher-education", "Syrian Arabic", "Syria", Voice("ar+m1", 185, 45), "French"),
    ),
    "zho": (
        Person("female", "25-29", "higher-education", "Mandarin", "China", Voice("cmn+f1", 200, 55), "English"),
        Person("male", "40-44", "secondary", "Mandarin", "Singapore", Voice("cmn+m1", 200, 45), "English"),
        Person("male", "30-34", "higher-education", "Mandarin", "China", Voice("cmn+m3", 210, 50), "English"),
        Person("female", "35-39", "secondary", "Mandarin", "China", Voice("cmn+linda", 200, 40)),
        Person("male", "65-69", "primary", "Mandarin", "China", Voice("cmn+m7", 190, 35)),
        Person("female", "50-54", "higher-education", "Mandarin", "China", Voice("cmn+f4", 200, 40)),
    ),
    "eng": (
        Person("female", "25-29", "higher-education", "British English", "United Kingdom", Voice("en+f1", 205, 55)),
        Person(
            "male", "40-44", "secondary", "Scottish English", "United Kingdom", Voice("en-GB-scotland+m1", 200, 45)
        ),
        Person("male", "30-34", "higher-education", "American English", "United States", Voice("en-US+m3", 210, 50)),
        Person("female", "35-39", "secondary", "American English", "United States", Voice("en-US+linda", 205, 40)),
        Person("male", "65-69", "higher-education", "American English", "United States", Voice("en-US+m7", 195, 35)),
        Person("female", "50-54", "secondary", "British English", "United Kingdom", Voice("en+f4", 200, 40), "French"),
    ),
    "spa": (
        Person("female", "25-29", "higher-education", "European Spanish", "Spain", Voice("es+f1", 200, 55), "English"),
        Person("male", "40-44", "secondary", "European Spanish", "Spain", Voice("es+m1", 200, 45), "Catalan"),
        Person("male", "30-34", "higher-education", "European Spanish", "Spain", Voice("es+m3", 210, 50)),
        Person("female", "35-39", "secondary", "Mexican Spanish", "Mexico", Voice("es-419+linda", 200, 40)),
        Person("male", "65-69", "primary", "European Spanish", "Spain", Voice("es+m7", 190, 35)),
        Person("female", "50-54", "higher-education", "Colombian Spanish", "Colombia", Voice("es-419+f4", 200, 40)),
    ),
}
"""Language (ISO 639-3) -> its speakers, in the order of the dialogues that they record."""

ASSISTANT_VOICES: dict[str, Voice] = {
    "ara": Voice("ar+max", 200, 50),
    "zho": Voice("cmn+max", 200, 50),
    "eng": Voice("en+max", 200, 50),
    "spa": Voice("es+max", 200, 50),
}
"""Language -> the assistant's voice, whose variant no speaker has."""

_ACCOUNT_LETTERS = {"ara": "a", "zho": "c", "eng": "e", "spa": "5"}
"""Hexadecimal digits that recall the languages."""


def account(language: str, position: int) -> str:
    """Return the id of a language's speaker: 24 hexadecimal digits as in the release, plainly no real one's."""
    return f"{_ACCOUNT_LETTERS[language]}{position + 1:03d}".zfill(24)
