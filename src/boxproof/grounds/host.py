# SPDX-License-Identifier: MIT
"""What this host offers: a folder for farms, and an interpreter that the launch user can execute."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from boxproof.errors import GroundError
from boxproof.grounds.accounts import LaunchUser, launch_user
from boxproof.grounds.reach import reachable_by
from boxproof.grounds.trees import remove_tree

__all__ = ["LaunchUser", "farm_root", "find_farm_root", "find_interpreter", "launch_user", "reachable_by"]

_PREFIX: Final = "boxproof-"
_LONGEST: Final = 60
"""Bytes of a farm root: with a name or two below it, a Unix socket's path must stay under 108 bytes (unix(7))."""
_TEMP_FOLDERS: Final = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - named in order to keep out of them
_AS_ROOT: Final = ("/var/cache", "/var/lib", "/srv", "/opt", "/")
_INTERPRETERS: Final = ("/usr/bin/python3", "/usr/local/bin/python3", "/usr/libexec/platform-python", "/bin/python3")
_SUITS: Final = "import sys; sys.exit(sys.version_info < (3, 9))"
_ANSWER_SECONDS: Final = 10


@contextlib.contextmanager
def farm_root(user: LaunchUser, explicit: str = "") -> Iterator[Path]:
    """Hold a folder from `find_farm_root` and remove it with all that is in it, unreadable folders too.

    Raises:
        GroundError: as `find_farm_root`.
    """
    root = find_farm_root(user, explicit)
    try:
        yield root
    finally:
        remove_tree(str(root))


def find_farm_root(user: LaunchUser, explicit: str = "") -> Path:
    """Make a new folder for farms, mode 0755 and owned by `user`, in a place that distorts no test.

    That is: not in a temp folder, which helpers replace; below no ``.git``, by which some find their workspace; not on
    overlayfs where there is a choice, since masks of missing names behave differently there; and short.

    Args:
        user: who helpers run as; must be able to reach it.
        explicit: the only folder to consider, or ``""`` for the usual places.

    Raises:
        GroundError: where no place will do, with the reason for each.
    """
    candidates = [explicit] if explicit else _candidates()
    objections = {path: _objection(path, user) for path in candidates}
    suitable = [path for path, objection in objections.items() if not objection]
    for path in sorted(suitable, key=lambda path: _file_system(path) == "overlay"):
        try:
            return _make(path, user)
        except OSError as error:
            objections[path] = f"{error.strerror}"
    reasons = ", ".join(f"{path}: {objection}" for path, objection in objections.items())
    raise GroundError("no place for the farm", cause=reasons, cure="name a folder with --farm-root")


def remake_root(root: Path, user: LaunchUser) -> None:
    """Make a folder for farms anew where a helper has removed it or put something else there; follows no link."""
    if root.is_symlink() or root.is_file():
        root.unlink()
    if not root.exists():
        root.mkdir()
        root.chmod(0o755)
        os.chown(root, user.uid, user.gid)


def check_farm_root(user: LaunchUser, place: str) -> None:
    """Refuse a folder in which no farm should be built; makes nothing.

    Raises:
        GroundError: with the reason.
    """
    if objection := _objection(place, user):
        raise GroundError(f"no farm can be built in '{place}'", cause=objection, cure="name another --farm-root")


def find_interpreter(user: LaunchUser) -> Path:
    """Return a Python of at least version 3.9 that `user` can execute.

    Raises:
        GroundError: where there is none.
    """
    base = Path(sys.base_exec_prefix, "bin", f"python{sys.version_info.major}")
    candidates = [Path(sys.executable).resolve(), base.resolve(), *map(Path, _INTERPRETERS)]
    for path in candidates:
        if path.is_file() and not reachable_by(str(path), user.uid, user.gid) and _runs(path, user):
            return path
    raise GroundError(
        f"uid {user.uid} can execute no Python of this host",
        cause=", ".join(str(path) for path in candidates),
        cure="install python3 below /usr, or run as that user",
    )


def _candidates() -> list[str]:
    if os.geteuid() == 0:
        return list(_AS_ROOT)
    home = str(Path("~").expanduser())
    places = [os.environ.get("XDG_CACHE_HOME", ""), f"{home}/.cache", home, str(Path.cwd())]
    return list(dict.fromkeys(place for place in places if place.startswith("/")))


def _objection(path: str, user: LaunchUser) -> str:
    """Say why no farm should lie in `path`, or nothing."""
    folder = Path(path)
    if not folder.is_dir():
        return "no such folder"
    real = folder.resolve()
    if any(real.is_relative_to(temp) for temp in _temp_folders()):
        return "a temp folder"
    if marked := [str(above) for above in (real, *real.parents) if os.path.lexists(above / ".git")]:
        return f"{marked[0]} holds a .git"
    if stopped := reachable_by(str(real), user.uid, user.gid):
        return f"uid {user.uid} is stopped at {stopped}"
    if len(os.fsencode(real)) + len(_PREFIX) + 9 > _LONGEST:
        return f"longer than {_LONGEST} bytes"
    flags = os.statvfs(real).f_flag
    return "mounted noexec or read-only" if flags & (os.ST_NOEXEC | os.ST_RDONLY) else ""


def _temp_folders() -> Sequence[Path]:
    named = os.environ.get("TMPDIR") or tempfile.gettempdir()  # the second falls back where the first is no folder
    return [Path(path).resolve() for path in (*_TEMP_FOLDERS, named, tempfile.gettempdir())]


def _make(parent: str, user: LaunchUser) -> Path:
    root = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=Path(parent).resolve()))
    root.chmod(0o755)
    os.chown(root, user.uid, user.gid)
    return root


def _file_system(path: str) -> str:
    """Return the type of the mount that holds `path`, from the mount table (proc(5))."""
    real, best = Path(path).resolve(), ("", "")
    for line in Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines():
        fields = line.split(" ")
        point = fields[4].encode("latin-1", "replace").decode("unicode_escape")
        if real.is_relative_to(point) and len(point) >= len(best[0]):
            best = point, fields[fields.index("-") + 1]
    return best[1]


def _runs(path: Path, user: LaunchUser) -> bool:
    root = os.geteuid() == 0
    try:
        done = subprocess.run(
            [path, "-I", "-S", "-c", _SUITS],
            cwd="/",
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
            user=user.uid if root else None,
            group=user.gid if root else None,
            extra_groups=[] if root else None,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
