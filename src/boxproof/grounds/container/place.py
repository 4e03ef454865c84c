# SPDX-License-Identifier: MIT
"""``container:NAME``: one of the project's images, or any that the user names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.container.engine import Engine, Image, find_engine
from boxproof.grounds.container.ground import ContainerGround, container_user
from boxproof.grounds.container.inside import describe_inside, digest_inside, is_own
from boxproof.grounds.ground import Ground
from boxproof.helpers.base import Adapter, Helper
from boxproof.model.layout import Layout, load_layout
from boxproof.model.result import Evidence


@frozen
class ContainerPlace:
    """An image under an engine.

    Args:
        given: as ``--ground`` takes it.
        name: as ids and reports show it.
        engine: what runs containers.
        image: what they are made of.
        shape: the layout that the image should have, where it is no replica and there is one.
    """

    given: str
    name: str
    engine: Engine
    image: Image
    shape: Layout | None = None
    simulates: bool = False

    @property
    def evidence(self) -> Evidence:
        """An image, or a layout for one that only stands in for a distribution's and says so by its label."""
        return "layout" if self.image.replica else "image"

    @property
    def layout(self) -> str:
        """The layout that the image is audited against."""
        return self.shape.name if self.shape is not None else ""

    def ground(self, host: Ground) -> Ground:
        """Return the ground, not yet entered; its folder for farms is its own, since its user is another."""
        return ContainerGround(
            container_user(host.user), host.chosen, engine=self.engine, image=self.image, shape=self.shape
        )

    def described(self, adapter: Adapter, helper: Helper) -> Helper:
        """Return a helper as it is here: what lies in a system folder is the image's own, not this host's."""
        return describe_inside(self.engine, self.image, adapter, helper) if is_own(helper.path) else helper

    def digest(self, path: str) -> str:
        """Return the SHA-256 of one of the image's files."""
        return digest_inside(self.engine, self.image, path)

    def about(self, user: LaunchUser, chosen: str = "") -> Mapping[str, str]:
        """Ask a container of its own."""
        with ContainerGround(container_user(user), chosen, engine=self.engine, image=self.image) as ground:
            return ground.about()


def find_container(argument: str, suite: Path) -> ContainerPlace:
    """Return the place of ``container:ARGUMENT``.

    Raises:
        GroundError: where no engine answers, or it has no such image.
    """
    engine = find_engine()
    image = engine.image(argument)
    slug = re.sub(r"[^a-z0-9.]+", "-", argument.lower()).strip("-")
    name = f"{slug}-{'layout' if image.replica else 'image'}"
    return ContainerPlace(f"container:{argument}", name, engine, image, _shape(image, suite))


def _shape(image: Image, suite: Path) -> Layout | None:
    path = suite / "containers" / "layouts" / f"{image.layout}.toml"
    if image.replica or not path.is_file():
        return None
    return load_layout(path.read_bytes().decode("utf-8", "surrogateescape"), path.name)
