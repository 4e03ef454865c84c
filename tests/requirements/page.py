# SPDX-License-Identifier: MIT
"""A page for each requirement, and their index; ``python -m tests.requirements.page`` writes them anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from boxproof.known_bad.table import table
from boxproof.model.case import Case
from boxproof.model.requirement import Requirement
from boxproof.report.exhibit import source
from boxproof.surface.setup import read_contract
from fixtures import linked_rules
from tests.known_bad.recorded import recorded, rows
from tests.requirements.drawn import drawn
from tests.requirements.families import families, generated, modules
from tests.requirements.released import released

FOLDER: Final = Path(__file__).parents[2] / "docs" / "reference" / "requirements"
INDEX: Final = "index.md"
SHAPES: Final = "shapes.md"
LINES: Final = 200
"""Lines of a page, about: recorded cases are drawn as long as there is room, and named beyond."""
WRITTEN: Final = """\
<!-- Written by `python -m tests.requirements.page`, from conformance/ and fixtures/: change these instead. -->
"""
DRAWN: Final = 40
"""Lines of trees that are drawn for hand-written cases at least; families beyond the room are told in words."""
FAMILY: Final = 8
"""Lines of a family in words, about."""
_TITLES: Final = 6
"""Cases of a family that are listed with their titles; of more, only the ids."""


@cache
def pages() -> Mapping[str, str]:
    """Return all pages by their file's name."""
    contract = read_contract()
    own = {f"{name}.md": page(requirement) for name, requirement in contract.items()}
    return {INDEX: index(contract), SHAPES: shapes(), **own}


def index(contract: Mapping[str, Requirement]) -> str:
    """Return the page that lists the requirements."""
    lines = ["# Requirements", "", WRITTEN, _INDEX, "| id | level | cases | recorded | what a helper does |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    for name, requirement in contract.items():
        count = sum(len(family.cases) for family in families().get(name, ()))
        statement = requirement.statement.replace("|", "\\|")
        cells = (f"[{name}]({name}.md)", requirement.level, str(count), str(len(of_reports(name))), statement)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def shapes() -> str:
    """Return the page with one tree for each shape of link."""
    lines = ["# Link shapes", "", WRITTEN, _SHAPES]
    for case in (case for case in linked_rules.read_only() if case.id.endswith("-file")):
        lines += [
            f"## {case.id.removeprefix('ro-').removesuffix('-file')}",
            "",
            f"{_sentence(case.title)}.",
            "",
            "```",
            *drawn(case),
            "```",
            "",
        ]
    return "\n".join(lines)


def page(requirement: Requirement) -> str:
    """Return the page of one requirement."""
    name = requirement.id
    tail = [*_wrong_on_purpose(name), *released(name), *_reports(requirement)]
    words = len(tail) + len(of_reports(name)) + FAMILY * len(families().get(name, ()))
    lines = [*_head(requirement), *_farms(name, max(DRAWN, LINES - words))]
    lines += _recorded(name, LINES - len(lines) - len(tail))
    return "\n".join([*lines, *tail]).rstrip() + "\n"


def of_reports(name: str) -> Mapping[str, Case]:
    """Return the recorded cases of a requirement by ``CLASS/ID``."""
    return {path: case for path, case in recorded().items() if case.requirement == name}


def _head(requirement: Requirement) -> Iterator[str]:
    yield from (f"# {requirement.id}", "", WRITTEN, f"**{requirement.level}**: {requirement.statement}", "")
    yield from (f"* {part.level}: {part.statement}" for part in requirement.parts)
    yield from ([""] if requirement.parts else [])
    yield from ("## Why", "", requirement.why, "")


def _farms(name: str, room: int) -> Iterator[str]:
    own = families().get(name, ())
    count = sum(len(family.cases) for family in own)
    yield from ("## Farms", "", f"{count} cases are written by hand, in {_code(modules(name))}; `-k {name}` runs them.")
    yield from ([f"Others are drawn at random: {_code(generated()[name])}."] if name in generated() else [])
    if any("-surplus" in case.id for family in own for case in family.cases):
        yield "Ids name the [shape of link](shapes.md)."
    yield ""
    shown: dict[tuple[str, ...], str] = {}
    for family in own:
        yield from (
            f"### {_sentence(family.about)}",
            "",
            *_first(family.cases[0], shown, room),
            *_rest(family.cases[1:]),
        )


def _first(case: Case, shown: dict[tuple[str, ...], str], room: int) -> Iterator[str]:
    """Iterate over a case and its drawing; `shown` are those above it on the page, each with its case's id."""
    picture = tuple(drawn(case))
    if same := shown.get(picture):
        yield from (f"`{case.id}`: {case.title}. Farm and rules are those of `{same}`.", "")
    elif sum(map(len, shown)) + len(picture) > room:
        yield from (f"`{case.id}`: {case.title}.", "")
    else:
        shown[picture] = case.id
        yield from (f"`{case.id}`: {case.title}.", "", "```", *picture, "```", "")


def _rest(rest: Sequence[Case]) -> Iterator[str]:
    if rest and len(rest) <= _TITLES:
        yield from (f"* `{case.id}`: {case.title}" for case in rest)
    elif rest:
        yield f"And {len(rest)} more: {_code([case.id for case in rest])}."
    yield from ([""] if rest else [])


def _sentence(about: str) -> str:
    """Return a docstring's first line as a heading."""
    words = about.removeprefix("Yield ").rstrip(".")
    return words[:1].upper() + words[1:]


def _recorded(name: str, room: int) -> Iterator[str]:
    """Iterate over the recorded cases, drawn as long as there is room."""
    own = of_reports(name)
    if not own:
        return
    yield from ("## Recorded from reports", "", f"{len(own)} files below `conformance/cases/`.", "")
    undrawn, room = [], room - len(own) - 5
    for path, case in own.items():
        about = f"`{path}`: {case.title} ({_sources(case.sources)}); {_failed_by(path)}."
        block = ["", "```", *drawn(case), "```", ""]
        if len(block) <= room:
            yield from (about, *block)
            room -= len(block)
        else:
            undrawn.append(f"* {about}")
    yield from ([*undrawn, ""] if undrawn else [])


def _failed_by(path: str) -> str:
    """Return who fails a recorded case, or why nobody does."""
    (row,) = (row for row in rows() if row.name == path)
    return f"`{row.by}` fails it" if row.by else f"a control: {row.control}"


def _wrong_on_purpose(name: str) -> Iterator[str]:
    caught = [bad for bad in table() if bad.caught == name]
    if caught:
        yield from (
            "## Known-bad helpers",
            "",
            "[Wrong on purpose](../known-bad.md), and caught by this requirement:",
            "",
        )
        yield from (f"* `{bad.name}`: {bad.line}" for bad in caught)
        yield ""


def _reports(requirement: Requirement) -> Iterator[str]:
    own = [case for family in families().get(requirement.id, ()) for case in family.cases]
    told = dict.fromkeys((*requirement.sources, *(each for case in own for each in case.sources)))
    if told:
        yield from ("## Public reports", "", f"{_sources(tuple(told))}.")


def _sources(texts: Sequence[str]) -> str:
    found = map(source, texts)
    return ", ".join(f"[{each.text}]({each.address})" if each.address else each.text for each in found)


def _code(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


_INDEX: Final = """\
What a sandbox helper owes its users, each with a page: the statement and its reason, the farms that it is tried on,
the public reports behind it, and what released helpers came to. A MUST gates a release, a SHOULD is reported, a RECORD
is written down and never fails. The trees of one shape of link after another are on [a page of their own](shapes.md).
"""


_SHAPES: Final = """\
The shape of a link is what is tested: a spelling through each of these is tried wherever a requirement is about links.
The ids of cases name the shape, as `alias-pair-chain-3-file` does.
"""


def main() -> None:
    """Write all pages, and remove those of requirements that are gone."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
