# SPDX-License-Identifier: MIT
"""Nothing that is handed on names the user, the machine or a folder of theirs, and a case stays the same case."""

from __future__ import annotations

import re

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from boxproof.model.case import Case
from boxproof.model.casefile import dump_case, load_case
from boxproof.model.oracle import expect
from boxproof.model.outcome import Finding
from boxproof.model.policy import Policy, Rule
from boxproof.model.probe import Probe
from boxproof.model.tree import parse_tree
from boxproof.report.plain import Json
from boxproof.report.redact import Secrets

USER, HOST, HOME = "alice", "workhorse", "/srv/people/alice"
SECRETS = Secrets((USER,), (HOST, f"{HOST}.example.org"), (HOME,), {"/var/cache/boxproof-x1": "{base}"})
CASE = Case(
    "of-alice",
    "MASK-1",
    "alice's keys on workhorse",
    parse_tree(
        "ws/\nalice/\nalice/key file\nlink -> {farm}/alice/key\nagain = alice/key\nuser -> /srv/people/alice/x\n"
    ),
    Policy("ws", (Rule("rw", "ws"), Rule("deny", "alice/key"), Rule("deny", "again"), Rule("deny", f"{HOME}/x"))),
    (Probe("read", "alice/key"), Probe("rename", "ws/alice", "ws/b")),
    sources=("alice/repo#1",),
)
names = st.from_regex(r"[a-z][a-z0-9-]{0,7}", fullmatch=True)


def survives(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", text))


def test_no_name_is_left_in_a_case() -> None:
    text = dump_case(SECRETS.redaction(CASE).case(CASE))
    assert not [name for name in (USER, HOST, HOME) if survives(name, text)]
    assert load_case(text, "case.toml").requirement == "MASK-1"


def test_the_case_stays_the_same_case() -> None:
    case = SECRETS.redaction(CASE).case(CASE)
    before, after = expect(CASE, "/f"), expect(case, "/f")
    assert [one.outcomes for one in before.probes] == [one.outcomes for one in after.probes]
    assert len(before.secret) == len(after.secret) == 1


def test_a_word_that_the_tree_has_already_is_not_taken() -> None:
    tree = SECRETS.redaction(CASE).case(CASE).topology
    assert {"user", "userx", "userx/key"} <= set(tree.by_path)


@pytest.mark.parametrize(
    ("text", "shown"),
    (
        ("/srv/people/alice/.cache", "/home/userx/.cache"),
        ("/srv/people/alice2", "/srv/people/alice2"),
        ("malice alice's", "malice userx's"),
        ("on workhorse.example.org:22", "on host:22"),
        ("/var/cache/boxproof-x1/farm/a", "{base}/farm/a"),
        ("alice_1", "userx_1"),
    ),
)
def test_text(text: str, shown: str) -> None:
    assert SECRETS.redaction(CASE).text(text) == shown


def test_a_home_folder_with_blanks_is_found_however_it_is_written() -> None:
    secrets = Secrets(homes=("/srv/a b'c",))
    redaction = secrets.redaction(CASE)
    written = (r"/srv/a\x20b'c/x", "/srv/a b'c/x", """'/srv/a b'"'"'c/x'""")
    assert [redaction.text(text) for text in written] == ["/home/userx/x", "/home/userx/x", "'/home/userx/x'"]


@pytest.mark.parametrize("name", ("root", "user", "boxproof", "localhost", ""))
def test_names_that_identify_nobody_stay(name: str) -> None:
    redaction = Secrets((name,), (name,), ("/root", "/")).redaction(CASE)
    assert redaction.text(f"{name} /root/x / localhost") == f"{name} /root/x / localhost"


def test_a_report_keeps_the_words_of_its_own() -> None:
    redaction = Secrets(("pass", "leak", "must")).redaction(CASE)
    row: dict[str, Json] = {"verdict": "pass", "level": "must", "n": 1, "x": None}
    row["findings"] = [{"kind": "leak", "seen": "a pass"}]
    assert redaction.json(row) == {
        "verdict": "pass",
        "findings": [{"kind": "leak", "seen": "a userx"}],
        "level": "must",
        "n": 1,
        "x": None,
    }


@given(user=names, host=names, text=st.text(st.sampled_from("ab-/ .'\\_:"), max_size=30), where=st.integers(0, 30))
@example(user="a", host="b", text="a b/a", where=0)
@example(user="a", host="a-b", text="", where=0)
def test_nothing_survives(user: str, host: str, text: str, where: int) -> None:
    """Whatever the names are and wherever they stand, also one within the other."""
    home = f"/home/{user}"
    secrets = Secrets((user,), (host,), (home,))
    mixed = f"{text[:where]} {user} {text[where:]}/{host}/{home}/x"
    case = evolve(CASE, title=mixed, policy=Policy("ws", (Rule("deny", f"{home}/key"),)))
    redaction = secrets.redaction(case)
    finding = redaction.finding(Finding("leak", "MASK-1", mixed, mixed, mixed, mixed))
    written = [dump_case(redaction.case(case)), redaction.text(mixed)]
    written += [finding.expected, finding.seen, finding.path, finding.detail]
    told = [name for name in (user, host) if name in redaction.pairs and name not in redaction.pairs.values()]
    keys = {"format", "id", "title", "tree", "probes", "policy", "cwd", "reads", "rules", "sources", "deny", "rename"}
    taken = keys | set(re.findall(r"[A-Za-z0-9]+", dump_case(evolve(CASE, policy=Policy("ws")))))
    assert not [(name, line) for name in told if name not in taken for line in written if survives(name, line)]
