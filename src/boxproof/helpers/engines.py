# SPDX-License-Identifier: MIT
"""What helpers confine with, and what each engine needs of a host, in the words of `Condition.lacks`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from boxproof.helpers.base import Adapter, Helper

_NAMESPACES: Final = frozenset({"userns", "mount"})
ENGINES: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "bubblewrap": _NAMESPACES | {"bwrap", "pivot_root"},
        "bundled bubblewrap": _NAMESPACES | {"pivot_root"},
        "namespaces": _NAMESPACES,
        "Landlock": frozenset({"landlock"}),
        "Landlock and seccomp": frozenset({"landlock", "seccomp"}),
        "Landlock in namespaces": _NAMESPACES | {"landlock"},
    }
)


def needs_of(adapter: Adapter, helper: Helper) -> tuple[frozenset[str], ...]:
    """Return what each engine that this helper may use needs, in its own order; nothing where nobody knows."""
    about = adapter.documented
    chosen = about.choices.get(helper.env.get(about.chosen_by, ""), about.engines)
    return tuple(ENGINES[engine] for engine in chosen)
