# SPDX-License-Identifier: MIT
"""Profiles: which levels a run judges, and when it may say that a helper meets them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from attrs import frozen

from boxproof.model.case import Level
from boxproof.model.outcome import Verdict
from boxproof.model.requirement import Contract
from boxproof.model.result import Result

_IDLE: Final = frozenset({Verdict.NOT_SELECTED, Verdict.NOT_APPLICABLE, Verdict.ERROR})
"""Verdicts that say nothing about the helper."""
_WRONG: Final = frozenset({Verdict.FLAKY, Verdict.FAIL})
_BROKEN: Final = frozenset({Verdict.UNEXPECTED_PASS, Verdict.ERROR})
"""Verdicts on the baseline or on the suite itself; they count at every level that is judged."""


@frozen
class Profile:
    """A profile by its name, and the levels that a run under it judges."""

    name: str
    levels: tuple[Level, ...]


PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            Profile("required", ("MUST",)),
            Profile("recommended", ("MUST", "SHOULD")),
            Profile("all", ("MUST", "SHOULD", "RECORD")),
        )
    }
)


def profile_met(
    profile: Profile, contract: Contract, results: Sequence[Result], *, partial: bool, strict: bool = False
) -> tuple[bool, tuple[str, ...]]:
    """Tell whether every helper meets a profile, and why not, one sentence for each reason.

    It is met only if each binding requirement of the profile came to a verdict that says something about the helper, or
    asks nothing of it, no MUST failed, and neither the baseline nor the suite was wrong. An expected failure is
    accepted.

    Args:
        profile: the profile.
        contract: the requirements.
        results: of the whole run.
        partial: whether only a part of the suite was selected; a part never meets a profile.
        strict: a SHOULD that failed counts too, where the profile judges it.
    """
    reasons = ["only a part of the suite was run"] if partial else []
    helpers = dict.fromkeys(result.helper for result in results) or {"": None}
    for helper in helpers:
        own = [result for result in results if result.helper == helper and result.level in profile.levels]
        prefix = f"{helper}: " if len(helpers) > 1 else ""
        binding = tuple(level for level in profile.levels if level == "MUST" or (level == "SHOULD" and strict))
        reasons += [f"{prefix}{reason}" for reason in (*_idle(binding, contract, own), *_wrong(own, strict=strict))]
    return not reasons, tuple(reasons)


def _idle(levels: Sequence[Level], contract: Contract, results: Sequence[Result]) -> Iterator[str]:
    """Iterate over the binding requirements that nothing was learnt about."""
    verdicts: dict[str, set[Verdict]] = {}
    for result in results:
        verdicts.setdefault(result.requirement, set()).add(result.verdict)
    exempt = {result.requirement for result in results if result.exempt}
    for requirement in contract.at(levels):
        found = verdicts.get(requirement.id, set())
        if found <= _IDLE and (requirement.id not in exempt or Verdict.ERROR in found):
            seen = ", ".join(sorted(verdict.value for verdict in found)) or "no case was run"
            yield f"{requirement.id} was not exercised ({seen})"


def _wrong(results: Sequence[Result], *, strict: bool) -> Iterator[str]:
    """Iterate over the requirements that failed, with how often."""
    binding = {"MUST", "SHOULD"} if strict else {"MUST"}
    counts = Counter(
        (result.requirement, result.verdict, result.evidence)
        for result in results
        if result.verdict in _BROKEN or (result.verdict in _WRONG and result.level in binding)
    )
    for (requirement, verdict, evidence), count in counts.items():
        where = "" if evidence == "host" else f" in {evidence}s"
        yield f"{requirement} has {count} {verdict.value}{where}"
