"""Four languages, four code systems (ISO 639-3, the release's, folders, the Hub's) and nothing else."""

from __future__ import annotations

import pytest

from healthdial.languages import LANGUAGES, language_code

SYSTEMS = {
    "ara": ("ara", "ARA", "arabic", "ar"),
    "zho": ("zho", "CHN", "chinese", "zh"),
    "eng": ("eng", "ENG", "english", "en"),
    "spa": ("spa", "ESP", "spanish", "es"),
}


def test_languages_are_iso_639_3_in_the_papers_order() -> None:
    assert list(LANGUAGES) == ["ara", "zho", "eng", "spa"]
    for code, language in LANGUAGES.items():
        assert (language.code, language.release_code, language.folder, language.hub_code) == SYSTEMS[code]


@pytest.mark.parametrize(("code", "name"), [(code, name) for code, names in SYSTEMS.items() for name in names])
def test_every_system_is_understood_in_any_case(code: str, name: str) -> None:
    assert {language_code(one) for one in (name, name.upper(), name.lower(), name.title(), f" {name}\n")} == {code}


@pytest.mark.parametrize("value", ["", "fra", "cmn", "ch", "sp", "engl", "ENG_50", None, 3, True, ["eng"], {"eng": 1}])
def test_nothing_else_is_a_language(value: object) -> None:
    assert language_code(value) is None
