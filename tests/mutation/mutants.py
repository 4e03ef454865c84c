# SPDX-License-Identifier: MIT
"""The mutants of a module, made by Cosmic Ray's operators without touching a file."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from attrs import frozen
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

_IDENTITY: Final = ("_Eq_Is", "_NotEq_IsNot", "_Is_Eq", "_IsNot_NotEq")
"""Between literals that CPython interns, None and members of an enumeration ``is`` and ``==`` cannot differ."""


@frozen
class Mutant:
    """One change of one module.

    Args:
        module: name of the module.
        operator: Cosmic Ray's name of the change.
        source: the whole module with it.
        was: the line as it was, without blanks around it.
        now: the line as it is.
    """

    module: str
    operator: str
    source: str
    was: str
    now: str

    def __str__(self) -> str:
        """Return a line for a table."""
        return f"{self.module}: {self.was}  ->  {self.now}"


@frozen
class Site:
    """One place of a module that an operator can change: the operator's name, and which of its places."""

    module: str
    path: Path
    operator: str
    occurrence: int

    def mutant(self) -> Mutant | None:
        """Return the module with this change, or `None` where nothing that is executed differs."""
        code = self.path.read_text("utf-8")
        mutated = mutate_code(code, get_operator(self.operator)(), self.occurrence)
        if mutated is None or _executed(mutated) in {"", _executed(code)}:
            return None
        return Mutant(self.module, self.operator, mutated, *_change(code, mutated))


def sites(module: str, path: Path) -> Iterator[Site]:
    """Iterate over all places of a module that some operator can change."""
    nodes = [*ast_nodes(get_ast(path.read_text("utf-8")))]
    for name in operator_names():
        # what takes arguments changes no code by itself: it is told what to change
        if not name.endswith(_IDENTITY) and not get_operator(name).arguments():
            count = sum(len([*get_operator(name)().mutation_positions(node)]) for node in nodes)
            yield from (Site(module, path, name, occurrence) for occurrence in range(count))


def _executed(code: str) -> str:
    """Return what of the code is executed, or nothing where it is no Python.

    Annotations are not, nor does it matter here which arguments are keywords. An operator for multiplication also
    finds the ``*`` before those.
    """
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return ""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef():
                node.returns = None
            case ast.arguments():
                node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
                node.defaults = [*node.defaults, *filter(None, node.kw_defaults)]
                node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
            case ast.arg():
                node.annotation = None
            case ast.AnnAssign():
                node.annotation = ast.Constant("")
    return ast.dump(tree)


def _change(code: str, mutated: str) -> tuple[str, str]:
    lines = [*difflib.ndiff(code.splitlines(), mutated.splitlines())]
    was = " ".join(line[2:].strip() for line in lines if line.startswith("- "))
    now = " ".join(line[2:].strip() for line in lines if line.startswith("+ "))
    return was, now
