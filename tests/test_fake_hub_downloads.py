"""The stand-in Hub, as the real clients see it: files, whole and in part, data sets, and processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.fake_hub import ORGANIZATION, FakeHub

pytest_plugins = ("tests.fake_hub_fixtures",)

REPO_ID = f"{ORGANIZATION}/some.data_set"
CARD = b"""---
configs:
- config_name: default
  data_files:
  - split: test
    path: data/test-*.parquet
---
# Made up
"""


def test_a_download_that_breaks_is_taken_up_where_it_broke(
    local_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants, hf_hub_download

    chunk = 1000
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", chunk)
    content = bytes(range(250)) * 200
    local_hub.add_repository(REPO_ID, {"large.parquet": content})
    local_hub.break_download_after(2 * chunk, "large.parquet")
    fetched = Path(hf_hub_download(REPO_ID, "large.parquet", repo_type="dataset"))
    assert [seen.range for seen in local_hub.requests("^GET .*/resolve/")] == ["", f"bytes={2 * chunk}-"]
    assert fetched.read_bytes() == content


@pytest.mark.parametrize(
    ("wanted", "start", "stop"), [("bytes=3-", 3, 12), ("bytes=2-4", 2, 5), ("bytes=-4", 8, 12), ("bytes=5-99", 5, 12)]
)
def test_ranges(wanted: str, start: int, stop: int, local_hub: FakeHub) -> None:
    import httpx

    content = b"0123456789ab"
    local_hub.add_repository(REPO_ID, {"a.txt": content})
    address = f"{local_hub.address}/datasets/{REPO_ID}/resolve/main/a.txt"
    answer = httpx.get(address, headers={"Range": wanted})
    assert (answer.status_code, answer.content) == (206, content[start:stop])
    assert answer.headers["Content-Range"] == f"bytes {start}-{stop - 1}/12"
    assert httpx.get(address, headers={"Range": "bytes=12-"}).status_code == 416
    head = httpx.head(address)
    assert (head.headers["Content-Length"], head.headers["X-Repo-Commit"]) == ("12", local_hub.head(REPO_ID))


@pytest.mark.parametrize("streaming", [False, True])
def test_a_data_set_is_loaded_at_its_tag(streaming: bool, local_hub: FakeHub) -> None:
    from datasets import Dataset, load_dataset

    def parquet(*numbers: int) -> bytes:
        path = local_hub.folder / "made.parquet"
        Dataset.from_dict({"number": numbers}).to_parquet(path)
        return path.read_bytes()

    local_hub.add_repository(REPO_ID, {"README.md": CARD, "data/test-00000.parquet": parquet(1, 2)}, tags=["v1"])
    local_hub.commit(REPO_ID, {"data/test-00000.parquet": parquet(3)})
    rows = load_dataset(REPO_ID, split="test", revision="v1", streaming=streaming)
    assert [row["number"] for row in rows] == [1, 2]
    rows = load_dataset(REPO_ID, split="test", streaming=streaming)
    assert [row["number"] for row in rows] == [3]


def test_a_process_of_its_own_uses_it_by_the_environment(local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.add_repository(REPO_ID, {"a.txt": b"a"}, private=True)
    program = f"""
import json
from huggingface_hub import HfApi, snapshot_download
HfApi().upload_file(path_or_fileobj=b"more", path_in_repo="more.txt", repo_id={REPO_ID!r}, repo_type="dataset")
print(json.dumps(snapshot_download({REPO_ID!r}, repo_type="dataset")))
"""
    network_log = tmp_path / "network.log"
    environment = {
        **os.environ,
        **local_hub.environment(),
        "PYTHONPATH": str(REPOSITORY / "tests" / "no_network"),
        "NETWORK_LOG": str(network_log),
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    folder = Path(json.loads(done.stdout))
    assert folder.is_relative_to(local_hub.folder)
    assert (folder / "more.txt").read_bytes() == b"more"
    assert not network_log.exists()
