# SPDX-License-Identifier: MIT
"""The modules that every verdict stands on, and the tests that are to notice a change of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen

_WALKS: Final = (
    "tests/model/test_resolve.py",
    "tests/model/test_resolve_tree.py",
    "tests/model/test_resolve_kernel.py::test_the_model_agrees_with_the_kernel",
)


@frozen
class Subject:
    """A module by its name, and the tests to run on each of its mutants, the fastest first."""

    module: str
    tests: Sequence[str]

    @property
    def path(self) -> str:
        """The module's file, from the checkout."""
        return f"src/{self.module.replace('.', '/')}.py"


def _judged(name: str) -> Subject:
    return Subject(f"boxproof.judge.{name}", (f"tests/judge/test_{name}.py", "tests/judge"))


SUBJECTS: Final = (
    Subject("boxproof.model.walk", _WALKS),
    Subject("boxproof.model.resolve", (*_WALKS, "tests/model/test_access.py")),
    Subject("boxproof.model.oracle", ("tests/model/test_oracle.py", "tests/model/test_oracle_properties.py")),
    *map(
        _judged,
        ("control", "evidence", "fallback", "host", "launch", "leftovers", "probes", "process", "race", "reasons"),
    ),
    Subject("boxproof.judge.__init__", ("tests/judge",)),
)
