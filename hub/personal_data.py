"""Find what no published text may hold: contacts, account ids, IP addresses, paths of a machine, null bytes."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping

EMAIL = "email"
TELEPHONE = "telephone"
ACCOUNT_ID = "account_id"
IP_ADDRESS = "ip_address"
ABSOLUTE_PATH = "absolute_path"
NULL_BYTE = "null_byte"

_WHAT = {
    EMAIL: "an e-mail address",
    TELEPHONE: "a telephone number",
    ACCOUNT_ID: "an account id (24 hexadecimal digits)",
    IP_ADDRESS: "an IP address",
    ABSOLUTE_PATH: "an absolute path of a machine",
    NULL_BYTE: "a null byte",
}

_ACCOUNT_ID = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{24}(?![0-9A-Za-z])")
_URL = r"(?:https?|ftp)://[^\s<>\"'`|)\u0080-\U0010ffff]+"
_UUID = r"(?<![0-9A-Za-z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9A-Za-z])"
_URL_OR_UUID = re.compile(rf"{_URL}|{_UUID}")

_IPV4 = re.compile(r"(?<![0-9A-Za-z_.])(?:\d{1,3}\.){3}\d{1,3}(?![0-9A-Za-z_]|\.\d)", re.ASCII)
_IPV6 = re.compile(r"(?<![0-9A-Za-z_:.])[0-9a-fA-F:]{4,39}(?![0-9A-Za-z_:])")
_IPV6_NETWORKS = tuple(ipaddress.ip_network(network) for network in ("2000::/3", "fc00::/7", "fe80::/10"))
"""Where addresses of machines lie; elsewhere two words with colons may look like one."""

_ROOTS = (
    *("home", "Users", "root", "tmp", "var", "mnt", "media", "opt", "srv", "etc", "usr", "private", "Volumes"),
    *("workspace", "workspaces", "scratch", "nfs", "gpfs", "lustre", "work", "data", "content", "kaggle", "dbfs"),
)
_ABSOLUTE_PATH = re.compile(
    rf"(?<![A-Za-z0-9_.~/\\*{{}}()\[\]>])/(?:{'|'.join(_ROOTS)})/[\w.~-]"  # Unix
    r"|file://"
    r"|(?<![A-Za-z0-9])[A-Za-z]:(?:\\\\?|/)[\w.$%~-]+[\\/]"  # Windows: drive and folder
    r"|(?<![A-Za-z0-9_\\])\\\\[A-Za-z0-9_.-]+\\[\w.$-]"  # Windows: server and share
)


def kinds_in(text: str, patterns: Mapping[str, re.Pattern[str]]) -> Iterator[str]:
    """Yield the kinds of unwanted content of a text, each once.

    A URL is no path and its digits are no telephone number or IP address; an e-mail address or an account id is
    personal there too. UUIDs hold no telephone numbers. A SHA-256 is one word, in which no kind is looked for.

    Args:
        text: Any text.
        patterns: Kind -> pattern of what the data set's own rules forbid, such as e-mail addresses.
    """
    if "\0" in text:
        yield NULL_BYTE
    if _ACCOUNT_ID.search(text):
        yield ACCOUNT_ID
    without_urls = _URL_OR_UUID.sub(" ", text)
    for kind, pattern in patterns.items():
        if pattern.search(text if kind == EMAIL else without_urls):
            yield kind
    if any(_ip_addresses(without_urls)):
        yield IP_ADDRESS
    if ("/" in text or "\\" in text) and _ABSOLUTE_PATH.search(without_urls):
        yield ABSOLUTE_PATH


def contacts_in(text: str, patterns: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[str, str]]:
    """Yield (kind, the contact) for each e-mail address, telephone number, IP address and what ``patterns`` finds.

    Args:
        text: Any text.
        patterns: Kind -> pattern, as for ``kinds_in``.
    """
    without_urls = _URL_OR_UUID.sub(" ", text)
    for kind, pattern in patterns.items():
        for match in pattern.finditer(text if kind == EMAIL else without_urls):
            yield kind, match.group()
    for address in _ip_addresses(without_urls):
        yield IP_ADDRESS, address


def described(kind: str) -> str:
    """Return a kind in words."""
    return _WHAT.get(kind, kind.replace("_", " "))


def _ip_addresses(text: str) -> Iterator[str]:
    """Yield the addresses of machines in a text; that of the own machine (127.0.0.1, ::1) is none."""
    if text.count(".") >= 3:
        for match in _IPV4.finditer(text):
            four = _address(match.group())
            if four is not None and not (four.is_loopback or four.is_unspecified):
                yield match.group()
    if text.count(":") >= 2:
        for match in _IPV6.finditer(text):
            six = _address(match.group())
            if six is not None and any(six in network for network in _IPV6_NETWORKS):
                yield match.group()


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
