# SPDX-License-Identifier: MIT
"""Which places there are: the registry behind ``--ground``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from boxproof.errors import GroundError, nearest
from boxproof.grounds.container.place import find_container
from boxproof.grounds.layout_place import LayoutPlace
from boxproof.grounds.place import HOST, Place
from boxproof.model.layout import Layout, load_layout


def find_places(given: Sequence[str], suite: Path) -> tuple[Place, ...]:
    """Return the places that the user named; without any, this host, and every layout for the cases about it.

    Args:
        given: values of ``--ground``.
        suite: the folder that holds ``containers``.

    Raises:
        GroundError: for a value that names no place, or one twice.
    """
    if not given:
        return (HOST, *(LayoutPlace(layout) for layout in read_layouts(suite)))
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


def _layout(argument: str, suite: Path) -> Place:
    layouts = {layout.name: layout for layout in read_layouts(suite)}
    if argument not in layouts:
        raise GroundError(f"there is no layout '{argument}'", cure=nearest(argument, layouts))
    return LayoutPlace(layouts[argument])


def read_layouts(suite: Path) -> tuple[Layout, ...]:
    """Read all layouts of the suite, sorted by file name.

    Raises:
        NotationError: naming the file, the line and the key.
    """
    paths = sorted((suite / "containers" / "layouts").glob("*.toml"))
    return tuple(load_layout(path.read_bytes().decode("utf-8", "surrogateescape"), path.name) for path in paths)


KINDS: Final[Mapping[str, Callable[[str, Path], Place]]] = MappingProxyType(
    {"host": _host, "layout": _layout, "container": find_container}
)
"""By the word before the colon: what makes a place of the word behind it and the suite's folder."""
