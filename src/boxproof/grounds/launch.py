# SPDX-License-Identifier: MIT
"""The engine's side of the launcher: start it, have it start helpers, survive its loss."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from boxproof.errors import GroundError
from boxproof.grounds.accounts import LaunchUser, account_files
from boxproof.grounds.command import Command, start_request
from boxproof.grounds.connection import CLOSE_SECONDS, Connection
from boxproof.grounds.given import PLAIN, Attendance
from boxproof.grounds.launched import Launch, LauncherLost, launched
from boxproof.grounds.overlay import UPPER_FD
from boxproof.grounds.resident import Resident
from boxproof.grounds.sweep import COOKIE, sweep
from boxproof.grounds.wire import JSON, to_wire

__all__ = ["Launch", "Launcher", "LauncherLost"]

_SHELL: Final = "/bin/sh"
_MARGIN_SECONDS: Final = 15.0
"""What the launcher may need beyond deadline and grace, to kill and collect what does not want to end."""


class Launcher:
    """Starts helpers as `user`, one at a time, from a process of its own; a context manager.

    Start it from a thread that lives as long: the launcher ends with that thread (``PR_SET_PDEATHSIG``).

    Args:
        user: who helpers run as; another than the caller takes root.
        mounts: whether `mount` will be asked for, which takes an ordinary user's launcher a user namespace.
        folder: what the launcher is to remove should the engine be killed, or ``""``.
        tmp: an existing folder that launches see as ``/tmp`` where the launcher has a mount namespace, or ``""``.
        layout: what `boxproof.grounds.overlay.lay` is to make of the root, or nothing; takes `mounts`.
        join: a process whose mount namespace is joined instead of a new one; takes root.
    """

    def __init__(  # noqa: PLR0913 - all but the user are keywords
        self,
        user: LaunchUser,
        *,
        mounts: bool = False,
        folder: str = "",
        tmp: str = "",
        layout: JSON | None = None,
        join: int = 0,
    ) -> None:
        self._user = user
        self._mounts = mounts
        self._folder = folder
        self._tmp = tmp
        self._layout = layout
        self._join = join
        self._cookie = secrets.token_hex(16)
        self._mounted: list[str] = []
        self._connection: Connection | None = None
        self._resident: Resident | None = None
        self._session = 0
        self._temp = (0, 0)
        self._no_mounts = ""

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close."""
        self.close()

    @property
    def root(self) -> Path:
        """The root folder as the launcher sees it, with the farm's mounts in place.

        An absolute link on the way below it leads into the host, as always with /proc/PID/root (proc(5)).
        """
        return Path(f"/proc/{self._open().pid}/root")

    @property
    def upper(self) -> Path:
        """The folder that holds all that was written to a layout's overlay."""
        return Path(f"/proc/{self._open().pid}/fd/{UPPER_FD}")

    @property
    def runs(self) -> bool:
        """Whether the launcher runs, as far as it has been asked anything."""
        return self._connection is not None

    def start(self) -> None:
        """Start the launcher, for the first time or anew after its loss; nothing to do while it runs.

        It is started anew too where a helper took away the folder that launches see as ``/tmp``.

        As root it enters a mount namespace in which the account files know `user`, where this host allows that.

        Raises:
            GroundError: where the interpreter does not start, or the host allows no mounts but `mounts` were asked for.
        """
        if self._connection is not None and (self._mounted or self._temp == self._find_temp()):
            return
        self.close()
        self._mounted.clear()
        self._session = 0
        self._temp = self._find_temp()
        try:
            self._connection = Connection(self._folder)
            self._no_mounts = self._ask(self._first_request())
        except (OSError, LauncherLost) as lost:
            raise GroundError("the launcher does not start", cause=str(lost)) from lost
        except BaseException:
            self.close()
            raise
        if self._no_mounts and self._mounts:
            self.close()
            raise self._no_mounts_error()

    def launch(self, command: Command, started: Callable[[int], None] = lambda _: None) -> Launch:
        """Run a helper to its end in a session of its own, and end whatever it leaves.

        Args:
            command: to its environment the launcher's cookie is added.
            started: called with the helper's process number while it runs.

        Raises:
            LauncherLost: where the launcher did not survive the helper.
        """
        start = self._start_of(command.argv, command.env, command.cwd, command.executable)
        request = {"do": "launch", **start, **command.request()}
        try:
            with command.attendance.around():
                self._session = self._exchange(request, command.stdin or b"")[0]["started"]
                started(self._session)
                return self._attend(command.attendance, command.deadline + command.grace + _MARGIN_SECONDS)
        except BaseException:  # Ctrl-C above all: the launcher ends what it runs when its socket closes
            self.close()
            raise

    def ask(self, command: str, *, script: str, env: Mapping[str, str], seconds: float) -> Launch:
        """Have a shell run a command that has read `script` and stays for the next call; see `Resident`.

        Args:
            command: in POSIX sh; leaves the shell itself as it was.
            script: what the shell reads first; the same each time.
            env: its environment; where it is another one, so is the shell.
            seconds: what the command is given.

        Raises:
            LauncherLost: where the launcher has gone.
        """
        if self._resident is None or self._resident.env != env or not self._resident.runs:
            self._dismiss()
            self._resident = self._stay(script, env)
        launch = self._resident.run(command, seconds)
        if launch.status is None:
            self._dismiss()
            self._ask({"do": "dismiss"})
        return launch

    def _stay(self, script: str, env: Mapping[str, str]) -> Resident:
        request = {"do": "stay", **self._start_of([_SHELL], env, "/"), "given": PLAIN.request()}
        try:
            pid, stdin, stdout = self._open().hire(request, _MARGIN_SECONDS)
        except (EOFError, OSError) as error:
            raise self._lost(error) from error
        return Resident(pid, stdin, stdout, script, env)

    def _dismiss(self) -> None:
        resident, self._resident = self._resident, None
        if resident is not None:
            resident.close()

    def _start_of(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, executable: str = "") -> JSON:
        start = start_request(argv, {**env, COOKIE: self._cookie}, cwd, executable)
        return {**start, "uid": self._user.uid, "gid": self._user.gid}

    def _attend(self, attendance: Attendance, seconds: float) -> Launch:
        """Wait for the end, and for the command to wait before that."""
        reply = self._receive(seconds)
        if "cued" in reply[0]:
            attendance.during()
            self._open().send({"do": "go on"})
            reply = self._receive(seconds)
        return launched(*reply)

    def mount(self, path: str, of: str = "") -> None:
        """Mount an empty tmpfs at `path`, or the folder `of` once more, for the launcher and what it starts.

        Raises:
            GroundError: where the kernel refuses.
            LauncherLost: where the launcher has gone.
        """
        if self._no_mounts or not (self._mounts or os.geteuid() == 0):  # they would be the host's
            raise self._no_mounts_error()
        request = {"do": "mount", "path": to_wire(path), "of": to_wire(of)}
        error = self._ask({**request, "uid": self._user.uid, "gid": self._user.gid})
        if error:
            raise GroundError(f"cannot mount at '{path}'", cause=error)
        self._mounted.append(path)

    def unmount_all(self) -> None:
        """Take away what `mount` mounted, the last one first; a launcher that has gone took its namespace with it.

        Raises:
            GroundError: where the kernel refuses.
            LauncherLost: where the launcher has gone.
        """
        if self._connection is None:
            self._mounted.clear()
        while self._mounted:
            path = self._mounted.pop()
            if error := self._ask({"do": "unmount", "path": to_wire(path)}):
                raise GroundError(f"cannot unmount '{path}'", cause=error)

    def close(self) -> None:
        """End the launcher and everything that it started; nothing to do where it does not run."""
        self._dismiss()
        if self._connection is not None:
            connection, self._connection = self._connection, None
            if connection.end(self._sweep):
                self._sweep()

    def _first_request(self) -> JSON:
        if self._join:
            return {"do": "join", "pid": self._join}
        root = os.geteuid() == 0
        if not root and not self._mounts:
            return {"do": "ping"}
        files = account_files(self._user) if root else {}
        return {
            "do": "enter",
            "user_namespace": not root,
            "files": {to_wire(path): to_wire(content) for path, content in files.items()},
            "tmp": to_wire(self._tmp),
            "layout": self._layout,
        }

    def _sweep(self) -> None:
        sweep(self._cookie, self._session)

    def _find_temp(self) -> tuple[int, int]:
        """Return what the temp folder is now, whatever path leads to it."""
        if not self._tmp or not os.path.lexists(self._tmp):
            return 0, 0
        facts = os.lstat(self._tmp)
        return facts.st_dev, facts.st_ino

    def _no_mounts_error(self) -> GroundError:
        cause = self._no_mounts or "this launcher has no mount namespace"
        return GroundError(
            "this host allows no mounts for the farm", cause=cause, cure="allow user namespaces, or run as root"
        )

    def _ask(self, request: JSON) -> str:
        return str(self._exchange(request)[0]["error"])

    def _exchange(self, request: JSON, body: bytes = b"") -> tuple[JSON, bytes]:
        try:
            self._open().send(request, body)
        except OSError as error:
            raise self._lost(error) from error
        return self._receive(_MARGIN_SECONDS)

    def _receive(self, seconds: float) -> tuple[JSON, bytes]:
        try:
            return self._open().receive(seconds)
        except (EOFError, OSError) as error:
            raise self._lost(error) from error

    def _open(self) -> Connection:
        if self._connection is None:
            raise LauncherLost("the launcher does not run")
        return self._connection

    def _lost(self, error: Exception) -> LauncherLost:
        connection, self._connection = self._open(), None
        self._dismiss()
        hangs = isinstance(error, TimeoutError)
        fault = connection.end(self._sweep, patience=0 if hangs else CLOSE_SECONDS)
        self._sweep()
        return LauncherLost("the launcher was lost", cause="it stopped answering" if hangs else fault)
