# SPDX-License-Identifier: MIT
r"""The policy file: JSON, read strictly (CONF-1). What is not understood is refused, never ignored.

.. code-block:: json

    {"cwd": "/abs", "reads": "everything", "network": false, "tmp": "closed",
     "rules": [{"path": "/abs", "access": "ro"}]}

``cwd`` and ``rules`` are required. ``reads`` is ``everything`` (the default) or ``listed``, ``tmp`` is ``closed`` (the
default) or ``writable``, ``access`` is ``ro``, ``rw`` or ``deny``. Paths are absolute and otherwise as the user wrote
them. A name that is not UTF-8 is written with ``\\udcXX`` for the byte XX (NAME-2).
"""

from __future__ import annotations

import json
import os
import stat

from .refusal import Refused, shown

READS = ("everything", "listed")
TMP = ("closed", "writable")
ACCESS = ("ro", "rw", "deny")
LARGEST = 16 * 1024 * 1024
"""Size in bytes above which a policy file is taken for a mistake."""

_ADVICE = "correct the policy file"


class Rule:
    """One rule: a path as the user spelled it, and ``ro``, ``rw`` or ``deny``."""

    __slots__ = ("access", "path")

    def __init__(self, path: bytes, access: str) -> None:
        self.path = path
        self.access = access


class Policy:
    """What the command may do. Rules keep the order of the file, which has no meaning (BIND-4)."""

    __slots__ = ("cwd", "network", "reads", "rules", "tmp")

    def __init__(self, cwd: bytes, reads: str, rules: list[Rule], tmp: str, *, network: bool) -> None:
        self.cwd = cwd
        self.reads = reads
        self.rules = rules
        self.network = network
        self.tmp = tmp


def load(name: bytes) -> Policy:
    """The policy in the file `name`.

    Raises:
        Refused: the file cannot be read, or it is not exactly a policy.
    """
    try:
        data = json.loads(_content(name).decode("utf-8"), object_pairs_hook=once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(f"policy file {shown(name)}", f"not JSON: {_first_line(error)}", _ADVICE) from error
    return parse(data)


def parse(data: object) -> Policy:
    """The policy that decoded JSON describes; raises `Refused` where it is not exactly one."""
    fields = table(data, "the policy", required=("cwd", "rules"), optional=("reads", "network", "tmp"))
    rules = fields["rules"]
    if not isinstance(rules, list):
        raise Refused("key rules", f"a list is needed, not {_kind(rules)}", _ADVICE)
    network = fields.get("network", False)
    if not isinstance(network, bool):
        raise Refused("key network", f"true or false is needed, not {_kind(network)}", _ADVICE)
    return Policy(
        cwd=path(fields["cwd"], "cwd"),
        reads=word(fields.get("reads", "everything"), READS, "reads"),
        rules=[rule(entry, f"rules[{number}]") for number, entry in enumerate(rules)],
        tmp=word(fields.get("tmp", "closed"), TMP, "tmp"),
        network=network,
    )


def rule(data: object, where: str) -> Rule:
    """The rule that one entry of ``rules`` describes; `where` names it in a refusal."""
    fields = table(data, where, required=("path", "access"), optional=())
    return Rule(path(fields["path"], where + ".path"), word(fields["access"], ACCESS, where + ".access"))


def table(data: object, where: str, required: tuple[str, ...], optional: tuple[str, ...]) -> dict[str, object]:
    """`data` as an object that has every required key and no key beyond the optional ones."""
    if not isinstance(data, dict):
        raise Refused(where, f"an object is needed, not {_kind(data)}", _ADVICE)
    for key in data:
        if key not in required + optional:
            raise Refused(f"key {_quoted(key)} in {where}", "unknown", f"use {', '.join(required + optional)}")
    for key in required:
        if key not in data:
            raise Refused(f"key {key} in {where}", "missing", _ADVICE)
    return data


def word(data: object, words: tuple[str, ...], where: str) -> str:
    """`data` as one of `words`, exactly as they are written."""
    if not isinstance(data, str):
        raise Refused(f"key {where}", f"a string is needed, not {_kind(data)}", _ADVICE)
    if data not in words:
        raise Refused(f"word {_quoted(data)} in {where}", "unknown", f"use {', '.join(words)}")
    return data


def path(data: object, where: str) -> bytes:
    """`data` as the bytes of an absolute path."""
    if not isinstance(data, str):
        raise Refused(f"key {where}", f"a path is needed, not {_kind(data)}", _ADVICE)
    if not data.startswith("/"):
        raise Refused(f"path {_quoted(data)} in {where}", "not absolute", _ADVICE)
    if "\0" in data:
        raise Refused(f"path {_quoted(data)} in {where}", "holds a NUL", _ADVICE)
    try:
        return data.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise Refused(f"path {_quoted(data)} in {where}", "a lone surrogate is no byte", _ADVICE) from error


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object whose keys are all different: of two equal ones, no reader can know which is meant."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise Refused(f"key {_quoted(twice)}", "present twice", _ADVICE)
    return fields


def _content(name: bytes) -> bytes:
    # O_NONBLOCK: a FIFO here would otherwise hold the start for ever.
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError as error:
        raise Refused(f"policy file {shown(name)}", os.strerror(error.errno or 0), "give a readable file") from error
    with open(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise Refused(f"policy file {shown(name)}", "no ordinary file of at most 16 MiB", "give one")
        return file.read(LARGEST)


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is no JSON")


def _kind(data: object) -> str:
    return {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}.get(
        type(data), "a number"
    )


def _quoted(text: str) -> str:
    return json.dumps(text[:200])


def _first_line(error: Exception) -> str:
    return ascii(str(error)).strip("'\"")[:200]
