"""What the stand-in Hub answers to each request of a client; knows nothing of sockets."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args
from urllib.parse import parse_qs, unquote

import yaml

from tests import fake_hub_forms as forms
from tests.fake_hub_access import (
    Account,
    identify,
    require_account,
    require_content,
    require_visible,
    require_write,
)
from tests.fake_hub_commits import apply_operations
from tests.fake_hub_messages import Answer, Request, json_answer, refusal_answer
from tests.fake_hub_store import Kind, RefusedError, Repository, Store, is_lfs_path

LFS_STORAGE = "/lfs-storage"


@dataclass(frozen=True)
class Call:
    """A request with what its address and its token stand for."""

    request: Request
    account: Account | None
    parts: Mapping[str, str]

    def part(self, name: str) -> str:
        return unquote(self.parts[name])


class HubApi:
    """Answers requests from a store, with the rights of the accounts.

    Attributes:
        address: Where the Hub is served, without a slash at the end.
        accounts: Token -> its owner.
    """

    def __init__(self, store: Store, accounts: Mapping[str, Account]) -> None:
        self.address = ""
        self.store = store
        self.accounts = accounts

    def answer(self, request: Request) -> Answer:
        try:
            account = identify(self.accounts, request.headers.get("Authorization", ""))
            for methods, pattern, handle in _ROUTES:
                matched = re.fullmatch(pattern, request.path)
                if matched and request.method in methods:
                    return handle(self, Call(request, account, {"kind": "model", **_given(matched)}))
        except RefusedError as error:
            return refusal_answer(error)
        return json_answer({"error": f"the stand-in has no {request.method} {request.path}"}, 501)

    def _find(self, call: Call) -> Repository:
        kind = cast(Kind, call.part("kind").removesuffix("s"))
        repository = self.store.repositories.get((kind, f"{call.part('owner')}/{call.part('name')}"))
        return require_visible(repository, call.account)

    def _find_to_write(self, call: Call) -> Repository:
        repository = self._find(call)
        require_write(repository.owner, call.account)
        return repository

    def whoami(self, call: Call) -> Answer:
        return json_answer(forms.account_form(require_account(call.account)))

    def validate_yaml(self, call: Call) -> Answer:
        try:
            metadata = forms.card_metadata(call.request.json()["content"])
        except yaml.YAMLError as error:
            return json_answer({"errors": [{"message": str(error)}], "warnings": []}, 400)
        warnings = [] if metadata else [{"message": "empty or missing yaml metadata in repo card"}]
        return json_answer({"errors": [], "warnings": warnings})

    def create_repository(self, call: Call) -> Answer:
        wanted = call.request.json()
        account = require_account(call.account)
        owner = wanted.get("organization") or account.name
        require_write(owner, account)
        kind = wanted.get("type") or "model"
        if kind not in get_args(Kind):
            raise RefusedError(400, "", f"no kind of repository: {kind}")
        repository = Repository(cast(Kind, kind), f"{owner}/{wanted['name']}", private=_is_private(wanted))
        url = self._page(repository)
        try:
            self.store.create(repository)
        except RefusedError as error:
            # The client reads the address of the repository from this refusal too.
            return json_answer({"error": error.message, "url": url}, error.status)
        return json_answer({"url": url, "name": repository.id, "id": repository.id})

    def delete_repository(self, call: Call) -> Answer:
        wanted = call.request.json()
        owner = wanted.get("organization") or require_account(call.account).name
        require_write(owner, call.account)
        if self.store.repositories.pop((wanted.get("type") or "model", f"{owner}/{wanted['name']}"), None) is None:
            raise RefusedError(404, "RepoNotFound", "Repository not found")
        return json_answer({})

    def change_settings(self, call: Call) -> Answer:
        repository, wanted = self._find_to_write(call), call.request.json()
        repository.gated = wanted.get("gated", repository.gated)
        if {"private", "visibility"} & wanted.keys():
            repository.private = _is_private(wanted)
        return json_answer({"private": repository.private, "gated": repository.gated})

    def tell_repository(self, call: Call) -> Answer:
        repository = self._find(call)
        commit = repository.resolve(unquote(call.parts.get("revision") or "main"))
        with_sizes = call.request.is_asked("blobs")
        return json_answer(forms.repository_form(repository, commit, self.store.blobs, with_sizes=with_sizes))

    def check_access(self, call: Call) -> Answer:
        require_content(self._find(call), call.account)
        return json_answer({})

    def list_references(self, call: Call) -> Answer:
        return json_answer(forms.references_form(self._find(call)))

    def list_commits(self, call: Call) -> Answer:
        repository = self._find(call)
        commits = repository.history(repository.resolve(call.part("revision")))
        return json_answer([forms.commit_form(commit) for commit in commits])

    def list_tree(self, call: Call) -> Answer:
        commit = self._find(call).resolve(call.part("revision"))
        folder = unquote(call.parts.get("path") or "")
        listed = forms.tree_forms(commit.files, folder, is_recursive=call.request.is_asked("recursive"))
        if folder and not listed:
            raise RefusedError(404, "EntryNotFound", f"{folder} does not exist on {call.part('revision')!r}")
        if call.request.is_asked("expand"):
            listed = [forms.expanded(form, commit) for form in listed]
        return json_answer(listed)

    def tell_paths(self, call: Call) -> Answer:
        commit = self._find(call).resolve(call.part("revision"))
        asked = parse_qs(call.request.content().decode())
        told = list(forms.path_forms(commit.files, asked.get("paths", [])))
        if asked.get("expand", [""])[-1].lower() == "true":
            told = [forms.expanded(form, commit) for form in told]
        return json_answer(told)

    def preupload(self, call: Call) -> Answer:
        files = self._find_to_write(call).head(call.part("revision")).files

        def mode(wanted: Mapping[str, Any]) -> dict[str, Any]:
            path, there = wanted["path"], files.get(wanted["path"])
            is_lfs = is_lfs_path(path, wanted["size"], b64decode(wanted["sample"]))
            upload_mode = "lfs" if is_lfs else "regular"
            # The client leaves out a file that has this id already.
            remote = there.etag if there and there.is_lfs == is_lfs else None
            return {"path": path, "uploadMode": upload_mode, "shouldIgnore": False, "oid": remote}

        return json_answer({"files": [mode(wanted) for wanted in call.request.json()["files"]]})

    def plan_lfs(self, call: Call) -> Answer:
        self._find_to_write(call)

        def planned(oid: str, size: int) -> dict[str, Any]:
            upload = {"href": f"{self.address}{LFS_STORAGE}/{oid}", "header": {}}
            # Content that is there gets no action, and the client sends nothing.
            actions = {} if self.store.blobs.find(oid) else {"actions": {"upload": upload}}
            return {"oid": oid, "size": size, "authenticated": True, **actions}

        wanted = call.request.json()["objects"]
        return json_answer({"transfer": "basic", "objects": [planned(each["oid"], each["size"]) for each in wanted]})

    def receive_lfs(self, call: Call) -> Answer:
        self.store.blobs.receive(call.request.body, call.part("oid"))
        return json_answer({})

    def add_commit(self, call: Call) -> Answer:
        repository = self._find_to_write(call)
        header, *operations = [json.loads(line) for line in call.request.content().splitlines() if line.strip()]
        said = header["value"]
        with self.store.lock:
            head = repository.head(call.part("revision"))
            if said.get("parentCommit") not in (None, "", head.id):
                raise RefusedError(412, "", "A commit has happened since. Please refresh and try again.")
            files = apply_operations(operations, head.files, self.store)
            commit = repository.add_commit(call.part("revision"), files, said["summary"], said.get("description", ""))
        url = f"{self._page(repository)}/commit/{commit.id}"
        return json_answer({"success": True, "commitOid": commit.id, "commitUrl": url, "hookOutput": ""})

    def squash(self, call: Call) -> Answer:
        repository, branch = self._find_to_write(call), call.part("revision")
        with self.store.lock:
            files = repository.head(branch).files
            repository.add_commit(branch, files, call.request.json()["message"], is_first=True)
        return json_answer({})

    def add_tag(self, call: Call) -> Answer:
        repository = self._find_to_write(call)
        _add_reference(repository.tags, call.request.json()["tag"], repository.resolve(call.part("revision")).id)
        return json_answer({})

    def add_branch(self, call: Call) -> Answer:
        repository = self._find_to_write(call)
        start = call.request.json().get("startingPoint") or "main"
        _add_reference(repository.branches, call.part("revision"), repository.resolve(start).id)
        return json_answer({})

    def delete_tag(self, call: Call) -> Answer:
        return self._delete_reference(self._find_to_write(call).tags, call.part("revision"))

    def delete_branch(self, call: Call) -> Answer:
        if call.part("revision") == "main":
            raise RefusedError(403, "", "the main branch cannot be deleted")
        return self._delete_reference(self._find_to_write(call).branches, call.part("revision"))

    def _delete_reference(self, references: dict[str, str], name: str) -> Answer:
        if references.pop(name, None) is None:
            raise RefusedError(404, "RevisionNotFound", f"no such reference: {name}")
        return json_answer({})

    def send_file(self, call: Call) -> Answer:
        repository = self._find(call)
        require_content(repository, call.account)
        commit = repository.resolve(call.part("revision"))
        headers, file = {"X-Repo-Commit": commit.id}, commit.files.get(call.part("path"))
        if file is None:
            return refusal_answer(RefusedError(404, "EntryNotFound", "Entry not found"), headers)
        headers |= {"ETag": f'"{file.etag}"', "Accept-Ranges": "bytes", "Content-Type": "application/octet-stream"}
        if file.is_lfs:
            headers |= {"X-Linked-ETag": f'"{file.etag}"', "X-Linked-Size": str(file.blob.size)}
        return Answer(self.store.blobs.path(file.blob.sha256), 200, headers)

    def _page(self, repository: Repository) -> str:
        folder = "" if repository.kind == "model" else f"{repository.kind}s/"
        return f"{self.address}/{folder}{repository.id}"


def _given(matched: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in matched.groupdict().items() if value is not None}


def _is_private(wanted: Mapping[str, Any]) -> bool:
    return wanted.get("visibility") == "private" or wanted.get("private") is True


def _add_reference(references: dict[str, str], name: str, commit_id: str) -> None:
    if name in references:
        raise RefusedError(409, "", f"Reference already exists: {name}")
    references[name] = commit_id


_ID = r"(?P<owner>[^/]+)/(?P<name>[^/]+?)"
_API = rf"/api/(?P<kind>models|datasets|spaces)/{_ID}"
_PAGE = rf"/(?:(?P<kind>datasets|spaces)/)?{_ID}"
_REVISION = r"(?P<revision>[^/]+)"

_ROUTES: tuple[tuple[str, str, Callable[[HubApi, Call], Answer]], ...] = (
    ("GET", r"/api/whoami-v2", HubApi.whoami),
    ("POST", r"/api/validate-yaml", HubApi.validate_yaml),
    ("POST", r"/api/repos/create", HubApi.create_repository),
    ("DELETE", r"/api/repos/delete", HubApi.delete_repository),
    ("PUT", rf"{LFS_STORAGE}/(?P<oid>[0-9a-f]{{64}})", HubApi.receive_lfs),
    ("POST", rf"{_PAGE}\.git/info/lfs/objects/batch", HubApi.plan_lfs),
    ("GET", rf"{_API}(?:/revision/{_REVISION})?", HubApi.tell_repository),
    ("PUT", rf"{_API}/settings", HubApi.change_settings),
    ("GET", rf"{_API}/auth-check", HubApi.check_access),
    ("GET", rf"{_API}/refs", HubApi.list_references),
    ("GET", rf"{_API}/commits/{_REVISION}", HubApi.list_commits),
    ("GET", rf"{_API}/tree/{_REVISION}(?:/(?P<path>.+))?", HubApi.list_tree),
    ("POST", rf"{_API}/paths-info/{_REVISION}", HubApi.tell_paths),
    ("POST", rf"{_API}/preupload/{_REVISION}", HubApi.preupload),
    ("POST", rf"{_API}/commit/{_REVISION}", HubApi.add_commit),
    ("POST", rf"{_API}/super-squash/{_REVISION}", HubApi.squash),
    ("POST", rf"{_API}/tag/{_REVISION}", HubApi.add_tag),
    ("DELETE", rf"{_API}/tag/{_REVISION}", HubApi.delete_tag),
    ("POST", rf"{_API}/branch/{_REVISION}", HubApi.add_branch),
    ("DELETE", rf"{_API}/branch/{_REVISION}", HubApi.delete_branch),
    ("GET HEAD", rf"{_PAGE}/resolve/{_REVISION}/(?P<path>.+)", HubApi.send_file),
)
