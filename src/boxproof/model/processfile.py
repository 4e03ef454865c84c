# SPDX-License-Identifier: MIT
"""The tables ``process`` and ``swap`` of a case file; a key that equals its default is not written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import fields

from boxproof.errors import CaseError
from boxproof.model.names import escape, unescape
from boxproof.model.process import ASKED, COMMANDS, MOMENTS, STREAMS, Asked, Process
from boxproof.model.swap import BY, Swap
from boxproof.model.table import Table
from boxproof.model.tomltext import array, string

_KEYS: Final = tuple(attribute.name for attribute in fields(Process))
_SWAP_KEYS: Final = tuple(attribute.name for attribute in fields(Swap))
_BYTES: Final = frozenset({"env", "args", "one", "other", "secret"})
"""Keys whose strings may hold any bytes."""


def read_process(table: Table) -> Process:
    """Read the table ``process``.

    Raises:
        NotationError: naming the key.
    """
    table.close(_KEYS)
    try:
        return Process(
            status=table.number("status", 0),
            dies=table.text("dies", ""),
            command=table.word("command", COMMANDS, ""),
            echoes=table.word("echoes", STREAMS, ""),
            closed=table.numbers("closed"),
            passes=table.numbers("passes"),
            asks=table.texts("asks", _asked),
            ignored=table.texts("ignored", str),
            blocked=table.texts("blocked", str),
            umask=table.text("umask", ""),
            limits=table.texts("limits", str),
            env=table.texts("env", unescape),
            args=table.texts("args", unescape),
            signal=table.text("signal", ""),
            moment=table.word("moment", MOMENTS, ""),
            times=table.number("times", 1),
            stubborn=table.flag("stubborn"),
            runs=table.number("runs", 1),
            watched=table.flag("watched"),
            parallel=table.number("parallel", 1),
        )
    except CaseError as error:
        key = next((key for key in table.values if f"'{key} =" in error.what), next(iter(table.values)))
        raise table.wrapped(key, error) from None


def read_swap(table: Table) -> Swap:
    """Read the table ``swap``.

    Raises:
        NotationError: naming the key.
    """
    table.close(_SWAP_KEYS)
    return Swap(
        one=table.parsed("one", unescape),
        other=table.parsed("other", unescape),
        by=table.word("by", BY),
        secret=table.texts("secret", unescape, needed=True),
        rounds=table.number("rounds", 1),
    )


def process_lines(process: Process) -> Iterator[str]:
    """Iterate over the lines of the table ``process``, its head aside."""
    for attribute in fields(Process):
        value = getattr(process, attribute.name)
        if value != attribute.default:
            yield from _lines(attribute.name, value)


def swap_lines(swap: Swap) -> Iterator[str]:
    """Iterate over the lines of the table ``swap``, its head aside."""
    for attribute in fields(Swap):
        yield from _lines(attribute.name, getattr(swap, attribute.name))


def _lines(key: str, value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield f"{key} = {str(value).lower()}"
    elif isinstance(value, int):
        yield f"{key} = {value}"
    elif isinstance(value, tuple) and all(isinstance(item, int) for item in value):
        yield f"{key} = [{', '.join(map(str, value))}]"
    elif isinstance(value, tuple):
        yield from array(key, (_text(key, item) for item in value))
    else:
        yield f"{key} = {string(_text(key, str(value)))}"


def _text(key: str, text: str) -> str:
    return escape(text) if key in _BYTES else text


def _asked(text: str) -> Asked:
    for word in ASKED:
        if word == text:
            return word
    raise CaseError(f"'{text}' cannot be asked", cure=f"write one of {', '.join(ASKED)}")
