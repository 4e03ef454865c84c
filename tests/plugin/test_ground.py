# SPDX-License-Identifier: MIT
"""``--ground``: where cases are run, and what a result says of it."""

from __future__ import annotations

import pytest

from tests.plugin.cases import case_text
from tests.plugin.suite import GOOD, Suite


@pytest.mark.parametrize(
    ("given", "said"),
    (
        ("hots", "--ground=hots is unknown; did you mean 'host'?"),
        ("host:here", "--ground=host:here makes no sense; write --ground=host"),
        ("layout", "--ground=layout makes no sense; write --ground=layout:NAME"),
        ("layout:", "--ground=layout: makes no sense; write --ground=layout:NAME"),
        ("container:", "--ground=container: makes no sense; write --ground=container:NAME"),
    ),
)
def test_a_ground_that_is_none_is_a_usage_error(suite: Suite, given: str, said: str) -> None:
    ran = suite.run(f"--ground={given}")
    assert ran.status == pytest.ExitCode.USAGE_ERROR
    assert said in ran.err


def test_a_ground_is_given_once(suite: Suite) -> None:
    ran = suite.run("--ground=host", "--ground=host")
    assert ran.status == pytest.ExitCode.USAGE_ERROR
    assert "--ground names 'host' twice; give each ground once" in ran.err


def test_a_case_about_a_layout_is_not_applicable_on_a_host(suite: Suite) -> None:
    suite.write(case_text(extra='layout = "el9"'), "about.toml")
    ran = suite.drive(GOOD, "--case=about.toml", "--ground=host")
    assert ran.status == pytest.ExitCode.TESTS_FAILED
    assert ran.row["verdict"] == "not-applicable"
    assert "the case is about the layout 'el9'" in ran.row["reason"]


def test_several_grounds_are_named_in_ids_and_counted_apart(suite: Suite) -> None:
    suite.write(case_text("one", rules=("rw ws",)), "cases/one.toml")
    ran = suite.drive(GOOD, "--ground=layout:el9", "--ground=host")
    assert list(ran.rows) == ["MASK-1[one]@el9-layout", "MASK-1[one]@host"]
    assert {row["evidence"] for row in ran.rows.values()} == {"host", "layout"}
    assert [ground["given"] for ground in ran.report["grounds"]] == ["layout:el9", "host"]
    assert ran.report["summary"]["evidence"] == "host"
    assert ran.report["summary"]["pass"] == 1
    assert ran.report["run"]["options"]["ground"] == ["layout:el9", "host"]
    assert "standin-standin on el9-layout: 1 " in ran.out
    assert "standin-standin on host: 1 pass" in ran.out


def test_without_the_option_only_cases_about_layouts_are_run_in_them(suite: Suite) -> None:
    suite.write(case_text("one", rules=("rw ws",)), "cases/one.toml")
    suite.write(case_text("two", rules=("rw ws",), extra='layout = "el9"'), "cases/two.toml")
    ran = suite.drive(GOOD)
    assert {name: row["ground"] for name, row in ran.rows.items()} == {
        "MASK-1[one]": "host",
        "MASK-1[two]": "el9-layout",
    }


def test_a_case_about_a_layout_that_nobody_knows_is_not_applicable(suite: Suite) -> None:
    suite.write(case_text(extra='layout = "el99"'), "cases/one.toml")
    for grounds in ((), ("--ground=layout:el9",)):
        ran = suite.drive(GOOD, "--case=cases/one.toml", *grounds)
        assert ran.row["verdict"] == "not-applicable"


def test_a_failure_in_a_layout_names_it_and_its_rows(suite: Suite) -> None:
    above = "/etc/ssl/cert.pem -> /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"
    suite.write(case_text(rules=("rw ws",), extra=f"layout = \"el9\"\nabove = '{above}'"), "cases/one.toml")
    ran = suite.drive("echo no >&2; exit 1", "--case=cases/one.toml")
    if ran.row["verdict"] == "not-applicable":
        pytest.skip(ran.row["reason"])
    folder = suite.path / "boxproof-out" / "mask-1-plain-standin-standin-el9-layout"
    assert {path.name for path in folder.iterdir()} == {"case.toml", "report.json", "reproduce.sh"}
    assert "the case is about paths of the layout el9" in (folder / "reproduce.sh").read_text("utf-8")
    text = ran.text()
    at = text.index("above the farm, as el9 has it:")
    assert text[at + 1].split() == above.split()
    assert "--ground=layout:el9" in text[-1]
