# SPDX-License-Identifier: MIT
"""One container for each image that is audited."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from attrs import frozen

from boxproof.errors import GroundError
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.container.engine import QUIRKS
from boxproof.grounds.container.place import ContainerPlace, find_container
from boxproof.grounds.places import read_layouts
from boxproof.model.layout import Layout
from boxproof.model.row import Row
from tests.audit.image import IMAGES, MADE_BY_ENGINES, Host, rows_at

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".cache" / "audit"
NAMES = ("debian", "fedora", "rocky9", *(f"localhost/boxproof/debian-{number}" for number in (13,)))
LABEL = "boxproof.audit"


@frozen
class Audited:
    """An image and the layout that it is to have."""

    place: ContainerPlace
    layout: Layout

    def __str__(self) -> str:
        """Return the name that ids have."""
        return self.place.name


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Ask each test about each image, and the tests of a row about each row."""
    names = [name for name in ("audited_image", "row") if name in metafunc.fixturenames]
    if not names:
        return
    images, why = audited()
    asked = [
        pytest.param(*values, id="-".join(str(value) for value in (one, *(row.path for row in values[1:]))))
        for one in images
        for values in ([(one, row) for row in _rows(one.layout)] if "row" in names else [(one,)])
    ]
    nothing = pytest.param(*(None for _ in names), marks=pytest.mark.skip(reason=why), id="no-image")
    metafunc.parametrize(names, asked or [nothing])


@cache
def audited() -> tuple[tuple[Audited, ...], str]:
    """Return the images with their layouts, and why there are none.

    Raises:
        GroundError: where an image that the user named is not there, or has no layout.
    """
    named = os.environ.get(IMAGES, "").split()
    layouts = {layout.name: layout for layout in read_layouts(ROOT)}
    found, whys = [], []
    for name in named or NAMES:
        try:
            place = find_container(name, ROOT)
        except GroundError as error:
            if named:
                raise
            whys.append(str(error))
            continue
        if place.image.layout in layouts and not place.image.replica:
            found.append(Audited(place, layouts[place.image.layout]))
        elif named:
            raise GroundError(f"'{name}' has no label boxproof.layout", cure="build it with containers/build.sh")
    return tuple(found), "; ".join(dict.fromkeys(whys)) or "no image has a layout"


@cache
def seen(image: Audited) -> Mapping[str, Row]:
    """Return what an image has at each path of its layout."""
    with inside(image) as host:
        return rows_at(host, [row.path for row in _rows(image.layout)])


@contextmanager
def inside(image: Audited) -> Iterator[Host]:
    """Hold a container of the image, as testinfra sees it."""
    testinfra = pytest.importorskip("testinfra", reason="pytest-testinfra is not installed")
    engine = image.place.engine
    label = f"{LABEL}={os.getpid()}"
    try:
        yield testinfra.get_host(f"{engine.name}://{_started(image, label)}")
    finally:
        engine.remove(label)
    assert engine.containers(label) == []


def _started(one: Audited, label: str) -> str:
    """Return the id of a container that does nothing."""
    engine, said = one.place.engine, ""
    for quirks in QUIRKS[engine.name]:
        words = ("run", "--detach", "--rm", "--network=none", "--pull=never", "--stop-timeout=0", "--label", label)
        done = engine.ask(*words, *quirks, one.place.image.reference, "sleep", "3600")
        if done.returncode == 0:
            return done.stdout.split()[-1]
        engine.remove(label)
        said = done.stderr
    raise GroundError(f"no container of '{one.place.image.reference}' starts", cause=said)


def record(image: Audited) -> Mapping[str, str]:
    """Return what an image has, and keep it beside the caches."""
    about = image.place.about(launch_user())
    KEPT.mkdir(parents=True, exist_ok=True)
    known = {"date": datetime.now(UTC).date().isoformat(), "layout": image.layout.name, **about}
    (KEPT / f"{image.place.name}.json").write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return about


def _rows(layout: Layout) -> Iterator[Row]:
    return (row for row in layout.rows if row.kind != "unknown" and row.path not in MADE_BY_ENGINES)
