"""Download a release of HealthDial from the Hugging Face Hub: its documented files, into the cache or a folder."""

from __future__ import annotations

import errno
import logging
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from healthdial.languages import LANGUAGES
from hub.errors import ReleaseError, UnreachableError

if TYPE_CHECKING:
    from huggingface_hub.hf_api import DatasetInfo, RepoSibling

DEFAULT_REPO_ID = "cambridgeltl/HealthDial"

KNOWLEDGE_FILE = "who_database.json"
TEXT_FILES = ("dialogue_list_final*.json", "user_list_final.json")
AUDIO_FILES = ("audio.part*.tar.gz", "system_audio.part*.tar.gz")
ABOUT_FILES = ("README*", "LICENSE*")
"""The card and the licence, which come along when they are there."""

CONNECT_SECONDS = 30
"""Longest wait for the answer about the repository itself."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Request:
    """What is to be fetched.

    Attributes:
        repo_id: ``owner/name`` of a data set on the Hub.
        folder: Where the files go; None for the Hub cache.
        patterns: Files of the release, as ``fnmatch`` patterns.
        revision: Branch, tag or commit; None for the main branch.
        token: As in ``huggingface_hub``: an access token, None for the saved one, False for none.
    """

    repo_id: str
    folder: Path | None
    patterns: tuple[str, ...]
    revision: str | None
    token: str | bool | None

    @property
    def page(self) -> str:
        """Address of the data set's page."""
        from huggingface_hub import constants

        return f"{constants.ENDPOINT}/datasets/{self.repo_id}"


def fetch_release(
    repo_id: str,
    folder: Path | None,
    *,
    languages: Sequence[str],
    audio: bool,
    revision: str | None = None,
    token: str | bool | None = None,
) -> Path:
    """Download a release, or what is missing of it, and return the folder that holds it.

    Files that are there already are not fetched again. A broken connection is taken up where it broke while the
    command runs (``huggingface_hub``); a file that was incomplete when the command ended may start anew. When the Hub
    cannot be reached, an earlier download is used if it is complete, with a warning. Links in the Hub cache are links
    to files; nothing is unpacked.

    Args:
        repo_id: ``owner/name`` on the Hub.
        folder: Where the files go, laid out as on the Hub; None for the Hub cache.
        languages: ISO 639-3 codes; the knowledge base always comes whole.
        audio: Also the archives with speech, about 10.7 GB a language.
        revision: Branch, tag or commit; None for the main branch.
        token: As in ``huggingface_hub``: an access token, None for the saved one, False for none.

    Returns:
        The folder with ``who_database.json`` and one folder a language.

    Raises:
        ValueError: A language is none of the four.
        ReleaseError: ``repo_id`` cannot be a repository, access is refused, none of the release's files is there, the
            disk is full, or the folder cannot be written.
        UnreachableError: There is no such repository or revision, the Hub cannot be reached, or the transfer failed.
    """
    import httpx

    if not _is_valid_repo_id(repo_id):
        raise ReleaseError(
            f"{repo_id!r} is no data set on the Hub, whose form is owner/name, for instance {DEFAULT_REPO_ID}"
        )
    request = Request(repo_id, folder, release_patterns(languages, audio), revision, token)
    # OSError: the disk's and most of the client's; RuntimeError: hf_xet's failed transfers.
    faults = (OSError, httpx.HTTPError, RuntimeError)
    try:
        info = _repository(request)
    except faults as error:
        earlier = _earlier_copy(request) if _is_transfer_fault(error) else None
        if earlier is None:
            raise _named_error(error, request) from error
        logger.warning("%s cannot be reached; the copy of an earlier download is used: %s", request.page, earlier)
        return earlier
    try:
        return _fetch(request, info)
    except faults as error:
        raise _named_error(error, request) from error


def release_patterns(languages: Sequence[str], audio: bool) -> tuple[str, ...]:
    """Return the ``fnmatch`` patterns of the release's files, the card and the licence left out.

    Args:
        languages: ISO 639-3 codes.
        audio: Also the archives with speech.

    Raises:
        ValueError: A language is none of the four.
    """
    unknown = [language for language in languages if language not in LANGUAGES]
    if unknown or not languages:
        raise ValueError(f"languages must be some of {', '.join(LANGUAGES)}, not {', '.join(unknown) or 'none'}")
    names = (*TEXT_FILES, *AUDIO_FILES) if audio else TEXT_FILES
    return (KNOWLEDGE_FILE, *(f"{LANGUAGES[language].folder}/{name}" for language in languages for name in names))


def looks_like_repo_id(value: str) -> bool:
    """Return whether a value names a data set on the Hub (``owner/name``); an existing path never does."""
    return not Path(value).expanduser().exists() and _is_valid_repo_id(value)


def _is_valid_repo_id(value: str) -> bool:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(value)
    except HFValidationError:
        return False
    return value.count("/") == 1


def _repository(request: Request) -> DatasetInfo:
    """Return what the Hub tells of the data set: commit, files and their sizes."""
    from huggingface_hub import HfApi

    return HfApi().dataset_info(
        request.repo_id, revision=request.revision, timeout=CONNECT_SECONDS, files_metadata=True, token=request.token
    )


def _fetch(request: Request, info: DatasetInfo) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import filter_repo_objects

    wanted = list(
        filter_repo_objects(
            info.siblings or [], allow_patterns=list(request.patterns), key=lambda file: file.rfilename
        )
    )
    if not wanted:
        raise ReleaseError(
            f"{request.page}: none of the release's files is there ({', '.join(request.patterns[:3])} and so on); "
            f"check the name and the revision, the release is {DEFAULT_REPO_ID}"
        )
    _require_space(request, wanted, info.sha)
    folder = Path(
        snapshot_download(
            request.repo_id,
            repo_type="dataset",
            revision=request.revision,
            local_dir=request.folder,
            allow_patterns=[*request.patterns, *ABOUT_FILES],
            token=request.token,
        )
    )
    # The client returns a folder as it is, without an error, when the Hub goes away after the answer above.
    missing = [file.rfilename for file in wanted if not (folder / file.rfilename).is_file()]
    if missing:
        raise ConnectionError(f"{len(missing)} files did not arrive")
    return folder


def _require_space(request: Request, wanted: Sequence[RepoSibling], commit: str | None) -> None:
    """Raise `ReleaseError` before a download that cannot fit on the disk."""
    from huggingface_hub import constants, try_to_load_from_cache

    def is_there(name: str) -> bool:
        cached = try_to_load_from_cache(request.repo_id, name, revision=commit, repo_type="dataset")
        return isinstance(cached, str) or (request.folder is not None and (request.folder / name).is_file())

    needed = sum(file.size or 0 for file in wanted if not is_there(file.rfilename))
    target = Path(request.folder or constants.HF_HUB_CACHE).absolute()
    existing = next(folder for folder in (target, *target.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise ReleaseError(
            f"{target}: the download needs {needed / 1e9:.1f} GB and {free / 1e9:.1f} GB are free; free space, give "
            "another folder, or fetch fewer languages or no audio"
        )


def _earlier_copy(request: Request) -> Path | None:
    """Return the folder of an earlier download if it is known to have every file that is asked for."""
    try:
        # Clients without these (before 1.31) cannot tell half a download from a whole one.
        from huggingface_hub import get_cached_repo_tree, snapshot_download
        from huggingface_hub.errors import CachedRepoTreeNotFoundError, LocalEntryNotFoundError
    except ImportError:
        return None

    same: dict[str, Any] = {"repo_type": "dataset", "revision": request.revision, "local_dir": request.folder}
    try:
        get_cached_repo_tree(request.repo_id, **same)
        patterns = list(request.patterns)
        return Path(snapshot_download(request.repo_id, **same, allow_patterns=patterns, local_files_only=True))
    except (CachedRepoTreeNotFoundError, LocalEntryNotFoundError):
        return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what it was raised from; the client wraps some refusals into "not found locally"."""
    while error is not None:
        yield error
        error = error.__cause__


def _status(error: BaseException) -> int | None:
    """Return the HTTP status that an error came from, or None."""
    responses = (getattr(cause, "response", None) for cause in _causes(error))
    return next((response.status_code for response in responses if response is not None), None)


def _is_transfer_fault(error: BaseException) -> bool:
    """Return whether the network or the server failed, which another try may mend."""
    import httpx

    status = _status(error)
    if status is not None:
        return status >= 500 or status == 429
    if isinstance(error, (httpx.HTTPError, RuntimeError, ConnectionError, TimeoutError)):
        return True
    # The client's own OSErrors, and those of requests below huggingface_hub 1.0, have no number; the disk's have one.
    return all(not isinstance(cause, OSError) or cause.errno is None for cause in _causes(error))


def _named_error(error: BaseException, request: Request) -> ReleaseError:
    """Return the error in one line; nothing of the client's text, which may hold signed addresses."""
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    page, status = request.page, _status(error)
    kinds = tuple(type(cause) for cause in _causes(error))
    if GatedRepoError in kinds:
        return ReleaseError(
            f"{page}: access is restricted; accept the terms on that page, log in with `hf auth login` "
            "(or set HF_TOKEN), then run the same command again"
        )
    if RevisionNotFoundError in kinds:
        return UnreachableError(f"{page}: there is no revision {request.revision!r}; the page lists them under Files")
    if RepositoryNotFoundError in kinds or status == 404:
        return UnreachableError(
            f"{page}: no such data set, or a private one; check the name, or log in with `hf auth login`; if a "
            "folder was meant, it does not exist"
        )
    if status == 401:
        return ReleaseError(f"{page}: the access token is not accepted; log in again with `hf auth login`")
    if status == 403:
        return ReleaseError(
            f"{page}: the access token may not read this; accept the terms on that page and give the token the right "
            "to read gated repositories, or log in with another by `hf auth login`"
        )
    if _is_transfer_fault(error):
        return _transfer_error(error, request, status)
    return _disk_error(error, request)


def _transfer_error(error: BaseException, request: Request, status: int | None) -> UnreachableError:
    from huggingface_hub.errors import OfflineModeIsEnabled

    if any(isinstance(cause, OfflineModeIsEnabled) for cause in _causes(error)):
        return UnreachableError(
            f"{request.page}: HF_HUB_OFFLINE is set and no complete earlier download is there; unset it, or give the "
            "folder of the release"
        )
    reason = f"status {status}" if status else type(error).__name__
    return UnreachableError(
        f"{request.page}: cannot be reached, or the transfer broke off ({reason}); files that are complete are kept: "
        "check the connection, then run the same command again"
    )


def _disk_error(error: BaseException, request: Request) -> ReleaseError:
    from huggingface_hub import constants

    numbered = next((cause for cause in _causes(error) if isinstance(cause, OSError) and cause.errno), None)
    where = request.folder or constants.HF_HUB_CACHE
    if numbered is not None and numbered.errno in (errno.ENOSPC, errno.EDQUOT):
        return ReleaseError(
            f"{where}: the disk is full; files that are complete are kept: free space, then run the same command again"
        )
    reason = (numbered.strerror if numbered else None) or type(error).__name__
    return ReleaseError(f"{where}: cannot be written ({reason}); give another folder")
