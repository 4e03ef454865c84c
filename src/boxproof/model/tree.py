# SPDX-License-Identifier: MIT
r"""The tree notation: a farm as text, one line an entry, and back.

::

    ws/                                     a folder
    ws/locked/          mode=0000           with a mode
    real/auth.json      file                a file with a token of its own
    real/again.json     = real/auth.json    one more name of it
    alias               -> {farm}/real      a link, its text as it is
    agent.sock          socket              a Unix socket; ``listening`` after it: somebody answers
    pipe                fifo
    kept                nsfs                a file that keeps a namespace
    disk/               tmpfs               a mount of its own
    twin/               bind real           a second mount of the folder ``real``

Blank lines and lines that begin with ``#`` are passed over. Names are written as in `boxproof.model.names`.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from boxproof.errors import BoxproofError, NotationError
from boxproof.model.names import escape, unescape
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, Topology

_COLUMN: Final = 24
_MODE_MAX: Final = 0o7777
_FORMS: Final = (
    "NAME/, NAME file, NAME -> TEXT, NAME = OTHER, NAME socket, NAME fifo, NAME nsfs, NAME/ tmpfs, NAME/ bind OTHER"
)


def parse_tree(text: str) -> Topology:
    """Read a topology.

    Raises:
        NotationError: with the number of the line, counted from 1, and what is wrong with it.
    """
    entries: list[Entry] = []
    numbers: list[int] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if words and not words[0].startswith("#"):
            try:
                entries.append(_entry(words))
            except BoxproofError as error:
                raise NotationError(f"line {number}: {error}") from None
            numbers.append(number)
    return _topology(entries, numbers)


def format_tree(topology: Topology) -> str:
    """Write a topology, one line an entry, so that `parse_tree` gives the same one again."""
    return "".join(f"{line}\n" for line in map(_line, topology))


def _topology(entries: list[Entry], numbers: list[int]) -> Topology:
    try:
        return Topology(tuple(entries))
    except BoxproofError as error:
        # a prefix of a sound tree is sound, so the first line that is not can be searched for by halves
        first = bisect_left(range(len(numbers)), x=1, key=lambda index: not _sound(entries[: index + 1]))
        raise NotationError(f"line {numbers[first]}: {error}") from None


def _sound(entries: list[Entry]) -> bool:
    try:
        Topology(tuple(entries))
    except BoxproofError:
        return False
    return True


def _entry(words: list[str]) -> Entry:
    name, *rest = words
    if name.endswith("/"):
        return _folder(unescape(name[:-1]), rest)
    entry = _leaf(unescape(name), rest)
    if entry is None:
        raise _unknown(words)
    return entry


def _leaf(path: str, rest: list[str]) -> Entry | None:
    entry: Entry | None = None
    match rest:
        case ["->", text]:
            entry = Link(path, unescape(text))
        case ["=", other]:
            entry = HardLink(path, unescape(other))
        case ["file"]:
            entry = File(path)
        case ["file", mode] if mode.startswith("mode="):
            entry = File(path, _mode(mode))
        case ["socket"]:
            entry = Socket(path)
        case ["socket", "listening"]:
            entry = Socket(path, listening=True)
        case ["fifo"]:
            entry = Fifo(path)
        case ["nsfs"]:
            entry = Mount(path, "nsfs")
    return entry


def _folder(path: str, rest: list[str]) -> Entry:
    match rest:
        case []:
            return Dir(path)
        case [mode] if mode.startswith("mode="):
            return Dir(path, _mode(mode))
        case ["tmpfs"]:
            return Mount(path)
        case ["bind", other]:
            return Mount(path, "bind", unescape(other).rstrip("/"))
    raise _unknown([f"{escape(path)}/", *rest])


def _mode(word: str) -> int:
    digits = word.removeprefix("mode=")
    if not digits or set(digits) - set("01234567") or int(digits, 8) > _MODE_MAX:
        raise NotationError(f"'{word}' is no mode", cure="write it in octal, as mode=0640")
    return int(digits, 8)


def _unknown(words: list[str]) -> NotationError:
    return NotationError(f"'{' '.join(words)}' is no entry", cure=f"write one of {_FORMS}; a blank in a name is \\x20")


def _line(entry: Entry) -> str:
    name, what = escape(entry.path), ""
    match entry:
        case Dir(mode=mode):
            name, what = f"{name}/", "" if mode == Dir("x").mode else f"mode={mode:04o}"
        case File(mode=mode):
            what = "file" if mode == File("x").mode else f"file mode={mode:04o}"
        case Link(text=text):
            what = f"-> {escape(text)}"
        case HardLink(of=of):
            what = f"= {escape(of)}"
        case Socket(listening=listening):
            what = "socket listening" if listening else "socket"
        case Fifo():
            what = "fifo"
        case Mount(kind="bind", of=of):
            name, what = f"{name}/", f"bind {escape(of)}"
        case Mount(kind="nsfs"):
            what = "nsfs"
        case Mount():
            name, what = f"{name}/", "tmpfs"
    return f"{name:<{_COLUMN}} {what}".rstrip()
