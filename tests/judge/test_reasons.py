# SPDX-License-Identifier: MIT
"""What a reason names; the messages are those of released programs, the lacks those of the conditions behind them."""

from __future__ import annotations

import errno
import os

import pytest

from boxproof.judge.reasons import Named, named, names_option_or_version

USERNS = frozenset({"userns"})


@pytest.mark.parametrize(
    ("text", "lacks", "wanted"),
    (
        (
            "bwrap: No permissions to create new namespace. See <https://deb.li/bubblewrap>",
            USERNS,
            Named(mechanism=True, errno=False, step=True, remedy=True),
        ),
        (
            "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
            frozenset({"loopback"}),
            Named(mechanism=True, errno=True, step=True, remedy=False),
        ),
        (
            "Landlock error: Step 1-2/7 (user namespace) failed: EPERM: Operation not permitted",
            frozenset({"landlock"}),
            Named(mechanism=True, errno=True, step=True, remedy=False),
        ),
        ("sandbox unavailable", USERNS, Named(mechanism=False, errno=False, step=False, remedy=False)),
        ("error: Permission denied", USERNS, Named(mechanism=False, errno=True, step=False, remedy=False)),
        ("landlock is too old", frozenset({"landlock-above-3"}), Named(True, False, True, False)),  # noqa: FBT003
    ),
)
def test_a_reason_is_known_by_what_it_names(text: str, lacks: frozenset[str], wanted: Named) -> None:
    assert named(text, lacks) == wanted


@pytest.mark.parametrize(
    "number",
    (
        *(errno.EPERM, errno.ENOENT, errno.EINTR, errno.EAGAIN, errno.ENOMEM, errno.EACCES, errno.EBUSY, errno.EEXIST),
        *(errno.ENOTDIR, errno.EINVAL, errno.EMFILE, errno.ENOSPC, errno.EROFS, errno.ENOSYS, errno.ELOOP),
        errno.EOPNOTSUPP,
    ),
)
def test_the_message_of_an_errno_is_known(number: int) -> None:
    assert named(f"cannot start: {os.strerror(number)}", USERNS).errno


def test_a_message_that_no_sandbox_gives_is_none() -> None:
    assert not named(f"cannot start: {os.strerror(errno.ECHILD)}", USERNS).errno


def test_what_is_missing_is_not_taken_for_something_else() -> None:
    assert not named("bwrap: Unknown option --perms", frozenset({"landlock"})).mechanism
    assert named("the kernel has no quux", frozenset({"quux"})).mechanism


@pytest.mark.parametrize(
    ("text", "says"),
    (
        ("bwrap: Unknown option --perms", True),
        ("needs bubblewrap 0.5.0", True),
        ("this bwrap is too old", True),
        ("bwrap does not work", False),
        ("error - the sandbox did not start", False),
    ),
)
def test_an_option_or_a_version_is_found(text: str, says: bool) -> None:  # noqa: FBT001 - a parameter of the table
    assert names_option_or_version(text) is says


def test_a_named_reason_prints_what_it_names() -> None:
    assert str(named("unshare: Operation not permitted", USERNS)) == "mechanism, errno, step"
    assert str(named("", USERNS)) == "nothing"
