"""The stand-in Hub's refusals and broken uploads, as the real client tells of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fake_hub import ORGANIZATION, FakeHub

pytest_plugins = ("tests.fake_hub_fixtures",)

REPO_ID = f"{ORGANIZATION}/some-data"
SIZE = 300_000


def large_file(folder: Path) -> Path:
    path = folder / "large.parquet"
    path.write_bytes(bytes(range(250)) * (SIZE // 250))
    return path


def upload(path: Path) -> None:
    from huggingface_hub import HfApi

    HfApi().upload_file(
        path_or_fileobj=path, path_in_repo=path.name, repo_id=REPO_ID, repo_type="dataset", commit_message="one"
    )


def test_an_upload_that_breaks_is_taken_up_by_the_client(local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.add_repository(REPO_ID)
    local_hub.break_upload_after(100_000)
    upload(large_file(tmp_path))
    assert [seen.received for seen in local_hub.requests("^PUT")] == [100_000, SIZE]
    assert local_hub.files(REPO_ID)["large.parquet"] == (tmp_path / "large.parquet").read_bytes()


def test_an_upload_that_always_breaks_leaves_nothing(local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.add_repository(REPO_ID)
    before, path = local_hub.head(REPO_ID), large_file(tmp_path)
    kept = sorted(local_hub.store.blobs.folder.iterdir())
    local_hub.break_upload_after(0, times=None)
    with pytest.raises(RuntimeError, match="Error while uploading"):
        upload(path)
    assert local_hub.head(REPO_ID) == before
    assert sorted(local_hub.store.blobs.folder.iterdir()) == kept
    local_hub.recover()
    upload(path)
    assert local_hub.files(REPO_ID)["large.parquet"] == path.read_bytes()


def test_what_was_uploaded_before_a_refused_commit_is_not_sent_again(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub.errors import HfHubHTTPError

    local_hub.add_repository(REPO_ID)
    local_hub.refuse("POST .*/commit/", 412)
    with pytest.raises(HfHubHTTPError):
        upload(large_file(tmp_path))
    upload(tmp_path / "large.parquet")
    assert [seen.received for seen in local_hub.requests("^PUT")] == [SIZE]


def test_content_that_is_not_the_announced_one_is_refused(local_hub: FakeHub) -> None:
    import httpx

    answer = httpx.put(f"{local_hub.address}/lfs-storage/{'0' * 64}", content=b"made up")
    assert answer.status_code == 422
    assert not list(local_hub.store.blobs.folder.iterdir())


def test_a_commit_of_a_file_that_was_not_uploaded_is_refused(local_hub: FakeHub) -> None:
    import httpx

    local_hub.add_repository(REPO_ID)
    before = local_hub.head(REPO_ID)
    body = (
        '{"key": "header", "value": {"summary": "one"}}\n'
        f'{{"key": "lfsFile", "value": {{"path": "a.parquet", "oid": "{"0" * 64}"}}}}\n'
    )
    answer = httpx.post(
        f"{local_hub.address}/api/datasets/{REPO_ID}/commit/main",
        content=body,
        headers={"Authorization": f"Bearer {local_hub.token}"},
    )
    assert (answer.status_code, local_hub.head(REPO_ID)) == (400, before)


@pytest.mark.parametrize("status", [500, 503, 429])
def test_a_passing_fault_is_tried_again(
    status: int, local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("huggingface_hub.utils._http.time.sleep", waits.append)
    local_hub.add_repository(REPO_ID)
    local_hub.refuse("PUT /lfs", status, times=2, headers={"Retry-After": "7"})
    upload(large_file(tmp_path))
    # The whole body of a refused request is read, and the client waits as it was told, and a second more.
    assert [seen.received for seen in local_hub.requests("^PUT")] == [SIZE] * 3
    assert waits == [8, 8]


@pytest.mark.parametrize(
    ("pattern", "status", "message"),
    [
        ("/preupload/", 403, "you must use a write token"),
        ("objects/batch", 403, "Private repository storage limit reached"),
        ("PUT /lfs", 413, "over the quota"),
        ("/commit/", 429, "We had to rate limit you"),
    ],
)
def test_a_refusal_carries_its_status_and_message(
    pattern: str, status: int, message: str, local_hub: FakeHub, tmp_path: Path
) -> None:
    from huggingface_hub.errors import HfHubHTTPError

    local_hub.add_repository(REPO_ID)
    local_hub.refuse(pattern, status, message=message)
    with pytest.raises((HfHubHTTPError, RuntimeError)) as caught:
        upload(large_file(tmp_path))
    error = caught.value if isinstance(caught.value, HfHubHTTPError) else caught.value.__cause__
    assert isinstance(error, HfHubHTTPError)
    assert (error.response.status_code, message in str(error)) == (status, True)


def test_a_fault_may_come_later_and_for_good(local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    api = HfApi()
    local_hub.refuse("GET /api/whoami", 500, times=None, after=1)
    assert api.whoami()
    for _ in range(2):
        with pytest.raises(HfHubHTTPError):
            api.whoami()


def test_a_token_that_is_not_known(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub.errors import HfHubHTTPError

    local_hub.add_repository(REPO_ID)
    local_hub.account.role = "none"
    with pytest.raises(HfHubHTTPError, match="Invalid credentials") as caught:
        upload(large_file(tmp_path))
    assert caught.value.response.status_code == 401


def test_a_token_that_may_only_read(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    local_hub.add_repository(REPO_ID, private=True)
    local_hub.account.role = "read"
    assert HfApi().dataset_info(REPO_ID).private
    for act in (
        lambda: upload(large_file(tmp_path)),
        lambda: HfApi().create_repo(f"{REPO_ID}2", repo_type="dataset"),
        lambda: HfApi().create_tag(REPO_ID, tag="v1", repo_type="dataset"),
        lambda: HfApi().update_repo_settings(REPO_ID, repo_type="dataset", private=False),
    ):
        with pytest.raises(HfHubHTTPError) as caught:
            act()
        assert caught.value.response.status_code == 403
    assert local_hub.repository(REPO_ID).private


def test_another_namespace_may_be_read_but_not_written(local_hub: FakeHub, tmp_path: Path) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    local_hub.add_repository(REPO_ID)
    local_hub.account.organizations = ()
    assert HfApi().dataset_info(REPO_ID).id == REPO_ID
    with pytest.raises(HfHubHTTPError) as caught:
        upload(large_file(tmp_path))
    assert caught.value.response.status_code == 403


@pytest.mark.parametrize("token", [False, "hf_ofAStranger"])
def test_a_private_repository_is_as_if_absent_for_others(token: str | bool, local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    local_hub.add_account("hf_ofAStranger", "stranger")
    local_hub.add_repository(REPO_ID, private=True)
    with pytest.raises(RepositoryNotFoundError):
        HfApi(token=token).dataset_info(REPO_ID)
    assert HfApi().dataset_info(REPO_ID).id == REPO_ID


@pytest.mark.parametrize("token", [False, "hf_ofAStranger"])
def test_a_gated_repository_is_listed_but_not_read(token: str | bool, local_hub: FakeHub) -> None:
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import GatedRepoError

    stranger = local_hub.add_account("hf_ofAStranger", "stranger", role="read")
    local_hub.add_repository(REPO_ID, {"a.txt": b"a"}, gated="auto")
    assert "a.txt" in HfApi(token=token).list_repo_files(REPO_ID, repo_type="dataset")
    with pytest.raises(GatedRepoError):
        hf_hub_download(REPO_ID, "a.txt", repo_type="dataset", token=token)
    stranger.accepted.add(REPO_ID)
    for allowed in ("hf_ofAStranger", None):
        HfApi(token=allowed).auth_check(REPO_ID, repo_type="dataset")
    assert Path(hf_hub_download(REPO_ID, "a.txt", repo_type="dataset")).read_bytes() == b"a"


def test_what_the_stand_in_lacks_is_said(local_hub: FakeHub) -> None:
    import httpx

    answer = httpx.get(f"{local_hub.address}/api/daily_papers")
    assert (answer.status_code, answer.json()["error"]) == (501, "the stand-in has no GET /api/daily_papers")
