# SPDX-License-Identifier: MIT
"""Two names of the farm that change places between the helper's first look and the command's first instruction."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from attrs import field, frozen, validators

By: TypeAlias = Literal["engine", "chance"]

BY: Final[tuple[By, ...]] = get_args(By)


@frozen
class Swap:
    """One exchange.

    Args:
        one: a name, relative to the farm; what is there when the helper starts is what a rule means.
        other: the name with which it changes places.
        by: ``engine``: once, by the bwrap that the helper executes, before it does anything; ``chance``: again and
            again at seeded moments, by another process.
        secret: files; in no run may the content of all of them come out, or all of them be written. Named as they lie
            before the exchange.
        rounds: how many helpers are started where it is by chance.
    """

    one: str
    other: str
    by: By = field(validator=validators.in_(BY))
    secret: tuple[str, ...]
    rounds: int = 1
