# SPDX-License-Identifier: MIT
"""What an adapter is: a name, what it claims, and one pure function from a neutral policy to a command line.

An adapter never repairs a policy. Canonicalising, reordering, deduplicating or dropping an entry here would hide the
very fault under test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from attrs import field, frozen

from boxproof.errors import HelperError
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy

Kind: TypeAlias = Literal["folder", "file", "missing"]


class CannotExpressError(HelperError):
    """The helper's policy format has no way to say this policy: the case is not applicable, with this reason.

    Causes: a combination of capabilities, each of which the helper has. Next step: none, unless the adapter is wrong.
    """


@frozen
class Lead:
    """What one spelling leads to when the helper starts.

    Args:
        kind: what stat(2) says: a folder, anything else that is there, or an error.
        real: the canonical path of that object, ``""`` where it is missing.
        parent: the canonical path of the folder in which the last component of the spelling lies, or ``""``.
    """

    kind: Kind = "missing"
    real: str = ""
    parent: str = ""


@frozen
class Places:
    """Where one launch lives; all absolute paths that exist when the helper starts.

    Args:
        farm: the farm.
        home: the helper's ``HOME``, empty at the start.
        tmp: the helper's ``TMPDIR``, empty at the start.
        files: the folder into which `Invocation.files` and `Invocation.links` are written.
        leads: from each absolute spelling of the policy, ``cwd`` included, to what it leads to; see `helpers.leads`.
    """

    farm: str
    home: str
    tmp: str
    files: str
    leads: Mapping[str, Lead] = field(factory=dict)

    def lead(self, spelling: str) -> Lead:
        """Return what `spelling` leads to; nothing where nobody looked."""
        return self.leads.get(spelling, Lead())


@frozen
class Invocation:
    """One start of a helper.

    Args:
        argv: the command line, `argv[0]` a path.
        env: variables on top of the launcher's minimal environment.
        files: name below `Places.files` to content, written anew before each start.
        links: name below `Places.files` to the text of a symbolic link, made anew before each start.
        null_fds: descriptors that the helper inherits, each opened for reading on ``/dev/null``.
        executable: the file to execute where it is not `argv[0]`.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(factory=dict)
    files: Mapping[str, bytes] = field(factory=dict)
    links: Mapping[str, str] = field(factory=dict)
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
    env: Mapping[str, str] = field(factory=dict)


@frozen
class Documented:
    """What the makers of a helper say of it, for readers and for cases about hosts that lack something.

    Args:
        source: where its command line and policy are described.
        engines: words of `helpers.engines.ENGINES`: what it confines with, in the order in which it tries them; with
            one only it has nothing to fall back to.
        chosen_by: a variable of the environment by which a user chooses among them, or ``""``.
        choices: by that variable's value, the engines that are left.
        weaker: whether it is documented that it confines less where the host gives less.
        preflight: words after the helper's path with which it checks the policy and runs nothing, or none.
    """

    source: str = ""
    engines: tuple[str, ...] = ()
    chosen_by: str = ""
    choices: Mapping[str, tuple[str, ...]] = field(factory=dict)
    weaker: bool = False
    preflight: tuple[str, ...] = ()


class Adapter(Protocol):
    """How one kind of helper is driven."""

    @property
    def name(self) -> str:
        """The adapter's name, as ``--adapter`` takes it."""

    @property
    def documented(self) -> Documented:
        """What is known of the helper without asking it."""

    @property
    def reserved(self) -> Sequence[str]:
        """Names that the helper protects in every writable folder whatever the policy says; farms avoid them."""

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what this helper can express and enforce; a case that needs more is not applicable."""

    def leftovers(self, helper: Helper) -> Sequence[str]:
        """Return shell patterns (`fnmatch`) of what this helper leaves behind, declared and so no finding.

        They are relative to the folder that holds the launch's ``farm``, ``home`` and ``tmp``. Most leave nothing.
        """
        del helper
        return ()

    def recognises(self, binary: Path) -> bool:
        """Tell by the file's name whether this adapter is meant for it; runs nothing."""

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Ask the binary for its version and surface.

        Raises:
            HelperError: where the binary does not answer as this adapter expects.
        """

    def markers(self, policy: Policy) -> Sequence[str]:
        """Return folders that the helper expects in the farm before it starts, relative to the farm; mostly none."""
        del policy
        return ()

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return how to start `command` under `policy`, whose spellings are absolute; pure.

        `command[0]` is a path.

        Raises:
            CannotExpressError: where the helper claims what the policy needs, but not all of it at once.
            HelperError: where the policy cannot be written for another reason, such as a name that is not UTF-8.
        """
