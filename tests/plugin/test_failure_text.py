# SPDX-License-Identifier: MIT
"""What pytest prints of a failure: its parts, their order, and little of what a helper has written."""

from __future__ import annotations

import itertools

import pytest

from boxproof.report.failure import STDERR_LINES
from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import BARE, Suite

UNSANDBOXED = BARE + 'echo "this is what I do" >&2; exec "$@"'
REFUSES = "echo 'no user namespaces here' >&2; exit 1"
PRIVATE = "this is a security finding: report it to the vendor in private first"


@pytest.fixture
def one(suite: Suite) -> Suite:
    """A suite of one case."""
    suite.write(case_text(), "cases/one.toml")
    return suite


def test_the_parts_and_their_order(one: Suite) -> None:
    ran = one.drive(UNSANDBOXED)
    lines = ran.text()
    heads = (
        "requirement: ",
        "case: ",
        "tree:",
        "policy:",
        "found:",
        "command: ",
        "stderr:",
        PRIVATE,
        "case file: ",
        "replay: ",
    )
    numbers = [next(number for number, line in enumerate(lines) if line.startswith(head)) for head in heads]
    assert numbers == sorted(numbers)
    assert "MASK-1 (MUST) is not met" in lines[0]
    assert "Denied content is neither readable nor writable" in lines[numbers[0]]
    assert [line.split() for line in lines[numbers[2] + 1 : numbers[3]]][-1] == ["store/key", "file"]
    assert [line.strip() for line in lines[numbers[3] + 2 : numbers[4]]] == ["rw ws", "deny store/key"]
    assert lines[numbers[6] + 1].strip() == "this is what I do"
    assert lines[numbers[5]].startswith(f"command: {one.place.root}/standin --die-with-parent ")


@pytest.mark.parametrize("body", (UNSANDBOXED, REFUSES, "exit 0", "exit 9", "kill -9 $$"))
def test_the_last_two_lines_are_always_the_same(one: Suite, body: str) -> None:
    ran = one.drive(body)
    assert ran.text()[-2:] == [f"case file: {ran.row['case_file']}", f"replay: {ran.row['replay']}"]


@pytest.mark.parametrize(("body", "advised"), ((UNSANDBOXED, True), (REFUSES, False)), ids=["unsandboxed", "no-start"])
def test_the_advice_to_report_in_private(one: Suite, body: str, advised: bool) -> None:  # noqa: FBT001 - a parameter
    assert (PRIVATE in one.drive(body).text()) is advised


def test_a_leak_is_advised(one: Suite) -> None:
    one.adapter(deny_file=[], deny_folder=[])
    ran = one.drive('exec "$BWRAP" "$@"')
    assert ran.kinds == ["leak"]
    assert PRIVATE in ran.text()


def test_an_escape_is_advised(suite: Suite) -> None:
    suite.write(case_text(rules=["rw ws", "ro ws/file"], requirement="NEST-1"), "cases/one.toml")
    suite.adapter(ro=[])
    ran = suite.drive('exec "$BWRAP" "$@"')
    assert ran.kinds == ["escape"]
    assert PRIVATE in ran.text()


def test_each_finding_has_its_line(one: Suite) -> None:
    ran = one.drive(UNSANDBOXED)
    lines = [line.strip() for line in ran.text()]
    for finding in ran.row["findings"]:
        assert any(line.startswith(f"{finding['kind']} [{finding['requirement']}]") for line in lines)
        assert f"expected: {finding['expected']}" in lines
        assert any(line.startswith("seen:") and line.endswith(finding["seen"]) for line in lines)


def test_findings_name_no_path_of_this_host(one: Suite) -> None:
    ran = one.drive(UNSANDBOXED)
    assert str(one.place.farms) not in str(ran.row["findings"])


def test_a_reason_names_no_path_of_this_host(one: Suite) -> None:
    ran = one.drive('echo "cannot bind $PWD: no such file" >&2; exit 1')
    assert ran.kinds == ["no-start"]
    assert "cannot bind" in ran.row["findings"][0]["detail"]
    assert str(one.place.farms) not in str(ran.row["findings"])


def test_many_lines_of_stderr_are_cut(one: Suite) -> None:
    lines = one.drive("seq 1 1000 >&2; exit 1").text()
    start = lines.index("stderr:")
    assert [line.strip() for line in lines[start + 1 : start + 1 + STDERR_LINES]] == [
        *map(str, range(1, STDERR_LINES + 1))
    ]
    assert lines[start + 1 + STDERR_LINES].strip() == f"... and {1000 - STDERR_LINES} more lines"


def test_a_long_line_of_stderr_is_cut(one: Suite) -> None:
    ran = one.drive("head -c 900000 /dev/zero | tr '\\0' x >&2; exit 1")
    assert ran.kinds == ["no-start"]
    assert len("\n".join(ran.text())) < 20_000
    assert len(str(ran.row)) < 20_000


def test_many_findings_are_cut(one: Suite) -> None:
    ran = one.drive('i=0; while [ $i -lt 500 ]; do : >"$HOME/$i"; i=$((i + 1)); done; exec "$BWRAP" "$@"')
    assert {*ran.kinds} == {"host-change"}
    assert len(ran.text()) < 200
    assert ran.text()[-1].startswith("replay: ")


@pytest.mark.parametrize("text", (r"\033[2J\033[31mred", r"a\rb", r"\007", r"\302\233A", r"\342\200\256desrever"))
def test_what_a_helper_writes_does_not_drive_the_terminal(one: Suite, text: str) -> None:
    ran = one.drive(f"printf '{text}\\n' >&2; exit 1")
    assert ran.kinds == ["no-start"]
    said = "\n".join([*ran.text(), ran.row["findings"][0]["detail"]])
    assert all(character.isprintable() or character == "\n" for character in said)


def test_bytes_that_are_not_utf_8(one: Suite) -> None:
    ran = one.drive(r"printf '\377\376 no\n' >&2; exit 1")
    assert r"    \xff\xfe no" in ran.text()


def test_names_are_escaped_in_tree_and_policy(suite: Suite) -> None:
    tree = "ws/\nstore/\nstore/a\\x20b\\x0a\\xff  file\n"
    text = case_text(tree=tree, rules=["rw ws", r"deny store/a\x20b\x0a\xff"])
    suite.write(text.replace("level =", 'launch = "ran"\nlevel ='), "cases/one.toml")
    ran = suite.drive(REFUSES, "--profile=all")
    assert (ran.status, [line.isprintable() for line in ran.text()]) == (1, [True] * len(ran.text()))
    assert any(r"store/a\x20b\x0a\xff" in line for line in ran.text())


def test_two_failures_are_two_texts(suite: Suite) -> None:
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    ran = suite.drive(REFUSES)
    pairs = itertools.pairwise(line for line in ran.out.splitlines() if line)
    assert sum(one.startswith("case file: ") and two.startswith("replay: ") for one, two in pairs) == 2
