# SPDX-License-Identifier: MIT
"""Drawn farms: what nobody has written down. ``--examples=N`` says how many of each kind."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from boxproof.model.suite import Drawn, generates, relates
from fixtures.strategies import attacks, missing, mounts, nesting, noise, objects, places


@generates("START-2", "nowhere")
def read_only_nowhere() -> SearchStrategy[Drawn]:
    """A read-only entry that leads nowhere does not stop the command, and the other rules hold."""
    return missing.nowhere("ro")


@generates("START-3", "nowhere")
def writable_nowhere() -> SearchStrategy[Drawn]:
    """With a writable entry that leads nowhere the command runs, or is refused; nothing is made on the host."""
    return missing.nowhere("rw")


@generates("BIND-1", "single")
def one_spelling() -> SearchStrategy[Drawn]:
    """A rule spelled through links works."""
    return objects.single()


@generates("BIND-2", "mix")
def any_rules() -> SearchStrategy[Drawn]:
    """By every spelling the same object is seen, with the rules' access."""
    return objects.mix()


@generates("BIND-3", "pair")
def granted_twice() -> SearchStrategy[Drawn]:
    """Several spellings with the same access are one rule."""
    return objects.pair("ro", "rw")


@generates("BIND-4", "conflict")
def two_accesses() -> SearchStrategy[Drawn]:
    """Of two spellings with different access a deny wins, or the policy is refused."""
    return objects.conflict()


@generates("BIND-6", "cwd")
def linked_cwd() -> SearchStrategy[Drawn]:
    """A working folder reached through links works."""
    return places.cwd()


@generates("BIND-7", "noise")
def noisy_spelling() -> SearchStrategy[Drawn]:
    """Noise in a spelling means what the kernel makes of it, or is refused."""
    return noise.noise()


@generates("BIND-8", "submount")
def mount_below() -> SearchStrategy[Drawn]:
    """A submount below a read-only folder is not writable, below a denied one not readable."""
    return mounts.submount()


@generates("NEST-1", "nest3")
def three_levels() -> SearchStrategy[Drawn]:
    """Inside a wider rule the narrower one holds."""
    return nesting.nest3()


@generates("MASK-1", "under")
def denied_in_granted() -> SearchStrategy[Drawn]:
    """What is denied in a granted folder is neither readable nor writable by any spelling."""
    return nesting.denied_below()


@generates("MASK-2", "pair")
def denied_twice() -> SearchStrategy[Drawn]:
    """Several spellings of one denied object start, and are denied."""
    return objects.pair("deny")


@generates("MASK-3", "hard")
def two_names() -> SearchStrategy[Drawn]:
    """A rule on one name of a file takes nothing from a rule on the other."""
    return places.hard()


@generates("MASK-4", "missing")
def denied_and_missing() -> SearchStrategy[Drawn]:
    """A denied name that does not exist stays impossible to make, or the policy is refused."""
    return missing.missing()


@generates("MASK-5", "link-in-writable")
def rewritable_link() -> SearchStrategy[Drawn]:
    """A rule that crosses a rewritable link is refused, or holds."""
    return attacks.link_in_writable()


@generates("MASK-6", "under")
def below_denied() -> SearchStrategy[Drawn]:
    """Nothing below a denied folder is readable by any spelling."""
    return nesting.below_denied()


@generates("MASK-9", "mounted-twice", level="SHOULD")
def second_mount() -> SearchStrategy[Drawn]:
    """A second mount of a folder is a spelling: denied or read-only under both."""
    return mounts.mounted_twice()


@generates("ESC-2", "made-link")
def link_from_inside() -> SearchStrategy[Drawn]:
    """Nothing is written through a link that the command makes."""
    return attacks.made_link()


@generates("ESC-3", "ro-in-writable")
def read_only_in_workspace() -> SearchStrategy[Drawn]:
    """A read-only name in a writable folder stays what it is."""
    return attacks.ro_in_writable()


@generates("NAME-1", "names")
def odd_names() -> SearchStrategy[Drawn]:
    """Names are taken literally."""
    return noise.names()


@relates("BIND-2", "respelled")
def spelled_by_real_path() -> SearchStrategy[Drawn]:
    """A rule spelled by its real path does what it does spelled through links."""
    return objects.mix()


@relates("BIND-3", "repeated")
def repeated() -> SearchStrategy[Drawn]:
    """A rule that comes twice does what it does once."""
    return objects.mix()


@relates("BIND-4", "reversed")
def in_reverse() -> SearchStrategy[Drawn]:
    """The order of the rules has no say."""
    return objects.mix()


@relates("START-2", "unresolvable-added")
def beside_unresolvable() -> SearchStrategy[Drawn]:
    """A read-only entry that leads nowhere changes nothing for the others."""
    return objects.mix()
