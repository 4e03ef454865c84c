# SPDX-License-Identifier: MIT
"""The hand-written cases of a requirement by the function that makes them: one family, one idea."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import GeneratorType, ModuleType
from typing import Any

from attrs import frozen

from boxproof.model.case import Case
from boxproof.model.suite import CaseSource, GeneratedSource
from conformance import test_ca, test_generated
from tests.fixtures.gather import AROUND, MODULES

HAND_WRITTEN = (*MODULES, test_ca, *AROUND)


@frozen
class Family:
    """Cases that one function yields.

    Args:
        about: the first line of its docstring.
        made_by: where it stands, such as ``fixtures/deny_alias.py``.
        cases: at least one.
    """

    about: str
    made_by: str
    cases: tuple[Case, ...]


@cache
def families() -> Mapping[str, tuple[Family, ...]]:
    """All families by requirement, in the order in which they are written."""
    found: dict[str, list[Family]] = {}
    for module in HAND_WRITTEN:
        for source in vars(module).values():
            if isinstance(source, CaseSource):
                found.setdefault(source.requirement, []).extend(_families(source))
    return {requirement: tuple(each) for requirement, each in found.items()}


@cache
def generated() -> Mapping[str, tuple[str, ...]]:
    """The ids of generated items by requirement."""
    found: dict[str, list[str]] = {}
    for source in vars(test_generated).values():
        if isinstance(source, GeneratedSource):
            found.setdefault(source.requirement, []).append(source.id)
    return {requirement: tuple(each) for requirement, each in found.items()}


def modules(requirement: str) -> tuple[str, ...]:
    """Return the conformance modules that judge a requirement."""
    return tuple(_path(module.__name__) for module in HAND_WRITTEN if _judges(module, requirement))


def _judges(module: ModuleType, requirement: str) -> bool:
    return any(isinstance(each, CaseSource) and each.requirement == requirement for each in vars(module).values())


def _families(source: CaseSource) -> Iterator[Family]:
    found: dict[tuple[str, str], list[Case]] = {}
    cases, names = source.cases(), _names(source)
    for case, name in zip(cases, names, strict=True):
        found.setdefault(name, []).append(case)
    for (about, made_by), each in found.items():
        yield Family(about, made_by, tuple(each))


def _names(source: CaseSource) -> Iterator[tuple[str, str]]:
    """Iterate over what made each case: the function that the conformance module yields from, else its own."""
    running = source.factory()
    own = (source.factory.__doc__ or "").partition("\n")[0], _path(source.factory.__module__)
    for _ in running:
        inner = running.gi_yieldfrom if isinstance(running, GeneratorType) else None
        yield _name(inner) or own


def _name(inner: Any) -> tuple[str, str] | None:  # noqa: ANN401 - whatever is yielded from
    frame = inner.gi_frame if isinstance(inner, GeneratorType) else None
    if frame is None:
        return None
    names = frame.f_globals
    function = names.get(frame.f_code.co_qualname.partition(".")[0])
    about = (getattr(function, "__doc__", None) or "").partition("\n")[0]
    return (about, _path(names["__name__"])) if about else None


def _path(module: str) -> str:
    return f"{module.replace('.', '/')}.py"
