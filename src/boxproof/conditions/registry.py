# SPDX-License-Identifier: MIT
"""All conditions, found by name and put together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, reduce
from types import MappingProxyType

from boxproof.conditions.catalogue.bwraps import bwrap_conditions
from boxproof.conditions.catalogue.landlock import landlock_conditions
from boxproof.conditions.catalogue.namespaces import docker_default, namespace_conditions
from boxproof.conditions.catalogue.steps import step_conditions
from boxproof.conditions.catalogue.surroundings import surrounding_conditions
from boxproof.conditions.condition import Condition
from boxproof.errors import ConditionError, nearest


@cache
def conditions() -> Mapping[str, Condition]:
    """Return every single condition by its name, in the order of a table."""
    every = (
        *landlock_conditions(),
        *namespace_conditions(),
        docker_default(),
        *step_conditions(),
        *surrounding_conditions(),
        *bwrap_conditions(),
    )
    return MappingProxyType({condition.name: condition for condition in every})


def find_condition(names: str) -> Condition:
    """Return the condition of a name, or of several with ``+`` between them.

    Raises:
        ConditionError: for an unknown name, or two that cannot be put together.
    """
    known = conditions()
    for name in names.split("+"):
        if name not in known:
            raise ConditionError(f"there is no condition '{name}'", cure=nearest(name, known))
    return reduce(Condition.with_, (known[name] for name in names.split("+")))
