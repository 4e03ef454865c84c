# SPDX-License-Identifier: MIT
"""The ground ``container:NAME``: the farm lies on this host and is mounted, the helper runs inside."""

from __future__ import annotations

import os
import posixpath
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Final, Self

from attrs import define, evolve, field

from boxproof.errors import GroundError
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.command import Command
from boxproof.grounds.connection import Connection
from boxproof.grounds.container.engine import Engine, Image
from boxproof.grounds.container.inside import is_own
from boxproof.grounds.container.launcher import ContainerLauncher
from boxproof.grounds.container.rows import LOOK, differing, marking, seen_rows, shaping
from boxproof.grounds.container.script import quoted
from boxproof.grounds.ground import Ground, Site, Starter
from boxproof.grounds.kit import Bundled, copied, packaged_bwrap, write_script
from boxproof.helpers.base import Helper
from boxproof.model.case import Case
from boxproof.model.layout import Layout
from boxproof.model.row import Row
from boxproof.model.topology import Topology

UID: Final = 1000
"""Who helpers run as where the caller is root: the user that the project's images have."""

_ASK_SECONDS: Final = 60.0
_PYTHON: Final = "python3 -I -S -c 'import sys; sys.exit(sys.version_info < (3, 9))' && command -v python3"


def container_user(user: LaunchUser) -> LaunchUser:
    """Return who runs helpers inside, where it would be `user` on this host: who keeps the caller's uid does so."""
    return user if user.uid == os.geteuid() else LaunchUser(UID, UID, "boxproof")


@define
class ContainerGround(Ground):
    """Where cases are run in a container.

    Args:
        engine: what runs it.
        image: what it is made of.
        shape: the layout that the image should have, where there is one.
    """

    engine: Engine = field(kw_only=True)
    image: Image = field(kw_only=True)
    shape: Layout | None = field(default=None, kw_only=True)
    _token: str = field(factory=lambda: f"t{secrets.token_hex(12)[1:]}", init=False)

    def __enter__(self) -> Self:
        """Make the folder for farms, and start the process that removes it should this one be killed."""
        super().__enter__()
        janitor = Connection(str(self.base))
        self._exits.callback(janitor.end)
        return self

    @property
    def layout(self) -> str:
        """The layout that the image is audited against."""
        return self.shape.name if self.shape is not None else ""

    @property
    def tokens(self) -> Mapping[str, str]:
        """The token that the bundle of certificates begins with here."""
        return {self._token: self.shape.bundle} if self.shape is not None else {}

    @contextmanager
    def site(self, topology: Topology) -> Iterator[Site]:
        """Hold the farm in a container that has the rows of `topology` above the farm.

        Raises:
            GroundError: where no container starts, or it cannot have these rows.
        """
        with super().site(topology) as site:
            own = self._arranged(topology.above)
            try:
                yield site
            finally:
                if own:
                    self._container.close()

    @property
    def mounts_apart(self) -> bool:
        """All farms are launched from one container."""
        return False

    def cannot(self, case: Case) -> str:
        """Return why no container can run a case, or ``""``."""
        if case.topology.mounts and os.geteuid() != 0:
            return "the farm has mounts, which only root can add to a container"
        if case.condition:
            return f"'{case.condition}' is simulated by this host's launcher, which does not start what runs inside"
        if case.process or case.swap:
            return "the container's engine stands between the helper and its caller"
        if case.topology.above and case.layout in {"", self.layout}:
            try:
                with self.site(case.topology):
                    pass
            except GroundError as error:
                return str(error)
        return super().cannot(case)

    def within_reach(self, helper: Helper, bundled: Bundled | None) -> Helper:
        """Return a helper as it is started inside: the image's own as it is, any other mounted at its own path.

        Raises:
            GroundError: where the bundled one finds no Python there.
        """
        if bundled is not None:
            return evolve(helper, path=str(self._bundled(bundled)))
        if not is_own(helper.path):
            self._show(helper.path)
        return helper

    def about(self) -> Mapping[str, str]:
        """Return what a report says of engine, image and what is in it."""
        said = self._ask(resources.files("boxproof.grounds.container").joinpath("facts.sh").read_text("ascii"))
        inside = dict(line.split(" ", 1) for line in said.splitlines() if " " in line)
        launcher = self._container
        return {
            "engine": f"{self.engine.name} {self.engine.version}",
            "flags": " ".join(launcher.flags),
            "forms": " ".join(sorted(launcher.forms & {"user-namespace", "fresh-proc", "nested"})),
            "uid": str(self.user.uid),
            "image": self.image.reference,
            "digest": self.image.digest,
            "base": self.image.base,
            "base-digest": self.image.base_digest,
            **inside,
        }

    @property
    def _container(self) -> ContainerLauncher:
        launcher = self._plain
        assert isinstance(launcher, ContainerLauncher)  # noqa: S101 - made below
        return launcher

    def _launcher(self, *, mounts: bool = False) -> Starter:
        del mounts
        return ContainerLauncher(self.engine, self.image, self.user, self.base)

    def _arranged(self, rows: Sequence[Row]) -> bool:
        """Give the bundle its token, and the container those of `rows` that its image does not have.

        Returns:
            Whether there were such rows: the container is then another than its image says.

        Raises:
            GroundError: for a row that no script can make.
        """
        if not rows or self.shape is None:
            return False
        paths = [row.path for row in rows]
        said = self._container.arrange(f"set -- {' '.join(map(quoted, paths))}\n{LOOK}").stdout
        own = differing(rows, seen_rows(paths, said.decode("utf-8", "surrogateescape")))
        if wrong := [row for row in own if row.kind not in {"link", "absent"}]:
            raise GroundError(f"'{wrong[0].path}' in '{self.image.reference}' is not as the case needs it")
        done = self._container.arrange(marking(self.shape.bundle, self._token) + shaping(own))
        if done.status != 0:
            raise GroundError(f"'{self.image.reference}' cannot be given the case's rows", cause=repr(done.stderr))
        return bool(own)

    def _show(self, path: str) -> None:
        """Have the helper's folder mounted; what it comes with lies beside it, or beside the ``bin`` that it is in."""
        for folder in dict.fromkeys(map(posixpath.dirname, (path, os.path.realpath(path)))):
            above = posixpath.dirname(folder)
            whole = posixpath.basename(folder) == "bin" and above not in {"/", "/usr/local"}
            self._container.show(above if whole else folder)

    def _bundled(self, bundled: Bundled) -> Path:
        """Copy the bundled helpers and have the image's own Python compile them, as the launch user."""
        python = self._ask(_PYTHON).strip()
        if not python:
            raise GroundError(f"'{self.image.reference}' has no Python 3.9 for the bundled helper", cure="install it")
        folder = self.kit / "inside"
        if not folder.is_dir():
            folder.mkdir()
            self._compile(python, copied(bundled, folder))
        bwrap = self._ask("command -v bwrap").strip() or str(packaged_bwrap(self.kit))
        return write_script(folder, bundled, python, bwrap)

    def _compile(self, python: str, copy: Path) -> None:
        """Compile what is copied as the launch user, to whom the folders belong meanwhile."""
        folders = [Path(folder) for folder, _, _ in os.walk(copy)]
        for folder in folders:
            os.chown(folder, self.user.uid, self.user.gid)
        self._ask(f"exec {python} -I -S -m compileall -q {copy}")
        for folder in folders:
            os.chown(folder, os.geteuid(), os.getegid())

    def _ask(self, script: str) -> str:
        with self.site(Topology(())) as site:
            done = site.launch(Command(["/bin/sh", "-c", script], deadline=_ASK_SECONDS))
        return done.stdout.decode("utf-8", "replace")
