# SPDX-License-Identifier: MIT
"""FALL: when the host lacks something."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import ca_paths, hosts


@judges("FALL-1")
def no_usable_backend() -> Iterator[Case]:
    """Without any usable backend the policy is refused, and the reason names what is missing."""
    yield from hosts.no_backend()


@judges("FALL-2")
def another_backend() -> Iterator[Case]:
    """With one backend missing and another present, the command runs confined."""
    yield from hosts.other_backend()


@judges("FALL-3")
def never_unconfined() -> Iterator[Case]:
    """The command never runs unconfined."""
    yield from hosts.never_unconfined()


@judges("FALL-4")
def less_than_needed() -> Iterator[Case]:
    """Less than the policy needs is never enforced in silence."""
    yield from hosts.less_than_needed()


@judges("FALL-5")
def own_status() -> Iterator[Case]:
    """A refusal has an exit status of its own, from preflight and run."""
    yield from hosts.refusals()
    yield from ca_paths.without_landlock()


@judges("FALL-6")
def broken_backend() -> Iterator[Case]:
    """A backend that hangs, dies or does nothing does not make the helper hang, or end with 0."""
    yield from hosts.broken_bwraps()


@judges("FALL-7")
def untrusted_backend() -> Iterator[Case]:
    """A bwrap that others could have replaced is not executed."""
    yield from hosts.writable_bwraps()
    yield from hosts.foreign_bwraps()


@judges("FALL-8")
def old_backend() -> Iterator[Case]:
    """A bwrap too old for an option: another way, or a refusal that names the option or version."""
    yield from hosts.old_bwraps()
