"""The JSON forms in which the stand-in Hub tells of repositories, files, references, commits and accounts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import yaml

from tests.fake_hub_access import Account
from tests.fake_hub_store import FIRST_MOMENT, BlobStore, Commit, Repository, StoredFile

Form = dict[str, Any]
POINTER_BYTES = 130


def date_form(date: datetime) -> str:
    return date.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def account_form(account: Account) -> Form:
    organizations = [{"type": "org", "name": name, "roleInOrg": "write"} for name in account.organizations]
    access_token = {"role": account.role, "displayName": "made up"}
    auth = {"type": "access_token", "accessToken": access_token}
    return {"type": "user", "name": account.name, "fullname": account.name, "orgs": organizations, "auth": auth}


def repository_form(repository: Repository, commit: Commit, blobs: BlobStore, *, with_sizes: bool) -> Form:
    siblings = [sibling_form(path, file, with_sizes) for path, file in sorted(commit.files.items())]
    return {
        "_id": hashlib.sha1(repository.id.encode()).hexdigest()[:24],
        "id": repository.id,
        "author": repository.owner,
        "sha": commit.id,
        "private": repository.private,
        "gated": repository.gated,
        "disabled": False,
        "createdAt": date_form(FIRST_MOMENT),
        "lastModified": date_form(commit.date),
        "tags": [],
        "cardData": _card_data(commit, blobs),
        "siblings": siblings,
    }


def sibling_form(path: str, file: StoredFile, with_sizes: bool) -> Form:
    if not with_sizes:
        return {"rfilename": path}
    form: Form = {"rfilename": path, "size": file.blob.size, "blobId": file.object_id}
    if file.is_lfs:
        form["lfs"] = {"sha256": file.blob.sha256, "size": file.blob.size, "pointerSize": POINTER_BYTES}
    return form


def file_form(path: str, file: StoredFile) -> Form:
    form: Form = {"type": "file", "path": path, "size": file.blob.size, "oid": file.object_id}
    if file.is_lfs:
        form["lfs"] = {"oid": file.blob.sha256, "size": file.blob.size, "pointerSize": POINTER_BYTES}
    return form


def folder_form(path: str) -> Form:
    return {"type": "directory", "path": path, "size": 0, "oid": hashlib.sha1(path.encode()).hexdigest()}


def expanded(form: Form, commit: Commit) -> Form:
    """Return a file's or folder's form with what the client asks for by ``expand``."""
    last = {"id": commit.id, "title": commit.title, "date": date_form(commit.date)}
    return {**form, "lastCommit": last}


def tree_forms(files: Mapping[str, StoredFile], folder: str, *, is_recursive: bool) -> list[Form]:
    """Return the files and folders below a folder ("" for the top), sorted by path; none if there is no such one."""
    prefix = f"{folder}/" if folder else ""
    forms: dict[str, Form] = {}
    for path, file in files.items():
        if not path.startswith(prefix):
            continue
        if is_recursive or "/" not in path[len(prefix) :]:
            forms[path] = file_form(path, file)
        below = list(_folders(path[len(prefix) :]))
        for name in below if is_recursive else below[:1]:
            forms[prefix + name] = folder_form(prefix + name)
    return [forms[path] for path in sorted(forms)]


def path_forms(files: Mapping[str, StoredFile], paths: list[str]) -> Iterator[Form]:
    """Yield the form of each path that is a file or a folder; the others are left out."""
    for path in paths:
        if path in files:
            yield file_form(path, files[path])
        elif any(name.startswith(f"{path}/") for name in files):
            yield folder_form(path)


def references_form(repository: Repository) -> Form:
    def listed(prefix: str, references: Mapping[str, str]) -> list[Form]:
        return [{"name": name, "ref": prefix + name, "targetCommit": target} for name, target in references.items()]

    branches, tags = listed("refs/heads/", repository.branches), listed("refs/tags/", repository.tags)
    return {"branches": branches, "tags": tags, "converts": [], "pullRequests": []}


def commit_form(commit: Commit) -> Form:
    return {
        "id": commit.id,
        "title": commit.title,
        "message": commit.message,
        "authors": [{"user": "someone"}],
        "date": date_form(commit.date),
    }


def card_metadata(text: str) -> Any:
    """Return a card's YAML, None if it has no block; raise `yaml.YAMLError`."""
    _, start, rest = text.partition("---\n")
    block, end, _ = rest.partition("\n---")
    return yaml.safe_load(block) if start and end and text.startswith("---\n") else None


def _card_data(commit: Commit, blobs: BlobStore) -> Any:
    card = commit.files.get("README.md")
    if card is None:
        return None
    try:
        return card_metadata(blobs.path(card.blob.sha256).read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError):
        return None


def _folders(path: str) -> Iterator[str]:
    parts = path.split("/")
    for end in range(1, len(parts)):
        yield "/".join(parts[:end])
