"""The four languages and the four code systems of the release, mapped once."""

from __future__ import annotations

from dataclasses import dataclass

from hub.errors import BenchError


@dataclass(frozen=True)
class Language:
    """A language of HealthDial.

    Attributes:
        code: ISO 639-3 code, used everywhere in this project.
        release_code: Code inside the release's JSON and file names, upper case.
        folder: Folder of the release.
        hub_code: Code on a Hub card.
        title: English name for people.
    """

    code: str
    release_code: str
    folder: str
    hub_code: str
    title: str


LANGUAGES: dict[str, Language] = {
    language.code: language
    for language in (
        Language("ara", "ARA", "arabic", "ar", "Arabic"),
        Language("zho", "CHN", "chinese", "zh", "Chinese"),
        Language("eng", "ENG", "english", "en", "English"),
        Language("spa", "ESP", "spanish", "es", "Spanish"),
    )
}

_NAMES: dict[str, str] = {
    name.lower(): language.code
    for language in LANGUAGES.values()
    for name in (language.code, language.release_code, language.folder, language.hub_code)
}


def language_code(value: object) -> str | None:
    """Return the ISO 639-3 code for a code of any of the four systems, in any case; None for anything else."""
    return _NAMES.get(value.strip().lower()) if isinstance(value, str) else None


def parse_languages(value: str | None) -> tuple[str, ...] | None:
    """Return the ISO 639-3 codes of a list such as ``ara,en`` in our order; any code system is understood.

    Raises:
        BenchError: An entry is no language of HealthDial.
    """
    if value is None:
        return None
    codes = {part.strip(): language_code(part) for part in value.split(",")}
    unknown = [part for part, code in codes.items() if code is None]
    if unknown:
        raise BenchError(f"--languages: {', '.join(unknown) or 'nothing'} is none of {', '.join(LANGUAGES)}")
    return tuple(code for code in LANGUAGES if code in codes.values())
