# SPDX-License-Identifier: MIT
"""What reaches the helper, who it runs as, and what the header says of it."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil

import pytest

from boxproof.grounds.ground import PATH
from tests.plugin.cases import case_text
from tests.plugin.suite import GOOD, Ran, Suite

WANTS = '[ "$WANTED" = "a b=c" ] || { echo "WANTED=$WANTED" >&2; exit 1; }; '
BWRAP = shutil.which("bwrap", path=PATH)


@pytest.fixture
def one(suite: Suite) -> Suite:
    """A suite of one case."""
    suite.write(case_text(), "cases/one.toml")
    return suite


def header(ran: Ran) -> list[str]:
    """Return the lines that are ours."""
    return [line for line in ran.out.splitlines() if line.startswith(("helper: ", "host: ", "bwrap: "))]


def shown(suite: Suite, *arguments: str) -> Ran:
    """Run with pytest's header, which other tests leave out."""
    words = [word for word in arguments if word]
    result = suite.pytester.runpytest_inprocess(*words, f"--farm-root={suite.place.farms}", "-p", "no:cacheprovider")
    return Ran(int(result.ret), result.stdout.str(), result.stderr.str())


def test_a_variable_reaches_the_helper(one: Suite) -> None:
    assert one.drive(WANTS + GOOD).kinds == ["no-start"]
    ran = one.drive(WANTS + GOOD, "--helper-env=OTHER=", "--helper-env=WANTED=a b=c")
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[plain]": "pass"})
    assert ran.report["run"]["options"]["helper_env"] == {"OTHER": "", "WANTED": "a b=c"}


def test_a_variable_overrides_that_of_the_launch(one: Suite) -> None:
    ran = one.drive('[ "$LANG" = de_DE ] && ' + GOOD, "--helper-env=LANG=de_DE")
    assert ran.status == 0


@pytest.mark.parametrize("name", ("API_KEY", "ACCESS_TOKEN", "Password", "client_secret"))
def test_the_value_of_a_secret_variable_stays_out_of_reports(one: Suite, name: str) -> None:
    ran = one.drive("echo no >&2; exit 1", f"--helper-env={name}=hunter2")
    assert (ran.kinds, "hunter2" in str(ran.report), "hunter2" in ran.out) == (["no-start"], False, False)


def test_the_suites_own_environment_does_not(one: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLERS_OWN", "x")
    assert one.drive('[ -z "$CALLERS_OWN$VIRTUAL_ENV" ] && ' + GOOD).status == 0


def test_an_adapter_by_name(one: Suite) -> None:
    helper = one.helper(GOOD)
    helper.write_text(helper.read_text("utf-8").replace('echo "standin standin"', "echo bubblewrap 1.2.3"), "utf-8")
    ran = one.run(f"--helper={helper}", "--adapter=bwrap")
    assert (ran.status, ran.report["helpers"][0]["adapter"]) == (0, "bwrap")
    assert ran.report["helpers"][0]["version"] == "1.2.3"


def test_an_adapter_file_in_another_folder(one: Suite) -> None:
    one.adapter().rename(one.place.open / "mine.toml")
    ran = one.run(f"--helper={one.helper()}", f"--adapter={one.place.open}/mine.toml")
    assert (ran.status, ran.report["helpers"][0]["adapter"]) == (0, "standin")


def test_a_helper_by_a_relative_path(one: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    helper, adapter = one.helper(), one.adapter()
    monkeypatch.chdir(one.place.root)
    ran = one.run("--helper=./standin", f"--adapter={adapter}", f"--rootdir={one.path}", one.path)
    assert (ran.status, ran.report["helpers"][0]["path"]) == (0, str(helper))


@pytest.mark.skipif(BWRAP is None, reason="there is no bwrap on PATH")
def test_a_helper_by_name_and_an_adapter_by_the_helpers_name(one: Suite) -> None:
    ran = one.run("--helper=bwrap")
    assert ran.report["helpers"][0]["adapter"] == "bwrap"
    assert re.fullmatch(r"bwrap-[0-9.]+", ran.report["helpers"][0]["name"])


def test_without_an_option_the_reference_is_judged(one: Suite) -> None:
    ran = one.run()
    assert (ran.status, ran.report["helpers"][0]["name"], ran.verdicts) == (0, "reference", {"MASK-1[plain]": "pass"})


def test_the_header_names_the_helper_and_the_host(one: Suite) -> None:
    helper = one.helper()
    digest = hashlib.sha256(helper.read_bytes()).hexdigest()
    first, host, bwrap = header(shown(one, f"--helper={helper}", f"--adapter={one.adapter()}"))
    assert first.startswith(f"helper: standin-standin ({helper}), version standin, sha256 {digest[:16]}")
    assert first.endswith("adapter standin")
    assert f"kernel {platform.release()}" in host
    assert all(word in host for word in ("LSM", "Landlock", "user namespaces"))
    assert re.fullmatch(rf"bwrap: .+; grounds: host, [0-9]+ layouts; launches as uid {one.place.user.uid}", bwrap)
    assert BWRAP is None or re.search(r"links: (refuse|escape|follow|unknown)", bwrap)


def test_the_header_names_every_helper(one: Suite) -> None:
    helpers = [f"--helper={one.helper(GOOD, name)}" for name in ("a", "b")]
    lines = header(shown(one, *helpers, f"--adapter={one.adapter()}"))
    assert [line.split()[1] for line in lines if line.startswith("helper: ")] == ["standin-a", "standin-b"]


@pytest.mark.parametrize("option", ("-q", "--collect-only", "--no-header"))
def test_there_is_none_where_none_is_wanted(one: Suite, option: str) -> None:
    assert header(shown(one, f"--helper={one.helper()}", f"--adapter={one.adapter()}", option)) == []


@pytest.mark.parametrize(
    ("option", "root"),
    (
        ("", False),
        ("--run-as=user", False),
        pytest.param(
            "--run-as=root", True, marks=pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user is not root")
        ),
    ),
)
def test_who_the_helper_runs_as(one: Suite, option: str, root: bool) -> None:  # noqa: FBT001 - a parameter of a test
    ran = one.drive('id -u >"$OPEN/uid"; ' + GOOD, *([option] if option else []))
    uid = 0 if root else one.place.user.uid
    assert (ran.status, (one.place.open / "uid").read_text("utf-8")) == (0, f"{uid}\n")
    assert (ran.report["host"]["uid"], ran.report["run"]["options"]["run_as"]) == (uid, "root" if root else "user")


def test_the_deadline_is_that_of_the_option(one: Suite) -> None:
    ran = one.drive("exec sleep 1000", "--launch-timeout=0.5")
    assert (ran.status, ran.kinds, ran.report["run"]["options"]["launch_timeout"]) == (1, ["hang"], 0.5)


def test_without_the_option_a_slow_helper_is_given_its_time(one: Suite) -> None:
    helper, adapter = one.helper('echo run >>"$OPEN/runs"; ' + GOOD), one.adapter()
    ran = shown(one, f"--helper={helper}", f"--adapter={adapter}", "--no-header")
    assert (ran.status, (one.place.open / "runs").read_text("utf-8")) == (0, "run\nrun\n")
