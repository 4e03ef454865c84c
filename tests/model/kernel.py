# SPDX-License-Identifier: MIT
"""What the kernel says about a path: a topology on disk, and the few system calls that ask it."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from boxproof.model.resolve import Tree
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUSER: Final = 0x10000000
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18
MNT_DETACH: Final = 2
KINDS: Final = {
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
    stat.S_IFLNK: "link",
    stat.S_IFSOCK: "socket",
    stat.S_IFIFO: "fifo",
}


@contextmanager
def on_disk(tree: Tree) -> Iterator[None]:
    """Make what the tree holds below its farm, which is an empty folder, and remove it again.

    After an exception everything stays, for the owner of the farm to remove.
    """
    folders = [entry for entry in tree.topology if isinstance(entry, Dir)]
    for entry in tree.topology:
        _make(entry, tree)
    for folder in reversed(folders):
        os.chmod(f"{tree.farm}/{folder.path}", folder.mode)
    yield
    for folder in folders:
        os.chmod(f"{tree.farm}/{folder.path}", 0o700)
    for entry in reversed(tree.topology.entries):
        _remove(entry, f"{tree.farm}/{entry.path}")


@contextmanager
def opened(folder: str) -> Iterator[int]:
    """Hold a folder open, to start walks from."""
    descriptor = os.open(folder, os.O_PATH)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def asked(path: str, folder: int, *, follow: bool) -> tuple[str, str, str]:
    """Return the errno's name, the canonical path and the kind of what `path` leads to from an open folder."""
    try:
        found = _open(path, os.O_PATH | (0 if follow else os.O_NOFOLLOW), folder)
    except OSError as error:
        return errno.errorcode[error.errno or 0], "", ""
    try:
        return "", os.readlink(f"/proc/self/fd/{found}"), KINDS[stat.S_IFMT(os.fstat(found).st_mode)]
    finally:
        os.close(found)


def created(path: str, folder: int, *, follow: bool) -> tuple[str, str]:
    """Open `path` with ``O_CREAT``; return the errno's name and the canonical path of what was opened."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        found = _open(path, flags, folder)
    except OSError as error:
        return errno.errorcode[error.errno or 0], ""
    try:
        return "", os.readlink(f"/proc/self/fd/{found}")
    finally:
        os.close(found)


def drop_to(uid: int) -> None:
    """Become an ordinary user for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def enter_mount_namespace() -> None:
    """Enter a mount namespace of this process alone, as root of a user namespace where it is not root already.

    Raises:
        OSError: where this host allows neither.
    """
    uid, gid = os.geteuid(), os.getegid()
    _call("unshare", CLONE_NEWNS | (CLONE_NEWUSER if uid else 0))
    if uid:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    _call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)


def _open(path: str, flags: int, folder: int, attempts: int = 8) -> int:
    # One ELOOP proves nothing: a walk that a mount or rename anywhere on the machine interrupts begins again, and the
    # kernel counts the links crossed before that once more (namei.c: path_init leaves total_link_count as it is).
    try:
        return os.open(path, flags, 0o600, dir_fd=folder)
    except OSError as error:
        if error.errno != errno.ELOOP or attempts == 1:
            raise
    return _open(path, flags, folder, attempts - 1)


def _make(entry: Entry, tree: Tree) -> None:
    path = f"{tree.farm}/{entry.path}"
    match entry:
        case Dir():
            os.mkdir(path, 0o755)
        case File():
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        case Link(text=text):
            os.symlink(tree.expand(text, os.path.dirname(path)), path)
        case HardLink(of=of):
            os.link(f"{tree.farm}/{of}", path, follow_symlinks=False)
        case Socket():
            os.mknod(path, stat.S_IFSOCK | 0o644)
        case Fifo():
            os.mkfifo(path, 0o644)
        case Mount(kind="bind", of=of):
            os.mkdir(path, 0o755)
            _call("mount", os.fsencode(f"{tree.farm}/{of}"), os.fsencode(path), None, MS_BIND, None)
        case Mount():
            os.mkdir(path, 0o755)
            _call("mount", b"none", os.fsencode(path), b"tmpfs", 0, b"mode=0755")


def _remove(entry: Entry, path: str) -> None:
    if isinstance(entry, Mount):
        _call("umount2", os.fsencode(path), MNT_DETACH)
    if isinstance(entry, Dir | Mount):
        os.rmdir(path)
    else:
        os.unlink(path)


def _call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
