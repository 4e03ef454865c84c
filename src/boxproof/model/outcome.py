# SPDX-License-Identifier: MIT
"""What may happen, what did happen, and what that is called."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias, get_args

from attrs import frozen

from boxproof.model.probe import Outcome

LaunchOutcome: TypeAlias = Literal["ran", "refused", "fell-back"]
Kind: TypeAlias = Literal[
    "leak",  # denied content came out
    "escape",  # something outside the writable rules was written
    "unsandboxed",  # nothing at all was enforced
    "wrong-object",  # another object than the one named
    "overblock",  # an allowed path is not usable
    "no-start",  # a valid policy was refused
    "not-refused",  # a policy that must be refused was accepted
    "host-change",  # the helper left or changed something on the host
    "leftover",  # a process or mount outlived the helper
    "order-sensitive",  # the order of the rules changed the outcome
    "inconsistent",  # two policies that mean the same came to different outcomes
    "status-lost",  # status 0 without the command having run, or another status than the command's
    "stream-dirty",  # bytes of the helper's own on the command's stdout
    "repeated",  # the command ran more than once
    "hang",  # no end within the deadline
    "silent",  # a refusal without a reason
    "opaque",  # a refusal whose reason does not name what the host lacks
    "same-status",  # a refusal that a caller cannot tell from a command's own failure
    "untrusted-backend",  # a bwrap was executed that others could have replaced
    "crash",  # ended by a signal, or with a backtrace
]

LAUNCH_OUTCOMES: Final[tuple[LaunchOutcome, ...]] = get_args(LaunchOutcome)
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
SECURITY: Final[frozenset[Kind]] = frozenset({"leak", "escape", "unsandboxed"})
"""Kinds to be reported to the vendor in private first."""


class Verdict(Enum):
    """What became of one case, from low to high; that of a group is the highest of its members'."""

    NOT_SELECTED = "not-selected"
    NOT_APPLICABLE = "not-applicable"
    PASS = "pass"  # noqa: S105 - a verdict, no password
    EXPECTED_FAIL = "expected-fail"
    FLAKY = "flaky"
    FAIL = "fail"
    UNEXPECTED_PASS = "unexpected-pass"  # noqa: S105
    ERROR = "error"

    @property
    def rank(self) -> int:
        """The place in the order, 0 for the lowest."""
        return list(Verdict).index(self)


@frozen
class Allowed:
    """What may come of one probe.

    Args:
        outcomes: any of these.
        real: canonical path of the object whose content `allowed` yields, or in which a write lands; ``""`` where
            there is none.
        why: the rule or reading behind it, in words for a report.
    """

    outcomes: frozenset[Outcome]
    real: str = ""
    why: str = ""


@frozen
class Expectation:
    """What may come of one case, as the oracle sees it; paths are canonical and absolute.

    Args:
        launch: what may become of the launch.
        probes: one for each probe of the case, in order.
        one_of: groups of probe numbers of which at least one must be allowed.
        secret: objects whose content must not come out by any probe.
        writable: existing objects that the command may change, and folders in which it may make and remove names.
        fixed: names that must stay as they are, or absent, although their folder is writable.
        why: why a refusal is allowed, in words for a report; empty where it is not.
    """

    launch: frozenset[LaunchOutcome]
    probes: tuple[Allowed, ...]
    one_of: tuple[tuple[int, ...], ...] = ()
    secret: frozenset[str] = frozenset()
    writable: frozenset[str] = frozenset()
    fixed: frozenset[str] = frozenset()
    why: str = ""


@frozen
class Finding:
    """One thing that is wrong, in words that a maintainer understands without reading this code."""

    kind: Kind
    requirement: str
    expected: str
    seen: str
    path: str = ""
    detail: str = ""


@frozen
class Judgement:
    """The verdict on one case.

    Args:
        reason: why a case is not applicable, or what the suite's own trouble was.
        launch: what became of the launch.
        exempt: a case is not applicable because its requirement asks nothing of this helper, such as FALL-2 of one that
            has a single backend; a profile is met without it.
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    launch: str = ""
    exempt: bool = False
