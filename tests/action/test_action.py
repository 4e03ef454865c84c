# SPDX-License-Identifier: MIT
"""``action.yml``: its steps, taken from the file and run in the environment that they get from GitHub."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.action.steps import CHECKOUT, Done, Runner, filled, inputs_of, load, scripts
from tests.plugin.place import Place

ACTION = load(CHECKOUT / "action.yml")
INSTALL, GATE, UPLOAD = ACTION["runs"]["steps"]
GUIDE = CHECKOUT / "docs" / "how-to" / "gate-a-release.md"
WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"uses: (?:\./(?: #.*)?|[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)")
REFUSED = set('":<>|*?\r\n\\')
"""Characters that actions/upload-artifact takes in no file's name."""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A machine on which the action's first step has run."""
    missing = [name for name in ("hatchling", "hatch_vcs", "pip") if find_spec(name) is None]
    if missing:
        pytest.skip(f"no {' and no '.join(missing)} at hand to install the suite")
    runner = Runner(tmp_path_factory.mktemp("runner"))
    workspace = runner.root / "first" / "workspace"
    workspace.mkdir(parents=True)
    done = runner.run(INSTALL, {}, workspace)
    assert done.status == 0, done.log
    return runner


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A user's checkout."""
    path = tmp_path / "workspace"
    path.mkdir()
    return path


@pytest.fixture
def judge(runner: Runner, workspace: Path, place: Place) -> Callable[..., Done]:
    """Run the action's second step."""

    def judge(args: str, **given: str) -> Done:
        inputs = inputs_of(ACTION, args=f"{args} --farm-root={place.farms}", **given)
        return runner.run(GATE, inputs, workspace)

    return judge


def test_a_helper_that_does_as_it_should_passes(judge: Callable[..., Done], runner: Runner, workspace: Path) -> None:
    done = judge("-k 'START-1 and workspace'", helper="reference")
    assert done.status == 0, done.log
    assert done.summary.startswith("## Boxproof: reference: profile required")
    assert "| START-1 | P " in done.summary
    assert "::error" not in done.log
    # a part of the suite meets no profile
    assert done.outputs == {"met": "false", "report": "boxproof-out/report.json"}
    assert sorted(uploaded(workspace)) == ["report.html", "report.json", "report.xml"]
    report = json.loads((workspace / done.outputs["report"]).read_text("utf-8"))
    (installed,) = runner.temp.glob(f"boxproof/lib/*/site-packages/boxproof-{report['run']['suite']}.dist-info")
    assert installed.is_dir()


def test_a_helper_that_does_not_fails_and_leaves_its_cases(judge: Callable[..., Done], workspace: Path) -> None:
    done = judge("-k 'START-1 and workspace'", helper="known-bad:rw-is-ro", artifact="cases-of-3.11")
    assert done.status == 1, done.log
    assert done.outputs == {"met": "false", "report": "cases-of-3.11/report.json"}
    assert "fail START-1" in done.summary
    names = uploaded(workspace, artifact="cases-of-3.11")
    assert {"case.toml", "report.json", "reproduce.sh"} <= {Path(name).name for name in names if "/" in name}
    assert not REFUSED & set("".join(names))
    assert "\nreplay: boxproof run --case=cases-of-3.11/start-1-" in done.log
    # annotations come after the log, in which the runner takes nothing for a command
    (word,) = re.findall(r"^::stop-commands::(\w+)$", done.log, re.MULTILINE)
    before, after = done.log.split(f"\n::{word}::\n")
    assert "test session starts" in before
    assert "::error" not in before
    assert re.match(r"::error title=START-1\[\S+\] fail%3A known-bad-rw-is-ro on host::", after)


@pytest.mark.parametrize(
    "given",
    (
        {"helper": "reference", "grounds": "host moon", "artifact": "a\nmet=true"},
        {"helper": '$(touch taken)"; touch taken; "'},
    ),
    ids=["grounds", "quotes"],
)
def test_a_mistake_is_said_and_fails(judge: Callable[..., Done], workspace: Path, given: dict[str, str]) -> None:
    done = judge("-n 0", **given)
    assert done.status == 4, done.log
    assert "::error title=boxproof::the suite wrote no report (exit status 4); its log says why" in done.log
    assert done.summary == "## Boxproof\n\nThe suite wrote no report (exit status 4); its log says why.\n"
    assert done.outputs == {"met": "false"}
    assert not (workspace / "taken").exists()


def test_inputs_come_through_the_environment_alone() -> None:
    assert not any("${{" in script for script in scripts(ACTION["runs"]["steps"]))
    names = {name: name for name in ACTION["inputs"]}
    assert {variable: filled(value, names).upper() for variable, value in GATE["env"].items()} == {
        name.upper(): name.upper() for name in names
    }


def test_what_is_left_is_uploaded_whatever_came_of_it() -> None:
    assert (UPLOAD["if"], UPLOAD["with"]["path"]) == ("${{ always() }}", "${{ inputs.artifact }}")
    assert {one["value"] for one in ACTION["outputs"].values()} == {
        f"${{{{ steps.{GATE['id']}.outputs.{name} }}}}" for name in ("met", "report")
    }


@pytest.mark.parametrize("path", (CHECKOUT / "action.yml", *WORKFLOWS), ids=lambda path: path.stem)
def test_other_actions_are_named_by_commit(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    uses = [line.strip().removeprefix("- ") for line in lines if "uses:" in line]
    assert uses
    assert [line for line in uses if not PINNED.fullmatch(line)] == []


def test_the_guide_has_every_input_and_output() -> None:
    text = GUIDE.read_text("utf-8")
    for name, one in ACTION["inputs"].items():
        default = f" (`{one['default']}`)" if "default" in one else ""
        assert re.search(rf"^\| `{name}` \| .*{re.escape(default)} \|$", text, re.MULTILINE), name
    assert all(f"`{name}`" in text for name in ACTION["outputs"])


def uploaded(workspace: Path, **given: str) -> list[str]:
    """Return the names that the last step would upload, those of hidden files left out as it does."""
    names: dict[str, Any] = inputs_of(ACTION, helper="any", **given)
    folder = workspace / filled(UPLOAD["with"]["path"], names)
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return [str(path) for path in found if not any(part.startswith(".") for part in path.parts)]
