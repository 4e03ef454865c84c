# SPDX-License-Identifier: MIT
"""Malformed policies that are not refused (CONF-1)."""

from __future__ import annotations

from boxproof.reference.policyfile import ACCESS, Policy, _content, once, parse, path, table, word
from boxproof.reference.refusal import Refused

from .entry import replaces


@replaces(table, caught="CONF-1", mimics="a schema that is open")
def unknown_keys_ignored(
    data: object, where: str, required: tuple[str, ...], optional: tuple[str, ...]
) -> dict[str, object]:
    """A key that is not known, perhaps misspelt, is ignored."""
    known = {key: data[key] for key in data if key in required + optional} if isinstance(data, dict) else data
    return table(known, where, required, optional)


@replaces(once, caught="CONF-1", mimics="a JSON parser's default")
def last_key_wins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Of a key that is there twice the last one counts."""
    return dict(pairs)


@replaces(word, caught="CONF-1", mimics="an access word that is not known and means the default")
def misspelt_access_is_ro(data: object, words: tuple[str, ...], where: str) -> str:
    """An access word that is not known means read-only."""
    return "ro" if words == ACCESS and data not in words else word(data, words, where)


@replaces(path, caught="CONF-1", mimics="paths that are joined to the caller's folder")
def relative_path_joined(data: object, where: str) -> bytes:
    """A path that is not absolute is taken from the root."""
    relative = isinstance(data, str) and data and not data.startswith("/")
    return path(f"/{data}" if relative else data, where)


@replaces(_content, caught="CONF-1", mimics="NixOS/nix#4489")
def unreadable_policy_is_empty(name: bytes) -> bytes:
    """A policy file that cannot be read means the default policy."""
    try:
        return _content(name)
    except Refused:
        return b'{"cwd": "/", "rules": []}'


@replaces(parse, caught="CONF-1", mimics="a list that is empty where it is not understood")
def wrong_type_is_empty(data: object) -> Policy:
    """Rules that are no list are no rules."""
    if isinstance(data, dict) and not isinstance(data.get("rules"), list):
        data = {**data, "rules": []}
    return parse(data)
