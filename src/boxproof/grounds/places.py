# SPDX-License-Identifier: MIT
"""Which places there are: the registry behind ``--ground``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from boxproof.errors import GroundError, nearest
from boxproof.grounds.container.place import find_container
from boxproof.grounds.place import HOST, Place


def find_places(given: Sequence[str], suite: Path) -> tuple[Place, ...]:
    """Return the places that the user named; without any, this host, and every layout for the cases about it.

    Args:
        given: values of ``--ground``.
        suite: the folder that holds ``containers``.

    Raises:
        GroundError: for a value that names no place, or one twice.
    """
    if not given:
        return (HOST,)
    places = tuple(_place(text, suite) for text in given)
    names = [place.name for place in places]
    if twice := [name for name in names if names.count(name) > 1]:
        raise GroundError(f"--ground names '{twice[0]}' twice", cure="give each ground once")
    return places


def _place(given: str, suite: Path) -> Place:
    kind, colon, argument = given.partition(":")
    if kind not in KINDS:
        raise GroundError(f"--ground={given} is unknown", cure=nearest(kind, [*KINDS]))
    takes_argument = kind != "host"
    if bool(colon and argument) != takes_argument:
        form = f"--ground={kind}:NAME" if takes_argument else f"--ground={kind}"
        raise GroundError(f"--ground={given} makes no sense", cure=f"write {form}")
    return KINDS[kind](argument, suite)


def _host(argument: str, suite: Path) -> Place:
    del argument, suite
    return HOST


def _not_here(argument: str, suite: Path) -> Place:
    del suite
    raise GroundError(f"no ground '{argument}' can be made", cause="this version knows the ground 'host' only")


KINDS: Final[Mapping[str, Callable[[str, Path], Place]]] = MappingProxyType(
    {"host": _host, "layout": _not_here, "container": find_container}
)
"""By the word before the colon: what makes a place of the word behind it and the suite's folder."""
