# SPDX-License-Identifier: MIT
"""Reports for the tests of what is made from them."""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser

from attrs import evolve, field, frozen

from boxproof.model.case import Case
from boxproof.model.casefile import dump_case
from boxproof.model.host import Bwrap, Host
from boxproof.model.outcome import Finding, Verdict
from boxproof.model.policy import Policy, Rule
from boxproof.model.requirement import Requirement
from boxproof.model.result import Result, Shown, SmallestCase
from boxproof.model.tree import parse_tree
from boxproof.report.json import GroundRow, HelperRow, Report, Run

CONTRACT: Mapping[str, Requirement] = {
    "MASK-2": Requirement(
        "MASK-2", "MUST", "It starts, and is denied.", "Real homes.", ("openai/codex#52658", "bwrap(1)")
    ),
    "START-1": Requirement("START-1", "MUST", "It starts.", "Or nothing does."),
    "NAME-1": Requirement("NAME-1", "SHOULD", "Names are literal.", "Or two are one."),
}
CASE = Case(
    "alias-pair",
    "MASK-2",
    "one file denied by two names",
    parse_tree("ws/\nws/file file\nreal/\nreal/auth.json file\nalias -> {farm}/real\n"),
    Policy(
        "ws", (Rule("rw", "ws"), Rule("deny", "real/auth.json"), Rule("deny", "alias/auth.json"), Rule("ro", "/etc"))
    ),
    sources=("openai/codex#52658",),
)
LEAK = Finding("leak", "MASK-2", "denied", "its token came out", "alias/auth.json", "by a link")
SHOWN = Shown(dump_case(CASE), "/opt/helper --policy p -- /bin/sh -c '...the probe'", ("one", "two"))
FAIL = Result(
    id="MASK-2[alias-pair]",
    case="alias-pair",
    requirement="MASK-2",
    level="MUST",
    helper="alpha-1.0",
    ground="host",
    evidence="host",
    condition="",
    verdict=Verdict.FAIL,
    findings=(LEAK,),
    launch="ran",
    launches=1,
    seconds=0.25,
    case_file="boxproof-out/mask-2/case.toml",
    replay="pytest --case=boxproof-out/mask-2/case.toml --helper=/opt/alpha",
    shown=SHOWN,
)
PASS = evolve(
    FAIL,
    id="START-1[plain]",
    case="plain",
    requirement="START-1",
    verdict=Verdict.PASS,
    findings=(),
    case_file=None,
    replay="",
    shown=None,
)
RUN = Run(
    suite="0.1.0",
    started="2026-01-02T03:04:05+00:00",
    seconds=12.5,
    profile="recommended",
    met=False,
    python="3.11",
    pytest="9.0",
    unmet=("MASK-2 has 1 fail",),
    notes=("an entry has expired",),
)
HOST = Host("6.18", "Debian 12", ("landlock",), 7, "yes", 1500, Bwrap("/usr/bin/bwrap", "0.8.0", "escape"))


def one_of_each() -> Report:
    """Return a report with each verdict, two helpers, two evidences and two grounds."""
    rows = [
        FAIL,
        PASS,
        evolve(PASS, id="START-1[refused]", case="refused", launch="refused"),
        evolve(
            FAIL, id="NAME-1[odd]", requirement="NAME-1", level="SHOULD", findings=(evolve(LEAK, kind="overblock"),)
        ),
        evolve(PASS, id="MASK-2[na]", requirement="MASK-2", verdict=Verdict.NOT_APPLICABLE, reason="no mounts here"),
        evolve(FAIL, id="MASK-2[known]", verdict=Verdict.EXPECTED_FAIL, reason="alpha#1"),
        evolve(FAIL, id="MASK-2[at-times]", verdict=Verdict.FLAKY, reason="failed 1 of 3"),
        evolve(PASS, id="MASK-2[gone]", requirement="MASK-2", verdict=Verdict.UNEXPECTED_PASS, reason="alpha#2"),
        evolve(PASS, id="MASK-2[lost]", requirement="MASK-2", verdict=Verdict.ERROR, reason="no control", launch=""),
        evolve(PASS, helper="beta-2.0"),
        evolve(FAIL, ground="el9", evidence="layout"),
        evolve(PASS, helper="beta-2.0", ground="el10", evidence="layout"),
        evolve(FAIL, id="NAME-1[generated]", requirement="NAME-1", shown=None, bugs=(_bug(),)),
    ]
    grounds = (GroundRow("host", "host", "host"), GroundRow("el9", "layout:el9", "layout"))
    return Report(RUN, HOST, (helper("alpha-1.0"), helper("beta-2.0")), tuple(rows), grounds)


def helper(name: str) -> HelperRow:
    return HelperRow(name, f"/opt/{name}", "ab" * 32, "1.0", "bwrap", ("deny",))


def of(*rows: Result) -> Report:
    return Report(RUN, HOST, (helper("alpha-1.0"),), rows)


def filled(text: str) -> Report:
    """Return a report with `text` wherever a report takes any."""
    row = evolve(
        FAIL,
        id=text,
        case=text,
        helper=text,
        ground=text,
        condition=text,
        reason=text,
        launch=text,
        case_file=text,
        replay=text,
        findings=(Finding("leak", "MASK-2", text, text, text, text),),
        shown=Shown(text, text, (text,)),
        bugs=(evolve(_bug(), fingerprint=text, case=text, known=text, case_file=text, replay=text, command=text),),
    )
    host = Host(text, text, (text,), 7, text, 1500, Bwrap(text, text, text))
    run = evolve(RUN, suite=text, started=text, python=text, pytest=text, unmet=(text,), notes=(text,), shard=text)
    helpers = (HelperRow(text, text, text, text, text, (text,)),)
    other = evolve(row, id=f"{text}2", verdict=Verdict.PASS, findings=(), shown=None, bugs=())
    return Report(run, host, helpers, (row, other), (GroundRow(text, text, "host", {text: text}),))


def _bug() -> SmallestCase:
    return SmallestCase("ab12", ("leak",), 3, dump_case(CASE), replay="pytest --case=x", command="/opt/helper")


@frozen
class Node:
    """An element: its name, its attributes, and the text below it."""

    name: str
    attributes: Mapping[str, str]
    inside: list[str] = field(factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.inside).split())


class Page(HTMLParser):
    """A page as a list of elements; refuses one whose elements do not nest."""

    EMPTY = frozenset({"meta", "link", "input", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        self._open: list[Node] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        assert len(node.attributes) == len(attrs)
        self.nodes.append(node)
        if tag not in self.EMPTY:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().name == tag

    def handle_data(self, data: str) -> None:
        for node in self._open:
            node.inside.append(data)

    def all(self, name: str, **attributes: str) -> list[Node]:
        wanted = {key.strip("_").replace("_", "-"): value for key, value in attributes.items()}
        return [node for node in self.nodes if node.name == name and wanted.items() <= node.attributes.items()]

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        """Names of elements and of their attributes, in order."""
        return [(node.name, tuple(node.attributes)) for node in self.nodes]
