# SPDX-License-Identifier: MIT
"""The launcher's own mount namespace: what a farm or a helper needs mounted and the host must not see.

Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from boxproof.grounds import kernel, overlay
from boxproof.grounds.identity import map_self
from boxproof.grounds.wire import JSON, from_wire


def enter(request: JSON) -> None:
    """Enter a private mount namespace, and a user namespace for it where the request says so (user_namespaces(7)).

    Where the request has a layout, its overlay becomes the root there.

    Raises:
        OSError: where this host does not allow it.
    """
    if request["user_namespace"]:
        map_self(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    else:
        kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount(b"none", b"/", b"", kernel.MS_REC | kernel.MS_PRIVATE)
    if request["layout"]:
        overlay.lay(request["layout"], user_namespace=request["user_namespace"])
    if request["files"]:
        _replace({from_wire(path): from_wire(content) for path, content in request["files"].items()})
    if request["tmp"] and Path("/tmp").is_dir():  # noqa: S108 - what helpers use whatever TMPDIR says
        kernel.mount(from_wire(request["tmp"]), b"/tmp", b"", kernel.MS_BIND)


def join(request: JSON) -> None:
    """Join the mount namespace of a process, such as a container's first, and take its root (setns(2)).

    Raises:
        OSError: where the process has gone, or this one may not.
    """
    with open(f"/proc/{request['pid']}/ns/mnt", "rb") as file:
        kernel.setns(file.fileno(), kernel.CLONE_NEWNS)
    os.chdir("/")


def mount(request: JSON) -> None:
    """Mount an empty tmpfs that belongs to the launch user, or bind the folder ``of``.

    Raises:
        OSError: as mount(2).
    """
    path, of = from_wire(request["path"]), from_wire(request["of"])
    if of:
        kernel.mount(of, path, b"", kernel.MS_BIND | kernel.MS_REC)
    else:
        owner = f"mode=0755,uid={request['uid']},gid={request['gid']}"
        kernel.mount(b"tmpfs", path, b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, owner.encode())


def unmount(request: JSON) -> None:
    """Take away what `mount` mounted.

    Raises:
        OSError: as umount2(2).
    """
    kernel.unmount(from_wire(request["path"]))


def _replace(files: Mapping[bytes, bytes]) -> None:
    """Bind new content over files, from a tmpfs to which no path leads afterwards."""
    scratch = next(path for path in (b"/tmp", b"/run", b"/mnt", b"/var") if Path(os.fsdecode(path)).is_dir())
    kernel.mount(b"tmpfs", scratch, b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"mode=0755")
    try:
        for number, (path, content) in enumerate(files.items()):
            source = Path(os.fsdecode(scratch), str(number))
            source.write_bytes(content)
            source.chmod(0o644)
            kernel.mount(os.fsencode(source), path, b"", kernel.MS_BIND)
    finally:
        kernel.unmount(scratch)
