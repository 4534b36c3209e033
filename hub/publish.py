"""Publish a built data set on the Hub as planned: gate, large files, one commit, tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hub.errors import BenchError
from hub.publish_errors import addresses_without_queries, call, named_errors, status_of
from hub.publish_files import LocalFile, remote_files
from hub.publish_plan import GATE_STRENGTH, Plan, read_info

if TYPE_CHECKING:
    from huggingface_hub import HfApi

GROUP_BYTES = 64 * 2**20
"""Files are sent in groups of so many bytes or one file, each of which the Hub then has for good."""
GROUP_FILES = 50


@dataclass(frozen=True)
class Published:
    """A version on the Hub.

    Attributes:
        repo_id: ``owner/name``.
        revision: Commit that holds it, to be pinned.
        tag: Its name.
        url: Page of the data set.
        nothing_to_do: Whether all of it was there before.
    """

    repo_id: str
    revision: str
    tag: str
    url: str
    nothing_to_do: bool


def publish(plan: Plan, api: HfApi) -> Published:
    """Carry out a plan.

    A missing repository is made; the visibility of one that exists is never changed. The gate is set and read back
    before any file is sent. Large files go up first, then one commit adds, replaces and deletes everything at once,
    provided that the head is still the one of the plan; it is read back, then the tag is set. A push that was broken
    off is taken up by planning and publishing again: the Hub keeps the files that it has received whole.

    Each file is read once more while it is sent, so with `plan` twice in all, its first block a third time.

    Args:
        plan: The plan, made just before.
        api: The client that made it.

    Raises:
        BenchError: The Hub refuses, somebody pushed since the plan was made, or a file was changed since.
        UnreachableError: The Hub cannot be reached or stays broken.
    """
    publication = plan.publication
    revision = plan.repository.head if plan.repository else ""
    if not plan.nothing_to_do:
        with named_errors(plan.page), addresses_without_queries():
            if plan.repository is None:
                revision = _create_repository(plan, api)
            if publication.gate is not None:
                _ensure_gate(plan, api)
            if plan.needs_commit:
                _send_files(plan, api)
                revision = _commit(plan, api, revision)
                _verify(plan, api, revision)
            if plan.tag_state == "absent":
                _set_tag(plan, api, revision)
    return Published(publication.repo_id, revision, publication.tag, plan.page, plan.nothing_to_do)


def _create_repository(plan: Plan, api: HfApi) -> str:
    """Make the repository and return its first commit."""
    from huggingface_hub.errors import HfHubHTTPError

    publication = plan.publication
    try:
        call(
            "making the repository",
            lambda: api.create_repo(publication.repo_id, repo_type="dataset", private=publication.private),
        )
    except HfHubHTTPError as error:
        if status_of(error) != 409:
            raise
        raise BenchError(
            f"{plan.page}: somebody made a repository of this name meanwhile, or an earlier try did; nothing was "
            "sent: run the command again, which looks at what is there"
        ) from None
    info = read_info(publication, api)
    if publication.private and not info.private:
        raise BenchError(
            f"{plan.page}: was made, but the Hub made it public; nothing was sent: make it private in its Settings, "
            "then run the command again"
        )
    return info.sha or ""


def _ensure_gate(plan: Plan, api: HfApi) -> None:
    """Set the gate if there is none or a weaker one, and read it back."""
    publication, gate = plan.publication, plan.publication.gate

    def is_set() -> bool:
        return GATE_STRENGTH[read_info(publication, api).gated] >= GATE_STRENGTH[gate]

    if is_set():
        return
    call(
        "setting the gate",
        lambda: api.update_repo_settings(publication.repo_id, repo_type="dataset", gated=gate),
    )
    if not is_set():
        raise BenchError(
            f"{plan.page}: the gate could not be set, so nothing was sent; set it under Settings, Gated user access, "
            "then run the command again"
        )


def _send_files(plan: Plan, api: HfApi) -> None:
    """Send what goes to LFS; small files and texts go with the commit."""
    from tqdm import tqdm

    with tqdm(total=plan.bytes_to_send, desc="upload", unit="B", unit_scale=True) as progress:
        for group in _groups(plan.to_send):
            _require_unchanged(group)
            # The content goes from an operation once it is sent; its SHA-256 and size stay for the commit.
            with _no_bars_of_the_client():
                api.preupload_lfs_files(
                    plan.publication.repo_id, [file.addition for file in group], repo_type="dataset", num_threads=4
                )
            _require_unchanged(group)
            progress.update(sum(file.size for file in group))


def _groups(files: Iterable[LocalFile]) -> Iterator[list[LocalFile]]:
    group: list[LocalFile] = []
    for file in files:
        is_full = len(group) == GROUP_FILES or sum(each.size for each in group) + file.size > GROUP_BYTES
        if group and is_full:
            yield group
            group = []
        group.append(file)
    if group:
        yield group


def _require_unchanged(files: Iterable[LocalFile]) -> None:
    for file in files:
        file.require_unchanged()


def _commit(plan: Plan, api: HfApi, head: str) -> str:
    """Commit everything at once on top of a head, and return the commit."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    operations: list[CommitOperationAdd | CommitOperationDelete] = [
        *(file.addition for file in plan.to_send),
        *(CommitOperationDelete(file.path, is_folder=False) for file in plan.deleted),
    ]
    with _no_bars_of_the_client():
        commit = call(
            "committing",
            lambda: api.create_commit(
                plan.publication.repo_id,
                operations,
                commit_message=plan.publication.message,
                repo_type="dataset",
                parent_commit=head or None,
            ),
        )
    _require_unchanged(plan.to_send)
    return commit.oid


@contextmanager
def _no_bars_of_the_client() -> Iterator[None]:
    """Keep the client's bars away, which count the files that it need not send, as "Upload 0 LFS files"."""
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    if are_progress_bars_disabled():
        yield
        return
    disable_progress_bars()
    try:
        yield
    finally:
        enable_progress_bars()


def _verify(plan: Plan, api: HfApi, revision: str) -> None:
    """Raise `BenchError` if the commit does not hold what was sent."""
    files = call("reading the commit", lambda: remote_files(api, plan.publication.repo_id, revision))
    missing = [file.path for file in plan.to_send if not file.is_content_of(files.get(file.path))]
    if missing:
        raise BenchError(
            f"{plan.page}: the commit {revision[:12]} lacks {_names(missing)}, so it was not tagged; if a .gitignore "
            "there leaves them out, remove it, then run the command again"
        )


def _names(paths: Sequence[str]) -> str:
    return ", ".join(paths[:5]) + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")


def _set_tag(plan: Plan, api: HfApi, revision: str) -> None:
    """Set the tag; an answer that it exists is right if it is at this revision, from a try whose answer was lost."""
    from huggingface_hub.errors import HfHubHTTPError

    repo_id, tag = plan.publication.repo_id, plan.publication.tag
    with named_errors(f"{plan.page}: the files are there (commit {revision[:12]}), only the tag {tag} is missing"):
        try:
            call("setting the tag", lambda: api.create_tag(repo_id, tag=tag, revision=revision, repo_type="dataset"))
        except HfHubHTTPError as error:
            if status_of(error) != 409:
                raise
            references = call("listing the tags", lambda: api.list_repo_refs(repo_id, repo_type="dataset"))
            if not any(there.name == tag and there.target_commit == revision for there in references.tags):
                raise BenchError(
                    f"{plan.page}: the files are there (commit {revision[:12]}), but somebody has set the tag {tag} "
                    "elsewhere meanwhile; give another --tag"
                ) from None
