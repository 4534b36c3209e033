"""A push to the Hub: what is sent, committed, deleted, left alone and tagged, the first time and later."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.errors import BenchError
from hub.publish import publish
from hub.publish_plan import require_as_planned
from hub.publish_summary import describe_plan
from tests.fake_hub import FakeHub
from tests.hub_publications import FILES, REPO_ID, made_publication, make_plan, push

pytest_plugins = ("tests.fake_hub_fixtures",)

WRITES = r"^(PUT|POST|DELETE) (?!.*/preupload/)"


def without_hubs_own(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: content for path, content in files.items() if path != ".gitattributes"}


def sent(hub: FakeHub) -> list[int]:
    return sorted(seen.received for seen in hub.requests("^PUT /lfs"))


def large(files: dict[str, bytes]) -> list[int]:
    return sorted(len(content) for path, content in files.items() if path.endswith((".parquet", ".png")))


@pytest.mark.parametrize("private", [True, False])
def test_the_first_push_makes_repository_commit_and_tag(private: bool, local_hub: FakeHub, tmp_path: Path) -> None:
    planned = make_plan(made_publication(tmp_path, private=private))
    assert planned.repository is None
    assert {file.path for file in planned.new} == set(FILES)
    assert (planned.changed, planned.same, planned.deleted, planned.foreign) == ((), (), (), ())
    assert planned.bytes_to_send == sum(map(len, FILES.values()))
    assert not local_hub.requests(WRITES)
    from huggingface_hub import HfApi

    published = publish(planned, HfApi())
    repository = local_hub.repository(REPO_ID)
    assert repository.private is private
    assert repository.gated is False
    assert without_hubs_own(local_hub.files(REPO_ID)) == FILES
    assert [commit.title for commit in repository.history(repository.head("main"))] == ["Version 1", "initial commit"]
    assert repository.tags == {"v1.0.0": published.revision} == {"v1.0.0": local_hub.head(REPO_ID)}
    assert (published.repo_id, published.tag, published.nothing_to_do) == (REPO_ID, "v1.0.0", False)
    assert published.url == f"{local_hub.address}/datasets/{REPO_ID}"
    assert sent(local_hub) == large(FILES)


def test_a_repository_is_private_unless_asked_otherwise(local_hub: FakeHub, tmp_path: Path) -> None:
    push(made_publication(tmp_path))
    assert local_hub.repository(REPO_ID).private


def test_a_second_version_replaces_and_deletes_ours_and_leaves_the_others(local_hub: FakeHub, tmp_path: Path) -> None:
    first = push(made_publication(tmp_path))
    local_hub.commit(REPO_ID, {"notes/by_hand.txt": b"theirs", "data/extra.csv": b"theirs"})
    second = {path: content for path, content in FILES.items() if path != "data/two/test-bbbb.parquet"}
    # Of the same size, so that only the content tells.
    second |= {"splits.json": b'{"test": ["b"]}', "data/two/test-cccc.parquet": b"PAR1 new" * 3000}
    before = sent(local_hub)
    planned = make_plan(made_publication(tmp_path / "second", second, tag="v1.1.0", message="Version 1.1"))
    assert [file.path for file in planned.new] == ["data/two/test-cccc.parquet"]
    assert [file.path for file in planned.changed] == ["splits.json"]
    assert [file.path for file in planned.deleted] == ["data/two/test-bbbb.parquet"]
    assert planned.foreign == ("data/extra.csv", "notes/by_hand.txt")
    assert {file.path for file in planned.same} == {"README.md", "data/one/test-aaaa.parquet", "plots/lengths.png"}
    from huggingface_hub import HfApi

    published = publish(planned, HfApi())
    theirs = {"notes/by_hand.txt": b"theirs", "data/extra.csv": b"theirs"}
    assert without_hubs_own(local_hub.files(REPO_ID)) == {**second, **theirs}
    assert without_hubs_own(local_hub.files(REPO_ID, "v1.0.0")) == FILES
    assert local_hub.repository(REPO_ID).tags == {"v1.0.0": first.revision, "v1.1.0": published.revision}
    assert len(local_hub.requests("POST .*/commit/")) == 2
    assert sent(local_hub) == sorted([*before, 24_000])


def test_the_same_content_again_changes_nothing(local_hub: FakeHub, tmp_path: Path) -> None:
    first = push(made_publication(tmp_path))
    local_hub.seen.clear()
    again = push(made_publication(tmp_path))
    assert again.nothing_to_do
    assert (again.revision, again.tag, again.url) == (first.revision, first.tag, first.url)
    assert not local_hub.requests(WRITES)


def test_the_same_content_under_another_tag_only_sets_the_tag(local_hub: FakeHub, tmp_path: Path) -> None:
    first = push(made_publication(tmp_path))
    local_hub.seen.clear()
    again = push(made_publication(tmp_path, tag="v1.0.1"))
    assert (again.nothing_to_do, again.revision) == (False, first.revision)
    assert [f"{seen.method} {seen.path}" for seen in local_hub.requests(WRITES)] == [
        f"POST /api/datasets/{REPO_ID}/tag/{first.revision}"
    ]
    assert local_hub.repository(REPO_ID).tags == {"v1.0.0": first.revision, "v1.0.1": first.revision}


@pytest.mark.parametrize("change", ["changed", "missing", "more"])
def test_a_tag_with_other_content_is_refused_before_anything_is_sent(
    change: str, local_hub: FakeHub, tmp_path: Path
) -> None:
    push(made_publication(tmp_path))
    files = dict(FILES)
    if change == "missing":
        del files["splits.json"]
    else:
        files["splits.json" if change == "changed" else "data/one/more.parquet"] = b"other"
    local_hub.seen.clear()
    with pytest.raises(BenchError, match=r"the tag v1\.0\.0 stands at other content .* give another --tag"):
        make_plan(made_publication(tmp_path / "other", files))
    assert not local_hub.requests(WRITES)


def test_a_tag_at_this_content_stays_where_it_is_when_the_head_went_on(local_hub: FakeHub, tmp_path: Path) -> None:
    first = push(made_publication(tmp_path))
    local_hub.commit(REPO_ID, {"splits.json": b"other", "notes.txt": b"theirs"})
    again = push(made_publication(tmp_path))
    assert again.revision == local_hub.head(REPO_ID) != first.revision
    assert local_hub.repository(REPO_ID).tags == {"v1.0.0": first.revision}
    assert local_hub.files(REPO_ID)["splits.json"] == FILES["splits.json"]


@pytest.mark.parametrize("tag", ["main", "", "v 1", "../v1", "-v1", "v1.", "v1/2"])
def test_a_tag_that_cannot_be_one(tag: str, local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.add_repository(REPO_ID)
    with pytest.raises(BenchError, match=r"is a branch there|cannot be a tag"):
        make_plan(made_publication(tmp_path, tag=tag))


def test_a_tag_that_somebody_sets_meanwhile(local_hub: FakeHub, tmp_path: Path) -> None:
    repository = local_hub.add_repository(REPO_ID)
    planned = make_plan(made_publication(tmp_path))
    repository.tags["v1.0.0"] = repository.head("main").id
    from huggingface_hub import HfApi

    with pytest.raises(BenchError, match=r"somebody has set the tag v1\.0\.0 elsewhere"):
        publish(planned, HfApi())


def test_the_gate_is_set_before_the_first_byte(local_hub: FakeHub, tmp_path: Path) -> None:
    push(made_publication(tmp_path, gate="manual"))
    assert local_hub.repository(REPO_ID).gated == "manual"
    steps = [f"{seen.method} {seen.path.rsplit('/', 1)[-1]}" for seen in local_hub.seen]
    gate = steps.index("PUT settings")
    # Read back before anything that carries content, of which a preupload has the first 512 bytes.
    assert local_hub.seen[gate + 1].matches(f"GET /api/datasets/{REPO_ID}$")
    carriers = [i for i, seen in enumerate(local_hub.seen) if seen.matches("/lfs|/preupload/|/commit/|/validate-yaml")]
    assert min(carriers) > gate


def test_nothing_is_sent_when_the_gate_does_not_hold(local_hub: FakeHub, tmp_path: Path) -> None:
    planned = make_plan(made_publication(tmp_path, gate="auto"))
    from huggingface_hub import HfApi

    class Ungated(HfApi):
        def update_repo_settings(self, *_: object, **__: object) -> None:
            """Do as if the Hub had taken the setting."""

    with pytest.raises(BenchError, match="the gate could not be set, so nothing was sent"):
        publish(planned, Ungated())
    assert not local_hub.requests("/lfs|/preupload/|/commit/")


@pytest.mark.parametrize(
    ("there", "asked", "after"), [("manual", "auto", "manual"), ("auto", "manual", "manual"), ("auto", None, "auto")]
)
def test_a_gate_is_never_made_weaker(
    there: str, asked: str | None, after: str, local_hub: FakeHub, tmp_path: Path
) -> None:
    local_hub.add_repository(REPO_ID, gated=there)  # type: ignore[arg-type]
    push(made_publication(tmp_path, gate=asked))
    assert local_hub.repository(REPO_ID).gated == after


def test_a_missing_gate_is_work_left_to_do(local_hub: FakeHub, tmp_path: Path) -> None:
    push(made_publication(tmp_path))
    published = push(made_publication(tmp_path, gate="auto"))
    assert not published.nothing_to_do
    assert local_hub.repository(REPO_ID).gated == "auto"


@pytest.mark.parametrize("private", [True, False])
def test_the_visibility_of_a_repository_that_exists_stays(private: bool, local_hub: FakeHub, tmp_path: Path) -> None:
    local_hub.add_repository(REPO_ID, private=private)
    push(made_publication(tmp_path, private=not private, gate="auto"))
    assert local_hub.repository(REPO_ID).private is private


@pytest.mark.parametrize("name", ["data/one/test-aaaa.parquet", "README.md"])
def test_a_file_that_changes_while_it_is_checked_stops_the_push(local_hub: FakeHub, tmp_path: Path, name: str) -> None:
    """Also one that is small enough to be held in memory, which would be sent as it was before."""
    planned = make_plan(made_publication(tmp_path))
    require_as_planned(planned)
    (tmp_path / name).write_bytes(FILES[name] + b"more")
    with pytest.raises(BenchError, match=r"was changed since its checksum was taken"):
        require_as_planned(planned)


def test_a_file_that_changes_between_plan_and_push_is_not_sent(
    local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hub.publish_files.KEPT_BYTES", 10_000)
    planned = make_plan(made_publication(tmp_path))
    (tmp_path / "data/two/test-bbbb.parquet").write_bytes(b"PAR1 new" * 2000)
    # A small one is held as it was checked.
    (tmp_path / "data/one/test-aaaa.parquet").write_bytes(b"PAR1 new" * 1000)
    from huggingface_hub import HfApi

    with pytest.raises(BenchError, match=r"test-bbbb\.parquet: was changed"):
        publish(planned, HfApi())
    assert not local_hub.requests("/commit/|^PUT /lfs")


def test_a_file_that_changes_while_it_is_sent_is_not_committed(
    local_hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hub.publish_files.KEPT_BYTES", 0)
    planned = make_plan(made_publication(tmp_path))
    from huggingface_hub import HfApi

    class Late(HfApi):
        def preupload_lfs_files(self, *arguments: object, **named: object) -> None:
            super().preupload_lfs_files(*arguments, **named)  # type: ignore[arg-type]
            (tmp_path / "data/two/test-bbbb.parquet").write_bytes(b"PAR1 new" * 2000)

    with pytest.raises(BenchError, match=r"test-bbbb\.parquet: was changed"):
        publish(planned, Late())
    assert not local_hub.requests("/commit/")


def test_a_commit_that_lacks_a_file_is_not_tagged(local_hub: FakeHub, tmp_path: Path) -> None:
    planned = make_plan(made_publication(tmp_path))
    from huggingface_hub import HfApi

    class Ignoring(HfApi):
        def create_commit(self, repo_id: str, operations: list[object], **named: object) -> object:  # type: ignore[override]
            kept = [each for each in operations if "splits" not in each.path_in_repo]  # type: ignore[attr-defined]
            return super().create_commit(repo_id, kept, **named)  # type: ignore[call-overload]

    with pytest.raises(BenchError, match=r"lacks splits\.json, so it was not tagged; if a \.gitignore"):
        publish(planned, Ignoring())
    assert local_hub.repository(REPO_ID).tags == {}


def test_the_description_names_all_that_a_maintainer_must_know(local_hub: FakeHub, tmp_path: Path) -> None:
    first = describe_plan(make_plan(made_publication(tmp_path, gate="manual")))
    assert f"{local_hub.address}/datasets/{REPO_ID}\n" in first
    assert "visibility: private (the repository will be made)" in first
    assert "gate: manual, readers accept the terms and are let in one by one (will be set before" in first
    assert "new: 5 files, 24.1 kB\n    README.md  31 B\n" in first
    assert "tag: v1.0.0, will be set" in first
    push(made_publication(tmp_path))
    local_hub.commit(REPO_ID, {"notes.txt": b"theirs"})
    local_hub.repository(REPO_ID).private = False
    files = {path: content for path, content in FILES.items() if not path.startswith("plots")}
    second = describe_plan(make_plan(made_publication(tmp_path / "2", {**files, "splits.json": b"x"}, tag="v2")))
    assert "visibility: public (stays as it is)" in second
    assert "gate: none" in second
    assert "changed: 1 file, 1 B\n    splits.json  1 B" in second
    assert "deleted, no longer built: 1 file, 12 B\n    plots/lengths.png" in second
    assert "as there already: 3 files" in second
    assert "not ours, left alone:\n    notes.txt\n" in second
    assert ".gitattributes" not in second
    push(made_publication(tmp_path / "2", tag="v1.0.0"))
    assert describe_plan(make_plan(made_publication(tmp_path / "2"))).endswith("Nothing to do.")


def test_a_long_list_is_cut(local_hub: FakeHub, tmp_path: Path) -> None:
    files = {f"data/many/test-{number:04}.parquet": b"PAR1" for number in range(30)}
    text = describe_plan(make_plan(made_publication(tmp_path, files)))
    assert (text.count(".parquet"), "and 10 more" in text) == (20, True)


def test_a_publication_is_consistent(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"not among the owned paths: notes\.txt"):
        made_publication(tmp_path, {"notes.txt": b""})
