# SPDX-License-Identifier: MIT
"""A helper that takes its command inside a document: its faults are found, reproduced, and seen to be gone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import boxproof
from boxproof.grounds.host import find_interpreter
from boxproof.grounds.kit import Bundled, bundled_kit
from tests.plugin.cases import case_text
from tests.plugin.place import PATH
from tests.plugin.suite import Suite

STANDIN = Path(__file__).parents[1] / "helpers" / "standins" / "lxc_exec.py"
FAULT = """\
import json, os, sys
if "--dry-run" not in sys.argv and sys.argv[1] == "--config":
    lists = json.load(open(sys.argv[2]))["filesystem"]
    if any(os.path.islink(path) for path in lists["readonlyPaths"]):
        sys.exit("a link")
"""
TREE = "ws/\nws/file file\nstore/\nstore/key file\nalias -> {farm}/store/key\n"


def standin(suite: Suite, folder: str, before: str = "") -> Path:
    """Return an ``lxc-exec`` that is the reference helper behind a wrapper, with or without a fault of its own."""
    place = suite.place
    (place.root / folder).mkdir()
    bundled_kit(place.root / folder, Bundled(Path(boxproof.__file__).parent), place.user, PATH)
    text = STANDIN.read_text(encoding="utf-8").replace("from __future__ import annotations\n", "")
    path = place.root / folder / "lxc-exec"
    path.write_text(f"#!{find_interpreter(place.user)} -IS\n{before}{text}", encoding="utf-8")
    path.chmod(0o755)
    return path


def reproduce(suite: Suite, script: Path, helper: Path) -> tuple[int, str]:
    user, root = suite.place.user, os.geteuid() == 0
    done = subprocess.run(
        ["/bin/sh", script, helper],
        cwd=suite.place.open,
        env={"PATH": PATH, "HOME": str(suite.place.open)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        user=user.uid if root else None,
        group=user.gid if root else None,
        extra_groups=[] if root else None,
    )
    return done.returncode, done.stdout


def test_a_fault_is_reproduced_and_is_gone_with_a_repaired_helper(suite: Suite) -> None:
    case = suite.write(case_text(requirement="BIND-1", tree=TREE, rules=["rw ws", "ro alias"]))
    faulty, repaired = standin(suite, "faulty", FAULT), standin(suite, "repaired")
    out = suite.place.open / "out"
    ran = suite.run(f"--case={case}", f"--helper={faulty}", f"--cases-out={out}")
    assert (ran.status, ran.kinds) == (1, ["no-start"]), ran.out
    assert suite.run(f"--case={case}", f"--helper={repaired}").status == 0
    (folder,) = out.iterdir()
    script = folder / "reproduce.sh"
    assert reproduce(suite, script, faulty) == (
        1,
        "wrong: the command did not run to its end; the status of the helper is 1\na link\n",
    )
    assert reproduce(suite, script, repaired) == (0, "the fault is gone\n")
