# SPDX-License-Identifier: MIT
"""Who helpers run as, and the rows that make that user known."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from boxproof.grounds import accounts
from boxproof.grounds.accounts import LaunchUser, account_files, launch_user

USER = LaunchUser(1500, 1501, "boxproof")


def entry(name: str, uid: int) -> pwd.struct_passwd:
    return pwd.struct_passwd((name, "x", uid, uid, "", "/", "/bin/sh"))


@pytest.mark.parametrize(
    ("others", "chosen"),
    (
        ([], LaunchUser(1500, 1500, "boxproof")),
        ([("root", 0), ("daemon", 999), ("nobody", 65534)], LaunchUser(1500, 1500, "boxproof")),
        ([("person", 1000), ("second", 1500), ("third", 1501)], LaunchUser(1502, 1502, "boxproof")),
    ),
)
def test_root_drops_to_a_uid_that_nobody_has(
    monkeypatch: pytest.MonkeyPatch, others: list[tuple[str, int]], chosen: LaunchUser
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pwd, "getpwall", lambda: [entry(name, uid) for name, uid in others])
    assert launch_user() == chosen


def test_root_stays_root_where_told() -> None:
    chosen = launch_user("root")
    assert (chosen.uid, chosen.gid) == (os.geteuid(), os.getegid())


def test_a_user_without_an_account_is_called_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    assert launch_user().name == "54321"


def test_missing_rows_are_added_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "passwd").write_text("root:x:0:0::/root:/bin/sh")
    (tmp_path / "group").write_text("root:x:0:\n")
    (tmp_path / "subuid").write_text("other:100000:65536\nodd line\n")
    (tmp_path / "subgid").write_text("")
    assert account_files(USER, tmp_path) == {
        f"{tmp_path}/passwd": b"root:x:0:0::/root:/bin/sh\nboxproof:x:1500:1501::/:/bin/sh\n",
        f"{tmp_path}/group": b"root:x:0:\nboxproof:x:1501:\n",
        f"{tmp_path}/subuid": b"other:100000:65536\nodd line\nboxproof:165536:65536\n",
        f"{tmp_path}/subgid": b"boxproof:100000:65536\n",
    }


def test_rows_that_are_there_and_files_that_are_not_stay(tmp_path: Path) -> None:
    (tmp_path / "passwd").write_text("someone:x:1500:1::/:/bin/sh\n")
    (tmp_path / "subuid").write_text("1500:100000:65536\n")
    assert account_files(USER, tmp_path) == {}


def test_overflow_ids_are_not_ordinary() -> None:
    assert int(Path("/proc/sys/kernel/overflowuid").read_text()) == accounts._NOBODY
