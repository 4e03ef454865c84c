# SPDX-License-Identifier: MIT
"""A layout as a place that ``--ground`` names; nothing of it is laid yet."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.ground import Ground
from boxproof.grounds.host import farm_root
from boxproof.grounds.laying import plan
from boxproof.grounds.layout import LayoutGround, host_mounts, host_name, rows_of
from boxproof.model.layout import Layout
from boxproof.model.result import Evidence


@frozen
class LayoutPlace:
    """One layout, before anything of it is laid."""

    shape: Layout
    evidence: Evidence = "layout"
    simulates: bool = True

    @property
    def given(self) -> str:
        """As ``--ground`` takes it."""
        return f"layout:{self.shape.name}"

    @property
    def name(self) -> str:
        """Never the distribution's own name."""
        return self.shape.shown

    @property
    def layout(self) -> str:
        """The layout's name."""
        return self.shape.name

    def ground(self, host: Ground) -> Ground:
        """Return the ground, not yet entered."""
        return LayoutGround(host.user, host.chosen, host=host, shape=self.shape)

    def about(self, user: LaunchUser, chosen: str = "") -> Mapping[str, str]:
        """Return what it is a replica of, over what, and what of it is not there; starts nothing."""
        with farm_root(user, chosen) as farms:
            refused = plan(rows_of(self.shape), str(farms), {}, host_mounts()).refused
        unknown = [row.path for row in self.shape.rows if row.kind == "unknown"]
        said = {
            "replica of": self.shape.title,
            "over": host_name(),
            "unverified": self.shape.unverified,
            "unknown": ", ".join(unknown),
            "not laid": "; ".join(f"{row.path}: {why}" for row, why in refused),
        }
        return {key: words for key, words in said.items() if words}
