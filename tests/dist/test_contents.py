# SPDX-License-Identifier: MIT
"""What is in the distributions, and that they are the same wherever they are built."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.dist.build import build, git, names, unpack
from tests.dist.conftest import Released

SUITE = "boxproof/suite/"
INFO = "boxproof-1.2.3.dist-info/"
LEFT_OUT = {".git_archival.txt", ".gitattributes", ".ci", ".github"}
"""What only git or a CI system reads; the rest of a release's commit is in its sdist."""


def tracked(tree: Path) -> set[str]:
    return set(filter(None, git(tree, "ls-files", "-z").split("\0")))


def shipped(tree: Path) -> set[str]:
    """Return the names in the wheel of the files of a checkout that belong there."""
    found = set()
    for name in tracked(tree):
        top, _, rest = name.partition("/")
        if name.startswith("src/boxproof/"):
            found.add(rest)
        elif top in {"conformance", "fixtures", "conftest.py"} or name.startswith("containers/layouts/"):
            found.add(SUITE + name)
    return found


def test_the_sdist_is_the_commit(released: Released) -> None:
    expected = {name for name in tracked(released.tree) if name.partition("/")[0] not in LEFT_OUT}
    assert names(released.sdist) == expected | {"PKG-INFO"}


def test_the_wheel_is_the_package_and_the_suite(released: Released) -> None:
    info = {INFO + name for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")}
    assert names(released.wheel) == shipped(released.tree) | info


def test_the_wheel_has_what_is_read_at_run_time(released: Released) -> None:
    assert names(released.wheel) >= {
        "boxproof/helpers/templates/zerobox.toml",
        "boxproof/probe/probe.c",
        "boxproof/probe/probe.sh",
        "boxproof/py.typed",
        "boxproof/report/report.schema.json",
        "boxproof/report/templates/report.html.jinja",
        f"{SUITE}conftest.py",
        f"{SUITE}conformance/requirements.toml",
        f"{SUITE}conformance/cases/alias-mask/denied-file-by-linked-home-and-real-home.toml",
        f"{SUITE}containers/layouts/el9.toml",
        f"{SUITE}fixtures/__init__.py",
    }


def test_what_is_published_holds_nothing_that_lay_about(released: Released) -> None:
    with zipfile.ZipFile(released.wheel) as wheel:
        assert not any(b"not to be published" in wheel.read(name) for name in wheel.namelist())
    assert not any("tests" in name.split("/") for name in names(released.wheel))


def test_the_wheel_of_the_sdist_is_that_of_the_checkout(released: Released, tmp_path: Path) -> None:
    made = build(unpack(released.sdist, tmp_path / "tree"), "wheel", tmp_path / "out")
    assert made.read_bytes() == released.wheel.read_bytes()


def test_a_clone_of_somebody_else_builds_the_same(released: Released, tmp_path: Path) -> None:
    git(released.tree, "clone", "--quiet", str(released.tree), str(tmp_path / "other"), umask=0o077)
    assert build(tmp_path / "other", "sdist", tmp_path / "s").read_bytes() == released.sdist.read_bytes()
    assert build(tmp_path / "other", "wheel", tmp_path / "w").read_bytes() == released.wheel.read_bytes()
