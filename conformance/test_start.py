# SPDX-License-Identifier: MIT
"""START: a valid policy starts."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import foreign, nowhere, ordinary, scale, ssh_agent


@judges("START-1")
def existing_entries() -> Iterator[Case]:
    """Ordinary existing entries: the command runs, confined."""
    yield from ordinary.ordinary()
    yield from ordinary.deep()
    yield from ordinary.closed_folders()
    yield from ssh_agent.live_socket()


@judges("START-2")
def read_only_nowhere() -> Iterator[Case]:
    """One read-only entry that leads nowhere does not stop the command, and the other rules hold."""
    yield from nowhere.read_only()
    yield from nowhere.read_only_in_workspace()
    yield from nowhere.read_only_behind_mode()
    yield from ssh_agent.entries()


@judges("START-3")
def writable_nowhere() -> Iterator[Case]:
    """A writable entry that leads nowhere: the command runs without it, or is refused; nothing is made on the host."""
    yield from nowhere.writable()
    yield from nowhere.writable_runs()
    yield from nowhere.writable_in_workspace()


@judges("START-4")
def foreign_things() -> Iterator[Case]:
    """A dangling link, socket, FIFO or foreign link inside an allowed folder changes nothing."""
    yield from foreign.in_workspace()
    yield from foreign.in_listed_folder()
    yield from ssh_agent.folder()


@judges("START-5")
def thousand_rules() -> Iterator[Case]:
    """A thousand rules are in force within 30 seconds, or refused."""
    yield from scale.denied()
    yield from scale.read_only()
