# SPDX-License-Identifier: MIT
"""Who helpers run as, and the account files in which they find themselves."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from attrs import frozen

_NOBODY: Final = 65534
"""The overflow uid, which stands for every uid that a user namespace does not map (user_namespaces(7))."""
_FIRST_OWN_UID: Final = 1500
_SUBORDINATE_IDS: Final = 65536
_FIRST_SUBORDINATE: Final = 100_000


@frozen
class LaunchUser:
    """An identity for helpers."""

    uid: int
    gid: int
    name: str


def launch_user(run_as: Literal["user", "root"] = "user") -> LaunchUser:
    """Choose who helpers run as.

    As an ordinary user that is the user. As root it is root where `run_as` says so, else a uid from 1500 on that nobody
    has, so that a helper that confines nothing finds nothing that is a person's; `account_files` adds its rows.
    """
    uid, gid = os.geteuid(), os.getegid()
    if uid != 0 or run_as == "root":
        return LaunchUser(uid, gid, _name_of(uid))
    taken = {number for account in pwd.getpwall() for number in (account.pw_uid, account.pw_gid)}
    uid = next(number for number in range(_FIRST_OWN_UID, _NOBODY) if number not in taken)
    return LaunchUser(uid, uid, "boxproof")


def account_files(user: LaunchUser, etc: Path = Path("/etc")) -> Mapping[str, bytes]:
    """Return new content for those of passwd(5), group(5), subuid(5) and subgid(5) that lack `user`, by path."""
    new = {}
    for name, row in _rows(user, etc).items():
        path = etc / name
        if path.is_file():
            content = path.read_bytes()
            lines = content.decode("utf-8", "surrogateescape").splitlines()
            if not any(_is_row_of(line.split(":"), name, user) for line in lines):
                new[str(path)] = content + (b"" if content.endswith(b"\n") or not content else b"\n") + row
    return new


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _rows(user: LaunchUser, etc: Path) -> Mapping[str, bytes]:
    return {
        "passwd": f"{user.name}:x:{user.uid}:{user.gid}::/:/bin/sh\n".encode(),
        "group": f"{user.name}:x:{user.gid}:\n".encode(),
        "subuid": f"{user.name}:{_free_range(etc / 'subuid')}:{_SUBORDINATE_IDS}\n".encode(),
        "subgid": f"{user.name}:{_free_range(etc / 'subgid')}:{_SUBORDINATE_IDS}\n".encode(),
    }


def _is_row_of(fields: Sequence[str], file: str, user: LaunchUser) -> bool:
    if file == "passwd":
        return fields[2:3] == [str(user.uid)]
    if file == "group":
        return fields[2:3] == [str(user.gid)]
    return fields[0] in {user.name, str(user.uid)}


def _free_range(path: Path) -> int:
    """Return the first subordinate id above all that the file gives away."""
    rows = [line.split(":") for line in path.read_text("utf-8", "replace").splitlines()] if path.is_file() else []
    ends = [int(start) + int(count) for start, count in (row[1:] for row in rows if _is_range(row[1:]))]
    return max([_FIRST_SUBORDINATE, *ends])


def _is_range(fields: Sequence[str]) -> bool:
    return len(fields) == len(("start", "count")) and all(field.isdigit() for field in fields)
