"""Render the data set card from its template: YAML for the Hub, counts and statistics computed at build time."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from thai_dialect_bench.release import Release
from thai_dialect_bench.schema import ALL_TASKS, PACKAGE_FOLDER, SAMPLE_ORIGIN, SPLIT, VARIETIES, VERSION, Row
from thai_dialect_bench.source import COMMIT, REPOSITORY
from thai_dialect_bench.statistics import describe

if TYPE_CHECKING:
    from thai_dialect_bench.build import BuiltConfig

TEMPLATES = PACKAGE_FOLDER.parent / "cards"
TERMS_FILE = "LICENSE.md"
"""Name of the terms in the built data set: the Hub links a card's licence to a file of this name only."""
EXAMPLE_ROW = "lanna-translation_from_english-00"


def render_card(release: Release, configs: dict[str, list[Row]], built: tuple[BuiltConfig, ...]) -> str:
    """Return the text of the card (README.md) of a build.

    Args:
        release: What it was built from.
        configs: Rows by config, as ``rows.build_rows`` gives them.
        built: The files written.
    """
    from metrics.thai_text import NewmmTokenizer

    tokenizer = NewmmTokenizer()
    return _render(
        "thai_dialect_bench.md",
        release,
        metadata=_yaml(_metadata(release, built)),
        modified=release.modified,
        commit=COMMIT,
        built=built,
        varieties=list(VARIETIES.values()),
        tasks=list(ALL_TASKS.values()),
        counts=_counts(configs),
        statistics=describe(configs, tokenizer.tokenize),
        tokenizer=f"PyThaiNLP {tokenizer.library_version} newmm",
        notes=_notes(configs),
        example=json.dumps(asdict(_example(configs)), ensure_ascii=False, indent=2),
    )


def render_terms(release: Release) -> str:
    """Return the text of the terms (``LICENSE.md``) of a build."""
    return _render("thai_dialect_bench_terms.md", release)


def _render(template: str, release: Release, **values: Any) -> str:
    """Fill a template; a name that it uses and nobody gives is an error."""
    import jinja2

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return environment.from_string(text).render(
        origin=release.origin,
        is_sample=release.origin == SAMPLE_ORIGIN,
        repository=REPOSITORY,
        version=VERSION,
        **values,
    )


def _metadata(release: Release, built: tuple[BuiltConfig, ...]) -> dict[str, Any]:
    """Return the card's YAML block as data."""
    return {
        "pretty_name": "Thai dialect benchmark" + (" (SAMPLE)" if release.origin == SAMPLE_ORIGIN else ""),
        "language": ["th", "tts", "nod", "sou", "en"],
        "license": "mit" if release.origin == SAMPLE_ORIGIN else "other",
        **({} if release.origin == SAMPLE_ORIGIN else {"license_name": "mixed-see-terms", "license_link": TERMS_FILE}),
        "task_categories": ["question-answering", "summarization", "translation", "text-generation"],
        "size_categories": ["n<1K"],
        "multilinguality": ["multilingual"],
        "source_datasets": ["original"]
        if release.origin == SAMPLE_ORIGIN
        else ["extended|xlsum", "extended|iapp_wiki_qa_squad", "original"],
        "tags": ["dialect", "thai", "isan", "lanna", "southern-thai", "benchmark", "lighteval"],
        "configs": [
            {
                "config_name": config.name,
                **({"default": True} if config.name == "central" else {}),
                "data_files": [{"split": SPLIT, "path": config.file}],
            }
            for config in built
        ],
        "dataset_info": [
            {
                "config_name": config.name,
                "features": config.features,
                "splits": [{"name": SPLIT, "num_bytes": config.table_bytes, "num_examples": config.rows}],
                "download_size": config.file_bytes,
                "dataset_size": config.table_bytes,
            }
            for config in built
        ],
    }


def _yaml(metadata: dict[str, Any]) -> str:
    """Return data as YAML text, keys in the given order."""
    import yaml

    return yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True, width=1000).strip()


def _counts(configs: dict[str, list[Row]]) -> dict[str, dict[str, int]]:
    """Return config -> task -> number of rows."""
    return {name: dict(Counter(row.task for row in rows)) for name, rows in configs.items()}


def _notes(configs: dict[str, list[Row]]) -> list[tuple[str, int, str]]:
    """Return (note, rows that carry it, first rows by id), most frequent first."""
    carriers: dict[str, list[str]] = {}
    for rows in configs.values():
        for row in rows:
            for note in filter(None, row.note.split("; ")):
                carriers.setdefault(note, []).append(row.id)
    ranked = sorted(carriers.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return [(note, len(ids), ", ".join(ids[:3]) + (" ..." if len(ids) > 3 else "")) for note, ids in ranked]


def _example(configs: dict[str, list[Row]]) -> Row:
    """Return the row shown as an example."""
    return next(row for row in configs["lanna"] if row.id == EXAMPLE_ROW)
