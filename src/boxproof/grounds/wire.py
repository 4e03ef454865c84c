# SPDX-License-Identifier: MIT
"""How the engine and the launcher talk: a frame is two sizes, a JSON object and raw bytes, on a stream socket.

JSON has no bytes; strings that stand for some (paths, arguments, variables) are their bytes decoded as Latin-1.
Like all that the launcher imports, this needs the standard library only, and Python 3.9.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any, Final

JSON = dict[str, Any]

_SIZES: Final = struct.Struct(">II")


def send(control: socket.socket, header: JSON, body: bytes = b"") -> None:
    """Write one frame.

    Raises:
        OSError: where the other side has gone.
    """
    head = json.dumps(header).encode()
    control.sendall(_SIZES.pack(len(head), len(body)) + head + body)


def receive(control: socket.socket) -> tuple[JSON, bytes]:
    """Read one frame.

    Raises:
        EOFError: where the other side has gone.
        OSError: for any other fault of the socket, its timeout among them.
    """
    head, body = _SIZES.unpack(_exactly(control, _SIZES.size))
    return json.loads(_exactly(control, head)), _exactly(control, body)


def send_fds(control: socket.socket, header: JSON, fds: Sequence[int]) -> None:
    """Write one short frame, and descriptors with it (unix(7))."""
    head = json.dumps(header).encode()
    socket.send_fds(control, [_SIZES.pack(len(head), 0) + head], fds)


def receive_fds(control: socket.socket, most: int) -> tuple[JSON, Sequence[int]]:
    """Read one frame and the descriptors that came with it, `most` at most; none of them is inheritable.

    Raises:
        EOFError: where the other side has gone.
        OSError: for any other fault of the socket, its timeout among them.
    """
    begin, fds, _, _ = socket.recv_fds(control, _SIZES.size, most)
    head, _ = _SIZES.unpack(begin + _exactly(control, _SIZES.size - len(begin)))
    return json.loads(_exactly(control, head)), fds


def to_wire(text: str | bytes) -> str:
    """Return a path, argument or variable as it travels."""
    return text if isinstance(text, str) and text.isascii() else os.fsencode(text).decode("latin-1")


def from_wire(text: str) -> bytes:
    """Return the bytes of what travelled."""
    return text.encode("latin-1")


def _exactly(control: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = control.recv(min(size - len(data), 1 << 20))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)
