# SPDX-License-Identifier: MIT
"""What this host is, as a report states it; asked by behaviour, never inferred from a version."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Final

from boxproof.grounds.accounts import LaunchUser
from boxproof.model.host import Bwrap, Host

_LANDLOCK_CREATE_RULESET: Final = 444
_LANDLOCK_CREATE_RULESET_VERSION: Final = 1
_LSM: Final = Path("/sys/kernel/security/lsm")
_SECONDS: Final = 10.0


def host_facts(user: LaunchUser, path: str, farm_root: Path) -> Host:
    """Ask the host; a few processes are started in `farm_root`, which is left as it was.

    Args:
        user: who launches run as.
        path: the PATH of launches.
        farm_root: a folder for farms.
    """
    return Host(
        kernel=platform.release(),
        distribution=_distribution(),
        lsm=tuple(_LSM.read_text().strip().split(",")) if _LSM.is_file() else (),
        landlock_abi=_landlock_abi(),
        userns=_userns(user, path),
        uid=user.uid,
        bwrap=_bwrap(user, path, farm_root),
    )


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:
        return "unknown"


def _landlock_abi() -> int | None:
    libc = ctypes.CDLL(None, use_errno=True)
    abi = libc.syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_CREATE_RULESET_VERSION)
    return abi if abi > 0 else None


def _userns(user: LaunchUser, path: str) -> str:
    unshare = shutil.which("unshare", path=path)
    if unshare is None:
        return "unknown"
    done = _ask([unshare, "--user", "true"], user, path)
    return "yes" if done is not None and done.returncode == 0 else "no"


def _bwrap(user: LaunchUser, path: str, farm_root: Path) -> Bwrap | None:
    found = shutil.which("bwrap", path=path)
    if found is None:
        return None
    done = _ask([found, "--version"], user, path)
    version = done.stdout.decode("ascii", "replace").strip().rpartition(" ")[2] if done is not None else ""
    return Bwrap(found, version, _link_class(found, user, path, farm_root))


def _link_class(bwrap: str, user: LaunchUser, path: str, farm_root: Path) -> str:
    """Bind a file onto a link, relative then absolute; ``--version`` cannot tell, since fixes are backported."""
    folder = farm_root / "links"
    folder.mkdir()
    try:
        (folder / "file").touch()
        (folder / "relative").symlink_to("file")
        (folder / "absolute").symlink_to(folder / "file")
        works = {name: _binds(bwrap, folder / name, user, path) for name in ("file", "relative", "absolute")}
    finally:
        shutil.rmtree(folder)
    if not works["file"]:
        return "unknown"
    return {(False, False): "refuse", (True, False): "escape", (True, True): "follow"}.get(
        (works["relative"], works["absolute"]), "unknown"
    )


def _binds(bwrap: str, target: Path, user: LaunchUser, path: str) -> bool:
    command = [bwrap, "--ro-bind", "/", "/", "--ro-bind", "/dev/null", str(target), "/bin/sh", "-c", ":"]
    done = _ask(command, user, path)
    return done is not None and done.returncode == 0


def _ask(command: list[str], user: LaunchUser, path: str) -> subprocess.CompletedProcess[bytes] | None:
    drops = os.geteuid() == 0
    try:
        return subprocess.run(
            command,
            cwd="/",
            env={"PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            user=user.uid if drops else None,
            group=user.gid if drops else None,
            extra_groups=[] if drops else None,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
