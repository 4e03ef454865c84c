# SPDX-License-Identifier: MIT
"""The launcher's root, replaced by this host's root with a layer of other names over it.

As root that is one overlay over ``/``, on which the host's other mounts are mounted again. In a user namespace the
kernel hides what lies below a mount of the host, so there an overlay can stand only where nothing is mounted below:
the root is put together of as many as it takes, and of the folders that the layer does not touch, as they are.
What is written to an overlay goes to an upper folder on a tmpfs that nobody else has. All of it ends with the mount
namespace, and so with the launcher. Sources: pivot_root(2), mount_namespaces(7), the kernel's
``Documentation/filesystems/overlayfs.rst`` and ``clone_private_mount`` in ``fs/namespace.c``.
Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from typing import Final

from boxproof.grounds import kernel
from boxproof.grounds.wire import JSON, from_wire

UPPER_FD: Final = 200
"""The launcher's descriptor of the folder that holds the upper folders, to which no path leads; each has the path that
it lies over for a name, quoted as in a URL."""
_UNWRITABLE: Final = 0o7555


def lay(request: JSON, *, user_namespace: bool) -> None:
    """Put the new root together and take it; to be called in a mount namespace of its own, all of it private.

    Args:
        request: ``scratch``, an empty folder that is covered meanwhile; ``steps``, what to make in the layer, a folder
            before what lies in it; ``binds``, pairs of a host's folder and a place for it.
        user_namespace: whether this process is root only in a user namespace. What it makes is its user's own then, so
            nothing is made writable: it would not be elsewhere.

    Raises:
        OSError: where this kernel does not allow it.
    """
    points = list(mount_points())
    binds = [(from_wire(source), from_wire(target)) for source, target in request["binds"]]
    os.chdir(from_wire(request["scratch"]))
    kernel.mount(b"tmpfs", b".", b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"mode=0700")
    os.chdir(from_wire(request["scratch"]))
    mask = _UNWRITABLE if user_namespace else 0o7777
    umask = os.umask(0)
    _make_layer(request, mask)
    if user_namespace:
        kernel.mount(b"tmpfs", b"root", b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, b"mode=0555")
        untouched = list(_assemble(b"", points, mask))
    else:
        _overlay(b"", b"", mask)
        moved = {source for source, _ in binds}
        untouched = [point for point in points if point not in moved]
    os.umask(umask)
    # what holds all this is not to show again where the host's folders do
    kernel.mount(b"none", b".", b"", kernel.MS_UNBINDABLE)
    _bind([*((path, path) for path in untouched), *binds])
    _pivot()


def mount_points() -> Iterator[bytes]:
    """Iterate over what is mounted below the root and below no other such point; each brings along what is below it."""
    with open("/proc/self/mountinfo", "rb") as table:
        # octal escapes, as in proc(5)
        fields = {line.split(b" ")[4].decode("unicode_escape").encode("latin-1") for line in table}
    last = b""
    for point in sorted(fields - {b"/"}, key=lambda path: path.split(b"/")):
        if not last or not point.startswith(last + b"/"):
            last = point
            yield point


def _make_layer(request: JSON, mask: int) -> None:
    for name in ("layer", "upper", "work", "root"):
        os.mkdir(name, 0o755)
    for kind, path, mode, data in request["steps"]:
        _make(kind, b"layer" + from_wire(path), mode & mask, from_wire(data))


def _make(kind: str, path: bytes, mode: int, data: bytes) -> None:
    if kind == "folder":
        os.mkdir(path, mode)
    elif kind == "link":
        os.symlink(data, path)
    elif kind == "file":
        with open(path, "xb") as file:
            file.write(data)
        os.chmod(path, mode)
    else:
        # a whiteout: to overlayfs the name is not there; making one takes no privilege since Linux 5.8
        os.mknod(path, stat.S_IFCHR, 0)


def _assemble(folder: bytes, points: Sequence[bytes], mask: int) -> Iterator[bytes]:
    """Make one folder of the new root, and iterate over what of it is to be bound as it is."""
    layer = b"layer" + folder
    ours = set(os.listdir(layer))
    for name in sorted(ours | set(os.listdir(folder or b"/"))):
        path = folder + b"/" + name
        new, host = b"root" + path, path
        if name not in ours:
            yield from _untouched(host, new)
        elif not (_is_folder(host) and _is_folder(layer + b"/" + name)):
            _copy(layer + b"/" + name, new)
        elif any(point == path or point.startswith(path + b"/") for point in points):
            os.mkdir(new, os.stat(host).st_mode & mask)
            yield from _assemble(path, points, mask)
        else:
            os.mkdir(new)
            _overlay(path, b",userxattr", mask)


def _overlay(path: bytes, options: bytes, mask: int) -> None:
    """Mount the overlay of one folder; its own mode is that of its upper folder."""
    name = (path or b"/").replace(b"%", b"%25").replace(b"/", b"%2F")
    os.mkdir(b"upper/" + name, os.stat(b"layer" + path if path else b"/").st_mode & mask)
    os.mkdir(b"work/" + name)
    layers = b"lowerdir=layer%s:%s,upperdir=upper/%s,workdir=work/%s" % (path, path or b"/", name, name)
    kernel.mount(b"overlay", b"root" + path, b"overlay", 0, layers + options)


def _untouched(host: bytes, new: bytes) -> Iterator[bytes]:
    """Make what something of the host can be bound on; a link is made anew."""
    mode = os.lstat(host).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(host), new)
    elif stat.S_ISDIR(mode):
        os.mkdir(new)
        yield host
    else:
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        yield host


def _copy(made: bytes, new: bytes) -> None:
    """Copy what the layer has where no overlay stands; a whiteout is nothing there."""
    mode = os.lstat(made).st_mode
    if stat.S_ISDIR(mode):
        os.mkdir(new, stat.S_IMODE(mode))
        for name in os.listdir(made):
            _copy(made + b"/" + name, new + b"/" + name)
    elif not stat.S_ISCHR(mode):
        shutil.copy2(made, new, follow_symlinks=False)


def _is_folder(path: bytes) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _bind(pairs: Sequence[tuple[bytes, bytes]]) -> None:
    """Bind what can be reached, with all that is mounted below; a mount point may go while this is under way."""
    for source, target in pairs:
        if os.path.lexists(source) and os.path.lexists(b"root" + target):
            with contextlib.suppress(FileNotFoundError):
                kernel.mount(source, b"root" + target, b"", kernel.MS_BIND | kernel.MS_REC)


def _pivot() -> None:
    upper = os.open("upper", os.O_PATH | os.O_DIRECTORY)
    os.dup2(upper, UPPER_FD, inheritable=False)
    os.close(upper)
    os.chdir("root")
    kernel.pivot_root(b".", b".")
    kernel.unmount(b".")
    os.chdir("/")
