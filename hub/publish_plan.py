"""Plan a push to the Hub: what it has of a built data set, and what would be sent, replaced, deleted and tagged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hub.errors import BenchError
from hub.publish_errors import call, named_errors
from hub.publish_files import LocalFile, RemoteFile, are_content_of, read_local_file, remote_files

if TYPE_CHECKING:
    from huggingface_hub import DatasetInfo, HfApi

Gate = Literal["auto", "manual"]
TagState = Literal["absent", "same"]

GATE_STRENGTH: Mapping[str | bool | None, int] = {None: 0, False: 0, "auto": 1, "manual": 2}
HUBS_OWN_FILES = frozenset({".gitattributes"})
"""What the Hub itself puts into a new repository."""
ANSWER_SECONDS = 30
"""Longest wait for an answer about the repository."""


@dataclass(frozen=True)
class Publication:
    r"""What is to be on the Hub after a push.

    Attributes:
        repo_id: ``owner/name``.
        files: Path in the repository -> file.
        owned: Regular expressions; a path that one matches in full is ours, and is deleted when it is no longer built.
        private: Whether a repository that does not exist yet is made private; an existing one stays as it is.
        gate: Who lets readers in, at least: the Hub at once (``auto``) or the owner (``manual``); None: none is set.
        tag: Name of the version, such as ``v1.0.0``.
        message: First line of the commit.

    Raises:
        ValueError: A path is not one of the owned.
    """

    repo_id: str
    files: Mapping[str, Path]
    owned: tuple[str, ...]
    private: bool = True
    gate: Gate | None = None
    tag: str = "v1.0.0"
    message: str = "Publish the data set"

    def __post_init__(self) -> None:
        foreign = [path for path in self.files if not self.owns(path)]
        if foreign:
            raise ValueError(f"not among the owned paths: {', '.join(foreign)}")

    def owns(self, path: str) -> bool:
        """Return whether a path in the repository is ours."""
        return any(re.fullmatch(pattern, path) for pattern in self.owned)


@dataclass(frozen=True)
class Repository:
    """The data set's repository as it was when the push was planned.

    Attributes:
        head: Commit of the main branch.
        private: Whether only the owner sees it.
        gate: ``auto``, ``manual`` or False.
        files: Path -> file of that commit.
        tags: Tag -> commit.
        branches: Names.
    """

    head: str
    private: bool
    gate: str | bool
    files: Mapping[str, RemoteFile]
    tags: Mapping[str, str]
    branches: frozenset[str]


@dataclass(frozen=True)
class Plan:
    """What a push would do.

    Attributes:
        publication: What is to be on the Hub.
        page: Address of the data set's page.
        repository: What is there; None if it is to be made.
        new: Files that the head does not have.
        changed: Files that the head has with other content.
        same: Files that the head has as they are.
        deleted: Our files in the head that are no longer built.
        foreign: Paths of others' files in the head, which stay; the Hub's own .gitattributes is not among them.
        tag_state: Whether the tag is absent, or stands at a revision with this content.
    """

    publication: Publication
    page: str
    repository: Repository | None
    new: tuple[LocalFile, ...] = field(repr=False)
    changed: tuple[LocalFile, ...] = field(repr=False)
    same: tuple[LocalFile, ...] = field(repr=False)
    deleted: tuple[RemoteFile, ...] = ()
    foreign: tuple[str, ...] = ()
    tag_state: TagState = "absent"

    @property
    def to_send(self) -> tuple[LocalFile, ...]:
        """Files that the commit adds or replaces."""
        return (*self.new, *self.changed)

    @property
    def bytes_to_send(self) -> int:
        """Bytes that are sent at most: what an earlier push left in the Hub's storage is not sent again."""
        return sum(file.size for file in self.to_send)

    @property
    def needs_commit(self) -> bool:
        """Whether the head's content is another."""
        return bool(self.to_send or self.deleted)

    @property
    def needs_gate(self) -> bool:
        """Whether the gate that is asked for is stronger than the one there."""
        there = self.repository.gate if self.repository else False
        return GATE_STRENGTH[self.publication.gate] > GATE_STRENGTH[there]

    @property
    def nothing_to_do(self) -> bool:
        """Whether the Hub has all of it, tag and gate included."""
        return self.repository is not None and not (self.needs_commit or self.needs_gate or self.tag_state == "absent")


def require_as_planned(planned: Plan) -> None:
    """Raise `BenchError` if a file was written since the plan read it: a check after that saw another one."""
    for file in (*planned.new, *planned.changed, *planned.same):
        file.require_as_read()


def plan(publication: Publication, api: HfApi) -> Plan:
    """Find out what a push would do; nothing is changed on the Hub.

    Every file is read once, for its SHA-256, which says whether the Hub has it (its LFS names content by SHA-256).

    Withdrawn data is not removed by a push that leaves it out: earlier commits keep it. It goes only with
    ``HfApi.super_squash_history`` after such a push and the deletion of the tags that hold it, which no command of
    ours does, since it ends every pinned revision.

    Args:
        publication: What is to be on the Hub.
        api: The client, with its endpoint and token.

    Raises:
        BenchError: The token may not write there, the name is that of a model or a Space, the tag is taken by other
            content, or a file cannot be read.
        UnreachableError: The Hub cannot be reached or stays broken.
    """
    page = f"{api.endpoint}/datasets/{publication.repo_id}"
    with named_errors(page):
        _require_names(publication, page)
        _require_write_access(publication, api, page)
        repository = _find_repository(publication, api, page)
    head = repository.files if repository else {}
    local = _read_files(publication, head)
    gone = [path for path in head if path not in publication.files and path not in HUBS_OWN_FILES]
    with named_errors(page):
        tag_state = _tag_state(publication, repository, local, api, page)
    return Plan(
        publication,
        page,
        repository,
        new=tuple(file for file in local if file.path not in head),
        changed=tuple(file for file in local if file.path in head and not file.is_content_of(head[file.path])),
        same=tuple(file for file in local if file.is_content_of(head.get(file.path))),
        deleted=tuple(head[path] for path in gone if publication.owns(path)),
        foreign=tuple(path for path in gone if not publication.owns(path)),
        tag_state=tag_state,
    )


def read_info(publication: Publication, api: HfApi) -> DatasetInfo:
    """Return what the Hub tells of the repository: head, visibility, gate."""
    return call("reading about the repository", lambda: api.dataset_info(publication.repo_id, timeout=ANSWER_SECONDS))


def _require_names(publication: Publication, page: str) -> None:
    from huggingface_hub.utils import validate_repo_id

    validate_repo_id(publication.repo_id)
    if publication.repo_id.count("/") != 1:
        raise BenchError(f"{page}: is no name of a data set on the Hub, whose form is owner/name")
    if not re.fullmatch(r"[A-Za-z0-9](?:[\w.+-]*[\w+-])?", publication.tag, re.ASCII):
        raise BenchError(f"{publication.tag!r} cannot be a tag; give one such as v1.0.0 with --tag")


def _require_write_access(publication: Publication, api: HfApi, page: str) -> None:
    """Refuse a token that may not write there, as far as the Hub tells."""
    who = call("asking what the token may do", api.whoami, is_first=True)
    access_token = who.get("auth", {}).get("accessToken", {})
    if not _may_write(access_token):
        raise BenchError(
            f"{page}: the access token may only read; make one that may write on the Hub's page Settings, Access "
            "Tokens, and log in with it by `hf auth login` (or set HF_TOKEN)"
        )
    namespace = publication.repo_id.split("/")[0]
    organizations = {each["name"]: each.get("roleInOrg") for each in who.get("orgs", [])}
    # A fine-grained token need not list the organisations whose repositories it may write to.
    is_known = access_token.get("role") != "fineGrained"
    if is_known and namespace != who.get("name") and organizations.get(namespace, "read") == "read":
        raise BenchError(
            f"{page}: the token's account may not write in {namespace}; give a name of your own or of one of your "
            "organisations, ask to be let in with the role write, or log in with another token"
        )


def _may_write(access_token: Mapping[str, Any]) -> bool:
    """Return whether a token may write, by what ``whoami`` tells of it; True for a kind that is not known."""
    rights = access_token.get("fineGrained")
    if access_token.get("role") != "fineGrained" or not rights:
        return access_token.get("role") != "read"
    permissions = set(rights.get("global", []))
    for scope in rights.get("scoped", []):
        permissions.update(scope.get("permissions", []))
    return not permissions or any("write" in permission for permission in permissions)


def _find_repository(publication: Publication, api: HfApi, page: str) -> Repository | None:
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    repo_id = publication.repo_id
    try:
        info = read_info(publication, api)
    except GatedRepoError:
        raise
    except RepositoryNotFoundError:
        _require_free_name(repo_id, api, page)
        return None
    if info.id.lower() != repo_id.lower():
        raise BenchError(f"{page}: has moved to {info.id}; give that name")
    head = info.sha or ""
    files = call("listing the repository", lambda: remote_files(api, repo_id, head))
    references = call("listing the tags", lambda: api.list_repo_refs(repo_id, repo_type="dataset"))
    return Repository(
        head=head,
        private=bool(info.private),
        gate=info.gated or False,
        files=files,
        tags={tag.name: tag.target_commit for tag in references.tags},
        branches=frozenset(branch.name for branch in references.branches),
    )


def _require_free_name(repo_id: str, api: HfApi, page: str) -> None:
    for kind, called in (("model", "a model"), ("space", "a Space")):
        if call(f"looking for {called}", partial(api.repo_exists, repo_id, repo_type=kind)):
            raise BenchError(f"{page}: {repo_id} is {called}, not a data set; give another name")


def _read_files(publication: Publication, head: Mapping[str, RemoteFile]) -> list[LocalFile]:
    from tqdm import tqdm

    sizes = {path: file.stat().st_size if file.is_file() else 0 for path, file in publication.files.items()}
    local = []
    with tqdm(total=sum(sizes.values()), desc="checksums", unit="B", unit_scale=True) as progress:
        for path, file in sorted(publication.files.items()):
            local.append(read_local_file(path, file, head.get(path)))
            progress.update(sizes[path])
    return local


def _tag_state(
    publication: Publication, repository: Repository | None, local: Iterable[LocalFile], api: HfApi, page: str
) -> TagState:
    tag = publication.tag
    if repository is None:
        return "absent"
    if tag in repository.branches:
        raise BenchError(f"{page}: {tag} is a branch there; give another --tag")
    if tag not in repository.tags:
        return "absent"
    there = call("reading the tag", lambda: remote_files(api, publication.repo_id, repository.tags[tag]))
    is_whole = are_content_of(local, there)
    if not is_whole or any(publication.owns(path) and path not in publication.files for path in there):
        raise BenchError(
            f"{page}: the tag {tag} stands at other content (commit {repository.tags[tag][:12]}), and a version that "
            "was published stays as it is; give another --tag"
        )
    return "same"
