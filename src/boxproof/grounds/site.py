# SPDX-License-Identifier: MIT
"""A farm with the launcher that sees it, which is where a command is started."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from attrs import evolve, frozen

from boxproof.farm import Farm
from boxproof.grounds.command import Command
from boxproof.grounds.launched import Launch
from boxproof.grounds.simulated import Simulated
from boxproof.probe.command import script

PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""What helpers find on PATH: the same whatever environment the suite itself was installed in."""


class Starter(Protocol):
    """Whatever starts helpers: `Launcher` on this host, another in a container."""

    @property
    def root(self) -> Path:
        """The root folder as launches see it."""

    def start(self) -> None:
        """Start; nothing to do while it runs."""

    def launch(self, command: Command) -> Launch:
        """Run a helper to its end, and end whatever it leaves."""

    def ask(self, command: str, *, script: str, env: Mapping[str, str], seconds: float) -> Launch | None:
        """Have a shell that stays, and has read `script`, run a command; none where no shell can."""

    def mount(self, path: str, of: str = "") -> None:
        """Mount an empty tmpfs at `path`, or the folder `of` once more."""

    def unmount_all(self) -> None:
        """Take away what `mount` mounted."""

    def close(self) -> None:
        """End everything that was started."""


@frozen
class Site:
    """A farm and the launcher that sees its mounts."""

    farm: Farm
    launcher: Starter

    @property
    def env(self) -> Mapping[str, str]:
        """The environment of every launch."""
        return {"PATH": PATH, "HOME": self.farm.area("home"), "TMPDIR": self.farm.area("tmp"), "LANG": "C.UTF-8"}

    def launch(self, command: Command, simulated: Simulated | None = None) -> Launch:
        """Start a command in the farm and wait for its end, under a condition where one is given.

        Args:
            command: its environment is added to that of every launch.
            simulated: the condition, in the place of the command's own.

        Raises:
            LauncherLost: where the launcher did not survive it.
        """
        self.launcher.start()
        env = {**(simulated.env if simulated else self.env), **command.env}
        condition = simulated.request if simulated else command.condition
        return self.launcher.launch(evolve(command, env=env, condition=condition))

    def ask(self, command: str, seconds: float) -> Launch | None:
        """Have a shell that has read the probe's script run a command, in no sandbox; none where no shell stays.

        Raises:
            LauncherLost: where the launcher has gone.
        """
        self.launcher.start()
        return self.launcher.ask(command, script=script(), env=self.env, seconds=seconds)


@frozen
class Mounts:
    """The launcher's mounts as a farm asks for them."""

    launcher: Starter

    @property
    def root(self) -> str:
        """The path under which they are seen from here."""
        return str(self.launcher.root)

    def mount_tmpfs(self, path: str) -> None:
        """Mount an empty tmpfs."""
        self.launcher.mount(path)

    def mount_bind(self, of: str, path: str) -> None:
        """Mount a folder once more."""
        self.launcher.mount(path, of)

    def unmount_all(self) -> None:
        """Take all of them away."""
        self.launcher.unmount_all()
