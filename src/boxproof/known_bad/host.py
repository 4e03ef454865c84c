# SPDX-License-Identifier: MIT
"""Traces on the host: files, placeholders, processes (HOST-1 to HOST-4)."""

from __future__ import annotations

import atexit
import contextlib
import os

from boxproof.reference.main import as_given
from boxproof.reference.mountinfo import Mounts
from boxproof.reference.mounts import confinement
from boxproof.reference.overlay import reserve
from boxproof.reference.policyfile import Policy, load

from .entry import replaces


@replaces(load, caught="HOST-1", mimics="a policy file that is taken for the helper's own temp file")
def policy_file_deleted(name: bytes) -> Policy:
    """The policy file is removed once it is read."""
    policy = load(name)
    os.unlink(name)
    return policy


@replaces(as_given, caught="HOST-1", mimics="openai/codex#17625")
def file_left_in_home(environment: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """Each run leaves a file of its own in the home folder."""
    with contextlib.suppress(OSError), open(b"%s/.run-%d" % (environment.get(b"HOME", b""), os.getpid()), "wb"):
        pass
    return as_given(environment)


@replaces(reserve, caught="HOST-4", related=("HOST-2",), mimics="anthropics/claude-code#17087")
def placeholder_while_running(reserved: dict[bytes, bytes], _mounts: Mounts) -> None:
    """A denied name that does not exist is made on the host, and removed after the run unless the helper is killed."""
    for name in reserved:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o644))
        atexit.register(os.unlink, name)


@replaces(confinement, caught="HOST-3", related=("PROC-4",), mimics="RisorseArtificiali/lince#274")
def no_pid_namespace(*, network: bool) -> list[bytes]:
    """The command shares the host's process ids, and what it starts outlives it."""
    return [word for word in confinement(network=network) if word != b"--unshare-pid"]


@replaces(confinement, caught="HOST-3", mimics="containers/bubblewrap#105")
def keeps_child_after_kill(*, network: bool) -> list[bytes]:
    """The command runs on when the helper is killed."""
    return [word for word in confinement(network=network) if word != b"--die-with-parent"]
