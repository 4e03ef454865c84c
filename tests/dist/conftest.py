# SPDX-License-Identifier: MIT
"""A clone of this checkout with a release, and what is built of it."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from attrs import frozen

from tests.dist.build import CHECKOUT, build, git

TAG = "v1.2.3"


@frozen
class Released:
    """A clone on the commit of a release, and both distributions of it."""

    tree: Path
    sdist: Path
    wheel: Path


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone without tags, of the files as they are now."""
    missing = [name for name in ("hatchling", "hatch_vcs") if find_spec(name) is None]
    if missing or not shutil.which("git") or not (CHECKOUT / ".git").exists():
        pytest.skip(f"no clone can be built here: {', '.join(missing) or 'git, or its data, is not here'}")
    tree = tmp_path_factory.mktemp("clone") / "boxproof"
    git(CHECKOUT, "clone", "--quiet", "--no-tags", "--shared", str(CHECKOUT), str(tree))
    changed = git(CHECKOUT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    shutil.rmtree(tree / "src")
    for name in filter(None, changed):
        if (CHECKOUT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, tree / name)
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "--allow-empty", "--message=as it is")
    return tree


@pytest.fixture(scope="session")
def released(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Released:
    """What a release would publish."""
    folder = tmp_path_factory.mktemp("released")
    tree = folder / "tree"
    git(clone, "clone", "--quiet", str(clone), str(tree))
    git(tree, "tag", TAG)
    # what lies about in a checkout that was worked in
    for name in (".cache/vendors/x/codex", "conformance/__pycache__/x.pyc", ".tox/x", "dist/x", "boxproof-out/x"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("not to be published", "utf-8")
    return Released(tree, build(tree, "sdist", folder / "sdist"), build(tree, "wheel", folder / "wheel"))
