# SPDX-License-Identifier: MIT
r"""A helper with a plain command line, described by a TOML file instead of Python.

.. code-block:: toml

    name = "nsjail"                     # short ASCII name
    binaries = ["nsjail"]               # file names by which it is recognised
    version = ["--help"]                # arguments after which it prints its version; may be left out
    version-pattern = 'nsjail ([0-9.]+)'
    capabilities = ["deny", "ro-rules"]
    expects = ["--help", "-B"]          # arguments, then words that must be in the answer; may be left out
    not-in-paths = ":"                  # characters that no path can hold
    source = "nsjail --help"            # where its command line is described
    engines = ["namespaces"]            # what it confines with, first choice first
    leftovers = ["tmp/nsjail.*"]        # what it leaves behind
    reserved = [".git"]                 # names that it protects by itself
    markers = [".git"]                  # folders that it wants in the farm
    command = "script"                  # the command in a script, for helpers that take no long arguments
    env = { KEY = "value" }

    [argv]                              # in this order on the command line, after the helper's path
    base = ["-Mo", "-q"]
    network-on = ["-N"]
    network-off = []
    everything = ["-R", "/"]            # reads: all that is not denied
    listed = ["-R", "/usr"]             # reads: only what is listed
    tmp-closed = []
    tmp-writable = ["-B", "{tmp}"]
    ro = ["-R", "{path}"]               # once for each rule, in the policy's order
    rw = ["-B", "{path}"]               # rw-folder instead, for helpers that let no single file be written
    deny-file = ["-R", "/dev/null:{path}"]
    deny-folder = ["-T", "{path}"]
    deny-missing = []                   # as deny-file where it is left out
    cwd = ["-D", "{cwd}"]
    end = ["--"]                        # before the command

Placeholders: ``{path}`` in rules, ``{null-fd}`` in ``deny-file`` and ``deny-missing`` (a descriptor on ``/dev/null``,
another one each time), ``{cwd} {farm} {home} {tmp} {files} {helper}`` everywhere. Everything else is literal.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import field, frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, CannotExpressError, Documented, Helper, Invocation, Places
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy, Rule

PLACES: Final = ("cwd", "farm", "home", "tmp", "files", "helper")
PLACEHOLDER: Final = re.compile(r"\{([a-z-]+)\}")
_FIRST_FD: Final = 10
_SCRIPT: Final = "command.sh"


@frozen
class Template(Adapter):
    """Drives whatever its description says; made by `templatefile.load`.

    Args:
        pieces: parts of the command line by their key; a piece that is not there cannot be said.
    """

    name: str
    binaries: Sequence[str]
    pieces: Mapping[str, Sequence[str]]
    capabilities: frozenset[Capability]
    version: Sequence[str] = ()
    version_pattern: re.Pattern[str] | None = None
    declared: Sequence[str] = ()
    reserved: Sequence[str] = ()
    folders: Sequence[str] = ()
    expects: Sequence[str] = ()
    not_in_paths: str = ""
    in_script: bool = False
    documented: Documented = field(factory=Documented)
    env: Mapping[str, str] = field(factory=dict)

    def leftovers(self, helper: Helper) -> Sequence[str]:
        """Return what the description declares."""
        del helper
        return self.declared

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what the description claims."""
        del helper
        return self.capabilities

    def recognises(self, binary: Path) -> bool:
        """Tell by the names in the description."""
        return binary.name in self.binaries

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Ask for what is expected and for the version, where the description says how.

        An answer without a version is no version, not an error.
        """
        asked = {**self.env, **env}
        if self.expects:
            self._check_answer(binary, ask(binary, self.expects[:1], asked).text)
        version = ""
        if self.version and self.version_pattern:
            found = self.version_pattern.search(ask(binary, self.version, asked).text)
            version = found[1] if found else ""
        name = f"{self.name}-{version}" if version else self.name
        return Helper(name, str(binary), version, env=asked)

    def _check_answer(self, binary: Path, said: str) -> None:
        for word in self.expects[1:]:
            if word not in said:
                raise HelperError(f"'{binary}' is no {self.name}", cause=f"its {self.expects[0]} names no '{word}'")

    def markers(self, policy: Policy) -> Sequence[str]:
        """Return the folders of the description."""
        del policy
        return self.folders

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return the pieces, filled in, in the order of the module's docstring."""
        for spelling in (policy.cwd, *(rule.spelling for rule in policy.rules)):
            if set(spelling) & set(self.not_in_paths):
                raise CannotExpressError(f"no path of {self.name} can hold one of '{self.not_in_paths}'")
        known = dict(
            zip(PLACES, (policy.cwd, places.farm, places.home, places.tmp, places.files, helper.path), strict=True)
        )
        keys = (
            "base",
            "network-on" if policy.network else "network-off",
            "everything" if policy.reads == "everything" else "listed",
            "tmp-closed" if policy.tmp == "closed" else "tmp-writable",
        )
        argv = [helper.path, *(word for key in keys for word in _fill(self._piece(key), known))]
        fds: list[int] = []
        for rule in policy.rules:
            argv += self._rule(rule, places, known, fds)
        argv += [word for key in ("cwd", "end") for word in _fill(self.pieces.get(key, ()), known)]
        if not self.in_script:
            return Invocation((*argv, *command), null_fds=tuple(fds))
        text = os.fsencode(f"exec {shlex.join(command)}\n")
        argv += ["/bin/sh", f"{places.files}/{_SCRIPT}"]
        return Invocation(tuple(argv), files={_SCRIPT: text}, null_fds=tuple(fds))

    def _piece(self, key: str) -> Sequence[str]:
        if key not in self.pieces:
            raise CannotExpressError(f"the adapter '{self.name}' has no '{key}'")
        return self.pieces[key]

    def _rule(self, rule: Rule, places: Places, known: Mapping[str, str], fds: list[int]) -> Iterator[str]:
        piece = self._piece(self._key(rule, places))
        extra = {"path": rule.spelling}
        if any("{null-fd}" in word for word in piece):
            fds.append(_FIRST_FD + len(fds))
            extra["null-fd"] = str(fds[-1])
        return _fill(piece, {**known, **extra})

    def _key(self, rule: Rule, places: Places) -> str:
        kind = places.lead(rule.spelling).kind
        if rule.access == "rw" and kind == "folder" and "rw-folder" in self.pieces:
            return "rw-folder"
        if rule.access != "deny":
            return rule.access
        return "deny-missing" if kind == "missing" and "deny-missing" in self.pieces else _DENY[kind]


_DENY: Final = {"folder": "deny-folder", "file": "deny-file", "missing": "deny-file"}


def _fill(piece: Sequence[str], known: Mapping[str, str]) -> Iterator[str]:
    for word in piece:
        yield PLACEHOLDER.sub(lambda found: known[found[1]], word)
