# SPDX-License-Identifier: MIT
"""Listeners of the suite's own on the loopback interface and on an abstract socket, where arrivals are counted."""

from __future__ import annotations

import contextlib
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Final

from attrs import frozen

_BACKLOG: Final = 16
_LOOPBACK: Final = "127.0.0.1"


@frozen
class Listeners:
    """One listener of each kind: ``tcp``, ``udp``, ``abstract`` (unix(7))."""

    sockets: Mapping[str, socket.socket]

    def address(self, kind: str) -> str:
        """Return what a command connects to: a port of 127.0.0.1, or a name without its null byte."""
        name = self.sockets[kind].getsockname()
        return name[1:].decode() if kind == "abstract" else str(name[1])

    def arrived(self) -> Mapping[str, int]:
        """Count what has come since the last count."""
        return {kind: sum(1 for _ in _arrivals(kind, listener)) for kind, listener in self.sockets.items()}


@contextmanager
def listening() -> Iterator[Listeners]:
    """Listen until the end of the block."""
    with ExitStack() as exits:
        sockets = {
            "tcp": exits.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
            "udp": exits.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
            "abstract": exits.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)),
        }
        for kind, listener in sockets.items():
            listener.bind(f"\0boxproof-{secrets.token_hex(8)}" if kind == "abstract" else (_LOOPBACK, 0))
            if kind != "udp":
                listener.listen(_BACKLOG)
            listener.settimeout(0)
        yield Listeners(sockets)


def _arrivals(kind: str, listener: socket.socket) -> Iterator[None]:
    with contextlib.suppress(BlockingIOError):
        while True:
            if kind == "udp":
                listener.recv(1)
            else:
                listener.accept()[0].close()
            yield
