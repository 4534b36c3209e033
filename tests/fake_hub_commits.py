"""The operations of a commit as the Hub's clients send them, applied to the files of its parent."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any

from tests.fake_hub_store import RefusedError, Store, StoredFile, lfs_file


def apply_operations(
    operations: Iterable[Mapping[str, Any]], files: Mapping[str, StoredFile], store: Store
) -> dict[str, StoredFile]:
    """Return the files after a commit; none of it happens if one operation is refused."""
    changed = dict(files)
    for operation in operations:
        key, value = operation["key"], operation["value"]
        path = value["path"]
        if key == "file":
            changed[path] = store.regular_file(b64decode(value["content"]))
        elif key == "lfsFile":
            changed[path] = _uploaded(value["oid"], path, store)
        elif key == "deletedFile":
            _delete(changed, [path] if path in changed else [], path)
        elif key == "deletedFolder":
            folder = path.rstrip("/") + "/"
            _delete(changed, [name for name in changed if name.startswith(folder)], path)
        else:
            raise RefusedError(400, "", f"unknown operation: {key}")
    return changed


def _uploaded(oid: str, path: str, store: Store) -> StoredFile:
    blob = store.blobs.find(oid)
    if blob is None:
        raise RefusedError(400, "", f"an LFS pointer pointed to a file that does not exist: {path}")
    return lfs_file(blob)


def _delete(files: dict[str, StoredFile], paths: list[str], asked: str) -> None:
    if not paths:
        raise RefusedError(404, "EntryNotFound", f"nothing to delete at {asked}")
    for path in paths:
        del files[path]
