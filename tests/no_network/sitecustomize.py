"""Keeps a test's subprocess from the network: anything but this machine is refused, and written to a log."""

import os
import socket

_LOCAL = ("127.", "::1", "localhost", "0.0.0.0")
_connect, _connect_ex, _getaddrinfo = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo


def _check(host: object) -> None:
    text = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    if text.startswith(_LOCAL) or text in (socket.gethostname(), socket.getfqdn()):
        return
    with open(os.environ["NETWORK_LOG"], "a") as log:
        log.write(f"{text}\n")
    raise OSError(f"a test tried to reach {text}")


def _checked_connect(self: socket.socket, address: object) -> None:
    if self.family != socket.AF_UNIX:
        _check(address[0])  # type: ignore[index]
    return _connect(self, address)  # type: ignore[arg-type]


def _checked_connect_ex(self: socket.socket, address: object) -> int:
    if self.family != socket.AF_UNIX:
        _check(address[0])  # type: ignore[index]
    return _connect_ex(self, address)  # type: ignore[arg-type]


def _checked_getaddrinfo(host: object, *args: object, **kwargs: object) -> object:
    _check(host)
    return _getaddrinfo(host, *args, **kwargs)  # type: ignore[arg-type]


if "NETWORK_LOG" in os.environ:
    socket.socket.connect = _checked_connect  # type: ignore[method-assign, assignment]
    socket.socket.connect_ex = _checked_connect_ex  # type: ignore[method-assign, assignment]
    socket.getaddrinfo = _checked_getaddrinfo  # type: ignore[assignment]
