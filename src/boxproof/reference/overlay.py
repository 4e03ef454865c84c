# SPDX-License-Identifier: MIT
"""Reserve names that do not exist, so that the command cannot make them and the host never shows them (MASK-4, HOST-4).

In a mount namespace of this helper's own, an overlay is put on the folder that would hold the name (overlayfs, in the
kernel's documentation). Its upper layer is the host's folder itself, so that everything written goes straight there;
its lower layer is a private tmpfs with nothing but the reserved names. They exist in the sandbox, where they are masked
like any denied file, and nowhere else.

overlayfs asks for a work folder on the upper layer's mount, which it needs only to copy up and to white out. Neither is
wanted here, so the work folder is removed again as soon as the overlay stands.
"""

from __future__ import annotations

import contextlib
import errno
import os

from .mountinfo import Mounts
from .namespace import MS_NODEV, MS_NOSUID, enter_mount_namespace, mount, unmount
from .paths import at_or_below, depth, join, parent
from .refusal import Refused, shown

WORK_PLACES = (b"/var/tmp", b"/tmp")
"""Where a work folder is tried first; then beside the folder itself."""

FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
ADVICE = "create it, or make its folder read-only"


def reserve(reserved: dict[bytes, bytes], mounts: Mounts) -> None:
    """Make names exist for what this process starts, and only there; each comes with the folder that would hold it.

    Raises:
        Refused: a folder cannot be the upper layer of an overlay, or no mount namespace is to be had.
    """
    works: list[bytes] = []
    folders = sorted(set(reserved.values()), key=depth)
    try:
        works.extend(make_work_folder(folder, mounts) for folder in folders)
        if folders:
            enter_mount_namespace()
        # Opened before the first overlay: a layer inside an overlay would not be the host's folder any more.
        uppers = [os.open(folder, FOLDER) for folder in folders]
        for folder, upper, work in zip(folders, uppers, works):  # noqa: B905 - strict= is newer than Python 3.9
            cover(folder, upper, work, [name for name in reserved if reserved[name] == folder])
    except OSError as error:
        name, why = shown(min(reserved)), os.strerror(error.errno or 0)
        raise Refused(f"deny {name}", f"missing, and its folder takes no overlay: {why}", ADVICE) from error
    finally:
        for work in works:
            remove_work_folder(work)


def cover(folder: bytes, upper: int, work: bytes, names: list[bytes]) -> None:
    """Put the overlay on one folder; its lower layer is staged on the work folder, which is hidden meanwhile."""
    work_layer = os.open(work, FOLDER)
    mount(b"tmpfs", work, b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=0755")
    try:
        lower = os.open(work, FOLDER)
        for name in names:
            make_name(lower, name[len(folder) :].lstrip(b"/"))
        # Layers by descriptor: a comma or colon in a path would end it in the option string.
        layers = b"lowerdir=%s,upperdir=%s,workdir=%s,userxattr" % tuple(map(by_descriptor, (lower, upper, work_layer)))
        mount(b"overlay", folder, b"overlay", MS_NOSUID | MS_NODEV, layers)
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


def make_work_folder(folder: bytes, mounts: Mounts) -> bytes:
    """A new folder on the same mount as `folder` and outside of it, which overlayfs demands."""
    for place in (*WORK_PLACES, parent(folder)):
        if at_or_below(place, folder) or mounts.covering(place) is not mounts.covering(folder):
            continue
        work = join(place, b".boxproof-%d-%s" % (os.getpid(), os.urandom(4).hex().encode()))
        with contextlib.suppress(OSError):
            os.mkdir(work, 0o700)
            return work
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def remove_work_folder(work: bytes) -> None:
    """Remove a work folder with what overlayfs put into it.

    PLACE of the sweep: a helper killed before this line leaves an empty folder, for a later run to remove (HOST-2).
    """
    for leftover in (work + b"/work", work + b"/index", work):
        with contextlib.suppress(OSError):
            os.rmdir(leftover)
