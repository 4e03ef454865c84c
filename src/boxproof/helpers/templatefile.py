# SPDX-License-Identifier: MIT
"""Reads the description of `template`; what is not understood is an error that names the file and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from boxproof.errors import HelperError, nearest
from boxproof.helpers.base import Documented
from boxproof.helpers.engines import ENGINES
from boxproof.helpers.template import PLACEHOLDER, PLACES, Template
from boxproof.model.capability import Capability

_BYTES: Final = 64 * 1024
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
_KEYS: Final = (
    *("name", "binaries", "version", "version-pattern", "capabilities"),
    *("expects", "not-in-paths", "source", "engines", "preflight", "command"),
    *("leftovers", "reserved", "markers", "env", "argv"),
)
_LISTS: Final = ("binaries", "version", "expects", "engines", "preflight", "leftovers", "reserved", "markers")
_WORDS: Final = "words"
_RULES: Final = {
    "ro": ("path",),
    "rw": ("path",),
    "rw-folder": ("path",),
    "deny-file": ("path", "null-fd"),
    "deny-folder": ("path",),
    "deny-missing": ("path", "null-fd"),
}
_PIECES: Final = (
    *("base", "everything", "listed", "network-on", "network-off", "tmp-closed", "tmp-writable"),
    *_RULES,
    *("cwd", "end"),
)
_NEEDED: Final = {
    Capability.DENY: ("deny-file", "deny-folder"),
    Capability.LISTED_READS: ("listed",),
    Capability.RO_RULES: ("ro",),
    Capability.RW_RULES: ("rw",),
    Capability.NETWORK_SWITCH: ("network-on", "network-off"),
}
"""Pieces without which a claim is empty."""


@cache
def own() -> tuple[Template, ...]:
    """Return the templates of this package, by name."""
    return tuple(load(path) for path in sorted((Path(__file__).parent / "templates").glob("*.toml")))


def load(path: Path) -> Template:
    """Read an adapter file.

    Raises:
        HelperError: where it cannot be read, or is not exactly a description.
    """
    table = _read(path)
    problem = _Problem(path)
    problem.closed(table, _KEYS, "")
    pieces = table.get("argv", {})
    problem.table(pieces, "argv")
    problem.closed(pieces, _PIECES, "argv.")
    for key, words in pieces.items():
        problem.words(words, f"argv.{key}")
        problem.placeholders(words, key)
    capabilities = _capabilities(table, problem)
    for capability in sorted(capabilities & set(_NEEDED)):
        missing = [key for key in _NEEDED[capability] if key not in pieces and f"{key}-folder" not in pieces]
        if missing:
            raise problem.at("capabilities", f"claims '{capability}', but there is no 'argv.{missing[0]}'")
    return _template(table, pieces, capabilities, problem)


def _template(
    table: Mapping[str, Any],
    pieces: Mapping[str, Sequence[str]],
    capabilities: frozenset[Capability],
    problem: _Problem,
) -> Template:
    lists = {key: table.get(key, []) for key in _LISTS}
    for key, words in lists.items():
        problem.words(words, key)
    env = table.get("env", {})
    problem.table(env, "env")
    problem.words(list(env.values()), "env")
    return Template(
        name=problem.name(table.get("name")),
        binaries=tuple(lists["binaries"]),
        pieces={key: tuple(words) for key, words in pieces.items()},
        capabilities=capabilities,
        version=tuple(lists["version"]),
        version_pattern=problem.pattern(table.get("version-pattern")),
        declared=tuple(lists["leftovers"]),
        reserved=tuple(lists["reserved"]),
        folders=tuple(lists["markers"]),
        expects=tuple(lists["expects"]),
        not_in_paths=problem.text(table.get("not-in-paths", ""), "not-in-paths"),
        in_script=problem.one_of(table.get("command", _WORDS), (_WORDS, "script"), "command") == "script",
        documented=Documented(
            source=problem.text(table.get("source", ""), "source"),
            engines=tuple(problem.one_of(word, [*ENGINES], "engines") for word in lists["engines"]),
            preflight=tuple(lists["preflight"]),
        ),
        env=dict(env),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(_BYTES + 1)
        if len(content) > _BYTES:
            raise HelperError(f"the adapter file '{path}' is larger than {_BYTES // 1024} KiB")
        return tomllib.loads(content.decode())
    except OSError as error:
        raise HelperError(f"the adapter file '{path}' cannot be read", cause=error.strerror or "") from error
    except ValueError as error:
        raise HelperError(f"the adapter file '{path}' is no TOML", cause=str(error)) from error


def _capabilities(table: Mapping[str, Any], problem: _Problem) -> frozenset[Capability]:
    words = table.get("capabilities", [])
    problem.words(words, "capabilities")
    known = [capability.value for capability in Capability]
    for word in words:
        if word not in known:
            raise problem.at("capabilities", f"'{word}' is no capability", nearest(word, known))
    return frozenset(map(Capability, words))


@frozen
class _Problem:
    """Errors about one file."""

    path: Path

    def at(self, key: str, what: str, cure: str = "") -> HelperError:
        return HelperError(f"{self.path}: '{key}': {what}", cure=cure)

    def closed(self, table: Mapping[str, Any], known: Collection[str], prefix: str) -> None:
        for key in table:
            if key not in known:
                raise self.at(f"{prefix}{key}", "there is no such key", nearest(key, known))

    def table(self, value: object, key: str) -> None:
        if not isinstance(value, dict):
            raise self.at(key, "is no table")

    def text(self, value: object, key: str) -> str:
        if not isinstance(value, str):
            raise self.at(key, "is no string", f"write {key} = '..'")
        return value

    def one_of(self, value: object, known: Sequence[str], key: str) -> str:
        word = self.text(value, key)
        if word not in known:
            raise self.at(key, f"'{word}' is none of its words", nearest(word, known))
        return word

    def words(self, value: object, key: str) -> None:
        if not isinstance(value, list) or not all(isinstance(word, str) and "\0" not in word for word in value):
            raise self.at(key, "holds something other than strings without NUL", f"write {key} = ['..']")

    def placeholders(self, words: Sequence[str], key: str) -> None:
        allowed = (*PLACES, *_RULES.get(key, ()))
        for name in (found[1] for word in words for found in PLACEHOLDER.finditer(word)):
            if name not in allowed:
                raise self.at(f"argv.{key}", f"there is no '{{{name}}}' here", nearest(name, allowed))

    def name(self, value: object) -> str:
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise self.at("name", "is no name", "use lower-case letters, digits, dots and dashes")
        return value

    def pattern(self, value: object) -> re.Pattern[str] | None:
        if value is None:
            return None
        try:
            pattern = re.compile(value) if isinstance(value, str) else None
        except re.error as error:
            raise self.at("version-pattern", f"is no regular expression: {error}") from error
        if pattern is None or pattern.groups != 1:
            raise self.at("version-pattern", "is no regular expression with one group around the version")
        return pattern
