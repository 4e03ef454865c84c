# SPDX-License-Identifier: MIT
"""The ground ``host``: this machine as it is, with a folder for farms and launchers that start helpers on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from attrs import define, evolve, field

from boxproof.errors import GroundError
from boxproof.farm import Farm
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.host import farm_root, remake_root
from boxproof.grounds.kit import Bundled, bundled_kit
from boxproof.grounds.launch import Launcher
from boxproof.grounds.site import PATH, Mounts, Site, Starter
from boxproof.helpers.base import Helper
from boxproof.model.case import Case
from boxproof.model.process import CONTACTS
from boxproof.model.topology import Dir, Entry, File, Topology
from boxproof.probe.command import compile_probe, compiled_command, shell_command, standing_command
from boxproof.snapshot import Snapshot

__all__ = ["COMPILED_ONLY", "PATH", "Ground", "Site", "Starter"]

COMPILED_ONLY: Final = frozenset({"exchange", "connect"}) | CONTACTS
"""Operations that a shell cannot do."""


_OWNER: Final = {Dir: 0o700, File: 0o600}


def _is_closed(entry: Entry) -> bool:
    """Tell whether a mode keeps the owner out of something."""
    return isinstance(entry, Dir | File) and entry.mode & _OWNER[type(entry)] != _OWNER[type(entry)]


@define
class Ground:
    """Where cases are run: use it as a context manager, so that nothing of it stays.

    Args:
        user: who launches run as.
        chosen: a folder that the user chose for farms, or ``""`` for one that is found.
    """

    user: LaunchUser
    chosen: str = ""
    base: Path = field(default=Path("/"), init=False)
    _held: int = field(default=-1, init=False)
    _crew: list[Starter] = field(factory=list, init=False)
    _exits: ExitStack = field(factory=ExitStack, init=False)

    def __enter__(self) -> Self:
        """Make the folder for farms."""
        self.base = self._exits.enter_context(farm_root(self.user, self.chosen))
        self._exits.callback(self._let_go)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the launchers and remove the folder."""
        self._exits.close()

    @property
    def layout(self) -> str:
        """The name of the distribution layout that paths above the farm have here, or ``""``."""
        return ""

    @property
    def tokens(self) -> Mapping[str, str]:
        """The tokens that files above the farm hold here, and the canonical paths of these files."""
        return {}

    @property
    def comparisons(self) -> Sequence[Ground]:
        """Grounds that differ from this one in one thing each, for a helper that does not start on this one at all."""
        return ()

    @property
    def farm_path(self) -> str:
        """The absolute path of the farm of every case."""
        return f"{self.base}/farm"

    @property
    def kit(self) -> Path:
        """A folder of ours that launches can read and execute from, and that no case touches."""
        folder = self.base / "kit"
        folder.mkdir(mode=0o755, exist_ok=True)
        return folder

    @contextmanager
    def site(self, topology: Topology) -> Iterator[Site]:
        """Hold the farm, with a launcher that can mount where `topology` has mounts; clear it afterwards.

        Raises:
            GroundError: where this host allows no mounts.
        """
        launcher = self._mounting if topology.mounts else self._plain
        with self._site(launcher, dict) as site:
            yield site

    @contextmanager
    def _site(self, launcher: Starter, beside: Callable[[], Snapshot]) -> Iterator[Site]:
        """Hold a farm with this launcher; `beside` looks at what it may change elsewhere."""
        remake_root(self.base, self.user)
        self._hold()
        with Farm(self.base, self.user.uid, self.user.gid, Mounts(launcher), beside) as farm:
            farm.make_areas()
            launcher.start()
            yield Site(farm, launcher)

    def _hold(self) -> None:
        """Keep the folder for farms open: as long as it is, its inode number can become no other object's."""
        self._let_go()
        self._held = os.open(self.base, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)

    def _let_go(self) -> None:
        if self._held >= 0:
            os.close(self._held)
        self._held = -1

    @property
    def mounts_apart(self) -> bool:
        """Whether farms with mounts are launched from another namespace than the rest."""
        return os.geteuid() != 0

    def command(self, nonce: str, mark: str, questions: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the command that asks `questions` and answers on stdout."""
        if self._beyond_a_shell(questions) and self._compiled is not None:
            return compiled_command(self._compiled, nonce, mark, questions)
        return shell_command(nonce, mark, questions)

    def standing_command(self, cwd: str, nonce: str, mark: str, questions: Sequence[tuple[str, ...]]) -> str:
        """Return the same for a shell that stays, or ``""`` where none can answer."""
        return "" if self._beyond_a_shell(questions) else standing_command(cwd, nonce, mark, questions)

    @staticmethod
    def _beyond_a_shell(questions: Sequence[tuple[str, ...]]) -> bool:
        return bool(COMPILED_ONLY & {operation for operation, *_ in questions})

    def cannot(self, case: Case) -> str:
        """Return why this host cannot run a case at all, or ``""``."""
        if case.layout and case.layout != self.layout:
            return f"the case is about the layout '{case.layout}', which only a ground of that layout shows"
        operations = {str(probe.operation) for probe in (*case.probes, *case.then)}
        operations |= set(case.process.asks) if case.process else set()
        if COMPILED_ONLY & operations and self._compiled is None:
            return f"no C compiler is at hand for {', '.join(sorted(COMPILED_ONLY & operations))}"
        if self.user.uid == 0 and any(_is_closed(entry) for entry in case.topology):
            return "root passes over the mode bits that this case depends on"
        if case.topology.mounts:
            try:
                with self.site(case.topology):
                    return ""
            except GroundError as error:
                return str(error)
        return ""

    def within_reach(self, helper: Helper, bundled: Bundled | None) -> Helper:
        """Return a helper as launches here start it.

        Args:
            helper: as it was found on this host.
            bundled: a helper of this package, of which launches get a copy; ``None`` for any other.

        Raises:
            GroundError: where it cannot be started here.
        """
        if bundled is None:
            return helper
        return evolve(helper, path=str(bundled_kit(self.kit, bundled, self.user, PATH)))

    @cached_property
    def _compiled(self) -> Path | None:
        return compile_probe(self.kit)

    @property
    def compiles(self) -> bool:
        """Whether there is a compiler for what a shell cannot do."""
        return self._compiled is not None

    @cached_property
    def _plain(self) -> Starter:
        launcher = self._launcher()
        self._exits.callback(launcher.close)
        return launcher

    @cached_property
    def _mounting(self) -> Starter:
        # root's launcher has a mount namespace of its own in any case
        if not self.mounts_apart:
            return self._plain
        launcher = self._launcher(mounts=True)
        self._exits.callback(launcher.close)
        return launcher

    def crew(self, count: int) -> Sequence[Starter]:
        """Return launchers for helpers that run at the same time, started in the calling thread."""
        while len(self._crew) < count:
            self._crew.append(self._launcher())
            self._exits.callback(self._crew[-1].close)
        for launcher in self._crew:
            launcher.start()
        return self._crew[:count]

    def _launcher(self, *, mounts: bool = False) -> Starter:
        return Launcher(self.user, mounts=mounts, folder=str(self.base), tmp=str(self.base / "tmp"))
