"""What a HealthDial build puts out: loadable offline, the release's samples, fit for the viewer, k-anonymous."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import xxhash
import yaml
from datasets import Audio, Dataset, IterableDataset, load_dataset

from benchmarks.healthdial_files import write_release
from benchmarks.healthdial_generator import generate_release
from benchmarks.healthdial_records import system_file_name
from benchmarks.healthdial_signal import Clip
from healthdial import shards
from healthdial.languages import LANGUAGES
from healthdial.release import ReadOptions
from healthdial.rows import DEMOGRAPHICS
from healthdial.schema import AUDIO_ROW_GROUP, CORPUS_SPLIT, SPEAKERS_SPLIT, SPLITS, config_names, features_of
from healthdial.speakers import FIELDS_GIVEN_UP
from tests.healthdial_built import (
    Built,
    CleanRelease,
    Row,
    TrappedBuild,
    build_folder,
    clean_release,
    decoded,
    options,
    released,
    smallest_groups,
    write_splits,
)

pytest_plugins = ("tests.healthdial_fixtures",)
pytestmark = pytest.mark.usefixtures("quick_plots")

CONFIGS = config_names(tuple(LANGUAGES))
AUDIO_CONFIGS = [config for config in CONFIGS if config.startswith(("user_turns", "system_turns"))]


def loaded_rows(loaded: Dataset | IterableDataset) -> list[Row]:
    if "audio" in loaded.features:
        loaded = loaded.cast_column("audio", Audio(16_000, num_channels=1, decode=False))
    return list(loaded)


def card_of(folder: Path) -> dict[str, Any]:
    metadata: dict[str, Any] = yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("\n---\n")[0])
    return metadata


def listed_files(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Return the card's (config, split) -> files."""
    found = {}
    for config in card_of(folder)["configs"]:
        for part in config["data_files"]:
            path = part["path"]
            found[config["config_name"], part["split"]] = [path] if isinstance(path, str) else path
    return found


def test_there_is_every_config(clean: CleanRelease) -> None:
    assert clean.built.configs == CONFIGS
    assert [config["config_name"] for config in card_of(clean.built.folder)["configs"]] == CONFIGS


@pytest.fixture
def quick_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the card be parsed by libyaml, ten times as fast."""
    monkeypatch.setattr(yaml, "SafeLoader", getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@pytest.mark.usefixtures("quick_yaml")
@pytest.mark.parametrize("config", CONFIGS)
def test_a_config_loads_plain_and_streaming(clean: CleanRelease, config: str, cache: str) -> None:
    plain = load_dataset(str(clean.built.folder), config, cache_dir=cache)
    streamed = load_dataset(str(clean.built.folder), config, streaming=True, cache_dir=cache)
    info = next(one for one in card_of(clean.built.folder)["dataset_info"] if one["config_name"] == config)
    assert [*plain] == [*streamed] == [split["name"] for split in info["splits"]]
    for split, counts in zip(plain, info["splits"], strict=True):
        assert plain[split].features == streamed[split].features == features_of(config)
        rows = loaded_rows(plain[split])
        assert rows == loaded_rows(streamed[split])
        assert counts["num_examples"] == len(rows) > 0
    assert info["download_size"] == sum(file.stat().st_size for file in clean.built.files_of(config))
    assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])


def test_splits_are_those_of_the_release(clean: CleanRelease) -> None:
    names = {config.name: [split.name for split in config.splits] for config in clean.built.dataset.configs}
    for config, splits in names.items():
        if config.startswith("snippets"):
            assert splits == [CORPUS_SPLIT]
        elif config == "speakers":
            assert splits == [SPEAKERS_SPLIT]
        else:
            assert splits == [*SPLITS[1:]] if config.startswith(("retrieval", "filtering")) else [*SPLITS]


@pytest.mark.parametrize("streaming", [False, True])
def test_the_folder_name_is_enough(
    clean: CleanRelease, cache: str, monkeypatch: pytest.MonkeyPatch, streaming: bool
) -> None:
    monkeypatch.chdir(clean.built.folder.parent)
    rows = []
    for split in SPLITS:
        loaded = load_dataset("healthdial", "user_turns_eng", split=split, streaming=streaming, cache_dir=cache)
        rows += [row["transcription"] for row in loaded_rows(loaded)]
    assert rows == [row["transcription"] for row in clean.built.rows("user_turns_eng")]
    assert "torchcodec" not in sys.modules


def test_a_module_named_like_the_folder_would_break_loading() -> None:
    package = Path(shards.__file__).parent
    assert not (package / f"{package.name}.py").exists()


def test_a_split_without_rows_is_left_out(tmp_path: Path, cache: str) -> None:
    """All dialogues of a short list are for training, and one language has no parallel turns."""
    write_release(generate_release(dialogues=2, folders=("english",)), tmp_path / "release")
    built = build_folder(tmp_path / "release", tmp_path / "out", options(tmp_path), ReadOptions(audio=False))
    expected = ("user_turns_eng", "system_turns_eng", "dialogues_eng", "snippets_eng", "turn_classification_eng")
    assert built.configs == [*expected, "speakers"]
    assert [*load_dataset(str(built.folder), "user_turns_eng", cache_dir=cache)] == ["train"]
    assert {row["audio_status"] for row in built.rows("user_turns_eng")} == {"missing"}
    assert {row["audio"] for row in built.rows("user_turns_eng")} == {None}


@pytest.mark.parametrize("config", AUDIO_CONFIGS)
def test_recordings_are_the_releases_samples(clean: CleanRelease, config: str) -> None:
    rows = clean.built.rows(config)
    for row in rows:
        samples = decoded(row)
        assert np.array_equal(samples, released(clean.release, row))
        assert row["audio_sha256"] == hashlib.sha256(samples.astype("<i2").tobytes()).hexdigest()
        assert row["duration_s"] == np.float32(len(samples) / 16_000)
        assert (row["audio_status"], row["audio"]["path"]) == ("ok", f"{row['utterance_id']}.flac")
    turns = sum(len(one["utterance"]) for one in clean.release.dialogues[LANGUAGES[config[-3:]].folder])
    dialogues = len(clean.release.dialogues["english"])
    assert len(rows) == (turns - dialogues) // 2 + (dialogues if config.startswith("system") else 0)


def test_flac_and_wav_hold_the_same_samples(clean: CleanRelease, tmp_path: Path) -> None:
    wav = build_folder(
        clean.folder,
        tmp_path / "wav",
        options(clean.key_folder, audio_format="wav", checks=False),
        ReadOptions(languages=("eng",)),
    )
    for config in ("user_turns_eng", "system_turns_eng"):
        for row, other in zip(wav.rows(config), clean.built.rows(config), strict=True):
            assert row["audio"]["bytes"][:4] == b"RIFF"
            assert np.array_equal(decoded(row), decoded(other))
            assert row["audio_sha256"] is None
            differing = {"audio", "audio_sha256"}
            assert {key: row[key] for key in row.keys() - differing} == {
                key: other[key] for key in other.keys() - differing
            }


def test_row_groups_pages_and_names_suit_the_viewer(traps: TrappedBuild) -> None:
    largest = 0
    for config in traps.built.configs:
        for file in traps.built.files_of(config):
            metadata = pq.read_metadata(file)
            groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
            assert all(group.column(at).has_offset_index for group in groups for at in range(metadata.num_columns))
            assert file.stem.endswith("-" + xxhash.xxh3_128(file.read_bytes()).hexdigest()[:16])
            if config in AUDIO_CONFIGS:
                largest = max(largest, *(group.num_rows for group in groups))
                assert pq.read_schema(file).names[0] == "audio"
                assert all(group.column(2).has_column_index for group in groups)
    assert largest == AUDIO_ROW_GROUP == 50


def test_the_card_lists_every_parquet_file_once(clean: CleanRelease) -> None:
    listed = [file for files in listed_files(clean.built.folder).values() for file in files]
    on_disk = {str(path.relative_to(clean.built.folder)) for path in clean.built.folder.rglob("*.parquet")}
    assert len(listed) == len(set(listed))
    assert set(listed) == on_disk


def test_shards_groups_and_files_roll_over_in_row_order(
    clean: CleanRelease, tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "PLANNED_BYTES", 250_000)
    monkeypatch.setattr(shards, "MAX_FILE_BYTES", 60_000)
    monkeypatch.setattr(shards, "GROUP_BYTES", 30_000)
    english = ReadOptions(languages=("eng",))
    small = build_folder(clean.folder, tmp_path / "out", options(clean.key_folder), english)
    files = listed_files(small.folder)["user_turns_eng", "train"]
    shard_numbers = [Path(file).name.split("-")[1] for file in files]
    assert len(set(shard_numbers)) > 1
    assert len(files) > len(set(shard_numbers))
    assert shard_numbers == sorted(shard_numbers)
    groups = [
        len(pq.ParquetFile(small.folder / file).read_row_group(number))
        for file in files
        for number in range(pq.read_metadata(small.folder / file).num_row_groups)
    ]
    assert max(groups) < 5
    usual = clean.built.rows("user_turns_eng")
    assert small.rows("user_turns_eng") == usual
    loaded = load_dataset(str(small.folder), "user_turns_eng", cache_dir=cache)
    assert [row["utterance_id"] for split in loaded for row in loaded_rows(loaded[split])] == [
        row["utterance_id"] for row in usual
    ]


def first_clips(built: Built) -> list[float]:
    """Return the length of the first clip of every split with audio."""
    found = []
    for config in (one for one in built.configs if one in AUDIO_CONFIGS):
        for split in next(one for one in built.dataset.configs if one.name == config).splits:
            lengths = pq.read_table(built.folder / split.files[0], columns=["duration_s"])["duration_s"].to_pylist()
            found.append(next(length for length in lengths if length is not None))
    return found


def test_no_split_starts_with_a_whole_number_of_seconds(clean: CleanRelease) -> None:
    assert len(first_clips(clean.built)) == 3 * len(AUDIO_CONFIGS)
    assert all(length % 1 for length in first_clips(clean.built))
    assert [row["duration_s"] for row in clean.built.rows("user_turns_eng")].count(1.0) == 3


def test_a_missing_clip_does_not_hide_a_whole_number_of_seconds(tmp_path: Path) -> None:
    release = clean_release()
    utterances = release.dialogues["english"][0]["utterance"]
    del release.audio["english"][utterances[1]["audio_name"]]
    release.audio["english"][utterances[3]["audio_name"]] = Clip(1, 1000, 16_000)
    del release.system_audio["english"][system_file_name(release.dialogues["english"][0]["task_id"], 0)]
    write_release(release, tmp_path / "release")
    write_splits(release, tmp_path / "release")
    english = ReadOptions(languages=("eng",))
    built = build_folder(tmp_path / "release", tmp_path / "out", options(tmp_path), english)
    assert all(length % 1 for length in first_clips(built))


def test_ids_have_one_length_so_that_the_viewer_keeps_its_statistics(clean: CleanRelease) -> None:
    columns = ("utterance_id", "dialogue_id", "speaker_id", "query_id", "snippet_id")
    for config in clean.built.configs:
        for column in set(columns) & clean.built.rows(config)[0].keys():
            assert len({len(row[column]) for row in clean.built.rows(config)}) == 1, (config, column)


@pytest.mark.parametrize("k", [2, 5])
def test_every_published_combination_has_k_speakers(tmp_path: Path, k: int) -> None:
    folders = ("english", "arabic")
    release = generate_release(dialogues=30, folders=folders, speakers=30, seconds=(1, 1.1), user_turns=(2, 2))
    write_release(release, tmp_path / "release")
    built = build_folder(tmp_path / "release", tmp_path / "out", options(tmp_path, k=k), ReadOptions(audio=False))
    everyone = built.rows("speakers")
    turns = [row for code in ("ara", "eng") for row in built.rows(f"user_turns_{code}")]
    assert {row["speaker_id"] for row in turns} == {row["speaker_id"] for row in everyone}
    for rows in (everyone, turns):
        smallest = smallest_groups(rows, DEMOGRAPHICS)
        assert smallest
        assert min(smallest.values()) >= k
    published = built.dataset.publication
    assert {code: reached >= k for code, reached in published.k_reached.items()} == dict.fromkeys(
        published.k_reached, 1
    )
    for code, fields in published.given_up.items():
        assert fields == FIELDS_GIVEN_UP[: len(fields)]
        own = [row for row in everyone if row["language"] == code]
        assert all(row[column] is None for row in own for column in fields)
        assert all(any(row[column] for row in own) for column in FIELDS_GIVEN_UP[len(fields) :])
