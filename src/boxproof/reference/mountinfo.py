# SPDX-License-Identifier: MIT
"""The host's mounts (proc_pid_mountinfo(5)), to tell a second mount of a folder from another folder (MASK-9).

An object is known by its place in its file system, not by its inode: hard links stay apart (MASK-3), and the same
folder mounted twice is one object with two names.
"""

from __future__ import annotations

from .paths import ROOT, at_or_below, join, upwards
from .refusal import Refused

_SOURCE = "/proc/{}/mountinfo"


class Mount:
    """One mount: its id and its parent's, the device, which folder of that file system it shows, where, and how."""

    __slots__ = ("device", "number", "parent", "point", "read_only", "root")

    def __init__(  # noqa: PLR0913 - the fields of one line
        self, number: int, parent: int, device: bytes, root: bytes, point: bytes, *, read_only: bool = False
    ) -> None:
        self.number = number
        self.parent = parent
        self.device = device
        self.root = root
        self.point = point
        self.read_only = read_only


class Mounts:
    """The mount table at one moment."""

    __slots__ = ("_at", "_top", "all")

    def __init__(self, mounts: list[Mount]) -> None:
        self.all = mounts
        known = {mount.number for mount in mounts}
        self._at = {(mount.parent, mount.point): mount for mount in mounts if mount.parent != mount.number}
        self._top = next(mount for mount in mounts if mount.parent not in known or mount.parent == mount.number)

    def covering(self, path: bytes) -> Mount:
        """The mount that a look-up of `path` ends in: from the top, always into the first mount point on the way."""
        here = self._top
        for point in reversed(upwards(path)):
            while (here.number, point) in self._at:
                here = self._at[here.number, point]
        return here

    def identity(self, path: bytes) -> tuple[bytes, bytes]:
        """What object `path` is: its device, and its path within that device's file system."""
        mount = self.covering(path)
        return mount.device, _moved(path, mount.point, mount.root)

    def names(self, path: bytes) -> list[bytes]:
        """Every visible path of the object at `path`, and of mounts that show a part of it elsewhere."""
        device, inner = self.identity(path)
        found = [path]
        for mount in self.all:
            if mount.device != device:
                continue
            name = _name_under(mount, inner)
            if name and name not in found and self.covering(name) is mount:
                found.append(name)
        return found

    def below(self, folder: bytes) -> list[bytes]:
        """The visible mount points inside `folder`, itself not among them."""
        points = [m.point for m in self.all if m.point != folder and at_or_below(m.point, folder)]
        return [point for point in points if self.covering(point).point == point]


def read(process: int | str = "self") -> Mounts:
    """The mounts of a process, by the names that it has for them.

    Raises:
        Refused: /proc is not there, so that second names of a denied folder could not be seen (FALL-4).
    """
    try:
        with open(_SOURCE.format(process), "rb") as file:
            return Mounts(parse(file.read()))
    except (OSError, StopIteration) as error:
        raise Refused(_SOURCE.format(process), "not readable, so mounts are unknown", "mount /proc") from error


def parse(text: bytes) -> list[Mount]:
    """The mounts in the text of a mountinfo file."""
    return [_mount(line.split(b" ", 6)) for line in text.split(b"\n") if line]


def _mount(fields: list[bytes]) -> Mount:
    number, parent, device, root, point, options = fields[:6]
    read_only = b"ro" in options.split(b",")
    return Mount(int(number), int(parent), device, _plain(root), _plain(point), read_only=read_only)


def _plain(field: bytes) -> bytes:
    if b"\\" not in field:
        return field
    for escape, byte in ((b"\\040", b" "), (b"\\011", b"\t"), (b"\\012", b"\n"), (b"\\043", b"#"), (b"\\134", b"\\")):
        field = field.replace(escape, byte)
    return field


def _name_under(mount: Mount, inner: bytes) -> bytes:
    """Where `mount` shows the object `inner` of its file system, or the part of it that it shows; empty if neither."""
    if at_or_below(inner, mount.root):
        return _moved(inner, mount.root, mount.point)
    return mount.point if at_or_below(mount.root, inner) else b""


def _moved(path: bytes, folder: bytes, other: bytes) -> bytes:
    """`path`, which lies in `folder`, as it would be called in `other`."""
    inside = path[len(folder) :].lstrip(b"/") if folder != ROOT else path[1:]
    return join(other, inside) if inside else other
