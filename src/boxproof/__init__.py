# SPDX-License-Identifier: MIT
"""Boxproof: a conformance and regression suite for Linux sandbox helpers.

The engine's layers are described in ``docs/architecture.md``; `boxproof.model` is where to start reading.

``__version__`` is that of the installed distribution, ``unknown`` for a tree that is only on the path.
"""

from __future__ import annotations

TYPE_CHECKING = False
__version__: str

if not TYPE_CHECKING:  # seen by a type checker, this would lend the package every name

    def __getattr__(name: str) -> str:
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # the reference starts once a launch, and to look a version up costs as much as ten of its modules
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - see above

        try:
            return version("boxproof")
        except PackageNotFoundError:
            return "unknown"
