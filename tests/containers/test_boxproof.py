# SPDX-License-Identifier: MIT
"""The image of the suite itself, started as the guide says."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest

from boxproof.errors import GroundError
from boxproof.grounds.container.engine import FLAGS, QUIRKS, Engine
from tests.containers.conftest import SECONDS

pytestmark = pytest.mark.containers
IMAGE = "localhost/boxproof/boxproof"


@pytest.fixture
def own(engine: Engine) -> Engine:
    """An engine that has the image."""
    try:
        engine.image(IMAGE)
    except GroundError as error:
        pytest.skip(str(error))
    return engine


def boxproof(engine: Engine, *words: str, flags: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run the image with the fewest flags that do, and with whatever this host needs beside them."""
    fewest = next(iter(engine.flags), FLAGS[engine.name][0])
    options = [word for one in fewest for word in ("--security-opt", one)]
    done = None
    for quirks in QUIRKS[engine.name]:
        command = [engine.program, "run", "--rm", "--network=none", *quirks, *options, *flags, IMAGE, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode not in {125, 126, 127}:  # the engine's own
            break
    assert done is not None
    return done


def test_a_user_without_rights_can_test_all_but_images_in_it(own: Engine) -> None:
    done = boxproof(own, "doctor", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["launches"]["says"] == "as uid 1000"
    assert [name for name, row in rows.items() if not row["able"] and name != "Landlock"] == ["container engine"]


def test_the_reference_is_judged_in_it(own: Engine, tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    identity = [f"{word}:uid=1000,gid=1000" for word in own.identity()]
    flags = (*identity, f"--volume={tmp_path}:/home/boxproof/out")
    words = ("-k", "START-1 or MASK-2 or NAME-2", "--examples=0", "--report=out/report.json")
    done = boxproof(own, "run", "--helper=reference", *words, flags=flags)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert {row["verdict"] for row in report["results"]} == {"pass"}
    assert report["host"]["uid"] == 1000


def test_it_ships_no_build_and_no_wheel(own: Engine) -> None:
    flags = ("--entrypoint=sh",)
    look = "find / -xdev '(' -name '*.whl' -o -name pip -o -name '.git' ')' -not -path '/proc/*' 2>/dev/null; id -u"
    assert boxproof(own, "-c", look, flags=flags).stdout == "1000\n"
