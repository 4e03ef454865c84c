# SPDX-License-Identifier: MIT
"""Rules about system calls, assembled to a classic BPF program for seccomp(2).

A filter sees the number and six arguments of a call, never what a pointer leads to. Calls of another architecture
(32-bit callers) and x32 calls pass. Sources: seccomp(2), ``linux/seccomp.h``, ``linux/filter.h``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from attrs import frozen

from boxproof.conditions.numbers import NUMBERS
from boxproof.errors import ConditionError

Comparison: TypeAlias = Literal["equal", "any-bit"]
NOTIFY: Final = -1
"""Instead of an errno: ask the supervisor (``SECCOMP_RET_USER_NOTIF``)."""

_ARCHITECTURE: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT: Final = 0x40000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _USER_NOTIF = 0x7FFF0000, 0x00050000, 0x7FC00000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16


@frozen
class Argument:
    """What the low 32 bits of an argument must be.

    Args:
        number: which, from 0.
        comparison: whether they equal `value`, or hold any bit of it.
        value: up to 32 bits.
        negated: whether the opposite is wanted.
    """

    number: int
    comparison: Comparison
    value: int
    negated: bool = False


@frozen
class Rule:
    """What calls answer.

    Args:
        calls: names of system calls; a name that this machine has no number for is passed over.
        errno: what they fail with, or `NOTIFY`.
        tests: all must hold; none: the calls always fail.
        beyond: instead of `calls`: every number above this one.
    """

    calls: tuple[str, ...]
    errno: int
    tests: tuple[Argument, ...] = ()
    beyond: int = 0


@frozen
class _Instruction:
    code: int
    k: int
    if_true: int = 0
    if_false: int = 0

    def packed(self) -> bytes:
        return struct.pack("<HBBI", self.code, self.if_true, self.if_false, self.k)


def assemble(rules: Sequence[Rule], machine: str) -> bytes:
    """Return the program; the first rule that fits decides, and what none fits is allowed.

    Args:
        rules: in order.
        machine: as ``uname -m`` says.

    Raises:
        ConditionError: for a machine whose numbers are not known here.
    """
    if machine not in NUMBERS:
        raise ConditionError(f"no filters can be made for {machine}", cure="run on x86_64 or aarch64")
    program = [
        _Instruction(_LOAD, _ARCHITECTURE_AT),
        _Instruction(_EQUAL, _ARCHITECTURE[machine], 1, 0),
        _Instruction(_RETURN, _ALLOW),
        _Instruction(_LOAD, _NUMBER_AT),
        _Instruction(_AT_LEAST, _X32_BIT, 0, 1),
        _Instruction(_RETURN, _ALLOW),
    ]
    for rule in rules:
        for head in _heads(rule, machine):
            program += _block(head, rule)
    program.append(_Instruction(_RETURN, _ALLOW))
    return b"".join(instruction.packed() for instruction in program)


def _heads(rule: Rule, machine: str) -> list[_Instruction]:
    if rule.beyond:
        return [_Instruction(_AT_LEAST, rule.beyond + 1)]
    numbers = NUMBERS[machine]
    return [_Instruction(_EQUAL, numbers[call]) for call in rule.calls if call in numbers]


def _block(head: _Instruction, rule: Rule) -> list[_Instruction]:
    """Return the instructions for one call: compare, test, answer, and load the number again for the next block."""
    length = 2 * len(rule.tests) + 1
    block = [_Instruction(head.code, head.k, 0, length + bool(rule.tests))]
    for done, test in enumerate(rule.tests):
        miss = length - 2 * done - 1
        code = _EQUAL if test.comparison == "equal" else _ANY_BIT
        jumps = (miss - 1, 0) if test.negated else (0, miss - 1)
        block += [_Instruction(_LOAD, _ARGUMENTS_AT + 8 * test.number), _Instruction(code, test.value, *jumps)]
    block.append(_Instruction(_RETURN, _USER_NOTIF if rule.errno == NOTIFY else _ERRNO | rule.errno))
    return [*block, _Instruction(_LOAD, _NUMBER_AT)] if rule.tests else block
