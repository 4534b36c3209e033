"""Check a data set card against the vocabulary and the limits of the Hub, its viewer and the loader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from hub.card import Card
from hub.faults import CARD_PLACE, Fault, config_place, split_place
from hub.vocabulary import (
    LICENCES,
    SIZES,
    TASK_CATEGORIES,
    creators,
    is_language,
    multilingualities,
    size_category,
)

MAX_CONFIGS = 4000
"""Configs that the viewer reads (August 2026)."""
MAX_SPLITS = 30
"""Splits of a config that the viewer reads (the same)."""
LICENCE_FILE = "LICENSE.md"
"""Name under which a build writes the terms beside the card; the Hub links no other of ours."""
FORBIDDEN_IN_CONFIG_NAMES = r"<>:/\|?*"
"""``datasets.naming.INVALID_WINDOWS_CHARACTERS_IN_PATH``: names with one of these cannot be cached."""
RESERVED_SPLIT = "all"
"""The loader's name of all splits together."""


@dataclass(frozen=True)
class Vocabulary:
    """The values that a key of the card may have.

    Attributes:
        key: Key of the YAML block.
        check: Kind of fault.
        noun: What a value is.
        knows: Whether the Hub knows a value.
        where: Where the known values are listed.
        required: Whether the card must have the key.
    """

    key: str
    check: str
    noun: str
    knows: Callable[[str], bool]
    where: str
    required: bool


def check_card(card: Card, rows: int | None) -> Iterator[Fault]:
    """Yield the faults of a card.

    Args:
        card: The card.
        rows: Rows of all its configs together, as the Hub counts for the size category; None if they are not known.
    """
    yield from _check_vocabulary(card)
    yield from _check_licence(card)
    yield from _check_size(card, rows)
    yield from _check_configs(card)
    yield from _check_names(card)
    yield from _check_loader(card)
    yield from _check_viewer(card)


def _vocabularies() -> tuple[Vocabulary, ...]:
    sizes = {name for _, name in SIZES} | {"n>1T"}
    creator_words = "found, crowdsourced, expert-generated, machine-generated, other"
    return (
        Vocabulary("license", "licence_unknown", "licence", LICENCES.__contains__, "hub/vocabulary.py", True),
        Vocabulary("language", "language_unknown", "language", is_language, "ISO 639-1 and 639-3", True),
        Vocabulary(
            *("task_categories", "task_category_unknown", "task category"),
            *(TASK_CATEGORIES.__contains__, "hub/vocabulary.py", True),
        ),
        Vocabulary(
            *("size_categories", "size_category_unknown", "size category"),
            *(sizes.__contains__, ", ".join(name for _, name in SIZES), True),
        ),
        Vocabulary(
            *("multilinguality", "multilinguality_unknown", "multilinguality"),
            *(multilingualities().__contains__, ", ".join(sorted(multilingualities())), False),
        ),
        Vocabulary(
            *("language_creators", "creator_unknown", "creator"),
            *(creators("language").__contains__, creator_words, False),
        ),
        Vocabulary(
            *("annotations_creators", "creator_unknown", "creator"),
            *(creators("annotations").__contains__, f"{creator_words}, no-annotation", False),
        ),
    )


def _check_vocabulary(card: Card) -> Iterator[Fault]:
    """Yield keys that are missing and values that the Hub does not know."""
    for vocabulary in _vocabularies():
        values = _values(card, vocabulary.key)
        if vocabulary.required and not values:
            yield _fault("metadata_missing", f"`{vocabulary.key}` is missing or empty. Give it.")
        for value in values:
            if not isinstance(value, str):
                yield _fault(
                    vocabulary.check,
                    f"`{vocabulary.key}` has {value!r}, which YAML does not read as text. Put it in quotation marks.",
                )
            elif not vocabulary.knows(value):
                yield _fault(
                    vocabulary.check,
                    f"`{vocabulary.key}` has {value!r}, which is no {vocabulary.noun} of the Hub. "
                    f"Use one of those in {vocabulary.where}.",
                )


def _check_licence(card: Card) -> Iterator[Fault]:
    """Yield what a licence of its own lacks: a name, and a text that the Hub can link to."""
    if "other" not in _values(card, "license"):
        return
    name, link = card.metadata.get("license_name"), card.metadata.get("license_link")
    if not isinstance(name, str) or not name:
        yield _fault("licence_name", "`license: other` needs `license_name`. Give the licence a name.")
    if link is None:
        if not (card.folder / LICENCE_FILE).is_file():
            yield _fault(
                "licence_link",
                "`license: other` needs `license_link`, or a file LICENSE.md beside the card, or nobody can read the "
                "terms. Add one of the two.",
            )
    elif not isinstance(link, str) or not (
        link.startswith(("https://", "http://")) or (link == LICENCE_FILE and (card.folder / link).is_file())
    ):
        yield _fault(
            "licence_link",
            f"`license_link` is {link!r}, which is neither a URL nor a file LICENSE.md beside the card. "
            "Correct it or add the file.",
        )


def _check_size(card: Card, rows: int | None) -> Iterator[Fault]:
    """Yield a size category that is not that of the rows."""
    found = _values(card, "size_categories")
    if rows is None or not found:
        return
    right = size_category(rows)
    if found != [right] and all(isinstance(value, str) for value in found):
        yield _fault(
            "size_category_wrong",
            f"`size_categories` says {', '.join(found)}, but all configs together have {rows:,} rows. Write {right}.",
        )


def _check_viewer(card: Card) -> Iterator[Fault]:
    """Yield a viewer that is switched off, and a switch that is no boolean, such as the text "false"."""
    viewer = card.metadata.get("viewer", True)
    if viewer is False:
        yield _fault("viewer_off", "`viewer: false` switches the viewer off for all rows. Remove the line.")
    elif viewer is not True:
        yield _fault("viewer_no_boolean", "`viewer` is neither true nor false. Remove the line.")


def _check_configs(card: Card) -> Iterator[Fault]:
    """Yield faults of the list of configs."""
    names = [config.name for config in card.configs]
    defaults = [config.name for config in card.configs if config.is_default or config.name == "default"]
    if not names:
        yield _fault(
            "configs_missing", "`configs` is missing: the Hub would guess from file names. List every config."
        )
    for name in _repeated(names):
        yield _fault("config_repeated", f"config {name} stands twice in `configs`. Rename or remove one of them.")
    if len(names) > MAX_CONFIGS:
        yield _fault("too_many_configs", f"{len(names):,} configs; the viewer reads {MAX_CONFIGS:,}. Join some.")
    if len(names) > 1 and len(set(defaults)) != 1:
        marked = ", ".join(defaults) or "none"
        yield _fault(
            "default_config",
            f"configs marked as the default: {marked}. Mark exactly one with `default: true`, or `load_dataset` "
            "without a config fails.",
        )
    described = [info.get("config_name", "default") for info in _infos(card)]
    for name in _repeated(described):
        yield _fault("config_repeated", f"config {name} stands twice in `dataset_info`. Remove one of them.")
    for name in sorted(set(map(str, described)) - set(names)):
        yield _fault("dataset_info_unknown", f"`dataset_info` has {name}, which `configs` has not. Remove it.")


def _check_names(card: Card) -> Iterator[Fault]:
    """Yield names that the loader refuses or keeps for itself, and configs with too many splits."""
    for config in card.configs:
        if any(character in FORBIDDEN_IN_CONFIG_NAMES for character in config.name):
            yield Fault(
                "config_name",
                config_place(config.name),
                f"the name has one of {FORBIDDEN_IN_CONFIG_NAMES}, which the loader refuses. Rename the config.",
            )
        if not config.splits:
            yield Fault("config_without_files", config_place(config.name), "`data_files` is empty. List its files.")
        if len(config.splits) > MAX_SPLITS:
            yield Fault(
                "too_many_splits",
                config_place(config.name),
                f"{len(config.splits)} splits; the viewer reads {MAX_SPLITS}. Join some.",
            )
        for split in config.splits:
            if split.lower() == RESERVED_SPLIT or not re.fullmatch(r"\w+(\.\w+)*", split):
                yield Fault(
                    "split_name",
                    split_place(config.name, split),
                    "the loader keeps the name `all` for itself and takes letters, digits, _ and . only. Rename the "
                    "split.",
                )


def _check_loader(card: Card) -> Iterator[Fault]:
    """Yield what ``datasets`` cannot read of the configs and finds nobody else."""
    from datasets.utils.metadata import MetadataConfigs
    from huggingface_hub import DatasetCardData

    if not all(isinstance(key, str) for key in card.metadata):
        yield _fault("metadata_key", "a key is not text: YAML reads on, off, yes and no as true and false. Quote it.")
        return
    try:
        MetadataConfigs.from_dataset_card_data(DatasetCardData(**card.metadata))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if not any(fault.check == "split_name" for fault in _check_names(card)):
            reason = " ".join(str(error).split())[:200]
            yield _fault("configs_unreadable", f"`datasets` cannot read `configs` ({reason}). Correct it.")


def _infos(card: Card) -> list[dict[str, Any]]:
    found = card.metadata.get("dataset_info") or []
    return [found] if isinstance(found, dict) else found


def _values(card: Card, key: str) -> list[Any]:
    """Return the values of a key that may be text or a list."""
    found = card.metadata.get(key)
    if found is None:
        return []
    return found if isinstance(found, list) else [found]


def _repeated(names: Collection[str]) -> list[str]:
    return sorted(str(name) for name, count in Counter(names).items() if count > 1)


def _fault(check: str, message: str) -> Fault:
    return Fault(check, CARD_PLACE, message)
