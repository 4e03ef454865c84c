# SPDX-License-Identifier: MIT
"""The list of argued survivors speaks of the code as it is."""

from __future__ import annotations

import ast
from pathlib import Path

import boxproof
from tests.mutation.subjects import SUBJECTS
from tests.mutation.survivors import argued

ROOT = Path(boxproof.__file__).parents[2]


def test_every_argued_line_is_in_its_module() -> None:
    paths = {subject.module: ROOT / subject.path for subject in SUBJECTS}
    for survivor, why in argued().items():
        lines = {line.strip() for line in paths[survivor.module].read_text("utf-8").splitlines()}
        assert survivor.was in lines
        assert survivor.now not in lines
        assert why


def test_every_module_of_the_judge_has_its_tests() -> None:
    judge = {path.stem for path in (ROOT / "src/boxproof/judge").glob("*.py")}
    assert {subject.module.rpartition(".")[2] for subject in SUBJECTS} == judge | {"walk", "resolve", "oracle"}


def test_every_subject_is_a_program() -> None:
    for subject in SUBJECTS:
        ast.parse((ROOT / subject.path).read_text("utf-8"))
        assert subject.tests
