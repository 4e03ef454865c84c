# SPDX-License-Identifier: MIT
"""What ``--ground`` names: a place where cases can be run, before anything of it is started."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from attrs import frozen

from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.ground import Ground
from boxproof.model.result import Evidence


class Place(Protocol):
    """One kind of ground with its argument; finding one starts nothing and costs nothing.

    Args:
        given: as ``--ground`` takes it, such as ``layout:el9``.
        name: as ids and reports show it, such as ``el9-layout``; lower-case ASCII.
        evidence: what a verdict found there stands on.
        simulates: whether the host can be made to lack something there.
        layout: the distribution layout that paths above the farm have there, or ``""`` for a machine as it is.
    """

    @property
    def given(self) -> str: ...  # noqa: D102 - documented above
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def evidence(self) -> Evidence: ...  # noqa: D102
    @property
    def simulates(self) -> bool: ...  # noqa: D102
    @property
    def layout(self) -> str: ...  # noqa: D102

    def ground(self, host: Ground) -> Ground:
        """Return the ground, not yet entered.

        What it cannot run it says by `Ground.cannot`, also where it cannot be started at all: then nothing is run.

        Args:
            host: the ground ``host``, entered, whose folder for farms and whose kit are to be used.
        """

    def about(self, user: LaunchUser, chosen: str = "") -> Mapping[str, str]:
        """Return what a report says of it beside its name, by short keys; whatever this starts is ended by it too.

        Args:
            user: who launches run as.
            chosen: the user's folder for farms, or ``""``.
        """


@frozen
class HostPlace:
    """This machine as it is."""

    given: str = "host"
    name: str = "host"
    evidence: Evidence = "host"
    simulates: bool = True
    layout: str = ""

    def ground(self, host: Ground) -> Ground:
        """Return what is entered already."""
        return host

    def about(self, user: LaunchUser, chosen: str = "") -> Mapping[str, str]:
        """Return nothing: a report has a part of its own for the host."""
        del user, chosen
        return {}


HOST: Final = HostPlace()
