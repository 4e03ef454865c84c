# SPDX-License-Identifier: MIT
"""Which capabilities a case needs of a helper."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.access import Meaning, ancestry, meaning_of
from boxproof.model.admissible import question
from boxproof.model.capability import Capability
from boxproof.model.case import Case
from boxproof.model.policy import spelled_at
from boxproof.model.resolve import Tree, resolve


def needs(case: Case, farm: str) -> frozenset[Capability]:
    """Return what a helper's policy must be able to say for this case."""
    meaning = meaning_of(Tree(case.topology, farm), case.policy)
    return frozenset([*_of_words(case), *_of_nesting(meaning), *_of_cwd(meaning), *_of_probes(case, meaning)])


def _of_words(case: Case) -> Iterator[Capability]:
    accesses = {rule.access for rule in case.policy.rules}
    if "deny" in accesses:
        yield Capability.DENY
    if case.policy.reads == "listed":
        yield Capability.LISTED_READS
    elif "ro" in accesses:
        yield Capability.RO_RULES
    if any(rule.access == "rw" and rule.spelling != case.policy.cwd for rule in case.policy.rules):
        yield Capability.RW_RULES
    if not all(map(_is_utf8, (case.policy.cwd, *(rule.spelling for rule in case.policy.rules)))):
        yield Capability.RAW_NAMES
    if case.policy.network:
        yield Capability.NETWORK_SWITCH
    if case.spoilt:
        yield Capability.POLICY_DOCUMENT
    if case.process and "processes" in case.process.asks:
        yield Capability.PROCESSES


def _of_nesting(meaning: Meaning) -> Iterator[Capability]:
    plain = meaning.plain
    for real, access in plain.rules.items():
        around = {plain.rules[folder] for folder in ancestry(real) if folder != real and folder in plain.rules}
        narrower = access == "deny" and plain.default != "hidden"
        if narrower or (access != "rw" and "rw" in around) or (access == "deny" and "ro" in around):
            yield Capability.CARVE_OUT
        if access == "rw" and "ro" in around:
            yield Capability.WIDENING


def _of_probes(case: Case, meaning: Meaning) -> Iterator[Capability]:
    for probe in (*case.probes, *case.then):
        if probe.operation in {"chmod", "touch"} and meaning.plain.of(question(probe, meaning).real or "/") != "rw":
            yield Capability.METADATA


def _of_cwd(meaning: Meaning) -> Iterator[Capability]:
    real = resolve(meaning.tree, spelled_at(meaning.policy.cwd, meaning.tree.farm)).real
    if real and meaning.plain.of(real) != "rw":
        yield Capability.RO_CWD


def _is_utf8(text: str) -> bool:
    return not any("\udc80" <= character <= "\udcff" for character in text)
