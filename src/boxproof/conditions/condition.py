# SPDX-License-Identifier: MIT
"""A condition: what the host lacks, how truly it is simulated, and how to tell that it is in force."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from attrs import evolve, field, frozen

from boxproof.conditions.bpf import NOTIFY, Rule, assemble
from boxproof.errors import ConditionError

Fidelity: TypeAlias = Literal["real", "equivalent", "approximate"]
"""``real``: the kernel itself refuses. ``equivalent``: the same call fails with the same errno at the same step.
``approximate``: the same symptom on the common path; it can only warn."""

Step: TypeAlias = tuple[str, ...]


@frozen
class Plan:
    """What is done to a process before it becomes the helper.

    Args:
        rules: what system calls answer.
        supervise: what the supervisor answers, as `grounds.supervise` takes it.
        mounts: steps of `grounds.scenery`; ``{tmp}`` stands for the launch's temp folder.
        limits: soft and hard limits by their names in ``resource``.
        namespace_limits: kinds of namespaces of which no more may be made: ``user``, ``net`` ...
        no_new_privs: whether no set-user-ID bit is to count.
        bwrap: the kind of bwrap that is first on PATH, see `conditions.bwrap_path`; empty for the host's.
    """

    rules: tuple[Rule, ...] = ()
    supervise: Mapping[str, Any] = field(factory=dict)
    mounts: tuple[Step, ...] = ()
    limits: Mapping[str, int] = field(factory=dict)
    namespace_limits: tuple[str, ...] = ()
    no_new_privs: bool = False
    bwrap: str = ""

    def request(self, places: Mapping[str, str]) -> dict[str, Any]:
        """Return the plan as the launcher takes it.

        Args:
            places: what stands for ``{tmp}``, the launch's temp folder.
        """
        asks = any(rule.errno == NOTIFY for rule in self.rules)
        program = assemble(self.rules, platform.machine()) if self.rules else b""
        return {
            "filter": program.decode("latin-1"),
            "supervise": dict(self.supervise) if asks else {},
            "mounts": [[filled(part, places) for part in step] for step in self.mounts],
            "limits": dict(self.limits),
            "namespace_limits": list(self.namespace_limits),
            "no_new_privs": self.no_new_privs,
        }

    def with_(self, other: Plan) -> Plan:
        """Return both plans as one; what calls answer is decided by the first that says it.

        Raises:
            ConditionError: where both name a bwrap.
        """
        if self.bwrap and other.bwrap:
            raise ConditionError(f"there is one first bwrap on PATH: '{self.bwrap}' or '{other.bwrap}'")
        return evolve(
            self,
            rules=self.rules + other.rules,
            supervise={**other.supervise, **self.supervise},
            mounts=self.mounts + other.mounts,
            limits={**other.limits, **self.limits},
            namespace_limits=self.namespace_limits + other.namespace_limits,
            no_new_privs=self.no_new_privs or other.no_new_privs,
            bwrap=self.bwrap or other.bwrap,
        )


@frozen
class Canary:
    """What a process under a condition sees.

    Args:
        question: a name that `grounds.canary` knows, such as ``landlock-version``.
        arguments: what the question is about.
        answer: the errno's name, or the number, that shows the condition in force.
    """

    question: str
    answer: str
    arguments: tuple[str, ...] = ()

    def asked(self, places: Mapping[str, str]) -> tuple[str, ...]:
        """Return the words of the question, with ``{tmp}`` filled in."""
        return (self.question, *(filled(argument, places) for argument in self.arguments))

    def wanted(self, places: Mapping[str, str]) -> str:
        """Return the answer, with ``{bwrap}``, the bwrap that was laid, filled in."""
        return filled(self.answer, places)


@frozen
class Condition:
    """One thing that a host may lack.

    Args:
        name: as ``boxproof list conditions`` shows it; parts joined by ``+`` where conditions were put together.
        summary: one line.
        fidelity: how truly it is simulated; of several, the weakest.
        plan: how.
        canaries: how to tell that it is in force; all must agree.
        lacks: what a helper cannot have: ``landlock``, ``userns``, ``bwrap``, ``mount`` ...
        about: two conditions about one thing cannot be put together.
        sources: public reports and documents.
    """

    name: str
    summary: str
    fidelity: Fidelity
    plan: Plan
    canaries: tuple[Canary, ...]
    lacks: frozenset[str]
    about: frozenset[str]
    sources: tuple[str, ...] = ()

    def with_(self, other: Condition) -> Condition:
        """Return a host that lacks both.

        Raises:
            ConditionError: where both are about the same thing.
        """
        if both := self.about & other.about:
            raise ConditionError(
                f"'{self.name}' and '{other.name}' cannot be put together",
                cause=f"both are about {', '.join(sorted(both))}",
            )
        return Condition(
            name=f"{self.name}+{other.name}",
            summary=f"{self.summary}; {other.summary}",
            fidelity=max(self.fidelity, other.fidelity, key=FIDELITIES.index),
            plan=self.plan.with_(other.plan),
            canaries=self.canaries + other.canaries,
            lacks=self.lacks | other.lacks,
            about=self.about | other.about,
            sources=self.sources + other.sources,
        )


FIDELITIES: Sequence[Fidelity] = ("real", "equivalent", "approximate")


def filled(text: str, places: Mapping[str, str]) -> str:
    """Return a text with each ``{name}`` of `places` replaced."""
    for name, path in places.items():
        text = text.replace(f"{{{name}}}", path)
    return text
