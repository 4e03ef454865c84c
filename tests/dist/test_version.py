# SPDX-License-Identifier: MIT
"""The version is that of the tag, and every tree can be built, also one that knows of no tag."""

from __future__ import annotations

import re
from importlib.metadata import version as installed
from pathlib import Path

import pytest
from click.testing import CliRunner
from packaging.version import Version

import boxproof
from boxproof.cli import main
from tests.dist.build import build, git, unpack, version
from tests.dist.conftest import TAG, Released

UNKNOWN = re.compile(r"0\.0\.1\.dev\d+\+unknown\.g[0-9a-f]+")


@pytest.fixture
def tree(clone: Path, tmp_path: Path) -> Path:
    """A clone of one's own, without tags."""
    git(clone, "clone", "--quiet", "--no-tags", str(clone), str(tmp_path / "tree"))
    return tmp_path / "tree"


def archive(tree: Path, out: Path) -> Path:
    """Return the tree as it is unpacked from an archive that git made."""
    out.mkdir()
    git(tree, "archive", "--prefix=boxproof/", f"--output={out}.tar", "HEAD")
    return unpack(Path(f"{out}.tar"), out)


def test_a_tag_is_the_version_of_its_commit_and_of_those_after_it(tree: Path, tmp_path: Path) -> None:
    git(tree, "tag", TAG)
    git(tree, "tag", "v1")
    assert version(tree) == "1.2.3"
    assert version(archive(tree, tmp_path / "at")) == "1.2.3"
    git(tree, "commit", "--quiet", "--allow-empty", "--message=next")
    assert re.fullmatch(r"1\.2\.4\.dev1\+g[0-9a-f]+", version(tree))
    assert re.fullmatch(r"1\.2\.4\.dev1\+g[0-9a-f]+", version(archive(tree, tmp_path / "after")))


def test_a_clone_without_tags_is_older_than_any_release(tree: Path) -> None:
    assert UNKNOWN.fullmatch(version(tree))
    assert Version(version(tree)) < Version("0.1.0")


def test_a_shallow_clone_has_a_version(tree: Path, tmp_path: Path) -> None:
    git(tree, "clone", "--quiet", "--depth=1", f"file://{tree}", str(tmp_path / "shallow"))
    assert UNKNOWN.fullmatch(version(tmp_path / "shallow"))


def test_a_tree_that_knows_nothing_of_git_has_a_version(tree: Path, tmp_path: Path) -> None:
    bare = archive(tree, tmp_path / "bare")
    assert Version(version(bare)) < Version("0.1.0")
    (bare / ".git_archival.txt").unlink()
    assert version(bare) == "0.0.0+unknown"
    assert build(bare, "wheel", tmp_path / "out").name == "boxproof-0.0.0+unknown-py3-none-any.whl"


def test_an_sdist_keeps_its_version(released: Released, tmp_path: Path) -> None:
    assert released.sdist.name == "boxproof-1.2.3.tar.gz"
    assert released.wheel.name == "boxproof-1.2.3-py3-none-any.whl"
    assert version(unpack(released.sdist, tmp_path)) == "1.2.3"


def test_all_that_tells_the_version_tells_the_same() -> None:
    assert boxproof.__version__ == installed("boxproof")
    assert CliRunner().invoke(main, ["--version"]).output == f"boxproof, version {boxproof.__version__}\n"
    with pytest.raises(AttributeError):
        getattr(boxproof, "version")  # noqa: B009 - a type checker would say so before
