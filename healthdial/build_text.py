"""The configs without audio: dialogues, snippets, task items, parallel views and speakers, each to Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from healthdial.bm25 import BM25Index
from healthdial.build_audio import AudioConfigs, built_split, dialogue_speaker
from healthdial.dialogues import Dialogue
from healthdial.parquet_files import write_table
from healthdial.release import Release
from healthdial.rows import (
    classification_rows,
    dialogue_row,
    filtering_rows,
    parallel_dialogues,
    parallel_snippet_rows,
    parallel_turn_rows,
    retrieval_rows,
    snippet_row,
)
from healthdial.schema import CORPUS_SPLIT, SPEAKERS_SPLIT, SPLITS, TEXT_ROW_GROUP, BuiltConfig, features_of
from healthdial.speakers import Publication
from healthdial.tables import Row, arrow_table
from healthdial.tokenization import retrieval_tokenizer

CRAWL_DATE = "2025-05-11"
"""When the authors fetched WHO's pages (paper, section on the knowledge base)."""
WHO_LICENCE = "(c) World Health Organization; non-commercial use with attribution, see LICENSE.md"
SAMPLE_LICENCE = "MIT (invented sample text)"

CANDIDATES = 50
"""Candidates of a filtering item, the most that the paper's Table 3 uses."""
EVALUATED_SPLITS = ("validation", "test")
"""Splits of the retrieval and filtering items."""

SplitRows = dict[str, list[Row]]


@dataclass
class TextConfigs:
    """The built configs without audio.

    Attributes:
        configs: What lies on disk.
        rows: Config -> split -> rows, of the configs that the card's statistics read, without nested columns.
    """

    configs: list[BuiltConfig] = field(default_factory=list)
    rows: dict[str, SplitRows] = field(default_factory=dict)


def write_text_configs(release: Release, publication: Publication, audio: AudioConfigs, out: Path) -> TextConfigs:
    """Write all configs without audio; a split without rows, and a config without splits, is left out.

    Args:
        release: The release.
        publication: What may be said of its speakers.
        audio: The configs with audio, for the speakers' hours.
        out: The data set's folder.
    """
    built = TextConfigs()
    for language in tqdm(release.languages, desc="texts", unit="language"):
        for name, splits in _language_rows(release, publication, language):
            _write(f"{name}_{language}", splits, out, built)
    parallel: SplitRows = {split: [] for split in SPLITS}
    for split, versions in parallel_dialogues(release.dialogues, release.splits.split_of):
        parallel[split] += parallel_turn_rows(versions, release.knowledge, release.findings)
    _write("parallel_turns", parallel, out, built)
    _write("snippets_parallel", {CORPUS_SPLIT: parallel_snippet_rows(release.knowledge)}, out, built)
    _write("speakers", {SPEAKERS_SPLIT: _speaker_rows(publication, audio)}, out, built)
    return built


def _write(name: str, splits: SplitRows, out: Path, built: TextConfigs) -> None:
    """Write one config."""
    features = features_of(name)
    filled = {split: rows for split, rows in splits.items() if rows}
    if not filled:
        return
    on_disk = [
        built_split(
            split,
            [write_table(out, f"data/{name}/{split}", arrow_table(rows, name, features.arrow_schema), TEXT_ROW_GROUP)],
        )
        for split, rows in filled.items()
    ]
    # Rows of all configs and languages together are the most that a build holds in memory.
    if name.startswith("dialogues"):
        built.rows[name] = {
            split: [{column: value for column, value in row.items() if column != "turns"} for row in rows]
            for split, rows in filled.items()
        }
    built.configs.append(BuiltConfig(name, tuple(on_disk), features._to_yaml_list()))


def _language_rows(release: Release, publication: Publication, language: str) -> Iterator[tuple[str, SplitRows]]:
    """Yield the rows of a language's configs, one config at a time."""
    by_split: dict[str, list[Dialogue]] = {split: [] for split in SPLITS}
    for dialogue in release.dialogues[language]:
        by_split[release.splits.split_of[dialogue.id]].append(dialogue)
    knowledge = release.knowledge
    crawl_date, licence = (None, SAMPLE_LICENCE) if release.is_sample else (CRAWL_DATE, WHO_LICENCE)
    yield (
        "dialogues",
        {
            split: [dialogue_row(one, knowledge, dialogue_speaker(one, publication)) for one in own]
            for split, own in by_split.items()
        },
    )
    snippets = [snippet_row(one, crawl_date, licence) for one in knowledge.of_language(language)]
    yield "snippets", {CORPUS_SPLIT: snippets}
    yield (
        "turn_classification",
        {split: [row for dialogue in own for row in classification_rows(dialogue)] for split, own in by_split.items()},
    )
    retrieval = {
        split: [row for dialogue in by_split[split] for row in retrieval_rows(dialogue, knowledge)]
        for split in EVALUATED_SPLITS
    }
    yield "retrieval", retrieval
    yield "filtering", _filtering(release, language, retrieval)


def _filtering(release: Release, language: str, retrieval: SplitRows) -> SplitRows:
    """Return retrieval items with the candidates of BM25 over the language's parallel snippets."""
    if not any(retrieval.values()):
        return {}
    corpus = release.knowledge.corpus(language)
    index = BM25Index.build([snippet.document for snippet in corpus], retrieval_tokenizer(language))
    filled = {}
    for split, rows in retrieval.items():
        best, scores = index.top([row["query"] for row in rows], CANDIDATES)
        candidates: Sequence[list[tuple[str, float]]] = [
            [(corpus[document].id, float(score)) for document, score in zip(own_best, own_scores, strict=True)]
            for own_best, own_scores in zip(best, scores, strict=True)
        ]
        filled[split] = filtering_rows(rows, candidates)
    return filled


def _speaker_rows(publication: Publication, audio: AudioConfigs) -> list[Row]:
    """Return one row a speaker, ordered by id."""
    turns: dict[str, list[Row]] = {}
    for config, splits in audio.rows.items():
        if config.startswith("user_turns"):
            for rows in splits.values():
                for row in rows:
                    turns.setdefault(row["speaker_id"], []).append(row)
    rows = []
    for speaker in sorted(publication.speakers.values(), key=lambda one: one.speaker_id):
        own = turns.get(speaker.speaker_id, [])
        durations = [row["duration_s"] for row in own if row["duration_s"] is not None]
        rows.append(
            {
                "speaker_id": speaker.speaker_id,
                "language": speaker.language,
                "gender": speaker.gender,
                "age_group": speaker.age_group,
                "education": speaker.education,
                "language_variety": speaker.language_variety,
                "dialogues": len({row["dialogue_id"] for row in own}),
                "user_turns": len(own),
                "hours": sum(durations) / 3600 if durations else None,
            }
        )
    return rows
