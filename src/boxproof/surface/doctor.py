# SPDX-License-Identifier: MIT
"""What this machine can test, what it cannot, and why: found by trying, as a run would."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from attrs import field, frozen

from boxproof.errors import BoxproofError
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.command import Command
from boxproof.grounds.facts import host_facts
from boxproof.grounds.ground import PATH, Ground
from boxproof.grounds.host import find_interpreter
from boxproof.grounds.launch import Launcher
from boxproof.grounds.layout import LayoutGround
from boxproof.grounds.places import read_layouts
from boxproof.model.host import Host
from boxproof.model.layout import Layout
from boxproof.model.topology import Topology

_ENGINES: Final = ("podman", "docker")
_SECONDS: Final = 10.0
_LIMITS: Final = (
    ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
    ("/proc/sys/user/max_user_namespaces", "0"),
)
"""Settings of the kernel, and the value with which an ordinary user gets no user namespace."""
_NESTED: Final = ("--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
"""What helpers ask of bwrap: namespaces of all kinds, and a fresh /proc."""


@frozen
class Check:
    """One thing that a run may need.

    Args:
        name: what it is.
        able: whether it is there.
        says: what was found; where it is not there, why, and what cannot be tested without it.
    """

    name: str
    able: bool
    says: str


def examine(user: LaunchUser, chosen: str, suite: Path) -> Iterator[Check]:
    """Iterate over the checks, whatever each of them comes to; nothing that they start stays.

    Args:
        user: who launches would run as.
        chosen: a folder that the user chose for farms, or ``""``.
        suite: the folder that holds ``containers``.
    """
    who = "as root" if user.uid == 0 else f"as uid {user.uid}"
    yield Check(
        "launches", able=True, says=f"{who}{', dropped to from root' if os.geteuid() == 0 and user.uid else ''}"
    )
    with ExitStack() as exits:
        try:
            ground = exits.enter_context(Ground(user, chosen))
        except BoxproofError as error:
            yield Check("farms", able=False, says=f"{error}; nothing can be tested")
            return
        yield Check("farms", able=True, says=f"in {ground.base.parent}")
        yield from _Doctor(ground, host_facts(user, PATH, ground.base), suite, exits).checks()


@frozen
class _Doctor:
    ground: Ground
    host: Host
    suite: Path
    exits: ExitStack = field(repr=False)

    def checks(self) -> Iterator[Check]:
        for name, ask in _CHECKS.items():
            try:
                able, says = ask(self)
            except BoxproofError as error:
                able, says = False, str(error)
            yield Check(name, able, says)

    def user_namespaces(self) -> tuple[bool, str]:
        if self.host.userns == "yes":
            return True, "the launch user can make one"
        limits = [f"{path} is {value}" for path, value in _LIMITS if _holds(path, value)]
        why = ", ".join(limits) or "unshare(2) is refused, or there is no unshare to try it with"
        return False, f"{why}; most helpers refuse everything then"

    def mount_namespaces(self) -> tuple[bool, str]:
        launcher = Launcher(self.ground.user, mounts=True)
        try:
            launcher.start()
        except BoxproofError as error:
            return False, f"{error}; cases with mounts are not applicable"
        finally:
            launcher.close()
        return True, "farms may have mounts"

    def nested_proc(self) -> tuple[bool, str]:
        bwrap = shutil.which("bwrap", path=PATH)
        if bwrap is None:
            return False, "no bwrap to try it with"
        with self.ground.site(Topology(())) as site:
            inside = site.launch(Command([bwrap, *_NESTED, "--", "/bin/sh", "-c", ":"], deadline=_SECONDS))
        said = (inside.stderr.decode("utf-8", "replace").splitlines() or [inside.exec_error])[0]
        return inside.status == 0, "bwrap starts with all namespaces" if inside.status == 0 else said

    def layouts(self) -> tuple[bool, str]:
        known = read_layouts(self.suite)
        bare = Layout("bare", "no path changed", "", ())
        ground = LayoutGround(self.ground.user, host=self.ground, shape=bare)
        if why := self.exits.enter_context(ground).unable:
            return False, f"{why}; cases about certificate paths are not applicable"
        return True, f"{len(known)} can be laid over this host: {', '.join(layout.name for layout in known)}"

    def landlock(self) -> tuple[bool, str]:
        if self.host.landlock_abi is None:
            return False, "the kernel has none or it is turned off; helpers fall back, or refuse"
        return True, f"ABI {self.host.landlock_abi}"

    def bwrap(self) -> tuple[bool, str]:
        bwrap = self.host.bwrap
        if bwrap is None:
            return False, "none on the PATH of launches; helpers that bring none refuse"
        return bwrap.link_class != "unknown", f"{bwrap.path} {bwrap.version}, links as destination: {bwrap.link_class}"

    def engine(self) -> tuple[bool, str]:
        found = [f"{name} ({shutil.which(name)})" for name in _ENGINES if _answers(name)]
        return bool(found), ", ".join(found) or "neither podman nor docker; no image can be tested"

    def compiler(self) -> tuple[bool, str]:
        if self.ground.compiles:
            return True, "compiles the probe"
        return False, "none; cases with exchange or connect are not applicable"

    def interpreter(self) -> tuple[bool, str]:
        return True, f"{find_interpreter(self.ground.user)}, for the reference helper"


_CHECKS: Final[dict[str, Callable[[_Doctor], tuple[bool, str]]]] = {
    "user namespaces": _Doctor.user_namespaces,
    "mount namespaces": _Doctor.mount_namespaces,
    "fresh /proc": _Doctor.nested_proc,
    "layouts": _Doctor.layouts,
    "Landlock": _Doctor.landlock,
    "bwrap": _Doctor.bwrap,
    "container engine": _Doctor.engine,
    "C compiler": _Doctor.compiler,
    "Python": _Doctor.interpreter,
}


def _holds(path: str, value: str) -> bool:
    try:
        return Path(path).read_text("ascii").strip() == value
    except OSError:
        return False


def _answers(name: str) -> bool:
    if shutil.which(name) is None:
        return False
    try:
        done = subprocess.run([name, "--version"], capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
