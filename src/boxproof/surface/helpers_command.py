# SPDX-License-Identifier: MIT
"""``boxproof list helpers``: what can be driven, as the adapters' own data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import click

from boxproof.helpers.base import Adapter, Helper
from boxproof.helpers.registry import adapters
from boxproof.model.capability import Capability

_HEAD: Final = """\
# Helpers

What `--adapter=NAME` takes, beside a TOML file; without it the binary's name decides. This page is what
`boxproof list helpers --markdown` prints.

## What each can say

A case that needs a capability that an adapter does not claim is `not-applicable`. A claim may be narrower for one
version, or on one host, than here; a report names those of the helper that was run. The capabilities are explained in
[adapter-file.md](adapter-file.md).
"""
_FACTS: Final = """
## What is known of each

Engines are in the order in which the helper tries them. Names that a helper protects in every writable folder are kept
out of farms. What it leaves behind, relative to the folder of the launch, is no finding.
"""


@click.command()
@click.option("--markdown", is_flag=True, help="Print the page of the documentation.")
def helpers(*, markdown: bool) -> None:
    """Print each adapter's engines and capabilities."""
    known = adapters()
    for line in _page(known) if markdown else _listing(known):
        click.echo(line)


def _listing(known: Sequence[Adapter]) -> Iterator[str]:
    name = max(len(adapter.name) for adapter in known)
    engines = max(len(_engines(adapter)) for adapter in known)
    for adapter in known:
        yield f"{adapter.name:<{name}}  {_engines(adapter):<{engines}}  {' '.join(_claims(adapter))}"


def _page(known: Sequence[Adapter]) -> Iterator[str]:
    yield _HEAD
    yield from _table(("capability", *(adapter.name for adapter in known)))
    for capability in Capability:
        yield _line((f"`{capability}`", *("yes" if capability in _claims(adapter) else "" for adapter in known)))
    yield _FACTS
    yield from _table(("helper", "engines", "checks only with", "protects", "leaves", "described in"))
    for adapter in known:
        about = adapter.documented
        left = adapter.leftovers(Helper(adapter.name, ""))
        words = (_code(about.preflight), _code(adapter.reserved), _code(left))
        yield _line((adapter.name, _engines(adapter), *words, about.source))


def _engines(adapter: Adapter) -> str:
    return ", then ".join(adapter.documented.engines)


def _claims(adapter: Adapter) -> list[Capability]:
    claimed = adapter.claims(Helper(adapter.name, ""))
    return [capability for capability in Capability if capability in claimed]


def _code(words: Sequence[str]) -> str:
    return " ".join(f"`{word}`" for word in words)


def _table(titles: Sequence[str]) -> Iterator[str]:
    yield _line(titles)
    yield _line(["---"] * len(titles))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")
