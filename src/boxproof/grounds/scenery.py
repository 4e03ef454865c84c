# SPDX-License-Identifier: MIT
"""Mounts that take something away from a host: a device, a temp folder with room, a /proc with nothing hidden.

Part of the launcher: standard library only, Python 3.9. All of it happens in a mount namespace of the helper's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from boxproof.grounds import kernel
from boxproof.grounds.wire import from_wire

_MS_RDONLY, _MS_REMOUNT, _MS_MOVE = 0x1, 0x20, 0x2000
_SCRATCH: Final = (b"/mnt", b"/run", b"/var", b"/opt")
_PAGE: Final = 4096


def set_scene(steps: Sequence[Sequence[str]]) -> None:
    """Carry out steps such as ``["hide", "/proc/kcore"]``, in order.

    Raises:
        OSError: as mount(2).
    """
    for name, *arguments in steps:
        _STEPS[name](*(from_wire(argument) for argument in arguments))


def _hide(*candidates: bytes) -> None:
    """Mount an empty file or folder over the first that is there."""
    for path in candidates:
        if os.path.isdir(path):
            return kernel.mount(b"tmpfs", path, b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"mode=0755")
        if os.path.exists(path):
            return kernel.mount(b"/dev/null", path, b"", kernel.MS_BIND)
    raise FileNotFoundError(2, "none of these is on this host", b" ".join(candidates))


def _hide_each(*paths: bytes) -> None:
    for path in paths:
        if os.path.exists(path):
            _hide(path)


def _full(*folders: bytes) -> None:
    """Give each folder a file system of one page, and fill it."""
    for folder in folders:
        kernel.mount(b"tmpfs", folder, b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"mode=1777,size=%d" % _PAGE)
        Path(os.fsdecode(folder), "full").write_bytes(bytes(_PAGE))


def _read_only(*folders: bytes) -> None:
    for folder in folders:
        # what is mounted below may not be left out in a user namespace, where it is locked (mount_namespaces(7))
        kernel.mount(folder, folder, b"", kernel.MS_BIND | kernel.MS_REC)
        kernel.mount(b"none", folder, b"", kernel.MS_BIND | _MS_REMOUNT | _MS_RDONLY)


def _proc(options: bytes) -> None:
    """Mount /proc anew with options of its own, which takes root (proc(5))."""
    kernel.mount(b"proc", b"/proc", b"proc", kernel.MS_NOSUID | kernel.MS_NODEV, options)


def _without_device(missing: bytes) -> None:
    """Replace /dev by a folder of binds that lacks one name."""
    scratch = next(path for path in _SCRATCH if os.path.isdir(path))
    kernel.mount(b"tmpfs", scratch, b"tmpfs", kernel.MS_NOSUID, b"mode=0755")
    for entry in os.scandir(b"/dev"):
        if entry.name != missing:
            _copy_device(entry, os.path.join(scratch, entry.name))
    kernel.mount(scratch, b"/dev", b"", _MS_MOVE)


def _copy_device(entry: os.DirEntry[bytes], target: bytes) -> None:
    if entry.is_symlink():
        os.symlink(os.readlink(entry.path), target)
        return
    if entry.is_dir():
        os.mkdir(target)
    else:
        Path(os.fsdecode(target)).touch()
    kernel.mount(entry.path, target, b"", kernel.MS_BIND | kernel.MS_REC)


_STEPS: Final[Mapping[str, Callable[..., None]]] = {
    "hide": _hide,
    "hide-each": _hide_each,
    "full": _full,
    "read-only": _read_only,
    "proc": _proc,
    "without-device": _without_device,
}
