# SPDX-License-Identifier: MIT
"""What an adapter is: a name, what it claims, and one pure function from a neutral policy to a command line.

An adapter never repairs a policy. Canonicalising, reordering, deduplicating or dropping an entry here would hide the
very fault under test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from attrs import field, frozen

from boxproof.model.capability import Capability
from boxproof.model.policy import Policy


@frozen
class Places:
    """Where one launch lives; all absolute paths that exist when the helper starts.

    Args:
        farm: the farm.
        home: the helper's ``HOME``, empty at the start.
        tmp: the helper's ``TMPDIR``, empty at the start.
        files: the folder into which `Invocation.files` are written.
    """

    farm: str
    home: str
    tmp: str
    files: str


@frozen
class Invocation:
    """One start of a helper.

    Args:
        argv: the command line, `argv[0]` a path.
        env: variables on top of the launcher's minimal environment.
        files: name below `Places.files` to content, written anew before each start.
        null_fds: descriptors that the helper inherits, each opened for reading on ``/dev/null``.
        executable: the file to execute where it is not `argv[0]`.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(factory=dict, converter=MappingProxyType)
    files: Mapping[str, bytes] = field(factory=dict, converter=MappingProxyType)
    null_fds: tuple[int, ...] = ()
    executable: str = ""


@frozen
class Helper:
    """A helper as found on this host: a binary, and the adapter's view of its version.

    Args:
        name: short ASCII name for ids and reports, such as ``codex-0.171.0``.
        path: the binary, absolute.
        version: as the binary says it, or ``""``.
        surface: which of the adapter's command lines this version takes, or ``""`` where there is one.
        env: extra variables from ``--helper-env``.
    """

    name: str
    path: str
    version: str = ""
    surface: str = ""
    env: Mapping[str, str] = field(factory=dict, converter=MappingProxyType)


class Adapter(Protocol):
    """How one kind of helper is driven."""

    @property
    def name(self) -> str:
        """The adapter's name, as ``--adapter`` takes it."""

    @property
    def leftovers(self) -> Sequence[str]:
        """Shell patterns of what the helper documents to leave behind, relative to its temp folder or home."""

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what this helper can express and enforce; a case that needs more is not applicable."""

    def recognises(self, binary: Path) -> bool:
        """Tell by the file's name whether this adapter is meant for it; runs nothing."""

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Ask the binary for its version and surface.

        Raises:
            HelperError: where the binary does not answer as this adapter expects.
        """

    def markers(self, policy: Policy) -> Sequence[str]:
        """Return folders that the helper expects in the farm before it starts, relative to the farm."""

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return how to start `command` under `policy`, whose spellings are absolute; pure.

        Raises:
            HelperError: where the helper cannot express the policy, although it claims what the policy needs.
        """
