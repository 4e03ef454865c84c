# SPDX-License-Identifier: MIT
"""The ground ``layout:NAME``: a distribution's names, kinds and link texts, laid over this host at the real paths.

It shows neither that distribution's kernel nor its packages, so it is called ``NAME-layout``, and its evidence counts
apart from that of hosts and images. The launcher lives in it: entering costs once, a launch no more than elsewhere.
"""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self
from urllib.parse import unquote

from attrs import define, field

from boxproof.errors import GroundError
from boxproof.farm import Farm
from boxproof.grounds.ground import Ground, Site
from boxproof.grounds.host import remake_root
from boxproof.grounds.launch import Launcher
from boxproof.grounds.laying import Plan, plan, unlike
from boxproof.grounds.overlay import mount_points
from boxproof.grounds.wire import JSON, to_wire
from boxproof.model.case import Case
from boxproof.model.layout import Layout
from boxproof.model.row import Row
from boxproof.model.topology import Topology
from boxproof.snapshot import Node, Snapshot, take

RELEASE: Final = "/usr/lib/os-release"
_SCRATCH: Final = "layout"
"""An empty folder beside the farm, which the launcher covers while it lays a layout."""
_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/var/lib/ca-certificates/ca-bundle.pem",
    "/etc/ca-certificates/extracted/tls-ca-bundle.pem",
)
"""Where hosts have certificates: a helper that reads the bundle finds real ones in it."""


@define
class LayoutGround(Ground):
    """A launcher whose root is this host's under a layout.

    Args:
        host: the ground whose folder for farms and kit are used.
        shape: the layout.
    """

    host: Ground = field(kw_only=True)
    shape: Layout = field(kw_only=True)
    _token: str = field(factory=lambda: f"t{secrets.token_hex(12)[1:]}", init=False)
    _launcher_of_layout: Launcher | None = field(default=None, init=False)
    _stands_on: tuple[int, int] = field(default=(0, 0), init=False)

    def __enter__(self) -> Self:
        """Take the host's folder for farms; nothing is laid before it is needed."""
        self.base = self.host.base
        self._exits.callback(self._let_go)
        self._exits.callback(self._end)
        return self

    @property
    def layout(self) -> str:
        """The layout's name."""
        return self.shape.name

    @property
    def kit(self) -> Path:
        """The host's."""
        return self.host.kit

    @property
    def mounts_apart(self) -> bool:
        """Whether farms with mounts are launched from another namespace than the rest: all are from one here."""
        return False

    @property
    def tokens(self) -> Mapping[str, str]:
        """The token in the bundle of certificates."""
        return MappingProxyType({self._token: self.shape.bundle})

    @cached_property
    def comparisons(self) -> Sequence[Ground]:
        """The host, and a layout that changes no path."""
        bare = LayoutGround(self.user, self.chosen, host=self.host, shape=Layout("bare", "no path changed", "", ()))
        return self.host, self._exits.enter_context(bare)

    @contextmanager
    def site(self, topology: Topology) -> Iterator[Site]:
        """Hold the farm below the layout, with the rows of `topology` over those of the layout.

        Raises:
            GroundError: where this host allows no overlay, or a row is not as it should be.
        """
        own = tuple(self._own(topology.above))
        launcher = self._laid(own) if own else self._shared()
        try:
            self._start(launcher)
            if wrong := unlike(str(launcher.root), topology.above):
                raise GroundError(f"the layout '{self.layout}' is not as the case needs it", cause=wrong)
            with self._site(launcher, lambda: _written(launcher)) as site:
                yield site
        finally:
            if own or _is_used(launcher):
                launcher.close()

    def cannot(self, case: Case) -> str:
        """Return why a case cannot be run here, or ``""``."""
        if case.layout not in {"", self.layout}:
            return super().cannot(case)
        refused = {row.path: why for row, why in self._plan(tuple(self._own(case.topology.above))).refused}
        for row in case.topology.above:
            if why := refused.get(row.path):
                return f"'{row.path}' cannot be laid over this host: {why}"
        return self.unable or super().cannot(case)

    def _own(self, rows: Sequence[Row]) -> Iterator[Row]:
        """Iterate over the rows of a case that neither the layout nor the host has."""
        for row in rows:
            known = self.shape.by_path.get(row.path)
            if bool(unlike("", [row])) if known is None else (known.kind, known.text) != (row.kind, row.text):
                yield row

    @cached_property
    def _compiled(self) -> Path | None:
        return self.host._compiled  # noqa: SLF001 - compiled once for all grounds

    @cached_property
    def unable(self) -> str:
        """Why this host allows no layout, or ``""``."""
        try:
            self._start(self._shared())
        except GroundError as error:
            return f"no layout can be laid: {error.cause or error.what}"
        return ""

    def _shared(self) -> Launcher:
        """Return the launcher in the layout as it is, begun anew where the folder for farms is another one now."""
        remake_root(self.base, self.user)
        facts = os.lstat(self.base)
        if self._stands_on != (facts.st_dev, facts.st_ino):
            self._end()
            self._stands_on = (facts.st_dev, facts.st_ino)
        if self._launcher_of_layout is None:
            self._launcher_of_layout = self._laid(())
        return self._launcher_of_layout

    def _start(self, launcher: Launcher) -> None:
        """Start a launcher, with the folders that it mounts on or from in place."""
        if not launcher.runs:
            remake_root(self.base, self.user)
            Farm(self.base, self.user.uid, self.user.gid).make_areas()
            (self.base / _SCRATCH).mkdir(mode=0o700, exist_ok=True)
            launcher.start()

    def _end(self) -> None:
        if self._launcher_of_layout is not None:
            self._launcher_of_layout.close()
        self._launcher_of_layout = None

    def _laid(self, own: Sequence[Row]) -> Launcher:
        layout = _as_json(self._plan(own), f"{self.base}/{_SCRATCH}", str(self.base))
        return Launcher(self.user, mounts=True, folder=str(self.base), tmp=str(self.base / "tmp"), layout=layout)

    @cached_property
    def _whole(self) -> Plan:
        return self._planned(())

    def _plan(self, own: Sequence[Row]) -> Plan:
        return self._planned(own) if own else self._whole

    def _planned(self, own: Sequence[Row]) -> Plan:
        contents = {RELEASE: _release(self.shape), self.shape.bundle: f"{self._token}\n".encode() + _certificates()}
        return plan(rows_of(self.shape, own), str(self.base), contents, host_mounts())


def rows_of(shape: Layout, own: Sequence[Row] = ()) -> Iterator[Row]:
    """Iterate over the rows of a layout, those of a case in their place, and the file that names the replica."""
    rows = {**shape.by_path, **{row.path: row for row in own}}
    rows[RELEASE] = Row(RELEASE, "file")
    return (rows[path] for path in sorted(rows))


def _as_json(laid: Plan, scratch: str, base: str) -> JSON:
    return {
        "scratch": to_wire(scratch),
        "steps": [(kind, to_wire(path), mode, to_wire(data)) for kind, path, mode, data in laid.steps],
        "binds": [(to_wire(source), to_wire(target)) for source, target in (*laid.moved, (base, base))],
    }


def _written(launcher: Launcher) -> Snapshot:
    """Return what launches have written outside of all mounts, by absolute path; nothing in the usual case."""
    upper, written = str(launcher.upper), dict[str, Node]()
    for name in os.listdir(upper):
        # each is named by the quoted path of the folder that it lies over
        written |= take(unquote(name).rstrip("/"), f"{upper}/{name}", sorted(os.listdir(f"{upper}/{name}")))
    return written


def _is_used(launcher: Launcher) -> bool:
    """Tell whether a launcher that runs cannot be taken for the next case: written to, or lost without notice."""
    try:
        return launcher.runs and bool(_written(launcher))
    except OSError:
        return True


def _release(shape: Layout) -> bytes:
    """Return os-release(5) for a layout: nobody is to take it for the distribution."""
    pretty = f"{shape.shown}, a replica of names and links over {host_name()}"
    return f'NAME="{shape.shown}"\nID=boxproof-layout\nPRETTY_NAME="{pretty}"\n'.encode()


def host_name() -> str:
    """Return what this host calls itself."""
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:
        return "unknown"


def _certificates() -> bytes:
    return next((Path(path).read_bytes() for path in _BUNDLES if Path(path).is_file()), b"")


def host_mounts() -> tuple[str, ...]:
    """Return what is mounted on this host below the root, and below no other such point."""
    return tuple(map(os.fsdecode, mount_points()))
