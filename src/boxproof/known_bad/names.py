# SPDX-License-Identifier: MIT
"""Names that are not taken literally (NAME-1, NAME-2)."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import shlex
import unicodedata
from urllib.parse import unquote_to_bytes

from boxproof.reference.policyfile import Policy, Rule, parse, path

from .entry import replaces


@replaces(parse, caught="NAME-1", mimics="a list of paths that is split at commas")
def split_at_comma(data: object) -> Policy:
    """A path with a comma is taken for several."""
    policy = parse(data)
    policy.rules = [
        Rule(os.path.join(os.path.dirname(rule.path), part), rule.access)
        for rule in policy.rules
        for part in rule.path.split(b",")
    ]
    return policy


@replaces(path, caught="NAME-1", mimics="NixOS/nixpkgs#101942")
def names_stripped(data: object, where: str) -> bytes:
    """Blanks at the end of a path are taken away."""
    return path(data, where).strip()


@replaces(parse, caught="NAME-1", mimics="deny lists that are made of patterns")
def patterns_expanded(data: object) -> Policy:
    """A path with a star or brackets is taken for a pattern."""
    policy = parse(data)
    policy.rules = [Rule(name, rule.access) for rule in policy.rules for name in (glob.glob(rule.path) or [rule.path])]
    return policy


@replaces(path, caught="NAME-1", mimics="variables that are expanded in paths")
def variables_expanded(data: object, where: str) -> bytes:
    """A dollar sign in a path begins a variable."""
    return os.path.expandvars(path(data, where).replace(b"$a", b"${a}")).replace(b"${a}", b"")


@replaces(path, caught="NAME-1", mimics="lists with one path a line")
def ends_at_line_feed(data: object, where: str) -> bytes:
    """A line feed in a path ends it."""
    return path(data, where).partition(b"\n")[0]


@replaces(path, caught="NAME-1", mimics="hartwork/sandwine#226")
def words_of_a_shell(data: object, where: str) -> bytes:
    """A path is read as a shell reads words: blanks, quotes and backslashes are not part of it."""
    plain = path(data, where)
    with contextlib.suppress(ValueError):
        return os.fsencode("".join(shlex.split(os.fsdecode(plain))))
    return plain


@replaces(path, caught="NAME-1", mimics="a launcher that takes quotes away")
def quotes_removed(data: object, where: str) -> bytes:
    """Quotes in a path are taken for a shell's."""
    return path(data, where).replace(b"'", b"").replace(b'"', b"")


@replaces(path, caught="NAME-2", mimics="names that pass through a text type")
def bad_bytes_replaced(data: object, where: str) -> bytes:
    """A byte that is not UTF-8 becomes a replacement character."""
    return path(data, where).decode("utf-8", "replace").encode()


@replaces(parse, caught="NAME-1", mimics="a list of paths that is split at colons")
def split_at_colon(data: object) -> Policy:
    """A path with a colon is taken for several."""
    policy = parse(data)
    policy.rules = [
        Rule(os.path.join(os.path.dirname(rule.path), part), rule.access)
        for rule in policy.rules
        for part in rule.path.split(b":")
    ]
    return policy


@replaces(path, caught="NAME-1", mimics="paths that are handed over as addresses")
def percent_decoded(data: object, where: str) -> bytes:
    """A percent sign in a path begins an escape."""
    return unquote_to_bytes(path(data, where))


@replaces(path, caught="NAME-1", mimics="google/nsjail#311")
def octal_decoded(data: object, where: str) -> bytes:
    """A backslash in a path begins an escape of the mount table."""
    return re.sub(rb"\\([0-7]{3})", lambda found: bytes([int(found[1], 8) & 0xFF]), path(data, where))


@replaces(path, caught="NAME-1", mimics="a file system that normalises names")
def letters_decomposed(data: object, where: str) -> bytes:
    """A letter beyond ASCII becomes a plain one and its accent."""
    return os.fsencode(unicodedata.normalize("NFD", os.fsdecode(path(data, where))))


@replaces(path, caught="NAME-1", mimics="a buffer that is too short")
def names_cut(data: object, where: str) -> bytes:
    """The last byte of the longest names is lost."""
    return b"/".join(name[:254] for name in path(data, where).split(b"/"))


@replaces(parse, caught="NAME-1", mimics="paths on a command line")
def dash_begins_option(data: object) -> Policy:
    """A rule whose last name begins with a dash is taken for an option."""
    policy = parse(data)
    policy.rules = [rule for rule in policy.rules if not os.path.basename(rule.path).startswith(b"-")]
    return policy
