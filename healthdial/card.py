"""Render the data set card, with its YAML for the Hub, and the data-use terms from their templates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from healthdial.card_tables import (
    audio_table,
    configs_table,
    equal_samples_table,
    findings_table,
    groups_table,
    overview_table,
    privacy_table,
    published_table,
    turn_states_table,
    words_table,
)
from healthdial.findings import Findings
from healthdial.languages import LANGUAGES
from healthdial.plots import TITLES
from healthdial.schema import (
    DEFAULT_CONFIG,
    PACKAGE_FOLDER,
    SAMPLE_ORIGIN,
    VERSION,
    BuiltConfig,
    BuiltSplit,
    columns_of,
)
from healthdial.statistics import LanguageStatistics

TEMPLATES = PACKAGE_FOLDER.parent / "cards"
TERMS_TEMPLATE = "healthdial_terms.md"
TERMS_FILE = "LICENSE.md"
"""Name of the terms in the built data set: the Hub links a card's licence to a file of this name only."""

TEXT_CARD_FILE = "README.text.md"
"""Card of the configs without audio, for a repository that holds these alone."""

UPSTREAM = "cambridgeltl/HealthDial"
"""The authors' data set on the Hub."""

_SIZES = (
    *((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")),
    (10**7, "1M<n<10M"),
)


@dataclass(frozen=True)
class CardInput:
    """What a card tells.

    Attributes:
        origin: ``sample``, or ``release@`` and 12 hexadecimal digits of the content's fingerprint.
        languages: ISO 639-3 codes that were built.
        built: The configs on disk.
        statistics: Language -> its statistics.
        findings: Faults of the release.
        plots: Names of the files under ``plots/``; keys of ``plots.TITLES``.
        audio_format: ``flac`` or ``wav``; None if built without audio.
        split_source: How the splits were decided, in words that follow "by".
        k: Speakers who must share each published combination.
        k_reached: Language -> speakers who share the rarest combination.
        given_up: Language -> demographic columns that are null for all its speakers.
        tokenizers: Language -> name of the tokenizer of the word statistics.
        example: A row of a ``user_turns`` config.
        is_text_part: Whether ``built`` is only the configs without audio of a build that has audio.
    """

    origin: str
    languages: tuple[str, ...]
    built: tuple[BuiltConfig, ...]
    statistics: Mapping[str, LanguageStatistics]
    findings: Findings
    plots: tuple[str, ...]
    audio_format: str | None
    split_source: str
    k: int
    k_reached: dict[str, int]
    given_up: dict[str, tuple[str, ...]]
    tokenizers: dict[str, str]
    example: dict[str, Any]
    is_text_part: bool = False

    @property
    def is_sample(self) -> bool:
        """Whether the rows are the bundled sample's."""
        return self.origin == SAMPLE_ORIGIN


def render_card(card: CardInput) -> str:
    """Return the text of the card (README.md) of a build."""
    return _render(
        "healthdial.md",
        card,
        metadata=_yaml(metadata_of(card)),
        default_config=_default_config(card),
        default_split=next(config for config in card.built if config.name == _default_config(card)).splits[-1].name,
        configs=configs_table(card.built),
        overview=overview_table(card.statistics),
        published=(
            published_table(card.statistics, card.built)
            if not card.is_sample and set(card.languages) == set(LANGUAGES)
            else None
        ),
        turn_states=turn_states_table(card.statistics),
        contradictory=sum(found.turn_states.get("contradictory", 0) for found in card.statistics.values()),
        audio_statuses=audio_table(card.statistics),
        groups=groups_table(card.statistics, card.given_up),
        words=words_table(card.statistics),
        equal_samples=equal_samples_table(card.statistics),
        privacy=privacy_table(card.statistics, card.k_reached, card.given_up),
        faults=findings_table(card.findings, card.languages),
        leaks=card.findings.count("split_leak"),
        plots=[(name, TITLES[name]) for name in card.plots],
        example=json.dumps(
            {name: value for name, value in card.example.items() if name != "audio"}, ensure_ascii=False, indent=2
        ),
    )


def text_part(card: CardInput) -> CardInput:
    """Return what the card of the configs without audio tells."""
    built = tuple(config for config in card.built if "audio" not in columns_of(config.name))
    return replace(card, built=built, audio_format=None, is_text_part=True)


def render_terms(card: CardInput) -> str:
    """Return the text of the data-use terms (``LICENSE.md``) of a build."""
    return _render(TERMS_TEMPLATE, card)


def _render(template: str, card: CardInput, **values: Any) -> str:
    """Fill a template; a name that it uses and nobody gives is an error."""
    import jinja2

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return environment.from_string(text).render(
        card=card,
        is_sample=card.is_sample,
        has_audio=card.audio_format is not None,
        version=VERSION,
        upstream=UPSTREAM,
        titles={code: language.title for code, language in LANGUAGES.items()},
        **values,
    )


def metadata_of(card: CardInput) -> dict[str, Any]:
    """Return the card's YAML block as data, in the keys of ``huggingface_hub.DatasetCardData``."""
    speech_tasks = ["automatic-speech-recognition", "text-to-speech"] if card.audio_format else []
    return {
        "pretty_name": "HealthDial" + (" (SAMPLE)" if card.is_sample else ""),
        "language": [LANGUAGES[code].hub_code for code in LANGUAGES if code in card.languages],
        "multilinguality": ["multilingual" if len(card.languages) > 1 else "monolingual"],
        "annotations_creators": ["machine-generated"] if card.is_sample else ["crowdsourced", "machine-generated"],
        "language_creators": (
            ["machine-generated"] if card.is_sample else ["crowdsourced", "machine-generated", "found"]
        ),
        "source_datasets": ["original"] if card.is_sample else [f"extended|{UPSTREAM}"],
        **_licence(card),
        "task_categories": [*speech_tasks, "text-retrieval", "text-generation", "question-answering"],
        "size_categories": [size_category(sum(config.rows for config in card.built))],
        "tags": [
            *("spoken-dialogue", "dialogue", "health", "multi-parallel", "retrieval-augmented-generation"),
            *(["speech"] if card.audio_format else []),
            *("benchmark", "lighteval"),
        ],
        **(_gate() if card.audio_format and not card.is_sample else {}),
        "configs": [_config(config, _default_config(card)) for config in card.built],
        "dataset_info": [_dataset_info(config) for config in card.built],
    }


def _licence(card: CardInput) -> dict[str, str]:
    if card.is_sample:
        return {"license": "mit"}
    return {"license": "other", "license_name": "healthdial-data-use-terms", "license_link": TERMS_FILE}


def _gate() -> dict[str, Any]:
    """Return the form that a user fills in before the audio can be fetched from the Hub."""
    return {
        "extra_gated_heading": "Agree to the conditions of the recordings to get access",
        "extra_gated_prompt": (
            "The recordings are voices of real people, who took part for research. They are not under the MIT "
            f"licence: the audio agreement on the page of {UPSTREAM} and `{TERMS_FILE}` apply. What you enter here is "
            "seen by the maintainers of this repository."
        ),
        "extra_gated_fields": {
            "Name": "text",
            "Affiliation": "text",
            "Country": "country",
            "Purpose of use": "text",
            "I will use the data for non-commercial purposes only": "checkbox",
            "I will not clone a voice, nor make or train speech synthesis that imitates a speaker": "checkbox",
            "I will not try to find out who a speaker is": "checkbox",
            "I will use the data for research only and will not pass the recordings on": "checkbox",
        },
        "extra_gated_button_content": "Agree and ask for access",
    }


def size_category(rows: int) -> str:
    """Return the Hub's size category of all rows of all configs together, which is how the Hub counts."""
    return next((name for limit, name in _SIZES if rows < limit), "10M<n<100M")


def _default_config(card: CardInput) -> str:
    names = [config.name for config in card.built]
    english = (name for name in names if name.endswith("_eng"))
    return DEFAULT_CONFIG if DEFAULT_CONFIG in names else next(english, names[0])


def _config(config: BuiltConfig, default: str) -> dict[str, Any]:
    """Return a config's entry, with every file by name."""
    return {
        "config_name": config.name,
        **({"default": True} if config.name == default else {}),
        "data_files": [{"split": split.name, "path": _path(split)} for split in config.splits],
    }


def _path(split: BuiltSplit) -> str | list[str]:
    return split.files[0] if len(split.files) == 1 else list(split.files)


def _dataset_info(config: BuiltConfig) -> dict[str, Any]:
    return {
        "config_name": config.name,
        "features": config.features,
        "splits": [
            {"name": split.name, "num_bytes": split.table_bytes, "num_examples": split.rows} for split in config.splits
        ],
        "download_size": sum(split.file_bytes for split in config.splits),
        "dataset_size": sum(split.table_bytes for split in config.splits),
    }


def _yaml(metadata: dict[str, Any]) -> str:
    """Return data as YAML text, keys in the given order."""
    import yaml

    return yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True, width=1000).strip()
