# SPDX-License-Identifier: MIT
"""What lies at one absolute path above the farm: a line of a distribution's layout, and of a case about one.

::

    /etc/ssl/                   folder
    /etc/ssl/cert.pem           -> ../pki/tls/cert.pem      a link, its text as it is
    /etc/pki/tls/bundle.pem     file mode=0444
    /etc/ssl/ca-bundle.pem      absent
    /etc/ssl/certs              unknown                     nobody has looked; layouts only

Names are written as in `boxproof.model.names`. A path is canonical where it stands: it crosses no link of the layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias, get_args

from attrs import field, frozen, validators

from boxproof.errors import NotationError, nearest
from boxproof.model.names import escape, unescape

RowKind: TypeAlias = Literal["folder", "link", "file", "absent", "unknown"]

ROW_KINDS: Final[tuple[RowKind, ...]] = get_args(RowKind)
_WORDS: Final = ("->", *(kind for kind in ROW_KINDS if kind != "link"))
_WITH_MODE: Final = frozenset({"folder", "file"})
_MODE_MAX: Final = 0o7777
_COLUMN: Final = 50


@frozen
class Row:
    """One path.

    Args:
        path: absolute, without empty, ``.`` or ``..`` components.
        text: a link's, never empty.
        mode: permission bits of a folder or file, where they are known.
    """

    path: str
    kind: RowKind = field(validator=validators.in_(ROW_KINDS))
    text: str = ""
    mode: int | None = None

    def __str__(self) -> str:
        """Return the line that `parse_row` reads."""
        name = escape(self.path) + ("/" if self.kind == "folder" else "")
        words = [f"-> {escape(self.text)}" if self.kind == "link" else self.kind]
        words += [f"mode={self.mode:04o}"] if self.mode is not None else []
        return f"{name:<{_COLUMN}} {' '.join(words)}"


def parse_rows(text: str) -> tuple[Row, ...]:
    """Read rows, one a line; blank lines and those that begin with ``#`` are passed over.

    Raises:
        NotationError: with the number of the line, counted from 1, and what is wrong with it.
    """
    rows: dict[str, Row] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if words and not words[0].startswith("#"):
            try:
                row = _row(words)
                check_place(row, rows)
            except NotationError as error:
                raise NotationError(f"line {number}: {error.what}", cause=error.cause, cure=error.cure) from None
            rows[row.path] = row
    return tuple(rows.values())


def format_rows(rows: Iterable[Row]) -> str:
    """Write rows, one a line, so that `parse_rows` gives the same ones again."""
    return "".join(f"{row}\n" for row in rows)


def _row(words: list[str]) -> Row:
    name, kind, rest = words[0], " ".join(words[1:2]), words[2:]
    path = unescape(name.removesuffix("/"))
    _check_path(path, name)
    if kind == "->" and len(rest) == 1:
        return Row(path, "link", unescape(rest[0]))
    for known in ROW_KINDS:
        if kind == known != "link" and (not rest or (known in _WITH_MODE and len(rest) == 1)):
            if name.endswith("/") != (known == "folder"):
                raise NotationError(f"'{name}' is said to be '{known}'", cure="end the name of a folder alone in '/'")
            return Row(path, known, mode=_mode(rest[0]) if rest else None)
    if not kind or kind in _WORDS:
        raise NotationError(f"'{' '.join(words)}' is no row", cure="write PATH -> TEXT, or PATH KIND [mode=0644]")
    raise NotationError(f"'{kind}' is no kind of a row", cure=nearest(kind, _WORDS))


def _check_path(path: str, name: str) -> None:
    components = path.split("/")
    if components[0] or len(components) == 1 or {"", ".", ".."} & set(components[1:]):
        raise NotationError(f"'{name}' is no absolute path in its plainest form", cure="write one such as /etc/ssl")


def check_place(row: Row, before: Mapping[str, Row]) -> None:
    """Refuse a row that is there already, or lies below one that is no folder.

    Raises:
        NotationError: naming the paths.
    """
    if row.path in before:
        raise NotationError(f"'{row.path}' has two rows", cure="keep one of them")
    for end in (place for place, character in enumerate(row.path) if character == "/" and place):
        above = before.get(row.path[:end])
        if above is not None and above.kind not in {"folder", "unknown"}:
            raise NotationError(f"'{row.path}' lies below '{above.path}', which is '{above.kind}'")


def _mode(word: str) -> int:
    digits = word.removeprefix("mode=")
    if digits == word or not digits or set(digits) - set("01234567") or int(digits, 8) > _MODE_MAX:
        raise NotationError(f"'{word}' is no mode", cure="write it in octal, as mode=0640")
    return int(digits, 8)
