# SPDX-License-Identifier: MIT
"""Whether the sandbox, before its command is let in, is what the plan says: looked at from outside (RACE-1).

bwrap mounts by path, and a path can change hands between two looks at it. So when all is mounted, everything is looked
up once more through the root of the waiting process: the object that was held when the policy was read, read-only where
it has to be, a mask where one belongs, no mount that is more writable than the plan, and no namespace of the host's.
"""

from __future__ import annotations

import os
import stat

from . import mountinfo
from .held import Held, Root
from .mounts import needs_mount, pins
from .plan import Plan
from .refusal import Refused, shown
from .view import DENY, DEV, HIDDEN, PRIVATE, PROC, RO, SHOWS_HOST, access
from .walk import NOWHERE

OWN_KINDS = (HIDDEN, PRIVATE, PROC, DEV)
NULL_DEVICE = os.makedev(1, 3)
NAMESPACES = ("user", "mnt", "pid", "ipc", "uts")

_ADVICE = "try again while nothing else changes these folders"


def check(process: int, plan: Plan, *, network: bool) -> None:
    """Look at the sandbox whose waiting process is `process`.

    Raises:
        Refused: it is not what `plan` says, or cannot be looked at.
    """
    namespaces(process, network=network)
    inside, outside = root(process), Root()
    for path, held in plan.held.items():
        still_named(outside, path, held)
        shown_as_planned(inside, path, held, access(plan.view, path))
    for path, kind in plan.view.items():
        if kind == DENY and needs_mount(plan.view, path):
            masked(inside, path, plan.held.get(path), folder=path in plan.denied_folders)
    table = mountinfo.read(process)
    writable_mounts(inside, table, plan)
    pinned(table, plan)


def namespaces(process: int, *, network: bool) -> None:
    """Refuse a process that shares a namespace with this one, other than the network where the policy grants it."""
    for name in NAMESPACES if network else (*NAMESPACES, "net"):
        try:
            shared = os.stat(f"/proc/{process}/ns/{name}").st_ino == os.stat(f"/proc/self/ns/{name}").st_ino
        except OSError as error:
            raise unseen(error) from error
        if shared:
            raise Refused("bwrap", f"made no {name} namespace", "use an unmodified bwrap")


def root(process: int) -> Root:
    """The root folder of another process (proc_pid_root(5))."""
    try:
        return Root(f"/proc/{process}/root")
    except OSError as error:
        raise unseen(error) from error


def still_named(outside: Root, path: bytes, held: Held) -> None:
    """Refuse an object that no longer has its name: what it is called now may have no mask (RACE-1)."""
    if not is_at(outside, path, held):
        raise Refused(shown(path), "changed hands while the sandbox was made", _ADVICE)


def shown_as_planned(inside: Root, path: bytes, held: Held, kind: str) -> None:
    """Refuse a path at which the sandbox shows another object than it should, or with more access."""
    same = is_at(inside, path, held)
    if kind in SHOWS_HOST and not same:
        raise Refused(shown(path), "is another object in the sandbox", _ADVICE)
    if kind in OWN_KINDS and same:
        raise Refused(shown(path), "is the host's in the sandbox", "use an unmodified bwrap")
    if kind == RO and not is_read_only(inside.find(path)):
        raise Refused(shown(path), "is not read-only in the sandbox", "use an unmodified bwrap")


def masked(inside: Root, path: bytes, held: Held | None, *, folder: bool) -> None:
    """Refuse a denied path without its mask: a read-only empty folder, or a read-only /dev/null."""
    try:
        mask = inside.find(path)
    except OSError as error:
        raise Refused(f"deny {shown(path)}", f"has no mask: {os.strerror(error.errno or 0)}", _ADVICE) from error
    if folder:
        hides = stat.S_ISDIR(mask.mode) and held is not None and mask.device != held.device
    else:
        hides = stat.S_ISCHR(mask.mode) and mask.special == NULL_DEVICE
    if not hides or not is_read_only(mask):
        raise Refused(f"deny {shown(path)}", "has no mask in the sandbox", _ADVICE)


def writable_mounts(inside: Root, table: mountinfo.Mounts, plan: Plan) -> None:
    """Refuse a mount, such as one that lies below a read-only folder, that is more writable than the plan (BIND-8).

    bwrap leaves out what lies behind a folder that the caller may not search; there, nothing is in the command's reach.
    """
    for mount in table.all:
        if mount.read_only or table.covering(mount.point) is not mount:
            continue
        if access(plan.view, mount.point) in (RO, DENY, HIDDEN) and in_reach(inside, mount.point):
            raise Refused(shown(mount.point), "is a writable mount in the sandbox", "unmount it")


def in_reach(inside: Root, path: bytes) -> bool:
    """Whether the caller comes there by that path; the command, which has its uid, may search no more folders."""
    try:
        inside.find(path)
    except (PermissionError, FileNotFoundError):
        return False
    return True


def pinned(table: mountinfo.Mounts, plan: Plan) -> None:
    """Refuse a folder that the command could rename, with the restrictions in it, because nothing is mounted on it."""
    for path in pins(plan.view):
        if table.covering(path).point != path:
            raise Refused(shown(path), "could be renamed in the sandbox", _ADVICE)


def is_at(root_folder: Root, path: bytes, held: Held) -> bool:
    """Whether a path leads to the held object."""
    try:
        return root_folder.find(path).is_same(held)
    except OSError as error:
        if error.errno not in NOWHERE:
            raise
        return False


def is_read_only(thing: Held) -> bool:
    """Whether the mount on which an object was found is read-only."""
    return bool(os.fstatvfs(thing.descriptor).f_flag & os.ST_RDONLY)


def unseen(error: OSError) -> Refused:
    """The refusal of a sandbox that cannot be looked at, such as that of a setuid bwrap."""
    why = f"made a sandbox that cannot be looked at: {os.strerror(error.errno or 0)}"
    return Refused("bwrap", why, "use one that is not setuid")
