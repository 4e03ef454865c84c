# SPDX-License-Identifier: MIT
"""A TOML file that people write by hand: read strictly, every complaint with its file, line and key.

`tomllib` says what a file holds and not where, so a key's line is looked up in the text when there is something to
complain about. Keys that TOML allows to be written in other ways (quoted, dotted, in an inline table) are found where
that is possible in one look; else the line is that of the table around them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import Final, TypeAlias

from attrs import frozen

from boxproof.errors import NotationError

Path: TypeAlias = tuple[str | int, ...]
"""Where a value stands: keys, and indices into arrays."""

_STRING: Final = r"'{3}.*?'{3,5}|\"{3}(?:[^\\]|\\.)*?\"{3,5}|'[^'\n]*'|\"(?:[^\"\\\n]|\\.)*\""
_TOKEN: Final = re.compile(rf"(?P<string>{_STRING})|#[^\n]*", re.DOTALL)
_OPENING: Final = re.compile(r"(?:'{3}|\"{3})\n?")
"""What is not yet part of a multi-line string: TOML drops a line feed right after the quotes."""
_WHERE: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_HEADER: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@frozen
class Document:
    """A TOML file as text and as values.

    Args:
        name: the file's name, for messages.
        text: as read.
        values: what `tomllib` makes of it.
    """

    name: str
    text: str
    values: Mapping[str, object]

    def error(self, path: Path, what: str, *, row: int = 0, cause: str = "", cure: str = "") -> NotationError:
        """Return an error about the value at `path`, which begins with the file and its line; `row` as for `line`."""
        return _error(self.name, self.line(path, row), what, cause=cause, cure=cure)

    def line(self, path: Path, row: int = 0) -> int:
        """Return the number of the line, from 1, of the value at `path` or of what is nearest around it.

        Args:
            path: where the value stands.
            row: a line, from 1, of a string that spans several; 0 for where the value begins.
        """
        at = self._offset(path)
        string = self._string(at, 0)
        opening = _OPENING.match(string.group()) if row and string else None
        if string is None or opening is None:
            return _line_at(self.text, at)
        return _line_at(self.text, string.start() + opening.end()) + row - 1

    @cached_property
    def _keys(self) -> str:
        """The text with everything that could be mistaken for a key blanked, and all else in its place."""
        return _TOKEN.sub(lambda token: _blanked(token.group()), self.text)

    def _offset(self, path: Path) -> int:
        at, end, names = 0, self._next_header(0), tuple[str, ...]()
        for step, after in zip(path, (*path[1:], None), strict=True):
            if self._keys.endswith("=", 0, at):
                item = self._string(at, step) if isinstance(step, int) else None
                return item.start() if item and item.start() < end else at
            if isinstance(step, str):
                names = (*names, step)
                found = self._table(names, after, at) or self._key(names, at, end)
                at, end = (_inside(found), self._next_header(found.end())) if found else (at, end)
        return at

    def _next_header(self, at: int) -> int:
        found = _HEADER.search(self._keys, at)
        return found.start() if found else len(self.text)

    def _table(self, names: tuple[str, ...], index: str | int | None, at: int) -> re.Match[str] | None:
        dotted = r"[ \t]*\.[ \t]*".join(map(_written, names))
        headers = re.compile(rf"^[ \t]*\[+[ \t]*{dotted}[ \t]*\]", re.MULTILINE).finditer(self._keys, at)
        return next(islice(headers, index if isinstance(index, int) else 0, None), None)

    def _key(self, names: tuple[str, ...], at: int, end: int) -> re.Match[str] | None:
        prefix = "".join(rf"(?:{_written(name)}[ \t]*\.[ \t]*)?" for name in names[:-1])
        key = re.compile(rf"^[ \t]*{prefix}{_written(names[-1])}[ \t]*[.=]", re.MULTILINE)
        return key.search(self._keys, at, end)

    def _string(self, at: int, index: int) -> re.Match[str] | None:
        strings = (token for token in _TOKEN.finditer(self.text, at) if token["string"])
        return next(islice(strings, index, None), None)


def read_document(text: str, name: str) -> Document:
    """Read TOML that was decoded with ``surrogateescape``.

    Raises:
        NotationError: for text that is empty, not UTF-8, or not TOML, with the line.
    """
    if bad := _SURROGATE.search(text):
        raise _error(name, _line_at(text, bad.start()), "is not UTF-8", cure=r"write such a byte as \xNN")
    text = text.replace("\r\n", "\n")
    if not text.strip():
        raise _error(name, 1, "is empty")
    try:
        return Document(name, text, tomllib.loads(text))
    except RecursionError:
        raise _error(name, 1, "is not TOML", cause="it is nested too deeply") from None
    except ValueError as error:
        # A number of thousands of digits is a plain ValueError; all else says where it is.
        where = _WHERE.search(str(error))
        line = _line_at(text, len(text.rstrip())) if where is None or where[1] is None else int(where[1])
        raise _error(name, line, "is not TOML", cause=_WHERE.sub("", str(error))) from None


def _error(name: str, line: int, what: str, *, cause: str = "", cure: str = "") -> NotationError:
    return NotationError(f"{name}:{line}: {what}", cause=cause, cure=cure)


def _inside(key: re.Match[str]) -> int:
    """Return where to look on: behind a header or ``=``; a dotted key is looked at again for what follows the dot."""
    return key.start() if key.group().endswith(".") else key.end()


def _written(key: str) -> str:
    """Return a pattern for a key as it may be written."""
    return f"[\"']?{re.escape(key)}[\"']?"


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _blanked(token: str) -> str:
    is_short = not token.startswith(("#", "'''", '"""'))
    return token if is_short else re.sub(r"[^\n]", " ", token)
