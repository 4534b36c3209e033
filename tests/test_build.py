"""The builder: loadable offline, plain and streaming, never stale, the same bytes twice, whole after a failure."""

from __future__ import annotations

import errno
import os
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import yaml
from datasets import load_dataset

from thai_dialect_bench import build as build_module
from thai_dialect_bench.build import SAMPLE_FOLDER, build, build_sample
from thai_dialect_bench.errors import BenchError
from thai_dialect_bench.release import Release, read_release
from thai_dialect_bench.rows import build_rows
from thai_dialect_bench.schema import CONFIGS, VARIETIES


@pytest.fixture(scope="module")
def sample() -> Release:
    return read_release(SAMPLE_FOLDER, sample=True)


@pytest.fixture
def cache(tmp_path: Path) -> str:
    return str(tmp_path / "cache")


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_two_builds_are_byte_identical(sample: Release, tmp_path: Path) -> None:
    build(sample, tmp_path / "a")
    build(sample, tmp_path / "b")
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
    assert len(files_of(tmp_path / "a")) == len(CONFIGS) + len(("README.md", "LICENSE.md"))


@pytest.mark.parametrize("streaming", [False, True])
def test_every_config_loads_by_folder_name(
    sample: Release, tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch, streaming: bool
) -> None:
    build(sample, tmp_path / "thai_dialect_bench")
    monkeypatch.chdir(tmp_path)
    configs = build_rows(sample)
    for config in (*VARIETIES, "qa_v1"):
        loaded = load_dataset("thai_dialect_bench", config, split="test", streaming=streaming, cache_dir=cache)
        assert list(loaded) == [asdict(row) for row in configs[config]]
    parallel = list(load_dataset("thai_dialect_bench", "parallel", split="test", streaming=streaming, cache_dir=cache))
    assert [row["item"] for row in parallel] == [row.item for row in configs["central"]]
    assert parallel[0]["reference_lanna"] == configs["lanna"][0].reference


def changed(sample: Release) -> Release:
    tables = {variety: dict(by_task) for variety, by_task in sample.tables.items()}
    tables["lanna"]["qa"] = [{**record, "text_2": record["text_2"][::-1]} for record in tables["lanna"]["qa"]]
    return replace(sample, tables=tables)


def test_rows_are_never_stale_after_a_rebuild(sample: Release, tmp_path: Path, cache: str) -> None:
    folder = tmp_path / "thai_dialect_bench"
    for release in (sample, changed(sample), sample):
        build(release, folder)
        loaded = load_dataset(str(folder), "lanna", split="test", cache_dir=cache)
        assert loaded["reference"] == [row.reference for row in build_rows(release)["lanna"]]
    assert len(list((folder / "data" / "lanna").iterdir())) == 1


def test_foreign_files_are_left_alone(sample: Release, tmp_path: Path) -> None:
    (tmp_path / "data" / "lanna").mkdir(parents=True)
    (tmp_path / "data" / "lanna" / "mine.parquet").write_text("x")
    build(sample, tmp_path)
    assert (tmp_path / "data" / "lanna" / "mine.parquet").read_text() == "x"


def test_disk_full_is_named_and_leaves_the_earlier_build_whole(
    sample: Release, tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(sample, tmp_path)
    before = files_of(tmp_path)
    real_write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if "dambro" in str(path):
            real_write(path, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return real_write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(BenchError, match="the disk is full"):
            build(changed(sample), tmp_path)
    after = files_of(tmp_path)
    assert before.items() <= after.items()
    assert not [name for name in after if name.endswith(".tmp")]
    loaded = load_dataset(str(tmp_path), "lanna", split="test", cache_dir=cache)
    assert loaded["reference"] == [row.reference for row in build_rows(sample)["lanna"]]


def test_card_of_the_sample_says_sample_and_counts(tmp_path: Path) -> None:
    built = build_sample(tmp_path)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    metadata = yaml.safe_load(card.split("---")[1])
    assert "> **SAMPLE.**" in card
    assert "SAMPLE" in metadata["pretty_name"]
    assert metadata["source_datasets"] == ["original"]
    assert [config["config_name"] for config in metadata["configs"]] == list(CONFIGS)
    examples = {info["config_name"]: info["splits"][0]["num_examples"] for info in metadata["dataset_info"]}
    assert examples == {config.name: config.rows for config in built.configs}
    assert all((tmp_path / config["data_files"][0]["path"]).is_file() for config in metadata["configs"])


def test_card_of_modified_data_claims_nothing_of_the_release(sample: Release, tmp_path: Path) -> None:
    build(replace(sample, origin="modified@0123456789ab", modified=("table north__qa",)), tmp_path)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "**MODIFIED.**" in card
    assert "byte for" not in card
    assert "159" not in card


def test_card_of_the_release_has_the_measured_statistics(upstream: Path, tmp_path: Path) -> None:
    build(read_release(upstream), tmp_path)
    lines = (tmp_path / "README.md").read_text(encoding="utf-8").splitlines()
    # Measured on the release with PyThaiNLP 5.0.4 and other code.
    assert "| central | qa | context | 20 | 0 | 0 | 564.9 (183-1116) | 2897 / 2380 |  |  |" in lines
    assert "| lanna | summarization | reference | 20 | 0 | 0 | 219.2 (120-382) | 1093 / 961 | 0.821 | 0 |" in lines
    assert (
        "| isan | translation_from_english | reference | 20 | 0 | 0 | 105.2 (54-142) | 612 / 541 | 0.678 | 0 |"
        in lines
    )
    assert len([line for line in lines if line.startswith("| central | qa_v1 | ")]) == 3
    assert "| dambro | food | input | 10 | 0 | 1 | 12.1 (6-20) | 29 / 29 | 0.025 | 0 |" in lines
    assert not any("SAMPLE" in line for line in lines)


def test_a_module_named_like_the_folder_would_break_loading() -> None:
    package = Path(build_module.__file__).parent
    assert not (package / f"{package.name}.py").exists()


def test_no_column_hits_the_viewers_statistics_fault(sample: Release, tmp_path: Path) -> None:
    """A string column of more than 10 values whose lengths span exactly 1 loses the viewer its statistics."""
    import pyarrow.parquet as pq

    for config in build(sample, tmp_path).configs:
        table = pq.read_table(tmp_path / config.file)
        for name in table.column_names:
            values = [value for value in table[name].to_pylist() if isinstance(value, str)]
            lengths = {len(value) for value in values}
            assert len(set(values)) <= 10 or max(lengths) - min(lengths) != 1, (config.name, name)
