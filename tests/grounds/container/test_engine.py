# SPDX-License-Identifier: MIT
"""Engines, images and flags are found by trying."""

from __future__ import annotations

from pathlib import Path

import pytest

from boxproof.errors import GroundError
from boxproof.grounds.container.engine import CHOSEN, ENGINES, FLAGS, QUIRKS, Engine, Name, find_engine
from boxproof.grounds.container.inside import is_own
from boxproof.grounds.container.launcher import ContainerLauncher
from boxproof.grounds.container.place import find_container
from tests.grounds.container.conftest import USER, real_engine


def only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr("shutil.which", lambda name: str(folder / name) if (folder / name).exists() else None)


def test_without_an_engine_the_reasons_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(tmp_path, monkeypatch)
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\necho 'no daemon' >&2; exit 1\n")
    docker.chmod(0o755)
    with pytest.raises(GroundError, match="podman: not on PATH; docker: no daemon") as raised:
        find_engine()
    assert "install podman" in str(raised.value)


def test_an_engine_and_its_image_are_found(standin: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    only(Path(standin.program).parent, monkeypatch)
    place = find_container("standin", Path())
    assert (place.engine, place.name, place.evidence) == (standin, "standin-image", "image")
    assert place.image.layout == "debian-12"


@pytest.mark.parametrize(
    ("name", "cure"), (("debian", r"containers/build\.sh debian"), ("other:1", "podman pull other:1"))
)
def test_an_image_that_is_not_there_is_not_fetched(standin: Engine, name: str, cure: str) -> None:
    with pytest.raises(GroundError, match=cure):
        standin.image(name)


@pytest.mark.parametrize("word", ("", "nofile=1024:4096", "runc", "seccomp=unconfined"))
def test_the_fewest_flags_that_do(standin: Engine, base: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("NEEDS", word)
    with ContainerLauncher(standin, standin.image("standin"), USER, base) as launcher:
        quirks, flags = launcher._way or ((), ())
    ways = [(own, more) for own in QUIRKS["podman"] for more in FLAGS["podman"] if word in " ".join((*own, *more))]
    assert (quirks, flags) == ways[0]


def test_where_nothing_starts_the_engines_words_are_told_once(
    standin: Engine, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEEDS", "what nobody gives")
    launcher = ContainerLauncher(standin, standin.image("standin"), USER, base)
    for _ in range(2):
        with pytest.raises(GroundError, match="not without what nobody gives"):
            launcher.start()


@pytest.mark.parametrize(
    ("path", "own"),
    (("/usr/bin/bwrap", True), ("/bin/bwrap", True), ("/usr/local/bin/helper", False), ("/opt/x/bin/helper", False)),
)
def test_what_lies_in_a_system_folder_is_the_images_own(path: str, own: object) -> None:
    assert is_own(path) == own


@pytest.mark.containers
@pytest.mark.parametrize("program", ENGINES)
def test_where_no_sandbox_can_start_inside_that_is_said(
    base: Path, monkeypatch: pytest.MonkeyPatch, program: Name
) -> None:
    monkeypatch.setenv(CHOSEN, program)
    monkeypatch.setitem(FLAGS, program, ((),))
    engine = real_engine()
    with pytest.raises(GroundError, match=f"no sandbox can start in a container of {program}"):
        ContainerLauncher(engine, engine.image("debian"), USER, base).start()
