# SPDX-License-Identifier: MIT
"""Reserve names that do not exist, so that the command cannot make them and the host never shows them (MASK-4, HOST-4).

In a mount namespace of this helper's own, an overlay is put on the folder that would hold the name (overlayfs, in the
kernel's documentation). Its upper layer is the host's folder itself, so that everything written goes straight there;
its lower layer is a private tmpfs with nothing but the reserved names. They exist in the sandbox, where they are masked
like any denied file, and nowhere else.

overlayfs asks for a work folder on the upper layer's mount, which it needs only to copy up and to white out. Neither is
wanted here, so the work folder is removed again as soon as the overlay stands (`workfolder`).
"""

from __future__ import annotations

import contextlib
import errno
import os

from .held import Held, Root
from .mountinfo import Mounts
from .namespace import MS_NODEV, MS_NOSUID, enter_mount_namespace, mount, unmount
from .paths import at_or_below, depth
from .plan import Plan, changed
from .refusal import Refused, shown
from .workfolder import WorkFolder, make_work_folder

OPTIONS = b"lowerdir=%s,upperdir=%s,workdir=%s,userxattr,xino=on"
"""What an ordinary user may ask of overlayfs; ``xino`` keeps the inode numbers of the host's folder, to compare."""

FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
ADVICE = "create it, or make its folder read-only"


def reserve(plan: Plan, mounts: Mounts) -> None:
    """Make the reserved names of `plan` exist for what this process starts, and only there.

    Raises:
        Refused: a folder cannot be the upper layer of an overlay, or no mount namespace is to be had.
    """
    if not plan.reserved:
        return
    folders = sorted(set(plan.reserved.values()), key=depth)
    works: list[WorkFolder] = []
    try:
        works.extend(make_work_folder(folder, mounts) for folder in folders)
        enter_mount_namespace()
        # Opened before the first overlay: a layer inside an overlay would not be the host's folder any more.
        uppers = [layer(folder, plan.held[folder]) for folder in folders]
        for folder, upper, work in zip(folders, uppers, works):  # noqa: B905 - strict= is newer than Python 3.9
            cover(folder, upper, work.path, [name for name in plan.reserved if plan.reserved[name] == folder])
    except OSError as error:
        name, why = shown(min(plan.reserved)), os.strerror(error.errno or 0)
        raise Refused(f"deny {name}", f"missing, and its folder takes no overlay: {why}", ADVICE) from error
    finally:
        for work in works:
            work.remove()
    plan.held = {path: through_overlay(path, held, folders) for path, held in plan.held.items()}


def layer(folder: bytes, held: Held) -> int:
    """A descriptor of the held folder in this mount namespace, which overlayfs asks for."""
    found = Root().find(folder)
    if not found.is_same(held):
        raise changed(folder)
    return os.dup(found.descriptor)


def through_overlay(path: bytes, held: Held, folders: list[bytes]) -> Held:
    """The held object as the overlays show it: with a device number of theirs, and the same inode number."""
    if not any(at_or_below(path, folder) for folder in folders):
        return held
    try:
        found = Root().find(path)
    except OSError as error:
        raise changed(path) from error
    if found.inode != held.inode:
        raise changed(path)
    return found


def cover(folder: bytes, upper: int, work: bytes, names: list[bytes]) -> None:
    """Put the overlay on one folder; its lower layer is staged on the work folder, which is hidden meanwhile."""
    work_layer = os.open(work, FOLDER)
    mount(b"tmpfs", work, b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=0755")
    try:
        lower = os.open(work, FOLDER)
        for name in names:
            make_name(lower, name[len(folder) :].lstrip(b"/"))
        # Layers by descriptor: a comma or colon in a path would end it in the option string.
        layers = tuple(by_descriptor(number) for number in (lower, upper, work_layer))
        mount(b"overlay", folder, b"overlay", MS_NOSUID | MS_NODEV, OPTIONS % layers)
        os.close(lower)
    finally:
        unmount(work)
    with contextlib.suppress(OSError):  # Linux 6.6 and later leave it on the host's folder; only the mount needs it.
        os.removexattr(by_descriptor(upper), b"user.overlay.uuid")
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))


def make_name(lower: int, name: bytes) -> None:
    """Make one reserved name, folders above it included, as an empty file below the descriptor `lower`."""
    *folders, last = name.split(b"/")
    for count in range(len(folders)):
        with contextlib.suppress(FileExistsError):
            os.mkdir(b"/".join(folders[: count + 1]), 0o755, dir_fd=lower)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(b"/".join([*folders, last]), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o000, dir_fd=lower))


def by_descriptor(number: int) -> bytes:
    """A path to what a descriptor of this process holds."""
    return b"/proc/self/fd/%d" % number
