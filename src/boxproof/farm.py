# SPDX-License-Identifier: MIT
"""A topology on disk: built below one folder, and gone afterwards whatever happened.

The base folder holds five areas. Only ``farm`` is the case's; the others belong to the launch and are watched too.
"""

from __future__ import annotations

import hashlib
import os
import socket
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

from attrs import define, field

from boxproof.errors import GroundError
from boxproof.model.names import escape
from boxproof.model.resolve import Tree
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, Topology
from boxproof.removal import empty, is_folder, remove, undo, write
from boxproof.snapshot import Snapshot, take

AREAS: Final = ("farm", "home", "tmp", "files", "outside")
"""The case's farm; the launch's HOME; its TMPDIR; the policy file's folder; a folder that no rule names."""

CANARY: Final = "outside/canary"
"""A file that no rule names: whoever writes it is not confined."""
_NAMESPACE: Final = "/proc/self/ns/net"
"""What is mounted to keep a namespace; any will do."""


class Mounter(Protocol):
    """Whoever can mount something where launches will see it."""

    @property
    def root(self) -> str:
        """The path under which the launches' mount namespace is seen from here."""

    def mount_tmpfs(self, path: str) -> None:
        """Mount an empty tmpfs, owned by the launches' user, on the folder `path`."""

    def mount_bind(self, of: str, path: str) -> None:
        """Mount the folder `of` on the folder `path`."""

    def unmount_all(self) -> None:
        """Take down what the two above have mounted."""


@define
class Farm:
    """The five areas below `base`, owned by `uid` and `gid`.

    Args:
        base: an existing folder of ours, absolute; everything below it is ours to remove.
        uid: numeric owner of all that is built.
        gid: numeric group of all that is built.
        mounter: needed for topologies with mounts.
        beside: looks at other places that launches may change.
    """

    base: Path
    uid: int
    gid: int
    mounter: Mounter | None = None
    beside: Callable[[], Snapshot] = dict
    _listeners: list[socket.socket] = field(factory=list, init=False)
    _view: str = field(default="", init=False)
    _identity: tuple[int, int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Remember which folder the base is: a helper that runs as its owner may put another thing there."""
        self._identity = _identity(self.base)

    @property
    def path(self) -> str:
        """The absolute path of the case's farm."""
        return f"{self.base}/farm"

    def area(self, name: str) -> str:
        """Return the absolute path of one of `AREAS`, or of something below it."""
        return f"{self.base}/{name}"

    @property
    def view(self) -> str:
        """The base folder as this process sees what the launches see, mounts included."""
        return f"{self._view}{self.base}"

    def __enter__(self) -> Self:
        """Use the farm until the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove everything below the base folder."""
        self.clear()

    def build(self, topology: Topology, key: str) -> None:
        """Clear all areas and make the topology's entries, each file with the token of its path under `key`.

        Raises:
            GroundError: where this host cannot make an entry.
        """
        self.clear()
        if topology.mounts:
            if self.mounter is None:
                raise GroundError("this farm has mounts", cause="no mount namespace is at hand on this host")
            self._view = self.mounter.root
        self.make_areas()
        self._file(self.area(CANARY), _line(token(key, CANARY)))
        tree = Tree(topology, self.path)
        for entry in topology:
            self._make(entry, tree, key)
        for entry in reversed(topology.entries):
            if isinstance(entry, Dir | File):
                os.chmod(f"{self._view}{self.path}/{entry.path}", entry.mode)

    def put_back(self, before: Snapshot, after: Snapshot) -> bool:
        """Remove the names that are new since `before`, and write the old bytes and times of files that were written.

        Return false where more than that is different `after`, or the farm has mounts: it has to be built again.
        """
        return not self._view and undo(before, after)

    def make_areas(self) -> None:
        """Make the areas that are not there; a launcher that shows one as ``/tmp`` needs it from the start."""
        for area in AREAS:
            self._area(self.area(area))

    def add_folder(self, path: str) -> None:
        """Make a folder that a helper expects in the farm, with those above it; one that is there stays."""
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            folder = f"{self.path}/{'/'.join(parts[:depth])}"
            if not os.path.isdir(f"{self._view}{folder}"):
                self._folder(folder)

    def write_files(self, files: Mapping[str, bytes], links: Mapping[str, str], folder: str = "files") -> None:
        """Make a launch's own files, such as its policy, and links in an area's folder, replacing what is there."""
        self._area(self.area(folder))
        for name in (*files, *links):
            if os.path.lexists(self.area(f"{folder}/{name}")):
                remove(self.area(f"{folder}/{name}"))
        for name, content in files.items():
            self._file(self.area(f"{folder}/{name}"), content)
        for name, text in links.items():
            self._link(self.area(f"{folder}/{name}"), text)

    def snapshot(self) -> Snapshot:
        """Return all that lies in the five areas now; nothing where a helper took the base folder away."""
        return {**take(str(self.base), self.view, AREAS), **self.beside()} if self._is_there() else {}

    def _is_there(self) -> bool:
        return is_folder(str(self.base)) and _identity(self.base) == self._identity

    def clear(self) -> None:
        """Empty the five areas, mounts first; what its owner cannot open is opened for that."""
        while self._listeners:
            self._listeners.pop().close()
        try:
            if self._view and self.mounter is not None:
                self.mounter.unmount_all()
        finally:
            # what is mounted there is mounted in the launcher's namespace alone, so nothing behind a mount is removed
            self._view = ""
            for area in map(self.area, AREAS) if self._is_there() else ():
                empty(area)

    def _make(self, entry: Entry, tree: Tree, key: str) -> None:
        path = f"{self.path}/{entry.path}"
        try:
            self._make_at(path, entry, tree, key)
        except OSError as error:
            raise GroundError(
                f"'{escape(entry.path)}' cannot be made in the farm", cause=os.strerror(error.errno or 0)
            ) from error

    def _make_at(self, path: str, entry: Entry, tree: Tree, key: str) -> None:
        seen = f"{self._view}{path}"
        match entry:
            case Dir():
                self._folder(path)
            case File():
                self._file(path, _line(token(key, entry.path)))
            case Link(text=text):
                self._link(path, tree.expand(text, os.path.dirname(path)))
            case HardLink(of=of):
                os.link(f"{self._view}{self.path}/{of}", seen, follow_symlinks=False)
            case Fifo():
                os.mkfifo(seen, 0o644)
                os.chown(seen, self.uid, self.gid)
            case Socket(listening=listening):
                self._socket(seen, listening=listening)
            case Mount():
                self._mount(path, entry)

    def _area(self, path: str) -> None:
        """Make an area; one that a helper has replaced by something else is not followed."""
        # the temp folder as it is everywhere, the others as folders of a home are
        mode = 0o1777 if path == self.area("tmp") else 0o755
        if is_folder(path):
            facts = os.lstat(path)
            if (stat.S_IMODE(facts.st_mode), facts.st_uid, facts.st_gid) == (mode, self.uid, self.gid):
                return
        else:
            if os.path.lexists(path):
                os.unlink(path)
            os.mkdir(path)
        os.chmod(path, mode)
        os.chown(path, self.uid, self.gid)

    def _folder(self, path: str) -> None:
        os.mkdir(f"{self._view}{path}", 0o755)
        os.chmod(f"{self._view}{path}", 0o755)  # noqa: S103 - as folders of a workspace are
        os.chown(f"{self._view}{path}", self.uid, self.gid)

    def _link(self, path: str, text: str) -> None:
        os.symlink(text, f"{self._view}{path}")
        os.chown(f"{self._view}{path}", self.uid, self.gid, follow_symlinks=False)

    def _file(self, path: str, content: bytes) -> None:
        descriptor = os.open(f"{self._view}{path}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        try:
            write(descriptor, content)
            os.fchown(descriptor, self.uid, self.gid)
        finally:
            os.close(descriptor)

    def _socket(self, path: str, *, listening: bool) -> None:
        folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
        listener = socket.socket(socket.AF_UNIX)
        try:
            # sun_path holds 108 bytes; the descriptor's path is short however deep the farm and long the name
            listener.bind(f"/proc/self/fd/{folder}/s")
            os.rename("s", os.path.basename(path), src_dir_fd=folder, dst_dir_fd=folder)
            os.chown(path, self.uid, self.gid)
        finally:
            os.close(folder)
            if listening:
                listener.listen()
                self._listeners.append(listener)
            else:
                listener.close()

    def _mount(self, path: str, entry: Mount) -> None:
        assert self.mounter is not None  # noqa: S101 - build() has refused already
        if entry.kind == "nsfs":
            self._file(path, b"")
            self.mounter.mount_bind(_NAMESPACE, path)
            return
        self._folder(path)
        if entry.kind == "bind":
            self.mounter.mount_bind(f"{self.path}/{entry.of}", path)
        else:
            self.mounter.mount_tmpfs(path)


def token(key: str, path: str) -> str:
    """Return the token of the file at `path` in the case `key`: 24 characters that occur nowhere else."""
    digest = hashlib.blake2b(f"{key}\0{path}".encode("utf-8", "surrogateescape"), digest_size=12)
    return f"t{digest.hexdigest()[1:]}"


def _identity(path: Path) -> tuple[int, int]:
    facts = os.lstat(path)
    return facts.st_dev, facts.st_ino


def _line(text: str) -> bytes:
    return f"{text}\n".encode()


def files_of(topology: Topology) -> Iterator[File]:
    """Iterate over the files that hold a token of their own."""
    return (entry for entry in topology if isinstance(entry, File))
