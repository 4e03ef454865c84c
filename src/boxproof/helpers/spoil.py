# SPDX-License-Identifier: MIT
"""Policy documents with one fault, for CONF-1; every helper's is a JSON object in a file or an argument."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from attrs import evolve

from boxproof.helpers.base import CannotExpressError, Invocation
from boxproof.model.case import Spoilt

Document: TypeAlias = dict[str, Any]

_UNKNOWN = "boxproofUnknownKey"


def spoilt(invocation: Invocation, how: Spoilt) -> Invocation:
    """Return the invocation with a fault in its policy document.

    Raises:
        CannotExpressError: where this helper's policy has no place for the fault.
    """
    for name, content in invocation.files.items():
        if how == "unreadable":
            return evolve(invocation, files={})
        text = _spoil(content.decode("utf-8", "surrogateescape"), how)
        if text:
            return evolve(invocation, files={**dict(invocation.files), name: text.encode("utf-8", "surrogateescape")})
    for number, argument in enumerate(invocation.argv):
        text = _spoil(argument, how) if how != "unreadable" else ""
        if text:
            return evolve(invocation, argv=(*invocation.argv[:number], text, *invocation.argv[number + 1 :]))
    raise CannotExpressError(f"the helper's policy has no place for the fault '{how}'")


def _spoil(text: str, how: Spoilt) -> str:
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    if not isinstance(document, dict) or not document:
        return ""
    if how == "duplicate-key":
        key, value = next(iter(document.items()))
        return f"{{{json.dumps(key)}: {json.dumps(value)}, {json.dumps(document)[1:]}"
    return json.dumps(document) if _FAULTS[how](document) else ""


def _unknown_key(document: Document) -> bool:
    document[_UNKNOWN] = True
    return True


def _unknown_nested_key(document: Document) -> bool:
    nested = [place for place in _objects(document) if place is not document]
    if nested:
        nested[-1][_UNKNOWN] = True
    return bool(nested)


def _misspelt_access(document: Document) -> bool:
    words = [place for place in _leaves(document) if isinstance(place[2], str) and "/" not in place[2]]
    words.sort(key=lambda place: place[1] != "access")
    if words:
        holder, key, word = words[0]
        holder[key] = f"{word}x"
    return bool(words)


def _wrong_type(document: Document) -> bool:
    lists = [(holder, key) for holder in _objects(document) for key, value in holder.items() if isinstance(value, list)]
    if lists:
        holder, key = lists[0]
        holder[key] = 7
    return bool(lists)


def _relative_path(document: Document) -> bool:
    return _last_path(document, lambda path: path.lstrip("/"))


def _empty_path(document: Document) -> bool:
    return _last_path(document, lambda _: "")


def _last_path(document: Document, changed: Callable[[str], str]) -> bool:
    paths = [place for place in _items(document) if isinstance(place[2], str) and place[2].startswith("/")]
    if paths:
        holder, key, path = paths[-1]
        holder[key] = changed(path)
    return bool(paths)


_FAULTS = {
    "unknown-key": _unknown_key,
    "unknown-nested-key": _unknown_nested_key,
    "misspelt-access": _misspelt_access,
    "wrong-type": _wrong_type,
    "relative-path": _relative_path,
    "empty-path": _empty_path,
}


def _objects(value: object) -> Iterator[Document]:
    if isinstance(value, dict):
        yield value
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(below)


def _leaves(document: Document) -> Iterator[tuple[Document, str, Any]]:
    for holder in _objects(document):
        for key, value in holder.items():
            if not isinstance(value, dict | list):
                yield holder, key, value


def _items(value: object) -> Iterator[tuple[Any, Any, Any]]:
    """Iterate over the values in objects and in lists, each after what holds it and its key or number there."""
    for key, below in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key, below
        yield from _items(below)
