# SPDX-License-Identifier: MIT
"""The lines above a run: what is under test, and on what."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.surface.engine import Engine
from boxproof.surface.facts import ask_host, digest


def header(engine: Engine) -> list[str]:
    """Return a line for each helper, then the host."""
    return [*_helpers(engine), *_host(engine)]


def _helpers(engine: Engine) -> Iterator[str]:
    for subject in engine.helpers:
        helper = subject.helper
        yield (
            f"helper: {helper.name} ({helper.path}), version {helper.version or 'unknown'}, "
            f"sha256 {digest(subject)[:16]}, adapter {subject.adapter.name}"
        )


def _grounds(engine: Engine) -> str:
    """Return the names of the grounds; without ``--ground`` there are many, of which cases about layouts need one."""
    names = [place.name for place in engine.places]
    if len(names) > 1 and not engine.options.grounds:
        names = [names[0], f"{len(names) - 1} layouts"]
    return f"{'ground' if len(names) == 1 else 'grounds'}: {', '.join(names)}"


def _host(engine: Engine) -> Iterator[str]:
    facts = ask_host(engine)
    bwrap = facts.bwrap
    tool = f"{bwrap.path} {bwrap.version} (links: {bwrap.link_class})" if bwrap else "not on PATH"
    yield (
        f"host: kernel {facts.kernel}, {facts.distribution}, Landlock ABI {facts.landlock_abi or 'none'}, "
        f"LSMs {', '.join(facts.lsm) or 'unknown'}, user namespaces {facts.userns}"
    )
    yield f"bwrap: {tool}; {_grounds(engine)}; launches as uid {facts.uid}"
