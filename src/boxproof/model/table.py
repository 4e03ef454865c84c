# SPDX-License-Identifier: MIT
"""One table of a `Document`: a closed set of keys, and a typed reading of each."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from types import MappingProxyType
from typing import Final, TypeVar

from attrs import frozen

from boxproof.errors import BoxproofError, NotationError, nearest
from boxproof.model.document import Document, Path

Word = TypeVar("Word", bound=str)
Value = TypeVar("Value")

_LINE: Final = re.compile(r"line (\d+): ")
_TYPES: Final[Mapping[type, str]] = MappingProxyType(
    {
        str: "a string",
        bool: "a boolean",
        int: "an integer",
        float: "a float",
        list: "an array",
        dict: "a table",
        datetime: "a date",
        date: "a date",
        time: "a time",
    }
)


@frozen
class Table:
    """A table and where it stands; every method raises `NotationError` with file, line and key.

    Args:
        path: the keys that lead to it; empty for the file itself.
        values: what it holds.
    """

    document: Document
    values: Mapping[str, object]
    path: Path = ()

    def close(self, keys: Sequence[str]) -> None:
        """Refuse any key but these."""
        for key in self.values:
            if key not in keys:
                raise self.error(key, f"{self._named(key)} is no known key", cure=nearest(key, keys))

    def error(self, key: str, what: str, *, index: int | None = None, cause: str = "", cure: str = "") -> NotationError:
        """Return an error about a key, or about one item of the array under it."""
        item = () if index is None else (index,)
        return self.document.error((*self.path, key, *item), what, cause=cause, cure=cure)

    def format(self, number: int) -> None:
        """Refuse any format but this one."""
        found = self._typed("format", int, None)
        if found != number:
            raise self.error("format", f"'format' is {found}", cause=f"this version of Boxproof reads format {number}")

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string; without a default the key must be there."""
        return self._typed(key, str, default)

    def parsed(self, key: str, parse: Callable[[str], Value]) -> Value:
        """Return what `parse` makes of a string, which must be there."""
        text = self.text(key)
        try:
            return parse(text)
        except BoxproofError as error:
            raise self.wrapped(key, error) from None

    def word(self, key: str, words: Sequence[Word], default: Word | None = None) -> Word:
        """Return one of these words."""
        text = self.text(key, default)
        return self._known(key, text, words)

    def words(self, key: str, words: Sequence[Word]) -> frozenset[Word]:
        """Return a set of these words, written with ``|`` between them; empty where the key is missing."""
        texts = self.text(key).split("|") if key in self.values else []
        return frozenset(self._known(key, text, words) for text in texts)

    def flag(self, key: str) -> bool:
        """Return a boolean, false where the key is missing."""
        return self._typed(key, bool, default=False)

    def seconds(self, key: str) -> float:
        """Return a number of seconds, 0 where the key is missing."""
        value = self.values.get(key, 0.0)
        number = float(value) if type(value) is int else self._typed(key, float, 0.0)
        if number < 0 or not math.isfinite(number):
            raise self.error(key, f"{self._named(key)} is {value}", cure="write a number of seconds")
        return number

    def day(self, key: str) -> date | None:
        """Return a date, nothing where the key is missing."""
        return self._typed(key, date, None) if key in self.values else None

    def texts(self, key: str, parse: Callable[[str], Value], *, needed: bool = False) -> tuple[Value, ...]:
        """Return what `parse` makes of each string of an array, empty where the key is missing and not `needed`."""
        return tuple(self._items(key, parse, needed=needed))

    def table(self, key: str) -> Table:
        """Return the table under a key, which must be there."""
        return Table(self.document, self._typed(key, dict, None), (*self.path, key))

    def tables(self, key: str, *, needed: bool = False) -> tuple[Table, ...]:
        """Return the array of tables under a key."""
        items = self._array(key, dict, needed=needed)
        return tuple(Table(self.document, item, (*self.path, key, index)) for index, item in enumerate(items))

    def wrapped(self, key: str, error: BoxproofError, index: int | None = None) -> NotationError:
        """Return `error` with file, line and key before it."""
        what = f"{self._named(key)}: {error.what}"
        return self.error(key, what, index=index, cause=error.cause, cure=error.cure)

    def counted(self, key: str, error: NotationError) -> NotationError:
        """Return an error about a string of several lines, ``line N:`` in it replaced by the file's own line."""
        found = _LINE.match(error.what)
        what = f"{self._named(key)}: {error.what.removeprefix(found.group()) if found else error.what}"
        row = int(found[1]) if found else 0
        return self.document.error((*self.path, key), what, row=row, cause=error.cause, cure=error.cure)

    def _items(self, key: str, parse: Callable[[str], Value], *, needed: bool) -> Iterator[Value]:
        for index, item in enumerate(self._array(key, str, needed=needed)):
            try:
                yield parse(item)
            except BoxproofError as error:
                raise self.wrapped(key, error, index) from None

    def _array(self, key: str, kind: type[Value], *, needed: bool) -> list[Value]:
        items: list[object] = self._typed(key, list, None if needed else [])
        for item in items:
            if type(item) is not kind:
                raise self.error(key, f"{self._named(key)} holds {_TYPES[type(item)]}", cure=f"write {_TYPES[kind]}")
        return [item for item in items if isinstance(item, kind)]

    def _typed(self, key: str, kind: type[Value], default: Value | None) -> Value:
        value = self.values.get(key, default)
        if value is None:
            raise self.error(key, f"{self._named(key)} is missing")
        # bool is a subclass of int, and a datetime of date: a type in TOML is exactly one here.
        if type(value) is not kind or not isinstance(value, kind):
            raise self.error(key, f"{self._named(key)} is {_TYPES[type(value)]}", cure=f"write {_TYPES[kind]}")
        return value

    def _known(self, key: str, text: str, words: Sequence[Word]) -> Word:
        for word in words:
            if word == text:
                return word
        raise self.error(key, f"{self._named(key)} cannot be '{text}'", cure=nearest(text, words))

    def _named(self, key: str) -> str:
        return f"'{'.'.join(str(step) for step in (*self.path, key) if isinstance(step, str))}'"
