# SPDX-License-Identifier: MIT
from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxproof.conditions.bpf import NOTIFY, Argument, Rule, assemble
from boxproof.conditions.numbers import NUMBERS
from boxproof.errors import ConditionError
from tests.conditions import machine

_CALLS = sorted(NUMBERS["x86_64"])
_WORDS = st.integers(0, 2**64 - 1)
_TESTS = st.builds(
    Argument, st.integers(0, 5), st.sampled_from(["equal", "any-bit"]), st.integers(0, 2**32 - 1), st.booleans()
)
_RULES = st.builds(
    Rule,
    st.lists(st.sampled_from(_CALLS), min_size=1, max_size=3).map(tuple),
    st.sampled_from([errno.EPERM, errno.ENOSYS, NOTIFY]),
    st.lists(_TESTS, max_size=3).map(tuple),
    st.sampled_from([0, 0, 0, 334, 450]),
)


def _holds(test: Argument, arguments: list[int]) -> bool:
    low = arguments[test.number] & 0xFFFFFFFF
    found = low == test.value if test.comparison == "equal" else bool(low & test.value)
    return found is not test.negated


def _decided(rules: list[Rule], number: int, arguments: list[int]) -> int:
    for rule in rules:
        called = number > rule.beyond if rule.beyond else number in {NUMBERS["x86_64"][call] for call in rule.calls}
        if called and all(_holds(test, arguments) for test in rule.tests):
            return machine.NOTIFY if rule.errno == NOTIFY else 0x00050000 | rule.errno
    return machine.ALLOW


@given(st.lists(_RULES, max_size=5), st.sampled_from(_CALLS), st.lists(_WORDS, min_size=6, max_size=6))
def test_the_program_decides_as_the_rules_read(rules: list[Rule], call: str, arguments: list[int]) -> None:
    number = NUMBERS["x86_64"][call]
    assert machine.run(assemble(rules, "x86_64"), number, arguments) == _decided(rules, number, arguments)


def test_the_first_rule_that_fits_decides() -> None:
    program = assemble([Rule(("mount",), errno.EPERM), Rule(("mount",), errno.ENOSYS)], "x86_64")
    assert machine.run(program, 165) == 0x00050000 | errno.EPERM


@pytest.mark.parametrize(("number", "architecture"), ((165, 0x40000003), (165 | 0x40000000, machine.ARCHITECTURE)))
def test_callers_of_another_architecture_pass(number: int, architecture: int) -> None:
    program = assemble([Rule(("mount",), errno.EPERM)], "x86_64")
    assert machine.run(program, number, architecture=architecture) == machine.ALLOW


def test_a_call_that_the_machine_lacks_is_passed_over() -> None:
    program = assemble([Rule(("vfork", "mount"), errno.EPERM)], "aarch64")
    assert machine.run(program, NUMBERS["aarch64"]["mount"], architecture=0xC00000B7) == 0x00050000 | errno.EPERM


def test_a_machine_without_numbers_is_a_clear_error() -> None:
    with pytest.raises(ConditionError, match="no filters can be made for riscv64; run on x86_64 or aarch64"):
        assemble([], "riscv64")
