# SPDX-License-Identifier: MIT
"""The engine's side of a container: start it with the fewest flags that do, have it start helpers, survive its loss."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from itertools import product
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from attrs import define, field

from boxproof.errors import GroundError
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.command import Command
from boxproof.grounds.container.engine import QUIRKS, Engine, Image
from boxproof.grounds.container.running import Running
from boxproof.grounds.container.script import launch_script
from boxproof.grounds.container.talk import FIFOS, Talk
from boxproof.grounds.launch import Launch, Launcher, LauncherLost
from boxproof.grounds.site import PATH

LABEL: Final = "boxproof.run"
"""The label of every container of this suite; its value is the run's own."""

_SCRIPTS: Final = ("serve.sh", "keep.sh")
_READY_SECONDS: Final = 60.0
_FORMS_SECONDS: Final = 30.0
_ARRANGE_SECONDS: Final = 30.0
_ENV: Final = {"PATH": PATH}
_SELF: Final = "/proc/self/"
_FIRST: Final = "/proc/1/"


@define(eq=False)
class ContainerLauncher:
    """Starts helpers as `user`, one at a time, in one container; a context manager.

    Args:
        engine: what runs containers.
        image: what the container is made of.
        user: who helpers run as, by the same number inside and outside.
        base: the folder for farms, seen inside at its own path; ``tmp`` in it is seen as ``/tmp`` too.
        shown: folders that are seen inside at their own paths, read-only; `show` adds to them.
    """

    engine: Engine
    image: Image
    user: LaunchUser
    base: Path
    shown: tuple[str, ...] = ()
    flags: tuple[str, ...] = field(default=(), init=False)
    forms: frozenset[str] = field(default=frozenset(), init=False)
    _label: str = field(factory=lambda: f"{LABEL}={secrets.token_hex(8)}", init=False)
    _talk: Talk | None = field(default=None, init=False)
    _way: tuple[tuple[str, ...], tuple[str, ...]] | None = field(default=None, init=False)
    _mounter: Launcher | None = field(default=None, init=False)
    _refused: GroundError | None = field(default=None, init=False)

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()

    @property
    def root(self) -> Path:
        """The root folder as launches see it, with the farm's mounts in place; for root only.

        Raises:
            GroundError: for an ordinary user.
        """
        return self._outside().root

    def start(self) -> None:
        """Start the container, for the first time or anew after its loss; nothing to do while it runs.

        Raises:
            GroundError: where the engine starts none, or nothing in it could confine anything.
        """
        if self._refused is not None:
            raise self._refused
        if self._talk is None:
            self._prepare()
            if self._way is None:
                self._find_way()
            else:
                self._start(*self._way)

    def show(self, folder: str) -> None:
        """Have the container see one more folder; one that runs is ended, since it cannot take a mount any more."""
        if folder not in self.shown:
            self.close()
            self.shown = (*self.shown, folder)

    def launch(self, command: Command, started: Callable[[int], None] = lambda _: None) -> Launch:
        """Run a helper to its end in a session of its own, and end whatever it leaves; as `Launcher.launch`.

        A death by SIGINT or SIGPIPE shows as the status that a shell makes of it. `started` gets the number that the
        process has inside.

        Raises:
            GroundError: for what no shell can start.
            LauncherLost: where the container did not survive the helper.
        """
        self._write(command, self._drop)
        return self._run(command, started)

    def ask(self, command: str, *, script: str, env: Mapping[str, str], seconds: float) -> None:
        """Return nothing: no shell stays in a container."""

    def arrange(self, script: str) -> Launch:
        """Run a script as the container's own root.

        Raises:
            LauncherLost: where the container has gone.
        """
        command = Command(["/bin/sh", "-c", script], env=_ENV, deadline=_ARRANGE_SECONDS)
        self._write(command, ())
        return self._run(command)

    def mount(self, path: str, of: str = "") -> None:
        """Mount an empty tmpfs at `path`, or the folder `of` once more, from outside: inside nobody may.

        Raises:
            GroundError: for an ordinary user, or where the kernel refuses.
            LauncherLost: where the container has gone.
        """
        # who mounts is no process of the container, so its /proc has no `self` for him
        self._outside().mount(path, of.replace(_SELF, _FIRST, 1) if of.startswith(_SELF) else of)

    def unmount_all(self) -> None:
        """Take away what `mount` mounted, the last one first."""
        if self._mounter is not None:
            self._mounter.unmount_all()

    def close(self) -> None:
        """End the container and everything in it; nothing to do where it does not run."""
        self._leave()
        if self._talk is not None:
            talk, self._talk = self._talk, None
            try:
                talk.end()
            except TimeoutError:
                self.engine.remove(self._label)

    def _outside(self) -> Launcher:
        """Return a process of this host in the container's mount namespace, which mounts there as the host's root."""
        if os.geteuid() != 0:
            raise GroundError(
                "this container takes no mounts for the farm", cause="only root can add one", cure="run as root"
            )
        if self._mounter is None:
            self._open()
            self._mounter = Launcher(self.user, join=self.engine.pid(self._label))
            self._mounter.start()
        return self._mounter

    def _leave(self) -> None:
        if self._mounter is not None:
            self._mounter.close()
        self._mounter = None

    def _write(self, command: Command, drop: Sequence[str]) -> None:
        """Write what the first process is to execute."""
        (self._control / "launch").write_bytes(launch_script(command, drop))

    def _run(self, command: Command, started: Callable[[int], None] = lambda _: None) -> Launch:
        """Have the first process execute what was written."""
        signals = sorted(command.attendance.signals)
        running = Running(self._open(), self._control, command.bound, command.stdin, signals, started)
        try:
            return running.finish(command.deadline, command.grace)
        except (EOFError, OSError) as error:
            raise self._lost(error) from error
        except BaseException:  # Ctrl-C above all: the container ends, and with it what it runs
            self.close()
            raise
        finally:
            running.close()

    @property
    def _control(self) -> Path:
        return self.base / "control"

    @property
    def _drop(self) -> tuple[str, ...]:
        """The command that takes the launch user's identity; setpriv(1) drops every capability on that way."""
        if self.user.uid == 0:
            return ()
        return ("setpriv", f"--reuid={self.user.uid}", f"--regid={self.user.gid}", "--clear-groups", "--inh-caps=-all")

    def _prepare(self) -> None:
        """Make the control folder anew, closed to the launch user where that is another than the caller."""
        shutil.rmtree(self._control, ignore_errors=True)
        self._control.mkdir(mode=0o700)
        for name in _SCRIPTS:
            text = resources.files("boxproof.grounds.container").joinpath(name).read_bytes()
            (self._control / name).write_bytes(text)
        for name in FIFOS:
            os.mkfifo(self._control / name, 0o600)

    def _find_way(self) -> None:
        """Try what the host may need and the fewest flags first; keep the first under which a sandbox can start."""
        reasons: list[GroundError] = []
        started = False
        for way in product(QUIRKS[self.engine.name], self.engine.flags):
            try:
                self._start(*way)
            except GroundError as error:
                reasons.append(error)
                continue
            self.forms = self._ask_forms()
            if "fresh-proc" in self.forms:
                self._way, self.flags = way, way[1]
                return
            started = True
            self.close()
            self._prepare()
        self._refused = _no_sandbox(self.engine) if started else reasons[-1]
        raise self._refused

    def _start(self, quirks: tuple[str, ...], flags: tuple[str, ...]) -> None:
        talk = Talk(self._command(quirks, flags), self._control)
        try:
            talk.wait_for("ready", _READY_SECONDS)
            talk.keep("look")
            talk.wait_for("looked", _READY_SECONDS)
        except (EOFError, OSError) as error:
            said = talk.end()
            raise GroundError(
                f"{self.engine.name} starts no container of '{self.image.reference}'", cause=said or str(error)
            ) from error
        except BaseException:
            talk.end()
            raise
        self._talk = talk

    def _command(self, quirks: Sequence[str], flags: Sequence[str]) -> list[str]:
        return [
            *(self.engine.program, "run", "--rm", "--interactive", "--pull=never", "--log-driver=none"),
            *(
                "--label",
                self._label,
                "--network=none",
                "--init=false",
                "--stop-timeout=0",
                "--user=0:0",
                "--workdir=/",
                "--entrypoint=sh",
            ),
            *self.engine.identity(),
            *quirks,
            *(word for flag in flags for word in ("--security-opt", flag)),
            *(word for folder in self.shown for word in ("--volume", f"{folder}:{folder}:ro")),
            *("--volume", f"{self.base}:{self.base}"),
            *("--volume", f"{self.base}/tmp:/tmp"),  # noqa: S108 - what helpers use whatever TMPDIR says
            self.image.reference,
            *(f"{self._control}/serve.sh", str(self._control), str(self.user.uid), str(self.user.gid)),
        ]

    def _ask_forms(self) -> frozenset[str]:
        text = resources.files("boxproof.grounds.container").joinpath("forms.sh").read_text("ascii")
        done = self.launch(Command(["/bin/sh", "-c", text], env=_ENV, deadline=_FORMS_SECONDS))
        return frozenset(done.stdout.decode("ascii", "replace").split())

    def _open(self) -> Talk:
        if self._talk is None:
            raise LauncherLost("the container does not run")
        return self._talk

    def _lost(self, error: Exception) -> LauncherLost:
        self._leave()
        talk, self._talk = self._open(), None
        try:
            said = talk.end()
        except TimeoutError:
            said = "it stopped answering"
            self.engine.remove(self._label)
        return LauncherLost("the container was lost", cause=said or str(error) or "it ended")


def _no_sandbox(engine: Engine) -> GroundError:
    return GroundError(
        f"no sandbox can start in a container of {engine.name}",
        cause="inside, a user namespace with a /proc of its own is refused under all flags that are tried",
        cure="look at kernel.apparmor_restrict_unprivileged_userns and user.max_user_namespaces of this host",
    )
