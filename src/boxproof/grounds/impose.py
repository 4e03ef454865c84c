# SPDX-License-Identifier: MIT
"""A condition, imposed on the process that is about to become a helper; all that it starts inherits it.

Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import ctypes
import os
import resource
import socket
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from boxproof.conditions.numbers import NUMBERS
from boxproof.grounds import kernel
from boxproof.grounds.identity import map_everybody, map_self
from boxproof.grounds.scenery import set_scene
from boxproof.grounds.wire import JSON, from_wire

_SET_MODE_FILTER: Final = 1
_NEW_LISTENER: Final = 1 << 3
_PR_SET_NO_NEW_PRIVS: Final = 38


def impose(condition: JSON, listener: int) -> None:
    """Impose what takes privileges, before an identity is dropped; as an ordinary user, in a user namespace if needed.

    Args:
        condition: ``mounts``, steps for `set_scene`; ``namespace_limits``, kinds of namespaces; ``no_new_privs``;
            ``filter``, a program as it travels, or ``""``; ``supervise``, what to ask about.
        listener: a socket over which the filter's listener goes to the launcher; one byte comes back.

    Raises:
        OSError: where the kernel refuses a step.
    """
    root = os.geteuid() == 0
    privileged = root
    if condition["mounts"]:
        _enter_namespace(privileged=root)
        set_scene(condition["mounts"])
        privileged = True
    if condition["namespace_limits"]:
        _limit_namespaces(condition["namespace_limits"], root=root)
    # without a capability a filter may be installed only by a task that can gain none (seccomp(2))
    if condition["no_new_privs"] or (condition["filter"] and not privileged):
        kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    if condition["filter"]:
        _install(from_wire(condition["filter"]), listener if condition["supervise"] else -1)
    if not root and privileged:
        kernel.drop_capabilities()


def impose_after_drop(condition: JSON) -> None:
    """Impose limits, ``limits`` by their names in ``resource``: before, too many processes would forbid execve(2) too.

    Raises:
        OSError: where the kernel refuses one.
    """
    for name, value in condition["limits"].items():
        resource.setrlimit(getattr(resource, name), (value, value))


def _enter_namespace(*, privileged: bool) -> None:
    if privileged:
        kernel.unshare(kernel.CLONE_NEWNS)
    else:
        map_self(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    kernel.mount(b"none", b"/", b"", kernel.MS_REC | kernel.MS_PRIVATE)


def _limit_namespaces(kinds: Sequence[str], *, root: bool) -> None:
    """Let no more namespaces of these kinds be made below a user namespace of our own (namespaces(7))."""
    if root:
        map_everybody()
    else:
        map_self(kernel.CLONE_NEWUSER)
    for kind in kinds:
        Path(f"/proc/sys/user/max_{kind}_namespaces").write_text("0")


def _install(program: bytes, listener: int) -> None:
    """Install a filter; hand its listener over and wait until somebody listens."""
    buffer = ctypes.create_string_buffer(program, len(program))
    pointer = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    flags = _NEW_LISTENER if listener >= 0 else 0
    fd = kernel.system_call(NUMBERS[os.uname().machine]["seccomp"], _SET_MODE_FILTER, flags, pointer)
    if listener >= 0:
        _hand_over(listener, [fd])


def _hand_over(listener: int, fds: Sequence[int]) -> None:
    with socket.socket(fileno=listener) as channel:
        socket.send_fds(channel, [b"l"], fds)
        for fd in fds:
            os.close(fd)
        channel.recv(1)
