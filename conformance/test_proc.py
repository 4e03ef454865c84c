# SPDX-License-Identifier: MIT
"""PROC: it is a well-behaved parent."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import process


@judges("PROC-1")
def statuses() -> Iterator[Case]:
    """The command's status, or the signal of which it died, comes back."""
    yield from process.endings()


@judges("PROC-2")
def streams() -> Iterator[Case]:
    """Standard input, output and error pass unchanged."""
    yield from process.streams()
    yield from process.clean_streams()


@judges("PROC-3")
def no_commands() -> Iterator[Case]:
    """A command that cannot be executed is no success."""
    yield from process.no_commands()
    yield from process.no_commands_as_in_a_shell()


@judges("PROC-4")
def confinement() -> Iterator[Case]:
    """The command is confined from its first instruction on."""
    yield from process.confinement()
    yield from process.network()


@judges("PROC-5")
def descriptors() -> Iterator[Case]:
    """No descriptor beyond 0 to 2 reaches the command."""
    yield from process.descriptors()


@judges("PROC-6")
def terminated() -> Iterator[Case]:
    """SIGTERM to the helper ends the command, whether it likes that or not."""
    yield from process.terminated()


@judges("PROC-7")
def inherited() -> Iterator[Case]:
    """What the caller leaves reaches the command as it is."""
    yield from process.inherited()
