"""What may stand in HealthDial's texts, and whether its published speakers keep the privacy that its card promises."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from healthdial.data import REPORT_FILE
from healthdial.dialogues import ASSISTANT
from healthdial.languages import LANGUAGES
from healthdial.speakers import FIELDS_GIVEN_UP
from healthdial.texts import EMAIL, TELEPHONE
from hub import personal_data
from hub.card import Card, CardConfig
from hub.faults import AllowedContacts, ContentRules, Fault, config_place, split_place

_MACHINE_WRITTEN = ("generated_alternative", "prompt")


def _answers_and_transcripts(language: str) -> AllowedContacts:
    """Return the rule of texts that join what the system and what people said, without the speaker of each part."""
    return AllowedContacts(
        tuple(f"{task}_{language}" for task in ("turn_classification", "retrieval", "filtering")),
        ("text", "query"),
        known_from=(f"snippets_{language}", f"system_turns_{language}"),
    )


CONTENT_RULES = ContentRules(
    patterns={personal_data.EMAIL: EMAIL, personal_data.TELEPHONE: TELEPHONE},
    allowed_contacts=(
        # The WHO's own texts give its addresses and helplines.
        AllowedContacts(("snippets_*",), ("title", "content", "title_*", "content_*", "url")),
        # Answers repeat them, and a language model wrote what stands beside a transcript.
        AllowedContacts(("system_turns_*",), ("text",)),
        AllowedContacts(("user_turns_*",), ("previous_system_text", *_MACHINE_WRITTEN)),
        AllowedContacts(("dialogues_*",), tuple(f"turns.{name}" for name in _MACHINE_WRITTEN)),
        AllowedContacts(("parallel_turns",), ("generated_*",)),
        AllowedContacts(("*",), ("*",), beside={"role": (ASSISTANT,)}),
        *map(_answers_and_transcripts, LANGUAGES),
    ),
    owned_files=(r"splits\.json", r"import_report\.json", r"README\.text\.md", r"plots/[^/]+\.png"),
    left_alone=(r"[^/]+\.py", r"(?:__pycache__|report|sample|systems)/.*"),
)
"""The rules of a built HealthDial, which may share its folder with the package."""

USUAL_K = 5
"""Speakers who must share a combination where the data set does not say how many."""
SPEAKERS_CONFIG = "speakers"
_SPEAKER_ID = re.compile(rf"spk_({'|'.join(LANGUAGES)})_\d{{2,}}")
_STATED_K = re.compile(r"At least (\d[\d,]*) speakers? of a language must share")


def stated_k(card: Card) -> int | None:
    """Return how many speakers share each published combination by the import report, else by the card's own words.

    Returns:
        1 or more; None if neither says it.
    """
    return _reported_k(card.folder / REPORT_FILE) or _written_k(card)


def _reported_k(report: Path) -> int | None:
    try:
        k = json.loads(report.read_text(encoding="utf-8"))["k"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return k if isinstance(k, int) and not isinstance(k, bool) and k > 0 else None


def _written_k(card: Card) -> int | None:
    match = _STATED_K.search(card.text)
    return int(match.group(1).replace(",", "")) if match else None


def check_speakers(card: Card, k: int | None = None) -> Iterator[Fault]:
    """Yield what the built files tell of speakers beyond what was promised.

    Kinds: ``speaker_id`` (not opaque, repeated, or of another language), ``speaker_k`` (fewer than k speakers of a
    language share a published combination of gender, age group, education and variety; one of whom nothing is
    published is in no combination), ``speaker_columns`` (a user turn says other things of its speaker than
    ``speakers`` does), ``speaker_k_stated`` (import report and card name different k). Files that are no whole Parquet
    are passed over.

    Args:
        card: Card of a built HealthDial.
        k: Speakers who must share a combination, 1 or more; default: what the data set states, else 5.
    """
    configs = {config.name: config for config in card.configs}
    listed = _listed(card, configs[SPEAKERS_CONFIG]) if SPEAKERS_CONFIG in configs else []
    place = config_place(SPEAKERS_CONFIG)
    published = {row["speaker_id"]: row for row in listed}
    if len(published) < len(listed):
        yield Fault("speaker_id", place, f"{len(listed) - len(published)} ids stand there twice. Build again.")
    yield from _check_ids(listed, place)
    reported, written = _reported_k(card.folder / REPORT_FILE), _written_k(card)
    if reported and written and reported != written:
        message = f"the card says {written} speakers share a combination, {REPORT_FILE} says {reported}. Build again."
        yield Fault("speaker_k_stated", place, message)
    yield from _check_k(listed, k or stated_k(card) or USUAL_K)
    for name, config in configs.items():
        if name.startswith(("user_turns_", "dialogues_")):
            yield from _check_turns(card, config, published if listed else None)


def _listed(card: Card, config: CardConfig) -> list[dict[str, Any]]:
    return [row for split in config.splits for file in card.files_of(config, split) for row in _speakers(file)]


def _check_ids(rows: list[dict[str, Any]], place: str) -> Iterator[Fault]:
    bad = sum(not _is_opaque(row) for row in rows)
    if bad:
        message = f"{bad} speakers have no opaque id of their language (spk_eng_07). Build again."
        yield Fault("speaker_id", place, message)


def _is_opaque(row: dict[str, Any]) -> bool:
    """Return whether a row's speaker id has our form and is of the row's language; a row may have no speaker."""
    if row["speaker_id"] is None:
        return True
    match = _SPEAKER_ID.fullmatch(row["speaker_id"])
    return match is not None and match.group(1) == row["language"]


def _check_k(rows: list[dict[str, Any]], k: int) -> Iterator[Fault]:
    combinations = Counter((row["language"], *_combination(row)) for row in rows if any_published(row))
    for language in LANGUAGES:
        small = [count for (of, *_), count in combinations.items() if of == language and count < k]
        if small:
            message = (
                f"{len(small)} combinations of gender, age group, education and variety are shared by fewer than "
                f"{k} speakers ({min(small)} at least). Build again with --k {k}."
            )
            yield Fault("speaker_k", f"{config_place(SPEAKERS_CONFIG)}, language {language}", message)


def any_published(row: dict[str, Any]) -> bool:
    """Return whether anything is published about a speaker."""
    return any(value is not None for value in _combination(row))


def _combination(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(field) for field in FIELDS_GIVEN_UP)


def _check_turns(card: Card, config: CardConfig, published: dict[str, dict[str, Any]] | None) -> Iterator[Fault]:
    """Yield rows whose speaker id is not opaque, and rows that say other things of a speaker than ``speakers``."""
    for split in config.splits:
        place = split_place(config.name, split)
        rows = [row for file in card.files_of(config, split) for row in _speakers(file)]
        yield from _check_ids(rows, place)
        other = 0 if published is None else sum(not _agrees(row, published) for row in rows)
        if other:
            message = f"{other} rows differ from the config `speakers` in what they say of a speaker. Build again."
            yield Fault("speaker_columns", place, message)


def _agrees(row: dict[str, Any], published: dict[str, dict[str, Any]]) -> bool:
    if row["speaker_id"] is None:
        return all(row.get(field) is None for field in FIELDS_GIVEN_UP)
    speaker = published.get(row["speaker_id"])
    return speaker is not None and all(speaker.get(field) == row[field] for field in FIELDS_GIVEN_UP if field in row)


def _speakers(file: Path) -> Iterator[dict[str, Any]]:
    """Yield what the rows of a file say of their speakers; classes are numbers, the same in every config."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    nobody = {"speaker_id": None, "language": None}
    try:
        with pq.ParquetFile(file) as opened:
            names = [name for name in (*nobody, *FIELDS_GIVEN_UP) if name in opened.schema_arrow.names]
            for batch in opened.iter_batches(columns=names):
                yield from ({**nobody, **row} for row in batch.to_pylist())
    except (pa.ArrowException, OSError):
        return
