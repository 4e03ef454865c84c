# SPDX-License-Identifier: MIT
from __future__ import annotations

import re
import time
from typing import get_args

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from boxproof.errors import NotationError
from boxproof.model.case import LEVELS, RELATIONS, SPOILT, Case
from boxproof.model.casefile import dump_case, load_case
from boxproof.model.outcome import LAUNCH_OUTCOMES
from boxproof.model.policy import ACCESSES, Policy, Reads, Rule, Temp
from boxproof.model.probe import OPERATIONS, OUTCOMES, WITH_OTHER, Operation, Outcome, Probe
from boxproof.model.topology import Dir, File, Link, Topology
from tests.model.strategies import TEXTS, topologies

EXAMPLE = """\
format = 1
id = "alias-pair-absolute-file"
requirement = "MASK-2"
title = "one file denied by its own name and by an absolute link to its folder"
sources = ["openai/codex#52658"]
tree = \"\"\"
ws/
real/
real/auth.json           file
alias                    -> {farm}/real
\"\"\"
probes = ["read real/auth.json: denied", "read alias/auth.json: denied", "write ws/new: allowed"]
[policy]
cwd = "ws"
reads = "everything"
rules = ["rw ws", "deny real/auth.json", "deny alias/auth.json"]
"""
DENIED: frozenset[Outcome] = frozenset({"denied"})
CASE = Case(
    id="alias-pair-absolute-file",
    requirement="MASK-2",
    title="one file denied by its own name and by an absolute link to its folder",
    topology=Topology((Dir("ws"), Dir("real"), File("real/auth.json"), Link("alias", "{farm}/real"))),
    policy=Policy("ws", (Rule("rw", "ws"), Rule("deny", "real/auth.json"), Rule("deny", "alias/auth.json"))),
    probes=(
        Probe("read", "real/auth.json", expected=frozenset({"denied"})),
        Probe("read", "alias/auth.json", expected=frozenset({"denied"})),
        Probe("write", "ws/new", expected=frozenset({"allowed"})),
    ),
    sources=("openai/codex#52658",),
)
LINES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@st.composite
def probes(draw: st.DrawFn) -> Probe:
    operation: Operation = draw(st.sampled_from(OPERATIONS))
    other = draw(TEXTS) if operation in WITH_OTHER else ""
    return Probe(operation, draw(TEXTS), other, draw(st.frozensets(st.sampled_from(OUTCOMES))))


POLICIES = st.builds(
    Policy,
    cwd=TEXTS,
    rules=st.lists(st.builds(Rule, st.sampled_from(ACCESSES), TEXTS), max_size=5).map(tuple),
    reads=st.sampled_from(get_args(Reads)),
    network=st.booleans(),
    tmp=st.sampled_from(get_args(Temp)),
)
CASES = st.builds(
    Case,
    id=st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True),
    requirement=st.from_regex(r"[A-Z]+-[0-9]+", fullmatch=True),
    title=LINES,
    topology=topologies(),
    policy=POLICIES,
    probes=st.lists(probes(), max_size=5).map(tuple),
    level=st.sampled_from(LEVELS),
    launch=st.frozensets(st.sampled_from(LAUNCH_OUTCOMES)),
    then=st.lists(probes(), max_size=3).map(tuple),
    reorder=st.booleans(),
    relation=st.sampled_from(RELATIONS),
    spoilt=st.sampled_from(SPOILT),
    deadline=st.floats(0, allow_infinity=False),
    sources=st.lists(LINES, max_size=3).map(tuple),
)


def test_the_example_of_the_reference_is_read_and_written_as_it_stands() -> None:
    assert load_case(EXAMPLE, "case.toml") == CASE
    assert dump_case(CASE) == EXAMPLE


@given(CASES)
def test_a_case_that_is_written_reads_back(case: Case) -> None:
    written = dump_case(case)
    written.encode()
    assert load_case(written, "case.toml") == case


@given(CASES)
def test_line_ends_of_another_system_change_nothing(case: Case) -> None:
    assert load_case(dump_case(case).replace("\n", "\r\n"), "case.toml") == case


def test_backslashes_stay_readable() -> None:
    tree = Topology((Dir("a b"), File("a b/\udcff")))
    written = dump_case(evolve(CASE, topology=tree, probes=(Probe("read", "a b/\udcff"),)))
    assert "tree = '''\na\\x20b/\na\\x20b/\\xff              file\n'''" in written
    assert "probes = ['read a\\x20b/\\xff']" in written


def test_a_long_list_has_a_line_for_each_item() -> None:
    written = dump_case(evolve(CASE, probes=(Probe("read", "x" * 100), Probe("list", "ws", expected=DENIED))))
    assert f'probes = [\n  "read {"x" * 100}",\n  "list ws: denied",\n]\n' in written


def test_all_keys_are_written_where_they_are_not_the_default() -> None:
    policy = Policy("ws", reads="listed", network=True, tmp="writable")
    case = Case(
        "a",
        "CONF-1",
        "t",
        Topology(()),
        policy,
        level="SHOULD",
        launch=frozenset({"refused", "ran"}),
        then=(Probe("list", "ws"),),
        reorder=True,
        spoilt="unknown-key",
        deadline=30,
    )
    assert dump_case(case) == (
        'format = 1\nid = "a"\nrequirement = "CONF-1"\ntitle = "t"\nlevel = "SHOULD"\ntree = """\n"""\n'
        'then = ["list ws"]\nlaunch = "ran|refused"\nreorder = true\nspoilt = "unknown-key"\ndeadline = 30.0\n'
        '[policy]\ncwd = "ws"\nreads = "listed"\nnetwork = true\ntmp = "writable"\n'
    )
    assert load_case(dump_case(case), "case.toml") == case


def test_a_link_onto_itself_is_a_case() -> None:
    case = load_case(EXAMPLE.replace("{farm}/real", "alias"), "case.toml")
    assert case.topology.by_path["alias"] == Link("alias", "alias")


def test_ten_thousand_entries_are_read_and_written_in_less_than_a_second() -> None:
    text = EXAMPLE.replace("ws/\n", "ws/\n" + "".join(f"ws/{number} file\n" for number in range(10_000)), 1)
    start = time.process_time()
    case = load_case(text, "case.toml")
    again = load_case(dump_case(case), "case.toml")
    assert time.process_time() - start < 1
    assert again == case
    assert len(case.topology.entries) == 10_004


@pytest.mark.parametrize(
    "tree",
    (
        '"""\nws/\nws/a\\\\x20b file\n"""',
        "'''\nws/\nws/a\\x20b file\n'''",
        "'''ws/\nws/a\\x20b file'''",
        '"ws/\\nws/a\\\\x20b file"',
    ),
)
def test_any_string_of_toml_holds_a_tree(tree: str) -> None:
    text = re.sub(r'"""[^"]*"""', lambda _: tree, EXAMPLE)
    assert load_case(text, "case.toml").topology == Topology((Dir("ws"), File("ws/a b")))


@pytest.mark.parametrize(
    ("policy", "line"),
    (
        ('[policy]\ncwd = "ws"\nreads = "all"\n', 15),
        ('[ "policy" ]\ncwd = "ws"\nreads = "all"\n', 15),
        ('[ policy ]\n"cwd" = "ws"\n  "reads"="all"\n', 15),
        ('policy.cwd = "ws"\npolicy . reads = "all"\n', 14),
        ('policy = {cwd = "ws", reads = "all"}\n', 13),
    ),
)
def test_the_line_is_found_however_the_key_is_written(policy: str, line: int) -> None:
    with pytest.raises(NotationError) as raised:
        load_case(EXAMPLE[: EXAMPLE.index("[policy]")] + policy, "case.toml")
    assert str(raised.value).startswith(f"case.toml:{line}: 'policy.reads' cannot be 'all'")


def test_no_key_is_looked_for_in_a_string_or_a_comment() -> None:
    tree = '"""\nws/\nx file\ntitle = x\n"""\n#title = 1\n'
    text = (
        f'format = 1\nid = "a"\nrequirement = "A-1"\ntree = {tree}sources = ["""\ntitle = 1"""]\ntitle = 1\n[policy]\n'
    )
    with pytest.raises(NotationError) as raised:
        load_case(text + 'cwd = "ws"\n', "case.toml")
    assert str(raised.value) == "case.toml:12: 'title' is an integer; write a string"


def test_the_line_of_an_item_is_its_own() -> None:
    text = EXAMPLE.replace('["rw ws", "deny', '[ # "one"\n  "rw ws",\n\n  "dney')
    with pytest.raises(NotationError) as raised:
        load_case(text, "case.toml")
    assert str(raised.value) == "case.toml:19: 'policy.rules': 'dney real/auth.json' is no rule; did you mean 'deny'?"


KEYS = (
    "format, id, requirement, title, level, sources, tree, above, probes, then, launch, reorder, relation, spoilt, "
    "condition, deadline, layout, policy"
    "deadline, layout, policy"
)
FORMS = "NAME/, NAME file, NAME -> TEXT, NAME = OTHER, NAME socket, NAME fifo, NAME nsfs, NAME/ tmpfs, NAME/ bind OTHER"
BLANK = r"a blank in a path is \x20, a colon \x3a"
NOT_PLAIN = "is not a plain path below the farm (it is absolute, or has an empty, '.' or '..' component)"
BAD = (
    # TOML
    ("one file", "one \udcff file", r"4: is not UTF-8; write such a byte as \xNN"),
    ('cwd = "ws"', "cwd = ws", "14: is not TOML (Invalid value)"),
    ('cwd = "ws"', 'cwd = "ws"\ncwd = "ws"', "15: is not TOML (Cannot overwrite a value)"),
    ('["rw ws"', '["rw ws', "16: is not TOML (Unclosed array)"),
    ('alias/auth.json"]', "", r"16: is not TOML (Illegal character '\n')"),
    ('"ws"', "[" * 5_000, "1: is not TOML (it is nested too deeply)"),
    # keys
    ("format = 1\n", "", "1: 'format' is missing"),
    ("format = 1", "format = 2", "1: 'format' is 2 (this version of Boxproof reads format 1)"),
    ("format = 1", 'format = "1"', "1: 'format' is a string; write an integer"),
    ("format = 1", "format = true", "1: 'format' is a boolean; write an integer"),
    ("title =", "titel =", "4: 'titel' is no known key; did you mean 'title'?"),
    ("title =", "x =", f"4: 'x' is no known key; write one of {KEYS}"),
    ("reads =", "raeds =", "15: 'policy.raeds' is no known key; did you mean 'reads'?"),
    ('id = "alias-pair-absolute-file"\n', "", "1: 'id' is missing"),
    ('cwd = "ws"\n', "", "13: 'policy.cwd' is missing"),
    (EXAMPLE[EXAMPLE.index("[policy]") :], "", "1: 'policy' is missing"),
    # types
    ('"MASK-2"', "2", "3: 'requirement' is an integer; write a string"),
    ('"MASK-2"', "1979-05-27", "3: 'requirement' is a date; write a string"),
    ('["openai/codex#52658"]', '"openai/codex#52658"', "5: 'sources' is a string; write an array"),
    ('["openai/codex#52658"]', "[1.5]", "5: 'sources' holds a float; write a string"),
    ("[policy]", "[[policy]]", "13: 'policy' is an array; write a table"),
    ("[policy]", "network = 1\n[policy]", f"13: 'network' is no known key; write one of {KEYS}"),
    ("[policy]", "[policy]\nnetwork = 1", "14: 'policy.network' is an integer; write a boolean"),
    ("[policy]", "deadline = -1\n[policy]", "13: 'deadline' is -1; write a number of seconds"),
    ("[policy]", "deadline = nan\n[policy]", "13: 'deadline' is nan; write a number of seconds"),
    ("[policy]", 'deadline = "5"\n[policy]', "13: 'deadline' is a string; write a float"),
    # words
    ('"everything"', '"evrything"', "15: 'policy.reads' cannot be 'evrything'; did you mean 'everything'?"),
    ('"everything"', '""', "15: 'policy.reads' cannot be ''; write one of everything, listed"),
    ("[policy]", 'level = "Must"\n[policy]', "13: 'level' cannot be 'Must'; write one of MUST, SHOULD, RECORD"),
    ("[policy]", 'launch = "ran|refuse"\n[policy]', "13: 'launch' cannot be 'refuse'; did you mean 'refused'?"),
    ("[policy]", 'launch = ""\n[policy]', "13: 'launch' cannot be ''; write one of ran, refused, fell-back"),
    ("[policy]", 'spoilt = "unkown-key"\n[policy]', "13: 'spoilt' cannot be 'unkown-key'; did you mean 'unknown-key'?"),
    (
        '"alias-pair-absolute-file"',
        '"Alias"',
        "2: 'id': the id 'Alias' is no slug; use lower-case letters, digits and single dashes",
    ),
    ('"MASK-2"', '"mask"', "3: 'requirement': 'mask' is no requirement id; write one such as 'MASK-2'"),
    # tree
    ("real/auth.json ", "../x ", f"9: 'tree': the entry '../x' {NOT_PLAIN}"),
    ("real/auth.json ", "/etc/passwd ", f"9: 'tree': the entry '/etc/passwd' {NOT_PLAIN}"),
    ("real/auth.json ", "real/../../x ", f"9: 'tree': the entry 'real/../../x' {NOT_PLAIN}"),
    ("real/\n", "ws/\n", "8: 'tree': 'ws' is in the tree twice; keep one of the two lines"),
    ("real/\n", "\n", "9: 'tree': 'real/auth.json' lies in no folder; add the line 'real/' before it"),
    (
        "real/auth.json ",
        "a b ",
        rf"9: 'tree': 'a b file' is no entry; write one of {FORMS}; a blank in a name is \x20",
    ),
    # probes and rules
    (
        "read alias/auth.json: denied",
        "raed alias/auth.json: denied",
        "12: 'probes': 'raed' in 'raed alias/auth.json: denied' is no operation; did you mean 'read'?",
    ),
    ("new: allowed", "new: alowed", "12: 'probes': 'alowed' is no set of outcomes; did you mean 'allowed'?"),
    (
        "write ws/new",
        "write ws/new ws/old",
        f"12: 'probes': 'write ws/new ws/old: allowed' has 2 paths ('write' takes 1); {BLANK}",
    ),
    ("deny real", "dney real", "16: 'policy.rules': 'dney real/auth.json' is no rule; did you mean 'deny'?"),
    ("deny real/auth.json", "deny", "16: 'policy.rules': 'deny' is no rule; write 'ro PATH', 'rw PATH' or 'deny PATH'"),
    (
        '"deny real/auth.json"',
        r"'deny a\b'",
        r"16: 'policy.rules': 'a\b' holds a backslash; write a literal backslash as \x5c",
    ),
    ('cwd = "ws"', r"cwd = '\x00'", r"14: 'policy.cwd': '\x00' holds a NUL byte (no path can)"),
)


@pytest.mark.parametrize(("old", "new", "message"), BAD, ids=[message[:60] for _, _, message in BAD])
def test_what_is_wrong_is_said_on_one_line_with_its_place(old: str, new: str, message: str) -> None:
    assert old in EXAMPLE
    with pytest.raises(NotationError) as raised:
        load_case(EXAMPLE.replace(old, new, 1), "case.toml")
    assert str(raised.value) == f"case.toml:{message}"


@pytest.mark.parametrize("text", ("", "\n", " \r\n\t"))
def test_an_empty_file_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"^case\.toml:1: is empty$"):
        load_case(text, "case.toml")


@given(st.data())
def test_a_file_with_something_missing_is_read_or_refused_on_one_line(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(EXAMPLE)))
    end = data.draw(st.integers(start, len(EXAMPLE)))
    message = complaint(EXAMPLE[:start] + EXAMPLE[end:])
    assert re.fullmatch(r"(case\.toml:[1-9][0-9]*: .+)?", message)


def complaint(text: str) -> str:
    try:
        load_case(text, "case.toml")
    except NotationError as error:
        return str(error)
    return ""
