# SPDX-License-Identifier: MIT
"""A case as a TOML file, and back: hand-written, shrunk and attached cases have one format.

``docs/reference/case-file.md`` describes the keys. What equals the default is not written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar, get_args

from attrs import evolve

from boxproof.errors import CaseError, NotationError, nearest
from boxproof.model.case import LEVELS, RELATIONS, SPOILT, Case
from boxproof.model.document import read_document
from boxproof.model.names import escape, unescape
from boxproof.model.outcome import LAUNCH_OUTCOMES
from boxproof.model.policy import ACCESSES, Policy, Reads, Rule, Temp, format_rule, parse_rule
from boxproof.model.probe import OPERATIONS, OUTCOMES, Probe, format_probe, parse_probe
from boxproof.model.row import format_rows, parse_rows
from boxproof.model.table import Table
from boxproof.model.topology import Topology
from boxproof.model.tree import format_tree, parse_tree

FORMAT: Final = 1
KEYS: Final = (
    "format",
    "id",
    "requirement",
    "title",
    "level",
    "sources",
    "tree",
    "above",
    "probes",
    "then",
    "launch",
    "reorder",
    "relation",
    "spoilt",
    "condition",
    "deadline",
    "layout",
    "policy",
)
POLICY_KEYS: Final = ("cwd", "reads", "rules", "network", "tmp")

_PLAIN: Final = re.compile(r'[^\x00-\x1f\x7f"\\]*')
_LITERAL: Final = re.compile(r"[^\x00-\x1f\x7f']*")
_WIDTH: Final = 100
"""Columns up to which an array stays on one line."""
_Value = TypeVar("_Value")


def load_case(text: str, name: str) -> Case:
    r"""Read a case file.

    Args:
        text: the file, decoded with ``surrogateescape``.
        name: the file's name, for messages.

    Raises:
        NotationError: beginning ``NAME:LINE:`` and naming the key, for text that is not UTF-8, not TOML or not a case.
    """
    document = read_document(text, name)
    table = Table(document, document.values)
    table.format(FORMAT)
    table.close(KEYS)
    return _case(table, read_topology(table), read_policy(table.table("policy")))


def dump_case(case: Case) -> str:
    """Write a case file, from which `load_case` reads the same case."""
    return "".join(f"{line}\n" for line in (*_head(case), "[policy]", *_policy_lines(case.policy)))


def _case(table: Table, topology: Topology, policy: Policy) -> Case:
    try:
        return Case(
            id=table.text("id"),
            requirement=table.text("requirement"),
            title=table.text("title"),
            topology=topology,
            policy=policy,
            probes=table.texts("probes", _probe),
            level=table.word("level", LEVELS, "MUST"),
            launch=table.words("launch", LAUNCH_OUTCOMES),
            then=table.texts("then", _probe),
            reorder=table.flag("reorder"),
            relation=table.word("relation", RELATIONS, ""),
            spoilt=table.word("spoilt", SPOILT, ""),
            condition=table.text("condition", ""),
            deadline=table.seconds("deadline"),
            sources=table.texts("sources", str),
            layout=table.text("layout", ""),
        )
    except CaseError as error:
        key = next(key for key in ("id", "requirement", "layout") if f"'{table.text(key, '')}'" in error.what)
        raise table.wrapped(key, error) from None


def read_policy(table: Table) -> Policy:
    """Read the table ``policy`` of a case."""
    table.close(POLICY_KEYS)
    return Policy(
        cwd=table.parsed("cwd", unescape),
        rules=table.texts("rules", _rule),
        reads=table.word("reads", get_args(Reads), "everything"),
        network=table.flag("network"),
        tmp=table.word("tmp", get_args(Temp), "closed"),
    )


def read_topology(table: Table) -> Topology:
    """Read the key ``tree`` of a case."""
    text = table.text("tree")
    try:
        topology = parse_tree(text)
    except NotationError as error:
        raise table.counted("tree", error) from None
    try:
        return evolve(topology, above=parse_rows(table.text("above", "")))
    except NotationError as error:
        raise table.counted("above", error) from None


def _rule(text: str) -> Rule:
    return _suggesting(parse_rule, text, {text.partition(" ")[0]: ACCESSES})


def _probe(text: str) -> Probe:
    asked, _, wanted = text.partition(": ")
    words: dict[str, tuple[str, ...]] = dict.fromkeys(wanted.split("|"), OUTCOMES)
    return _suggesting(parse_probe, text, {asked.partition(" ")[0]: OPERATIONS, **words})


def _suggesting(parse: Callable[[str], _Value], text: str, words: Mapping[str, tuple[str, ...]]) -> _Value:
    """Parse, and where that fails for one of `words`, name the nearest that would do."""
    try:
        return parse(text)
    except NotationError as error:
        close = (nearest(word, known) for word, known in words.items() if word not in known)
        cure = next((each for each in close if each.startswith("did")), error.cure)
        raise NotationError(error.what, cause=error.cause, cure=cure) from None


def _head(case: Case) -> Iterator[str]:
    yield f"format = {FORMAT}"
    yield f"id = {_string(case.id)}"
    yield f"requirement = {_string(case.requirement)}"
    yield f"title = {_string(case.title)}"
    if case.level != "MUST":
        yield f"level = {_string(case.level)}"
    yield from _array("sources", case.sources)
    yield f"tree = {multiline(format_tree(case.topology))}"
    if case.topology.above:
        yield f"above = {multiline(format_rows(case.topology.above))}"
    yield from _array("probes", map(format_probe, case.probes))
    yield from _array("then", map(format_probe, case.then))
    yield from _rest(case)


def _rest(case: Case) -> Iterator[str]:
    if case.launch:
        yield f"launch = {_string('|'.join(known for known in LAUNCH_OUTCOMES if known in case.launch))}"
    if case.reorder:
        yield "reorder = true"
    if case.relation:
        yield f"relation = {_string(case.relation)}"
    if case.spoilt:
        yield f"spoilt = {_string(case.spoilt)}"
    if case.condition:
        yield f"condition = {_string(case.condition)}"
    if case.deadline:
        yield f"deadline = {float(case.deadline)!r}"
    if case.layout:
        yield f"layout = {_string(case.layout)}"


def _policy_lines(policy: Policy) -> Iterator[str]:
    yield f"cwd = {_string(escape(policy.cwd))}"
    yield f"reads = {_string(policy.reads)}"
    yield from _array("rules", map(format_rule, policy.rules))
    if policy.network:
        yield "network = true"
    if policy.tmp != "closed":
        yield f"tmp = {_string(policy.tmp)}"


def _array(key: str, items: Iterable[str]) -> Iterator[str]:
    strings = [*map(_string, items)]
    line = f"{key} = [{', '.join(strings)}]"
    if len(line) > _WIDTH:
        yield from (f"{key} = [", *(f"  {string}," for string in strings), "]")
    elif strings:
        yield line


def _string(text: str) -> str:
    """Write a string on one line, with its backslashes as they are where TOML lets them be."""
    text = text.encode("utf-8", "backslashreplace").decode()
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    if _LITERAL.fullmatch(text):
        return f"'{text}'"
    # JSON's escapes are TOML's, but for DEL, which JSON leaves alone.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def multiline(text: str) -> str:
    """Write a tree, whose control characters are escaped already, over several lines."""
    if "\\" not in text and '"""' not in text:
        return f'"""\n{text}"""'
    if "'''" not in text:
        return f"'''\n{text}'''"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""\n{escaped}"""'
