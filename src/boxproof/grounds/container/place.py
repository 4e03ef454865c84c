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
from boxproof.model.result import Evidence


@frozen
class ContainerPlace:
    """An image under an engine.

    Args:
        given: as ``--ground`` takes it.
        name: as ids and reports show it.
        engine: what runs containers.
        image: what they are made of.
    """

    given: str
    name: str
    engine: Engine
    image: Image

    @property
    def evidence(self) -> Evidence:
        """An image, or a layout for one that only stands in for a distribution's and says so by its label."""
        return "layout" if self.image.replica else "image"

    @property
    def layout(self) -> str:
        """Nothing yet: cases about certificate paths need a token in the bundle."""
        return ""

    def ground(self, host: Ground) -> Ground:
        """Return the ground, not yet entered; its folder for farms is its own, since its user is another."""
        return ContainerGround(container_user(host.user), host.chosen, engine=self.engine, image=self.image)

    def described(self, adapter: Adapter, helper: Helper) -> Helper:
        """Return a helper as it is here: what lies in a system folder is the image's own, not this host's."""
        return describe_inside(self.engine, self.image, adapter, helper) if is_own(helper.path) else helper

    def digest(self, path: str) -> str:
        """Return the SHA-256 of one of the image's files."""
        return digest_inside(self.engine, self.image, path)

    def about(self, user: LaunchUser) -> Mapping[str, str]:
        """Ask a container of its own."""
        with ContainerGround(container_user(user), engine=self.engine, image=self.image) as ground:
            return ground.about()


def find_container(argument: str, suite: Path) -> ContainerPlace:
    """Return the place of ``container:ARGUMENT``.

    Raises:
        GroundError: where no engine answers, or it has no such image.
    """
    del suite
    engine = find_engine()
    image = engine.image(argument)
    slug = re.sub(r"[^a-z0-9.]+", "-", argument.lower()).strip("-")
    return ContainerPlace(f"container:{argument}", f"{slug}-{'layout' if image.replica else 'image'}", engine, image)
