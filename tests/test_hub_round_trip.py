"""From a built folder to the Hub and back: push by command, load by name, evaluate on the name, for both data sets."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from healthdial import cli as healthdial_cli
from healthdial.schema import DATA_VARIABLE as HEALTHDIAL_DATA
from hub.errors import BenchError
from tests.fake_hub import ORGANIZATION, FakeHub
from tests.test_tasks_processes import Place, details, results
from tests.tiny_model import save_tiny_model
from thai_dialect_bench import cli as thai_cli
from thai_dialect_bench.schema import DATA_VARIABLE as THAI_DATA

pytest_plugins = ("tests.fake_hub_fixtures", "tests.healthdial_built_sample", "tests.healthdial_text_sample")

THAI, TEXTS, RECORDINGS = (f"{ORGANIZATION}/{name}" for name in ("thai-dialects", "healthdial", "healthdial-audio"))


def run(app: Any, *arguments: str) -> Result:
    """Run a command as on the command line; an error of ours is raised."""
    outcome = CliRunner().invoke(app, list(arguments))
    if isinstance(outcome.exception, BenchError):
        raise outcome.exception
    assert outcome.exit_code == 0, outcome.output
    return outcome


def push_thai(folder: Path, *more: str) -> str:
    return run(thai_cli.app, "push", THAI, "--dir", str(folder), "--sample", "--yes", *more).stdout


def push_healthdial(repo_id: str, folder: Path, *more: str) -> str:
    return run(healthdial_cli.app, "push", repo_id, "--dir", str(folder), "--sample", "--yes", *more).stdout


def rows(path: str, config: str, **settings: Any) -> list[dict[str, Any]]:
    from datasets import Audio, load_dataset

    loaded = load_dataset(path, config, **settings)
    features = loaded.features or {}
    for name, feature in features.items():
        if isinstance(feature, Audio):
            loaded = loaded.cast_column(name, Audio(decode=False))
    return list(loaded)


def test_thai_rows_are_the_same_from_folder_and_hub(local_hub: FakeHub, sample_data: Path) -> None:
    said = push_thai(sample_data)
    revision = local_hub.head(THAI)
    assert f"Revision to pin: {revision} (tag v1.0.0-sample)" in said
    assert f'load_dataset("{THAI}", "lanna", split="test", revision="v1.0.0-sample")' in said
    assert f"{THAI_DATA}={THAI}@v1.0.0-sample python -m tasks" in said
    for config in ("lanna", "parallel", "qa_v1"):
        own = rows(str(sample_data), config, split="test")
        for pinned in ("v1.0.0-sample", revision):
            assert rows(THAI, config, split="test", revision=pinned) == own
        assert rows(THAI, config, split="test", revision=revision, streaming=True) == own


def test_healthdial_texts_go_alone_and_recordings_to_a_repository_of_their_own(
    local_hub: FakeHub, healthdial_sample: Path
) -> None:
    said = push_healthdial(TEXTS, healthdial_sample)
    assert 'load_dataset("' + TEXTS + '", "dialogues_eng", split="test", revision="v1.0.0-sample")' in said
    there = local_hub.files(TEXTS, "v1.0.0-sample")
    assert not [path for path in there if "user_turns" in path or "system_turns" in path or "README.text" in path]
    assert {"README.md", "LICENSE.md", "splits.json", "import_report.json"} <= set(there)
    push_healthdial(RECORDINGS, healthdial_sample, "--audio")
    for repo_id, config in ((TEXTS, "filtering_ara"), (RECORDINGS, "filtering_ara"), (RECORDINGS, "user_turns_zho")):
        own = rows(str(healthdial_sample), config, split="test")
        assert rows(repo_id, config, split="test", revision="v1.0.0-sample") == own
        assert rows(repo_id, config, split="test", revision="v1.0.0-sample", streaming=True) == own


def test_texts_do_not_replace_recordings_nor_recordings_texts(local_hub: FakeHub, healthdial_sample: Path) -> None:
    push_healthdial(RECORDINGS, healthdial_sample, "--audio")
    push_healthdial(TEXTS, healthdial_sample)
    heads = local_hub.head(RECORDINGS), local_hub.head(TEXTS)
    with pytest.raises(BenchError, match="holds recordings, which this push would delete"):
        push_healthdial(RECORDINGS, healthdial_sample, "--tag", "v2")
    with pytest.raises(BenchError, match="a repository of its own"):
        push_healthdial(TEXTS, healthdial_sample, "--audio", "--tag", "v2")
    assert (local_hub.head(RECORDINGS), local_hub.head(TEXTS)) == heads


def test_recordings_never_go_among_texts(local_hub: FakeHub, healthdial_sample: Path, tmp_path: Path) -> None:
    """Whatever the cards say: the rows are looked at. An older build has no card of its texts."""
    folder = Path(shutil.copytree(healthdial_sample, tmp_path / "healthdial"))
    (folder / "README.text.md").unlink()
    with pytest.raises(BenchError, match=r"holds recordings but no README\.text\.md.*build it again"):
        push_healthdial(TEXTS, folder)
    shutil.copyfile(folder / "README.md", folder / "README.text.md")
    with pytest.raises(BenchError, match=r"_turns_ara.*holds recordings, which are never pushed among texts"):
        push_healthdial(TEXTS, folder)
    assert not local_hub.requests("POST|PUT")


def test_a_data_set_without_recordings_has_a_second_version(
    local_hub: FakeHub, built_texts: Path, healthdial_sample: Path, tmp_path: Path
) -> None:
    """Its user turns are texts, and new files take the place of the old ones."""
    folder = Path(shutil.copytree(built_texts, tmp_path / "healthdial"))
    push_healthdial(TEXTS, folder)
    assert any(path.startswith("data/user_turns_") for path in local_hub.files(TEXTS))
    with pytest.raises(BenchError, match="a repository of its own"):
        push_healthdial(TEXTS, healthdial_sample, "--audio", "--tag", "v2")
    push_healthdial(TEXTS, healthdial_sample, "--tag", "v2")
    assert not any(path.startswith("data/user_turns_") for path in local_hub.files(TEXTS))


def test_a_second_version_replaces_files_and_the_first_stays_pinned(local_hub: FakeHub, thai_copy: Path) -> None:
    push_thai(thai_copy)
    first = rows(THAI, "lanna", split="test", revision="v1.0.0-sample")
    card = thai_copy / "README.md"
    card.write_text(card.read_text(encoding="utf-8") + "\nA second version.\n", encoding="utf-8")
    with pytest.raises(BenchError, match=r"v1\.0\.0-sample.*--tag"):
        push_thai(thai_copy)
    said = push_thai(thai_copy, "--tag", "v1.0.1")
    assert "changed: 1 file" in said
    assert rows(THAI, "lanna", split="test", revision="v1.0.0-sample") == first
    assert local_hub.files(THAI, "v1.0.1") != local_hub.files(THAI, "v1.0.0-sample")
    assert "There already" in push_thai(thai_copy, "--tag", "v1.0.1")


def test_a_dry_run_sends_nothing(local_hub: FakeHub, sample_data: Path) -> None:
    said = run(thai_cli.app, "push", THAI, "--dir", str(sample_data), "--sample", "--dry-run").stdout
    assert "Nothing was sent" in said
    assert "visibility: private (the repository will be made)" in said
    assert "MIT, written by this project" in said
    assert {seen.method for seen in local_hub.seen} <= {"GET", "HEAD"}


def test_what_must_not_be_pushed(local_hub: FakeHub, sample_data: Path, thai_copy: Path, tmp_path: Path) -> None:
    command = ["push", THAI, "--dir"]
    with pytest.raises(BenchError, match="built from the bundled sample, not the benchmark; give --sample"):
        run(thai_cli.app, *command, str(sample_data), "--yes")
    with pytest.raises(BenchError, match="no built data set; run thai-dialect-bench build"):
        run(thai_cli.app, *command, str(tmp_path), "--yes")
    with pytest.raises(BenchError, match=r"no terminal to ask on.*--yes"):
        run(thai_cli.app, *command, str(sample_data), "--sample")
    with pytest.raises(BenchError, match=r"section 2 of LICENSE\.md.*--terms-accepted"):
        run(healthdial_cli.app, "push", RECORDINGS, "--audio", "--yes")
    next(thai_copy.glob("data/lanna/*")).unlink()
    with pytest.raises(BenchError, match="1 fault, so it cannot be published"):
        run(thai_cli.app, *command, str(thai_copy), "--sample", "--yes")
    assert not local_hub.requests("POST|PUT")


@pytest.fixture
def thai_copy(sample_data: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_data, tmp_path / "copy" / "thai_dialect_bench"))


def evaluated(place: Place, out: str, command: list[str], variables: dict[str, str]) -> tuple[Any, Any]:
    """Return the scores and answers of a run."""
    place.run(["-m", "tasks", *command, "--output-dir", out], **variables)
    return json.loads(json.dumps(results(place.folder / out)["results"])), details(place.folder / out)


def test_thai_scores_are_the_same_on_folder_and_hub(local_hub: FakeHub, sample_data: Path, tmp_path: Path) -> None:
    push_thai(sample_data)
    save_tiny_model(tmp_path / "tiny", end_bias=2)
    place = Place(tmp_path)
    command = ["accelerate", f"model_name={tmp_path / 'tiny'},batch_size=8", "thai_dialect_qa|0", "--max-samples", "2"]
    folder = evaluated(place, "folder", command, {THAI_DATA: str(sample_data)})
    on_hub = {**local_hub.environment(), THAI_DATA: f"{THAI}@v1.0.0-sample"}
    assert evaluated(place, "hub", command, on_hub) == folder


def test_healthdial_scores_are_the_same_on_folder_and_hub(
    local_hub: FakeHub, healthdial_sample: Path, tmp_path: Path
) -> None:
    push_healthdial(TEXTS, healthdial_sample)
    place = Place(tmp_path)
    model = str(Path(__file__).parents[1] / "healthdial" / "systems" / "bm25.py")
    command = ["custom", "bm25", model, "healthdial_retrieval|0"]
    folder = evaluated(place, "folder", command, {HEALTHDIAL_DATA: str(healthdial_sample)})
    on_hub = {**local_hub.environment(), HEALTHDIAL_DATA: f"{TEXTS}@v1.0.0-sample"}
    assert evaluated(place, "hub", command, on_hub) == folder
    said = place.run(
        ["-m", "tasks", "custom", "x", model, "healthdial_asr:eng|0", "--output-dir", "asr"], status=2, **on_hub
    )
    assert f"{HEALTHDIAL_DATA}={TEXTS}: no config user_turns_eng. Name a data set that holds it" in said
    assert os.fspath(tmp_path) not in json.dumps(folder[0])
