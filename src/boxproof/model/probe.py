# SPDX-License-Identifier: MIT
"""One thing that the command tries inside the sandbox, and what may come of it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from attrs import field, frozen, validators

from boxproof.errors import NotationError
from boxproof.model.names import escape, unescape

Operation: TypeAlias = Literal[
    "read",  # the first line of a file
    "write",  # append this probe's own mark to a file that exists
    "create",  # make a new file that holds this probe's mark
    "truncate",  # empty a file
    "list",  # the names in a folder
    "stat",  # lstat succeeds
    "remove",  # unlink
    "mkdir",
    "chmod",  # set mode 0777
    "touch",  # set both times
    "rename",  # PATH OTHER: rename(2)
    "exchange",  # PATH OTHER: renameat2(2) with RENAME_EXCHANGE
    "link",  # PATH OTHER: make OTHER a hard link of PATH
    "symlink",  # PATH OTHER: make PATH a symbolic link with the text OTHER, replacing a link that is there
    "exec",  # execute a file
    "connect",  # connect to a Unix socket
    "device",  # write a line to a character device, one of `DEVICES`
]
Outcome: TypeAlias = Literal["allowed", "denied", "absent", "any"]

OPERATIONS: Final[tuple[Operation, ...]] = get_args(Operation)
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
DEVICES: Final = frozenset({"/dev/null", "/dev/zero"})
"""Devices that swallow what is written to them, so that the control may write too (null(4))."""
WITH_OTHER: Final = frozenset({"rename", "exchange", "link", "symlink"})
"""Operations that take two paths."""
MUTATING: Final = WITH_OTHER | {"remove", "mkdir", "chmod", "truncate"}
"""Operations after which the tree inside is no longer the one that the model knows."""


@frozen
class Probe:
    """One operation; paths are spelled as in a rule, or begin with ``./`` for the command's working folder.

    Args:
        expected: what the case says may come of it; empty where the oracle is to say.
    """

    operation: Operation = field(validator=validators.in_(OPERATIONS))
    path: str
    other: str = ""
    expected: frozenset[Outcome] = frozenset()


def parse_probe(text: str) -> Probe:
    """Read ``OPERATION PATH [OTHER][: OUTCOME|OUTCOME]``.

    Raises:
        NotationError: for an unknown word or a wrong number of paths.
    """
    asked, colon, wanted = text.partition(": ")
    words = asked.split(" ")
    operation = next((known for known in OPERATIONS if known == words[0]), None)
    if operation is None:
        raise NotationError(f"'{words[0]}' in '{text}' is no operation", cure=f"write one of {', '.join(OPERATIONS)}")
    paths = [unescape(word) for word in words[1:]]
    if len(paths) != 1 + (operation in WITH_OTHER) or not all(paths):
        raise NotationError(
            f"'{text}' has {len(paths)} paths",
            cause=f"'{operation}' takes {1 + (operation in WITH_OTHER)}",
            cure=r"a blank in a path is \x20, a colon \x3a",
        )
    path, other = [*paths, ""][:2]
    return Probe(operation, path, other, _outcomes(wanted) if colon else frozenset())


def format_probe(probe: Probe) -> str:
    """Write a probe so that `parse_probe` reads the same one."""
    words = [probe.operation, escape(probe.path), *([escape(probe.other)] if probe.other else [])]
    wanted = "|".join(outcome for outcome in OUTCOMES if outcome in probe.expected)
    return " ".join(words) + (f": {wanted}" if wanted else "")


def _outcomes(text: str) -> frozenset[Outcome]:
    words = text.split("|")
    found = frozenset(known for known in OUTCOMES if known in words)
    if len(found) != len(words):
        raise NotationError(f"'{text}' is no set of outcomes", cure=f"join some of {', '.join(OUTCOMES)} by '|'")
    return found
