"""The stand-in Hub, as the real client sees it: repositories, commits, references and uploads."""

from __future__ import annotations

import hashlib
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tests.fake_hub import ORGANIZATION, USER, FakeHub

pytest_plugins = ("tests.fake_hub_fixtures",)

REPO_ID = f"{ORGANIZATION}/some.data_set"
CARD = """---
license: mit
configs:
- config_name: default
  data_files:
  - split: test
    path: data/test-*.parquet
---
# Made up
"""
FILES = {"README.md": CARD.encode(), "data/test-00000.parquet": b"PAR1 made up", "notes/deep/a.txt": b"text"}

# `git hash-object` (2.x) of the card, and of the LFS pointer of the Parquet file.
CARD_OBJECT = "a466d55342a8f32a10e824b46007a528b61462c1"
POINTER_OBJECT = "28fae64c911f6f9debfd73b435076afb0edc562b"


def write_folder(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_whoami_tells_name_role_and_organisations(local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi

    who = HfApi().whoami()
    assert (who["name"], [organization["name"] for organization in who["orgs"]]) == (USER, [ORGANIZATION])
    assert who["auth"]["accessToken"]["role"] == "write"
    assert [seen.authorization for seen in local_hub.seen] == [f"Bearer {local_hub.token}"]


@pytest.mark.parametrize("private", [False, True])
def test_a_repository_is_made_once(private: bool, local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    api = HfApi()
    url = api.create_repo(REPO_ID, repo_type="dataset", private=private)
    assert (url.repo_id, url.repo_type, str(url)) == (REPO_ID, "dataset", f"{local_hub.address}/datasets/{REPO_ID}")
    with pytest.raises(HfHubHTTPError) as caught:
        api.create_repo(REPO_ID, repo_type="dataset")
    assert caught.value.response.status_code == 409
    assert api.create_repo(REPO_ID, repo_type="dataset", exist_ok=True).repo_id == REPO_ID
    info = api.dataset_info(REPO_ID)
    assert (info.private, info.gated, info.sha) == (private, False, local_hub.head(REPO_ID))
    assert list(local_hub.files(REPO_ID)) == [".gitattributes"]


def test_settings(local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi

    api = HfApi()
    api.create_repo(REPO_ID, repo_type="dataset", private=True)
    api.update_repo_settings(REPO_ID, repo_type="dataset", gated="manual")
    info = api.dataset_info(REPO_ID)
    assert (info.private, info.gated) == (True, "manual")
    api.update_repo_settings(REPO_ID, repo_type="dataset", private=False, gated=False)
    info = api.dataset_info(REPO_ID)
    assert (info.private, info.gated) == (False, False)


def test_one_of_each_kind_may_share_an_id(local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    local_hub.add_repository(REPO_ID, {"model.bin": b"\0"}, kind="model")
    local_hub.add_repository(REPO_ID, kind="space")
    api = HfApi()
    with pytest.raises(RepositoryNotFoundError):
        api.dataset_info(REPO_ID)
    assert api.list_repo_files(REPO_ID) == [".gitattributes", "model.bin"]
    assert api.repo_exists(REPO_ID, repo_type="space")
    api.delete_repo(REPO_ID, repo_type="space")
    assert not api.repo_exists(REPO_ID, repo_type="space")


def test_a_folder_is_uploaded_and_comes_back(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import HfApi, snapshot_download

    api = HfApi()
    api.create_repo(REPO_ID, repo_type="dataset")
    pushed = api.upload_folder(
        repo_id=REPO_ID, repo_type="dataset", folder_path=write_folder(tmp_path / "out", FILES), commit_message="all"
    )
    assert pushed.oid == local_hub.head(REPO_ID)
    assert {path: content for path, content in local_hub.files(REPO_ID).items() if path in FILES} == FILES
    # Only the Parquet file goes to LFS, as it is.
    assert [seen.received for seen in local_hub.requests("^PUT /lfs")] == [len(FILES["data/test-00000.parquet"])]
    back = Path(snapshot_download(REPO_ID, repo_type="dataset", revision=pushed.oid))
    assert back.is_relative_to(local_hub.folder)
    assert all((back / name).read_bytes() == content for name, content in FILES.items())
    assert [(commit.commit_id, commit.title) for commit in api.list_repo_commits(REPO_ID, repo_type="dataset")] == [
        (pushed.oid, "all"),
        (local_hub.repository(REPO_ID).resolve(pushed.oid).parent, "initial commit"),
    ]


def test_what_has_not_changed_is_neither_sent_nor_committed(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import HfApi

    local_hub.add_repository(REPO_ID, FILES)
    before = local_hub.head(REPO_ID)
    folder = write_folder(tmp_path / "out", FILES)
    pushed = HfApi().upload_folder(repo_id=REPO_ID, repo_type="dataset", folder_path=folder)
    assert (pushed.oid, local_hub.head(REPO_ID)) == (before, before)
    assert not local_hub.requests("^PUT /lfs|/commit/")


def test_a_commit_adds_replaces_and_deletes_at_once(local_hub: FakeHub) -> None:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    local_hub.add_repository(REPO_ID, {**FILES, "old.txt": b"old"})
    first = local_hub.head(REPO_ID)
    HfApi().create_commit(
        REPO_ID,
        [
            CommitOperationAdd("README.md", b"---\nlicense: mit\n---\nnew"),
            CommitOperationAdd("data/more.parquet", b"PAR1 more"),
            CommitOperationDelete("old.txt"),
            CommitOperationDelete("notes/"),
        ],
        commit_message="change",
        repo_type="dataset",
        parent_commit=first,
    )
    now = local_hub.files(REPO_ID)
    assert set(now) == {".gitattributes", "README.md", "data/test-00000.parquet", "data/more.parquet"}
    assert now["README.md"].endswith(b"new")
    assert now["data/more.parquet"] == b"PAR1 more"
    assert set(local_hub.files(REPO_ID, first)) == {*FILES, ".gitattributes", "old.txt"}


def test_a_commit_on_a_stale_parent_is_refused(local_hub: FakeHub) -> None:
    from huggingface_hub import CommitOperationAdd, HfApi
    from huggingface_hub.errors import HfHubHTTPError

    local_hub.add_repository(REPO_ID, FILES)
    parent = local_hub.head(REPO_ID)
    theirs = local_hub.commit(REPO_ID, {"theirs.txt": b"theirs"}, delete=["README.md"])
    with pytest.raises(HfHubHTTPError, match="A commit has happened since") as caught:
        HfApi().create_commit(
            REPO_ID,
            [CommitOperationAdd("ours.txt", b"ours")],
            commit_message="ours",
            repo_type="dataset",
            parent_commit=parent,
        )
    assert caught.value.response.status_code == 412
    assert local_hub.head(REPO_ID) == theirs
    assert set(local_hub.files(REPO_ID)) == {*FILES, ".gitattributes", "theirs.txt"} - {"README.md"}


def test_a_card_with_broken_yaml_is_refused(local_hub: FakeHub) -> None:
    from huggingface_hub import CommitOperationAdd, HfApi

    local_hub.add_repository(REPO_ID)
    with pytest.raises(ValueError, match=r"Invalid metadata in README\.md"):
        HfApi().create_commit(
            REPO_ID,
            [CommitOperationAdd("README.md", b"---\nlicense: [mit\n---\n")],
            commit_message="card",
            repo_type="dataset",
        )


def test_references(local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, RevisionNotFoundError

    local_hub.add_repository(REPO_ID, FILES)
    first, api = local_hub.head(REPO_ID), HfApi()
    api.create_tag(REPO_ID, tag="v1.0", repo_type="dataset", tag_message="made up")
    api.create_branch(REPO_ID, branch="draft/one", repo_type="dataset", revision="v1.0")
    second = local_hub.commit(REPO_ID, {"README.md": b"new"})
    refs = api.list_repo_refs(REPO_ID, repo_type="dataset")
    assert [(tag.name, tag.ref, tag.target_commit) for tag in refs.tags] == [("v1.0", "refs/tags/v1.0", first)]
    assert {branch.name: branch.target_commit for branch in refs.branches} == {"main": second, "draft/one": first}
    assert [api.dataset_info(REPO_ID, revision=name).sha for name in ("v1.0", "draft/one", first)] == [first] * 3
    with pytest.raises(HfHubHTTPError) as caught:
        api.create_tag(REPO_ID, tag="v1.0", repo_type="dataset")
    assert caught.value.response.status_code == 409
    api.delete_tag(REPO_ID, tag="v1.0", repo_type="dataset")
    api.delete_branch(REPO_ID, branch="draft/one", repo_type="dataset")
    for gone in ("v1.0", "draft/one"):
        with pytest.raises(RevisionNotFoundError):
            api.dataset_info(REPO_ID, revision=gone)


def test_squashed_history(local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi

    local_hub.add_repository(REPO_ID, FILES, tags=["v1"])
    first, api = local_hub.head(REPO_ID), HfApi()
    local_hub.commit(REPO_ID, {"README.md": b"new"})
    api.super_squash_history(REPO_ID, repo_type="dataset", commit_message="one")
    assert [commit.title for commit in api.list_repo_commits(REPO_ID, repo_type="dataset")] == ["one"]
    assert local_hub.files(REPO_ID)["README.md"] == b"new"
    assert api.dataset_info(REPO_ID, revision="v1").sha == first


def test_tree_and_paths(local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi, RepoFile, RepoFolder

    local_hub.add_repository(REPO_ID, FILES)
    api = HfApi()

    def paths(**options: Any) -> dict[str, type]:
        return {entry.path: type(entry) for entry in api.list_repo_tree(REPO_ID, repo_type="dataset", **options)}

    top = {".gitattributes": RepoFile, "README.md": RepoFile, "data": RepoFolder, "notes": RepoFolder}
    assert paths() == top
    below = {"data/test-00000.parquet": RepoFile, "notes/deep": RepoFolder, "notes/deep/a.txt": RepoFile}
    assert paths(recursive=True, expand=True) == {**top, **below}
    assert paths(path_in_repo="notes/deep") == {"notes/deep/a.txt": RepoFile}
    told: list[Any] = api.get_paths_info(
        REPO_ID, ["README.md", "data/test-00000.parquet", "data", "absent"], repo_type="dataset"
    )
    card, parquet, folder = told
    assert (card.size, card.lfs, folder.path) == (len(FILES["README.md"]), None, "data")
    assert (card.blob_id, parquet.blob_id) == (CARD_OBJECT, POINTER_OBJECT)
    assert parquet.lfs.sha256 == hashlib.sha256(FILES["data/test-00000.parquet"]).hexdigest()
    info = api.dataset_info(REPO_ID, files_metadata=True)
    siblings = {file.rfilename: file.size for file in info.siblings or []}
    assert siblings.items() >= {name: len(content) for name, content in FILES.items()}.items()


def test_a_large_upload_is_never_held_in_memory(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import CommitOperationAdd, HfApi

    large = tmp_path / "large.parquet"
    with large.open("wb") as file:
        file.truncate(64 * 2**20)
    local_hub.add_repository(REPO_ID)
    addition = CommitOperationAdd("large.parquet", large)
    tracemalloc.start()
    try:
        HfApi().preupload_lfs_files(REPO_ID, [addition], repo_type="dataset")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert local_hub.store.blobs.find(addition.upload_info.sha256.hex()) is not None
    assert peak < large.stat().st_size / 4
