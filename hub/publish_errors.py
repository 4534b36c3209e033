"""What goes wrong between a push and the Hub: passing faults are tried again, the others told in one line."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from hub.errors import BenchError, UnreachableError

if TYPE_CHECKING:
    from tenacity import RetryCallState

TRIES = 6
"""Of one request, the first included; as many as ``huggingface_hub`` makes for those that it tries again itself."""
TRIES_TO_CONNECT = 2
"""Of the first request of all, if no connection comes about: then there most likely is no network."""
LONGEST_WAIT = 30.0
"""Seconds before another try, where the Hub names no time."""
LONGEST_RETRY_AFTER = 600.0
"""Seconds that the Hub may ask to wait before the push gives up; its limits count requests over 300 s."""
PASSING = (408, 429, 500, 502, 503, 504)
FULL = (402, 413, 507)
SHOWN_CHARACTERS = 200
"""Of what the Hub says about a refusal."""

Result = TypeVar("Result")
logger = logging.getLogger(__name__)


def call(doing: str, request: Callable[[], Result], *, is_first: bool = False) -> Result:
    """Make a request that ``huggingface_hub`` itself does not try again, and try again after a passing fault.

    Its uploads to LFS and what belongs to them (``preupload_lfs_files``) have a back-off of their own and don't go
    through here: 5 more tries each, 1 to 8 s apart or as Retry-After says.

    Args:
        doing: What the request is for, as the log line says it.
        request: Makes the request.
        is_first: Whether it is the first of a command.

    Returns:
        What the request returned.
    """
    from tenacity import Retrying, retry_if_exception

    def tries(state: RetryCallState) -> int:
        error = state.outcome.exception() if state.outcome else None
        return TRIES_TO_CONNECT if is_first and _cannot_connect(error) else TRIES

    def log(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        seconds = state.next_action.sleep if state.next_action else 0.0
        reason = _reason(error) if error else "no answer"
        logger.warning(
            "%s: %s; again in %.0f s (try %d of %d)", doing, reason, seconds, state.attempt_number, tries(state)
        )

    retrying = Retrying(
        retry=retry_if_exception(_passes),
        wait=_seconds_to_wait,
        stop=lambda state: state.attempt_number >= tries(state),
        before_sleep=log,
        reraise=True,
    )
    return retrying(request)


@contextmanager
def named_errors(page: str) -> Iterator[None]:
    """Turn the errors of the Hub's client into one line each that says what and what to do.

    The client's own error is not shown below it: its frames hold the request's headers, and with them the token, which
    a traceback with local variables would print.

    Args:
        page: Address of the data set's page, for the message.

    Raises:
        BenchError: The Hub refuses.
        UnreachableError: The Hub cannot be reached or stays broken.
    """
    import httpx

    try:
        yield
    except (OSError, httpx.HTTPError, RuntimeError, ValueError) as error:
        named = _named(error, page)
        if named is None:
            raise
        raise named from None


@contextmanager
def addresses_without_queries() -> Iterator[None]:
    """Keep the signatures of upload addresses out of the log lines of the Hub's client."""

    def shorten(record: logging.LogRecord) -> bool:
        record.msg, record.args = re.sub(r"\?[^\s'\"]+", "", record.getMessage()), ()
        return True

    client = logging.getLogger("huggingface_hub.utils._http")
    client.addFilter(shorten)
    try:
        yield
    finally:
        client.removeFilter(shorten)


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status that an error came from, or None."""
    responses = (getattr(cause, "response", None) for cause in _causes(error))
    return next((response.status_code for response in responses if response is not None), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _passes(error: BaseException) -> bool:
    """Return whether another try may succeed soon."""
    import httpx

    status = status_of(error)
    if status is not None:
        return status in PASSING and (_retry_after(error) or 0) <= LONGEST_RETRY_AFTER
    return isinstance(error, (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError))


def _cannot_connect(error: BaseException | None) -> bool:
    import httpx

    return any(isinstance(cause, (httpx.ConnectError, httpx.ConnectTimeout)) for cause in _causes(error))


def _retry_after(error: BaseException) -> float | None:
    """Return the seconds that the Hub asks to wait, by either of the headers that it sends; None if it does not."""
    from huggingface_hub.utils import parse_ratelimit_headers

    responses = (getattr(cause, "response", None) for cause in _causes(error))
    response = next((each for each in responses if each is not None), None)
    if response is None:
        return None
    limit = parse_ratelimit_headers(response.headers) if response.status_code == 429 else None
    if limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds)
    value = response.headers.get("Retry-After", "").strip()
    return float(value) if value.isdecimal() else None


def _seconds_to_wait(state: RetryCallState) -> float:
    from tenacity import wait_exponential

    error = state.outcome.exception() if state.outcome else None
    asked = _retry_after(error) if error else None
    # One second more than the Hub says, whose seconds are whole; as the client does.
    return asked + 1 if asked is not None else wait_exponential(max=LONGEST_WAIT)(state)


def _reason(error: BaseException) -> str:
    """Return the status, or the kind of a fault without one; never the client's text, which may hold addresses."""
    status = status_of(error)
    return f"status {status}" if status else type(list(_causes(error))[-1]).__name__


def _words(error: BaseException) -> str:
    """Return what the Hub says about a refusal, as an end of a sentence; without addresses and tokens."""
    said = (getattr(cause, "server_message", None) for cause in _causes(error))
    text = next(filter(None, said), str(error) if isinstance(error, ValueError) else "")
    text = re.sub(r"https?://\S+", "(address)", " ".join(text.split()))
    text = re.sub(r"\b(hf_|api_org_)\w+|Bearer \S+", "(token)", text)
    return f"; the Hub says: {text[:SHOWN_CHARACTERS]}" if text else ""


def _named(error: BaseException, page: str) -> BenchError | None:
    """Return an error in one line; None for one that is a fault of the program."""
    from huggingface_hub.errors import GatedRepoError, LocalTokenNotFoundError, OfflineModeIsEnabled

    kinds = tuple(type(cause) for cause in _causes(error))
    if LocalTokenNotFoundError in kinds:
        return BenchError(
            f"{page}: there is no access token; make one that may write on the Hub's page Settings, Access Tokens, "
            "and log in with `hf auth login` (or set HF_TOKEN)"
        )
    if OfflineModeIsEnabled in kinds:
        return UnreachableError(f"{page}: HF_HUB_OFFLINE is set, so nothing can be published; unset it")
    if GatedRepoError in kinds:
        return BenchError(f"{page}: access is restricted; accept the terms on that page, then run the command again")
    # The client's own words, in huggingface_hub 1.31 to 1.33: `_validate_yaml` and `_upload_files`.
    if str(error).startswith("Invalid metadata in README.md"):
        return BenchError(f"{page}: the card's metadata is refused; correct README.md{_words(error)}")
    if str(error).startswith("LFS batch API returned errors"):
        return BenchError(f"{page}: a file is refused; nothing was committed{_words(error)}")
    status = status_of(error)
    if status is None and _is_about_token(error):
        status = 401
    if status is not None:
        return _refusal(error, page, status)
    return _fault_without_status(error, page)


def _is_about_token(error: BaseException) -> bool:
    """Return whether an error without a status says that the token is none, or not accepted."""
    import httpx

    if isinstance(error, PermissionError):
        return error.errno is None  # hf_xet's XetAuthenticationError; the disk's errors have a number
    # Letters that no header may have: all other headers are the client's own.
    return isinstance(error, UnicodeEncodeError) or (
        isinstance(error, httpx.LocalProtocolError) and "header value" in str(error)
    )


def _refusal(error: BaseException, page: str, status: int) -> BenchError:
    if status == 401:
        return BenchError(
            f"{page}: the access token is not accepted; log in again with `hf auth login` (HF_TOKEN, if set, goes "
            "before it)"
        )
    if status in FULL:
        return BenchError(
            f"{page}: the Hub takes no more (status {status}): a file is too large or the storage is used up; look at "
            f"Settings, Billing on the Hub, free or buy storage, then run the command again{_words(error)}"
        )
    if status == 403:
        return BenchError(
            f"{page}: not allowed (status 403): the token may not write there, or the storage is used up; give the "
            f"token the right to write to this repository, or free storage, then run the command again{_words(error)}"
        )
    if status == 404:
        return BenchError(
            f"{page}: is gone or was never visible to this token; look there, then run the command again"
        )
    if status in (409, 412):
        return BenchError(
            f"{page}: somebody pushed meanwhile (status {status}), and nothing of theirs was overwritten; run the "
            "command again: what is uploaded is not sent again"
        )
    asked = _retry_after(error) if status in PASSING else None
    if asked is not None and asked > LONGEST_RETRY_AFTER:
        return UnreachableError(
            f"{page}: {'too many requests' if status == 429 else 'the Hub is out of order'} (status {status}); the "
            f"Hub asks to wait {asked:.0f} s: run the command again after that, and what is uploaded is not sent again"
        )
    if status == 429:
        return UnreachableError(
            f"{page}: too many requests (status 429), also after waiting; run the command again in some minutes: what "
            "is uploaded is not sent again"
        )
    if status >= 500 or status in PASSING:
        return UnreachableError(
            f"{page}: the Hub is out of order (status {status}), also after {TRIES} tries; run the command again "
            "later: what is uploaded is not sent again"
        )
    return BenchError(f"{page}: the Hub refuses (status {status}){_words(error)}")


def _fault_without_status(error: BaseException, page: str) -> BenchError | None:
    import httpx
    from huggingface_hub.errors import HFValidationError

    if isinstance(error, HFValidationError):
        return BenchError(f"{page}: is no name of a data set on the Hub, whose form is owner/name")
    if isinstance(error, json.JSONDecodeError):
        return UnreachableError(
            f"{page}: what answers there is not the Hub; check HF_ENDPOINT and whether this network wants a login"
        )
    is_nameless = isinstance(error, OSError) and error.errno is None
    if is_nameless or isinstance(error, (httpx.HTTPError, RuntimeError, ConnectionError, TimeoutError)):
        return UnreachableError(
            f"{page}: cannot be reached, or the transfer broke off ({_reason(error)}); check the connection, then run "
            "the command again: what is uploaded is not sent again"
        )
    if isinstance(error, OSError):
        reason = error.strerror or type(error).__name__
        return BenchError(f"{page}: a file cannot be read ({reason}); build the data set again")
    return None
