# SPDX-License-Identifier: MIT
"""The jobs that the guide shows, as far as their lines of shell go."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml

from tests.action.guide import shown
from tests.action.steps import CHECKOUT, inputs_of, load, scripts
from tests.plugin.place import SECONDS, Place

PARTS = 3
ACTION = re.compile(r"\./|OWNER/boxproof@")
SOME = "-k 'START-1 and workspace'"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout of a project with a helper, which is the reference here."""
    (tmp_path / "target" / "release").mkdir(parents=True)
    return tmp_path


def script(lines: Sequence[str], folder: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a job's lines as GitLab's runner does, in one shell that ends at the first that fails."""
    return subprocess.run(
        ["/bin/bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=4 * SECONDS,
        check=False,
    )


def test_the_jobs_of_gitlab_make_one_verdict_of_their_parts(project: Path, place: Place) -> None:
    jobs = yaml.safe_load(shown()[".gitlab-ci.yml"])
    part, verdict = jobs["boxproof"], jobs["boxproof-verdict"]
    assert part["parallel"] == PARTS
    own = {"HELPER": "reference", "ADAPTER": "", "PYTEST_ADDOPTS": f"{SOME} --farm-root={place.farms}"}
    for number in range(1, PARTS + 1):
        numbers = {"CI_NODE_INDEX": str(number), "CI_NODE_TOTAL": str(PARTS)}
        done = script(part["script"], project, {**jobs["variables"], **own, **numbers})
        assert done.returncode == 0, done.stdout + done.stderr
    done = script(verdict["script"], project, {})
    # a part of the suite meets no profile
    assert (done.returncode, done.stderr) == (1, "")
    assert "only a part of the suite was run" in done.stdout
    assert script(verdict["after_script"], project, {}).returncode == 0
    report = json.loads((project / "boxproof.json").read_text("utf-8"))
    assert {row["verdict"] for row in report["results"]} == {"pass"}
    kept = {path for pattern in verdict["artifacts"]["paths"] for path in project.glob(pattern)}
    assert kept == {project / "boxproof.json", project / "boxproof.html"}
    junit = project.glob(part["artifacts"]["reports"]["junit"])
    assert all(path.parent in project.glob(part["artifacts"]["paths"][0]) for path in junit)


def test_the_jobs_of_github_give_the_action_what_it_knows() -> None:
    action = load(CHECKOUT / "action.yml")
    own = (CHECKOUT / ".github" / "workflows" / "checks.yml").read_text("utf-8")
    texts = (own, *(text for name, text in shown().items() if name.startswith(".github/")))
    jobs = [job for text in texts for job in yaml.safe_load(text)["jobs"].values()]
    used = [step for job in jobs for step in job["steps"] if ACTION.match(step.get("uses", ""))]
    assert len(used) == 4
    for step in used:
        inputs_of(action, **step["with"])


def test_the_job_of_github_that_merges_ends_as_its_merge_does(project: Path) -> None:
    jobs = yaml.safe_load(shown()[".github/workflows/sandbox-in-parts.yml"])["jobs"]
    assert jobs["part"]["strategy"]["matrix"]["shard"] == list(range(1, PARTS + 1))
    merging = [line for line in scripts(jobs["verdict"]["steps"]) if line.startswith("boxproof merge")]
    done = script(merging, project, {})
    assert done.returncode == 2
    assert "boxproof-out-*/report.json" in done.stderr
