# SPDX-License-Identifier: MIT
"""A topology placed at an absolute folder, and where paths lead in it; no disk is touched.

What a `Tree` holds is named by canonical path. A second mount of a folder has canonical paths of its own, since the
kernel knows them apart too; `Tree.origin` says what they show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from attrs import define, field, frozen

from boxproof.errors import CaseError
from boxproof.model.names import FARM, UP, escape
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, Topology, parent
from boxproof.model.walk import SEARCH, Error, Kind, Node, Resolution, folder_of, join, walk

__all__ = ["Error", "Kind", "Node", "Resolution", "Tree", "resolve", "spellings"]

SURPLUS: Final = 2
"""How many ``../`` more than lead to the root ``{up}`` stands for."""

_WRITE: Final = 0o200
_KINDS: Final[Mapping[type[Entry], Kind]] = MappingProxyType(
    {Dir: "folder", Mount: "folder", File: "file", HardLink: "file", Link: "link", Socket: "socket", Fifo: "fifo"}
)


@define(eq=False)
class _Found:
    """What is known of one topology at one place, whichever `Tree` worked it out."""

    nodes: Mapping[str, Node] = field(factory=dict)
    walks: dict[tuple[str, str, bool], Resolution] = field(factory=dict)
    aliases: Mapping[str, str] | None = None
    meanings: dict[object, Any] = field(factory=dict)


@frozen
class Tree:
    """A topology at an absolute folder, seen by the owner of all that it holds.

    Above the farm the model knows the farm's ancestors, the topology's rows and no other name. A second mount is one of
    the folder alone (mount(2) without ``MS_REC``), so it shows the empty folder on which another mount stands.

    Args:
        topology: what the farm holds.
        farm: canonical path of the farm, not the root itself.
        privileged: whether the caller passes over mode bits (``CAP_DAC_OVERRIDE``), as root does.

    Raises:
        CaseError: for a farm that is no such path, or an entry below a second mount.
    """

    topology: Topology
    farm: str = "/farm/of/case"
    privileged: bool = False

    _found: _Found = field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Refuse what cannot be placed."""
        place = (self.farm, self.privileged)
        if place not in self.topology.found:
            self._check()
            self.topology.found[place] = _Found()
        object.__setattr__(self, "_found", self.topology.found[place])

    def _check(self) -> None:
        if not self.farm.startswith("/") or {"", ".", ".."} & set(self.farm.split("/")[1:]):
            raise CaseError(f"the farm's folder '{escape(self.farm)}' is not an absolute path in its plainest form")
        for entry in self.topology:
            above = self.topology.by_path.get(parent(entry.path))
            if isinstance(above, Mount) and above.kind == "bind":
                raise CaseError(
                    f"'{escape(entry.path)}' lies below the second mount '{escape(above.path)}/'",
                    cure=f"write it below '{escape(above.of)}/', and it shows at both",
                )

    @property
    def nodes(self) -> Mapping[str, Node]:
        """All that the model knows, by canonical path, second mounts included."""
        if not self._found.nodes:
            nodes = {path: Node("folder", path, partial=True) for path in _above(self.farm)}
            nodes |= self._rows()
            nodes[self.farm] = Node("folder", self.farm)
            nodes |= {join(self.farm, entry.path): self._node(entry) for entry in self.topology}
            for mount in self.topology.mounts:
                if mount.kind == "bind":
                    nodes |= self._shown(mount, nodes)
            self._found.nodes = MappingProxyType(nodes)
        return self._found.nodes

    @property
    def absent(self) -> frozenset[str]:
        """The paths above the farm of which the model knows that nothing is there."""
        return frozenset(row.path for row in self.topology.above if row.kind == "absent")

    @property
    def walks(self) -> dict[tuple[str, str, bool], Resolution]:
        """What `resolve` has already found, by path, start and `follow`."""
        return self._found.walks

    @property
    def meanings(self) -> dict[object, Any]:
        """What is already known of policies on this tree, by policy and strength; see `boxproof.model.access`."""
        return self._found.meanings

    @property
    def aliases(self) -> Mapping[str, str]:
        """The links that lead to something or to a missing leaf, and to what: canonical paths both."""
        if self._found.aliases is None:
            walks = {path: resolve(self, path) for path, node in self.nodes.items() if node.kind == "link"}
            known = {link: end for link, walk in walks.items() if (end := walk.real or walk.creatable)}
            self._found.aliases = MappingProxyType(known)
        return self._found.aliases

    def expand(self, text: str, folder: str) -> str:
        """Replace ``{farm}``, and ``{up}`` as it counts from the canonical path `folder`."""
        up = "../" * (folder.rstrip("/").count("/") + SURPLUS)
        return text.replace(UP, up).replace(FARM, self.farm)

    def origin(self, real: str) -> str:
        """Return the canonical path that `real` shows: below a second mount another one, elsewhere itself.

        A name that is not there yet counts as one in the folder that would hold it.
        """
        node = self.nodes.get(real)
        return node.origin if node else join(self.origin(folder_of(real)), real.rpartition("/")[2])

    def searchable(self, folder: str) -> bool:
        """Whether the owner may look up names in the folder at the canonical path `folder`."""
        return self.privileged or bool(self.nodes[folder].mode & SEARCH)

    def writable(self, folder: str) -> bool:
        """Whether the owner may make and remove names in the folder at the canonical path `folder`."""
        return self.searchable(folder) and (self.privileged or bool(self.nodes[folder].mode & _WRITE))

    def _node(self, entry: Entry) -> Node:
        path = join(self.farm, entry.path)
        mode = entry.mode if isinstance(entry, Dir) else 0o755
        text = self.expand(entry.text, folder_of(path)) if isinstance(entry, Link) else ""
        kind = "namespace" if isinstance(entry, Mount) and entry.kind == "nsfs" else _KINDS[type(entry)]
        return Node(kind, path, mode, text)

    def _rows(self) -> dict[str, Node]:
        """Return what the topology says to lie above the farm, with the folders that hold it."""
        nodes: dict[str, Node] = {}
        for row in self.topology.above:
            if _within(self.farm, row.path) and row.kind != "folder":
                raise CaseError(f"the farm cannot lie below '{row.path}', which is '{row.kind}' in this case")
            nodes |= {path: Node("folder", path, partial=True) for path in _above(row.path) if path not in nodes}
            if row.kind == "folder":
                nodes[row.path] = Node("folder", row.path, partial=True)
            elif row.kind in {"file", "link"}:
                nodes[row.path] = Node("link" if row.kind == "link" else "file", row.path, text=row.text)
        return nodes

    def _shown(self, mount: Mount, nodes: Mapping[str, Node]) -> dict[str, Node]:
        source, here = join(self.farm, mount.of), join(self.farm, mount.path)
        inner = {join(self.farm, other.path) for other in self.topology.mounts if other.path.startswith(f"{mount.of}/")}
        shown = {}
        for path, node in nodes.items():
            if _within(path, source) and not any(_within(folder_of(path), other) for other in inner):
                copy = here + path.removeprefix(source)
                shown[copy] = Node("folder", copy) if path in inner else node
        return shown


def resolve(tree: Tree, path: str, *, cwd: str | None = None, follow: bool = True) -> Resolution:
    """Walk `path`, which holds no placeholder.

    Args:
        tree: where to walk.
        path: absolute, or relative to `cwd`.
        cwd: canonical path of a folder of the tree; the farm where it is not given.
        follow: whether a link in last place is followed (stat(2)) or is what the path leads to (lstat(2)).
    """
    start = "/" if path.startswith("/") else cwd or tree.farm
    known = tree.walks.get((path, start, follow))
    if known is None:
        known = walk(tree.nodes, path, start, follow=follow, privileged=tree.privileged, absent=tree.absent)
        tree.walks[path, start, follow] = known
    return known


def spellings(tree: Tree, real: str, limit: int) -> tuple[str, ...]:
    """Return absolute paths that lead to `real` through the tree's links: fewest links first, then the shortest.

    Args:
        tree: where to look.
        real: canonical path of something, which comes first, or of a missing leaf.
        limit: how many paths at most; a link to its own ancestor gives a path for each round.
    """
    follow = real not in tree.nodes or tree.nodes[real].kind != "link"
    found: list[str] = []
    candidates = [real]
    while candidates and len(found) < limit:
        walks = ((spelling, resolve(tree, spelling, follow=follow)) for spelling in candidates)
        reaching = [spelling for spelling, walk in walks if real in {walk.real, walk.creatable}]
        found += sorted(reaching, key=lambda spelling: (len(spelling), spelling))
        candidates = [longer for spelling in reaching for longer in _through_one_more(tree, spelling)]
    return tuple(found[:limit])


def _through_one_more(tree: Tree, spelling: str) -> Iterator[str]:
    """Replace a beginning of `spelling` by each link that leads to it; links lead to what is before the first link."""
    for link, target in tree.aliases.items():
        if _within(spelling, target):
            yield link + spelling.removeprefix(target if target != "/" else "")


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(join(folder, ""))


def _above(path: str) -> tuple[str, ...]:
    """Return the folders above a canonical path, the root first."""
    names = path.split("/")[1:-1]
    return ("/", *("/" + "/".join(names[:depth]) for depth in range(1, len(names) + 1)))
