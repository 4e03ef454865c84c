# SPDX-License-Identifier: MIT
"""From a plan to the arguments of bwrap: what is mounted where, parents before children. Pure.

Every destination is a canonical path, because bwrap resolves a link there in a way that differs between versions.
Every source is the same path on the host. Each path gets one mount, so that no mask has to be put on a mask.
"""

from __future__ import annotations

from .paths import ROOT, depth, parent, upwards
from .plan import Plan
from .view import DENY, DEV, EMPTY_AT_START, HIDDEN, PRIVATE, PROC, RO, RW, access, access_around, replaceable
from .walk import Walk


def arguments(plan: Plan) -> list[bytes]:
    """The mounting arguments for `plan`, in the order in which bwrap has to carry them out."""
    steps = {
        path: mount(kind, path, folder=path in plan.denied_folders)
        for path, kind in plan.view.items()
        if needs_mount(plan.view, path)
    }
    steps.update((folder, mount(RW, folder, folder=True)) for folder in pins(plan.view))
    steps.update(skeleton(plan.walks, plan.view))
    made = [word for path in ordered(steps) for word in steps[path]]
    return [*made, b"--remount-ro", ROOT] if plan.view[ROOT] == HIDDEN else made


def ordered(paths: dict[bytes, list[bytes]]) -> list[bytes]:
    """Parents before children, by the depth of the canonical path, never by spelling or place in the list (NEST-1)."""
    return sorted(paths, key=lambda path: (depth(path), path))


def needs_mount(view: dict[bytes, str], path: bytes) -> bool:
    """Whether an entry differs from what its surroundings give already; a deny where nothing is shown needs no mask."""
    kind, around = view[path], access_around(view, path)
    if kind == DENY:
        return around != HIDDEN
    return kind != around or kind == PRIVATE


def mount(kind: str, path: bytes, *, folder: bool) -> list[bytes]:
    """The arguments that give `path` the access `kind`; `folder` tells which mask a denied path gets."""
    if kind == DENY:
        return mask(path, folder=folder)
    return {
        RO: [b"--ro-bind", path, path],
        RW: [b"--bind", path, path],
        PRIVATE: [b"--tmpfs", path],
        PROC: [b"--proc", path],
        DEV: [b"--dev", path],
    }[kind]


def mask(path: bytes, *, folder: bool) -> list[bytes]:
    """What hides a denied object: an empty folder, or /dev/null, which bwrap binds so that none can open it."""
    if folder:
        return [b"--tmpfs", path, b"--remount-ro", path]
    return [b"--ro-bind", b"/dev/null", path]


def pins(view: dict[bytes, str]) -> set[bytes]:
    """Folders between a writable one and a restriction in it: bound onto themselves they cannot be renamed (ESC-3)."""
    pinned: set[bytes] = set()
    for path, kind in view.items():
        if kind in (DENY, RO) and replaceable(view, path):
            pinned.update(
                folder for folder in upwards(parent(path)) if replaceable(view, folder) and access(view, folder) == RW
            )
    return pinned


def skeleton(walks: list[Walk], view: dict[bytes, str]) -> list[tuple[bytes, list[bytes]]]:
    """The links and folders that the rules' own spellings cross, made again where the view starts empty (BIND-1)."""
    folders = [name for way in walks for name in way.folders if is_absent(view, name)]
    links = [(link, text) for way in walks for link, text in way.links if is_absent(view, link)]
    made = [(name, [b"--dir", name]) for name in folders]
    return made + [(link, [b"--symlink", text, link]) for link, text in links]


def is_absent(view: dict[bytes, str], path: bytes) -> bool:
    """Whether a name of the host is not in the sandbox unless it is made."""
    return path not in view and access(view, path) in EMPTY_AT_START


def confinement(*, network: bool) -> list[bytes]:
    """The arguments that do not depend on paths: namespaces, no capability, no life after bwrap (PROC-4, HOST-3).

    A new session takes the terminal away from the command, which could otherwise type into it (TIOCSTI).
    """
    spaces = [b"--unshare-user", b"--unshare-pid", b"--unshare-ipc", b"--unshare-uts", b"--unshare-cgroup-try"]
    closed = [] if network else [b"--unshare-net"]
    return [*spaces, *closed, b"--die-with-parent", b"--new-session", b"--cap-drop", b"ALL"]
