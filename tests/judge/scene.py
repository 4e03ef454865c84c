# SPDX-License-Identifier: MIT
"""Evidence by hand: a small farm, probes that behave unless a test says otherwise, and a host that stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypedDict, Unpack

from attrs import evolve, frozen

from boxproof.grounds.launch import Launch
from boxproof.judge import Evidence
from boxproof.model.admissible import JUDGED
from boxproof.model.case import Case
from boxproof.model.outcome import Allowed, Expectation, LaunchOutcome
from boxproof.model.policy import Policy
from boxproof.model.probe import Probe, parse_probe
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import HardLink, Link
from boxproof.model.tree import parse_tree
from boxproof.observation import Observation
from boxproof.probe.reader import Answer, ProbeReport
from boxproof.snapshot import Node, Snapshot

BASE: Final = "/b"
FARM: Final = "/b/farm"
MARK: Final = "m0"
CANARY: Final = "write /b/outside/canary: denied"
TREE: Final = """
    ws/
    ws/file         file
    ws/copy         = ws/file
    ws/spare        file
    ws/out          -> ../store/key
    ws/dir          -> ../store
    store/
    store/key       file
    store/other     file
    """
WORKSPACE: Final = ("ws", "ws/file", "ws/copy", "ws/spare")

RAN: Final = Launch(0, None, 0.1, timed_out=False, stdout=b"", stderr=b"", dropped=0, left=(), exec_error="")
REFUSED: Final = evolve(RAN, status=1, stderr=b"helper: no backend\n")
_WRITING: Final = frozenset({"write", "create"})


@frozen
class Said:
    """What the probe of one launch said, by the question's index, and where its marks are now."""

    answers: Mapping[int, str] = MappingProxyType({})
    landed: Mapping[int, Iterable[str]] = MappingProxyType({})
    began: bool = True
    finished: bool = True
    repeated: frozenset[int] = frozenset()
    extra: bytes = b""


NOTHING: Final = Said(began=False, finished=False)
"""The probe of a launch that did not come so far."""


class Details(TypedDict, total=False):
    """What a test says of a launch.

    `said` and `control` are what the probe said, by default that every probe did what it may, and that all succeeded.
    `launch` is how it ended, `allowed` how it might. `host` is what is different afterwards, by path below the base
    folder, `before` what was beforehand. `secret`, `writable` and `fixed` are paths in the farm, as in `Expectation`.
    With `explicit` the case itself says the outcomes. `reals` are the objects of probes, where they are not those that
    their paths lead to. The rest are fields of `Evidence`.
    """

    said: Said
    control: Said
    launch: Launch
    allowed: Iterable[LaunchOutcome]
    host: Mapping[str, Node | None]
    before: Mapping[str, Node | None]
    secret: Iterable[str]
    writable: Iterable[str]
    fixed: Iterable[str]
    one_of: tuple[tuple[int, ...], ...]
    tree: str
    explicit: bool
    reals: Mapping[int, str]
    may_refuse: str
    declared: tuple[str, ...]


def evidence(*probes: str, **details: Unpack[Details]) -> Evidence:
    """Return evidence of probes that are written as ``OPERATION PATH: OUTCOMES``, the outcomes being those allowed."""
    parsed = [parse_probe(text) for text in probes]
    asked = parsed if details.get("explicit") else [evolve(probe, expected=frozenset()) for probe in parsed]
    case = Case("a", "MASK-1", "a title", parse_tree(details.get("tree", TREE)), Policy("ws"), tuple(asked))
    start = _edited(standing(details.get("tree", TREE)), details.get("before", {}))
    expectation = _expectation(parsed, case, details)
    usual = _did(case, expectation, start, free=False), _did(case, expectation, start, free=True)
    said, control = details.get("said", Said()), details.get("control", Said())
    return Evidence(
        case=case,
        expectation=expectation,
        control=_observation(_completed(control, usual[1]), RAN, start, {}),
        seen=_observation(_completed(said, usual[0]), details.get("launch", RAN), start, details.get("host", {})),
        base=BASE,
        tokens={token(path.removeprefix(f"{FARM}/")): path for path in start if path.startswith(f"{FARM}/")},
        may_refuse=details.get("may_refuse", ""),
        declared=details.get("declared", ()),
    )


def token(path: str) -> str:
    """Return the token of the file at `path` in the farm."""
    return f"<{path}>"


def standing(tree: str = TREE) -> dict[str, Node]:
    """Return what lies below the base folder when a launch begins, by absolute path."""
    topology = parse_tree(tree)
    nodes = {f"{BASE}/{area}": made(f"{BASE}/{area}", "folder") for area in ("farm", "home", "tmp", "files", "outside")}
    nodes[f"{BASE}/outside/canary"] = made(f"{BASE}/outside/canary", content=b"<canary>\n")
    for path, known in Tree(topology, FARM).nodes.items():
        if path.startswith(f"{FARM}/"):
            entry = topology.by_path.get(path.removeprefix(f"{FARM}/"))
            first = f"{FARM}/{entry.of}" if isinstance(entry, HardLink) else known.origin
            content = f"{token(first.removeprefix(f'{FARM}/'))}\n".encode() if known.kind == "file" else b""
            text = known.text.encode() if isinstance(entry, Link) else content
            nodes[path] = made(first, known.kind, text)
    return nodes


def made(identity: str, kind: str = "file", content: bytes = b"", mode: int = 0o644) -> Node:
    """Return an inode; two with the same `identity` are one."""
    return Node(kind, mode, 1500, 1500, content, (1, sum(ord(c) * 257**n for n, c in enumerate(identity))), 0)


def marked(number: int, content: bytes = b"", mark: str = MARK) -> bytes:
    """Return `content` with the mark of a write probe at its end."""
    return content + f"{mark}-{number}\n".encode()


def _expectation(parsed: Iterable[Probe], case: Case, details: Details) -> Expectation:
    place = Tree(case.topology, FARM)
    may = [Allowed(probe.expected, _real(probe, place)) for probe in parsed]
    for number, real in details.get("reals", {}).items():
        may[number] = evolve(may[number], real=real and f"{FARM}/{real}")
    return Expectation(
        launch=frozenset(details.get("allowed", ("ran",))),
        probes=tuple(may),
        one_of=details.get("one_of", ()),
        secret=_placed(details.get("secret", ())),
        writable=_placed(details.get("writable", WORKSPACE)),
        fixed=_placed(details.get("fixed", ())),
    )


def _real(probe: Probe, place: Tree) -> str:
    found = resolve(place, probe.path if probe.path.startswith("/") else f"{FARM}/{probe.path}")
    return found.real or (found.creatable if probe.operation in _WRITING else "")


def _placed(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(f"{FARM}/{path}" for path in paths)


def _did(case: Case, expectation: Expectation, start: Snapshot, *, free: bool) -> Said:
    """Return what probes say and write that do all that they surely may, or with `free` all that they try."""
    answers: dict[int, str] = {}
    landed: dict[int, Iterable[str]] = {}
    for number, (probe, may) in enumerate(zip(case.probes, expectation.probes, strict=True)):
        content = start[may.real].content.decode().strip() if may.real in start else "something"
        # what a test has changed on the host, such a probe has done unless the test says otherwise
        did = free or may.outcomes == {"allowed"} or (probe.operation not in JUDGED and "any" in may.outcomes)
        answers[number] = ("ok " + content if probe.operation == "read" else "ok") if did else "no 13"
        if did and probe.operation in _WRITING and may.real and not free:
            landed[number] = (may.real.removeprefix(f"{BASE}/"),)
    return Said(answers, landed)


def _completed(said: Said, usual: Said) -> Said:
    """Return what a test says, and the usual of all that it does not speak of."""
    silent = {number for number in usual.answers if said.began and number not in said.answers}
    answers = {**said.answers, **{number: usual.answers[number] for number in silent}}
    landed = {number: usual.landed[number] for number in silent & usual.landed.keys()}
    return evolve(
        said, answers=answers, landed={**landed, **said.landed}, finished=said.finished and all(answers.values())
    )


def _observation(said: Said, launch: Launch, before: Snapshot, host: Mapping[str, Node | None]) -> Observation:
    answers = {number: _answer(text) for number, text in said.answers.items() if text}
    report = ProbeReport(said.began, said.finished, answers, said.repeated, said.extra)
    return Observation(("helper",), launch, report, before, _edited(_landed(before, said), host), MARK)


def _answer(text: str) -> Answer:
    word, _, payload = text.partition(" ")
    return Answer({"ok": True, "no": False, "unable": None}[word], payload)


def _landed(before: Snapshot, said: Said) -> Snapshot:
    after = dict(before)
    for number, places in said.landed.items():
        for place in places:
            path = f"{BASE}/{place}"
            identity = (after.get(path) or made(f"new {number}")).identity
            after.setdefault(path, made(f"new {number}"))
            for name, node in list(after.items()):
                if node.identity == identity:
                    after[name] = evolve(node, content=marked(number, node.content), modified=1)
    return after


def _edited(known: Snapshot, edits: Mapping[str, Node | None]) -> dict[str, Node]:
    after = {**known, **{f"{BASE}/{path}": node for path, node in edits.items() if node is not None}}
    return {path: node for path, node in after.items() if edits.get(path.removeprefix(f"{BASE}/"), node) is not None}
