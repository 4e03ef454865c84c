# SPDX-License-Identifier: MIT
"""What a helper is asked to enforce, in neutral words.

Spellings stay as written: relative to the farm, absolute, or with the farm's path as ``{farm}``; nothing normalises
them before an adapter sees them.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from attrs import evolve, field, frozen, validators

from boxproof.errors import NotationError
from boxproof.model.names import FARM, escape, unescape

Access: TypeAlias = Literal["ro", "rw", "deny"]
Reads: TypeAlias = Literal["everything", "listed"]
Temp: TypeAlias = Literal["closed", "writable"]

ACCESSES: Final[tuple[Access, ...]] = get_args(Access)


@frozen
class Rule:
    """One entry of a policy: what the command may do with what `spelling` leads to."""

    access: Access = field(validator=validators.in_(ACCESSES))
    spelling: str


@frozen
class Policy:
    """A whole policy.

    Args:
        cwd: spelling of the folder in which the command starts.
        rules: in the order in which the helper gets them.
        reads: ``everything`` on the host is readable unless denied, or only what is ``listed``.
        network: whether the command may reach the network.
        tmp: ``closed``, the host's temp folder cannot be written; ``writable``, the command has one that it can write.
    """

    cwd: str
    rules: tuple[Rule, ...] = ()
    reads: Reads = field(default="everything", validator=validators.in_(get_args(Reads)))
    network: bool = False
    tmp: Temp = field(default="closed", validator=validators.in_(get_args(Temp)))

    def at(self, farm: str) -> Policy:
        """Return the policy with every spelling made absolute for a farm at `farm`, and otherwise as written."""
        rules = tuple(Rule(rule.access, spelled_at(rule.spelling, farm)) for rule in self.rules)
        return evolve(self, cwd=spelled_at(self.cwd, farm), rules=rules)


def spelled_at(spelling: str, farm: str) -> str:
    """Return `spelling` as an absolute path for a farm at `farm`, changing nothing in the spelling itself."""
    placed = spelling.replace(FARM, farm)
    return placed if placed.startswith("/") else f"{farm}/{placed}"


def parse_rule(text: str) -> Rule:
    """Read ``ACCESS SPELLING``.

    Raises:
        NotationError: for anything else.
    """
    access, _, spelling = text.partition(" ")
    for known in ACCESSES:
        if access == known and spelling:
            return Rule(known, unescape(spelling))
    raise NotationError(f"'{text}' is no rule", cure="write 'ro PATH', 'rw PATH' or 'deny PATH'")


def format_rule(rule: Rule) -> str:
    """Write a rule so that `parse_rule` reads the same one."""
    return f"{rule.access} {escape(rule.spelling)}"
