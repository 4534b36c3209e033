"""Who may do what on the stand-in Hub: access tokens, roles, organisations, private and gated repositories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tests.fake_hub_store import RefusedError, Repository

Role = Literal["write", "read", "none"]


@dataclass
class Account:
    """The owner of a token.

    Attributes:
        name: User name, which is a namespace.
        role: What the token may do; with "none" it is not accepted, as one that was withdrawn.
        organizations: Namespaces the user may write to besides their own.
        accepted: Ids of gated repositories of others whose terms the user has accepted.
    """

    name: str
    role: Role = "write"
    organizations: tuple[str, ...] = ()
    accepted: set[str] = field(default_factory=set)

    def owns(self, namespace: str) -> bool:
        return namespace == self.name or namespace in self.organizations


def identify(accounts: Mapping[str, Account], authorization: str) -> Account | None:
    """Return the owner of the token in an Authorization header, None without one; refuse an unknown token."""
    if not authorization:
        return None
    account = accounts.get(authorization.removeprefix("Bearer "))
    if account is None or account.role == "none":
        raise RefusedError(401, "", "Invalid credentials in Authorization header")
    return account


def require_account(account: Account | None) -> Account:
    if account is None:
        raise RefusedError(401, "", "Invalid username or password.")
    return account


def require_visible(repository: Repository | None, account: Account | None) -> Repository:
    """Refuse a repository that is not there and a private one of others alike, as the Hub does."""
    if repository is None or (repository.private and not _owns(account, repository)):
        raise RefusedError(401 if account is None else 404, "RepoNotFound", "Repository not found")
    return repository


def require_content(repository: Repository, account: Account | None) -> None:
    """Refuse the files of a gated repository whose terms were not accepted."""
    if not repository.gated or _owns(account, repository):
        return
    if account is None or repository.id not in account.accepted:
        message = f"Access to {repository.kind} {repository.id} is restricted."
        raise RefusedError(401 if account is None else 403, "GatedRepo", message)


def require_write(namespace: str, account: Account | None) -> Account:
    account = require_account(account)
    if account.role != "write":
        raise RefusedError(403, "", "you must use a write token to upload to a repository.")
    if not account.owns(namespace):
        raise RefusedError(403, "", f"You don't have the rights to write under the namespace {namespace}")
    return account


def _owns(account: Account | None, repository: Repository) -> bool:
    return account is not None and account.owns(repository.owner)
