"""Recordings go to the Hub only when asked for and behind a gate, whatever a card says; no push replaces them."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from healthdial import cli
from healthdial.card import TEXT_CARD_FILE
from hub.commands import PushContent, PushOptions
from hub.commands import push as push_folder
from hub.errors import BenchError
from hub.faults import ContentRules
from hub.publish_recordings import files_with_recordings, holds_recordings
from tests.fake_hub import ORGANIZATION, FakeHub

pytest_plugins = ("tests.fake_hub_fixtures", "tests.healthdial_built_sample", "tests.healthdial_text_sample")

REPO_ID = f"{ORGANIZATION}/health"


def push(folder: Path, *more: str) -> str:
    outcome = CliRunner().invoke(cli.app, ["push", REPO_ID, "--dir", str(folder), "--yes", *more])
    if isinstance(outcome.exception, BenchError):
        raise outcome.exception
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


@pytest.fixture
def real(healthdial_sample: Path, tmp_path: Path) -> Path:
    """A data set with recordings that does not say that it is a sample."""
    folder = Path(shutil.copytree(healthdial_sample, tmp_path / "real" / "healthdial"))
    for name in ("README.md", TEXT_CARD_FILE):
        card = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(card.replace("(SAMPLE)", ""), encoding="utf-8")
    return folder


def parquet(column: Any) -> io.BytesIO:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table({"text": ["a"] * len(column), "audio": column}), file, write_statistics=False)
    return file


@pytest.mark.parametrize("late", [0, 50])
@pytest.mark.parametrize("shape", ["struct", "plain", "list"])
def test_a_recording_is_found_at_any_depth_and_after_rows_without(shape: str, late: int) -> None:
    import pyarrow as pa

    kinds = {"struct": pa.struct({"bytes": pa.binary(), "path": pa.string()}), "plain": pa.binary()}
    kinds["list"] = pa.list_(kinds["struct"])
    values: dict[str, Any] = {"struct": {"bytes": b"RIFF", "path": "a.wav"}, "plain": b"RIFF"}
    values["list"] = [{"bytes": None, "path": "b"}, values["struct"]]
    empty: dict[str, Any] = {"struct": {"bytes": None, "path": "a.wav"}, "plain": None}
    empty["list"] = [empty["struct"]]
    assert holds_recordings(parquet(pa.array([None, empty[shape]] * late + [values[shape]], kinds[shape])))
    assert not holds_recordings(parquet(pa.array([None, empty[shape]] * 30, kinds[shape])))


def test_what_is_no_parquet_file_is_left_to_the_check(tmp_path: Path) -> None:
    import pyarrow as pa

    (tmp_path / "a.parquet").write_bytes(parquet(pa.array([b"RIFF"])).getvalue())
    for name in ("b.parquet", "c.png"):
        (tmp_path / name).write_bytes(b"RIFF")
    assert files_with_recordings(sorted(tmp_path.iterdir())) == [tmp_path / "a.parquet"]


def test_without_the_card_of_the_texts_nothing_goes_out(local_hub: FakeHub, real: Path) -> None:
    (real / TEXT_CARD_FILE).unlink()
    with pytest.raises(BenchError, match=r"holds recordings but no README\.text\.md.*build it again"):
        push(real, "--public")
    assert not local_hub.seen


def test_a_card_of_the_texts_that_names_recordings_is_refused(local_hub: FakeHub, real: Path) -> None:
    shutil.copyfile(real / "README.md", real / TEXT_CARD_FILE)
    expected = rf"{re.escape(str(real))}/data/\w+/\S+\.parquet: holds recordings, which are never pushed among texts"
    with pytest.raises(BenchError, match=expected):
        push(real, "--public")
    assert not local_hub.store.repositories


@pytest.mark.parametrize(
    ("with_recordings", "said"), [(False, "never pushed among texts"), (True, "behind a gate only")]
)
def test_the_push_itself_looks_for_recordings(
    with_recordings: bool, said: str, local_hub: FakeHub, healthdial_sample: Path
) -> None:
    rules = ContentRules(owned_files=(r"splits\.json", r"import_report\.json", r"README\.text\.md", r"plots/.*"))
    content = PushContent(healthdial_sample, rules, (), "", "", with_recordings=with_recordings)
    with pytest.raises(BenchError, match=said):
        push_folder(content, PushOptions(REPO_ID, "v1", yes=True))
    assert not local_hub.store.repositories


def test_a_data_set_built_without_recordings_has_a_second_version(
    local_hub: FakeHub, built_texts: Path, tmp_path: Path
) -> None:
    push(built_texts, "--sample", "--tag", "v1")
    second = Path(shutil.copytree(built_texts, tmp_path / "second" / "healthdial"))
    old = next((second / "data" / "user_turns_eng").glob("test-*.parquet"))
    new = re.sub(r"[0-9a-f]{16}", "0123456789abcdef", old.name)
    card = (second / "README.md").read_text(encoding="utf-8")
    old.rename(old.with_name(new))
    (second / "README.md").write_text(card.replace(old.name, new), encoding="utf-8")
    said = push(second, "--sample", "--tag", "v2")
    assert "deleted, no longer built: 1 file" in said
    there = local_hub.files(REPO_ID, "v2")
    assert f"data/user_turns_eng/{new}" in there
    assert f"data/user_turns_eng/{old.name}" not in there


def test_a_data_set_built_without_recordings_is_a_text_to_the_others(
    local_hub: FakeHub, built_texts: Path, real: Path
) -> None:
    push(built_texts, "--sample", "--tag", "v1")
    head = local_hub.head(REPO_ID)
    with pytest.raises(BenchError, match=r"holds other content than recordings.*a repository of its own"):
        push(real, "--audio", "--terms-accepted", "--tag", "v2")
    assert local_hub.head(REPO_ID) == head
    push(real, "--tag", "v2")
    assert not [path for path in local_hub.files(REPO_ID, "v2") if "_turns_eng" in path and "user" in path]


def test_it_does_not_replace_recordings(local_hub: FakeHub, built_texts: Path, real: Path) -> None:
    push(real, "--audio", "--terms-accepted", "--tag", "v1")
    assert local_hub.repository(REPO_ID).gated == "manual"
    head = local_hub.head(REPO_ID)
    # A card that says nothing of recordings makes no difference.
    local_hub.commit(REPO_ID, {"README.md": b"---\nlicense: mit\n---\n"})
    with pytest.raises(BenchError, match="holds recordings, which this push would delete"):
        push(built_texts, "--sample", "--tag", "v2")
    assert local_hub.repository(REPO_ID).tags == {"v1": head}
    push(real, "--audio", "--terms-accepted", "--tag", "v2")


def test_a_file_there_that_cannot_be_read_stops_the_push(local_hub: FakeHub, built_texts: Path) -> None:
    name = "data/user_turns_eng/test-0123456789abcdef.parquet"
    local_hub.add_repository(REPO_ID, {name: b"PAR1"})
    with pytest.raises(BenchError, match=f"{name} there is no whole Parquet file"):
        push(built_texts, "--sample")
    assert set(local_hub.files(REPO_ID)) >= {name}
