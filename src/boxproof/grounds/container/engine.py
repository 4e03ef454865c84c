# SPDX-License-Identifier: MIT
"""podman or docker, found by asking; images by reference, and the flags under which a sandbox can start in one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from attrs import frozen

from boxproof.errors import GroundError

Name: TypeAlias = Literal["podman", "docker"]

ENGINES: Final[tuple[Name, ...]] = ("podman", "docker")
"""In this order: podman needs no daemon, and no root."""
CHOSEN: Final = "BOXPROOF_ENGINE"
"""The variable that names the only engine to take."""
IMAGES: Final = {name: f"localhost/boxproof/{name}" for name in ("debian", "fedora", "rocky9")}
"""What ``containers/build.sh`` makes of each of the project's Containerfiles."""

_ANSWER_SECONDS: Final = 60.0
_CURE: Final = "install podman, or start the docker daemon"
_BASE: Final = "org.opencontainers.image.base"
_SECCOMP: Final = "/usr/share/containers/seccomp.json"

QUIRKS: Final[dict[Name, tuple[tuple[str, ...], ...]]] = {
    "podman": (
        (),
        # root without CAP_SYS_RESOURCE may not raise a limit to podman's default
        ("--ulimit", "nofile=1024:4096", "--ulimit", "nproc=1000:1000"),
        # crun before 1.9 takes no hybrid control groups
        ("--runtime", "runc", "--ulimit", "nofile=1024:4096", "--ulimit", "nproc=1000:1000"),
    ),
    "docker": ((),),
}
"""What some hosts need before any container starts, tried in this order."""

FLAGS: Final[dict[Name, tuple[tuple[str, ...], ...]]] = {
    "podman": (
        ("unmask=ALL",),
        ("unmask=ALL", "label=disable", "apparmor=unconfined"),
        ("unmask=ALL", "label=disable", "apparmor=unconfined", "seccomp=unconfined"),
    ),
    "docker": (
        (f"seccomp={_SECCOMP}", "systempaths=unconfined"),
        ("seccomp=unconfined", "systempaths=unconfined"),
        ("seccomp=unconfined", "systempaths=unconfined", "label=disable", "apparmor=unconfined"),
    ),
}
"""Values of ``--security-opt``, the fewest first: a user namespace with a fresh /proc in it needs /proc unmasked (the
kernel's mount_too_revealing), and docker's own filter forbids the namespace. Never SYS_ADMIN: under podman every
process of an ordinary user would get it, and bwrap refuses to start so."""


@frozen
class Engine:
    """A container engine that answers.

    Args:
        name: which one.
        program: its command, absolute.
        version: as it says it.
    """

    name: Name
    program: str
    version: str

    @property
    def flags(self) -> tuple[tuple[str, ...], ...]:
        """The sets of `FLAGS` that this host can give."""
        given = FLAGS[self.name]
        return given if Path(_SECCOMP).is_file() else tuple(one for one in given if f"seccomp={_SECCOMP}" not in one)

    def image(self, given: str) -> Image:
        """Return the image of one of the project's names, or of any reference.

        Raises:
            GroundError: where it is not there; nothing is fetched.
        """
        reference = IMAGES.get(given, given)
        done = self.ask("image", "inspect", reference)
        if done.returncode:
            cure = f"containers/build.sh {given}" if given in IMAGES else f"{self.name} pull {reference}"
            raise GroundError(f"{self.name} has no image '{reference}'", cure=cure)
        return _image(reference, json.loads(done.stdout)[0])

    def identity(self) -> tuple[str, ...]:
        """Return the flags by which an ordinary user's files keep their owner in the container."""
        return ("--userns=keep-id",) if self.name == "podman" and os.geteuid() != 0 else ()

    def containers(self, label: str) -> Sequence[str]:
        """Return the ids of the containers with a label, stopped ones too."""
        return self.ask("ps", "--all", "--quiet", "--filter", f"label={label}").stdout.split()

    def pid(self, label: str) -> int:
        """Return the number that the first process of the container with a label has on this host.

        Raises:
            GroundError: where there is no such container.
        """
        found = self.containers(label)
        done = self.ask("inspect", "--format", "{{.State.Pid}}", *found) if found else None
        if done is None or not done.stdout.strip().isdigit():
            raise GroundError(f"{self.name} does not know its own container", cause=done.stderr if done else "")
        return int(done.stdout)

    def remove(self, label: str) -> None:
        """End and remove the containers with a label."""
        if found := self.containers(label):
            self.ask("rm", "--force", *found)

    def ask(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one command of the engine.

        Raises:
            GroundError: where it gives no answer.
        """
        return _ask(self.program, *words)


@frozen
class Image:
    """One image.

    Args:
        reference: as the engine takes it.
        digest: of the image itself.
        base: what it was built on, as its label says, or ``""``.
        base_digest: the digest of that.
        layout: the layout that it should have, as its label says, or ``""``.
        replica: whether it only stands in for a distribution's, as its label says: a replica is no evidence of one.
    """

    reference: str
    digest: str
    base: str = ""
    base_digest: str = ""
    layout: str = ""
    replica: bool = False


def find_engine() -> Engine:
    """Return the first engine that answers, or the one that ``BOXPROOF_ENGINE`` names.

    Raises:
        GroundError: where none does, with the reason for each.
    """
    reasons = []
    wanted = os.environ.get(CHOSEN, "")
    for name in (name for name in ENGINES if wanted in {"", name}):
        program = shutil.which(name)
        if program is None:
            reasons.append(f"{name}: not on PATH")
            continue
        try:
            done = _ask(program, "version", "--format", "{{.Client.Version}} {{.Server}}")
        except GroundError as error:
            reasons.append(f"{name}: {error}")
            continue
        if done.returncode == 0:
            return Engine(name, program, done.stdout.split()[0])
        reasons.append(f"{name}: {' '.join(done.stderr.split())}")
    cause = "; ".join(reasons) or f"{CHOSEN} is '{wanted}', which is none of {', '.join(ENGINES)}"
    raise GroundError("no container engine answers", cause=cause, cure=_CURE)


def _ask(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [program, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="backslashreplace",
            timeout=_ANSWER_SECONDS,
            check=False,
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GroundError(f"'{program} {words[0]}' gives no answer", cause=str(error)) from error


def _image(reference: str, facts: dict[str, object]) -> Image:
    config = facts.get("Config")
    labels = (config.get("Labels") if isinstance(config, dict) else None) or {}
    return Image(
        reference=reference,
        digest=str(facts.get("Digest") or facts["Id"]),
        base=labels.get(f"{_BASE}.name", ""),
        base_digest=labels.get(f"{_BASE}.digest", ""),
        layout=labels.get("boxproof.layout", ""),
        replica="boxproof.replica" in labels,
    )
