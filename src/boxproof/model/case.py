# SPDX-License-Identifier: MIT
"""One case: a farm, a policy, what is tried inside, and the requirement that says what may come of it.

A hand-written factory, a generated topology, a recorded case file and a bug reporter's attachment all make this value.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, get_args

from attrs import evolve, field, frozen, validators

from boxproof.errors import CaseError
from boxproof.model.outcome import LaunchOutcome
from boxproof.model.policy import Policy
from boxproof.model.probe import Probe
from boxproof.model.topology import Topology

Level: TypeAlias = Literal["MUST", "SHOULD", "RECORD"]
Relation: TypeAlias = Literal[
    "",
    "reversed",  # the rules in reverse order (BIND-4)
    "repeated",  # the first rule once more at the end (BIND-3)
    "respelled",  # one rule spelled by its real path (BIND-2)
    "unresolvable-added",  # before all others a read-only rule that leads nowhere (START-2)
]
Spoilt: TypeAlias = Literal[
    "",
    "unknown-key",
    "unknown-nested-key",
    "duplicate-key",
    "misspelt-access",
    "wrong-type",
    "relative-path",
    "empty-path",
    "unreadable",
]

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
RELATIONS: Final[tuple[Relation, ...]] = get_args(Relation)
SPOILT: Final[tuple[Spoilt, ...]] = get_args(Spoilt)
_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LAYOUT: Final = re.compile(r"[a-z0-9.]+(-[a-z0-9.]+)*")
_REQUIREMENT: Final = re.compile(r"[A-Z]+-[0-9]+")


@frozen
class Case:
    """Everything that one verdict stands on.

    Args:
        id: slug, unique within its requirement.
        requirement: id of the requirement that is judged.
        title: one line for people.
        topology: the farm.
        policy: what the helper is asked to enforce.
        probes: what the command tries, in order; empty: every object by every spelling, as the model derives them.
        level: how binding the outcome is, where a requirement holds parts of several levels.
        launch: what may become of the launch; empty where the oracle is to say.
        then: what a second run under the same policy tries, on what the first one left; empty for one run.
        reorder: the outcome must be the same with the rules in reverse order.
        relation: names a second policy that means the same; all that is judged is whether both come to the same.
        spoilt: what is wrong with the policy document, for requirements about malformed policies.
        condition: what the host lacks, as `boxproof list conditions` names it, several joined by ``+``.
        deadline: seconds for the launch, where the usual deadline is not the requirement's.
        layout: the distribution layout that the case is about, such as ``el9``; empty where any machine will do.
        sources: public reports of this shape, as ``owner/name#number`` or an address.

    Raises:
        CaseError: for an id that is no slug, or a requirement that is no id.
    """

    id: str
    requirement: str
    title: str
    topology: Topology
    policy: Policy
    probes: tuple[Probe, ...] = ()
    level: Level = field(default="MUST", validator=validators.in_(LEVELS))
    launch: frozenset[LaunchOutcome] = frozenset()
    then: tuple[Probe, ...] = ()
    reorder: bool = False
    relation: Relation = field(default="", validator=validators.in_(RELATIONS))
    spoilt: Spoilt = field(default="", validator=validators.in_(SPOILT))
    condition: str = ""
    deadline: float = 0.0
    layout: str = ""
    sources: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Check what ids and file names are made of."""
        if not _SLUG.fullmatch(self.id):
            raise CaseError(f"the id '{self.id}' is no slug", cure="use lower-case letters, digits and single dashes")
        if not _REQUIREMENT.fullmatch(self.requirement):
            raise CaseError(f"'{self.requirement}' is no requirement id", cure="write one such as 'MASK-2'")
        if self.layout and not _LAYOUT.fullmatch(self.layout):
            raise CaseError(f"'{self.layout}' is no name of a layout", cure="write one such as 'el9'")

    @property
    def name(self) -> str:
        """The id under which the case is selected and reported, such as ``MASK-2[alias-pair-absolute-file]``."""
        return f"{self.requirement}[{self.id}]"

    def reversed(self) -> Case:
        """Return the case with the rules in reverse order."""
        return evolve(self, policy=evolve(self.policy, rules=self.policy.rules[::-1]), reorder=False)
